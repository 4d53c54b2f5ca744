#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Renders the timing diagrams, docs/units/images/*.json, as SVG beside them. The last line of a picture holds the
# SHA-256 of its source, by which tests/scripts/sequences.test.sh tells whether it is current. Then renders the games'
# frames of docs. Exit status 3: a tool is missing.
set -u
tool=$(command -v wavedrom-cli || command -v build/npm/node_modules/.bin/wavedrom-cli) || {
  echo "docs: wavedrom-cli is missing; install it with: npm install --prefix build/npm wavedrom-cli@3.2.0" >&2
  exit 3
}
for json in docs/units/images/*.json; do
  svg=${json%.json}.svg
  "$tool" -i "$json" -s "$svg.tmp" &&
    printf '\n<!-- %s -->\n' "$(sha256sum <"$json" | cut -d ' ' -f 1)" >>"$svg.tmp" &&
    mv "$svg.tmp" "$svg" || { rm -f "$svg.tmp"; echo "docs: $json cannot be drawn" >&2; exit 1; }
done
command -v convert >/dev/null || { echo "docs: convert is missing; install it with: tb/setup.sh waves" >&2; exit 3; }
frame() { # name, size, arguments of run...
  name=$1 size=$2
  shift 2
  build/nocturne run "$@" --engine golden --image "build/$name.png" >build/frame.log 2>&1 &&
    convert "build/$name.png" -resize "$size" -strip "docs/images/$name.png" ||
    { tail -n 1 build/frame.log >&2; exit 1; }
}
frame nexuiz-chopin 800x640 vectors/config/chopin.yaml
frame openarena-a_tfim 640x512 vectors/config/atfim.yaml \
  --frame vectors/frames/openarena/demo088_test1_1300.nframe
tb/products.sh record docs/images/nexuiz-chopin.png docs/images/openarena-a_tfim.png
