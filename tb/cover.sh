#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Coverage of the RTL and the C over the standard list: tb/cover.sh [REGRESS-OPTION...].
# Points go to build/cover, pages to build/cover/html. Exit status as of `nocturne cover`.
set -u
c=build/cover/c
list=${COVER_LIST:-tests/lists/standard.yaml}
command -v lcov >/dev/null || { echo 'cover: lcov is missing; run `make setup`' >&2; exit 3; }
rm -rf build/cover/data build/cover/html
mkdir -p build/cover/data
find build/cover build/units -name '*.gcda' -delete 2>/dev/null
"$c/nocturne" cover "$list" --prepare || exit
NOCTURNE_COVERAGE=$PWD/build/cover/data NOCTURNE_BUILD=$c "$c/nocturne" regress "$list" \
  --folder build/cover/regress --no-cache "$@"
status=$?
[ $status -le 1 ] || exit $status
lcov --quiet --capture --directory "$c" --directory build/units --base-directory "$PWD" \
  --output-file build/cover/c.info >build/cover/lcov.log 2>&1 || { tail -n 5 build/cover/lcov.log >&2; exit 3; }
build/nocturne cover "$list" --c build/cover/c.info
judged=$?
genhtml --quiet --legend --title Nocturne --output-directory build/cover/html build/cover/coverage.info \
  >>build/cover/lcov.log 2>&1 && echo "pages: build/cover/html/index.html"
# Nothing is left to run: the regression's page anew, with the coverage.
NOCTURNE_BUILD=$c "$c/nocturne" regress "$list" --folder build/cover/regress --resume --no-cache \
  "$@" >/dev/null && echo "report: build/cover/regress/index.html"
[ $judged -ne 0 ] && exit $judged
exit $status
