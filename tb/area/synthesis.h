// SPDX-License-Identifier: Apache-2.0
// Runs the scripts of rtl/synth. Each unit and parameter set has a folder under build/area, named
// by the hash of the RTL, the flow, the library and Yosys' version, which keeps what they wrote.
#ifndef NOCTURNE_AREA_SYNTHESIS_H
#define NOCTURNE_AREA_SYNTHESIS_H

#include <stdbool.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "request.h"

typedef struct {
  const area_request_t *request;
  char *folder;  // owned
} synthesis_t;

// Finds the folder. library: the liberty file; script: the one that maps the unit.
bool synthesis_find(synthesis_t *synthesis, const area_request_t *request, const char *library,
                    const char *script, err_t *err);

// Runs a script of rtl/synth for each folder that lacks its product, so many at a time.
bool synthesis_run(const synthesis_t *all, uint32_t count, const char *script, const char *product,
                   uint32_t jobs, err_t *err);

// Runs a script with parameters other than the request's, whatever is there.
bool synthesis_run_with(const synthesis_t *synthesis, const char *params, const char *script,
                        const char *product, err_t *err);

#endif
