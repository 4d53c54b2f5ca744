// SPDX-License-Identifier: Apache-2.0
#include "result_cache.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csim/base/keep.h"
#include "job.h"

static const char *const KeptFiles[] = {".json", ".png", ".log"};
enum { KeptCount = sizeof KeptFiles / sizeof *KeptFiles };

bool result_cache_restore_files(const char *folder, const char *key, const char *id,
                                const char *logs, const char *required) {
  text_t cache = {0}, file = {0};
  bool ok = true;
  text_set(&cache, "%s/cache", folder);
  for (size_t i = 0; ok && i < KeptCount; i++) {
    bool must = strcmp(KeptFiles[i], required) == 0;
    unlink(job_file(&file, logs, id, KeptFiles[i]));
    ok = (!must && !keep_has(text_string(&cache), key, KeptFiles[i])) ||
         keep_take_file(text_string(&cache), key, KeptFiles[i], text_string(&file));
  }
  text_free(&cache);
  text_free(&file);
  return ok;
}

void result_cache_keep_files(const char *folder, const char *key, const char *id,
                             const char *logs) {
  text_t cache = {0}, file = {0};
  text_set(&cache, "%s/cache", folder);
  for (size_t i = 0; i < KeptCount; i++) {
    job_file(&file, logs, id, KeptFiles[i]);
    if (access(text_string(&file), F_OK) == 0) {
      keep_put_file(text_string(&cache), key, KeptFiles[i], text_string(&file), NULL);
    }
  }
  text_free(&cache);
  text_free(&file);
}

bool result_cache_find(const char *folder, const char *key, job_result_t *result) {
  text_t cache = {0};
  char *line = keep_take(text_set(&cache, "%s/cache", folder), key, "", NULL);
  json_t *j = line ? json_loads(line, 0, NULL) : NULL;
  bool found = j && job_result_read(j, result);
  if (found && result->verdict != JobPassed) {
    job_result_free(result);
    found = false;
  }
  json_decref(j);
  free(line);
  text_free(&cache);
  return found;
}

void result_cache_keep(const char *folder, const char *key, const job_result_t *result) {
  if (result->verdict != JobPassed || test_key_program_changed()) return;
  text_t cache = {0};
  json_t *j = job_result_json(result);
  char *line = json_dumps(j, JSON_COMPACT);
  if (line) keep_put(text_set(&cache, "%s/cache", folder), key, "", line, strlen(line), NULL);
  json_decref(j);
  free(line);
  text_free(&cache);
}
