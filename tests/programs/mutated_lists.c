// SPDX-License-Identifier: Apache-2.0
// Mutated test lists, journals and known times: each is read rightly or refused by one line that
// names its place, in bounded time and memory, and what is whole in a journal is not lost.
//   mutated_lists [COUNT [SEED [FIRST]]]     COUNT of each (2,000)
#include <sys/stat.h>
#include <unistd.h>

#include "mutate.h"
#include "tb/regress/journal.h"
#include "tb/regress/test_list.h"
#include "tb/regress/test_order.h"
#include "tests/programs/test.h"

// The most tests that a list may have take 200 MB; AddressSanitizer puts room around each piece and
// keeps what was freed.
#ifdef __SANITIZE_ADDRESS__
enum { Room = 1 << 14, MostMemory = 1536u << 20 };
#else
enum { Room = 1 << 14, MostMemory = 512u << 20 };
#endif

static mutate_range_t range;
static char folder[64];
static uint64_t taken_lists;

static const char List[] =
    "# Units and commands.\n"
    "defaults: {timeout: {seconds: 60, cycles: 1000}, memory: 2000, tags: [nightly]}\n"
    "tests:\n"
    "  - {name: draw-8, unit: draw_scheduler, gpus: 8, cycles: 20000, seeds: 1..20,\n"
    "     set: [tiny, narrow], knobs: {errors: 5..50, largest: \"0*1,3*1\"}}\n"
    "  - {name: nexuiz, run: vectors/config/chopin.yaml, set: [gpus=6, scheme=chopin], takes: 20}\n"
    "  - {name: page, play: docs/units/images/atfim_package.json, engine: golden}\n"
    "  - name: script\n"
    "    command: [sh, -c, 'exit 0', \"{result}\"]\n"
    "    counts: true\n"
    "    needs: [tests, vectors]\n"
    "    repeats: 3\n"
    "  - {name: many, unit: atfim, seeds: [3, 5..9, 12], tags: [unit, random]}\n";

static const char *const ListWords[] = {
    "name",     "unit",    "run",      "play",      "vectors", "command",  "counts",
    "needs",    "gpus",    "cycles",   "engine",    "frame",   "set",      "knobs",
    "seeds",    "repeats", "timeout",  "takes",     "memory",  "tags",     "tests",
    "defaults", "include", "1..99999", "list.yaml", "100000",  "{result}", "."};

static const char *const Ids[] = {"draw-8/seed-1", "draw-8/seed-2", "nexuiz", "script/repeat-1",
                                  "a_b.c"};
enum { IdCount = sizeof Ids / sizeof *Ids };

static const char *const JournalWords[] = {
    "id",      "key",    "cached", "verdict", "passed",           "failed", "signature",
    "what",    "digest", "good",   "bad",     "seconds",          "cpu",    "building",
    "command", "null",   "1e308",  "\\u0000", "peak_memory_bytes"};

static void in_folder(const char *name, char path[128]) {
  snprintf(path, 128, "%s/%s", folder, name);
}

static void put(const char *name, const mutate_t *m) {
  char path[128];
  in_folder(name, path);
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(m->data, 1, m->size, f), m->size);
  assert_int_equal(fclose(f), 0);
}

static void damage(mutate_t *m, const char *text, uint64_t n, const char *const *words,
                   uint32_t count) {
  rng_t rng;
  m->size = strlen(text);
  memcpy(m->data, text, m->size);
  rng_seed(&rng, mutate_seed(range.seed, n));
  for (uint32_t k = 1 + rng_below(&rng, 4); k > 0; k--) {
    mutate_text(&rng, m, words, count);
  }
}

// ---- Lists ----

static void check_list(const test_list_t *list, uint64_t n) {
  for (size_t i = 0; i < list->count; i++) {
    const test_t *t = &list->tests[i];
    text_t command = {0};
    if (!t->id || !t->id[0] || !t->arguments[0] || t->seconds < 1 || strpbrk(t->id, " \n\"<")) {
      fail_msg("list %llu of seed %llu: test %zu is none", (unsigned long long)n,
               (unsigned long long)range.seed, i);
    }
    job_command(t, &command);
    text_free(&command);
  }
}

TEST(lists) {
  static uint8_t data[Room];
  mutate_t m = {data, 0, sizeof data};
  const test_seeds_t seeds = {0};
  char path[128];
  err_t err = {0};
  (void)state;
  in_folder("list.yaml", path);
  for (uint64_t n = range.first; n < range.first + range.count; n++) {
    test_list_t list = {0};
    damage(&m, List, n, ListWords, sizeof ListWords / sizeof *ListWords);
    put("list.yaml", &m);
    bool taken = test_list_load(&list, path, &seeds, &err);
    const char *error = err_text(&err);
    if (taken) {
      check_list(&list, n);
      taken_lists++;
    } else if (strncmp(error, folder, strlen(folder)) != 0 || strchr(error, '\n')) {
      fail_msg("list %llu of seed %llu: '%s'", (unsigned long long)n,
               (unsigned long long)range.seed, error);
    }
    err_free(&err);
    test_list_free(&list);
  }
  // Both ends are reached.
  assert_in_range(taken_lists, range.count / 100, range.count - range.count / 100);
  assert_in_range(mutate_peak_memory(), 1, MostMemory);
}

// ---- Journals ----

static void sound_journal(char text[Room]) {
  size_t used = 0;
  for (size_t i = 0; i < IdCount; i++) {
    used += (size_t)snprintf(
        text + used, Room - used,
        "{\"bad\":%zu,\"building\":1.5,\"cached\":false,\"command\":\"true\",\"cpu\":2.25,"
        "\"digest\":\"%064zx\",\"good\":%zu,\"id\":\"%s\",\"key\":\"%064zx\",\"seconds\":3.5,"
        "\"signature\":\"\",\"verdict\":\"%s\",\"what\":\"\"}\n",
        i % 2, i, 1 - i % 2, Ids[i], 7 * i, i % 2 ? "failed" : "passed");
  }
}

// Returns true if the sound line of a test is a line of the damaged text, and its id in no other.
static bool stands_alone(const mutate_t *m, const char *sound, size_t index) {
  const char *line = sound, *id = Ids[index];
  char quoted[64];
  size_t found = 0, whole = 0;
  for (size_t i = 0; i < index; i++) {
    line = strchr(line, '\n') + 1;
  }
  size_t length = (size_t)(strchr(line, '\n') - line) + 1;
  int quote = snprintf(quoted, sizeof quoted, "\"%s\"", id);
  for (size_t at = 0; at + (size_t)quote <= m->size; at++) {
    found += memcmp(m->data + at, quoted, (size_t)quote) == 0;
  }
  for (size_t at = 0; at + length <= m->size; at++) {
    whole += memcmp(m->data + at, line, length) == 0 && (at == 0 || m->data[at - 1] == '\n');
  }
  return found == 1 && whole == 1;
}

static void check_entries(const journal_t *journal, const mutate_t *m, const char *sound,
                          uint64_t n) {
  // A NUL ends a line for who reads it as text.
  bool has_nul = memchr(m->data, '\0', m->size) != NULL;
  for (size_t i = 0; i < IdCount && !has_nul; i++) {
    const journal_entry_t *e = journal_find(journal, Ids[i]);
    if (stands_alone(m, sound, i) &&
        (!e || e->result.verdict != (i % 2 ? JobFailed : JobPassed) || e->result.cpu != 2.25)) {
      fail_msg("journal %llu of seed %llu: %s is lost", (unsigned long long)n,
               (unsigned long long)range.seed, Ids[i]);
    }
  }
  for (size_t i = 0; i < journal->count; i++) {
    const journal_entry_t *e = journal->entries[i];
    assert_true(strlen(e->key) < sizeof e->key && e->result.what && e->result.signature);
    assert_ptr_equal(journal_find(journal, e->id), e);
  }
}

TEST(journals) {
  static uint8_t data[Room];
  static char sound[Room];
  mutate_t m = {data, 0, sizeof data};
  char path[128];
  uint64_t whole = 0;
  (void)state;
  sound_journal(sound);
  in_folder("journal.jsonl", path);
  for (uint64_t n = range.first; n < range.first + range.count; n++) {
    journal_t journal;
    damage(&m, sound, n, JournalWords, sizeof JournalWords / sizeof *JournalWords);
    put("journal.jsonl", &m);
    assert_true(journal_read(&journal, folder, "journal.jsonl"));
    check_entries(&journal, &m, sound, n);
    whole += journal.count;
    journal_close(&journal);
    // To go on with it cuts off what is no whole line.
    struct stat info;
    assert_true(journal_open(&journal, folder, true, NULL));
    check_entries(&journal, &m, sound, n);
    journal_close(&journal);
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_size == 0 || m.data[info.st_size - 1] == '\n');
  }
  assert_in_range(whole, range.count, IdCount * range.count);
}

// ---- Known times ----

TEST(times) {
  static uint8_t data[Room];
  mutate_t m = {data, 0, sizeof data};
  static const char Sound[] =
      "{\"sources\":\"abc\",\"tests\":{\"one\":[1.5,20],\"two\":[3,0],"
      "\"three\":[0.25,7.5]}}\n";
  static test_t tests[] = {{.id = "one", .name = "one"},
                           {.id = "two", .name = "two", .takes = 5},
                           {.id = "three", .name = "three"}};
  const test_list_t list = {tests, 3};
  (void)state;
  for (uint64_t n = range.first; n < range.first + range.count; n++) {
    test_order_t s;
    bool left[] = {true, true, true};
    const double since[3] = {0};
    double seconds = 0;
    uint32_t seen = 0;
    damage(&m, Sound, n, JournalWords, sizeof JournalWords / sizeof *JournalWords);
    put("times.json", &m);
    assert_true(test_order_make(&s, &list, folder, "abc", NULL, NULL));
    for (size_t i = 0; i < 3; i++) {
      assert_in_range(s.order[i], 0, 2);
      seen |= 1u << s.order[i];
    }
    assert_int_equal(seen, 7);
    if (test_order_left(&s, left, since, 2, 1, &seconds)) {
      assert_true(seconds >= 0 && seconds < 1e9);
    }
    test_order_free(&s);
  }
}

int main(int argc, char **argv) {
  range = mutate_range(argc, argv, 2000);
  snprintf(folder, sizeof folder, "/tmp/mutated_lists.XXXXXX");
  if (!mkdtemp(folder)) {
    perror(folder);
    return 1;
  }
  int failed = run_all_tests(NULL, NULL);
  static const char *const Files[] = {"list.yaml", "journal.jsonl", "times.json"};
  for (size_t i = 0; i < sizeof Files / sizeof *Files; i++) {
    char path[128];
    in_folder(Files[i], path);
    unlink(path);
  }
  rmdir(folder);
  if (!failed) {
    printf("ok mutated lists: %llu, %llu of them taken; as many journals and known times\n",
           (unsigned long long)range.count, (unsigned long long)taken_lists);
  }
  return failed;
}
