#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The modules of a unit as the RTL has them, for its schematic. rtl/synth/synth.sh says what is written.
#   rtl/synth/hierarchy.sh UNIT "-set NAME VALUE ..." OUT
exec "$(dirname "$0")/synth.sh" "$1" "$2" "$3" hierarchy
