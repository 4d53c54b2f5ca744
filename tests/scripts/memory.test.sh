#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The memory models: the request streams are those the peers were measured with (by digest),
# and every row of the table of the measured peers is met. The last row is this machine's speed.
set -u
. tests/scripts/lib.sh
while read -r stream digest; do
  ours=$("$n" memory --stream "$stream" | sha256sum | cut -d' ' -f1)
  if [ "$ours" = "$digest" ]; then
    good "stream $stream"
  else
    bad "stream $stream" "$ours instead of $digest"
  fi
done <<'END'
hmc:U d67a5f36f7a2bceae5981205bbd9f21408b2d00d300f7a6ec7704288d1400ec3
hmc:S 7c3460b39f54aac8833da4ab8304f928b36a69e5ac9aa48acc4970ed41022cae
hmc:V 9808620b1054fae3cc7a968094c4a569f1df00c385c35544414e834ebdb1aa2a
hmc:B cf74e2584bc96dac1eb1ccfc13cf97c32b646887e964c14fb4da7a152c17a23e
hmc:H f5c96465345074f1bfe483de1e329231cb28ee55544d4f446ae92930c25d11b9
gddr5:U 28311485f2cf8c99598f2b43659d3ce0a326bb14a4bde92fe242c6590a7d3231
gddr5:S cf8c13d696e08eadd0567390edf1dd8050e50d3b8b08146ee45ca0e29776acd5
gddr5:V fc50f1115b69e3ee2bb3b825715a9444f84dc912e02a7b05ad411c138551f31b
gddr5:B a7bb90aa96ca04778c3d370349155412e0116c521c9e4d3745c2228b8186da41
gddr5:H 2833a5c1dd94dc3866c741c13406721946cb5750a0ff9736d9bdb8fbb53c1caa
END
"$n" memory --table >"$t/table.md"
table=$?
rows=0
while IFS='|' read -r _ config test peers ours met _; do
  case $met in
    " met ") good "$config$test:$ours" ;;
    *) [ "$config" = " speed " ] || bad "$config$test" "$peers, ours$ours" ;;
  esac
  rows=$((rows + 1))
done < <(tail -n +3 "$t/table.md")
[ $rows -eq 26 ] || bad table "$rows rows"
[ $table -eq 0 ] || bad table "status $table"
"$n" memory --stream hmc:X >/dev/null 2>&1
[ $? -eq 2 ] && good usage || bad usage
