#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The RTL of each unit through all three tools, without a warning, and against its page: with its defaults, with
# Observe=0 and with the parameter sets of tests/units/NAME/unit.yaml; Yosys takes these alone, and not of a unit that
# is made of units. With MORE all of each.
set -u
. tests/scripts/lib.sh
silent() { # name command...: neither an error nor a warning
  local name=$1 log
  shift
  log=$("$@" 2>&1 | grep -vE 'sorry: constant selects|Replacing memory')
  if [ -n "$log" ]; then
    bad "$name" "$(echo "$log" | head -n 6)"
  else
    good "$name"
  fi
}
"$n" room >"$t/rooms.json" || exit
check "a room for each unit" diff <(jq -r '.[].unit' "$t/rooms.json") <(echo "$units")
# Prints the parameter sets of a unit, a line each: tools, parameters as NAME=VALUE. The defaults come first.
sets() { # unit
  jq -e --arg unit "$1" --arg more "$MORE" \
    '$more == "" and any(.[]; .unit == $unit and any(.lint[]?.tools; contains("y")))' "$t/rooms.json" >"$t/log" &&
    echo vip || echo viyp
  jq -r --arg unit "$1" --arg long "$MORE" '.[] | select(.unit == $unit) | .lint[]?
    | (if $long == "" then .tools else .tools | ascii_downcase end) as $tools
    | reduce (.set | to_entries[]) as $p
      ([""]; [.[] + " \($p.key)=\($p.value | if type == "array" then .[] else . end)"])
    | .[] | $tools + .' "$t/rooms.json"
  ! grep -q 'rtl: Observe,' "csim/units/$1/page.yaml" || echo "vi${MORE:+y} Observe=0"
}

# Not the script around it, whose start takes a third of a run.
verilator=$(command -v verilator_bin || echo verilator)
xml=$t/xml
mkdir -p "$xml"
held() { # name unit file parameters as NAME=VALUE
  local p folder g=()
  folder=$(basename "$(dirname rtl/*/"$2".sv)")
  for p in $4; do g+=("-G$p"); done
  "$verilator" --xml-only --xml-output "$xml/$1.xml" --Mdir "$xml" -Wno-fatal -Wno-lint "-Irtl/$folder" -Irtl/common \
    "${g[@]}" --top-module "$2" "$3" >"$xml/$1.log" 2>&1 || return 3
  # shellcheck disable=SC2086
  "$build/page_lint" "csim/units/$2/page.yaml" "$xml/$1.xml" $4 >"$xml/$1.log" 2>&1
}

# From the files that the unit is said to need, and no other. Yosys reads them once for its parameter sets; no path
# goes from an input pin to an output pin but quiescent_o. The page: ports, widths, parameters, defaults, error codes.
# shellcheck disable=SC2086
for u in $units; do
  file=$(echo rtl/*/"$u".sv)
  whole=1
  files=$(rtl/synth/files.sh "$u" | grep '\.sv$')
  inc="-I$(dirname "$file") -Irtl/common"
  bits=" $(sed -nE 's/^ *parameter bit ([A-Za-z]+) .*/\1/p' "$file" | paste -sd' ') "
  # What Yosys does not take of a part, it does not take of the whole.
  [ -n "$MORE" ] || [ "$(grep -cxFf <(printf '%s.sv\n' $units) <(basename -a $files))" -eq 1 ] || whole=
  script="read_verilog -sv $inc ${files//$'\n'/ }; design -save rtl" read=0
  while read -r tools params; do
    name=$u${params:+ $params} lint="" icarus="" set=""
    for p in $params; do
      case $bits in
        *" ${p%=*} "*) lint+=" -G${p%=*}=1'b${p#*=}" ;;
        *) lint+=" -G$p" ;;
      esac
      icarus+=" -P$u.$p" set+=" -set ${p%=*} ${p#*=}"
    done
    [ "${tools/v/}" = "$tools" ] ||
      silent "verilator $name" "$verilator" --lint-only -Wall $inc $lint --top-module "$u" $files
    [ "${tools/i/}" = "$tools" ] ||
      silent "icarus $name" iverilog -g2012 -tnull -Wno-timescale $inc $icarus -s "$u" $files
    if [ "${tools/y/}" != "$tools" ] && [ -n "$whole" ]; then
      script+="; design -load rtl; ${set:+chparam$set $u; }hierarchy -check -top $u; proc; check -assert"
      [ $read -gt 0 ] || script+="; flatten; opt_expr; opt_clean; select -assert-none o:* o:quiescent_o %d %ci*:-\$dff i:* %i"
      read=$((read + 1))
    fi
    [ "${tools/p/}" = "$tools" ] || if held "$u" "$u" "$file" "$params"; then
      good "page of $name"
    else
      bad "page of $name" "" "$xml/$u.log"
    fi
  done < <(sets "$u")
  silent "icarus $u, parts found by -y" \
    iverilog -g2012 -tnull -Wno-timescale $inc -y "$(dirname "$file")" -y rtl/common -Y.sv -s "$u" "$file"
  [ $read -eq 0 ] || silent "yosys $u, $read parameter sets; outputs depend on state" yosys -q -p "$script"
done

# The packages beside the RTL are those of the unit descriptions, and the RTL raises each error code of them.
for u in $units; do
  package=$(echo rtl/*/"${u}_pkg.sv")
  check "package of $u" cmp "$package" "$build/unit/$u/${u}_pkg.sv"
  lost=$(grep -o '\bErr[A-Z][A-Za-z]*' "$package" | grep -vx ErrNone | while read -r code; do
    grep -q "\b${u}_pkg::$code\b" "$(dirname "$package")/$u.sv" || echo "$code"
  done)
  [ -z "$lost" ] && good "error codes of $u" || bad "error codes of $u" "never raised: $lost"
done

# Owners by a skewed map with 18, 48 or 60 GPUs are in no test's traffic; its step is a constant of the elaboration:
# the smallest of at least 2 that has no divisor with the number of GPUs (docs/units/pixel_distributor.md).
skew_steps() {
  # shellcheck disable=SC2046
  iverilog -g2012 -Irtl/chopin -Irtl/common -o "$t/skew" -s skew_steps tests/scripts/skew_steps.sv \
    $(rtl/synth/files.sh tile_map | grep '\.sv$') && vvp "$t/skew" >"$t/steps" &&
    awk 'function divisor(a, b) { return b ? divisor(b, a % b) : a }
      BEGIN { for (n = 2; n <= 64; n++) { s = 2; while (divisor(s, n) != 1) s++; print n, s % n } }' |
    diff "$t/steps" -
}
check "step of the skewed map, 2 to 64 GPUs" skew_steps

# Each kind of difference is named.
while IFS='|' read -r name unit change expected; do
  rtl=$(echo rtl/*/"$unit".sv)
  sed "$change" "$rtl" >"$xml/$unit.sv"
  if cmp -s "$rtl" "$xml/$unit.sv"; then
    bad "page: $name" "the change no longer applies"
  elif held "$name" "$unit" "$xml/$unit.sv" "" || [ $? -ne 1 ] ||
    ! grep -qxF "csim/units/$unit/page.yaml:$expected" <(sed -E 's/^([^:]*):[0-9]*:1:/\1:/' "$xml/$name.log"); then
    bad "page: $name" "" "$xml/$name.log"
  else
    good "page: $name"
  fi
done <<'LIST'
extra port|draw_scheduler|s/^  output logic  *quiescent_o,/&\n  output logic busy_o,/| busy_o: a port of the RTL that is not on the page
lost port|draw_scheduler|s/policy_i/mode_i/| policy_i: no such port in the RTL
wrong width|composition_scheduler|s/logic \[7:0\]\( *start_cgid_o\)/logic [6:0]\1/| start_cgid_o: 7 bits in the RTL, expected 8
wrong direction|parent_texel_buffer|s/input  logic *row_ready_i/output logic row_ready_i/| row_ready_i: an output in the RTL, expected an input
wrong default|offload_unit|s/parameter int Slots = 16/parameter int Slots = 8/| Slots: default 8 in the RTL, expected 16
extra parameter|texel_generator|s/^  parameter int Descriptors = 1024,/&\n  parameter int Extra = 1,/| Extra: a parameter of the RTL that is not on the page
lost parameter|child_consolidation|s/parameter bit Merge = /localparam bit Merge = /| Merge: no such parameter in the RTL
wrong error code|draw_scheduler|s/^  localparam int Children = .*/&\n  localparam logic [2:0] ErrWrap = 3'd6;/| ErrWrap: 6 in the RTL, expected 2
extra error code|offload_unit|s/^  localparam int SlotBits = .*/&\n  localparam logic [1:0] ErrMore = 2'd3;/| ErrMore: an error code of the RTL that is not on the page
LIST
