#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Coverage of a unit from outside the tree, in the unit's folder; `make cover` there runs it:
#   tb/cover_unit.sh NOCTURNE UNIT [LIST [REGRESS-OPTION...]]
# NOCTURNE: the program, build/nocturne for that of the tree. Needs UNIT.yaml, UNIT.so and LIST (list.yaml); cover/UNIT.so is the golden model built
# with --coverage. Takes plan.yaml and exclusions.yaml where they are. All goes to cover/. Exit status as of
# `nocturne cover`, or 1 if a test failed.
set -u
n=$1 unit=$2 own=$PWD list=$PWD/${3:-list.yaml} tree=$(cd "$(dirname "$0")/.." && pwd)
shift $(($# < 3 ? $# : 3))
for tool in lcov genhtml; do
  command -v $tool >/dev/null || { echo "cover: $tool is missing; install lcov" >&2; exit 3; }
done
rm -rf cover/data cover/html cover/*.gcda
mkdir -p cover/data || exit 1
# The tree's program runs in the tree.
[ "$n" != build/nocturne ] || cd "$tree" || exit 1
out=$own/cover data=$own/cover/data page=$own/$unit.yaml c=()
# The generated top has cover points that a plan may name.
"$n" unit --page "$page" --knobs >/dev/null || exit
"$n" cover "$list" --page "$page" --prepare --data "$data" || exit
[ ! -f "$out/$unit.so" ] || export NOCTURNE_GOLDEN="$out/$unit.so"
NOCTURNE_COVERAGE=$data "$n" regress "$list" --folder "$out/regress" --no-cache "$@"
status=$?
[ $status -le 1 ] || exit $status
if [ -n "${NOCTURNE_GOLDEN:-}" ]; then
  lcov --quiet --capture --directory "$out" --base-directory "$own" --output-file "$out/golden.info" \
    >"$out/lcov.log" 2>&1 || { tail -n 5 "$out/lcov.log" >&2; exit 3; }
  c=(--c "$out/golden.info")
fi
"$n" cover "$list" --page "$page" --data "$data" --results "$out/regress/results.json" --folder "$out" "${c[@]}"
judged=$?
genhtml --quiet --legend --title "$unit" --output-directory "$out/html" "$out/coverage.info" >>"$out/lcov.log" 2>&1 &&
  echo "pages: $out/html/index.html"
# Nothing is left to run: the regression's page again, with the coverage.
NOCTURNE_COVERAGE=$data "$n" regress "$list" --folder "$out/regress" --cover "$out" --resume --no-cache "$@" \
  >/dev/null && echo "report: $out/regress/index.html"
[ $judged -ne 0 ] && exit $judged
exit $status
