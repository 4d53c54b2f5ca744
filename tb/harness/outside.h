// SPDX-License-Identifier: Apache-2.0
// Loads a unit from outside the tree: its description, the folder of its RTL, and its golden model
// as a shared object (docs/how-to/add-a-unit.md).
//
// LIB.so has four functions and the hash of the description that it was built from, for unit NAME:
//   void *NAME_golden_create(const NAME_params_t *params)   NULL: out of memory or out of range
//   unit_status_e NAME_golden_step(void *self, const NAME_in_t *in, NAME_out_t *out)
//   void NAME_golden_reset(void *self, NAME_out_t *out)
//   void NAME_golden_destroy(void *self)
//   const uint64_t NAME_golden_page = NAME_page;            NAME_page is in NAME.h
// A unit with a state has a fifth: void NAME_golden_observe(void *self, NAME_state_t *state).
#ifndef NOCTURNE_HARNESS_OUTSIDE_H
#define NOCTURNE_HARNESS_OUTSIDE_H

#include "csim/unit/page.h"
#include "csim/unit/table.h"
#include "engine.h"

typedef struct {
  const char *page, *rtl;
  const char *golden;  // NULL: the RTL only
} outside_t;

// The functions of a golden model; what its instances are made by.
typedef struct {
  void *(*create)(const void *params);
  void (*destroy)(void *self);
  unit_engine_t engine;  // without self
} outside_golden_t;

// Does what outside_load does but for the RTL, with OUT in place of build/outside: the unit's
// tables, and the golden model if o->golden is given. Returns NULL like it.
const unit_info_t *outside_open(const outside_t *o, const page_t *page, const char *out,
                                outside_golden_t *golden, bool *lacking, err_t *err);

// Says where the RTL is, if the folder has it; *found: it does. Fails without the folder.
bool outside_find_rtl(const outside_t *o, const page_t *page, const char *out, bool *found,
                      err_t *err);

// Writes the products of the description to build/outside, compiles its tables and loads them; from
// here on unit_find knows the unit. The model lives as long as the process. Returns NULL for a
// broken description, missing RTL, a stale LIB.so, or without a compiler (*lacking).
const unit_model_t *outside_load(const outside_t *outside, bool *lacking, err_t *err);

#endif
