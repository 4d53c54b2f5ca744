// SPDX-License-Identifier: Apache-2.0
// Helpers that the parts of libnocturne share.
#ifndef NOCTURNE_LIBRARY_LIBRARY_H
#define NOCTURNE_LIBRARY_LIBRARY_H

#include "csim/base/err.h"
#include "nocturne.h"
#include "tb/harness/harness.h"

// Fills *error, if there is one, and returns the status.
nocturne_status_e library_fail(nocturne_error_t *error, nocturne_status_e status,
                               const char *format, ...) __attribute__((format(printf, 3, 4)));

// Refuses a pointer that the caller must not leave out: fills *error and returns a result.
#define LIBRARY_NEEDS(pointer, error, result)                                   \
  do {                                                                          \
    if (!(pointer)) {                                                           \
      library_fail(error, NocturneWrong, "%s: " #pointer " is NULL", __func__); \
      return result;                                                            \
    }                                                                           \
  } while (0)

// Moves an err_t into *error, if there is one, and returns its status.
nocturne_status_e library_take(nocturne_error_t *error, err_t *err);

// Returns false, with the error filled, if there is no such engine.
bool library_engine(const char *name, engine_e *engine, nocturne_error_t *error);

// Fills *own with a user's engine as the harness takes it. It refers to *engine, which must outlive
// it. Returns false, with the error filled: no such unit, another page, or functions missing.
bool library_own(const nocturne_engine_t *engine, harness_own_t *own, nocturne_error_t *error);

#endif
