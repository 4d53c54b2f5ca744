// SPDX-License-Identifier: Apache-2.0
// The values of the current cycle, which the harness and a unit's DPI functions share.
// The harness fills `in`, clocks the model, and reads `out` and `state`.
#ifndef NOCTURNE_DPI_CONTEXT_H
#define NOCTURNE_DPI_CONTEXT_H

typedef struct {
  const void *in;  // the unit's _in_t
  void *out;       // the unit's _out_t
  void *state;     // the unit's _state_t, or NULL
} dpi_context_t;

// The context of each shared object: model_create (tb/harness/verilated.cpp) sets it while a model
// is constructed; the test bench fetches it once.
extern _Thread_local dpi_context_t *dpi_context_current;

#endif
