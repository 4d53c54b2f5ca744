// SPDX-License-Identifier: Apache-2.0
#include "test_list.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/place.h"
#include "csim/base/spelling.h"
#include "csim/base/text.h"
#include "csim/base/yaml_file.h"

enum { MaxDepth = 8, MaxFiles = 256, MaxSeeds = 100000, MaxTests = 1 << 17 };

// What a test or `defaults` says; words that are not given are NULL or empty.
typedef struct {
  const char *name, *unit, *run, *play, *vectors, *gpus, *cycles, *engine, *frame, *frames, *page,
      *rtl, *golden;
  const char *command[YamlMaxWords], *needs[YamlMaxWords], *set[YamlMaxWords], *tags[YamlMaxWords];
  const char *knob[YamlMaxWords][2];
  const yaml_node_t *seeds, *at;
  uint64_t repeats, memory_mb, limit_cycles, takes;
  bool counts;
  double limit_seconds;
} entry_t;

typedef struct {
  yaml_file_t file;
  test_list_t *list;
  const test_seeds_t *seeds;
  uint32_t depth;
  uint32_t *files;  // read so far
} reader_t;

// Shorthands: a complaint names the file, the line and the column.
#define fail(r, ...) yaml_file_fail(&(r)->file, __VA_ARGS__)
#define node_of(r, index) yaml_file_node(&(r)->file, index)
#define text_of(r, node, what, text) yaml_file_text(&(r)->file, node, what, text)
#define number_of(r, node, what, least, most, number) \
  yaml_file_number(&(r)->file, node, what, least, most, number)
#define words_of(r, node, what, words) yaml_file_words(&(r)->file, node, what, words)

static bool timeout_of(const reader_t *r, const yaml_node_t *node, entry_t *e) {
  if (node->type != YAML_MAPPING_NODE) {
    return fail(r, node, "timeout: expected {cycles: N, seconds: N}");
  }
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *key = node_of(r, p->key), *value = node_of(r, p->value);
    const char *name = "";
    uint64_t seconds = 0;
    if (!text_of(r, key, "timeout", &name)) {
      return false;
    }
    if (strcmp(name, "cycles") == 0) {
      if (!number_of(r, value, "timeout: cycles", 1, UINT64_MAX - 1, &e->limit_cycles)) {
        return false;
      }
    } else if (strcmp(name, "seconds") == 0) {
      if (!number_of(r, value, "timeout: seconds", 1, 1000000, &seconds)) {
        return false;
      }
      e->limit_seconds = (double)seconds;
    } else {
      return fail(r, key, "timeout: unknown key %.40s, expected cycles or seconds", name);
    }
  }
  return true;
}

static bool knobs_of(const reader_t *r, const yaml_node_t *node, entry_t *e) {
  uint32_t count = 0;
  memset(e->knob, 0, sizeof e->knob);
  if (node->type != YAML_MAPPING_NODE) {
    return fail(r, node, "knobs: expected {NAME: VALUE}");
  }
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
       p++) {
    if (count + 1 == YamlMaxWords) {
      return fail(r, node_of(r, p->key), "knobs: expected at most %d", YamlMaxWords - 1);
    }
    if (!text_of(r, node_of(r, p->key), "knobs", &e->knob[count][0]) ||
        !text_of(r, node_of(r, p->value), "knobs", &e->knob[count][1])) {
      return false;
    }
    count++;
  }
  return true;
}

static bool flag_of(const reader_t *r, const yaml_node_t *node, const char *what, bool *flag) {
  const char *text = NULL;
  if (!text_of(r, node, what, &text)) {
    return false;
  }
  *flag = strcmp(text, "true") == 0;
  return *flag || strcmp(text, "false") == 0 || fail(r, node, "%s: expected true or false", what);
}

// The keys of a test.
typedef enum { KeyWord, KeyWords, KeyNumber, KeyFlag, KeySeeds, KeyKnobs, KeyTimeout } key_kind_e;

static const struct {
  const char *name;
  key_kind_e kind;
  size_t at;  // in entry_t
  uint64_t least, most;
} Keys[] = {
    {"name", KeyWord, offsetof(entry_t, name), 0, 0},
    {"unit", KeyWord, offsetof(entry_t, unit), 0, 0},
    {"run", KeyWord, offsetof(entry_t, run), 0, 0},
    {"play", KeyWord, offsetof(entry_t, play), 0, 0},
    {"vectors", KeyWord, offsetof(entry_t, vectors), 0, 0},
    {"page", KeyWord, offsetof(entry_t, page), 0, 0},
    {"rtl", KeyWord, offsetof(entry_t, rtl), 0, 0},
    {"golden", KeyWord, offsetof(entry_t, golden), 0, 0},
    {"command", KeyWords, offsetof(entry_t, command), 0, 0},
    {"counts", KeyFlag, offsetof(entry_t, counts), 0, 0},
    {"needs", KeyWords, offsetof(entry_t, needs), 0, 0},
    {"gpus", KeyWord, offsetof(entry_t, gpus), 0, 0},
    {"cycles", KeyWord, offsetof(entry_t, cycles), 0, 0},
    {"engine", KeyWord, offsetof(entry_t, engine), 0, 0},
    {"frame", KeyWord, offsetof(entry_t, frame), 0, 0},
    {"frames", KeyWord, offsetof(entry_t, frames), 0, 0},
    {"set", KeyWords, offsetof(entry_t, set), 0, 0},
    {"knobs", KeyKnobs, 0, 0, 0},
    {"seeds", KeySeeds, 0, 0, 0},
    {"repeats", KeyNumber, offsetof(entry_t, repeats), 1, 10000},
    {"timeout", KeyTimeout, 0, 0, 0},
    {"takes", KeyNumber, offsetof(entry_t, takes), 1, 1000000},
    {"memory", KeyNumber, offsetof(entry_t, memory_mb), 16, 100000000},
    {"tags", KeyWords, offsetof(entry_t, tags), 0, 0},
};
enum { KeyCount = sizeof Keys / sizeof *Keys };

static bool value_of(const reader_t *r, size_t key, const yaml_node_t *value, entry_t *e) {
  const char *name = Keys[key].name;
  void *field = (char *)e + Keys[key].at;
  switch (Keys[key].kind) {
    case KeyWord:
      return text_of(r, value, name, (const char **)field);
    case KeyWords:
      return words_of(r, value, name, (const char **)field);
    case KeyNumber:
      return number_of(r, value, name, Keys[key].least, Keys[key].most, (uint64_t *)field);
    case KeyFlag:
      return flag_of(r, value, name, (bool *)field);
    case KeyKnobs:
      return knobs_of(r, value, e);
    case KeyTimeout:
      return timeout_of(r, value, e);
    case KeySeeds:
      e->seeds = value;
      return true;
  }
  return false;
}

// The nearest of the keys, or all of them.
static bool fail_unknown(const reader_t *r, const yaml_node_t *node, const char *name) {
  const char *names[KeyCount + 1] = {NULL};
  char all[256] = "";
  for (size_t i = 0; i < KeyCount; i++) {
    size_t used = strlen(all);
    names[i] = Keys[i].name;
    snprintf(all + used, sizeof all - used, "%s%s",
             i == 0 ? "" : i + 1 < KeyCount ? ", " : " or ", names[i]);
  }
  const char *nearest = spelling_nearest(name, names);
  return nearest ? fail(r, node, "unknown key %.40s, expected perhaps %s", name, nearest)
                 : fail(r, node, "unknown key %.40s, expected %s", name, all);
}

static bool entry_of(const reader_t *r, const yaml_node_t *node, bool is_default, entry_t *e) {
  if (node->type != YAML_MAPPING_NODE) {
    return fail(r, node, "%s", is_default ? "defaults: expected keys of a test"
                                          : "expected a test: {name: ..., unit: ...}");
  }
  e->at = node;
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *key = node_of(r, p->key);
    const char *name = NULL;
    size_t k = 0;
    if (!text_of(r, key, "key", &name)) {
      return false;
    }
    while (k < KeyCount && strcmp(name, Keys[k].name) != 0) {
      k++;
    }
    if (k == KeyCount) {
      return fail_unknown(r, key, name);
    }
    if (!value_of(r, k, node_of(r, p->value), e)) {
      return false;
    }
    if (is_default && strcmp(name, "name") == 0) {
      return fail(r, key, "defaults: a name belongs to one test");
    }
  }
  return true;
}

// ---- Expansion ----

bool test_add_word(char ***words, const char *format, ...) {
  size_t count = 0;
  while (*words && (*words)[count]) count++;
  // Room for 2^n - 1 words and the NULL.
  if ((count & (count + 1)) == 0) {
    char **more = realloc(*words, 2 * (count + 1) * sizeof *more);
    if (!more) return false;
    *words = more;
  }
  text_t text = {0};
  va_list arguments;
  va_start(arguments, format);
  text_vformat(&text, format, arguments);
  va_end(arguments);
  (*words)[count] = text_take(&text);
  (*words)[count + 1] = NULL;
  return (*words)[count] != NULL;
}

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
  if (e->limit_cycles) text_format(&cycles, "%" PRIu64, e->limit_cycles);
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
  for (uint32_t i = 0; ok && e->knob[i][0]; i++) {
    ok = test_add_word(&t->arguments, "--knob") &&
         test_add_word(&t->arguments, "%s=%s", e->knob[i][0], e->knob[i][1]);
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

// Of a unit from outside the tree; NULL: of another, or out of memory.
static char *rtl_folder(const entry_t *e) {
  if (!e->page || e->rtl) {
    return e->page ? strdup(e->rtl) : NULL;
  }
  const char *slash = strrchr(e->page, '/');
  return slash ? strndup(e->page, (size_t)(slash - e->page) + 1) : strdup(".");
}

static bool add_test(reader_t *r, const entry_t *e, uint64_t seed, bool seeded, uint32_t repeat) {
  test_list_t *list = r->list;
  if ((list->count & (list->count - 1)) == 0) {
    size_t room = list->count ? 2 * list->count : 16;
    test_t *tests = room <= MaxTests ? realloc(list->tests, room * sizeof *tests) : NULL;
    if (!tests) {
      return fail(r, e->at, "more than %zu tests, or out of memory", list->count);
    }
    list->tests = tests;
  }
  test_t *t = &list->tests[list->count++];
  *t = (test_t){.seed = seed, .repeat = repeat, .seconds = e->limit_seconds,
                .takes = (double)e->takes, .counts = e->counts && e->command[0]};
  t->kind = e->unit      ? TestUnit
            : e->run     ? TestRun
            : e->play    ? TestPlay
            : e->vectors ? TestVectors
                         : TestCommand;
  text_t id = {0}, tags = {0};
  text_set(&id, "%s", e->name);
  if (seeded) text_format(&id, "/seed-%" PRIu64, seed);
  if (e->repeats > 1) text_format(&id, "/repeat-%u", repeat);
  t->id = text_take(&id);
  t->name = strdup(e->name);
  t->unit = e->unit ? strdup(e->unit) : NULL;
  t->rtl = rtl_folder(e);
  t->memory = e->memory_mb << 20;
  text_set(&tags, " ");
  for (uint32_t i = 0; e->tags[i]; i++) text_format(&tags, "%s ", e->tags[i]);
  t->tags = text_take(&tags);
  bool ok = t->id && t->name && t->tags && (!e->page || t->rtl);
  for (uint32_t i = 0; ok && e->needs[i]; i++) {
    ok = test_add_word(&t->needs, "%s", e->needs[i]);
  }
  return (ok && fill_arguments(e, t)) || fail(r, e->at, "out of memory");
}

static bool add_repeats(reader_t *r, const entry_t *e, uint64_t seed, bool seeded) {
  for (uint32_t k = 1; k <= e->repeats; k++) {
    if (!add_test(r, e, seed, seeded, k)) {
      return false;
    }
  }
  return true;
}

static bool range_of(const reader_t *r, const yaml_node_t *node, uint64_t *low, uint64_t *high) {
  const char *text = node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
  int used = 0;
  unsigned long long a = 0, b = 0;
  bool is_plain = text[strspn(text, "0123456789.")] == '\0';  // sscanf takes signs and spaces
  if (is_plain && sscanf(text, "%llu..%llu%n", &a, &b, &used) == 2 && !text[used] && a <= b &&
      b - a < MaxSeeds && b < UINT64_MAX) {
    *low = a;
    *high = b;
    return true;
  }
  used = 0;
  if (is_plain && sscanf(text, "%llu%n", &a, &used) == 1 && !text[used] && a < UINT64_MAX) {
    *low = *high = a;
    return true;
  }
  return fail(r, node, "seeds: expected a number, A..B (at most %d) or a list of these", MaxSeeds);
}

static bool add_seeds(reader_t *r, const entry_t *e, const yaml_node_t *range) {
  uint64_t low = 1, high = 1;
  if (!range_of(r, range, &low, &high)) {
    return false;
  }
  for (uint64_t s = low; s <= high; s++) {
    if (!add_repeats(r, e, s, true)) {
      return false;
    }
  }
  return true;
}

static bool expand(reader_t *r, const entry_t *e) {
  int kinds = !!e->unit + !!e->run + !!e->play + !!e->vectors + !!e->command[0];
  if (!e->name) {
    return fail(r, e->at, "expected a name");
  }
  if (strspn(e->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") !=
      strlen(e->name)) {
    return fail(r, e->at, "name %.60s: expected letters, digits, _ . and -", e->name);
  }
  if (kinds != 1) {
    return fail(r, e->at, "%.60s: expected one of unit, run, play, vectors and command", e->name);
  }
  if (e->frame && e->frames) {
    return fail(r, e->at, "%.60s: frame and frames: expected one of them", e->name);
  }
  bool seeded = e->unit || (e->run && e->seeds);
  if (!seeded) {
    return add_repeats(r, e, 1, false);
  }
  if (r->seeds->has_seed || r->seeds->has_seeds) {
    uint64_t from = r->seeds->has_seed ? r->seeds->seed : 1;
    uint64_t to = r->seeds->has_seed ? r->seeds->seed : r->seeds->seeds;
    for (uint64_t s = from; s <= to; s++) {
      if (!add_repeats(r, e, s, true)) {
        return false;
      }
    }
    return true;
  }
  if (!e->seeds) {
    return add_repeats(r, e, 1, true);
  }
  if (e->seeds->type != YAML_SEQUENCE_NODE) {
    return add_seeds(r, e, e->seeds);
  }
  for (yaml_node_item_t *i = e->seeds->data.sequence.items.start;
       i < e->seeds->data.sequence.items.top; i++) {
    if (!add_seeds(r, e, node_of(r, *i))) {
      return false;
    }
  }
  return true;
}

// ---- Files ----

static bool load(test_list_t *list, const char *path, const test_seeds_t *seeds, uint32_t depth,
                 uint32_t *files, char *error);

static bool include(reader_t *r, const yaml_node_t *node) {
  const char *files[YamlMaxWords] = {NULL};
  if (!words_of(r, node, "include", files)) {
    return false;
  }
  for (uint32_t i = 0; files[i]; i++) {
    char folder[512], path[1024];
    snprintf(folder, sizeof folder, "%s", r->file.path);
    snprintf(path, sizeof path, "%s/%s", dirname(folder), files[i]);
    if (r->depth + 1 == MaxDepth) {
      return fail(r, node, "include: %.60s: more than %d files deep", files[i], MaxDepth);
    }
    if (++*r->files == MaxFiles) {
      return fail(r, node, "include: %.60s: more than %d files", files[i], MaxFiles);
    }
    if (!load(r->list, path, r->seeds, r->depth + 1, r->files, r->file.error)) {
      return false;
    }
  }
  return true;
}

static bool read_document(reader_t *r) {
  const yaml_node_t *root = yaml_document_get_root_node(&r->file.document), *tests = NULL;
  entry_t defaults = {.repeats = 1, .limit_seconds = 120, .memory_mb = 6000};
  if (!root) {
    snprintf(r->file.error, YamlErrorSize, "%s:1:1: empty, expected tests", r->file.path);
    return false;
  }
  if (root->type != YAML_MAPPING_NODE) {
    return fail(r, root, "expected include, defaults or tests");
  }
  for (yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *key = node_of(r, p->key), *value = node_of(r, p->value);
    const char *name = NULL;
    if (!text_of(r, key, "key", &name)) {
      return false;
    }
    if (strcmp(name, "include") == 0) {
      if (!include(r, value)) {
        return false;
      }
    } else if (strcmp(name, "defaults") == 0) {
      if (!entry_of(r, value, true, &defaults)) {
        return false;
      }
    } else if (strcmp(name, "tests") == 0) {
      tests = value;
    } else {
      static const char *const Names[] = {"include", "defaults", "tests", NULL};
      const char *nearest = spelling_nearest(name, Names);
      return fail(r, key, "unknown key %.40s, expected %s%s", name, nearest ? "perhaps " : "",
                  nearest ? nearest : "include, defaults or tests");
    }
  }
  if (tests && tests->type != YAML_SEQUENCE_NODE) {
    return fail(r, tests, "tests: expected a list");
  }
  for (yaml_node_item_t *i = tests ? tests->data.sequence.items.start : NULL;
       tests && i < tests->data.sequence.items.top; i++) {
    entry_t e = defaults;
    if (!entry_of(r, node_of(r, *i), false, &e) || !expand(r, &e)) {
      return false;
    }
  }
  return true;
}

static bool load(test_list_t *list, const char *path, const test_seeds_t *seeds, uint32_t depth,
                 uint32_t *files, char *error) {
  reader_t r = {.list = list, .seeds = seeds, .depth = depth, .files = files};
  bool ok = yaml_file_load(&r.file, path, error) && read_document(&r);
  yaml_file_free(&r.file);
  return ok;
}

static int by_id(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// Two tests with one id could not be told apart in a journal.
static bool all_different(const test_list_t *list, const char *path, char *error) {
  char **ids = calloc(list->count + 1, sizeof *ids);
  if (!ids) {
    snprintf(error, YamlErrorSize, "out of memory");
    return false;
  }
  for (size_t i = 0; i < list->count; i++) {
    ids[i] = list->tests[i].id;
  }
  qsort(ids, list->count, sizeof *ids, by_id);
  bool different = true;
  for (size_t i = 1; i < list->count && different; i++) {
    if (strcmp(ids[i - 1], ids[i]) == 0) {
      snprintf(error, YamlErrorSize, "%.200s: %.160s: two tests of this name, expected one", path,
               ids[i]);
      different = false;
    }
  }
  free(ids);
  return different;
}

bool test_list_load(test_list_t *list, const char *path, const test_seeds_t *seeds, err_t *err) {
  char error[YamlErrorSize] = "";
  uint32_t files = 1;
  return (load(list, path, seeds, 0, &files, error) && all_different(list, path, error)) ||
         err_set(err, ErrInput, "%s", error);
}

static void free_words(char **words) {
  for (char **w = words; w && *w; w++) free(*w);
  free(words);
}

void test_clear(test_t *t) {
  free(t->id);
  free(t->name);
  free(t->tags);
  free(t->unit);
  free(t->rtl);
  free(t->inputs);
  free_words(t->needs);
  free_words(t->environment);
  free_words(t->arguments);
}

void test_list_free(test_list_t *list) {
  for (size_t i = 0; i < list->count; i++) {
    test_clear(&list->tests[i]);
  }
  free(list->tests);
  *list = (test_list_t){0};
}

bool test_has_tag(const test_t *test, const char *tag) {
  size_t length = strlen(tag);
  for (const char *at = test->tags + 1; length > 0 && (at = strstr(at, tag)); at++) {
    if (at[-1] == ' ' && at[length] == ' ') return true;
  }
  return false;
}

typedef struct {
  const char *pattern, *tag;
} filter_t;

static bool matches(const filter_t *f, const test_t *t) {
  return (!f->pattern || fnmatch(f->pattern, t->id, 0) == 0 ||
          fnmatch(f->pattern, t->name, 0) == 0) &&
         (!f->tag || test_has_tag(t, f->tag));
}

void test_list_filter(test_list_t *list, const char *pattern, const char *tag) {
  const filter_t filter = {pattern, tag};
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (matches(&filter, &list->tests[i])) {
      list->tests[kept++] = list->tests[i];
    } else {
      test_clear(&list->tests[i]);
    }
  }
  list->count = kept;
}

void test_list_keep(test_list_t *list, bool (*is_wanted)(void *context, const char *id),
                    void *context) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (is_wanted(context, list->tests[i].id)) {
      list->tests[kept++] = list->tests[i];
    } else {
      test_clear(&list->tests[i]);
    }
  }
  list->count = kept;
}
