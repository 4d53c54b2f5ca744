// SPDX-License-Identifier: Apache-2.0
// Passed results of earlier runs with the files that the tests left, by key: FOLDER/cache.
#ifndef NOCTURNE_REGRESS_RESULT_CACHE_H
#define NOCTURNE_REGRESS_RESULT_CACHE_H

#include "job_result.h"
#include "test_key.h"

// Finds a passed result. Returns false, with nothing to free, if there is none.
bool result_cache_find(const char *folder, const char *key, job_result_t *result);

// Keeps a result that passed, unless the program is another one by now: then a program of another
// key may have given it. What cannot be written is not kept.
void result_cache_keep(const char *folder, const char *key, const job_result_t *result);

// Copies the files of a test, its result's JSON, picture and log, from its logs to the cache, and
// back. Restoring returns false if the required one, a suffix, is missing.
void result_cache_keep_files(const char *folder, const char *key, const char *id, const char *logs);
bool result_cache_restore_files(const char *folder, const char *key, const char *id,
                                const char *logs, const char *required);

#endif
