#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Proves units (docs/proved.md): makes what build/prove reads, runs it, and keeps what was proved by the
# hash of all that it depends on.
# usage: tb/prove/prove.sh [-s] [-f] [-j JOBS] [-c CYCLES] [-o FOLDER] [-b PROGRAM] [-r FILE -p PARAMETERS] [UNIT...]
#        tb/prove/prove.sh [...] -- --page P.yaml [--rtl DIR] --wrapper W.c [--golden LIB.so] [--size "NAME=VALUE ..."]
#   a unit from outside the tree, at this size; --golden: counterexamples are replayed in lockstep, too;
#   --no-covers: what it can do is not looked for from reset
#   -s  only the sizes that `make test` proves    -f  again, even what is kept
#   -o  where things are made (build/proofs)      -b  the prover (build/prove)
#   -r  the unit is the module of this RTLIL file -p  this size of it: "NAME=VALUE ...", those that differ
#   -j  so many at a time (1), units and cases of a unit
#   -c  most cycles of a run from reset that is searched (45)
# The units' pages must be made (build/unit). In a copy of the tree it proves the copy.
# Exit status: 0 all proved; 1 something refuted; 2 bad usage, or what the translator does not know;
# 3 a tool is missing.
set -u
short='' again='' out=build/proofs program=build/prove own='' size_given='' jobs=1 cycles=()
while getopts sfo:b:r:p:j:c: option; do
  case $option in
    s) short=1 ;;
    f) again=1 ;;
    o) out=$OPTARG ;;
    b) program=$OPTARG ;;
    r) own=$OPTARG ;;
    p) size_given=$OPTARG ;;
    j) jobs=$OPTARG ;;
    c) cycles=(--cycles "$OPTARG") ;;
    *) sed -n '5,13s/^# //p' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
case $jobs in '' | *[!0-9]* | 0) echo "prove: -j: expected a number from 1" >&2; exit 2 ;; esac
for tool in clang-14 yosys; do
  command -v $tool >/dev/null || { echo "prove: $tool is missing; make setup installs it" >&2; exit 3; }
done
sizes=tests/prove/sizes.txt
made=build/unit wrapper='' place=()
# shellcheck source=tb/prove/outside.sh
. tb/prove/outside.sh
if [[ "${1:-}" = --* ]]; then  # (getopts has taken the --)
  outside_read prove "$(dirname "$program")" "$@"
  [ -n "$wrapper" ] || { echo "prove: expected --wrapper W.c too" >&2; exit 2; }
  made=build/outside/unit
  set -- "$unit"
else
  tables=''
fi
[ -n "$tables" ] || for unit in "$@"; do
  grep -q "^$unit " $sizes || { [ -n "$size_given" ] && [ -f "tests/units/$unit/proof.c" ]; } ||
    { echo "prove: $unit: not in $sizes" >&2; exit 2; }
done

# What stands for the parts of a unit that only joins them (tests/units/UNIT/proof.parts): their modules, and
# their fields for the wrapper.
make_parts() { # unit folder
  local part
  [ -f "tests/units/$1/proof.parts" ] || return 0
  mkdir -p "$2/parts"
  while read -r part; do
    awk -f tb/prove/part.awk "build/unit/$part/vectors_$part.sv" >"$2/parts/$part.sv"
    sed -n "/state_fields\[\]/,/^static void dims/{/^static void dims/!d};/^static unit_status_e step/,\$d
      s/^static const unit_field_t \(in\|out\)_fields/static const unit_field_t ${part}_\1_fields/
      s/^static void dims/static void ${part}_dims/;p" "build/unit/$part/${part}_table.c" >"$2/parts/${part}_fields.h"
  done <"tests/units/$1/proof.parts"
}

rtl_folder() { if [ -n "$tables" ]; then echo "$rtl"; else dirname rtl/*/"$1.sv"; fi; }
wrapper_of() { echo "${wrapper:-tests/units/$1/proof.c}"; }

# A folder, by unit and parameters; its files are golden.bc, rtl.aig, key and log.
make_golden() { # unit folder defines...
  local unit=$1 folder=$2
  shift 2
  clang-14 -std=c11 -D_GNU_SOURCE -I. -I"${made%/unit}" -Ibuild -I"$folder/parts" -O1 -g -fno-vectorize \
    -fno-slp-vectorize -fno-unroll-loops -Wall -Wextra ${tables:+-w} -Werror "$@" -emit-llvm \
    -c "$(wrapper_of "$unit")" -o "$folder/golden.bc" 2>"$folder/clang.log" && return
  if [ -n "$tables" ]; then
    echo "prove: $(grep -m 1 'error:' "$folder/clang.log"): $folder/clang.log" >&2
  else
    cat "$folder/clang.log" >&2
  fi
  return 2
}

# The unit's modules, its parts' stand-ins instead of the parts. Beside a unit from outside there may be files that are
# not its own.
rtl_of() { # unit folder
  if [ -n "$tables" ]; then
    NOCTURNE_RTL=$rtl rtl/synth/files.sh "$1" | grep '\.sv$'
  elif [ -d "$2/parts" ]; then
    echo rtl/common/*.sv rtl/*/"$1.sv" "$2"/parts/*.sv
  else
    echo rtl/common/*.sv "$(dirname rtl/*/"$1.sv")"/*.sv
  fi
}

# What Yosys 0.23 does not read rightly is not used (docs/rtl-subset.md).
make_rtl() { # unit folder chparam...
  local unit=$1 folder=$2 top=vectors_$1 files replace=''
  shift 2
  files=$(rtl_of "$unit" "$folder" | tr '\n' ' ')
  [ -z "$own" ] || replace="hierarchy -check -top $top; select -set others $top %n; delete @others; \
    read_rtlil $own; chtype -set $unit $top/u_dut; "
  yosys -q -l "$folder/yosys.log" -p "read_verilog -sv -I$(rtl_folder "$unit") -Irtl/common $files \
    $made/$unit/$top.sv; chparam $* $top; $replace \
    prep -top $top -flatten; expose -input w:u_dut.mutant ; async2sync; memory_map; dffunmap; opt -full; \
    rename -enumerate -pattern product_% t:\$mul ; techmap -map tb/prove/products.v; \
    expose w:product_*.a w:product_*.b ; expose -input w:product_*.y ; \
    techmap; opt -full; dffunmap; abc -fast -g AND; opt_clean; setundef -undriven -zero; aigmap; \
    write_aiger -symbols $folder/rtl.aig" >"$folder/yosys.out" 2>&1 ||
    { grep ERROR "$folder/yosys.out" >&2; return 2; }
}

# Everything that decides the outcome.
key_of() { # unit folder defines...
  local unit=$1 folder=$2 where
  shift 2
  where=$(rtl_folder "$unit")
  {
    clang-14 -std=c11 -D_GNU_SOURCE -I. -I"${made%/unit}" -Ibuild -I"$folder/parts" -E -P "$@" \
      "$(wrapper_of "$unit")"
    # shellcheck disable=SC2046
    cat "tests/units/$unit/proof.runs" $(rtl_of "$unit" "$folder") "$folder"/parts/* "$where"/*.svh rtl/common/* ${own:+"$own"} \
      "$made/$unit/vectors_$unit.sv" tb/prove/products.v "$program" "$0"
    clang-14 --version
    yosys --version
  } 2>/dev/null | sha256sum | cut -d ' ' -f 1
}

# The counterexample in the harness: in lockstep, where a wrong RTL shows, with waves; and in the RTL
# alone against what the golden model in the graph says, where a wrong golden model does.
replay() { # folder
  local vec=$1/counterexample.vec log=$1/replay.log
  [ -x build/nocturne ] || { echo "  not replayed: build/nocturne is missing"; return; }
  if ! build/nocturne unit "${place[@]}" --vectors "$vec" >"$log" 2>&1 && grep -q '^MISMATCH' "$log"; then
    echo "  replayed in lockstep ($log):"
    grep -E '^MISMATCH|^  signal|waves|\.fst' "$log" | sed 's/^/  /'
  elif ! build/nocturne unit "${place[@]}" --vectors "$vec" --engine rtl >"$log" 2>&1 &&
    grep -q 'not as recorded' "$log"; then
    echo "  replayed in the RTL ($log):"
    grep 'not as recorded' "$log"
  else
    echo "  not repeated by the harness: $log"
  fi
}

# Runs of the compiled golden model, as options of the prover: what a search would take minutes for.
recorded() { # unit parameters folder
  local gpus arguments number=0
  runs=()
  [ -f "tests/units/$1/proof.runs" ] && [ -z "$tables" ] || return 0
  gpus=$(sed -n 's/.*NumGpus=\([0-9]*\).*/--gpus \1/p' <<<"$2")
  rm -rf "$3/runs"
  mkdir -p "$3/runs"
  while read -r arguments; do
    [[ $arguments = '#'* ]] && continue
    [[ $arguments = --play* ]] || arguments="$1 $gpus $arguments"  # a sequence names its unit
    # shellcheck disable=SC2086
    build/nocturne unit $arguments --engine golden --record "$3/runs/$number" \
      </dev/null >"$3/runs.log" 2>&1 || { cat "$3/runs.log" >&2; return 2; }
    runs+=(--runs "$(ls "$3/runs/$number"/*.vec)")
    number=$((number + 1))
  done <"tests/units/$1/proof.runs"
}

prove() { # unit covers parameters
  local unit=$1 covers params folder key defines=() chparam=() runs=() status
  params=$("$program" "${given[@]}" --parameters "$unit" "$3") || return 2
  [ "$2" = - ] && covers= || covers=--covers
  # Stand-ins of parts do what the parts may never do: no runs from reset to look for.
  [ ! -f "tests/units/$unit/proof.parts" ] || covers='--cycles 1'
  folder=$out/$unit/${params// /-}
  for p in $params; do
    defines+=("-DP_$p")
    chparam+=(-set "${p%%=*}" "${p#*=}")
  done
  mkdir -p "$folder"
  make_parts "$unit" "$folder"
  key=$2$(key_of "$unit" "$folder" "${defines[@]}")
  if [ -z "$again" ] && [ "$(cat "$folder/key" 2>/dev/null)" = "$key" ]; then
    cat "$folder/log"
    seconds=kept
    return 0
  fi
  rm -f "$folder/key"
  make_golden "$unit" "$folder" "${defines[@]}" && make_rtl "$unit" "$folder" "${chparam[@]}" || return 2
  rm -f "$folder/counterexample.vec"
  [ -z "$tables" ] || cp "$tables" "$folder/tables.so"  # for tb/mutate
  [ "$2" != runs ] || recorded "$unit" "$params" "$folder" || return 2
  # shellcheck disable=SC2086
  "$program" "${given[@]}" --jobs "$jobs" "${cycles[@]}" "$unit" "$params" --golden "$folder/golden.bc" \
    --rtl "$folder/rtl.aig" $covers "${runs[@]}" --vectors "$folder/counterexample.vec" | tee "$folder/log"
  status=${PIPESTATUS[0]}
  [ ! -e "$folder/counterexample.vec" ] || [ -d "$folder/parts" ] || replay "$folder"
  [ "$status" -ne 0 ] || echo "$key" >"$folder/key"
  return "$status"
}

given=(${tables:+--tables "$tables"})
worst=0 lines=0
rows=$(mktemp -d) || exit 2
trap 'rm -rf "$rows"' EXIT
row() { printf '%-24s %-38s %-8s %6s\n' "$@"; }
prove_line() { # number unit covers parameters: its row in a file
  local start=$SECONDS status word
  seconds=
  row "$2" "$4" failed '' >"$rows/$1"  # should it be killed
  prove "$2" "$3" "$4"
  status=$?
  case $status in
    0) word=proved ;;
    1) word=refuted ;;
    *) word=failed ;;
  esac
  row "$2" "$4" $word "${seconds:-$((SECONDS - start)) s}" >"$rows/$1"
  return $status
}
ended() { # status
  [ "$1" -le $worst ] || worst=$1
}

# Of several at a time each prints when it has ended.
while read -r unit size covers params; do
  case $unit in '' | '#'*) continue ;; esac
  [ -z "$short" ] || [ "$size" = short ] || continue
  [ $# -eq 0 ] || [[ " $* " = *" $unit "* ]] || continue
  number=$(printf '%03d' $lines)
  lines=$((lines + 1))
  if [ "$jobs" -eq 1 ]; then
    prove_line "$number" "$unit" "$covers" "$params" </dev/null
    ended $?
    continue
  fi
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
    sleep 0.2
  done
  (
    prove_line "$number" "$unit" "$covers" "$params" </dev/null >"$rows/$number.log" 2>&1
    echo $? >"$rows/$number.status"
    flock "$rows" cat "$rows/$number.log"
  ) &
done < <(if [ -n "$tables" ]; then echo "$1 short $covers $size";
  elif [ -n "$size_given" ]; then echo "$1 full - $size_given"; else cat $sizes; fi)
wait
# (One that was killed has left no status.)
for ((number = 0; number < lines && jobs > 1; number++)); do
  ended "$(cat "$rows/$(printf '%03d' $number).status" 2>/dev/null || echo 2)"
done

echo
find "$rows" -name '[0-9][0-9][0-9]' | sort | xargs -r cat
exit $worst
