// SPDX-License-Identifier: Apache-2.0
// Waves of all units together. docs/waves.md
#ifndef NOCTURNE_HARNESS_SYSTEM_WAVES_H
#define NOCTURNE_HARNESS_SYSTEM_WAVES_H

#include "observer.h"

// Cycles from to to (0: no end) into the VCD file path, which is kept; the save file is written
// at its end. False with one line in error.
bool system_waves_open(observer_t *observer, const char *path, uint64_t from, uint64_t to,
                       err_t *err);

#endif
