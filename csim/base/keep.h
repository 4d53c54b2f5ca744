// SPDX-License-Identifier: Apache-2.0
// Keeps results by the hash of what decides them, so that nothing is done twice.
//
// An entry is one file, FOLDER/HA/HASH + SUFFIX, where HA are the first two digits of the hash. An
// entry appears whole or not at all, so any number of processes may share a folder. Taking one out
// sets its time, and keep_limit removes those that were not used for longest.
#ifndef NOCTURNE_BASE_KEEP_H
#define NOCTURNE_BASE_KEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "sha256.h"

// ---- What decides a result ----
// Between base_sha256_begin and base_sha256_end.

// Adds a text with its end, so that two neighbours do not run together.
void keep_add_text(base_sha256_t *sha, const char *text);

// Adds what a file holds, with or without its name. A file that is missing adds nothing but its
// name.
void keep_add_file(base_sha256_t *sha, const char *path);
void keep_add_content(base_sha256_t *sha, const char *path);

// Adds all files below some paths (NULL behind the last), sorted by name, with their names. With
// ends (NULL behind the last) it adds only files whose names end so, and only those directly in the
// folders.
void keep_add_trees(base_sha256_t *sha, const char *const *paths, const char *const *ends);

// Adds what a command of the shell prints, as the version of a tool.
void keep_add_output(base_sha256_t *sha, const char *command);

// ---- Entries ----

// Returns the path of an entry, which the caller frees; NULL if memory runs out.
char *keep_path(const char *folder, const char *hash, const char *suffix);

bool keep_has(const char *folder, const char *hash, const char *suffix);

// Puts a file, or bytes, into the folder, which is made when needed. False after err_set; what was
// there before stays.
bool keep_put_file(const char *folder, const char *hash, const char *suffix, const char *from,
                   err_t *err);
bool keep_put(const char *folder, const char *hash, const char *suffix, const void *bytes,
              size_t size, err_t *err);

// Copies an entry to a path, in place of what is there. False without such an entry, or when it
// cannot be copied.
bool keep_take_file(const char *folder, const char *hash, const char *suffix, const char *to);

// Returns what an entry holds, with a 0 behind it, which the caller frees; NULL without the entry.
// `size` may be NULL.
char *keep_take(const char *folder, const char *hash, const char *suffix, size_t *size);

// Removes entries that were not used for `seconds`, then the oldest until the rest hold at most
// `bytes`; 0: no limit. Returns the number of those removed.
size_t keep_limit(const char *folder, uint64_t seconds, uint64_t bytes);

// ---- Files ----

// Copies a file so that it appears whole or not at all. False and errno when it cannot.
bool keep_copy(const char *from, const char *to);

#endif
