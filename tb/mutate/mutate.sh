#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mutants of units (docs/mutation.md): wrong lines that nobody chose, run against the unit's vectors and sequences
# (tests/units/UNIT/mutants) and random traffic until one fails. What survives the first seeds goes to the proof, and what is
# not equivalent by it to the other seeds, then to the search for a run.
# usage: tb/mutate/mutate.sh [-n COUNT] [-s SEEDS] [-j JOBS] [-r OPTIONS] [-b BUILD] [-o FOLDER] [-p] [UNIT...]
#        tb/mutate/mutate.sh [...] -- --page P.yaml [--rtl DIR] --golden LIB.so [--wrapper W.c] [--size "NAME=VALUE.."]
#   a unit from outside the tree, at this size; its survivors go to the proof if there is a wrapper for it;
#   --vectors DIR: vectors and sequences that are played first
#   -n  so many of the unit's mutants, evenly (240: all)   -s  seeds of 20,000 cycles each after ten of 2,000 (30)
#   -j  jobs (processors)                 -b  build folder (build)
#   -r  options of `nocturne regress`, which runs the mutants: -r "--launch 'srun -Q -n1' -j 100" (docs/cluster.md)
#   -o  where results go (BUILD/mutate)   -p  without the proof: survivors stay open
# FOLDER/UNIT: results (number, fate, by what, source lines), a folder for each survivor's proof.
# Exit status: 0 no gap, and at most 2 % open, for each unit; 1 otherwise, or the unit as it is fails; 2 bad usage;
# 3 a tool is missing, or Slurm refuses.
set -u
count=240 seeds=30 jobs='' handed='' build=build out='' proof=1
while getopts n:s:j:r:b:o:p option; do
  case $option in
    n) count=$OPTARG ;;
    s) seeds=$OPTARG ;;
    j) jobs=$OPTARG ;;
    r) handed=$OPTARG ;;
    b) build=$OPTARG ;;
    o) out=$OPTARG ;;
    p) proof='' ;;
    *) sed -n '6,13s/^# //p' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
out=${out:-$build/mutate}
case $count$seeds$jobs in *[!0-9]*) echo "mutate: -n, -s, -j: expected numbers" >&2; exit 2 ;; esac
sizes=tests/mutate/sizes.txt
# shellcheck source=tb/prove/outside.sh
. tb/prove/outside.sh
own=() knobs='' wrapper='' vectors='' objects=build/units
if [[ "${1:-}" = --* ]]; then  # (getopts has taken the --)
  outside_read mutate "$build" "$@"
  [ -n "$library" ] || { echo "mutate: expected --golden LIB.so too" >&2; exit 2; }
  [ -z "$wrapper" ] || [ -x "$build/prove" ] || { echo "mutate: $build/prove is missing; make builds it" >&2; exit 3; }
  knobs=$(outside_knobs mutate "$size") || exit 2
  own=("${place[@]}") objects=build/outside/units
  set --
fi
for unit in "$@"; do
  grep -q "^$unit " $sizes || { echo "mutate: $unit: not in $sizes" >&2; exit 2; }
done
export NOCTURNE_NO_WAVES=1

# A line of each mutant's fate; numbers on standard input. Status 1: one failed, which its line says.
each() { # folder command...
  local folder=$1
  shift
  NOCTURNE=$build/nocturne tb/regress/each.sh "$folder" "${jobs:+-j $jobs }$handed" tb/mutate/mutant.sh "$@" >"$folder.lines"
  set -- $?
  [ "$1" -eq 0 ] || { [ "$1" -eq 1 ] && [ -s "$folder.lines" ]; }
}

one() { # unit options...: those of `nocturne unit`
  local unit=$1 folder=$out/$1 header params mutants all of n=0 proof_first first killed equivalent gaps open proved
  local directed=${vectors:-tests/units/$unit/mutants}
  shift
  mkdir -p "$folder"
  # What a regression that was cut off goes on with stays.
  [[ " $handed " = *' --resume '* ]] || rm -rf "${folder:?}"/*
  "$build/nocturne" unit "$@" --seed 1 --cycles 1 --engine golden --record "$folder" >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; return 2; }
  header=$(head -n 1 "$folder/$unit"-*.vec)
  params=$(echo "$header" | cut -d ' ' -f 4-)
  rm "$folder/$unit"-*.vec
  NOCTURNE_MUTANT=0 "$build/nocturne" unit "$@" --seed 1 --cycles 2000 >"$folder/log" 2>&1 ||
    { echo "mutate: $unit without a mutant fails:" >&2; cat "$folder/log" >&2; return 1; }
  proof_first=0
  if [ ${#own[@]} -gt 0 ]; then
    [ -z "$proof" ] || [ -z "$wrapper" ] || proof_first=1
    proved=(-- "${own[@]}" --wrapper "$wrapper" --size "$params" --no-covers)
  else
    [ -z "$proof" ] || ! grep -q "^$unit " tests/prove/sizes.txt || proof_first=1
    proved=(-p "$params" "$unit")
  fi
  mutants=$objects/$unit/${params// /-}/mutants/mutants
  all=$(wc -l <"$mutants/list.ys")
  of=$((count < all ? count : all))
  echo "$unit $params: $of of $all mutants"
  first=$((10 + (proof_first && seeds > 3 ? 3 : seeds)))
  for ((n = 1; n <= of; n++)); do echo $((n * all / of)); done |
    each "$folder/attacks" attack "$build" 1 $first "$directed" ITEM "$@" || return 3
  mv "$folder/attacks.lines" "$folder/results"
  if [ $proof_first -eq 1 ] && grep -q ' survived$' "$folder/results"; then
    # Of the unit as it is, in the graph that holds all mutants; then only what a mutant changes is asked.
    tb/prove/prove.sh -b "$build/prove" -o "$folder/proof" -r "$mutants/mutants.il" "${proved[@]}" \
      >"$folder/proof.log" 2>&1 || { echo "mutate: $unit is not proved: $folder/proof.log" >&2; return 1; }
    grep ' survived$' "$folder/results" | cut -d ' ' -f 1 |
      each "$folder/proofs" settle "$build" "$folder" "$folder/proof/$unit/${params// /-}" $((first + 1)) \
        $((10 + seeds)) "$unit" ITEM "$params" "$@" || return 3
    sed 's/^/  /' "$folder/proofs.lines"
    { grep -v survived "$folder/results"; cat "$folder/proofs.lines"; } | sort -n >"$folder/list"
    mv "$folder/list" "$folder/results"
    rm "$folder/proofs.lines"
  fi
  # What each does, and where in the source.
  awk 'NR == FNR {
         what = ""
         for (i = 1; i < NF; i++) {
           if ($i == "-mode" || $i == "-wire" || $i == "-wirebit" || $i == "-src") what = what " " $(i + 1)
         }
         of[FNR] = what
         next
       }
       { print $0 " |" of[$1] }' "$mutants/list.ys" "$folder/results" >"$folder/list"
  mv "$folder/list" "$folder/results"
  killed=$(grep -c '^[0-9]* killed' "$folder/results")
  equivalent=$(grep -c '^[0-9]* equivalent' "$folder/results")
  gaps=$(grep -c '^[0-9]* gap' "$folder/results")
  open=$((of - killed - equivalent - gaps))
  table+=$(printf '%-24s %8s %8s %10s %6s %6s' "$unit" "$of" "$killed" "$equivalent" "$gaps" "$open")$'\n'
  grep -vE '^[0-9]+ (killed|equivalent)' "$folder/results"
  [ "$gaps" -eq 0 ] && [ $((open * 50)) -le "$of" ]
}

for tool in yosys verilator; do
  command -v $tool >/dev/null || { echo "mutate: $tool is missing; make setup installs it" >&2; exit 3; }
done
worst=0
table=$(printf '%-24s %8s %8s %10s %6s %6s' unit mutants killed equivalent gaps open)$'\n'
if [ ${#own[@]} -gt 0 ]; then
  # shellcheck disable=SC2086
  one "$unit" "${own[@]}" $knobs </dev/null
  worst=$?
  printf '\n%s' "$table"
  exit $worst
fi
while read -r unit options; do
  case $unit in '' | '#'*) continue ;; esac
  [ $# -eq 0 ] || [[ " $* " = *" $unit "* ]] || continue
  # shellcheck disable=SC2086
  one "$unit" "$unit" $options </dev/null
  status=$?
  [ $status -le $worst ] || worst=$status
done <$sizes
printf '\n%s' "$table"
exit $worst
