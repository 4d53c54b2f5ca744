#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Mutants of units (docs/mutation.md): wrong lines that nobody chose, run against the unit's vectors
# (tests/mutate/UNIT) and random traffic until one fails; what survives goes to the proof.
# usage: tb/mutate/mutate.sh [-n COUNT] [-s SEEDS] [-j JOBS] [-b BUILD] [-o FOLDER] [-p] [UNIT...]
#   -n  so many of the unit's mutants, evenly (240: all)   -s  seeds of 20,000 cycles each after ten of 2,000 (30)
#   -j  jobs (processors)                 -b  build folder (build)
#   -o  where results go (BUILD/mutate)   -p  without the proof: survivors stay open
# FOLDER/UNIT: results (number, fate, by what, source lines), a folder for each survivor's proof.
# Exit status: 0 no gap, and at most 2 % open, for each unit; 1 otherwise, or the unit as it is fails; 2 bad usage;
# 3 a tool is missing.
set -u
count=240 seeds=30 jobs=$(nproc) build=build out='' proof=1
while getopts n:s:j:b:o:p option; do
  case $option in
    n) count=$OPTARG ;;
    s) seeds=$OPTARG ;;
    j) jobs=$OPTARG ;;
    b) build=$OPTARG ;;
    o) out=$OPTARG ;;
    p) proof='' ;;
    *) sed -n '5,8s/^# //p' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
out=${out:-$build/mutate}
case $count$seeds$jobs in *[!0-9]*) echo "mutate: -n, -s, -j: expected numbers" >&2; exit 2 ;; esac
sizes=tests/mutate/sizes.txt
for unit in "$@"; do
  grep -q "^$unit " $sizes || { echo "mutate: $unit: not in $sizes" >&2; exit 2; }
done
export NOCTURNE_NO_WAVES=1

# One mutant against what there is; "killed ...", "survived" or "failed: ..." behind its number.
attack() { # unit folder number options...
  local unit=$1 number=$3 seed cycles log=$2/log.$3 vec
  shift 3
  for vec in tests/mutate/"$unit"/*.vec; do
    [ -f "$vec" ] || continue
    NOCTURNE_MUTANT=$number "$build/nocturne" unit --vectors "$vec" >"$log" 2>&1 ||
      { echo "$number killed $(basename "$vec" .vec)"; rm -f "$log"; return; }
  done
  for seed in $(seq 1 $((10 + seeds))); do
    cycles=$((seed <= 10 ? 2000 : 20000))
    NOCTURNE_MUTANT=$number "$build/nocturne" unit "$@" --seed "$seed" --cycles $cycles >"$log" 2>&1
    case $? in
      0) continue ;;
      # (A mutant that no longer settles is found, too.)
      1 | 13[0-9]) echo "$number killed seed $seed"; rm -f "$log"; return ;;
      *) echo "$number failed: $(tail -n 1 "$log")"; return ;;
    esac
  done
  echo "$number survived"
  rm -f "$log"
}

# The same wrong line alone, for the prover: equivalent, a gap (a run from reset shows it), or open.
settle() { # unit folder number folder-of-mutants parameters
  local unit=$1 number=$3 own=$2/$3 mutants=$4 head status
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
  timeout 1200 tb/prove/prove.sh -b "$build/prove" -o "$own/proof" -r "$own/$unit.v" -p "$5" "$unit" >"$own/log" 2>&1
  status=$?
  if [ $status -eq 0 ]; then
    echo "$number equivalent proof"
  elif grep -q '^  from reset, in' "$own/log"; then
    echo "$number gap $(find "$own/proof" -name counterexample.vec)"
  else
    echo "$number open: $(case $status in 1) echo 'no run from reset' ;; 124) echo 'out of time' ;; *) echo "status $status" ;; esac), $own/log"
  fi
}

one() { # unit options...
  local unit=$1 folder=$out/$1 header params mutants all of n=0 killed equivalent gaps open
  shift
  mkdir -p "$folder"
  rm -rf "${folder:?}"/*
  "$build/nocturne" unit "$unit" "$@" --seed 1 --cycles 1 --engine golden --record "$folder" >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; return 2; }
  header=$(head -n 1 "$folder/$unit"-*.vec)
  params=$(echo "$header" | cut -d ' ' -f 4-)
  rm "$folder/$unit"-*.vec
  NOCTURNE_MUTANT=0 "$build/nocturne" unit "$unit" "$@" --seed 1 --cycles 2000 >"$folder/log" 2>&1 ||
    { echo "mutate: $unit without a mutant fails:" >&2; cat "$folder/log" >&2; return 1; }
  mutants=build/units/$unit/${params// /-}/mutants/mutants
  all=$(wc -l <"$mutants/list.ys")
  of=$((count < all ? count : all))
  echo "$unit $params: $of of $all mutants"
  export -f attack settle
  export build seeds
  for ((n = 1; n <= of; n++)); do echo $((n * all / of)); done | xargs -P "$jobs" -I @@ bash -c 'attack "$@"' - "$unit" "$folder" @@ "$unit" "$@" |
    for ((n = 1; n <= of; n++)); do
      read -r line
      echo "$line" >>"$folder/results"
      [ $((n % 20)) -ne 0 ] || echo "  $n of $of, $(grep -c survived "$folder/results") alive"
    done
  if [ -n "$proof" ] && grep -q "^$unit " tests/prove/sizes.txt; then
    grep survived "$folder/results" | cut -d ' ' -f 1 |
      xargs -P "$jobs" -I @@ bash -c 'settle "$@"' - "$unit" "$folder" @@ "$mutants" "$params" |
      while read -r line; do
        echo "  $line"
        echo "$line" >>"$folder/settled"
      done
    grep -v survived "$folder/results" >"$folder/killed"
    cat "$folder/killed" "$folder/settled" 2>/dev/null | sort -n >"$folder/results"
    rm -f "$folder/killed" "$folder/settled"
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
while read -r unit options; do
  case $unit in '' | '#'*) continue ;; esac
  [ $# -eq 0 ] || [[ " $* " = *" $unit "* ]] || continue
  # shellcheck disable=SC2086
  one "$unit" $options </dev/null
  status=$?
  [ $status -le $worst ] || worst=$status
done <$sizes
printf '\n%s' "$table"
exit $worst
