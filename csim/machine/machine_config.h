// SPDX-License-Identifier: Apache-2.0
// The configuration keys of the machine (docs/reference/configuration.md is made from them).
#ifndef NOCTURNE_MACHINE_CONFIG_H
#define NOCTURNE_MACHINE_CONFIG_H

#include "../base/config.h"
#include "machine.h"

// Registers every key of the machine and gives *params the defaults.
bool machine_config_add(config_t *config, machine_params_t *params, err_t *err);

// Checks what the ranges of single keys cannot: false with one line in error, naming
// the key and where its value came from.
bool machine_config_check(const config_t *config, const machine_params_t *params, err_t *err);

#endif
