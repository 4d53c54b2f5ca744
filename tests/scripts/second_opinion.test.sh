#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The second opinion on a proof (docs/hardware/proved.md), on the composition scheduler: of the translator, which is
# caught where one of its graphs is another one, of what reads the RTL, and of what was found in runs. prove.test.sh has
# that of the solver.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/scripts/lib.sh
. tests/scripts/lib.sh
# shellcheck source=tests/scripts/prove.sh
. tests/scripts/prove.sh

tb/setup.sh reader >"$t/log" 2>&1 || bad 'another Yosys' '' "$t/log"
second() { prove . --certify -o "$t/second" "$@" composition_scheduler; }
expect 'with a second opinion' 0 'golden model without optimisation: proved to be the same' second --size NumGpus=2
check 'the RTL as another Yosys reads it' has "$t/said" \
  '^  RTL read by another Yosys: (proved to be the same, 52 and 52 registers|not compared: .* is missing)'
check 'what was found, by another solver' grep -A 4 'proved again by CryptoMiniSat' "$t/said"
check 'all that follows from it' grep -qE '^  step: proved, [1-9]' <(sed '1,/CryptoMiniSat/d' "$t/said")
cat >"$t/faulty" <<EOF
#!/bin/bash
"$root/$build/prove" "\$@"
status=\$?
[[ " \$* " != *" --checker "* ]] || sed -i '0,/ & /s/ & / | /' "$t"/second/*/*/plain.v
exit \$status
EOF
chmod +x "$t/faulty"
cp "$build/confirm" "$build/prove_other" "$t/"
expect 'a fault of the translator, caught' 1 'golden model without optimisation: another one' \
  second --size NumGpus=2 -f -b "$t/faulty"

# A reader that takes a wrong unit for the right one: its graph is proved, and the other reader's is another one.
misread() {
  local file=rtl/chopin/composition_scheduler.sv
  planted composition_scheduler $file 's/error_d = error_q;/error_d = composition_scheduler_pkg::ErrNone;/' '' || return 1
  ln -s "$root/build/npm" "$t/copy/build/npm"
  mkdir -p "$t/reader"
  printf '#!/bin/bash\nfor s; do :; done\n[[ $s != *rtl.ys ]] || { sed "s| %s| %s|" "$s" >"$s.read"; set -- "${@:1:$#-1}" -s "$s.read"; }\nexec %s "$@"\n' \
    "$file" "$root/$file" "$(command -v yosys)" >"$t/reader/yosys"
  chmod +x "$t/reader/yosys"
  PATH="$root/$t/reader:$PATH" prove "$t/copy" --certify $covers -o misread composition_scheduler
}
if [ -d build/npm/node_modules/@yowasp/yosys ]; then
  expect 'a fault of the reader, caught' 1 'RTL read by another Yosys: another one: register ' misread
  check 'a fault of the reader, believed by the proof' has "$t/said" '^  step: proved'
else
  good 'a fault of the reader: SKIPPED, @yowasp/yosys is missing (tb/setup.sh reader)'
fi
