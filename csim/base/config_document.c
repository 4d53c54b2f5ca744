// SPDX-License-Identifier: Apache-2.0
// The reference of all keys as Markdown, of sets and constants as CSV.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "config_internal.h"
#include "place.h"

// A cell of a Markdown table must not hold the character that ends it.
static void cell(FILE *file, const char *text) {
  fputs("| ", file);
  for (; *text; text++) {
    if (*text == '|') {
      fputc('\\', file);
    }
    fputc(*text, file);
  }
  fputc(' ', file);
}

static void quoted(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++) {
    fputs((char[]){*text, *text == '"' ? '"' : 0, 0}, file);
  }
  fputc('"', file);
}

static void code(FILE *file, const char *text) {
  char quoted[TextSize + 2];
  snprintf(quoted, sizeof quoted, *text ? "`%s`" : "%s", text);
  cell(file, quoted);
}

static const char *const Groups[] = {
    [ConfigCore] = "core", [ConfigExtension] = "extension", [ConfigReading] = "reading"};

// Rows of the keys with a section, or of those without.
static void document_keys(const config_t *config, FILE *file, bool sections) {
  for (size_t i = 0; i < config->count; i++) {
    const entry_t *e = config->entries[i];
    if (!config_is_key(e) || (strchr(e->name, '.') != NULL) != sections) {
      continue;
    }
    char range[TextSize];
    config_describe_range(e, range);
    code(file, e->name);
    code(file, e->initial);
    cell(file, range);
    cell(file, e->key.unit);
    cell(file, e->key.meaning);
    cell(file, e->key.source);
    cell(file, Groups[e->key.group]);
    fputs("|\n", file);
  }
}

static int is_yaml(const struct dirent *d) {
  const char *dot = strrchr(d->d_name, '.');
  return dot && dot != d->d_name && strcmp(dot, ".yaml") == 0;
}

// A set's bundled files.
typedef struct {
  struct dirent **files;
  int count;
  char (*cells)[TextSize];  // entry * count + file; the sources come last
} columns_t;

static bool read_columns(config_t *config, entry_t *set, columns_t *c, err_t *err) {
  size_t entries = set->set->count;
  text_t what = {0};
  char *now = strdup(set->field);
  err_set(err, ErrMachine, "configuration: out of memory");
  c->cells = calloc((entries + 1) * (size_t)c->count + 1, sizeof *c->cells);
  bool good = c->cells && now;
  for (int f = 0; good && f < c->count; f++) {
    const char *name = c->files[f]->d_name;
    char bare[TextSize];
    snprintf(bare, sizeof bare, "%.*s", (int)(strlen(name) - strlen(".yaml")), name);
    good = config_load_set(config, set, bare, &what, err);
    for (size_t i = 0; good && i < entries; i++) {
      char full[NameSize];
      snprintf(full, sizeof full, "%s.%s", set->set->prefix, set->set->entries[i].name);
      config_value_text(config_find(config, full), c->cells[i * (size_t)c->count + (size_t)f]);
    }
    if (good) {
      memcpy(c->cells[entries * (size_t)c->count + (size_t)f], set->from, TextSize);
    }
  }
  good = good && config_load_set(config, set, now, &what, err);
  if (what.length) {
    err_set(err, ErrInput, "%s", text_string(&what));
  }
  text_free(&what);
  free(now);
  return good;
}

// The set's row of the page, or its entries as rows of the table.
static void write_rows(const config_t *config, const entry_t *set, const columns_t *c, bool csv,
                       FILE *file) {
  const size_t count = set->set->count, files = (size_t)c->count;
  if (!csv) {
    code(file, set->name);
    cell(file, set->key.meaning);
    fputs("|", file);
  }
  for (size_t f = 0; f < files; f++) {
    const char *name = c->files[f]->d_name;
    const int bare = (int)(strlen(name) - strlen(".yaml"));
    if (!csv) {
      fprintf(file, "%s `%.*s`: %s", f ? ";" : "", bare, name, c->cells[count * files + f]);
    }
    for (size_t i = 0; csv && i < count; i++) {
      char full[NameSize], range[TextSize];
      snprintf(full, sizeof full, "%s.%s", set->set->prefix, set->set->entries[i].name);
      const entry_t *e = config_find(config, full);
      config_describe_range(e, range);
      fprintf(file, "%s: %.*s,%s,%s,%s,%s,", set->name, bare, name, e->key.name,
              c->cells[i * files + f], range, e->key.unit);
      quoted(file, e->key.meaning);
      fputs(",\n", file);
    }
  }
  fputs(csv ? "" : " |\n", file);
}

static bool document_set(config_t *config, entry_t *set, bool csv, FILE *file, err_t *err) {
  char folder[2 * NameSize];
  columns_t c = {0};
  snprintf(folder, sizeof folder, CONFIG_SETS "/%s", set->name);
  char *path = place_find(folder);
  c.count = path ? scandir(path, &c.files, is_yaml, alphasort) : -1;
  free(path);
  if (c.count < 0) {
    err_set(err, ErrInput, "%s: cannot be read, expected a folder of sets", folder);
    return false;
  }
  bool good = read_columns(config, set, &c, err);
  if (good) {
    write_rows(config, set, &c, csv, file);
  }
  for (int f = 0; f < c.count; f++) {
    free(c.files[f]);
  }
  free(c.files);
  free(c.cells);
  return good;
}

static void document_constants(const config_t *config, FILE *file) {
  for (size_t i = 0; i < config->count; i++) {
    const entry_t *e = config->entries[i];
    if (e->key.constant) {
      fprintf(file, "constant,%s,%s,,%s,", e->name, e->initial, e->key.unit);
      quoted(file, e->key.meaning);
      fputc(',', file);
      quoted(file, e->key.source);
      fputc('\n', file);
    }
  }
}

static void document_page(const config_t *config, FILE *file) {
  fputs(
      "# Configuration\n\n"
      "Written by `nocturne config --markdown`. A machine is a YAML file of these keys "
      "(`vectors/config`); `--set KEY=VALUE`\n"
      "comes after it. A key that is not named has its default. The group of a key is core (the "
      "papers' machines), extension\n"
      "(beyond the papers) or reading (another reading of the papers or of the authors' "
      "simulator).\n\n## Keys\n"
      "| key | default | range | unit | meaning | source | group |\n"
      "|---|---|---|---|---|---|---|\n",
      file);
  document_keys(config, file, false);
  document_keys(config, file, true);
  fputs(
      "\n## Named sets and constants\n"
      "Numbers that belong together are in one file, which a key names: a bundled set "
      "(`KEY: NAME`, which is\n`" CONFIG_SETS
      "/KEY/NAME.yaml`) or one of your own (`KEY: path/to/file.yaml`, from the working folder). A "
      "file has every\n"
      "entry, and none can be set alone. Results and the hash of a configuration hold the entries, "
      "so that a set counts by what\n"
      "it says. [sets.csv](sets.csv), written by `nocturne config --csv`, has the entries of all "
      "sets, and the constants of the\nmodels, which no key sets.\n\n"
      "| key | meaning | bundled sets and their sources |\n|---|---|---|\n",
      file);
}

bool config_document(config_t *config, bool csv, FILE *file, err_t *err) {
  bool good = true;
  if (csv) {
    fputs("of,name,value,range,unit,meaning,source\n", file);
  } else {
    document_page(config, file);
  }
  for (size_t i = 0; good && i < config->count; i++) {
    good = !config->entries[i]->set || document_set(config, config->entries[i], csv, file, err);
  }
  if (csv) {
    document_constants(config, file);
  }
  return good;
}
