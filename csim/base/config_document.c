// SPDX-License-Identifier: Apache-2.0
// The reference of all keys, sets and constants as Markdown.
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

// A set's bundled files side by side: a row of `cells` for each entry.
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

// The entries from one on that are an array: NAME_0, NAME_1 and so on.
static size_t array_at(const config_set_t *set, size_t at) {
  const char *name = set->entries[at].name, *low = strrchr(name, '_');
  const size_t stem = low && strcmp(low, "_0") == 0 ? (size_t)(low + 1 - name) : 0;
  size_t count = 1;
  while (stem && at + count < set->count &&
         strncmp(set->entries[at + count].name, name, stem) == 0) {
    count++;
  }
  return count;
}

static void write_columns(const config_t *config, const entry_t *set, const columns_t *c,
                          FILE *file) {
  fprintf(file, "\n### %s\n\n%s: `%s` (default)", set->name, set->key.meaning, set->initial);
  for (int f = 0; f < c->count; f++) {
    const char *name = c->files[f]->d_name;
    int bare = (int)(strlen(name) - strlen(".yaml"));
    if (strncmp(name, set->initial, (size_t)bare) != 0 || set->initial[bare]) {
      fprintf(file, ", `%.*s`", bare, name);
    }
  }
  fputs(".\n\n| entry | meaning | range | unit |", file);
  for (int f = 0; f < c->count; f++) {
    const char *name = c->files[f]->d_name;
    fprintf(file, " %.*s |", (int)(strlen(name) - strlen(".yaml")), name);
  }
  fputs("\n|---|---|---|---|", file);
  for (int f = 0; f < c->count; f++) {
    fputs("---|", file);
  }
  fputs("\n", file);
  for (size_t i = 0, count; i <= set->set->count; i += count) {
    bool last = i == set->set->count;
    count = last ? 1 : array_at(set->set, i);
    char full[NameSize], range[TextSize] = "";
    if (!last) {
      snprintf(full, sizeof full, "%s.%s", set->set->prefix, set->set->entries[i].name);
      config_describe_range(config_find(config, full), range);
    }
    const config_key_t *key = last ? NULL : &config_find(config, full)->key;
    char entry[2 * NameSize];
    snprintf(entry, sizeof entry, count > 1 ? "%s to %zu" : "%s", last ? "source" : key->name,
             count - 1);
    cell(file, entry);
    cell(file, last ? "where the numbers come from" : key->meaning);
    cell(file, range);
    cell(file, last ? "" : key->unit);
    for (int f = 0; f < c->count; f++) {
      cell(file, c->cells[i * (size_t)c->count + (size_t)f]);
      for (size_t k = i + 1; k < i + count; k++) {
        fprintf(file, "%s ", c->cells[k * (size_t)c->count + (size_t)f]);
      }
    }
    fputs("|\n", file);
  }
}

static bool document_set(config_t *config, entry_t *set, FILE *file, err_t *err) {
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
    write_columns(config, set, &c, file);
  }
  for (int f = 0; f < c.count; f++) {
    free(c.files[f]);
  }
  free(c.files);
  free(c.cells);
  return good;
}

static bool document_sets(config_t *config, FILE *file, err_t *err) {
  bool first = true, good = true;
  for (size_t i = 0; good && i < config->count; i++) {
    entry_t *e = config->entries[i];
    if (!e->set) {
      continue;
    }
    if (first) {
      fputs(
          "\n## Named sets\n\n"
          "Numbers that belong together are in one file, which a key names: a bundled set\n"
          "(`KEY: NAME`, that is `" CONFIG_SETS
          "/KEY/NAME.yaml`) or one of your own\n"
          "(`KEY: path/to/file.yaml`, from the folder in which the program runs). A file has\n"
          "every entry, and none can be set alone. Results and the hash of a configuration\n"
          "hold the entries, so that a set counts by what it says.\n",
          file);
      first = false;
    }
    good = document_set(config, e, file, err);
  }
  return good;
}

static void document_constants(const config_t *config, FILE *file) {
  bool first = true;
  for (size_t i = 0; i < config->count; i++) {
    const entry_t *e = config->entries[i];
    if (!e->key.constant) {
      continue;
    }
    if (first) {
      fputs(
          "\n## Constants\n\n"
          "What the models have besides; no key.\n\n"
          "| constant | value | unit | meaning | source |\n|---|---|---|---|---|\n",
          file);
      first = false;
    }
    cell(file, e->name);
    cell(file, e->initial);
    cell(file, e->key.unit);
    cell(file, e->key.meaning);
    cell(file, e->key.source);
    fputs("|\n", file);
  }
}

bool config_document(config_t *config, FILE *file, err_t *err) {
  fputs(
      "# Configuration\n\n"
      "Written by `nocturne config --markdown`. A machine is a YAML file of these keys\n"
      "(`vectors/config`); `--set KEY=VALUE` comes after it. What is not named has its default.\n"
      "The group of a key is core (the papers' machines), extension (beyond the papers) or\n"
      "reading (another reading of the papers or of the authors' simulator).\n\n## Keys\n\n"
      "| key | default | range | unit | meaning | source | group |\n"
      "|---|---|---|---|---|---|---|\n",
      file);
  document_keys(config, file, false);
  document_keys(config, file, true);
  bool good = document_sets(config, file, err);
  if (good) {
    document_constants(config, file);
  }
  return good;
}
