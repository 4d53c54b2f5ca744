#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Taken units as FuseSoC's cores: every unit by itself, two in a design, a unit and one that it contains.
# The core files are put together as their format says (tests/take/capi2.jq), and by FuseSoC itself
# where it is installed. With LONG all units.
set -u
. tests/scripts/lib.sh

cores() { # folder... -> tree, a line per core file
  local f
  for f in "$@"; do
    for f in "$f"/*.core; do
      # (The first line of a core file is "CAPI=2:", which is YAML of its own.)
      sed 1d "$f" >"$t/core.yaml"
      "$build/tests/yaml_json" "$t/core.yaml" | jq -c --arg folder "${f%/*}" '{folder: $folder, core: .}' || return
    done
  done
}
together() { # core target folder...
  local core=$1 target=$2
  shift 2
  cores "$@" >"$t/cores.json" &&
    jq -n --arg core "$core" --arg target "$target" -f tests/take/capi2.jq "$t/cores.json" >"$t/design.json"
}
design() { jq -r "$1" "$t/design.json"; }

# Lint as the flow does: every parameter with a default is given, and those of the command line.
lint() { # NAME=VALUE... (of the design that is together)
  local g=() i=() p
  for p in "$@" $(design '.parameters | to_entries[] | select(.value.default != null) | "\(.key)=\(.value.default)"'); do
    g+=("-G$p")
  done
  for p in $(design '.include[]'); do i+=("+incdir+$p"); done
  # shellcheck disable=SC2046
  verilator --lint-only $(design '(.options.verilator_options // ["-Wall"])[]') "${i[@]}" \
    $(design '.waivers[], .files[]') --top-module "$(design .toplevel)" "${g[@]}"
}
sim() { # of the design that is together; its status is the simulator's
  local i=() p from to
  for p in $(design '.include[]'); do i+=("-I$p"); done
  rm -rf "$t/design" && mkdir -p "$t/design/tb"
  while read -r from to; do cp "$from" "$t/design/$to"; done < <(design '.data[] | "\(.from) \(.to)"')
  # shellcheck disable=SC2046
  iverilog -g2012 -o "$t/design/sim" "${i[@]}" -s "$(design .toplevel)" $(design '.files[]') &&
    (cd "$t/design" && vvp -n sim)
}
core_of() { sed -n "s/^name: //p" "$t"/*/"$1.core" | head -n 1; }

all=$t/all
[ -n "${LONG:-}" ] || units="composition_scheduler draw_scheduler"
check "units into one folder" tb/take.sh $units -b "$build" -o "$all" -c 300
for unit in $units; do
  check "lint target of $unit" eval 'together "$(core_of "$unit")" lint "$all" && lint'
done
check "a parameter of the command line reaches lint" eval 'together "$(core_of draw_scheduler)" lint "$all" &&
  lint NumGpus=4 ByAll=1 TieLowest=1'
if lint NumGpus=1 >"$t/log" 2>&1; then bad "lint of an impossible parameter"; else good "lint of an impossible parameter"; fi

# The bench, and what its status says.
bench() { together "$(core_of "$1")" sim "$2" && sim; }
[ -z "${LONG:-}" ] || benches=$units
for unit in $units; do
  check "bench of $unit" eval 'bench "$unit" "$all" >"$t/played" && has "$t/played" "^REPLAY: .* 0 mismatches"'
done
fails() { # PATTERN COMMAND...
  local pattern=$1
  shift
  if "$@" >"$t/said" 2>&1; then cat "$t/said"; return 1; fi
  has "$t/said" "$pattern"
}
check "one unit" tb/take.sh draw_scheduler -b "$build" -o "$t/ds" -c 300 -k none
check "another" tb/take.sh composition_scheduler -b "$build" -o "$t/cs" -c 300 -k none
check "no checker where none is asked for" test -f "$all/tb/checker_draw_scheduler.v" -a ! -e "$t/ds/tb/checker_draw_scheduler.v"
check "the common core is the same in each" eval 'cmp "$t/ds/common.core" "$t/cs/common.core" && cmp "$t/ds/common.core" "$all/common.core"'
cp -r "$t/ds" "$t/wrong"
sed -i '/error_q <= /s/error_q <= .*/error_q <= 3'"'"'d5;/' "$t/wrong/rtl/chopin/draw_scheduler.sv"
check "a wrong line: the bench's status" fails '^REPLAY: [0-9]+ lines, [1-9][0-9]* mismatches' bench draw_scheduler "$t/wrong"
cp "$t/ds/rtl/chopin/draw_scheduler.sv" "$t/wrong/rtl/chopin/"
: >"$t/wrong/tb/draw_scheduler.hex"
check "no vectors: the bench's status" fails '^REPLAY: [0-9]+ lines, [1-9][0-9]* mismatches' bench draw_scheduler "$t/wrong"

# A design of somebody's own, from folders that were taken one by one.
own() { # NAME CORE... with the body of top.sv on standard input
  local name=$1
  shift
  mkdir -p "$t/$name"
  cat >"$t/$name/top.sv"
  cat >"$t/$name/$name.core" <<EOF
CAPI=2:
name: acme:soc:$name:1.0
filesets:
  rtl:
    depend: [$(printf '"%s", ' "$@" | sed 's/, $//')]
    file_type: systemVerilogSource
    files: [top.sv]
targets:
  default:
    filesets: [rtl]
    toplevel: top
  lint:
    filesets: [rtl]
    toplevel: top
    flow: lint
    flow_options: {tool: verilator, verilator_options: [-Wall, -Wno-PINMISSING, -Wno-UNUSED, -Wno-UNDRIVEN, -Wno-DECLFILENAME]}
  sim:
    filesets: [rtl]
    toplevel: top
    flow: sim
    flow_options: {tool: icarus, iverilog_options: [-g2012]}
EOF
  sed -i 's/default:/default:/' "$t/$name/$name.core"
}
own two "$(core_of draw_scheduler)" "$(core_of composition_scheduler)" <<'EOF'
module top #(parameter int NumGpus = 3);
  draw_scheduler #(.NumGpus(NumGpus)) u_draw ();
  composition_scheduler #(.NumGpus(NumGpus)) u_composition ();
  initial $display("TOP NumGpus=%0d", NumGpus);
endmodule
EOF
two() { together acme:soc:two:1.0 "$1" "$t/ds" "$t/cs" "$t/two"; }
check "two units in a design: lint" eval 'two lint && lint'
check "two units in a design: Icarus" eval 'two sim && sim'
check "  the design keeps its own parameters" eval 'sim | grep "^TOP NumGpus=3$" && [ "$(design ".parameters | length")" -eq 0 ]'
# shellcheck disable=SC2046
check "two units in a design: Yosys" eval 'yosys -q -p "read_verilog -sv $(design ".include[]" | sed "s/^/-I/" | paste -sd " ") \
  $(design ".files[]" | paste -sd " "); hierarchy -check -top top"'
if [ -n "${LONG:-}" ]; then
  check "a unit that contains others" tb/take.sh atfim -b "$build" -o "$t/at" -c 300
  own part "$(core_of atfim)" "$(core_of texel_generator)" <<'EOF'
module top;
  atfim u_atfim ();
  texel_generator u_more ();
endmodule
EOF
  check "a unit beside one that contains it: lint" eval 'together acme:soc:part:1.0 lint "$t/at" "$all" "$t/part" && lint'
fi

# The same without FuseSoC: the list of a folder of both, which Bender has too.
bender() { # (Bender is not in Debian: the files and folders of include files are those of the list)
  "$build/tests/yaml_json" "$all/Bender.yml" >"$t/bender.json" &&
    diff <(jq -r '.sources[] | (.include_dirs[] | "+incdir+" + .), .files[]' "$t/bender.json") "$all/units.f" &&
    [ "$(jq -r .package.name "$t/bender.json")" = nocturne ]
}
check "the list for Bender" bender
check "two units by the folder's list in Verilator" verilator --lint-only -Wno-PINMISSING --top-module top -F "$all/units.f" "$t/two/top.sv"
check "two units by the folder's list in Icarus" eval '(cd "$all" && iverilog -g2012 -tnull -s top -f units.f ../two/top.sv)'
refused() { says "$1" 2 "${@:2}"; }  # PATTERN COMMAND...
check "several units without a folder" refused 'say with -o' tb/take.sh draw_scheduler atfim -b "$build"
check "no unit" refused 'no unit is named' tb/take.sh -b "$build"

# FuseSoC itself.
if ! command -v fusesoc >/dev/null; then
  echo "skipped: FuseSoC itself (no fusesoc)"
  exit 0
fi
soc() { # what of FuseSoC...
  (cd "$t/soc" && fusesoc "${roots[@]}" "$@")
}
mkdir -p "$t/soc"
roots=(--cores-root "$root/$all")
for unit in $units; do
  check "FuseSoC: lint of $unit" soc run --target=lint "$(core_of "$unit")"
  check "FuseSoC: bench of $unit" soc run --target=sim "$(core_of "$unit")"
done
check "FuseSoC: a parameter of lint" soc run --target=lint "$(core_of draw_scheduler)" --NumGpus=4 --ByAll=1
roots=(--cores-root "$root/$t/wrong")
check "FuseSoC: a bench that fails" fails mismatches soc run --target=sim "$(core_of draw_scheduler)"
roots=(--cores-root "$root/$t/ds" --cores-root "$root/$t/cs" --cores-root "$root/$t/two")
check "FuseSoC: two units in a design, lint" soc run --target=lint acme:soc:two:1.0
check "FuseSoC: two units in a design" eval 'soc run --target=sim acme:soc:two:1.0 | grep "TOP NumGpus=3"'
