#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Units to take away: what `make take` writes is read back, and everything in it works without this tree.
# With LONG all units; else one.
set -u
. tests/scripts/lib.sh

# Ports and parameters of a module as Verilator sees them.
seen() { # name module NAME=VALUE...,  -f and files in `read`
  local name=$1 module=$2 p g=()
  shift 2
  for p in "$@"; do g+=("-G$p"); done
  verilator --xml-only --xml-output "$t/$name.xml" --Mdir "$t" -Wno-fatal -Wno-lint "${g[@]}" --top-module "$module" \
    "${read[@]}" >"$t/$name.log" 2>&1 || { cat "$t/$name.log"; return 1; }
  # (A parameter of one bit or of the unit's own type has another number of digits.)
  xsltproc tests/take/ports.xsl "$t/$name.xml" | sed -E 's/^(parameter [^ ]* )0*([0-9a-f])/\1\2/' | sort >"$t/$name.ports"
}

same_ports() { # unit NAME=VALUE...
  local unit=$1 own=$t/$1
  shift
  xsltproc tests/take/stub.xsl "$own/$unit.xml" >"$t/stub_$unit.sv" || return
  read=("$t/stub_$unit.sv")
  seen stub "$unit" "$@" || return
  read=(-F "$own/$unit.f")
  seen unit "$unit" "$@" || return
  diff "$t/stub.ports" "$t/unit.ports" && [ -s "$t/unit.ports" ]
}

# Each parameter at the least value that the description allows.
least() { # unit
  xmllint --xpath '//*[local-name() = "parameter"][@minimum]/@*[name() = "parameterId" or name() = "minimum"]' \
    "$t/$1/$1.xml" | sed -E 's/.*parameterId="(.*)"/\1/; s/.*minimum="(.*)"/=\1/' | paste -sd '' | sed 's/\([0-9]\)\([A-Z]\)/\1 \2/g'
}

# The files of the IP-XACT are those that Verilator reads by the list; the folder has these and what all units share.
same_files() { # unit
  local own=$t/$1
  xmllint --xpath '//*[local-name() = "file"]/*[local-name() = "name"]/text()' "$own/$1.xml" | sort >"$t/ipxact.files"
  grep -o 'rtl/[^: ]*\.svh*' "$own/common.core" | sort -u - "$t/ipxact.files" >"$t/all.files"
  (cd "$own" && find rtl -type f | sort) >"$t/folder.files"
  grep -o 'filename="[^"]*"' "$t/unit.xml" | sed 's/filename="//; s/"$//; s|.*/\(rtl/.*\)|\1|' | grep '^rtl/' | sort -u >"$t/verilator.files"
  diff "$t/all.files" "$t/folder.files" || return
  # (An include file may be for other tools alone.)
  [ -z "$(comm -23 "$t/verilator.files" "$t/ipxact.files")" ] && [ -z "$(comm -13 "$t/verilator.files" "$t/ipxact.files" | grep -v 'svh$')" ]
}

# Every port map of its interfaces; each stream of the page is an interface.
same_interfaces() { # unit
  local own=$t/$1
  xsltproc --stringparam buses "$root/$own/bus" tests/take/interfaces.xsl "$own/$1.xml" >"$t/faults" && [ ! -s "$t/faults" ] ||
    { cat "$t/faults"; return 1; }
  [ "$(grep -c '<ipxact:busInterface>' "$own/$1.xml")" -gt 3 ]
}

# A unit's list alone, in the three tools.
elaborates() { # unit
  (cd "$t/$1" && verilator --lint-only -Wall --top-module "$1" -f "$1.f" &&
    iverilog -g2012 -tnull -Wno-timescale -s "$1" -f "$1.f" &&
    yosys -q -p "read_verilog -sv $(sed 's/^+incdir+/-I/' "$1.f" | paste -sd ' '); hierarchy -check -top $1")
}

# Every link and picture of the pages leads to a file of the folder; the contract has its pictures.
reads() { # unit
  local own=$t/$1 target
  [ "$(grep -oE '!\[[^]]*\]\(images/' "$own/$1.md" | wc -l)" -eq "$(grep -oE '!\[[^]]*\]\(' "docs/units/$1.md" | wc -l)" ] || return
  for target in $(grep -ohE '\]\([^)#]+' "$own"/*.md | cut -c 3- | grep -v '^[a-z]*:'); do
    [ -s "$own/$target" ] || { echo "$target"; return 1; }
  done
}

plays() { # unit command...
  local own=$t/$1
  shift
  (cd "$own" && "$@") >"$t/play.log" 2>&1 || { cat "$t/play.log"; return 1; }
  has "$t/play.log" '^REPLAY: [1-9][0-9]* lines, 0 mismatches'
}
in_icarus() { # unit
  iverilog -g2012 -o replay.vvp -s replay -f "$1.f" "tb/vectors_$1.sv" "tb/replay_$1.sv" && vvp -n replay.vvp
}
# What Verilator builds here runs for less time than an optimising compiler takes.
export MAKEFLAGS=' -- OPT_FAST=-O0 OPT_GLOBAL=-O0'
in_verilator() { # unit
  verilator --binary --timing -Wno-lint -Wno-style -fno-const-bit-op-tree -fno-dfg --top-module replay -f "$1.f" \
    "tb/vectors_$1.sv" "tb/replay_$1.sv" && obj_dir/Vreplay
}

[ -n "${LONG:-}" ] || units=draw_scheduler
for unit in $units; do
  check "take $unit" tb/take.sh "$unit" -b "$build" -o "$t/$unit" -c 1000 -s 2
  check "contract of $unit with its pictures" reads "$unit"
  check "IP-XACT of $unit is well-formed" xmllint --noout "$t/$unit/$unit.xml"
  check "IP-XACT of $unit: ports, parameters, defaults" same_ports "$unit"
  check "IP-XACT of $unit: interfaces" same_interfaces "$unit"
  check "files of $unit: IP-XACT, what Verilator reads" same_files "$unit"
  # shellcheck disable=SC2046
  check "IP-XACT of $unit: $(least "$unit")" same_ports "$unit" $(least "$unit")
  check "list of $unit alone in Verilator, Icarus and Yosys" elaborates "$unit"
  check "bench of $unit in Icarus" plays "$unit" in_icarus "$unit"
done
mv "$t/draw_scheduler/images/block-draw_scheduler.svg" "$t/"
reads draw_scheduler >"$t/log" && bad "a picture that is missing is found" || good "a picture that is missing is found"
mv "$t/block-draw_scheduler.svg" "$t/draw_scheduler/images/"
[ -n "${LONG:-}" ] || units=draw_scheduler
for unit in $units; do
  check "bench of $unit in Verilator" plays "$unit" in_verilator "$unit"
done

# The golden model as a checker: it finds a wrong line of the RTL in the cycle in which the outputs differ from the
# recorded ones, which is that of lockstep (with LONG this is asked of lockstep itself).
checked_in_icarus() { # unit
  iverilog -g2012 -o checked.vvp -s replay -s "$1_look" -DCHECKED=replay.u_unit.u_dut -f "$1.f" "tb/vectors_$1.sv" \
    "tb/checker_$1.v" "tb/checked_$1.sv" && vvp -n checked.vvp
}
checked_in_verilator() { # unit
  verilator --binary --timing -Wno-lint -Wno-style -fno-const-bit-op-tree -fno-dfg --top-module replay -DNOCTURNE_BIND \
    -f "$1.f" "tb/vectors_$1.sv" "tb/checker_$1.v" "tb/checked_$1.sv" && obj_dir/Vreplay
}
same_cycle() { # simulator unit: the lines of both
  local bench checker
  (cd "$t/$2.wrong" && "checked_in_$1" "$2") >"$t/checked.log" 2>&1
  bench=$(sed -n 's/^REPLAY: MISMATCH line.*, cycle \([0-9]*\)$/\1/p' "$t/checked.log" | head -n 1)
  checker=$(sed -n "s/^CHECKER: $2 cycle \([0-9]*\): signal .*/\1/p" "$t/checked.log" | head -n 1)
  [ -n "$bench" ] && [ "$bench" = "$checker" ] || { tail -n 5 "$t/checked.log"; return 1; }
}
# The same size and seed in lockstep; before its step 0 vectors have a line of what they are and one of a reset.
same_step() { # unit file sed options...
  local unit=$1 line
  line=$(sed -n 's/^REPLAY: MISMATCH line \([0-9]*\):.*/\1/p' "$t/checked.log" | head -n 1)
  rm -rf "$t/planted"
  plant "$t/planted" "$2" "$3" || return
  (cd "$t/planted" && NOCTURNE_NO_WAVES=1 build/nocturne unit "$unit" "${@:4}") >"$t/lockstep.log" 2>&1
  has "$t/lockstep.log" "^MISMATCH: $unit [0-9]*, cycle [0-9]* \(step $((line - 3))\)"
}
# With LONG at other sizes too: a line may be of an extension.
sizes() { # unit
  "$n" room "$1" | jq -r ".[0] | [.mutate] ${LONG:++ .fuzz} | .[] | del(.runs) | to_entries | map(\"--\\(.key) \\(.value)\") | join(\" \")"
}
found_by_checker() { # unit file sed: by sizes and seeds until one shows it
  local unit=$1 size seed taken=$t/$1
  while read -r size; do
    [ "$taken" = "$t/$unit" ] || tb/take.sh "$unit" -b "$build" -o "$taken" -c 100 -k "$size" >"$t/log" 2>&1 || return
    for seed in 1 2 3 4; do
      rm -rf "$t/$unit.wrong"
      cp -r "$taken" "$t/$unit.wrong"
      # shellcheck disable=SC2086
      "$n" unit "$unit" $size --seed $seed --cycles 3000 --engine golden --record "$t/recorded" >"$t/log" 2>&1
      tail -n +2 "$t/recorded/$unit-0.vec" >"$t/$unit.wrong/tb/checked_$unit.hex"
      sed -i "s/define LINES .*/define LINES $(wc -l <"$t/$unit.wrong/tb/checked_$unit.hex")/" "$t/$unit.wrong/tb/checked_$unit.sv"
      sed -i "$3" "$t/$unit.wrong/$2"
      same_cycle icarus "$unit" && break 2
      ! grep -q '^REPLAY: MISMATCH' "$t/checked.log" || return 1
    done
    taken=$t/$unit.size
  done < <(sizes "$unit")
  has "$t/checked.log" '^CHECKER: ' || return
  # shellcheck disable=SC2086
  [ -z "${LONG:-}" ] || { same_step "$unit" "$2" "$3" $size --seed $seed --cycles 3000 && same_cycle verilator "$unit"; }
}
if [ -z "${LONG:-}" ]; then
  units=composition_scheduler
  check "take $units" tb/take.sh $units -b "$build" -o "$t/$units" -c 1000
fi
for unit in $units; do
  if [ ! -e "$t/$unit/tb/checker_$unit.v" ]; then
    # Joined of parts, or too large.
    case $unit in *_scheduler | coarse_depth | offload_unit) bad "no checker of $unit" ;; *) good "no checker of $unit" ;; esac
    continue
  fi
  check "checker of $unit in Icarus" plays "$unit" checked_in_icarus "$unit"
  check "checker of $unit in Verilator" plays "$unit" checked_in_verilator "$unit"
  while IFS=$'\037' read -r _ name file change _; do
    check "checker of $unit: $name" found_by_checker "$unit" "$file" "$change" </dev/null
  done < <(tests/scripts/wrong.sh lockstep "$unit")
done
# What is not the golden model is not called it.
not_golden() { # the file is changed before it is read back
  "$n" prove composition_scheduler --size 'NumGpus=3' --checker "$t/golden.v" -o "$t/golden" -b "$t/prover" >"$t/said" 2>&1
  [ $? -eq 1 ] && has "$t/said" 'checker: refuted' && [ ! -e "$t/golden.v" ]
}
cat >"$t/prover" <<EOF
#!/bin/bash
"$root/$build/prove" "\$@"
status=\$?
[[ " \$* " != *" --checker "* ]] || sed -i '0,/ & /s/ & / | /' "$t/golden.v"
exit \$status
EOF
chmod +x "$t/prover"
check 'a checker that is not the golden model' not_golden

# A wrong line is seen by the bench; a width or a parameter that the description has otherwise, by the comparison.
own=$t/draw_scheduler
sed -i 's/processed_q\[g\] <= processed_q\[g\] + down;/processed_q[g] <= processed_q[g];/' "$own/rtl/chopin/draw_scheduler.sv"
found() { # by the bench, whose status says so
  ! (cd "$own" && in_icarus draw_scheduler) >"$t/play.log" 2>&1 && has "$t/play.log" "REPLAY: MISMATCH"
}
check "a wrong line, seen by the bench" found
cp "$own/draw_scheduler.xml" "$t/right.xml"
sed -i '0,/<ipxact:left>/s/<ipxact:left>/&1+/; 0,/>cmd_ready_o</s/>cmd_ready_o</>cmd_id_i</' "$own/draw_scheduler.xml"
if same_interfaces draw_scheduler >"$t/log" || [ "$(wc -l <"$t/log")" -ne 2 ]; then
  bad "a wrong width and a wrong direction of an interface" "" "$t/log"
else
  good "a wrong width and a wrong direction of an interface"
fi
sed '/<ipxact:ports>/,$s/<ipxact:left>/&1+/' "$t/right.xml" >"$own/draw_scheduler.xml"
if same_ports draw_scheduler >"$t/log"; then
  bad "a wrong width in the IP-XACT"
else
  good "a wrong width in the IP-XACT: $(grep -c '^[<>] port' "$t/log") lines differ"
fi
refused() { says "$1" 2 "${@:2}"; }  # PATTERN COMMAND...
check 'no such unit' refused "take: 'draw': no such unit" tb/take.sh draw -b "$build"
mkdir -p "$t/other" && touch "$t/other/file"
check 'a folder of something else' refused 'holds something else' tb/take.sh draw_scheduler -b "$build" -o "$t/other"
