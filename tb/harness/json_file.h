// A JSON file, read whole.
#ifndef NOCTURNE_HARNESS_JSON_FILE_H
#define NOCTURNE_HARNESS_JSON_FILE_H

#include <jansson.h>

// NULL: one line in error, `FILE: why` or `FILE:LINE:COLUMN: what`. A key that stands twice is wrong.
json_t *json_file_load(const char *path, char *error, size_t size);

#endif
