#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Named sets of the configuration: what a set says counts, not its name; every bundled one runs;
# a regression runs a machine again when a set that it names has changed.
set -u
. tests/scripts/lib.sh
run() { # name arguments of run
  "$n" run vectors/config/atfim.yaml --engine golden --frame gen:test-1 "${@:2}" --json "$t/$1.json" \
    >"$t/$1.log" 2>&1
}
of() { value "$2" "$t/$1.json"; }

run default --set texture.design=b_pim
cp vectors/sets/hmc.timing/cashmc_512.yaml "$t/own.yaml"
run own --set texture.design=b_pim --set hmc.timing="$t/own.yaml"
sed -i 's/^trcd: .*/trcd: 20400/' "$t/own.yaml"
run slow --set texture.design=b_pim --set hmc.timing="$t/own.yaml"
[ -n "$(of default cycles)" ] && [ "$(of own cycles)" = "$(of default cycles)" ] &&
  [ "$(of own config_sha256)" = "$(of default config_sha256)" ] && good copy || bad copy "" "$t/own.log"
[ "$(of slow cycles)" -gt "$(of default cycles)" ] &&
  [ "$(of slow config_sha256)" != "$(of default config_sha256)" ] &&
  grep -q '"trcd": "20400"' "$t/slow.json" && good slower || bad slower "" "$t/slow.log"

for file in vectors/sets/*/*.yaml; do
  key=$(basename "$(dirname "$file")")
  name=$(basename "$file" .yaml)
  design=b_pim
  [ "$key" != gddr5.timing ] || design=baseline
  if run set --set texture.design=$design --set "$key=$name"; then
    good "$key=$name"
  else
    bad "$key=$name" "" "$t/set.log"
  fi
done

# Two machines: one names the file itself, one is told by the list.
(cat vectors/config/atfim.yaml; printf '  timing: %s\n' "$t/own.yaml") >"$t/machine.yaml"
cat >"$t/list.yaml" <<END
tests:
  - {name: named, run: $t/machine.yaml, frame: "gen:test-1", set: [texture.design=b_pim], engine: golden}
  - {name: told, run: vectors/config/atfim.yaml, frame: "gen:test-1",
     set: [texture.design=b_pim, "hmc.timing=$t/own.yaml"], engine: golden}
END
regress() { "$n" regress "$t/list.yaml" --folder "$t/regress" >"$t/regress.log" 2>&1; }
results() { grep -h '^  "cycles"' "$t"/regress/logs/*.json | sort -u; }
regress
first=$(results)
regress
grep -q ', 2 from the cache' "$t/regress.log" && [ "$(results)" = "$first" ] && good cached || bad cached "" "$t/regress.log"
sed -i 's/^trcd: .*/trcd: 30400/' "$t/own.yaml"
regress
if [ "$(results | wc -l)" -eq 1 ] && [ "$(results)" != "$first" ]; then
  good "cache: a set changed"
else
  bad "cache: a set changed" "$first, then $(results)" "$t/regress.log"
fi
