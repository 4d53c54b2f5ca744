#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What fuzzing found (tests/fuzz/corpus, tests/units/NAME/corpus.tar.gz) runs again: readers of files, with MORE under
# gcc's sanitizers, and units in lockstep (docs/how-to/fuzz.md).
set -u
. tests/scripts/lib.sh
san=$build${MORE:+/sanitize}
unset MAKEFLAGS MFLAGS MAKELEVEL
export ASAN_OPTIONS=max_allocation_size_mb=2048:allocator_may_return_null=1:handle_sigill=1

# (The sanitize and mutated tests build there, too.)
if ! flock "$build/sanitize.lock" make -s -j2 ${MORE:+SAN=1} B="$san" "$san/fuzz_parsers" >"$t/build.log" 2>&1; then
  bad build "" "$t/build.log"
  exit 1
fi
for target in $("$san/fuzz_parsers" --targets | cut -d ' ' -f 1); do
  [ -d "tests/fuzz/corpus/$target" ] || continue
  if "$san/fuzz_parsers" "$target" "tests/fuzz/corpus/$target" >"$t/$target.log" 2>&1 && has "$t/$target.log" '^ok '; then
    good "readers: $(tail -n 1 "$t/$target.log" | cut -c 4-)"
  else
    bad "readers: $target" "" "$t/$target.log"
  fi
done
# Any file of the tree is such an input, too; what is none is refused.
convert() { "$san/fuzz_parsers" "$1" --convert "$2" "$t/input" && "$san/fuzz_parsers" "$1" "$t/input"; }
"$n" frame generate gen:test-1 "$t/test.nframe" >"$t/log"
check "a frame as an input" convert frame "$t/test.nframe"
refused() { "$san/fuzz_parsers" "$@" >"$t/log" 2>&1; [ $? -eq 2 ]; }
check "no such target" refused nothing "$t/input"
check "no such file" refused frame "$t/nowhere"
check "no frame" refused frame --convert Makefile "$t/input"

# Units, in lockstep: golden model and RTL agree on each input, and would not if a line were wrong.
if ! make -s -j2 B="$build" "$build/replay_unit" >"$t/build.log" 2>&1; then
  bad "build of replay_unit" "" "$t/build.log"
  exit 1
fi
# Flags of its own are no others': all would be built again, here and by whatever is built next.
flags_for() { make -n "$@" | grep -F "cmp -s - $build/flags"; }
said=$(for program in nocturne replay_unit prove; do flags_for B="$build" "$build/$program"; done | sort -u)
[ "$(wc -l <<<"$said")" -eq 1 ] && good "one set of flags" || bad "one set of flags" "$said"
replay() { "$root/$build/replay_unit" "$@"; }
sizes=$("$n" room --section fuzz | jq -r '.[] | "\(.unit) \(.fuzz[0] | to_entries | map("--\(.key) \(.value)") | join(" "))"')
for unit in $(cut -d ' ' -f 1 <<<"$sizes"); do
  kept=$(tb/fuzz/corpus.sh unpack "$unit" "$t/corpus-$unit")
  [ -n "$kept" ] || continue
  # shellcheck disable=SC2046
  if replay $(grep "^$unit " <<<"$sizes") --found "$t/$unit" "$kept" >"$t/$unit.log" 2>&1; then
    good "units: $(sed -n 's/^ok: \(.*\), .* s of CPU$/\1/p' "$t/$unit.log")"
  else
    bad "units: $unit" "" "$t/$unit.log"
  fi
done
same_bytes() {
  local kept=tests/units/draw_scheduler/corpus.tar.gz
  (mkdir -p "$t/packed" && cd "$t/packed" && "$root/tb/fuzz/corpus.sh" pack draw_scheduler "$root/$t/corpus-draw_scheduler") &&
    cmp <(gzip -dc "$kept") <(gzip -dc "$t/packed/$kept")
}
check "a corpus packed again is the same" same_bytes
# A wrong line that random traffic does not find: found, cut down, and its vectors play.
line=$(tests/scripts/wrong.sh change draw_scheduler 'a credit back in the cycle in which one is spent')
if ! plant "$t/tree" rtl/chopin/draw_scheduler.sv "$line"; then
  bad "a wrong line" "it no longer applies"
else
  (cd "$t/tree" && replay draw_scheduler --gpus 2 --set tiny --found found "$root/$t/corpus-draw_scheduler"
    echo "status $?") >"$t/wrong.log" 2>&1
  (cd "$t/tree" && NOCTURNE_NO_WAVES=1 build/nocturne unit --vectors found/found.vec; echo "status $?") >"$t/play.log" 2>&1
  if [ "$(tail -n 1 "$t/wrong.log")" = "status 1" ] && [ "$(tail -n 1 "$t/play.log")" = "status 1" ] &&
    has "$t/wrong.log" '^MISMATCH: draw_scheduler' && has "$t/wrong.log" '^shrunk: ' &&
    [ "$(grep -m 1 "  signal" "$t/play.log")" = "$(grep -m 1 "  signal" "$t/wrong.log")" ]; then
    good "a wrong line: $(grep '^shrunk' "$t/wrong.log")"
  else
    bad "a wrong line" "" "$t/wrong.log"
  fi
fi
# All inputs meet the one unit that was made, with what its page says first; a set for each is refused.
check "no set named" replay coarse_depth --gpus 2 --found "$t/first" "$t/corpus-coarse_depth"
# A unit from outside the tree, its RTL alone, from its page.
check "a unit from outside" replay --page tests/outside/arbiter/arbiter.yaml --rtl tests/outside/arbiter "$t/corpus-draw_scheduler"
refused_unit() { replay "$@" >"$t/log" 2>&1; [ $? -eq 2 ]; }
check "no such unit" refused_unit nothing "$t/corpus-draw_scheduler"
check "no such input" refused_unit draw_scheduler "$t/nowhere"
check "two sets" refused_unit coarse_depth --set tiny,small "$t/corpus-coarse_depth"
check "bad option" refused_unit draw_scheduler --gpus 99
