// SPDX-License-Identifier: Apache-2.0
// Which units to measure, with which parameters.
#ifndef NOCTURNE_AREA_REQUEST_H
#define NOCTURNE_AREA_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "csim/base/err.h"
#include "csim/base/strings.h"

typedef struct {
  const char *unit;
  const char *params;   // of the RTL, "NumGpus=8 CountWidth=64"; empty: the defaults
  const char *changed;  // those that are not the default, and Observe=0
} area_request_t;

typedef struct {
  area_request_t *all;
  uint32_t count;
  const char *activity_params;  // as the file of vectors names them, or NULL
  strings_t texts;              // owns all of the above
} area_requests_t;

// The request of a user.
typedef struct {
  const char *const *units;
  uint32_t unit_count;
  const uint32_t *gpus;  // values of NumGpus, of the units that have it
  uint32_t gpus_count;
  const char *const *sets;  // "PARAM=V,V,..."; several lists: each value with each
  uint32_t set_count;
} area_wanted_t;

// Makes a request for each unit and combination of parameters. Refuses values beyond the unit
// descriptions' ranges. Free the requests in any case.
bool area_requests_make(area_requests_t *requests, const area_wanted_t *wanted, err_t *err);

// Makes the one request that a file of vectors names; unit: the one expected, or NULL.
bool area_requests_read(area_requests_t *requests, const char *vectors, const char *unit,
                        err_t *err);

void area_requests_free(area_requests_t *requests);

#endif
