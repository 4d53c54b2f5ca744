#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The C side under AddressSanitizer, its leak check and UBSan: the unit tests (without the long ones and those that take
# no line of their own), frames and units in golden and lockstep. With valgrind where it is installed: a golden frame
# with a full leak check. With MORE only the unit tests that take long. LONG adds the other unit tests, captured frames,
# the thread sanitizer, directed programs of units, unit tests under valgrind, the prover with a unit's flaws, and a run
# of what clang compiled.
set -u
. tests/scripts/lib.sh
san=$build/sanitize
unset MAKEFLAGS MFLAGS MAKELEVEL
export ASAN_OPTIONS=handle_sigill=1
check() { # name command...
  local name=$1 code
  shift
  "$@" >"$t/log" 2>&1
  code=$?
  if [ $code -eq 0 ]; then
    good "$name"
  else
    bad "$name" "status $code" "$t/log"
  fi
}
c=vectors/config/chopin.yaml
# The units' directed programs take the harness's and the golden models' ways, as the units below do;
# the mutated frames those of the tests of frame files.
long='anchors'
[ -n "${LONG:-}" ] || long="$long|composition_rounds|frame|frame_sequence|gddr5|generate|gpu|sizes|area_modules|readings|quality|offload_once|offload_cube|cube|errors|g80_primitives|pictures"
# (What these run, the others run, too; but two lines of dram.c and gpu_warps.c.)
# (soc and driver_memory run machines, which below are two small frames each.)
[ -n "${LONG:-}" ] || long="$long|atfim_chain|soc|driver_memory|dpi_bits|g80|texture_lines|virtual_texture"
tests=$(cd tests/programs && ls test_*.c | sed 's/\.c$//' | grep -vE "^test_($long)$")
more='test_(gpu_fronts|launch|lockstep|shader|texture_unit|warps_texture)'
[ -n "${LONG:-}" ] || tests=$(if [ -n "$MORE" ]; then grep -xE "$more"; else grep -vxE "$more"; fi <<<"$tests")
# shellcheck disable=SC2086,SC2046
check build flock "$build/sanitize.lock" make -s -j2 SAN=1 B="$san" "$san/nocturne" $(printf "$san/tests/%s " $tests)
for test in $tests; do check "$test" "$san/tests/$test"; done
[ -z "$MORE" ] || [ -n "${LONG:-}" ] || exit 0
n=$san/nocturne
check golden "$n" run $c --frame gen:test-2 --set driver.threshold=20 --engine golden \
  --baseline duplication --json "$t/a.json" --image "$t/a.png" --difference "$t/d.png"
check lockstep "$n" run $c --frame gen:test-2 --set driver.threshold=20
check "log and waves" "$n" run $c --frame gen:test-2 --set driver.threshold=20 --log "$t/log.txt" \
  --system-waves "$t/system.vcd" --waves "$t/unit.fst" --waves-unit draw_scheduler
if [ -n "${LONG:-}" ]; then
  check nexuiz "$n" frame info vectors/frames/nexuiz/bench1_ultra.nframe
  check "nexuiz run" "$n" run $c
fi
check sweep "$n" sweep vectors/sweeps/chopin-fig14.yaml --frame gen:test-1 --engine golden --no-cache \
  --cache "$t" --out "$t/sweep"
check generate "$n" frame generate gen:test-3 "$t/a.nframe"
check read "$n" frame info "$t/a.nframe"
check "generate a sequence" "$n" frame generate gen:test-3 "$t/two.nframe" 1 2
check "read a sequence" "$n" frame info "$t/two.nframe"
# (The parameter sets of other tests.)
for unit in $units; do
  check "$unit" "$n" unit "$unit" --gpus 8 --seed 1 --cycles 3000
done
# Their errors, in the sets in which each comes (test_errors, with LONG).
while read -r unit options; do
  # shellcheck disable=SC2086
  check "$unit, errors" "$n" unit "$unit" $options --knob errors=10 --seeds 50 --cycles 2000 --engine golden
done < <("$build/nocturne" room --section errors | jq -r '.[] | .unit as $unit | .errors |
  "\($unit) --set \(.set) \(if .gpus then "--gpus \(.gpus)" else "" end) \(.knobs // {} | to_entries |
    map("--knob \(.key)=\(.value)") | join(" "))"')
for unit in draw_scheduler composition_scheduler pixel_distributor; do
  [ -z "${LONG:-}" ] || check "$unit directed" env NOCTURNE_ENGINE=lockstep "$san/tests/test_$unit"
done
# Each texture design, and what frees the cube's units in the middle of a run.
for design in baseline b_pim s_tfim; do
  check "$design" "$n" run vectors/config/atfim.yaml --frame gen:test-1 --engine golden \
    --set texture.design=$design
done
check a_tfim "$n" run vectors/config/atfim.yaml --frame gen:test-1 --set texture.reset_interval=3000 \
  --set texture.read_errors=5 --json "$t/a.json"
check combined "$n" run vectors/config/combined.yaml --frame gen:test-1 --set driver.threshold=50 \
  --set gpus=2 --engine golden
check soc "$n" run vectors/config/soc.yaml --frames gen:test-1 --count 2 --engine golden
check "driver memory" "$n" run vectors/config/next.yaml --frames gen:test-1 --count 2 --engine golden \
  --set driver.threshold=20
[ -z "${LONG:-}" ] || check memory "$n" memory --variants
# A failed run frees all, too.
"$n" run $c --frame gen:test-2 --baseline quake >"$t/log" 2>&1
[ $? -eq 2 ] && good usage || bad usage "" "$t/log"
# The prover, and all that it asks about flaws.
if [ -n "${LONG:-}" ]; then
  check "build of the prover" make -s -j2 SAN=1 B="$san" "$san/prove"
  "$build/nocturne" prove --no-covers -o "$t/proof" --size NumGpus=2 composition_scheduler >"$t/log" 2>&1
  proof=$(dirname "$(find "$t/proof" -name rtl.aig)")
  mkdir -p "$t/flaws"
  for options in '--seed 1' '--seed 2 --busy'; do
    # shellcheck disable=SC2086
    "$build/nocturne" unit composition_scheduler --gpus 2 --set paper --engine golden $options --cycles 4000 \
      --record "$t/$options" >"$t/log" 2>&1
    printf '\n%s' "$t/$options/composition_scheduler-0.vec"
  done >"$t/flaws/runs"
  open_flaws() { # exit status 1: some are open
    "$san/prove" composition_scheduler NumGpus=2 --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" --flaws "$t/flaws" \
      --cycles 1 --jobs 2
    test $? -eq 1 && test -s "$t/flaws/fates"
  }
  check "the prover, and flaws" open_flaws
  # At the size with symbolic memories, and its recorded runs.
  size='NumGpus=8 Blocks=20480 DepthWidth=16 BaseWidth=4 Epoch=4096'
  "$build/nocturne" prove -o "$t/symbolic" --size "$size" coarse_depth >"$t/log" 2>&1
  proof=$(dirname "$(find "$t/symbolic" -name rtl.aig)")
  symbolic() {
    local runs=()
    for run in "$proof"/runs/*/*.vec; do runs+=(--runs "$run"); done
    "$san/prove" coarse_depth "$size" --golden "$proof/golden.bc" --rtl "$proof/rtl.aig" --covers "${runs[@]}"
  }
  check "the prover, and symbolic memories" symbolic
fi
# The thread that renders the reference, and the RTL's.
if [ -n "${LONG:-}" ]; then
  thread=$build/sanitize-thread
  check "build for threads" make -s -j2 SAN=thread B="$thread" "$thread/nocturne"
  for engine in golden lockstep; do
    check "threads, $engine" "$thread/nocturne" run $c --frame gen:test-2 --set driver.threshold=20 \
      --engine $engine --json "$t/a.json"
    check "threads, a_tfim, $engine" "$thread/nocturne" run vectors/config/atfim.yaml --frame gen:test-1 \
      --engine $engine --json "$t/a.json"
  done
fi
if command -v valgrind >/dev/null; then
  vg="valgrind -q --leak-check=full --error-exitcode=9 --errors-for-leak-kinds=definite,possible"
  for test in plan ${LONG:+frame draw_scheduler composition_scheduler pixel_distributor hmc}; do
    check "valgrind $test" $vg "$build/tests/test_$test"
  done
  check "valgrind run" $vg "$build/nocturne" run $c --frame "$t/a.nframe" --engine golden \
    --set driver.threshold=20 --baseline duplication --json "$t/a.json" --image "$t/a.png"
fi
# (Its warnings: lists/netlists.yaml.)
if [ -n "${LONG:-}" ] && command -v clang >/dev/null; then
  check "clang build" make -s -j2 CC=clang B="$build/clang" "$build/clang/nocturne" unit-tests
  check "clang run" "$build/clang/nocturne" run $c --frame gen:test-2 --engine golden
fi
