// SPDX-License-Identifier: Apache-2.0
// Reads or writes a whole file of JSON.
#ifndef NOCTURNE_HARNESS_JSON_FILE_H
#define NOCTURNE_HARNESS_JSON_FILE_H

#include <jansson.h>
#include <stdbool.h>

#include "csim/base/err.h"

// Returns NULL on failure: `FILE: why` or `FILE:LINE:COLUMN: what`. A key that stands twice is
// wrong.
json_t *json_file_load(const char *path, err_t *err);

// Writes through a temporary file beside the path, so that a full disk leaves what was there. A
// device or pipe is written as it is, and "-" is standard output. flags: of json_dumpf. A NULL
// object means that memory ran out while it was made.
bool json_file_write(const json_t *json, const char *path, size_t flags, err_t *err);

#endif
