// SPDX-License-Identifier: Apache-2.0
// The result of a run: what is printed, and the JSON object (docs/reference/json.md).
#ifndef NOCTURNE_RESULT_RESULT_H
#define NOCTURNE_RESULT_RESULT_H

#include <jansson.h>
#include <stdio.h>

#include "run.h"

// How JSON files of results are written.
enum { ResultJsonFlags = JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12) };

void result_print(const result_t *r, FILE *file);

// Prints the keys of the JSON with their units and meanings (nocturne run --list-keys).
void result_list_keys(bool csv, FILE *file);

// Prints the JSON Schema of the result (nocturne run --list-keys=schema).
void result_list_schema(FILE *file);

// Returns NULL if memory runs out.
json_t *result_json(const result_t *r);

// Writes the JSON so that a full disk leaves what was there; "-" is standard output.
bool result_write_json(const result_t *r, const char *path, err_t *err);

// Returns the largest difference of a filtered sample to the formulas; 0 unless it is tracked.
double result_sample_error(const result_t *r);

#endif
