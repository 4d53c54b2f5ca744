#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reads wrong lines of units, tests/units/UNIT/wrong.cases, and of all else, tests/programs/wrong.cases:
#   tests/scripts/wrong.sh MARK [UNIT]    a line for each case with the mark, fields between characters \037: the unit,
#                                         the case, the file, the change for sed, what stands behind the mark, size, long
#   tests/scripts/wrong.sh change UNIT CASE   the change alone of the first case of this name
# A case is a paragraph: its name, then, indented, words with what stands behind them:
#   in FILE, change SED
#   lockstep OPTIONS   `nocturne unit` reports it (divergence.test.sh)
#   proof PATTERN      the prover refutes it, and its report has the pattern (proofs.test.sh); size: at this one, not the
#                      first of unit.yaml; behind it `symbolic`, as in unit.yaml, and `hunt`, where it is only
#                      searched, `runs`, where recorded runs show it sooner than a search, or `unreached`, where what
#                      is refuted lies beyond any run from reset that could be replayed
#   chain PATTERN      test_atfim_chain reports it (atfim_chain.test.sh)
#   fuzz OPTIONS       fuzzing finds it (docs/how-to/fuzz.md)
#   test TEST PATTERN  this test of `make test` fails and says so (planted.test.sh)
#   picture            pictures and examples of the manual show it
#   long               proof and chain look for it only with LONG
awk -v mark="$1" -v wanted="${3:-}" '
  function put() {
    if (wanted != "") { if (name == wanted) { print of["change"]; wanted = "\n" } }
    else if (mark in of) {
      printf "%s\037%s\037%s\037%s\037%s\037%s\037%s\n", unit, name, of["in"], of["change"], of[mark], of["size"],
        "long" in of
    }
    split("", of)
  }
  FNR == 1 { put(); unit = FILENAME; sub("/wrong.cases$", "", unit); sub(".*/", "", unit) }
  /^#/ { next }
  /^$/ { put(); next }
  /^  / { word = $1; of[word] = substr($0, 4 + length(word)); next }
  { name = $0 }
  END { put() }' tests/units/${2:-*}/wrong.cases $([ -n "${2:-}" ] || echo tests/programs/wrong.cases)
