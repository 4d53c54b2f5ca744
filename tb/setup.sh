#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that the project needs and that are missing, or names
# them and exits with 3 where it may not install.
#   tb/setup.sh [run|waves|site|fuzz|slurm|deb|reader]  run: only what `make run` takes; waves: also the viewer, and
#                              what draws the pictures of docs/; site: what `make site` and its test take; fuzz: also
#                              libFuzzer; slurm: also what the test of a cluster takes; deb: also what packages are
#                              made and tested with
#                              reader: another Yosys, from npm, to build/npm; without npm, proofs go on without it
set -u
reader="@yowasp/yosys@0.55.944"
if [ "${1:-}" = reader ]; then
  [ -f build/npm/node_modules/@yowasp/yosys/package.json ] && exit 0
  if command -v npm >/dev/null 2>&1; then
    npm install --prefix build/npm --silent --no-audit --no-fund "$reader" && exit 0
    echo "setup: npm could not install $reader: the RTL is read by one Yosys only" >&2
  else
    echo "setup: npm is missing: the RTL is read by one Yosys only; install it with: apt-get install npm" >&2
  fi
  exit 0
fi
packages="gcc g++ make pkg-config verilator libyaml-dev libjansson-dev libpng-dev libzstd-dev zlib1g-dev \
nettle-dev jq"
[ "${1:-}" = run ] || packages="$packages iverilog yosys gnuplot-nox libcmocka-dev universal-ctags lcov qflow \
qflow-tech-osu018 qflow-tech-osu035 qflow-tech-osu050 opensta libxml2-dev libxml2-utils xsltproc help2man \
clang-14 clang-format-14 llvm-14-dev libcadical-dev libcryptominisat5-dev"
[ "${1:-}" = deb ] && packages="$packages debhelper dpkg-dev lintian mmdebstrap reuse fish zsh"
[ "${1:-}" = waves ] && packages="$packages gtkwave xvfb xauth imagemagick fonts-dejavu-core graphviz"
[ "${1:-}" = site ] && packages="make mkdocs mkdocs-material linkchecker chromium chromium-driver curl jq fonts-dejavu-core"
[ "${1:-}" = fuzz ] && packages="$packages libclang-rt-14-dev"
[ "${1:-}" = slurm ] && packages="$packages slurm-wlm"
missing=""
for p in $packages; do
  dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
[ -z "$missing" ] && exit 0
run=""
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    run=sudo
  else
    echo "setup: missing:$missing; install them with: apt-get install$missing" >&2
    exit 3
  fi
fi
echo "setup: installing$missing"
log=$(mktemp)
if $run apt-get update -qq >"$log" 2>&1 &&
  DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends $missing >>"$log" 2>&1; then
  rm -f "$log"
  exit 0
fi
tail -n 5 "$log" >&2
rm -f "$log"
echo "setup: could not install:$missing" >&2
exit 3
