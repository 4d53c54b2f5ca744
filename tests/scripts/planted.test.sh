#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Plants wrong lines of RTL, golden models, machine and harness (`test` in wrong.cases, tests/scripts/wrong.sh) one by
# one in a copy of the tree; each must be found by the test of `make test` that is named, with the message that is named.
# One is planted, with LONG=1 all, with ONLY=PATTERN those whose name matches.
set -u
. tests/scripts/lib.sh
tree=$(realpath "$t")/tree
unset NOCTURNE_COVERAGE MAKEFLAGS MFLAGS MAKELEVEL
mkdir -p "$tree/build"
cp -rp "$root"/{Makefile,rtl,dpi,tb,csim,tests,docs,waves} "$tree/"
(cd "$root/$build" && cp -rp flags nocturne obj tests unit unit_generator unit_take libcsim.a "$tree/build/")
share_units "$tree/build/units"
ln -sfn "$root/vectors" "$tree/vectors"

finds() { # case file change filter pattern
  local seconds programs=build/nocturne
  cd "$tree" || exit 1
  sed -i "$3" "$2"
  if cmp -s "$root/$2" "$2"; then
    bad "$1" "the wrong line no longer applies to $2"
    return
  fi
  case $4 in
    test_*) programs+=" build/tests/$4" ;;
    *-program) programs+=" build/tests/test_${4%-program}" ;;
  esac
  # shellcheck disable=SC2086
  make -s -j2 $programs >make.log 2>&1
  seconds=$SECONDS
  NOCTURNE_NO_WAVES=1 build/nocturne regress tests/lists/test.yaml --seeds 2 --filter "$4" --folder found -j 2 \
    >found.log 2>&1
  if [ $? -eq 1 ] && cat found.log found/logs/* 2>/dev/null | grep -qE -- "$5"; then
    good "$1: $4, $((SECONDS - seconds)) s: $(cat found.log found/logs/* | grep -oE -m 1 -- ".{0,40}$5.{0,60}")"
  else
    cat make.log >>found.log
    bad "$1" "not found by $4" found.log
  fi
  cp "$root/$2" "$2"  # newer than what was made of the wrong one
  rm -rf found
  cd "$root" || exit 1
}

only=${LONG:+.}
only=${ONLY:-${only:-alpha}}
tests/scripts/wrong.sh test >"$t/cases"
while IFS=$'\037' read -r unit name file change found _; do
  [[ "$unit: $name" =~ $only ]] || continue
  finds "$unit: $name" "$file" "$change" "${found%% *}" "${found#* }"
done <"$t/cases"
