#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The inputs that fuzzing left for a unit, tests/units/UNIT/corpus.tar.gz (docs/how-to/fuzz.md):
#   tb/fuzz/corpus.sh unpack UNIT FOLDER   extracts them; prints FOLDER, or nothing if the unit has none
#   tb/fuzz/corpus.sh pack UNIT FOLDER     archives the files of FOLDER; the same files make the same bytes
set -eu
set -o pipefail
archive=tests/units/$2/corpus.tar.gz
case $1 in
  unpack)
    [ -f "$archive" ] || exit 0
    rm -rf "$3"
    mkdir -p "$3"
    tar -xzf "$archive" -C "$3"
    echo "$3" ;;
  pack)
    mkdir -p "${archive%/*}"
    (cd "$3" && find . -type f -printf '%P\n' | LC_ALL=C sort | tar --no-recursion --format=ustar --mtime=@0 \
      --owner=0 --group=0 --numeric-owner --mode=644 -cT -) | gzip -9n >"$archive.new"
    mv "$archive.new" "$archive" ;;
esac
