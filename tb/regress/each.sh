#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The same command for many items, as a regression, which may run on a cluster (docs/how-to/cluster.md):
#   tb/regress/each.sh FOLDER OPTIONS COMMAND WORD... <ITEMS
# Items are lines of letters, digits, _ and -; ITEM in the words stands for one. OPTIONS are words of a shell for
# `nocturne regress`, such as "--launch 'srun -n1' -j 100"; FOLDER is the regression's. Prints what each command
# printed, in the order of the items. NOCTURNE: the program (build/nocturne).
# Exit status: 0 all ended well, 1 one did not, otherwise that of `nocturne regress`, with its line.
set -u
folder=$1 options=$2
shift 2
mkdir -p "$folder" || exit 1
items=$(cat)
[ -n "$items" ] || exit 0
{
  echo 'defaults: {timeout: {seconds: 360000}, memory: 100000000}'
  echo 'tests:'
  for item in $items; do
    printf '  - {name: %s, command: [' "$item"
    for word; do printf "'%s', " "$(sed "s/ITEM/$item/g; s/'/''/g" <<<"$word")"; done
    echo ']}'
  done
} >"$folder/list.yaml"
rm -f "$folder/results.json"
eval "words=($options)"
"${NOCTURNE:-build/nocturne}" regress "$folder/list.yaml" --folder "$folder" --no-cache "${words[@]}" >"$folder/log" 2>&1
status=$?
if [ ! -e "$folder/results.json" ]; then
  grep '^nocturne' "$folder/log" >&2
  exit $((status ? status : 1))
fi
for item in $items; do cat "$folder/logs/$item.log"; done
exit $status
