# SPDX-License-Identifier: Apache-2.0
# Sourced, after tests/lib.sh, by the proofs of a unit's rules. unit names the unit; rtl its file.
# shellcheck shell=bash disable=SC2154

# Bit by bit and flat, and unrolled: z3 takes hours for the same formula otherwise.
translate() { # source "NAME VALUE NAME VALUE..." defines smt2
  local set
  # shellcheck disable=SC2086
  set=$(printf -- '-set %s %s ' $2)
  yosys -q -l "${4%.smt2}.yosys.log" -p "read_verilog -formal -sv $3 -Irtl/chopin -Irtl/common $1; \
    chparam $set $unit; prep -top $unit -flatten; \
    async2sync; dffunmap; techmap; opt -full; abc -g AND,XOR,MUX -fast; opt_clean; \
    write_smt2 -wires $4" >"${4%.smt2}.yosys.out" 2>&1
}

solve() { # smt2 arguments...: prints the solver's status line
  local smt2=$1
  shift
  yosys-smtbmc -s z3 --unroll --noprogress "$@" "$smt2" 2>&1 | tee "${smt2%.smt2}.log" |
    grep -oE 'Status: [A-Za-z]+' | tail -n 1
}

prove() { # name expected smt2 arguments...
  local name=$1 expected="Status: $2" got start=$SECONDS
  shift 2
  got=$(solve "$@")
  if [ "$got" = "$expected" ]; then
    good "$name ($((SECONDS - start)) s)"
  else
    bad "$name" "expected '$expected', got '${got:-nothing}'; see ${1%.smt2}.log"
  fi
}

# One line wrong; the proof must find a run from reset that breaks a rule: mutant_NAME.vcd, for GTKWave.
mutant() { # name "NAME VALUE..." cycles from to
  local name=$1 cycles=$3 sv=$t/mutant_$1.sv text
  text=$(<"$rtl")
  if [ "${text/"$4"/}" = "$text" ]; then
    bad "mutant $name" "the line has changed; adapt this script"
    return
  fi
  printf '%s\n' "${text/"$4"/"$5"}" >"$sv"
  translate "$sv" "$2" "" "$t/mutant_$name.smt2" ||
    { bad "mutant $name" translation; return; }
  prove "refuted: $name" FAILED "$t/mutant_$name.smt2" -t "$cycles" --dump-vcd "$t/mutant_$name.vcd"
}
