#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Coverage: a test that is missing shows in the figures and in the plan; plans, cover points and
# exclusions that do not fit are refused with their place.
set -u
. tests/scripts/lib.sh
mkdir -p "$t/plans/composition_scheduler"

# ---- A small unit: its plan has one feature for the errors, one for all else
cat >"$t/list.yaml" <<'Y'
defaults: {unit: composition_scheduler, gpus: 2, cycles: 20000}
tests:
  - {name: right, seeds: 1..4, set: paper, knobs: {errors: 0}}
  - {name: wrong, seeds: 1..8, set: paper, knobs: {errors: 50}}
Y
# Those of the unit's own file, and those that are made of its error codes.
labels() {
  sed -n 's/^\([a-z_0-9]*\): cover property.*/\1/p' tb/units/composition_scheduler/cover.svh \
    build/unit/composition_scheduler/tb_composition_scheduler.sv
}
plan() { # points of the features
  cat <<Y
unit: composition_scheduler
files: [rtl/chopin/composition_scheduler.sv]
toggle: ["NumGpus=2 LowestFirst=0"]
features:
  - {name: refusal, shows: what is illegal, tests: wrong, cover: [$(labels | grep '^error' | paste -sd,)]}
  - {name: transfers, shows: the rest, tests: [right, wrong], cover: [$(labels | grep -v '^error' | paste -sd,)]}
Y
}
plan >"$t/plans/composition_scheduler/plan.yaml"
cat >"$t/exclusions.yaml" <<'Y'
rtl:
  - {kind: line, file: "rtl/*", text: "if (NumGpus < 2 || NumGpus > 64) begin", reason: parameters}
Y
cover() { # data, options of the regression
  local data=$t/$1
  shift
  mkdir -p "$data"
  "$n" cover "$t/list.yaml" --plans "$t/plans" --exclusions "$t/exclusions.yaml" --data "$data" \
    --prepare || return
  NOCTURNE_COVERAGE=$data "$n" regress "$t/list.yaml" --folder "$data/regress" --no-cache "$@" \
    >"$data/regress.log" 2>&1 || return
  "$n" cover "$t/list.yaml" --plans "$t/plans" --exclusions "$t/exclusions.yaml" --data "$data" \
    --results "$data/regress/results.json" --folder "$data" --missed 0 >"$data/cover.log" 2>&1
}
cover all
if grep -q '^composition_scheduler *\([0-9]*\)/\1 100.00' "$t/all/cover.log" &&
  ! grep -q 'feature refusal' "$t/all/cover.log" && ! grep -q 'stale' "$t/all/cover.log"; then
  good "all tests: every line, no bare refusal"
else
  bad "all tests" "$(head -n 4 "$t/all/cover.log" "$t/all/regress.log")"
fi
cover some --filter 'right*'
code=$?
if [ $code -eq 1 ] && grep -q 'composition_scheduler: line .* expected 100' "$t/some/cover.log" &&
  grep -q 'feature refusal is bare: wrong did not run' "$t/some/cover.log" &&
  grep -q '^FAILED: coverage' "$t/some/cover.log"; then
  good "a test left out: lines fall short, the feature is named"
else
  bad "a test left out" "status $code: $(cat "$t/some/cover.log")"
fi
if [ "$(grep -c '"shows"' "$t/some/plan.json")" -eq 2 ] &&
  grep -q '"why": "wrong did not run"' "$t/some/plan.json" &&
  grep -q '"passed": false' "$t/some/summary.json" &&
  grep -q '^SF:rtl/chopin/composition_scheduler.sv' "$t/some/coverage.info"; then
  good "summary, plan and tracefile"
else
  bad "summary, plan and tracefile" "$(head -n 5 "$t/some/summary.json")"
fi
cat >>"$t/exclusions.yaml" <<'Y'
  - {kind: line, file: "rtl/*", text: "no such line", reason: none}
Y
"$n" cover "$t/list.yaml" --plans "$t/plans" --exclusions "$t/exclusions.yaml" --data "$t/all" \
  --results "$t/all/regress/results.json" --folder "$t/all" >"$t/stale.log" 2>&1
if grep -q 'exclusions.yaml:3:5: stale' "$t/stale.log"; then
  good "a stale exclusion is named"
else
  bad "a stale exclusion" "$(tail -n 3 "$t/stale.log")"
fi

# ---- What does not fit
refuse() { # name pattern plan [exclusions]
  mkdir -p "$t/wrong/p"
  printf '%s\n' "$3" >"$t/wrong/p/plan.yaml"
  printf '%s\n' "${4:-rtl: []}" >"$t/wrong_exclusions"
  "$n" cover "$t/list.yaml" --plans "$t/wrong" --exclusions "$t/wrong_exclusions" --check \
    >"$t/wrong.log" 2>&1
  code=$?
  if [ $code -eq 2 ] && [ "$(wc -l <"$t/wrong.log")" -eq 1 ] && grep -qE "$2" "$t/wrong.log"; then
    good "refused: $1"
  else
    bad "refused: $1" "status $code: $(head -n 2 "$t/wrong.log")"
  fi
}
whole=$(plan)
refuse "unknown key" 'p/plan.yaml:1:1: unknown key unti' "${whole/unit:/unti:}"
refuse "unknown test" 'p/plan.yaml:5:.*tests: wrung: expected a test of the list' "${whole/tests: wrong/tests: wrung}"
refuse "unknown point" 'p/plan.yaml:6:.*cover: nowhere: expected a cover point' "${whole/start_opaque/nowhere}"
refuse "point in no feature" 'composition_scheduler/cover.svh:[0-9]+:1: start_opaque: expected in a feature' \
  "${whole/start_opaque,/}"
refuse "no features" 'p/plan.yaml:1:1: expected features$' "${whole%%features:*}"
refuse "two of a name" 'p/plan.yaml:6:5: two features refusal' "${whole/name: transfers/name: refusal}"
refuse "no name" 'p/plan.yaml:5:5: expected name$' "${whole/name: refusal, /}"
refuse "not YAML" 'p/plan.yaml:[0-9]+:[0-9]+: ' 'unit: ['
refuse "empty" 'p/plan.yaml:1:1: empty, expected unit, files, toggle and features$' ''
refuse "exclusion without reason" 'exclusions:2:5: expected a file and a reason' "$whole" \
  $'c:\n  - {file: "tb/*", text: "*"}'
refuse "exclusion without kind" 'exclusions:2:5: of RTL: expected a kind' "$whole" \
  $'rtl:\n  - {file: "rtl/*", name: "x[1]", reason: none}'
refuse "exclusion of a kind" 'exclusions:2:12: kind: branch: expected' "$whole" \
  $'rtl:\n  - {kind: branch, file: "rtl/*", text: "x", reason: none}'
refuse "unknown part" 'exclusions:1:1: unknown key c\+\+' "$whole" 'c++: []'
