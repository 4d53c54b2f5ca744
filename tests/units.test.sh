#!/bin/bash
# Each unit in lockstep, from the test lists: its directed tests, and each constrained-random test
# with two seeds.
set -u
. tests/lib.sh
"$n" regress tests/lists/directed.yaml tests/lists/units.yaml tests/lists/sets.yaml --seeds 2 \
  --no-cache --folder "$t" >"$t/out" 2>&1
status=$?
[ $status -le 1 ] || {
  bad units "$(tail -n 1 "$t/out")"
  exit
}
sed -n 's/^   "\(id\|verdict\|what\)": "\(.*\)",$/\1 \2/p' "$t"/results.json |
  awk '$1 == "id" { id = $2 } $1 == "verdict" { print ($2 == "passed" ? "ok " : "not ok ") id }
    $1 == "what" && NF > 1 { print "  " substr($0, 6) }'
exit $status
