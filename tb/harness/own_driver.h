// SPDX-License-Identifier: Apache-2.0
// A library of driver decisions (csim/driver/nocturne_driver.h) behind driver_policy_t.
#ifndef NOCTURNE_HARNESS_OWN_DRIVER_H
#define NOCTURNE_HARNESS_OWN_DRIVER_H

#include "engine.h"

// Loads it, once a process. NULL with one line in err: it is missing, or not a library of
// this interface.
harness_driver_t *own_driver_load(const char *path, err_t *err);

#endif
