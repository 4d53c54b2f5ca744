#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Proves each model that tb/area/tools/models.c makes of a liberty file equal to what Yosys reads of it.
#   rtl/synth/prove_cells.sh OUT [CELLS.v]      CELLS.v: other models than those made now
set -u
out=$1 models=${2:-$1/cells.v}
lib=${NOCTURNE_LIBERTY:-${OSU018:-/usr/share/qflow/tech/osu018/osu018_stdcells.lib}}
mkdir -p "$out"
if [ -z "${2:-}" ]; then
  tool=$(tb/area/tools/tool.sh models) && $tool "$lib" >"$models" || exit
fi
cells=$(sed -nE 's/^module +([^ ]+) .*/\1/p' "$models")
[ -n "$cells" ] || { echo "$models: no cells"; exit 1; }
{
  echo "read_liberty $lib"
  for c in $cells; do echo "rename $c lib_$c"; done
  echo "read_verilog $models"
  echo "proc"
  for c in $cells; do
    # shellcheck disable=SC2016
    awk -v c="$c" '$1 == "//" && $2 == "tied" && $3 == c {
      print "cd lib_" c "; delete -input w:" $4 "; connect -set " $4 " 1\047b" $5 "; opt; cd .."
      print "cd " c "; delete w:" $4 "; cd .."
    }' "$models"
    echo "equiv_make lib_$c $c eq_$c"
    echo "hierarchy -top eq_$c"
    echo "flatten eq_$c"
    echo "opt_clean eq_$c"
    echo "equiv_simple eq_$c"
    echo "equiv_induct eq_$c"
    echo "log proving $c"
    echo "equiv_status -assert eq_$c"
    echo "design -load start"
  done
} | awk '/^proc$/ {print; print "design -save start"; next} {print}' >"$out/prove.ys"
if yosys -q -l "$out/prove.log" "$out/prove.ys" >"$out/prove.err" 2>&1; then
  echo "proved $(echo "$cells" | wc -w) cells"
else
  grep -E '^proving' "$out/prove.log" | tail -n 1
  grep -E 'ERROR|Unproven' "$out/prove.err" | head -n 2
  exit 1
fi
