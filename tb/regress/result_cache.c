// SPDX-License-Identifier: Apache-2.0
#include "result_cache.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"

static const char *const KeptFiles[] = {".json", ".png", ".log"};
enum { KeptCount = sizeof KeptFiles / sizeof *KeptFiles };

static const char *entry(text_t *path, const char *folder, const char *key, const char *suffix) {
  return text_set(path, "%s/cache/%.2s/%s%s", folder, key, key, suffix);
}

static void make_folders(const char *folder, const char *key) {
  text_t path = {0};
  mkdir(text_set(&path, "%s/cache", folder), 0777);
  mkdir(text_set(&path, "%s/cache/%.2s", folder, key), 0777);
  text_free(&path);
}

// Moves a temporary file to its place, or removes it.
static bool settle(bool good, const char *fresh, const char *path) {
  good = good && rename(fresh, path) == 0;
  if (!good) unlink(fresh);
  return good;
}

static bool copy_file(const char *from, const char *to) {
  static char bytes[1 << 16];
  text_t fresh = {0};
  text_set(&fresh, "%s.%d", to, (int)getpid());
  FILE *in = fopen(from, "rb"), *out = in ? fopen(text_string(&fresh), "wb") : NULL;
  bool ok = out != NULL;
  for (size_t n; ok && (n = fread(bytes, 1, sizeof bytes, in)) > 0;) {
    ok = fwrite(bytes, 1, n, out) == n;
  }
  ok = ok && !ferror(in);
  if (in) fclose(in);
  ok = settle((!out || fclose(out) == 0) && ok, text_string(&fresh), to);
  text_free(&fresh);
  return ok;
}

bool result_cache_restore_files(const char *folder, const char *key, const char *id,
                                const char *logs, const char *required) {
  text_t kept = {0}, file = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < KeptCount; i++) {
    bool must = strcmp(KeptFiles[i], required) == 0;
    entry(&kept, folder, key, KeptFiles[i]);
    unlink(job_file(&file, logs, id, KeptFiles[i]));
    ok = (!must && access(text_string(&kept), F_OK) != 0) ||
         copy_file(text_string(&kept), text_string(&file));
  }
  text_free(&kept);
  text_free(&file);
  return ok;
}

void result_cache_keep_files(const char *folder, const char *key, const char *id,
                             const char *logs) {
  text_t kept = {0}, file = {0};
  make_folders(folder, key);
  for (size_t i = 0; i < KeptCount; i++) {
    job_file(&file, logs, id, KeptFiles[i]);
    if (access(text_string(&file), F_OK) == 0) {
      copy_file(text_string(&file), entry(&kept, folder, key, KeptFiles[i]));
    }
  }
  text_free(&kept);
  text_free(&file);
}

bool result_cache_find(const char *folder, const char *key, job_result_t *result) {
  text_t path = {0};
  json_t *j = json_load_file(entry(&path, folder, key, ""), 0, NULL);
  bool found = j && job_result_read(j, result);
  if (found && result->verdict != JobPassed) {
    job_result_free(result);
    found = false;
  }
  json_decref(j);
  text_free(&path);
  return found;
}

void result_cache_keep(const char *folder, const char *key, const job_result_t *result) {
  if (result->verdict != JobPassed || test_key_program_changed()) return;
  text_t path = {0}, fresh = {0};
  make_folders(folder, key);
  entry(&path, folder, key, "");
  text_set(&fresh, "%s.%d", text_string(&path), (int)getpid());
  json_t *j = job_result_json(result);
  settle(json_dump_file(j, text_string(&fresh), JSON_COMPACT) == 0, text_string(&fresh),
         text_string(&path));
  json_decref(j);
  text_free(&path);
  text_free(&fresh);
}
