#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each module of a unit mapped by itself: what costs what. rtl/synth/synth.sh says what is written.
#   rtl/synth/modules.sh UNIT "-set NAME VALUE ..." OUT
exec "$(dirname "$0")/synth.sh" "$1" "$2" "$3" modules
