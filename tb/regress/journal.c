// SPDX-License-Identifier: Apache-2.0
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <jansson.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csim/base/place.h"
#include "csim/base/sha256.h"
#include "csim/machine/machine_config.h"

static json_t *result_json(const job_result_t *r) {
  return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:f, s:i}", "verdict",
                   r->verdict == JobPassed ? "passed" : "failed", "signature", r->signature,
                   "what", r->what, "digest", r->digest, "good", (json_int_t)r->good, "bad",
                   (json_int_t)r->bad, "seconds", r->seconds, "cpu", r->cpu, "building",
                   r->building, "status", r->status);
}

static bool result_of(json_t *j, job_result_t *r) {
  const char *verdict, *signature, *what, *digest;
  json_int_t good, bad;
  *r = (job_result_t){0};
  if (json_unpack(j, "{s:s, s:s, s:s, s:s, s:I, s:I, s:F, s:F, s:F, s?i}", "verdict", &verdict,
                  "signature", &signature, "what", &what, "digest", &digest, "good", &good, "bad",
                  &bad, "seconds", &r->seconds, "cpu", &r->cpu, "building", &r->building, "status",
                  &r->status) != 0) {
    return false;
  }
  if (good < 0 || bad < 0 || good > UINT32_MAX || bad > UINT32_MAX) {
    return false;
  }
  r->good = (uint32_t)good;
  r->bad = (uint32_t)bad;
  r->verdict = strcmp(verdict, "passed") == 0 ? JobPassed : JobFailed;
  snprintf(r->signature, sizeof r->signature, "%s", signature);
  snprintf(r->what, sizeof r->what, "%s", what);
  snprintf(r->digest, sizeof r->digest, "%s", digest);
  return true;
}

bool journal_parse(const char *line, journal_entry_t *e) {
  json_t *j = json_loads(line, 0, NULL);
  const char *id, *key;
  int cached = 0;
  bool ok = j &&
            json_unpack(j, "{s:s, s:s, s:b}", "id", &id, "key", &key, "cached", &cached) == 0 &&
            result_of(j, &e->result) && (e->id = strdup(id));
  if (ok) {
    e->cached = cached;
    snprintf(e->key, sizeof e->key, "%s", key);
  }
  json_decref(j);
  return ok;
}

static int by_id(const void *a, const void *b) {
  return strcmp(((const journal_entry_t *)a)->id, ((const journal_entry_t *)b)->id);
}

static bool remember(journal_t *journal, const char *id, const char *key, const job_result_t *r,
                     bool cached) {
  size_t n = journal->count;
  journal_entry_t *known = (journal_entry_t *)journal_find(journal, id);
  if (known) {  // run again, of other sources: the later result counts
    known->result = *r;
    known->cached = cached;
    snprintf(known->key, sizeof known->key, "%s", key);
    return true;
  }
  if ((n & (n - 1)) == 0) {
    journal_entry_t **entries = realloc(journal->entries, (n ? 2 * n : 16) * sizeof *entries);
    if (!entries) {
      return false;
    }
    journal->entries = entries;
  }
  journal_entry_t *e = calloc(1, sizeof *e);
  if (!e || !(e->id = strdup(id)) || !tsearch(e, &journal->by_id, by_id)) {
    return false;
  }
  e->result = *r;
  e->cached = cached;
  snprintf(e->key, sizeof e->key, "%s", key);
  journal->entries[journal->count++] = e;
  return true;
}

// Reads whole lines; returns the length of the file up to the last of them.
static off_t read_lines(journal_t *journal, FILE *file) {
  char *line = NULL;
  size_t room = 0;
  off_t whole = 0;
  ssize_t n;
  while ((n = getline(&line, &room, file)) > 0 && line[n - 1] == '\n') {
    journal_entry_t e;
    if (journal_parse(line, &e)) {
      remember(journal, e.id, e.key, &e.result, e.cached);
      free(e.id);
    }
    whole += n;
  }
  free(line);
  return whole;
}

bool journal_read(journal_t *journal, const char *path) {
  *journal = (journal_t){.file = -1};
  FILE *file = fopen(path, "r");
  if (!file) {
    return false;
  }
  read_lines(journal, file);
  fclose(file);
  return true;
}

bool journal_open(journal_t *journal, const char *folder, bool resume, char error[TestErrorSize]) {
  char before[512];
  *journal = (journal_t){.file = -1};
  char *path = journal->path;
  snprintf(path, sizeof journal->path, "%.400s/journal.jsonl", folder);
  snprintf(before, sizeof before, "%.400s/journal-before.jsonl", folder);
  if (!resume) {
    rename(path, before);
  }
  FILE *old = fopen(path, "r");
  off_t whole = old ? read_lines(journal, old) : 0;
  if (old) {
    fclose(old);
  }
  journal->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (journal->file < 0 || ftruncate(journal->file, whole) != 0) {
    snprintf(error, TestErrorSize, "%.300s: %s", path, strerror(errno));
    return false;
  }
  return true;
}

// Writes all of it, or false with errno of what kept it from that.
static bool write_all(int file, const char *text, size_t length) {
  while (length > 0) {
    ssize_t n = write(file, text, length);
    if (n < 0 && errno != EINTR) {
      return false;
    }
    text += n > 0 ? n : 0;
    length -= n > 0 ? (size_t)n : 0;
  }
  return true;
}

bool journal_add(journal_t *journal, const test_t *test, const char *key,
                 const job_result_t *result, bool cached, char error[TestErrorSize]) {
  char command[4096];
  job_command(test, command, sizeof command);
  json_t *j = result_json(result);
  json_object_set_new(j, "id", json_string(test->id));
  json_object_set_new(j, "key", json_string(key));
  json_object_set_new(j, "cached", json_boolean(cached));
  json_object_set_new(j, "command", json_string(command));
  char *text = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS);
  json_decref(j);
  size_t length = text ? strlen(text) : 0;
  if (!text || !remember(journal, test->id, key, result, cached)) {
    snprintf(error, TestErrorSize, "out of memory");
    free(text);
    return false;
  }
  text[length++] = '\n';  // in place of the terminator: the line goes out in one write
  bool ok = write_all(journal->file, text, length);
  if (!ok) {
    snprintf(error, TestErrorSize, "%.300s: cannot be written: %s", journal->path,
             strerror(errno));
  }
  free(text);
  return ok;
}

const journal_entry_t *journal_find(const journal_t *journal, const char *id) {
  const journal_entry_t wanted = {.id = (char *)id};
  journal_entry_t **found = tfind(&wanted, &journal->by_id, by_id);
  return found ? *found : NULL;
}

bool journal_sync(const journal_t *journal, char error[TestErrorSize]) {
  if (fsync(journal->file) != 0) {
    snprintf(error, TestErrorSize, "%.300s: cannot be written: %s", journal->path,
             strerror(errno));
    return false;
  }
  return true;
}

void journal_close(journal_t *journal) {
  if (journal->file >= 0) {
    fsync(journal->file);
    close(journal->file);
  }
  for (size_t i = 0; i < journal->count; i++) {
    tdelete(journal->entries[i], &journal->by_id, by_id);
    free(journal->entries[i]->id);
    free(journal->entries[i]);
  }
  free(journal->entries);
  *journal = (journal_t){.file = -1};
}

// ---- Keys ----

static void add_file(base_sha256_t *sha, const char *path) {
  static uint8_t bytes[1 << 16];
  FILE *file = fopen(path, "rb");
  base_sha256_add(sha, path, strlen(path) + 1);
  for (size_t n; file && (n = fread(bytes, 1, sizeof bytes, file)) > 0;) {
    base_sha256_add(sha, bytes, n);
  }
  if (file) {
    fclose(file);
  }
}

static int by_name(const FTSENT **a, const FTSENT **b) {
  return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void add_trees(base_sha256_t *sha, char *const *trees) {
  FTS *walk = fts_open(trees, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
  for (FTSENT *e; walk && (e = fts_read(walk));) {
    if (e->fts_info == FTS_F) {
      add_file(sha, e->fts_path);
    }
  }
  if (walk) {
    fts_close(walk);
  }
}

// The SystemVerilog and Verilog of a folder, without those in it: where modules and what they
// include are looked for.
static void add_rtl(base_sha256_t *sha, const char *folder) {
  static const char *const Ends[] = {".sv", ".svh", ".v", ".vh"};
  char *const trees[] = {(char *)folder, NULL};
  FTS *walk = fts_open(trees, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
  for (FTSENT *e; walk && (e = fts_read(walk));) {
    const char *end = strrchr(e->fts_name, '.');
    if (e->fts_info == FTS_D && e->fts_level > 0) {
      fts_set(walk, e, FTS_SKIP);
    }
    for (size_t i = 0; e->fts_info == FTS_F && end && i < sizeof Ends / sizeof *Ends; i++) {
      if (strcmp(end, Ends[i]) == 0) {
        add_file(sha, e->fts_path);
      }
    }
  }
  if (walk) {
    fts_close(walk);
  }
}

// The program as it was when the keys were made; zeros if no key needed it.
static struct stat program;

static bool program_changed(void) {
  struct stat now = {0};
  return program.st_ino && (stat(place_program(), &now) != 0 || now.st_ino != program.st_ino ||
         now.st_mtim.tv_sec != program.st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != program.st_mtim.tv_nsec);
}

const char *journal_program_key(void) {
  static char key[JournalKeySize];
  if (!key[0]) {
    stat(place_program(), &program);
    base_sha256_t sha;
    base_sha256_begin(&sha);
    add_file(&sha, place_program());
    base_sha256_end(&sha, key);
  }
  return key;
}

const char *journal_units_key(void) {
  static char key[JournalKeySize];
  if (!key[0]) {
    static const char *const Trees[] = {"rtl", "dpi", "csim/unit", "csim/units"};
    char path[PlaceSize];
    base_sha256_t sha;
    base_sha256_begin(&sha);
    add_file(&sha, place_find("tb/unit.mk", path));
    add_file(&sha, place_find("tb/harness/verilated.cpp", path));
    for (size_t i = 0; i < sizeof Trees / sizeof *Trees; i++) {
      char *const tree[] = {(char *)place_find(Trees[i], path), NULL};
      add_trees(&sha, tree);
    }
    base_sha256_end(&sha, key);
  }
  return key;
}

// The program and the units; the same for every test.
static const char *common_key(void) {
  static char key[JournalKeySize];
  if (!key[0]) {
    base_sha256_t sha;
    base_sha256_begin(&sha);
    base_sha256_add(&sha, journal_program_key(), JournalKeySize);
    base_sha256_add(&sha, journal_units_key(), JournalKeySize);
    base_sha256_end(&sha, key);
  }
  return key;
}

// A machine counts by what it says, so that the sets which it names take part.
static void add_machine(base_sha256_t *sha, const char *path) {
  size_t length = strlen(path);
  char error[ConfigErrorSize], text[BaseSha256Text];
  if (length < 5 || strcmp(path + length - 5, ".yaml") != 0) {
    return;
  }
  machine_params_t *params = calloc(1, sizeof *params);
  config_t *config = params ? config_create() : NULL;
  if (config && machine_config_add(config, params, error) &&
      config_load_file(config, path, error)) {
    config_sha256(config, text);
    base_sha256_add(sha, text, sizeof text);
  }
  config_destroy(config);
  free(params);
}

// A file, or a folder and all in it. Frames are large and named by many tests.
static const char *path_key(const char *path) {
  enum { Known = 64 };
  static struct {
    char path[256], key[JournalKeySize];
  } known[Known];
  static uint32_t count;
  for (uint32_t i = 0; i < count; i++) {
    if (strcmp(known[i].path, path) == 0) {
      return known[i].key;
    }
  }
  uint32_t place = count < Known ? count++ : Known - 1;
  snprintf(known[place].path, sizeof known[place].path, "%s", path);
  base_sha256_t sha;
  base_sha256_begin(&sha);
  add_trees(&sha, (char *[]){(char *)path, NULL});
  add_machine(&sha, path);
  base_sha256_end(&sha, known[place].key);
  return known[place].key;
}

void journal_key(const test_t *test, char key[JournalKeySize]) {
  base_sha256_t sha;
  base_sha256_begin(&sha);
  if (!test->only_inputs) {
    base_sha256_add(&sha, test->without_rtl ? journal_program_key() : common_key(),
                    JournalKeySize);
  }
  if (test->inputs) {
    base_sha256_add(&sha, test->inputs, strlen(test->inputs) + 1);
  }
  for (uint32_t i = 0; !test->inputs && test->arguments[i]; i++) {
    const char *a = test->arguments[i];
    struct stat s;
    base_sha256_add(&sha, a, strlen(a) + 1);
    const char *path = strchr(a, '=') ? strchr(a, '=') + 1 : a;  // or a set: KEY=FILE.yaml
    if (strlen(path) < 256 && stat(path, &s) == 0 && S_ISREG(s.st_mode)) {
      base_sha256_add(&sha, path_key(path), JournalKeySize);
    }
  }
  if (test->rtl) {
    add_rtl(&sha, test->rtl);
  }
  for (const char *c = test->needs; c && *c; c += strcspn(c, "\n") + 1) {
    char path[256];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(c, "\n"), c);
    base_sha256_add(&sha, path_key(path), JournalKeySize);
  }
  // The same command again is another test.
  base_sha256_add(&sha, &test->repeat, sizeof test->repeat);
  base_sha256_end(&sha, key);
}

// ---- Cache ----

static const char *const KeptFiles[] = {".json", ".png", ".log"};

static bool copy_file(const char *from, const char *to) {
  static char bytes[1 << 16];
  char fresh[600];
  snprintf(fresh, sizeof fresh, "%.560s.%d", to, (int)getpid());
  FILE *in = fopen(from, "rb"), *out = in ? fopen(fresh, "wb") : NULL;
  bool ok = out != NULL;
  for (size_t n; ok && (n = fread(bytes, 1, sizeof bytes, in)) > 0;) {
    ok = fwrite(bytes, 1, n, out) == n;
  }
  ok = ok && !ferror(in);
  if (in) {
    fclose(in);
  }
  ok = (!out || fclose(out) == 0) && ok && rename(fresh, to) == 0;
  if (!ok) {
    unlink(fresh);
  }
  return ok;
}

bool journal_restore(const char *folder, const char *key, const char *id, const char *logs,
                     const char *required) {
  char kept[512], file[512];
  for (size_t i = 0; i < sizeof KeptFiles / sizeof *KeptFiles; i++) {
    bool must = strcmp(KeptFiles[i], required) == 0;
    snprintf(kept, sizeof kept, "%.300s/cache/%.2s/%s%s", folder, key, key, KeptFiles[i]);
    job_file(id, logs, KeptFiles[i], file, sizeof file);
    unlink(file);
    if ((must || access(kept, F_OK) == 0) && !copy_file(kept, file)) {
      return false;
    }
  }
  return true;
}

void journal_keep_files(const char *folder, const char *key, const char *id, const char *logs) {
  char kept[512], file[512];
  for (size_t i = 0; i < sizeof KeptFiles / sizeof *KeptFiles; i++) {
    snprintf(kept, sizeof kept, "%.300s/cache", folder);
    mkdir(kept, 0777);
    snprintf(kept, sizeof kept, "%.300s/cache/%.2s", folder, key);
    mkdir(kept, 0777);
    snprintf(kept, sizeof kept, "%.300s/cache/%.2s/%s%s", folder, key, key, KeptFiles[i]);
    job_file(id, logs, KeptFiles[i], file, sizeof file);
    if (access(file, F_OK) == 0) {
      copy_file(file, kept);
    }
  }
}

bool journal_cached(const char *folder, const char *key, job_result_t *result) {
  char path[512];
  snprintf(path, sizeof path, "%.300s/cache/%.2s/%s", folder, key, key);
  json_t *j = json_load_file(path, 0, NULL);
  bool good = j && result_of(j, result) && result->verdict == JobPassed;
  json_decref(j);
  return good;
}

void journal_keep(const char *folder, const char *key, const job_result_t *result) {
  char path[512], fresh[540];
  // A program that was built anew meanwhile may have given this result.
  if (result->verdict != JobPassed || program_changed()) {
    return;
  }
  snprintf(path, sizeof path, "%.300s/cache", folder);
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%.300s/cache/%.2s", folder, key);
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%.300s/cache/%.2s/%s", folder, key, key);
  snprintf(fresh, sizeof fresh, "%s.%d", path, (int)getpid());
  json_t *j = result_json(result);
  if (json_dump_file(j, fresh, JSON_COMPACT) != 0 || rename(fresh, path) != 0) {
    unlink(fresh);
  }
  json_decref(j);
}
