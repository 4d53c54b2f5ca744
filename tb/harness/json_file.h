// SPDX-License-Identifier: Apache-2.0
// A JSON file, read or written whole.
#ifndef NOCTURNE_HARNESS_JSON_FILE_H
#define NOCTURNE_HARNESS_JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>

// NULL: one line in error, `FILE: why` or `FILE:LINE:COLUMN: what`. A key that stands twice is
// wrong.
json_t *json_file_load(const char *path, char *error, size_t size);

// Through a temporary beside it, so that a full disk leaves what was there; a device or pipe is
// written as it is, and "-" is standard output. flags: of json_dumpf. False with one line in error.
bool json_file_write(const json_t *json, const char *path, size_t flags, char *error, size_t size);

#endif
