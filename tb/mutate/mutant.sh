#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One mutant of a unit, a job of tb/mutate/mutate.sh; prints its number and fate.
#   tb/mutate/mutant.sh attack BUILD SEEDS UNIT NUMBER OPTIONS...
#       killed by a vector or a seed, survived, or failed
#   tb/mutate/mutant.sh settle BUILD FOLDER UNIT NUMBER MUTANTS PARAMETERS
#       what the proof says of that wrong line alone: equivalent, a gap (a run from reset shows it), or open
# Exit status: 1 if it failed.
set -u

attack() { # build seeds unit number options...
  local build=$1 seeds=$2 unit=$3 number=$4 seed cycles vec said
  shift 4
  export NOCTURNE_MUTANT=$number NOCTURNE_NO_WAVES=1
  for vec in tests/mutate/"$unit"/*.vec; do
    [ -f "$vec" ] || continue
    "$build/nocturne" unit --vectors "$vec" >/dev/null 2>&1 || { echo "$number killed $(basename "$vec" .vec)"; return; }
  done
  for seed in $(seq 1 $((10 + seeds))); do
    cycles=$((seed <= 10 ? 2000 : 20000))
    said=$("$build/nocturne" unit "$unit" "$@" --seed "$seed" --cycles $cycles 2>&1)
    case $? in
      0) continue ;;
      # (A mutant that no longer settles is found, too.)
      1 | 13[0-9]) echo "$number killed seed $seed"; return ;;
      *) echo "$number failed: ${said##*$'\n'}"; return 1 ;;
    esac
  done
  echo "$number survived"
}

settle() { # build folder unit number mutants parameters
  local build=$1 unit=$3 number=$4 own=$2/$4 mutants=$5 head status
  mkdir -p "$own"
  {
    echo "script $mutants/unit.ys"
    sed -n "${number}p" "$mutants/list.ys" | sed 's/-ctrl mutant 16 [0-9]* //'
    echo "write_verilog -noattr $own/flat.v"
  } >"$own/mutant.ys"
  yosys -q "$own/mutant.ys" >"$own/yosys.log" 2>&1 || { echo "$number open: yosys"; return; }
  head=$(sed -n "s/^\(module $unit #.*) (\).*/\1/p" "$mutants/mutants.v")
  sed "s/^module $unit(/$head/" "$own/flat.v" >"$own/$unit.v"
  rm "$own/flat.v"
  timeout 1200 tb/prove/prove.sh -b "$build/prove" -o "$own/proof" -r "$own/$unit.v" -p "$6" "$unit" >"$own/log" 2>&1
  status=$?
  if [ $status -eq 0 ]; then
    echo "$number equivalent proof"
  elif grep -q '^  from reset, in' "$own/log"; then
    echo "$number gap $(find "$own/proof" -name counterexample.vec)"
  else
    echo "$number open: $(case $status in 1) echo 'no run from reset' ;; 124) echo 'out of time' ;; *) echo "status $status" ;; esac), $own/log"
  fi
}

case $1 in
  attack | settle) "$@" ;;
  *) sed -n '4,7s/^# //p' "$0" >&2; exit 2 ;;
esac
