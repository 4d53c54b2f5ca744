#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benches that `nocturne bench --peers` compares with (tb/peers): each plays some hundred recorded cycles and has
# every output and all state of them; a wrong bit in the record is found by each. LONG: those on Verilator, too, and
# the command.
set -u
. tests/scripts/lib.sh

icarus="vpi_icarus sv_icarus"
played=$icarus
[ -z "${LONG:-}" ] || played="vpi_verilator sv_verilator $icarus"

check record "$n" unit draw_scheduler --gpus 3 --seed 1 --cycles 300 --engine golden --record "$t"
check "record: the other" "$n" unit composition_scheduler --gpus 4 --seed 2 --cycles 300 --engine golden --record "$t"
# All of it is played once and again: the second time begins with a reset after other cycles.
right() { # FOLDER VECTORS PEERS
  PEERS=$3 tb/peers/peers.sh "$2" "$t/$1" 1 >"$t/$1.out" 2>&1 || { cat "$t/$1.out"; return 1; }
  for peer in $3; do has "$t/$1.out" "^$peer	[1-9][0-9]*	right$" || return 1; done
}
check "draw scheduler: as recorded" right draw "$t/draw_scheduler-0.vec" "$played"
check "composition scheduler: as recorded" right compose "$t/composition_scheduler-0.vec" "$played"

# The lowest bit of the state's and outputs' number in line 200: the unit's quiescent_o.
out_bits=$(head -n 1 "$t/draw_scheduler-0.vec" | cut -d ' ' -f 3)
awk -v at=$((1 + (out_bits + 3) / 4)) 'NR == 200 {
  digit = index("0123456789abcdef", substr($0, at, 1)) - 1
  $0 = substr($0, 1, at - 1) substr("0123456789abcdef", (digit % 2 ? digit - 1 : digit + 1) + 1, 1) substr($0, at + 1)
} { print }' "$t/draw_scheduler-0.vec" >"$t/wrong.vec"
PEERS=$played tb/peers/peers.sh "$t/wrong.vec" "$t/draw" 1 >"$t/wrong.out" 2>&1
status=$?
for peer in $played; do
  if [ $status -eq 1 ] && grep -qE "^$peer	[0-9]+	(PEER|REPLAY): MISMATCH line 200: " "$t/wrong.out"; then
    good "$peer: a wrong bit in the record"
  else
    bad "$peer: a wrong bit in the record" "status $status" "$t/wrong.out"
  fi
done
# One that compares only at the end.
at_the_end() {
  right user "$t/draw_scheduler-0.vec" user_verilator &&
    sed '$s/^\(.....\)[0-7]/\1f/; t; $s/^\(.....\)./\10/' "$t/draw_scheduler-0.vec" >"$t/end.vec" && ! cmp -s "$t/draw_scheduler-0.vec" "$t/end.vec" &&
    ! PEERS=user_verilator tb/peers/peers.sh "$t/end.vec" "$t/user" 1 >"$t/end.out" 2>&1 &&
    has "$t/end.out" '^user_verilator.*MISMATCH after the last line: [12] outputs'
}
[ -z "${LONG:-}" ] || check "a bench that compares at the end" at_the_end
grep -qE '^vpi_icarus.* quiescent_o ' "$t/wrong.out" && good "over VPI it is named" || bad "over VPI it is named" "" "$t/wrong.out"

refuses() { # STATUS PATTERN COMMAND...
  local expected=$1 pattern=$2
  shift 2
  "$@" >"$t/refused" 2>&1
  [ $? -eq "$expected" ] && [ "$(wc -l <"$t/refused")" -eq 1 ] && has "$t/refused" "$pattern"
}
check "no vectors" refuses 2 'expected VECTORS FOLDER' tb/peers/peers.sh "$t/missing.vec" "$t/none"
check "a unit with events" refuses 2 'without events' tb/peers/peers.sh <(echo "pixel_distributor 1 1") "$t/none"
mkdir -p "$t/bin"
for tool in bash env dirname realpath head grep mkdir; do ln -sf "$(command -v $tool)" "$t/bin/$tool"; done
check "no simulator" refuses 3 'verilator is missing' env PATH="$t/bin" tb/peers/peers.sh "$t/draw_scheduler-0.vec" "$t/none"
"$n" bench --peers --page x.yaml --golden x.so >"$t/usage" 2>&1
[ $? -eq 2 ] && has "$t/usage" 'peers: of up to' && good "usage" || bad "usage" "" "$t/usage"
# The gate of `make bench`: the ratios that are kept, what crosses a limit on either side, what has none yet.
gate() { # STATUS PATTERN UNIT-RATIO LOCKSTEP-SECONDS
  jq -n --argjson ratio "$3" --argjson lockstep "$4" '{units: {a: {ratio: $ratio}, b: {ratio: 0.5}},
    frame: {golden_cpu_s: 2, lockstep_cpu_s: $lockstep, render_cpu_s: 1}}' >"$t/speed.json"
  tb/bench.sh "$t/speed.json" "$t/kept.json" >"$t/gate.out" 2>&1
  [ $? -eq "$1" ] && has "$t/gate.out" "$2"
}
echo '{"units": {"a": {"ratio": 0.6}}, "frame": {"golden_cpu_s": 2, "lockstep_cpu_s": 3, "render_cpu_s": 1}}' >"$t/first.json"
check "gate: kept" tb/bench.sh "$t/first.json" "$t/kept.json" keep
check "gate: the same" gate 0 '^a, lockstep over bare +0.700, kept  0.600: same$' 0.7 3
check "gate: a unit without a ratio" gate 0 '^b, lockstep over bare .*: new$' 0.7 3
check "gate: slower" gate 1 '^frame, golden over lockstep +0.400, kept  0.667: SLOWER$' 0.7 5
check "gate: faster" gate 1 '^a, lockstep over bare .*: FASTER$' 0.9 3
[ -n "${LONG:-}" ] || exit 0

"$n" bench composition_scheduler --peers="$t/bench" --json "$t/bench.json" >"$t/bench.log" 2>&1
status=$?
if [ $status -eq 0 ] && ! grep -qi warning "$t/bench.log"; then
  good "nocturne bench --peers"
else
  bad "nocturne bench --peers" "status $status" "$t/bench.log"
fi
for key in lockstep bare user_verilator sv_verilator vpi_verilator sv_icarus vpi_icarus; do
  check "JSON: $key" grep -q "\"$key\": {" "$t/bench.json"
done
check table has "$t/bench/peers.md" '^\| C over VPI on Icarus \| .* \| [0-9.e-]+ \|$'
check plot xmllint --noout "$t/bench/peers.svg"
