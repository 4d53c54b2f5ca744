// SPDX-License-Identifier: Apache-2.0
// Loads a Verilated unit from a shared object, which is built on demand under build/units.
#ifndef NOCTURNE_HARNESS_RTL_MODEL_H
#define NOCTURNE_HARNESS_RTL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "csim/base/text.h"
#include "dpi/dpi_context.h"
#include "engine.h"

typedef struct {
  void *object, *model;
  void *(*create)(uint64_t seed, dpi_context_t *context);
  void (*destroy)(void *model);
  void (*step)(void *model, uint64_t time);
  void (*reset)(void *model, int active);
  int (*stopped)(void *model);
  int (*unsettled)(void *model);             // it stopped since its logic does not settle
  const char *(*message)(void *model);       // errors since the last reset
  void (*quiet)(void *model, int is_quiet);  // messages go to standard output, or do not
  int (*trace_open)(void *model, const char *path);
  void (*trace_close)(void *model);
  // Only a bare unit has these: they make port values from recorded inputs, and clock with them.
  void *(*ports)(const void *in, uint64_t count);
  void (*ports_free)(void *ports);
  void (*run)(void *model, const void *ports, uint64_t stride, uint64_t count);
  void (*coverage)(void *model, const char *path);            // with coverage
  const uint32_t *(*counters)(void *model, uint32_t *count);  // of kind fuzz: of coverage
  char unit[64], params[512];
  char *log;  // the file of Verilator's warnings, owned
} rtl_model_t;

// kind: one of those of tb/unit.mk. *lacking: the machine has no simulator.
bool rtl_model_open(rtl_model_t *m, const char *unit, const char *params, const char *kind,
                    uint64_t seed, dpi_context_t *context, bool *lacking, err_t *err);
void rtl_model_close(rtl_model_t *m);

// Adds the places of the unit's combinational loops as Verilator's warnings tell them:
// "FILE:LINE:COLUMN SIGNAL"; without a warning, the unit's name.
void rtl_model_loops(const rtl_model_t *m, text_t *text);

// Says that the unit is from outside the tree: its RTL lies in this folder, the products of its
// description in OUT/unit.
void rtl_model_outside(const char *unit, const char *rtl, const char *out);

#endif
