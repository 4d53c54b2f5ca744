#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A unit mapped without abc's search for structures (dch), whose time grows out of hand above some 200,000 cells: a
# netlist as right, larger and slower than with it. rtl/synth/synth.sh says what is written.
#   rtl/synth/no_search.sh UNIT "-set NAME VALUE ..." OUT
set -eu
mkdir -p "$3"
sed 's/;dch,-f;/;/' "$(dirname "$0")/synth.sh" >"$3/no_search.sh"
! grep -q 'dch' "$3/no_search.sh" || { echo "ERROR: dch is still there" >"$3/warnings.log"; exit 1; }
exec bash "$3/no_search.sh" "$1" "$2" "$3"
