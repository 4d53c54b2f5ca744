#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The runs that `make PGO=1` takes its profile from: the small generated frames of tests/digests.txt, on each machine.
#   tb/train.sh NOCTURNE
set -eu
grep -E '^[0-9a-f]+ quick .*gen:' tests/digests.txt | while read -r _ _ arguments; do
  # shellcheck disable=SC2086
  "$1" run $arguments --engine golden >/dev/null
done
