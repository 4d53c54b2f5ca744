#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One mutant of a unit, a job of tb/mutate/mutate.sh; prints its number and fate.
#   tb/mutate/mutant.sh attack BUILD SEEDS UNIT NUMBER OPTIONS...
#       killed by a vector or a seed, survived, or failed
#   tb/mutate/mutant.sh settle BUILD FOLDER UNIT NUMBER PROOF PARAMETERS
#       what the prover says of it, given the proof of the unit with all mutants off (in the folder PROOF): equivalent,
#       a gap (a run from reset shows it, and the harness repeats it), or open
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

settle() { # build folder unit number proof parameters
  local build=$1 unit=$3 number=$4 own=$2/$4 proof=$5 status
  mkdir -p "$own"
  timeout 1200 "$build/prove" "$unit" "$6" --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" --mutant "$number" \
    --vectors "$own/counterexample.vec" >"$own/log" 2>&1
  status=$?
  if [ $status -eq 0 ]; then
    echo "$number equivalent proof"
  elif [ ! -f "$own/counterexample.vec" ]; then
    echo "$number open: $(case $status in 1) echo 'no run from reset' ;; 124) echo 'out of time' ;; *) echo "status $status" ;; esac), $own/log"
  elif NOCTURNE_MUTANT=$number NOCTURNE_NO_WAVES=1 "$build/nocturne" unit --vectors "$own/counterexample.vec" >"$own/replay" 2>&1; then
    echo "$number open: the harness does not repeat it, $own/replay"
  else
    echo "$number gap $own/counterexample.vec"
  fi
}

case $1 in
  attack | settle) "$@" ;;
  *) sed -n '4,7s/^# //p' "$0" >&2; exit 2 ;;
esac
