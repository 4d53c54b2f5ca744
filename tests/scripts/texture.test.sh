#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The texture designs in the machine: same result from all three engines, right pictures,
# filtered samples within their bound, nothing lost over resets of the cube and failing reads.
set -u
. tests/scripts/lib.sh
. tests/scripts/engines.sh
atfim=vectors/config/atfim.yaml
combined=vectors/config/combined.yaml
number() { sed -n "s/^ *\"$2\": \([-0-9.e]*\),*$/\1/p" "$1" | head -n 1; }

passes() { # name config args...: golden; exit status judges picture and samples
  local name=$1 config=$2
  shift 2
  if "$n" run "$config" --engine golden --json "$t/$name.json" "$@" >"$t/$name.log" 2>&1; then
    good "$name"
  else
    bad "$name" "" "$t/$name.log"
  fi
}

holds() { # name condition: awk on the numbers given
  if awk "BEGIN { exit !($2) }"; then good "$1"; else bad "$1" "$2"; fi
}

refuses() { # name pattern args...
  local name=$1 pattern=$2 status=0
  shift 2
  "$n" run "$@" >"$t/$name.log" 2>&1 || status=$?
  if [ "$status" -eq 2 ] && [ "$(wc -l <"$t/$name.log")" -eq 1 ] &&
     grep -q -- "$pattern" "$t/$name.log"; then
    good "$name"
  else
    bad "$name" "status $status" "$t/$name.log"
  fi
}

always=(--set texture.angle_threshold=always --set texture.track_error=1)

# One layer of few packages; by angle, whose picture depends on time; four layers with resets, short packages.
# By slope exact with reuse, at any number of GPUs.
few=(--set atfim.layers=1 --set hmc.vault_hash=false)
engines few-packages "$atfim" --frame gen:test-3 "${few[@]}" --set atfim.packages=2 --set texture.track_error=1
engines by-angle "$atfim" --frame gen:test-3 "${few[@]}" --set texture.match=angle --set atfim.merge=false \
  --set texture.parents=isotropic
engines layers "$atfim" --frame gen:test-4 --set atfim.package_flits=2 --set texture.reset_interval=3000
for layers in 1 ${LONG:+3 16}; do
  passes "resets-$layers" "$atfim" --frame gen:test-1 --set "atfim.layers=$layers" \
    --set texture.reset_interval=2500 --set atfim.slots=4 --set texture.track_error=1
done
holds "there were resets" "$(number "$t/resets-1.json" resets) > 5"
holds "lines are merged and counted" "$(number "$t/few-packages.golden.json" merged) > 0 &&
  $(number "$t/few-packages.golden.json" beats) == $(number "$t/few-packages.golden.json" merged) + \
  $(number "$t/few-packages.golden.json" new_reads)"
engines combined-8 "$combined" --frame gen:test-1 --set driver.threshold=50
for gpus in 3 ${LONG:+2 6 12}; do
  passes "combined-$gpus" "$combined" --frame gen:test-1 --set driver.threshold=50 \
    --set "gpus=$gpus" --set texture.track_error=1
done

# Each design's picture is the single GPU's of the same design; A-TFIM's samples are those without time.
for seed in 1 ${LONG:+2 3 4 5 6 7 8}; do
  for design in baseline b_pim s_tfim; do
    passes "$design-$seed" "$atfim" --frame "gen:test-$seed" --set "texture.design=$design"
  done
  passes "a_tfim-$seed" "$atfim" --frame "gen:test-$seed" --set texture.track_error=1
  passes "always-$seed" "$atfim" --frame "gen:test-$seed" "${always[@]}"
done
holds "reuse saves packages" \
  "4 * $(number "$t/a_tfim-1.json" packages) < $(number "$t/always-1.json" packages)"

# Nothing is lost: with resets in the middle the picture is the same.
for seed in 1 ${LONG:+2 5}; do
  passes "resets-always-$seed" "$atfim" --frame "gen:test-$seed" "${always[@]}" \
    --set texture.reset_interval=2500 --set atfim.slots=4
done
holds "there were resets with always" "$(number "$t/resets-always-1.json" resets) > 10"
"$n" run "$atfim" --engine golden --frame gen:test-1 --set texture.read_errors=5 \
  --json "$t/errors.json" >"$t/errors.log" 2>&1
holds "failed reads are answered and counted" "$? == 0 && $(number "$t/errors.json" failed_parents) > 0"
"$n" run "$atfim" --engine golden --frame gen:test-1 --set atfim.layers=2 --set atfim.packages=16 \
  --set texture.read_errors=5 --set texture.reset_interval=2500 --json "$t/two-errors.json" >"$t/two-errors.log" 2>&1
holds "only pixels with failed reads differ" "$? == 0 &&
  $(number "$t/two-errors.json" failed_pixels) > 0 && $(number "$t/two-errors.json" failed_pixels) < 500 &&
  $(number "$t/two-errors.json" violations) == 0"

value() { # design column
  awk -F, -v design="$1" -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) k = i }
    $1 == design { print $k }' "$t/designs/table.csv"
}
psnr() { value "$1" PSNR; }
designs() { # the quality never rises by more than half a decibel along the thresholds
  if "$n" sweep vectors/sweeps/designs-thresholds.yaml --engine golden --out "$t/designs" \
      >"$t/designs.log" 2>&1; then
    good "designs side by side"
  else
    bad "designs side by side" "$(tail -n 12 "$t/designs.log")"
  fi
  holds "quality falls with the threshold" "$(psnr a_tfim-0) < $(psnr a_tfim-always) + 0.5 &&
    $(psnr a_tfim-1.8) < $(psnr a_tfim-0.9) + 0.5 && $(psnr a_tfim-9) < $(psnr a_tfim-1.8) + 0.5 &&
    $(psnr a_tfim-none) < $(psnr a_tfim-9) + 0.5"
  holds "0 and 0.9 degrees admit the same hits" \
    "$(value a_tfim-0 cycles) == $(value a_tfim-0.9 cycles)"
  holds "the baseline is its own reference" "$(psnr baseline) == 99 && $(psnr b_pim) == 99"
  holds "isotropic filtering is visibly worse" "$(psnr isotropic) < $(psnr a_tfim) - 3"
  holds "by slope the picture is that of always" "$(psnr a_tfim) == $(psnr a_tfim-always)"
}
[ -z "${LONG:-}" ] || designs

refuses design "expected one of rate, baseline" "$atfim" --set texture.design=pim
refuses slots "power of two" "$atfim" --set atfim.slots=3
refuses units "at most 64 units" "$atfim" --set gpu.sms=64 --set gpu.texture_units=2
refuses threshold "texture.angle_threshold" "$atfim" --set texture.angle_threshold=sometimes
refuses descriptors "20 descriptors" "$atfim" --frame gen:test-1 --set atfim.descriptors=2
refuses gone-parents "expected one of lattice or isotropic" "$atfim" --set texture.parents=line
refuses gone-entries "is no key any more, expected atfim.packages" "$atfim" --set atfim.parent_entries=256
refuses packages "atfim.packages=3: it must be a power of two" "$atfim" --set atfim.packages=3
refuses links "hmc.links" "$atfim" --frame gen:test-1 --set hmc.links=3

# A memory that ends below the textures answers at once: the run must not pass.
"$n" run "$atfim" --engine golden --frame gen:test-1 --set texture.design=baseline --set gddr5.rows=256 >"$t/small.log" 2>&1
code=$?
if [ $code -eq 1 ] && grep -qE 'GPU 0: [1-9][0-9]* requests beyond the end of its memory' "$t/small.log"; then
  good "a memory that is too small"
else
  bad "a memory that is too small" "status $code"
fi
