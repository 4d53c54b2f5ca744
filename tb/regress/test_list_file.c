// SPDX-License-Identifier: Apache-2.0
// The reader of test lists.
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/place.h"
#include "csim/base/yaml_table.h"
#include "test_each.h"
#include "test_list.h"

enum { MaxDepth = 8, MaxFiles = 256, MaxSeeds = 100000, MaxTests = 1 << 17, MaxName = 200 };

// The keys of a test or of `defaults`; words that are not given are NULL or empty.
typedef struct {
  const char *name, *each, *unit, *run, *play, *vectors, *gpus, *cycles, *engine, *frame, *frames,
      *page, *rtl, *golden;
  const char *command[YamlMaxWords], *needs[YamlMaxWords], *set[YamlMaxWords], *tags[YamlMaxWords];
  struct {
    const char *pair[YamlMaxWords][2];
    uint32_t count;
  } knobs;
  struct {
    uint64_t seconds, cycles;
  } timeout;
  const yaml_node_t *seeds;
  uint64_t repeats, memory, takes;
  bool counts;
} entry_t;

typedef struct {
  test_list_t *list;
  const test_seeds_t *seeds;
  uint32_t depth;
  uint32_t *files;  // read so far
  entry_t defaults;
  yaml_at_t defaults_at;    // where these stand; node NULL: nowhere
  const entry_t *includer;  // defaults of the list that includes this file, and
  const char *name;         // its name; NULL: none does
} reader_t;

// ---- The keys of a test ----

static bool read_knob(const yaml_at_t *at, void *field) {
  entry_t *e = field;
  const char **pair = e->knobs.pair[e->knobs.count];
  if (++e->knobs.count == YamlMaxWords) {
    return yaml_at_fail(at, "knobs: expected at most %d", YamlMaxWords - 1);
  }
  pair[0] = at->what;
  return yaml_at_word(at, &pair[1]);
}

// Takes a test's knobs in place of the defaults'.
static bool read_knobs(const yaml_at_t *at, void *field) {
  static const yaml_row_t Rows[] = {{.key = "*", .kind = YamlCall, .read = read_knob}, {0}};
  static const yaml_table_t Knobs = {.shape = "{NAME: VALUE}", .rows = Rows};
  entry_t *e = field;
  memset(&e->knobs, 0, sizeof e->knobs);
  return yaml_table_read(at, &Knobs, e);
}

static const yaml_row_t TimeoutRows[] = {
    YamlRow("cycles", YamlNumber64, entry_t, timeout.cycles, .least = 1, .most = UINT64_MAX - 1),
    YamlRow("seconds", YamlNumber64, entry_t, timeout.seconds, .least = 1, .most = 1000000),
    {0}};
static const yaml_table_t Timeout = {.shape = "{cycles: N, seconds: N}", .rows = TimeoutRows};

static const yaml_row_t EntryRows[] = {
    YamlRow("name", YamlWord, entry_t, name),
    YamlRow("each", YamlWord, entry_t, each),
    YamlRow("unit", YamlWord, entry_t, unit),
    YamlRow("run", YamlWord, entry_t, run),
    YamlRow("play", YamlWord, entry_t, play),
    YamlRow("vectors", YamlWord, entry_t, vectors),
    YamlRow("page", YamlWord, entry_t, page),
    YamlRow("rtl", YamlWord, entry_t, rtl),
    YamlRow("golden", YamlWord, entry_t, golden),
    YamlRow("command", YamlWords, entry_t, command),
    YamlRow("counts", YamlFlag, entry_t, counts),
    YamlRow("needs", YamlWords, entry_t, needs),
    YamlRow("gpus", YamlWord, entry_t, gpus),
    YamlRow("cycles", YamlWord, entry_t, cycles),
    YamlRow("engine", YamlWord, entry_t, engine),
    YamlRow("frame", YamlWord, entry_t, frame),
    YamlRow("frames", YamlWord, entry_t, frames),
    YamlRow("set", YamlWords, entry_t, set),
    {.key = "knobs", .kind = YamlCall, .read = read_knobs},
    YamlRow("seeds", YamlNode, entry_t, seeds),
    YamlRow("repeats", YamlNumber64, entry_t, repeats, .least = 1, .most = 10000),
    {.key = "timeout", .kind = YamlMap, .table = &Timeout},
    YamlRow("takes", YamlNumber64, entry_t, takes, .least = 1, .most = 1000000),
    YamlRow("memory", YamlNumber64, entry_t, memory, .least = 16, .most = 100000000),
    YamlRow("tags", YamlWords, entry_t, tags),
    {0}};
static const yaml_table_t Entry = {.shape = "a test: {name: ..., unit: ...}", .rows = EntryRows};

// ---- Expansion ----

// Adds an option and its value, or nothing if there is no value.
static bool add_option(test_t *t, const char *option, const char *value) {
  return !value ||
         (test_add_word(&t->arguments, "%s", option) && test_add_word(&t->arguments, "%s", value));
}

static bool add_set(test_t *t, const char *key, const char *value) {
  return !value || (test_add_word(&t->arguments, "--set") &&
                    test_add_word(&t->arguments, "%s=%s", key, value));
}

static bool add_run(const entry_t *e, test_t *t) {
  text_t cycles = {0};
  if (e->timeout.cycles) text_format(&cycles, "%" PRIu64, e->timeout.cycles);
  bool ok = test_add_word(&t->arguments, "%s", e->run) && add_option(t, "--frame", e->frame) &&
            add_option(t, "--frames", e->frames) && add_set(t, "gpus", e->gpus);
  for (uint32_t i = 0; e->set[i]; i++) ok = ok && add_option(t, "--set", e->set[i]);
  ok = ok && add_set(t, "limit", cycles.bytes);
  text_free(&cycles);
  return ok;
}

static bool add_unit(const entry_t *e, test_t *t) {
  text_t sets = {0};  // the named parameter sets of a unit, as one word
  for (uint32_t i = 0; e->set[i]; i++) text_format(&sets, "%s%s", i ? "," : "", e->set[i]);
  bool ok = !sets.failed && (e->page || test_add_word(&t->arguments, "%s", e->unit)) &&
            add_option(t, "--gpus", e->gpus) && add_option(t, "--cycles", e->cycles) &&
            add_option(t, "--set", sets.bytes);
  text_free(&sets);
  for (uint32_t i = 0; ok && i < e->knobs.count; i++) {
    ok = test_add_word(&t->arguments, "--knob") &&
         test_add_word(&t->arguments, "%s=%s", e->knobs.pair[i][0], e->knobs.pair[i][1]);
  }
  return ok;
}

static bool fill_command(const entry_t *e, test_t *t) {
  bool ok = true;
  for (uint32_t i = 0; ok && e->command[i]; i++) {
    t->result_wanted |= strcmp(e->command[i], "{result}") == 0;
    ok = test_add_word(&t->arguments, "%s", e->command[i]);
  }
  return ok;
}

static bool fill_arguments(const entry_t *e, test_t *t) {
  bool seeded = t->kind == TestUnit || t->kind == TestRun;
  if (t->kind == TestCommand) return fill_command(e, t);
  t->result_wanted = true;
  return test_add_word(&t->arguments, "%s", place_program()) &&
         test_add_word(&t->arguments, t->kind == TestRun ? "run" : "unit") &&
         add_option(t, "--page", e->page) && add_option(t, "--rtl", e->rtl) &&
         add_option(t, "--golden", e->golden) && (t->kind != TestRun || add_run(e, t)) &&
         (t->kind != TestUnit || add_unit(e, t)) && add_option(t, "--play", e->play) &&
         add_option(t, "--vectors", e->vectors) &&
         (!seeded || (test_add_word(&t->arguments, "--seed") &&
                      test_add_word(&t->arguments, "%" PRIu64, t->seed))) &&
         add_option(t, "--engine", e->engine) && add_option(t, "--json", "{result}");
}

// Returns the folder of the RTL of a unit from outside the tree; NULL: another unit, or out of
// memory.
static char *rtl_folder(const entry_t *e) {
  if (!e->page || e->rtl) return e->page ? strdup(e->rtl) : NULL;
  const char *slash = strrchr(e->page, '/');
  return slash ? strndup(e->page, (size_t)(slash - e->page) + 1) : strdup(".");
}

static bool fill_test(const entry_t *e, test_t *t, bool seeded) {
  text_t id = {0}, tags = {0};
  text_set(&id, "%s", e->name);
  if (seeded) text_format(&id, "/seed-%" PRIu64, t->seed);
  if (e->repeats > 1) text_format(&id, "/repeat-%u", t->repeat);
  text_set(&tags, " ");
  for (uint32_t i = 0; e->tags[i]; i++) text_format(&tags, "%s ", e->tags[i]);
  t->kind = e->unit      ? TestUnit
            : e->run     ? TestRun
            : e->play    ? TestPlay
            : e->vectors ? TestVectors
                         : TestCommand;
  t->id = text_take(&id);
  t->tags = text_take(&tags);
  t->name = strdup(e->name);
  t->unit = e->unit ? strdup(e->unit) : NULL;
  t->rtl = rtl_folder(e);
  bool ok = t->id && t->name && t->tags && (!e->page || t->rtl);
  for (uint32_t i = 0; ok && e->needs[i]; i++) ok = test_add_word(&t->needs, "%s", e->needs[i]);
  return ok && fill_arguments(e, t);
}

// Adds the repeats of a test with a seed.
static bool add_tests(const yaml_at_t *at, const entry_t *e, uint64_t seed, bool seeded) {
  test_list_t *list = ((reader_t *)at->context)->list;
  for (uint32_t k = 1; k <= e->repeats; k++) {
    if ((list->count & (list->count - 1)) == 0) {
      size_t room = list->count ? 2 * list->count : 16;
      test_t *tests = room <= MaxTests ? realloc(list->tests, room * sizeof *tests) : NULL;
      if (!tests) {
        return yaml_at_fail(at, "more than %zu tests, or out of memory", list->count);
      }
      list->tests = tests;
    }
    test_t *t = &list->tests[list->count++];
    *t = (test_t){.seed = seed,
                  .repeat = k,
                  .seconds = (double)e->timeout.seconds,
                  .takes = (double)e->takes,
                  .counts = e->counts && e->command[0],
                  .memory = e->memory << 20};
    if (!fill_test(e, t, seeded)) return err_memory(at->file->err, at->file->path);
  }
  return true;
}

static bool add_range(const yaml_at_t *at, const entry_t *e, uint64_t low, uint64_t high) {
  bool ok = true;
  for (uint64_t s = low; ok && s <= high; s++) ok = add_tests(at, e, s, true);
  return ok;
}

// Adds the tests of a number or of A..B.
static bool add_seeds(const yaml_at_t *at, const entry_t *e, const yaml_node_t *node) {
  const char *text = node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
  int used = 0;
  unsigned long long a = 0, b = 0;
  bool is_plain = text[strspn(text, "0123456789.")] == '\0';  // sscanf takes signs and spaces
  if (is_plain && sscanf(text, "%llu..%llu%n", &a, &b, &used) == 2 && !text[used] && a <= b &&
      b - a < MaxSeeds && b < UINT64_MAX)
    return add_range(at, e, a, b);
  used = 0;
  if (is_plain && sscanf(text, "%llu%n", &a, &used) == 1 && !text[used] && a < UINT64_MAX)
    return add_range(at, e, a, a);
  return yaml_file_fail(at->file, node,
                        "seeds: expected a number, A..B (at most %d) or a list of "
                        "these",
                        MaxSeeds);
}

static bool expand(const yaml_at_t *at, const entry_t *e) {
  const test_seeds_t *seeds = ((const reader_t *)at->context)->seeds;
  if (!e->unit && !(e->run && e->seeds)) return add_tests(at, e, 1, false);
  if (seeds->has_seed) return add_range(at, e, seeds->seed, seeds->seed);
  if (seeds->has_seeds) return add_range(at, e, 1, seeds->seeds);
  if (!e->seeds) return add_tests(at, e, 1, true);
  if (e->seeds->type != YAML_SEQUENCE_NODE) return add_seeds(at, e, e->seeds);
  bool ok = true;
  for (yaml_node_item_t *i = e->seeds->data.sequence.items.start;
       ok && i < e->seeds->data.sequence.items.top; i++) {
    ok = add_seeds(at, e, yaml_file_node(at->file, *i));
  }
  return ok;
}

static bool check(const yaml_at_t *at, const entry_t *e) {
  static const char Letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  int kinds = !!e->unit + !!e->run + !!e->play + !!e->vectors + !!e->command[0];
  if (!e->name) return yaml_at_fail(at, "expected a name");
  if (strspn(e->name, Letters) != strlen(e->name))
    return yaml_at_fail(at, "name %s: expected letters, digits, _ . and -", e->name);
  if (strlen(e->name) > MaxName)
    return yaml_at_fail(at, "name %s: expected at most %d characters", e->name, MaxName);
  if (kinds != 1)
    return yaml_at_fail(at, "%s: expected one of unit, run, play, vectors and command", e->name);
  return !(e->frame && e->frames) ||
         yaml_at_fail(at, "%s: frame and frames: expected one of them", e->name);
}

// Replaces {} in the words of a test by a name; what is allocated is added to *made.
static bool fill_words(const char **words, size_t count, const char *name, char ***made) {
  for (size_t i = 0; i < count && words[i]; i++) {
    char *word = test_each_word(words[i], name);
    const bool ok = word && test_add_word(made, "%s", word);
    free(word);
    if (!ok) return false;
    size_t last = 0;
    while ((*made)[last + 1]) last++;
    words[i] = (*made)[last];
  }
  return true;
}

static bool is_of_all(const entry_t *e) { return e->unit && strcmp(e->unit, "all") == 0; }

// Adds a test of all units, or of each file of a pattern, once for each.
static bool add_each(const yaml_at_t *at, const entry_t *e) {
  char **names = test_each_names(is_of_all(e) ? "units" : e->each);
  if (!names) {
    return yaml_at_fail(at, "each: %s: expected units, or a pattern of files that are there",
                        e->each);
  }
  bool ok = true;
  for (char **n = names; ok && *n; n++) {
    entry_t one = *e;
    char **made = NULL;
    one.unit = is_of_all(e) ? *n : e->unit;
    ok = (fill_words(&one.name, 1, *n, &made) && fill_words(&one.unit, 1, *n, &made) &&
          fill_words(&one.play, 1, *n, &made) && fill_words(&one.vectors, 1, *n, &made) &&
          fill_words(one.command, YamlMaxWords, *n, &made) &&
          fill_words(one.needs, YamlMaxWords, *n, &made)) ||
         err_memory(at->file->err, at->file->path);
    ok = ok && check(at, &one) && expand(at, &one);
    test_each_free(made);
  }
  test_each_free(names);
  return ok;
}

// ---- Files ----

static bool load(reader_t *r, const char *path, err_t *err);

// The file may have tests for this list, under the list's name.
static bool include_file(const yaml_at_t *at, const char *path) {
  const reader_t *r = at->context;
  const char *slash = strrchr(at->file->path, '/'), *base = slash ? slash + 1 : at->file->path;
  reader_t inner = {.list = r->list,
                    .seeds = r->seeds,
                    .depth = r->depth + 1,
                    .files = r->files,
                    .includer = &r->defaults};
  if (inner.depth == MaxDepth)
    return yaml_at_fail(at, "include: %s: more than %d files deep", path, MaxDepth);
  if (++*r->files == MaxFiles)
    return yaml_at_fail(at, "include: %s: more than %d files", path, MaxFiles);
  char *name = text_make("%.*s", (int)strcspn(base, "."), base);
  inner.name = name;
  const bool ok =
      name ? load(&inner, path, at->file->err) : err_memory(at->file->err, at->file->path);
  free(name);
  return ok;
}

static bool read_include(const yaml_at_t *at, void *field) {
  const char *files[YamlMaxWords] = {NULL};
  char *copy = strdup(at->file->path);
  text_t path = {0};
  (void)field;
  bool ok = copy ? yaml_file_words(at->file, at->node, at->what, files)
                 : err_memory(at->file->err, at->file->path);
  const char *folder = copy ? dirname(copy) : "";
  for (uint32_t i = 0; ok && files[i]; i++) {
    char **paths = test_each_paths(text_set(&path, "%s/%s", folder, files[i]));
    ok = paths != NULL || yaml_at_fail(at, "include: %s: no such file", files[i]);
    for (char **p = paths; ok && *p; p++) ok = include_file(at, *p);
    test_each_free(paths);
  }
  free(copy);
  text_free(&path);
  return ok;
}

static bool read_defaults(const yaml_at_t *at, void *field) {
  entry_t *defaults = &((reader_t *)field)->defaults;
  ((reader_t *)field)->defaults_at = *at;
  return yaml_table_read(at, &Entry, defaults) &&
         (!defaults->name || yaml_at_fail(at, "defaults: a name belongs to one test"));
}

static bool read_test(const yaml_at_t *at, void *field) {
  yaml_at_t item = *at;
  entry_t e = ((const reader_t *)field)->defaults;
  item.what = NULL;
  if (!yaml_table_read(&item, &Entry, &e)) return false;
  if (e.name && (e.each || is_of_all(&e))) return add_each(at, &e);
  return check(at, &e) && expand(at, &e);
}

static const yaml_list_t Tests = {.read = read_test};
// Reads the tests for the list that includes this file, with its defaults before those of the file;
// if none does, those for all lists.
static bool read_group(const yaml_at_t *at, void *field) {
  reader_t *r = field;
  if (r->name && strcmp(r->name, at->what) != 0) return true;
  reader_t group = *r;
  yaml_at_t inner = *at;
  inner.context = &group;
  if (r->includer) {
    group.defaults = *r->includer;
    if (r->defaults_at.node && !yaml_table_read(&r->defaults_at, &Entry, &group.defaults))
      return false;
  }
  return yaml_list_read(&inner, &Tests, &group, 0);
}

static const yaml_row_t GroupRows[] = {{.key = "*", .kind = YamlCall, .read = read_group}, {0}};
static const yaml_table_t Groups = {.shape = "{NAME: [test, ...]}", .rows = GroupRows};
// Rows are read in this order.
static const yaml_row_t ListRows[] = {{.key = "defaults", .kind = YamlCall, .read = read_defaults},
                                      {.key = "include", .kind = YamlCall, .read = read_include},
                                      {.key = "tests", .kind = YamlList, .list = &Tests},
                                      {.key = "lists", .kind = YamlMap, .table = &Groups},
                                      {0}};
static const yaml_table_t List = {.shape = "tests, defaults or include", .rows = ListRows};

static bool load(reader_t *r, const char *path, err_t *err) {
  yaml_file_t file = {0};
  r->defaults = (entry_t){.repeats = 1, .timeout.seconds = 120, .memory = 6000};
  bool ok = yaml_table_load(&file, path, &List, r, r, err);
  yaml_file_free(&file);
  return ok;
}

static int by_id(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Two tests with one id could not be told apart in a journal.
static bool all_different(const test_list_t *list, const char *path, err_t *err) {
  char **ids = calloc(list->count + 1, sizeof *ids);
  if (!ids) return err_memory(err, path);
  for (size_t i = 0; i < list->count; i++) ids[i] = list->tests[i].id;
  qsort(ids, list->count, sizeof *ids, by_id);
  bool different = true;
  for (size_t i = 1; i < list->count && different; i++) {
    different =
        strcmp(ids[i - 1], ids[i]) != 0 ||
        err_set(err, ErrInput, "%s: %s: two tests of this name, expected one", path, ids[i]);
  }
  free(ids);
  return different;
}

bool test_list_load(test_list_t *list, const char *path, const test_seeds_t *seeds, err_t *err) {
  uint32_t files = 1;
  reader_t reader = {.list = list, .seeds = seeds, .files = &files};
  return load(&reader, path, err) && all_different(list, path, err);
}
