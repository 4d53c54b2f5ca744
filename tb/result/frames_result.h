// SPDX-License-Identifier: Apache-2.0
// The result of a sequence of frames: one row and one JSON object per frame, and their sum, the
// whole (docs/reference/json.md).
#ifndef NOCTURNE_RESULT_FRAMES_RESULT_H
#define NOCTURNE_RESULT_FRAMES_RESULT_H

#include <jansson.h>

#include "result.h"

typedef struct {
  const char *name;  // the sequence's
  uint64_t cycles, baseline_cycles, violations, tie_pixels, mismatches;
  double seconds;
  json_t *whole;  // made with the first frame
  bool failed;    // memory ran out for the JSON
} frames_result_t;

// Adds a frame that has run and prints its row; the first call prints the table's head before it.
// number: the frame's place in its sequence.
void frames_result_add(frames_result_t *sequence, const result_t *r, uint32_t number, FILE *file);

// Prints the table's last row.
void frames_result_print(const frames_result_t *sequence, FILE *file);

// Writes the JSON as result_write_json does.
bool frames_result_write_json(frames_result_t *sequence, const char *path, err_t *err);
void frames_result_free(frames_result_t *sequence);

#endif
