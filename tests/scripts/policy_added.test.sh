#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Adds a policy of the draw scheduler, RTL included, in a copy of the sources: unit description, RTL,
# golden model, contract, cover point and plan, and one row in csim/machine. The unit's random
# stimulus and the test of all schemes must take it without being told.
set -u
. tests/scripts/lib.sh
copy=$t/copy
unit=draw_scheduler
description=csim/units/$unit/page.yaml
golden=csim/units/$unit/golden.c
rtl=rtl/chopin/$unit.sv
contract=docs/units/$unit.md
cover=tb/units/$unit/cover.svh
plan=tests/units/$unit/plan.yaml
scheme=csim/machine/scheme.h
mkdir -p "$copy/build/units"
cp -rp Makefile csim dpi tb rtl docs tests vectors "$copy/"
cp -rp build/{obj,unit,unit_generator} "$copy/build/"
ln -s "$root"/build/units/{library-*,store} "$copy/build/units/"
in_copy() { (cd "$copy" && "$@"); }
differing() { diff -rq --exclude=build . "$copy" | sed -n 's/^Files \.\/\([^ ]*\) and .* differ$/\1/p' | sort | tr '\n' ' '; }

# Policy 3: every opaque draw goes to GPU 0.
sed -i 's/DuplicateAll\]/DuplicateAll, First]/' "$copy/$description"
sed -i "s/^\( *assign choice = \)(policy_q == ${unit}_pkg::PolicyRoundRobin)/\1(policy_q == ${unit}_pkg::PolicyFirst) ? NumGpus'(1) :\n      (policy_q == ${unit}_pkg::PolicyRoundRobin)/" "$copy/$rtl"
sed -i 's/^static uint32_t choose(golden_t \*golden) {/&\n  if (golden->policy == DrawSchedulerPolicyFirst) {\n    return 0;\n  }/' "$copy/$golden"
sed -i 's/2 duplicate all (3 as 0)/2 duplicate all, 3 first: GPU 0/; s/2 DuplicateAll |/2 DuplicateAll, 3 First |/' "$copy/$contract"
sed -i "s/^policy_held: cover property/policy_first: cover property (@(posedge clk_i) disable iff (!rst_ni)\n  cover_opaque \&\& u_dut.policy_q == ${unit}_pkg::PolicyFirst);\n&/" "$copy/$cover"
sed -i 's/duplicate_all, policy_held\]/duplicate_all, policy_held, policy_first]/' "$copy/$plan"
sed -i '/^  X(MachineDrawsLeast/{ s/$/ \\/; a\  X(MachineDrawsFirst, first, MachineSharesDraws, First)
}' "$copy/$scheme"

# What the build writes into the tree from the description: the package of its codes.
package=rtl/chopin/${unit}_pkg.sv
made() { in_copy make --no-print-directory build/unit/made && in_copy tb/docs_ports.sh build; }
check "the package is made" made
check built make -C "$copy" -j2 --no-print-directory build/nocturne build/tests/test_schemes
check "seven files by hand, one made" [ "$(differing)" = "$(printf '%s\n' $description $golden $rtl $package $contract $cover $plan $scheme | sort | tr '\n' ' ')" ]
lockstep() { in_copy build/nocturne unit $unit --seed 3 --cycles 100000 --set paper | tee "$t/said" && has "$t/said" '100000 compared, 0 mismatches'; }
check "the unit in lockstep" lockstep
run() { # ENGINE POLICY FILE
  in_copy build/nocturne run vectors/config/chopin.yaml --engine "$1" --frame gen:test-1 --set driver.threshold=20 \
    --set "schedule.draws=$2" --json - >"$3" 2>"$t/run.log"
}
machine() {
  run lockstep first "$t/first.json" && run golden least_remaining "$t/least.json" &&
    jq -e '.scheme == "first+scheduler" and .image.violations == 0 and .engine.units.draw_scheduler.mismatches == 0' "$t/first.json" &&
    [ "$(jq .cycles "$t/first.json")" -gt "$(jq .cycles "$t/least.json")" ] &&
    [ "$(jq -c .image "$t/first.json")" = "$(jq -c .image "$t/least.json")" ]
}
check "a machine in lockstep" machine
check "all schemes" in_copy build/tests/test_schemes
# A golden model that disagrees is found.
sed -i '/DrawSchedulerPolicyFirst/{ n; s/return 0;/return 1;/ }' "$copy/$golden"
make -C "$copy" -j2 --no-print-directory build/nocturne >"$t/made" 2>&1
check "a golden model that disagrees" [ "$(lockstep >"$t/differs" 2>&1; grep -c '^  signal' "$t/differs")" -ge 1 ]
rm -rf "$copy"
