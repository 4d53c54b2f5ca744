#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a change of each kind touches, in one copy of the sources that is built once: a bit on a unit's ports, a policy
# of the draw scheduler, texture designs, a statistic, a configuration key, a unit. Each is listed, documented, compared
# and in the tests of its kind without being told. A bit that only one of page and RTL has ends the unit's build by name.
set -u
. tests/scripts/lib.sh
copy=$t/copy
unit=draw_scheduler
page=csim/units/$unit/page.yaml
golden=csim/units/$unit/golden.c
rtl=rtl/chopin/$unit.sv
package=rtl/chopin/${unit}_pkg.sv
contract=docs/units/$unit.md
mkdir -p "$copy/build"
cp -rp Makefile csim dpi tb rtl docs tests "$copy/"
cp -rp build/{obj,unit,unit_generator,flags} "$copy/build/"
share_units "$copy/build/units"
ln -s "$root/vectors" "$copy/vectors"

in_copy() { (cd "$copy" && "$@"); }
keep() { # what is there now is what later files differ from
  rm -rf "$t/before"
  mkdir "$t/before"
  cp -rp "$copy"/{csim,dpi,rtl,tb,tests,docs} "$t/before/"
}
differing() { # the files that differ from those kept, or are new
  diff -rq "$t/before" "$copy" --exclude=build --exclude=vectors --exclude=Makefile |
    sed -nE "s|^Files .* and $copy/(.*) differ\$|\1|p; s|^Only in $copy/(.*): |\1/|p" | sort | tr '\n' ' '
}
only() { # FILE...
  [ "$(differing)" = "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" ] || { differing; return 1; }
}
made() { in_copy make --no-print-directory build/unit/made; }
fails_with() { # PATTERN COMMAND...: it fails and says so
  local pattern=$1
  shift
  ! "$@" >"$t/said" 2>&1 && has "$t/said" "$pattern"
}

# ---- A bit: an output of the draw scheduler that says whether a group is open

of_unit() { in_copy make --no-print-directory -s -f tb/unit.mk UNIT=$unit PARAMS=NumGpus=4 KIND=quick; }
keep
sed -i 's/^pins: {policy/pins: {group_open: {dir: out, bits: 1}, policy/; $a\  group_open_o: a group is open' "$copy/$page"
made >"$t/log" 2>&1
check 'a bit on the page but not in the RTL' fails_with "Pin not found.*group_open_o" of_unit
sed -i 's/^\( *output logic *\)quiescent_o,/&\n\1group_open_o,/
  s/^  assign error_o = error_q;/&\n  assign group_open_o = open_q;/' "$copy/$rtl"
cp "$copy/$page" "$t/page.yaml"
cp "$page" "$copy/$page"
made >"$t/log" 2>&1
check 'a bit in the RTL but not on the page' fails_with 'group_open_o' of_unit
cp "$t/page.yaml" "$copy/$page"
sed -i "s/^  out->error = golden->error;/&\n  out->group_open = golden->open;/" "$copy/$golden"
sed -i 's/^## State after reset/group_open_o is 1 while a group is open.\n\n&/' "$copy/$contract"
check 'a bit more: four files' only $golden $page $contract $rtl
# `make docs` writes it into the contract's table.
documented() {
  made && in_copy tb/docs_ports.sh && has "$copy/$contract" '^\| `group_open_o` .* a group is open \|$' &&
    only $golden $page $contract $rtl
}
check 'a bit more: documented' documented

# ---- Policy 3: every opaque draw goes to GPU 0

keep
cover=tb/units/$unit/cover.svh
plan=tests/units/$unit/plan.yaml
scheme=csim/machine/scheme.h
sed -i 's/DuplicateAll\]/DuplicateAll, First]/' "$copy/$page"
sed -i "s/^\( *assign choice = \)(policy_q == ${unit}_pkg::PolicyRoundRobin)/\1(policy_q == ${unit}_pkg::PolicyFirst) ? NumGpus'(1) :\n      (policy_q == ${unit}_pkg::PolicyRoundRobin)/" "$copy/$rtl"
sed -i 's/^static uint32_t choose(golden_t \*golden) {/&\n  if (golden->policy == DrawSchedulerPolicyFirst) {\n    return 0;\n  }/' "$copy/$golden"
sed -i 's/2 duplicate all (3 as 0)/2 duplicate all, 3 first: GPU 0/; s/2 DuplicateAll |/2 DuplicateAll, 3 First |/' "$copy/$contract"
sed -i "s/^policy_held: cover property/policy_first: cover property (@(posedge clk_i) disable iff (!rst_ni)\n  cover_opaque \&\& u_dut.policy_q == ${unit}_pkg::PolicyFirst);\n&/" "$copy/$cover"
sed -i 's/duplicate_all, policy_held\]/duplicate_all, policy_held, policy_first]/' "$copy/$plan"
sed -i '/^  X(MachineDrawsLeast/{ s/$/ \\/; a\  X(MachineDrawsFirst, first, MachineSharesDraws, First)
}' "$copy/$scheme"
# What the build writes into the tree from the description: the package of its codes.
package_made() { made && in_copy tb/docs_ports.sh build; }
check 'a policy: the package is made' package_made
check 'a policy: seven files by hand, one made' only $page $golden $rtl $package $contract $cover $plan $scheme

# ---- Texture designs: each the twin of one, with its results

keep
designs="baseline b_pim s_tfim a_tfim"
designs_page=docs/results/texture-designs.md
header=csim/texture/texture_design.h
for design in $designs; do
  sed "s/texture_design_$design =/texture_design_${design}_twin =/" "csim/texture/design_$design.c" \
    >"$copy/csim/texture/design_${design}_twin.c"
  sed -i "/^  X(TextureBaseline,/i\\  X(TextureTwin_$design, ${design}_twin) \\\\" "$copy/$header"
  sed -i "/^| \`$design\` /{ p; s/\`$design\`/\`${design}_twin\`/ }" "$copy/$designs_page"
done
# shellcheck disable=SC2046
check 'designs: a file each, and two more by hand' only $(printf 'csim/texture/design_%s_twin.c\n' $designs) $header \
  $designs_page

# ---- A statistic, and a key

keep
sed -i 's/^  uint64_t syncs;/&\n  uint64_t longest;  \/\/ cycles of the longest/' "$copy/csim/machine/sync.h"
sed -i 's/^  s->stats.syncs++;/&\n  s->stats.longest = s->release - now > s->stats.longest ? s->release - now : s->stats.longest;/' \
  "$copy/csim/machine/sync.c"
sed -i 's/^    SUM("composition.batches"/    ROW("composition.longest_sync", "cycles", machine.sync.longest, GpusOne, FramesMax, RowAlways,\n        "longest barrier"),\n&/' \
  "$copy/tb/result/rows.c"
check 'a new statistic: three files' only csim/machine/sync.c csim/machine/sync.h tb/result/rows.c
keep
sed -i 's/^  uint32_t memory_bytes_per_cycle;/  uint32_t sync_delay;\n&/' "$copy/csim/machine/machine_params.h"
sed -i 's/^    CONFIG_BOOL(P, depth_broadcast,/    CONFIG_UINT(P, sync_delay, "driver.sync_delay", 0, 0, 1000, "cycles", "extension", "longer barriers"),\n&/' \
  "$copy/csim/machine/machine_config.c"
sed -i 's/^  uint64_t message = s->site.params->message_latency;/  uint64_t message = s->site.params->message_latency + s->site.params->sync_delay;/' \
  "$copy/csim/machine/sync.c"
check 'a new key: three files' only csim/machine/machine_config.c csim/machine/machine_params.h csim/machine/sync.c

# ---- A unit: the twin of the shared coarse depth

keep
twin=coarse_twin
rooms="csim/units/$twin tb/units/$twin tests/units/$twin"
alone="rtl/chopin/$twin.sv docs/units/$twin.md"
for from in {csim,tb,tests}/units/coarse_depth rtl/chopin/coarse_depth.sv docs/units/coarse_depth.md; do
  cp -r "$copy/$from" "$copy/${from/coarse_depth/$twin}"
done
# shellcheck disable=SC2086
in_copy grep -rlI 'coarse_depth\|CoarseDepth\|COARSE_DEPTH' $rooms $alone |
  in_copy xargs sed -i 's/coarse_depth/coarse_twin/g; s/CoarseDepth/CoarseTwin/g; s/COARSE_DEPTH/COARSE_TWIN/g'
check 'a unit: its package is made' package_made
# shellcheck disable=SC2086
check 'a unit: its rooms, its RTL, its contract, and the package that is made' only $rooms $alone rtl/chopin/${twin}_pkg.sv

# ---- All of it, built

check built make -C "$copy" -j2 --no-print-directory build/nocturne build/tests/test_schemes build/tests/test_texture_unit \
  build/tests/test_$twin
in_copy build/nocturne config --markdown >"$t/configuration.md" && cp "$t/configuration.md" "$copy/docs/reference/configuration.md"

lockstep() { in_copy env NOCTURNE_NO_WAVES=1 build/nocturne unit $unit --seed 3 --cycles 20000 --set paper | tee "$t/said" && has "$t/said" '20000 compared, 0 mismatches'; }
check 'the unit in lockstep' lockstep

# make is called for a unit only when a file of it is newer, has come or gone.
mkdir "$t/bin"
printf '#!/bin/sh\necho make >>"%s"\nexec %s "$@"\n' "$PWD/$t/called" "$(command -v make)" >"$t/bin/make"
chmod +x "$t/bin/make"
calls() { # COUNT
  : >"$t/called"
  PATH=$PWD/$t/bin:$PATH lockstep && [ "$(wc -l <"$t/called")" -eq "$1" ] || { cat "$t/called"; return 1; }
}
called() {
  calls 0 && touch "$copy/$rtl" && calls 1 && calls 0 && : >"$copy/rtl/common/more.sv" && calls 1 && calls 0 &&
    rm "$copy/rtl/common/more.sv" && calls 1 && rm "$copy/build/units/$unit"/*/*/unit.so && calls 1 && calls 0
}
check 'make is called for a unit that has changed' called

of_lists() { # every list that names units names the twin
  in_copy build/nocturne regress tests/lists/test.yaml --list >"$t/said" && has "$t/said" "test_$twin" &&
    has "$t/said" "$twin-6" && has "$t/said" "$twin-errors" &&
    in_copy build/nocturne room $twin >"$t/said" && has "$t/said" "\"prove\""
}
check "a unit: in the lists" of_lists
twin_runs() {
  in_copy env NOCTURNE_NO_WAVES=1 build/nocturne unit $twin --seed 3 --cycles 10000 --gpus 3 --set tiny >"$t/said" &&
    has "$t/said" "10000 compared, 0 mismatches" && in_copy build/tests/test_$twin >"$t/said"
}
check "a unit: in lockstep, and its directed program" twin_runs

run() { # CONFIG FILE ARGUMENTS...
  in_copy build/nocturne run "vectors/config/$1.yaml" --engine golden --json - "${@:3}" >"$2" 2>"$t/run.log"
}
chopin() { run chopin "$1" --set driver.threshold=20 "${@:2}"; }
policy() {
  chopin "$t/first.json" --frame gen:test-1 --set schedule.draws=first --engine lockstep &&
    chopin "$t/least.json" --frame gen:test-1 --set schedule.draws=least_remaining &&
    jq -e '.scheme == "first+scheduler" and .image.violations == 0 and .engine.units.draw_scheduler.mismatches == 0' "$t/first.json" &&
    [ "$(jq .cycles "$t/first.json")" -gt "$(jq .cycles "$t/least.json")" ] &&
    [ "$(jq -c .image "$t/first.json")" = "$(jq -c .image "$t/least.json")" ]
}
check 'a policy: a machine in lockstep' policy
check 'a policy: all schemes' in_copy build/tests/test_schemes

result() { # DESIGN FILE: all but what is about the run itself, and the name
  run atfim "$t/run.json" --frame gen:test-1 --set "texture.design=$1" &&
    jq 'del(.version, .config, .config_sha256, .engine, .timing)' "$t/run.json" >"$2"
}
same() { # DESIGN
  result "$1" "$t/$1.json" && result "$1_twin" "$t/$1_twin.json" && [ "$(jq .cycles "$t/$1.json")" -gt 0 ] &&
    cmp "$t/$1.json" "$t/$1_twin.json"
}
for design in $designs; do
  check "$design: its twin has its results" same $design
done
check 'designs differ' [ "$(jq .cycles "$t"/*_twin.json | sort -u | wc -l)" = 4 ]
check 'units of all designs' in_copy build/tests/test_texture_unit
energy() { in_copy bash tests/scripts/energy.test.sh build/ | tee "$t/energy.log" && has "$t/energy.log" "^ok s_tfim_twin\$"; }
check 'energy of all designs' energy

statistic() {
  local delay short long syncs
  for delay in 0 100; do
    chopin "$t/delay-$delay.json" --set driver.depth_broadcast=true --frames gen:test-3 --count 3 \
      --set driver.sync_delay=$delay || return
  done
  short=$(value composition.longest_sync "$t/delay-0.json") long=$(value composition.longest_sync "$t/delay-100.json")
  syncs=$(jq '[.frames[].composition.longest_sync] | max' "$t/delay-0.json")
  [ "$short" -gt 0 ] && [ "$short" = "$syncs" ] && [ "$long" -eq $((short + 200)) ] ||
    { echo "$short, of the frames $syncs, delayed $long"; return 1; }
  in_copy build/nocturne run --list-keys >"$t/new" && has "$t/new" '^composition.longest_sync +cycles +- +largest' &&
    has "$copy/docs/reference/configuration.md" '^\| `driver.sync_delay` \| `0`'
}
check 'statistic and key: counted, joined, listed, documented' statistic

# ---- A golden model that disagrees is found: the bit says the contrary; the policy takes another GPU

disagrees() { # SED PATTERN
  cp -p "$copy/$golden" "$t/golden.c"
  in_copy sed -i "$1" $golden
  make -C "$copy" -j2 --no-print-directory build/nocturne && fails_with "$2" lockstep
  local code=$?
  cp "$t/golden.c" "$copy/$golden"
  return $code
}
check 'a bit more: compared' disagrees 's/golden->open;/!golden->open;/' '^  signal group_open: expected'
check 'a policy: compared' disagrees '/DrawSchedulerPolicyFirst/{ n; s/return 0;/return 1;/ }' '^  signal'
rm -rf "$copy" "$t/before"

# What is written for one unit: its page without the ports' meanings, and what names it in dpi/ and tb/harness.
lines=0
for page in csim/units/*/page.yaml; do
  unit=$(basename "$(dirname "$page")")
  of_unit=$({ sed '/^doc:/,$d' "$page"; find dpi tb/harness csim/unit -name "*$unit*" -exec cat {} +; } | wc -l)
  named=$(grep -rhow "$unit" dpi tb/harness csim/unit --include='*.[ch]' --include='*.sv' \
    --include='*.cpp' | wc -l)
  lines=$((lines + of_unit + named))
done
# (700 for nine.)
limit=$((700 * $(wc -w <<<"$units") / 9))
what="lines for $(wc -w <<<"$units") units"
if [ "$lines" -lt $limit ]; then good "$what: $lines"; else bad "$what" "$lines, expected below $limit"; fi
