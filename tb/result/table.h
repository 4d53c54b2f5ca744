// SPDX-License-Identifier: Apache-2.0
// Products of the rows.
#ifndef NOCTURNE_RESULT_TABLE_H
#define NOCTURNE_RESULT_TABLE_H

#include <stdio.h>

#include "rows.h"

// Joins one GPU's statistics to the sum of those before.
void rows_join(gpu_facts_t *sum, const gpu_facts_t *one);

// Returns the JSON object of a run.
json_t *rows_json(const facts_t *facts);

// Makes the JSON object of a sequence from its first frame's.
json_t *rows_whole(json_t *frame);

// Adds a later frame to the whole.
void rows_add(json_t *whole, json_t *frame);

// Removes from a frame's object what stands in the whole only.
void rows_strip(json_t *frame);

// Prints all keys with unit and meaning: as CSV, or in columns for a terminal.
void rows_list(bool csv, FILE *file);

#endif
