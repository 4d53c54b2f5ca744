#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The reports of a regression without what differs from one machine and run to the next (docs/how-to/cluster.md):
#   tb/regress/filter.sh FOLDER [FILE...]
# Prints FOLDER/results.json and index.html, then each FILE (its JUnit XML, what it printed), without
# times, host, command, and how many ran at a time; which test was the longest goes with the times.
# FOLDER's path, and that of a launched test's files in it, become FOLDER/.
set -eu
folder=${1%/}
shift
quote() { printf '%s' "$1" | sed 's/[][\.*^$|]/\\&/g'; }
escaped=$(quote "$folder") absolute=$(quote "$(realpath "$folder")")
filter() {
  sed -E "
    s|$absolute/launched/[0-9a-f]{16}/[0-9]+/files/|FOLDER/logs/|g
    s|$escaped/|FOLDER/|g
    s|<p>[0-9-]+ [0-9:]+\. ([0-9]+ tests) in [0-9.]+ seconds with [0-9]+ at a time;|<p>\1;|
    s|<dt>(command\|host)</dt><dd>.*</dd>|<dt>\1</dt>|
    s|(they took )[0-9.]+ seconds then and [0-9.]+ now|\1|
    s|(<title>[0-9]+ passed, [0-9]+ failed), [0-9]+ s|\1|
    s|(<td class=\"n\">)[0-9]+\.[0-9]</td><td>[^<]*, [0-9.]+ s</td></tr>|\1</td></tr>|
    s|(<testcase.*\|<testsuite.*) time=\"[0-9.]+\"|\1|
    s|^((FAIL\|pass) .*\([0-9]+( of [0-9]+)?), [0-9]+ s(, [0-9.]+ s of CPU)?\)|\1)|
    s|^([0-9]+ tests) in [0-9.]+ s,|\1,|
    /^[0-9]+ s of CPU, of which/d
    /^of these proof /d
    /^[0-9]+ of [0-9]+ tests, .* running/d"
}
awk '/^ "timing": \{/ { exit } { print }' "$folder/results.json" | filter
cat "$folder/index.html" "$@" | filter
