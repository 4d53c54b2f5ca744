// SPDX-License-Identifier: Apache-2.0
// Mutated configuration files, and mutated files of named sets: each is refused in one line, which
// says where, or gives a machine whose values are all in range and which reads the same again. A
// program of its own:
//
//   mutated_configs [COUNT [SEED [FIRST]]]
#include <glob.h>
#include <time.h>
#include <unistd.h>

#include "csim/base/config.h"
#include "csim/machine/machine_config.h"
#include "mutate.h"

enum { MostBases = 40, Room = 1 << 16, MostWords = 400, MostSeconds = 20 };
static const uint64_t MostMemory = 1ull << 30;

typedef struct {
  char *path;
  uint8_t *data;
  size_t size;
  const char *key;  // of a named set: the key that names it; NULL: a machine
} base_t;

typedef struct {
  base_t bases[MostBases];
  uint32_t base_count;
  char path[64];  // of the mutated file
  const char *words[MostWords];
  uint32_t word_count;
  uint64_t refused, taken;
  char why[800];
} test_t;

#define wrong(t, ...) mutate_wrong((t)->why, sizeof(t)->why, __VA_ARGS__)

// ---- What is mutated

static bool add_base(test_t *t, const char *path) {
  base_t *b = &t->bases[t->base_count];
  FILE *from = t->base_count < MostBases ? fopen(path, "rb") : NULL;
  b->path = strdup(path);
  b->data = malloc(Room);
  if (!from || !b->path || !b->data) {
    return wrong(t, "%s: cannot be read", path);
  }
  b->size = fread(b->data, 1, Room / 2, from);
  fclose(from);
  t->base_count++;
  // vectors/sets/KEY/NAME.yaml
  if (strncmp(path, CONFIG_SETS, strlen(CONFIG_SETS)) == 0) {
    b->key = b->path + strlen(CONFIG_SETS) + 1;
    *strrchr(b->path, '/') = '\0';
  }
  return true;
}

static bool add_bases(test_t *t, const char *pattern) {
  glob_t found;
  bool good = glob(pattern, 0, NULL, &found) == 0 || wrong(t, "%s: nothing there", pattern);
  for (size_t i = 0; good && i < found.gl_pathc; i++) {
    good = add_base(t, found.gl_pathv[i]);
  }
  if (good) {
    globfree(&found);
  }
  return good;
}

// The parts of all keys' names, and their values as words.
static void add_word(void *self, const config_value_t *value) {
  test_t *t = self;
  char name[200];
  snprintf(name, sizeof name, "%s.%s", value->name, value->initial ? value->initial : "");
  for (char *word = strtok(name, "."); word && t->word_count < MostWords;
       word = strtok(NULL, ".")) {
    bool known = false;
    for (uint32_t i = 0; i < t->word_count; i++) {
      known = known || strcmp(t->words[i], word) == 0;
    }
    if (!known) {
      t->words[t->word_count++] = strdup(word);
    }
  }
}

// ---- Judging

static bool store(const test_t *t, const mutate_t *m) {
  FILE *to = fopen(t->path, "wb");
  bool good = to && fwrite(m->data, 1, m->size, to) == m->size;
  return to && fclose(to) == 0 && good;
}

// One line: file:line:column: what, or file: what; what may be about another file that it names.
static bool is_refusal(const err_t *err) {
  return err_is_set(err) && !strchr(err_text(err), '\n') && strchr(err_text(err), ':');
}

typedef struct {
  test_t *t;
  bool good;
} visit_t;

static void check_value(void *self, const config_value_t *v) {
  visit_t *visit = self;
  const config_key_t *k = v->key;
  char *end;
  if (k->kind == ConfigUint) {
    unsigned long long n = strtoull(v->text, &end, 10);
    if (*end || n < k->min || n > k->max) {
      visit->good = wrong(visit->t, "%s is %s", v->name, v->text);
    }
  } else if (k->kind == ConfigDouble && !k->words) {
    double n = strtod(v->text, &end);
    if (*end || !(n >= k->low && n <= k->high)) {
      visit->good = wrong(visit->t, "%s is %s", v->name, v->text);
    }
  }
}

// Reads the file. *taken: it gave a machine, whose hash is in sha.
static bool read_file(test_t *t, const char *key, bool *taken, char sha[BaseSha256Text]) {
  static machine_params_t params;
  err_auto_t err = {0};
  char assignment[200];
  config_t *config = config_create();
  bool made = config && machine_config_add(config, &params, &err);
  if (!made) {
    config_destroy(config);
    return wrong(t, "the defaults: %s", err_text(&err));
  }
  bool good = true;
  if (key) {
    snprintf(assignment, sizeof assignment, "%s=%s", key, t->path);
    *taken = config_set(config, assignment, &err);
  } else {
    *taken = config_load_file(config, t->path, &err);
  }
  if (*taken) {
    visit_t visit = {t, true};
    config_visit(config, check_value, &visit);
    good = visit.good;
    config_sha256(config, sha);
    *taken = machine_config_check(config, &params, &err);
  }
  if (!*taken && good && !is_refusal(&err)) {
    good = wrong(t, "a refusal of another form: '%s'", err_text(&err));
  }
  config_destroy(config);
  return good;
}

static bool mutation(test_t *t, uint64_t seed, uint64_t n, mutate_t *m) {
  rng_t rng;
  clock_t start = clock();
  rng_seed(&rng, mutate_seed(seed, n));
  const base_t *base = &t->bases[rng_below(&rng, t->base_count)];
  memcpy(m->data, base->data, base->size);
  m->size = base->size;
  for (uint32_t k = 1 + rng_below(&rng, 4); k > 0; k--) {
    mutate_text(&rng, m, t->words, t->word_count);
  }
  char first[BaseSha256Text] = "", second[BaseSha256Text] = "";
  bool taken = false, again = false;
  if (!store(t, m)) {
    return wrong(t, "%s: cannot be written", t->path);
  }
  if (!read_file(t, base->key, &taken, first) ||
      (taken && !read_file(t, base->key, &again, second))) {
    return false;
  }
  if (taken && (!again || strcmp(first, second) != 0)) {
    return wrong(t, "the same file gives another machine");
  }
  *(taken ? &t->taken : &t->refused) += 1;
  double took = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (took > MostSeconds) {
    return wrong(t, "it took %.1f s of CPU", took);
  }
  return mutate_peak_memory() <= MostMemory || wrong(t, "more memory than a file can need");
}

static bool begin(test_t *t) {
  static machine_params_t params;
  err_auto_t err = {0};
  config_t *config = config_create();
  bool good = config && machine_config_add(config, &params, &err);
  if (good) {
    config_visit(config, add_word, t);
  }
  config_destroy(config);
  snprintf(t->path, sizeof t->path, "/tmp/mutated_%ld.yaml", (long)getpid());
  return (good || wrong(t, "the defaults cannot be read")) &&
         add_bases(t, "vectors/config/*.yaml") && add_bases(t, CONFIG_SETS "/*/*.yaml");
}

int main(int argc, char **argv) {
  static test_t t;
  const mutate_range_t range = mutate_range(argc, argv, 1000);
  mutate_t m = {malloc(Room), 0, Room};
  uint64_t n = range.first;
  bool good = m.data && begin(&t);
  while (good && n < range.first + range.count) {
    good = mutation(&t, range.seed, n, &m);
    n += good;
  }
  if (good) {
    printf("ok mutated configurations: %llu refused, %llu taken\n", (unsigned long long)t.refused,
           (unsigned long long)t.taken);
    unlink(t.path);
  } else {
    printf("not ok mutated configurations: seed %llu, number %llu: %s\n  the file is %s\n",
           (unsigned long long)range.seed, (unsigned long long)n, t.why, t.path);
  }
  for (uint32_t i = 0; i < t.base_count; i++) {
    free(t.bases[i].path);
    free(t.bases[i].data);
  }
  for (uint32_t i = 0; i < t.word_count; i++) {
    free((void *)(uintptr_t)t.words[i]);
  }
  free(m.data);
  return good ? 0 : 1;
}
