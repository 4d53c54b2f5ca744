// SPDX-License-Identifier: Apache-2.0
// The header that every Verilated model includes; tb/unit.mk compiles it once.
#include "verilated.h"
#include "verilated_dpi.h"
