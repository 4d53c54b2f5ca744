#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One mutant of a unit, a job of tb/mutate/mutate.sh; prints its number and fate.
#   tb/mutate/mutant.sh attack BUILD FIRST LAST VECTORS NUMBER OPTIONS...
#       killed by vectors or a sequence of the folder VECTORS or one of these seeds, survived, or failed
#   tb/mutate/mutant.sh settle BUILD FOLDER PROOF FIRST LAST UNIT NUMBER PARAMETERS OPTIONS...
#       what the prover says of it, given the proof of the unit with all mutants off (in the folder PROOF): equivalent;
#       or killed by one of these seeds after all; or a gap (a run from reset shows it, and the harness repeats it);
#       or open
# OPTIONS: what `nocturne unit` takes: the unit and its options, or --page and the like of a unit from outside the tree.
# Exit status: 1 if it failed.
set -u

# Vectors and sequences name their unit; of one from outside they need its page.
play() { # build file options...
  local build=$1 file=$2
  shift 2
  [[ $1 = --page ]] || set --
  "$build/nocturne" unit "$([[ $file = *.vec ]] && echo --vectors || echo --play)" "$file" "$@"
}

attack() { # build first last vectors number options...
  local build=$1 first=$2 last=$3 vectors=$4 number=$5 seed cycles file said
  shift 5
  export NOCTURNE_MUTANT=$number NOCTURNE_NO_WAVES=1
  for file in "$vectors"/*.{vec,json}; do
    [ "$first" -eq 1 ] && [ -f "$file" ] || continue
    play "$build" "$file" "$@" >/dev/null 2>&1 || { echo "$number killed $(basename "${file%.*}")"; return; }
  done
  for seed in $(seq "$first" "$last"); do
    cycles=$((seed <= 10 ? 2000 : 20000))
    said=$("$build/nocturne" unit "$@" --seed "$seed" --cycles $cycles 2>&1)
    case $? in
      0) continue ;;
      # (A mutant that no longer settles is found, too.)
      1 | 13[0-9]) echo "$number killed seed $seed"; return ;;
      *) echo "$number failed: ${said##*$'\n'}"; return 1 ;;
    esac
  done
  echo "$number survived"
}

settle() { # build folder proof first last unit number parameters options...
  local build=$1 own=$2/$7 proof=$3 first=$4 last=$5 unit=$6 number=$7 params=$8 said status
  local asked=("$build/prove" "$unit" "$params" --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" --mutant "$number")
  shift 8
  [ ! -f "$proof/tables.so" ] || asked+=(--tables "$proof/tables.so")  # of a unit from outside
  mkdir -p "$own"
  timeout 1200 "${asked[@]}" --cycles 1 >"$own/log" 2>&1 && { echo "$number equivalent proof"; return; }
  said=$(attack "$build" "$first" "$last" - "$number" "$@")
  status=$?
  [ "$said" = "$number survived" ] || { echo "$said"; return $status; }
  timeout 300 "${asked[@]}" --cycles 20 --vectors "$own/counterexample.vec" >"$own/log" 2>&1
  status=$?
  if [ ! -f "$own/counterexample.vec" ]; then
    echo "$number open: $(case $status in 1) echo 'no run of 20 cycles from reset' ;; 124) echo 'out of time' ;; *) echo "status $status" ;; esac), $own/log"
  elif NOCTURNE_MUTANT=$number NOCTURNE_NO_WAVES=1 play "$build" "$own/counterexample.vec" "$@" >"$own/replay" 2>&1; then
    echo "$number open: the harness does not repeat it, $own/replay"
  else
    echo "$number gap $own/counterexample.vec"
  fi
}

case $1 in
  attack | settle) "$@" ;;
  *) sed -n '4,10s/^# //p' "$0" >&2; exit 2 ;;
esac
