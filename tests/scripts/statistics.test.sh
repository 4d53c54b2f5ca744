#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The keys of a run's JSON are the rows of tb/result/rows.c: listed, documented, summed. added.test.sh
# adds a row.
set -u
. tests/scripts/lib.sh

# ---- The rows, the page and the JSON agree

"$n" run --list-keys >"$t/list"
"$n" run --list-keys=csv >"$t/keys.csv"
check 'docs/reference/json.csv is the table of today (make docs)' diff docs/reference/json.csv "$t/keys.csv"

chopin="vectors/config/chopin.yaml --set driver.threshold=20"
run() { # FILE ARGUMENTS...
  "$n" run --engine golden "${@:2}" --json "$1" >"$t/run.log" 2>&1 || bad "run ${*:2}" "" "$t/run.log"
}
# shellcheck disable=SC2086
{
  run "$t/a.json" $chopin --frame gen:test-2 --baseline duplication
  run "$t/b.json" vectors/config/atfim.yaml --frame gen:test-1 --set texture.angle_threshold=always
  run "$t/c.json" vectors/config/atfim.yaml --frame gen:test-1 --set texture.read_errors=20
  run "$t/d.json" vectors/config/g80.yaml --frame gen:test-1
  run "$t/f.json" vectors/config/emerald.yaml --frame gen:test-1 --set gpu.tc_engines=2 --set gpu.front=cluster
  run "$t/g.json" vectors/config/emerald.yaml --frames gen:w4-64x48 --count 2 --set dfsl.mode=on
  run "$t/i.json" vectors/config/soc.yaml --frames gen:m2-64x48 --count 2 --set soc.scheduler=dash_all \
    --set soc.pace=1000 --set soc.cpu=light
  run "$t/whole.json" vectors/config/next.yaml --set driver.threshold=20 --frames gen:test-2 --count 3 \
    --baseline duplication
  run "$t/textures.json" vectors/config/atfim.yaml --frames gen:test-1 --count 2
}
run "$t/e.json" vectors/config/chopin.yaml --frame gen:test-2 --set scheme=single --engine rtl
# A library without functions leaves every decision to the driver.
printf '#include "csim/driver/nocturne_driver.h"\nNOCTURNE_DRIVER_LIBRARY;\n' | "${CC:-cc}" -I. -shared -fPIC -xc - -o "$t/own.so" && run "$t/h.json" vectors/config/chopin.yaml --frame gen:test-2 --driver "$t/own.so"

# Every key of the JSON is listed, and every key listed is in one of them. Rows whose members have
# rows of their own stand for objects.
jq -r '(., .frames[]?) | del(.frames) | paths(type != "object") | map(tostring) | join(".")' "$t"/?.json "$t/whole.json" |
  sed -E 's/^config\..*/config/; s/\.(parts|slices|quarters)\.[0-9]+\./.\1.N./; s/\.[0-9]+$//
    s/^(soc\.(sources|deadlines|dash))\.[^.]+\./\1.NAME./; s/^soc_parts\.(cpu.|gpu|display)$/soc_parts.NAME/
    s/^(groups.by_reason)\..*/\1.REASON/; s/^(engine.units)\.[^.]+\./\1.NAME./; s/^(engine.own)\..*/\1.NAME/' | sort -u >"$t/in_json"
awk 'NR > 1 { print $1 }' "$t/list" | grep -vxE 'shader.parts|draws.(slices|quarters)|groups.by_reason|engine.units|engine.own|soc.(sources|deadlines|dash)|soc_parts' |
  sort >"$t/in_list"
check "every key is listed once, every row is used: $(wc -l <"$t/in_list")" diff "$t/in_list" "$t/in_json"
# The schema that the program prints holds for each, and not for what is otherwise.
"$n" run --list-keys=schema >"$t/schema.json"
faults() { jq -r --slurpfile schema "$t/schema.json" -f tests/schema/check.jq "$@"; }
faults "$t"/?.json "$t/whole.json" "$t/textures.json" >"$t/faults"
[ $? -eq 0 ] && [ ! -s "$t/faults" ] && good 'results are as their schema has it' || bad 'results are as their schema has it' "" "$t/faults"
other=0
for change in '.cycles = "many"' 'del(.engine)' '.mine = 1' '.traffic.mine = 1' '.seed = -1' '.image.violations = 0.5'; do
  [ "$(jq "$change" "$t/a.json" | faults | wc -l)" -eq 1 ] || { echo "not found: $change"; other=1; }
done >"$t/log"
[ $other -eq 0 ] && good 'what is otherwise is found' || bad 'what is otherwise is found' "" "$t/log"
says() { awk 'NR > 1 && NF < 6 { print; wrong = 1 } END { exit wrong }' "$t/list"; }
check 'every row has a meaning' says

# What is summed over the frames is the sum of the frames' values.
sums() { # FILE
  local keys
  keys=$(awk 'NR > 1 && $4 == "sum" && $1 !~ /^(engine|timing)\./ { print $1 }' "$t/list")
  # shellcheck disable=SC2086
  jq -r '. as $all | $ARGS.positional[] | split(".") as $key |
    [$all.frames[] | getpath($key) | numbers] as $values |
    select(($values | length) > 0 and ($values | add) != ($all | getpath($key))) | join(".")' \
    "$1" --args $keys >"$t/wrong"
  ! [ -s "$t/wrong" ] || { cat "$t/wrong"; return 1; }
}
check 'sums over frames' sums "$t/whole.json"
check 'sums over frames, with textures' sums "$t/textures.json"
