#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Several frames in one run: each as it runs alone, from a file as generated, the whole their sum, the
# same from all three engines, and a picture of each.
set -u
. tests/scripts/lib.sh
. tests/scripts/engines.sh
c=vectors/config/chopin.yaml
set="--set driver.threshold=20"

run() { # name arguments...: the JSON as $t/NAME.json
  local name=$1
  shift
  # shellcheck disable=SC2086
  "$n" run $c $set --engine golden --json "$t/$name.json" "$@" >"$t/$name.log" 2>&1 ||
    bad "$name runs" "" "$t/$name.log"
}

# The object of the nth frame of a run of several, as the lines of a run of one would have it.
frame_of() { # name n
  awk -v n="$2" '/^  "frames": \[/ {inside = 1; next} /^  \]/ {inside = 0}
    inside && /^    \{/ {k++; next} inside && k == n + 1 && !/^    \}/ {print substr($0, 5)}' "$t/$1.json"
}

# A run of one without what a run of several says once.
alone_of() { # name
  awk '/^  "/ {skip = /^  "(version|config|config_sha256|seed|scheme|gpus|units_outside|engine|timing)":/}
    !skip && !/^[{}]/' "$t/$1.json"
}

said_of() { # name: all but engine and timing
  sed '/^  "engine"/,$d' "$t/$1.json"
}

same() { # name, two texts; a comma may end what came last
  if [ -n "$2" ] && [ "${2%,}" = "${3%,}" ]; then
    good "$1"
  else
    bad "$1" "$(diff <(echo "$2") <(echo "$3") | head -n 6)"
  fi
}


# shellcheck disable=SC2086
engines several $c $set --frames gen:test-3 --set gpus=3 --baseline duplication
check "a file of them" "$n" frame generate gen:test-3 "$t/four.nframe" 1 4
run four --frames "$t/four.nframe" --baseline duplication --image "$t/four.png"
run generated --frames gen:test-3 --count 4 --baseline duplication
same "from a file as generated" "$(said_of four)" "$(said_of generated)"
run alone --frame gen:test-3 --baseline duplication
same "the first as alone" "$(alone_of alone)" "$(frame_of four 0)"
run third --frames "$t/four.nframe" --first 2 --count 1 --baseline duplication
same "the third by itself" "$(frame_of third 0)" "$(frame_of four 2)"
run twice --frames "$t/four.nframe" --baseline duplication
same "the same again" "$(said_of twice)" "$(said_of four)"
for key in cycles sync_bytes fragments_shaded; do
  whole=$(awk -v key="\"$key\":" '/^  "frames"/ {exit} $1 == key {print $2 + 0; exit}' "$t/four.json")
  # Each frame has its baseline's cycles too.
  frames=$(for k in 0 1 2 3; do frame_of four $k; done | awk -v key="\"$key\":" '
    /^  "baseline"/ {skip = 1} $1 == key && !skip {s += $2} /^  }/ {skip = 0} END {print s + 0}')
  same "whole: $key" "$whole" "$frames"
done
same "four frames differ" 4 "$(for k in 0 1 2 3; do frame_of four $k; done | grep -c '"frame_hash"')"
same "each of its own hash" 4 "$(for k in 0 1 2 3; do frame_of four $k; done | grep '"frame_hash"' | sort -u | wc -l)"
for k in 0 1 2 3; do
  sha=$(frame_of four $k | sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p')
  if [ -s "$t/four-$k.png" ] && [ -n "$sha" ]; then good "picture $k"; else bad "picture $k" "$t/four-$k.png"; fi
done
check "a row of each and the whole" has "$t/four.log" '^  whole +[0-9]+ +[0-9]+ +[0-9.]+ +0 '
# What lasts: a frame knows the draws of the one before, and the first that runs knows nothing.
run weights --frames "$t/four.nframe" --set driver.weights=true
run alone_weights --frame gen:test-3 --set driver.weights=true
same "nothing is known of a frame before the first" "$(alone_of alone_weights)" "$(frame_of weights 0)"
run third_weights --frames "$t/four.nframe" --first 2 --count 1 --set driver.weights=true
same "nor of one that did not run" "$(frame_of third_weights 0)" "$(frame_of third 0 | sed '/^  "baseline"/,/^  }/d')"
if [ "$(frame_of weights 2)" != "$(frame_of third_weights 0)" ]; then
  good "what is known has a part"
else
  bad "what is known has a part" "frame 2 ran the same after frame 1 and alone"
fi
