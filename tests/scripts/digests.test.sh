#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The bundled machines' results against digests recorded from an earlier commit: whatever a change
# of structure does, the JSON stays the same to the byte but for version, config, config_sha256,
# engine and timing.
#   tests/scripts/digests.test.sh [BUILD [all]]      all (or LONG): the long ones too
#   tests/scripts/digests.test.sh BUILD record       writes tests/digests.txt anew
# A line of tests/digests.txt: digest, quick or long, arguments of `nocturne run`.
set -u
cd "$(dirname "$0")/../.." || exit 1
which=${2:-${LONG:+all}}
which=${which:-quick}
set -- "${1:-build}"
# shellcheck source=tests/scripts/lib.sh
. tests/scripts/lib.sh

# The top level's keys start lines with two spaces and a quotation mark.
digest() { # arguments of run
  # shellcheck disable=SC2068
  "$n" run $@ --engine golden --json "$t/run.json" >"$t/run.log" 2>&1 || return
  awk '/^  "/ { skip = /^  "(version|config|config_sha256|engine|timing)":/ } !skip' "$t/run.json" |
    sha256sum | cut -d ' ' -f 1
}

while read -r old kind arguments; do
  [ "$kind" = quick ] || [ "$which" != quick ] || continue
  new=$(digest "$arguments")
  if [ "$which" = record ]; then
    echo "${new:?} $kind $arguments" >>"$t/digests.txt"
  elif [ "$new" = "$old" ]; then
    good "digest: $arguments"
  else
    bad "digest: $arguments" "recorded $old, now ${new:-no result}" "$t/run.log"
  fi
done <tests/digests.txt
[ "$which" != record ] || cp "$t/digests.txt" tests/digests.txt
