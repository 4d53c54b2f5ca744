// SPDX-License-Identifier: Apache-2.0
// Writes waves of all units together (docs/how-to/waves.md).
#ifndef NOCTURNE_HARNESS_SYSTEM_WAVES_H
#define NOCTURNE_HARNESS_SYSTEM_WAVES_H

#include "observer.h"

// Opens an observer that writes the cycles `from` to `to` (0: no end) to the VCD file `path`, which
// must outlive it. The save file is written at its end.
bool system_waves_open(observer_t *observer, const char *path, uint64_t from, uint64_t to,
                       err_t *err);

#endif
