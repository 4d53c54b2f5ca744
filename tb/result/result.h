// SPDX-License-Identifier: Apache-2.0
// The result of a run: what is printed, and the JSON object (docs/results.md).
#ifndef NOCTURNE_RESULT_RESULT_H
#define NOCTURNE_RESULT_RESULT_H

#include <jansson.h>
#include <stdio.h>

#include "csim/base/config.h"
#include "csim/machine/check.h"
#include "csim/machine/machine.h"
#include "tb/harness/harness.h"

typedef struct {
  const config_t *config;
  const machine_params_t *params;
  const frame_t *frame;
  uint64_t seed;
  engine_e engine;
  machine_t *machine;
  harness_t *harness;
  check_result_t check;
  double seconds;
  const char *sequence;  // name of the sequence that the frame is of; NULL: it runs alone
  const char *baseline;  // setting of the run to compare with; NULL: none
  uint64_t baseline_cycles, baseline_spent[MachineStageCount];
  uint32_t baseline_gpus;
} result_t;

// How JSON files of results are written.
enum { ResultJsonFlags = JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12) };

void result_print(const result_t *r, FILE *file);

// Prints the keys of the JSON with their units and meanings (nocturne run --list-keys).
void result_list_keys(bool markdown, FILE *file);

json_t *result_json(const result_t *r);  // NULL: out of memory
// Atomic; "-" is standard output. False with one line in error.
bool result_write_json(const result_t *r, const char *path, char error[ConfigErrorSize]);
// The largest difference that rounding explains between a filtered sample and the same
// children filtered anisotropic last (docs/texture.md); INFINITY if texels are reused or the
// children are at fractional places.
double result_sample_bound(const result_t *r);
double result_sample_error(const result_t *r);
uint64_t result_mismatches(const result_t *r);
double result_psnr(const result_t *r);  // to the single GPU, tied pixels left out

#endif
