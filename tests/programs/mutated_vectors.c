// SPDX-License-Identifier: Apache-2.0
// Mutated files of recorded vectors: each is refused in one line, or played by the golden model,
// which takes any inputs, and answers the same when it is played again. A program of its own:
//
//   mutated_vectors COUNT SEED FIRST FILE...
#include <time.h>
#include <unistd.h>

#include "mutate.h"
#include "tb/harness/harness.h"
#include "tb/harness/vectors_play.h"

enum { Room = 1 << 20, MostSeconds = 20 };
static const uint64_t MostMemory = 2ull << 30;

typedef struct {
  mutate_t *bases;
  uint32_t base_count;
  char path[64];  // of the mutated file
  uint64_t refused, played, differing;
  char why[800];
} test_t;

#define wrong(t, ...) mutate_wrong((t)->why, sizeof(t)->why, __VA_ARGS__)

static bool add_base(test_t *t, const char *path) {
  mutate_t *m = &t->bases[t->base_count];
  FILE *from = fopen(path, "rb");
  *m = (mutate_t){malloc(Room), 0, Room};
  if (!from || !m->data) {
    return wrong(t, "%s: cannot be read", path);
  }
  t->base_count++;
  m->size = fread(m->data, 1, Room / 2, from);
  fclose(from);
  return m->size > 0 || wrong(t, "%s: empty", path);
}

static bool store(const test_t *t, const mutate_t *m) {
  FILE *to = fopen(t->path, "wb");
  bool good = to && fwrite(m->data, 1, m->size, to) == m->size;
  return to && fclose(to) == 0 && good;
}

// Other digits in the lines after the first, so that the file stays sound.
static void change_digits(rng_t *rng, mutate_t *m) {
  const uint8_t *line = memchr(m->data, '\n', m->size);
  size_t from = line ? (size_t)(line - m->data) : 0;
  for (uint32_t k = 1 + rng_below(rng, 200); k > 0; k--) {
    uint8_t *at = &m->data[from + rng_below(rng, (uint32_t)(m->size - from))];
    *at = *at == '\n' ? *at : (uint8_t) "0123456789abcdef"[rng_below(rng, 16)];
  }
}

// Another unit, other widths, other parameters.
static void change_header(rng_t *rng, mutate_t *m) {
  uint8_t line[1024];
  const uint8_t *end = memchr(m->data, '\n', m->size);
  mutate_t header = {line, end ? (size_t)(end - m->data) : 0, sizeof line};
  size_t old = header.size;
  if (old > sizeof line / 2) {
    return;
  }
  memcpy(line, m->data, old);
  mutate_text(rng, &header, NULL, 0);
  mutate_splice(m, 0, old, line, header.size);
}

typedef struct {
  bool played;
  uint64_t clock, differing;
  text_t text;
  err_t err;
} outcome_t;

static bool play(test_t *t, outcome_t *o) {
  harness_options_t options = {.engine = EngineGolden, .seed = 1};
  harness_t *h = harness_create(&options);
  *o = (outcome_t){0};
  if (!h) {
    return wrong(t, "out of memory");
  }
  o->played = vectors_play(h, t->path, &o->clock, &o->differing, &o->text, &o->err);
  bool good = !harness_failure(h) || wrong(t, "%s", harness_failure(h));
  harness_destroy(h);
  if (good && !o->played && (!err_is_set(&o->err) || strchr(err_text(&o->err), '\n'))) {
    good = wrong(t, "a refusal of another form: '%s'", err_text(&o->err));
  }
  return good;
}

static bool mutation(test_t *t, uint64_t seed, uint64_t n, mutate_t *m) {
  rng_t rng;
  clock_t start = clock();
  rng_seed(&rng, mutate_seed(seed, n));
  const mutate_t *base = &t->bases[rng_below(&rng, t->base_count)];
  memcpy(m->data, base->data, base->size);
  m->size = base->size;
  if (rng_chance(&rng, 700)) {
    change_digits(&rng, m);
  }
  if (rng_chance(&rng, 300)) {
    change_header(&rng, m);
  }
  for (uint32_t k = rng_chance(&rng, 500) ? rng_below(&rng, 3) : 0; k > 0; k--) {
    mutate_text(&rng, m, NULL, 0);
  }
  outcome_t first, second;
  if (!store(t, m)) {
    return wrong(t, "%s: cannot be written", t->path);
  }
  if (!play(t, &first) || !play(t, &second)) {
    return false;
  }
  const bool same = first.played == second.played && first.clock == second.clock &&
                    first.differing == second.differing &&
                    strcmp(text_string(&first.text), text_string(&second.text)) == 0;
  text_free(&first.text);
  text_free(&second.text);
  err_free(&first.err);
  err_free(&second.err);
  if (!same) {
    return wrong(t, "the same vectors give other answers");
  }
  *(first.played ? &t->played : &t->refused) += 1;
  t->differing += first.differing > 0;
  double took = (double)(clock() - start) / CLOCKS_PER_SEC;
  if (took > MostSeconds) {
    return wrong(t, "it took %.1f s of CPU", took);
  }
  return mutate_peak_memory() <= MostMemory || wrong(t, "more memory than a file can need");
}

int main(int argc, char **argv) {
  static test_t t;
  if (argc < 5) {
    printf("not ok mutated vectors: expected COUNT SEED FIRST FILE...\n");
    return 1;
  }
  const mutate_range_t range = mutate_range(4, argv, 0);
  mutate_t m = {malloc(Room), 0, Room};
  uint64_t n = range.first;
  t.bases = calloc((size_t)argc, sizeof *t.bases);
  bool good = m.data && t.bases;
  snprintf(t.path, sizeof t.path, "/tmp/mutated_%ld.vec", (long)getpid());
  for (int i = 4; good && i < argc; i++) {
    good = add_base(&t, argv[i]);
  }
  while (good && n < range.first + range.count) {
    good = mutation(&t, range.seed, n, &m);
    n += good;
  }
  if (good) {
    printf("ok mutated vectors: %llu refused, %llu played, %llu with other answers\n",
           (unsigned long long)t.refused, (unsigned long long)t.played,
           (unsigned long long)t.differing);
    unlink(t.path);
  } else {
    printf("not ok mutated vectors: seed %llu, number %llu: %s\n  the file is %s\n",
           (unsigned long long)range.seed, (unsigned long long)n, t.why, t.path);
  }
  for (uint32_t i = 0; i < t.base_count; i++) {
    free(t.bases[i].data);
  }
  free(t.bases);
  free(m.data);
  return good ? 0 : 1;
}
