// SPDX-License-Identifier: Apache-2.0
// What every Verilated model includes, compiled once by tb/unit.mk.
#include "verilated.h"
#include "verilated_dpi.h"
