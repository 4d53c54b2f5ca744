// SPDX-License-Identifier: Apache-2.0
// What the parts of libnocturne share.
#ifndef NOCTURNE_LIBRARY_LIBRARY_H
#define NOCTURNE_LIBRARY_LIBRARY_H

#include "nocturne.h"
#include "tb/harness/harness.h"

// Fills *error, if there is one, and returns the status.
nocturne_status_e library_fail(nocturne_error_t *error, nocturne_status_e status,
                               const char *format, ...) __attribute__((format(printf, 3, 4)));

// False, with the error filled: no such engine.
bool library_engine(const char *name, engine_e *engine, nocturne_error_t *error);

// A user's engine as the harness takes it: *own is filled and refers to *engine, which must outlive
// it. False, with the error filled: no such unit, another page, functions missing.
bool library_own(const nocturne_engine_t *engine, harness_own_t *own, nocturne_error_t *error);

#endif
