#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Units as others take them away: a folder that needs nothing else of this tree.
#   tb/take.sh UNIT... [-b BUILD] [-o FOLDER] [-s SEED] [-c CYCLES] [-k OPTIONS]
# FOLDER (BUILD/take/UNIT; needed for several units). A unit brings the units that it contains.
#   rtl/           the RTL that the units need and all that units share, the paths as here
#   units.f        the RTL of all of them, each file once, as a list that simulators take with -f
#   Bender.yml     the same files for Bender
#   common.core    for FuseSoC (CAPI2): what several units share; the same whichever units are taken
#   bus/           IP-XACT 2014: the buses clock, reset and stream, of which the units' interfaces are
#   README.md      how to run the benches
# and for each unit:
#   UNIT.f         the RTL of this unit alone
#   UNIT.core      for FuseSoC: targets default, lint and sim; UNIT.vlt: waivers of the lint target
#   UNIT.xml       IP-XACT 2014: parameters, interfaces, ports with widths as expressions of these, files
#   UNIT.md        the cycle contract, its pictures in images/
#   tb/            a test bench that plays recorded vectors: replay_UNIT.sv, vectors_UNIT.sv, UNIT.hex; the golden
#                  model as Verilog, which compares itself with the unit: checker_UNIT.v, and a bench at its size:
#                  checked_UNIT.sv, checked_UNIT.hex
# The vectors are CYCLES (2000) random cycles of the golden model, by SEED (1). OPTIONS of `nocturne unit` choose the
# checker's size ('--gpus 4 --set paper'; that of the unit's mutants); none: no checker, which takes most of the time.
# Where the prover or a tool of it is missing, or does not take the size, there is no checker, and a line says why.
# Exit status: 2 bad usage.
set -u
cd "$(dirname "$0")/.." || exit 1
build=build seed=1 cycles=2000 folder='' units='' check=''
usage='expected UNIT... [-b BUILD] [-o FOLDER] [-s SEED] [-c CYCLES] [-k OPTIONS]'
all=$(cd csim/units && echo *)
refuse() { # what is wrong
  echo "take: $1" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    -[bosck]) [ $# -gt 1 ] || refuse "$1: no value; $usage" ;;&
    -b) build=$2; shift ;;
    -o) folder=$2; shift ;;
    -s) seed=$2; shift ;;
    -c) cycles=$2; shift ;;
    -k) check=$2; shift ;;
    -*) refuse "$1: no such option; $usage" ;;
    *) [ -f "csim/units/$1/page.yaml" ] || refuse "'$1': no such unit; $usage, UNIT one of: $all"
      units="$units $1" ;;
  esac
  shift
done
[ -n "$units" ] || refuse "no unit is named; $usage, UNIT one of: $all"
if [ -z "$folder" ]; then
  [ "$(echo "$units" | wc -w)" -eq 1 ] || refuse "several units are named; say with -o (DIR=) where they go"
  folder=$build/take/${units# }
fi
[ ! -e "$folder" ] || [ -f "$folder/common.core" ] || [ -z "$(ls -A "$folder")" ] ||
  refuse "$folder: holds something else; expected an empty folder or an earlier result of take"
rm -rf "$folder"
mkdir -p "$folder/tb" || exit 1
set -e
version=$("$build/nocturne" --version | sed -n '1s/^nocturne \([0-9.]*\).*/\1/p')

# Whose core a file is in. Each unit has what it needs without what the units that it contains
# need; a file of two units, and all of rtl/common, is in the common core.
declare -A files contained own
for u in $all; do
  files[$u]=$(rtl/synth/files.sh "$u")
done
subtract() { # a b: the lines of a that b lacks
  grep -vxFf <(printf '%s\n' "$2") <<<"$1" || :
}
for u in $all; do
  contained[$u]='' own[$u]=${files[$u]}
  for v in $all; do
    if [ "$u" != "$v" ] && grep -q "/$v\.sv$" <<<"${files[$u]}"; then
      contained[$u]+=" $v"
      own[$u]=$(subtract "${own[$u]}" "${files[$v]}")
    fi
  done
done
shared=$({ printf '%s\n' rtl/common/*; printf '%s\n' "${own[@]}" | LC_ALL=C sort | uniq -d; } | LC_ALL=C sort -u)
taken=$(for u in $units; do printf '%s\n' "$u" ${contained[$u]}; done | LC_ALL=C sort -u)

group_of() { basename "$(dirname rtl/*/"$1".sv)"; }
core_of() { echo "nocturne:$(group_of "$1"):$1:$version"; }

put_rtl() { # of all units
  local f all_files
  all_files=$(for u in $taken; do echo "${files[$u]}"; done | LC_ALL=C sort -u)
  for f in $all_files $shared; do
    mkdir -p "$folder/$(dirname "$f")"
    cp "$f" "$folder/$f"
  done
  cp LICENSE "$folder/"
  "$build/unit_take" common "$version" $shared >"$folder/common.core"
  mkdir -p "$folder/bus"
  for f in clock reset stream; do
    "$build/unit_take" bus "$version" $f >"$folder/bus/$f.xml"
    "$build/unit_take" abstraction "$version" $f >"$folder/bus/${f}_rtl.xml"
  done
  # (A list asks nothing of the page; any will do.)
  for f in list:units.f bender:Bender.yml; do
    "$build/unit_take" "${f%:*}" "csim/units/${units##* }/page.yaml" - "$version" $all_files >"$folder/${f#*:}"
  done
}

# A one-bit parameter that is given on a command line comes as a number of 32 bits.
put_waivers() { # unit
  local line path
  path=$(echo rtl/*/"$1".sv)
  echo '`verilator_config'
  grep -nE '^ *parameter (bit|logic) ' "$path" | cut -d : -f 1 | while read -r line; do
    echo "lint_off -rule WIDTH -file \"*/$1.sv\" -lines $line"
  done
}

# The contract with its pictures; of its links those that lead to a file of the folder.
put_contract() { # unit
  local picture
  mkdir -p "$folder/images"
  grep -oE '\]\([^)]+\.(svg|png)\)' "docs/units/$1.md" | sed 's/^](//; s/)$//' | while read -r picture; do
    cp "docs/units/$picture" "$folder/images/"
  done
  awk -v units=" $taken " -v RS='\001' '{
      while (match($0, /!?\[[^][]*\]\([^)]*\)/)) {
        link = substr($0, RSTART, RLENGTH)
        printf "%s", substr($0, 1, RSTART - 1)
        $0 = substr($0, RSTART + RLENGTH)
        target = words = link
        sub(/^.*\]\(/, "", target)
        sub(/\)$/, "", target)
        sub(/^!?\[/, "", words)
        sub(/\]\([^)]*\)$/, "", words)
        if (target ~ /\.(svg|png)$/) { sub(/.*\//, "images/", target); printf "![%s](%s)", words, target }
        else printf "%s", target ~ /^[a-z]+:/ || (match(target, /^[a-z_]+\.md$/) && index(units, " " substr(target, 1, RLENGTH - 3) " ")) ? link : words
      }
      printf "%s", $0 }' "docs/units/$1.md" >"$folder/$1.md"
}

describe() { # unit
  local page=csim/units/$1/page.yaml group cores v
  group=$(group_of "$1")
  cores=nocturne:common:rtl:$version
  for v in ${contained[$1]}; do
    cores="$cores $(core_of "$v")"
  done
  put_contract "$1"
  "$build/unit_take" core "$page" "$group" "$version" $(subtract "${own[$1]}" "$shared") $cores >"$folder/$1.core"
  "$build/unit_take" ipxact "$page" "$group" "$version" ${files[$1]} >"$folder/$1.xml"
  "$build/unit_take" list "$page" "$group" "$version" ${files[$1]} >"$folder/$1.f"
  put_waivers "$1" >"$folder/$1.vlt"
}

# A bench: its head says what the vectors are of. Sets values: its parameters.
put_bench() { # unit bench hex options...
  local record header in_bits out_bits unit=$1 bench=$2 hex=$3
  shift 3
  "$build/nocturne" unit "$unit" --seed "$seed" --cycles "$cycles" "$@" --engine golden --record "$folder/tb" \
    >"$folder/tb/record.log" 2>&1 || { cat "$folder/tb/record.log" >&2; exit 1; }
  record=$(echo "$folder/tb/$unit"-*.vec)
  header=$(head -n 1 "$record")
  tail -n +2 "$record" >"$folder/tb/$hex.hex"
  in_bits=$(echo "$header" | cut -d ' ' -f 2)
  out_bits=$(echo "$header" | cut -d ' ' -f 3)
  values=$(echo "$header" | cut -d ' ' -f 4-)
  {
    echo "\`define UNIT vectors_$unit"
    echo "\`define PARAMS $(echo "$values" | sed 's/\([A-Za-z0-9]*\)=\([0-9]*\)/.\1(\2)/g; s/ /,/g')"
    echo "\`define IN_BITS $in_bits"
    echo "\`define OUT_BITS $out_bits"
    echo "\`define IN_NIBBLES $(((in_bits + 3) / 4))"
    echo "\`define OUT_NIBBLES $(((out_bits + 3) / 4))"
    echo "\`define LINES $(wc -l <"$folder/tb/$hex.hex")"
    echo "\`define VECTORS \"tb/$hex.hex\""
    cat tb/harness/replay.sv
  } >"$folder/tb/$bench.sv"
  cp "build/unit/$unit/vectors_$unit.sv" "$folder/tb/"
  rm "$record" "$folder/tb/record.log"
}

# The golden model as a checker, and a bench at its size. False: there is none.
put_checker() { # unit
  local file=$folder/tb/checker_$1.v said=$folder/checker.log options
  [ "$check" != none ] || return
  options=${check:-$("$build/nocturne" room "$1" | jq -r '.[0].mutate // {} | del(.runs) | to_entries[] | "--\(.key) \(.value)"')}
  # shellcheck disable=SC2086
  put_bench "$1" "checked_$1" "checked_$1" $options
  if ! "$build/nocturne" prove "$1" --size "$values" --checker "$file" -o "$folder/checker" >"$said" 2>&1; then
    echo "take: no checker of $1: $(tail -n 1 "$said" | sed 's/^[a-z]*: //')" >&2
    rm -rf "$folder/tb/checked_$1".* "$folder/checker" "$said"
    return 1
  fi
  rm -rf "$folder/checker" "$said"
  cat >>"$file" <<EOF

\`ifdef NOCTURNE_BIND
bind $1 $1_checker #($(own_values "$1" | sed 's/\([A-Za-z0-9]*\)=[0-9]*/.\1(\1)/g; s/ /, /g')) u_checker (.*, .mismatch_o());
\`endif
EOF
}

# The parameters of the unit itself: the bench works some of them out of its own.
own_values() { # unit
  local value
  for value in $values; do
    ! grep -q "parameter.* ${value%=*} " rtl/*/"$1".sv || echo "$value"
  done | paste -sd ' '
}

put_readme_head() {
  cat <<EOF
# Nocturne $version: $(echo $taken | sed 's/ /, /g')

\`UNIT.md\` is the cycle contract: parameters, ports, what happens in each cycle.
\`UNIT.f\` lists the RTL of one unit, \`units.f\` that of all units of this folder.
\`UNIT.core\` is for FuseSoC, \`Bender.yml\` for Bender, \`UNIT.xml\` is IP-XACT 2014, with its buses in \`bus/\`.

Units share modules.
If a design has several units, take them into one folder (\`make take UNIT="A B" DIR=FOLDER\`) and read \`units.f\`.
In FuseSoC a unit depends on the core \`nocturne:common:rtl\`, which is the same in every folder of this version.
Your core depends on a unit by its name:

    depend: ["$(core_of "${units##* }")"]

    fusesoc --cores-root . run --target=lint $(core_of "${units##* }")

A bench ends with \`REPLAY: N lines, 0 mismatches\` and status 0, or with another status if an output differs.
+vectors=FILE plays other vectors.
EOF
}

put_readme() { # unit
  cat <<EOF

## $1

    verilator --lint-only -Wall --top-module $1 -f $1.f

The bench plays $cycles random cycles, recorded from the golden model, and compares every output ($(own_values "$1")):

    iverilog -g2012 -o replay.vvp -s replay -f $1.f tb/vectors_$1.sv tb/replay_$1.sv && vvp -n replay.vvp
    verilator --binary --timing -Wno-lint -Wno-style -fno-const-bit-op-tree -fno-dfg --top-module replay -f $1.f tb/vectors_$1.sv tb/replay_$1.sv && obj_dir/Vreplay

(The two -fno options: Verilator 5.006 computes some logic wrongly without them.)
EOF
}

put_readme_checker() { # unit
  cat <<EOF

\`tb/checker_$1.v\` is the golden model ($(own_values "$1")).
It compares itself with the unit in each cycle; if they differ, it ends the simulation with \`CHECKER: $1 cycle N: signal S: ...\`.
With NOCTURNE_BIND it is bound to every $1; in Icarus, which has no \`bind\`, CHECKED names the instance that it looks into:

    verilator --binary --timing -Wno-lint -Wno-style -fno-const-bit-op-tree -fno-dfg --top-module replay -DNOCTURNE_BIND -f $1.f tb/vectors_$1.sv tb/checker_$1.v tb/checked_$1.sv && obj_dir/Vreplay
    iverilog -g2012 -o checked.vvp -s replay -s $1_look -DCHECKED=replay.u_unit.u_dut -f $1.f tb/vectors_$1.sv tb/checker_$1.v tb/checked_$1.sv && vvp -n checked.vvp
EOF
}

put_rtl
put_readme_head >"$folder/README.md"
for u in $taken; do
  describe "$u"
  put_bench "$u" "replay_$u" "$u"
  put_readme "$u" >>"$folder/README.md"
  if put_checker "$u"; then
    put_readme_checker "$u" >>"$folder/README.md"
  fi
done
echo "$folder"
