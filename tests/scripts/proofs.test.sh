#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Golden model and RTL proved equal, each unit at its smallest size; what the prover makes of cases, rings and wrappers;
# and wrong lines of each unit, which must be refuted (docs/hardware/proved.md). prove.test.sh has the prover itself.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/scripts/lib.sh
. tests/scripts/lib.sh
# shellcheck source=tests/scripts/prove.sh
. tests/scripts/prove.sh

for unit in $("$n" room --section prove | jq -r '.[] | select(any(.prove[]; .short)) | .unit'); do
  expect "$unit is proved" 0 "^$unit .* proved" prove . -f -o "$t/proofs" "$unit"
done

# What numbers GPUs, at sizes that no proof of a unit reaches; one that stops at 32 is found at 33, not at 32.
lemmas() { # FOLDER SIZE...: of one_hot.svh
  local folder=$1 size
  shift
  for size; do
    printf '%s\n' 'design -reset' "read_verilog -sv -I$folder tests/programs/one_hot_lemmas.sv" \
      "chparam -set NumGpus $size one_hot_lemmas" 'prep -top one_hot_lemmas' 'sat -verify -prove-asserts'
  done >"$t/lemmas.ys"
  yosys -q "$t/lemmas.ys"
}
check 'numbers of GPUs, proved at up to 64' lemmas rtl/chopin 2 3 5 8 9 16 17 31 32 33 63 64
plant "$t/lemmas" rtl/chopin/one_hot.svh "$(tests/scripts/wrong.sh change composition_scheduler 'numbers of GPUs end at bit 8' | sed 's/k < 8/k < 32/')" ||
  bad 'the line has changed; adapt tests/units/composition_scheduler/wrong.cases'
check 'numbers that end at bit 32, at 32' lemmas "$t/lemmas/rtl/chopin" 32
refused_lemma() { ! lemmas "$t/lemmas/rtl/chopin" 33 >"$t/said" 2>&1 && has "$t/said" 'proof did fail'; }
check 'refuted: numbers that end at bit 32, at 33' refused_lemma

# Cases of a step, and cases of these: proved all the same, and what breaks in one of them only is found.
in_cases() { # check
  planted composition_scheduler tests/units/composition_scheduler/proof.c "s/^  Monitor.is_misused |= is_misuse(g);/&\\
  prove_case(\"a start is taken\", In.start_ready);\\
  prove_case(\"and GPU 0 reports\", In.start_ready \\&\\& In.message_valid \\& 1);\\
  prove_check(\"planted\", $1);/" ''
}
in_cases true && expect 'a step in cases' 0 ' proved ' prove "$t/copy" -c 1 $covers -o proofs composition_scheduler
for case in In.start_ready '(!In.start_ready || !(In.message_valid \& 1))'; do
  in_cases "$case" && expect "in cases, refuted: ${case//\\}" 1 '^  broken: planted' prove "$t/copy" -c 1 $covers -o proofs composition_scheduler
done
# The last one at the same time as others: to the letter the same, but for the times.
said_again() { # jobs
  local folder
  folder=$(ls -d "$t"/copy/proofs/composition_scheduler/NumGpus=2-* | head -n 1)
  "$build/prove" composition_scheduler NumGpus=2 --golden "$folder/golden.bc" --rtl "$folder/rtl.aig" --cycles 1 --jobs "$1" |
    sed 's/[0-9.]* s\b//'
}
check 'in cases, refuted: three at a time' cmp <(said_again 1) <(said_again 3)

# What a wrapper says of outputs and of functions by value is not believed.
in_wrapper() { # sed
  planted composition_scheduler tests/units/composition_scheduler/proof.c "$1" ''
}
in_wrapper "s/^PROVE_OUTPUTS$/void prove_outputs(void) { outputs(golden(), \\&In, \\&Out); Out.error = 0; Engine.observe(Engine.self, \\&State); }/" &&
  expect 'outputs that are others than a clock gives, refuted' 1 '^  signal error' prove "$t/copy" -c 1 $covers -o proofs composition_scheduler
in_wrapper 's/prove_by_argument("eligible", 1, N)/prove_by_argument("eligible", 1, N - 1)/' &&
  expect 'a value beyond those that are run, refuted' 1 '^  broken: a value beyond those that a function is run by in ' \
    prove "$t/copy" -c 1 $covers -o proofs composition_scheduler
in_wrapper 's/prove_by_argument("eligible", 1, N)/prove_by_value("message", \&golden()->table.ready, 1, 2)/' &&
  expect 'by a word that the function writes' 2 'not known to the translator: a function by value of a word that it writes, in ' \
    prove "$t/copy" -o proofs composition_scheduler
in_wrapper 's/prove_by_argument("eligible", 1, N)/prove_by_argument("elegible", 1, N)/' &&
  expect 'by value a function that is not there' 2 'by value a function elegible, which the bitcode does not have, in prove_setup' \
    prove "$t/copy" -o proofs composition_scheduler

# A ring of four: the cases of where it begins are one another's, unless something is said of one place.
in_ring() { # check
  planted composition_scheduler tests/units/composition_scheduler/proof.c "/^void prove_step/,/golden()/s/^  const golden_t \*g = golden();/&\\
  static struct { uint8_t first; bool words[4]; } Ring;\\
  prove_ring(Ring.words, 1, 4, Ring.first);\\
  prove_case(\"bit 0\", Ring.first \\& 1);\\
  prove_case(\"bit 1\", Ring.first \\& 2);\\
  const bool oldest = Ring.words[(Ring.first + 3) \\& 3];\\
  const uint8_t a = g->table.cgid[0], b = g->table.cgid[1];\\
  const bool holds = !oldest || (a > b) + (b > a) + (a == b) == 1;\\
  Ring.first = (Ring.first + 3) \\& 3;\\
  Ring.words[Ring.first] = In.start_ready;\\
  prove_check(\"planted\", $1);/" ''
}
in_ring holds && expect 'cases of a ring' 0 'step: proved, .* [1-9][0-9]* of cases as in others' \
  prove "$t/copy" -c 1 $covers -o proofs composition_scheduler
in_ring 'holds \&\& !(a == 77 \&\& oldest \&\& Ring.first == 1)' &&
  expect 'cases of a ring, refuted: one of them' 1 '^  broken: planted' prove "$t/copy" -c 1 $covers -o proofs composition_scheduler

# A pointer of the state is not lost: that is owed where a condition could take it away.
in_pointer() { # condition
  planted composition_scheduler tests/units/composition_scheduler/proof.c "/^void prove_step/,/golden()/s/^  const golden_t \*g = golden();/&\\
  static uint8_t Room, *Place = \\&Room;\\
  const uint8_t a = g->table.cgid[0], b = g->table.cgid[1];\\
  Place = $1 ? NULL : Place;\\
  prove_check(\"planted\", !Place || *Place == 0);/" ''
}
in_pointer '(a > b) + (b > a) + (a == b) != 1' && expect 'a pointer that no step takes away' 0 ' proved ' \
  prove "$t/copy" -c 1 $covers -o proofs composition_scheduler
in_pointer 'a == 77 \&\& b != 3' && expect 'a pointer that a step takes away, refuted' 1 '^  broken: a pointer stays' \
  prove "$t/copy" -c 1 $covers -o proofs composition_scheduler

# A product of words of a ring is another one in each case, though its name in the graph is the same.
in_products() {
  planted composition_scheduler tests/units/composition_scheduler/proof.c "s/^PROVE_UNIT(.*/&\\
const uint8_t OpenProducts = 8;/
  /^void prove_step/,/golden()/s/^  const golden_t \*g = golden();/&\\
  static struct { uint8_t first, words[4]; } Ring;\\
  prove_ring(Ring.words, 1, 4, Ring.first);\\
  prove_case(\"bit 0\", Ring.first \\& 1);\\
  prove_case(\"bit 1\", Ring.first \\& 2);\\
  const uint32_t a = g->table.cgid[0], oldest = Ring.words[(Ring.first + 3) \\& 3];\\
  const bool holds = !(oldest \\& 1) || oldest * a == Ring.words[3] * a;\\
  Ring.first = (Ring.first + 3) \\& 3;\\
  Ring.words[Ring.first] = g->table.cgid[1];\\
  prove_check(\"planted\", holds);/" ''
}
in_products && expect 'cases of a ring, refuted: equal in the first by a product' 1 '^  broken: planted' \
  prove "$t/copy" -c 1 $covers -o proofs composition_scheduler

# What is known of an open product, and no more: with a word of few bits it has as few more than the other one, with a
# word up to a power of two it is no larger than the other one times that, and it grows with each word.
in_product() { # fact, of a and b
  planted composition_scheduler tests/units/composition_scheduler/proof.c "s/^PROVE_UNIT(.*/&\\
const uint8_t OpenProducts = 8;/
  /^void prove_step/,/golden()/s/^  const golden_t \*g = golden();/&\\
  const uint32_t a = g->table.cgid[0], b = g->table.cgid[1];\\
  prove_check(\"planted\", $1);/" ''
}
product() { # name, fact, what is more than that
  in_product "$2" && expect "$1" 0 ' proved ' prove "$t/copy" -c 1 $covers -o proofs composition_scheduler
  in_product "$3" && expect "$1, refuted" 1 '^  broken: planted' prove "$t/copy" -c 1 $covers -o proofs composition_scheduler
}
product 'a product with a short word' 'a >= 16 || a * b < 4096' 'a >= 16 || a * b < 225'
product 'a product with a word up to a power of two' 'b > 16 || a * b <= a << 4' 'b > 16 || a * b <= a << 3'
product 'a product with a larger word' 'a * b <= (a | b) * b' '(a | b) * b <= a * b'

# Memories of which no place is written down. Nothing that the wrapper says of them is believed.
blocks() { # sed [file]
  planted coarse_depth "${2:-tests/units/coarse_depth/proof.c}" "$1" \
    'NumGpus=2 Blocks=1024 DepthWidth=4 BaseWidth=2 Epoch=64 symbolic runs'
}
symbolic() { # name status pattern sed
  blocks "$4" && expect "symbolic memories: $1" "$2" "$3" prove "$t/copy" -o proofs --no-covers coarse_depth
}
symbolic 'proved' 0 ' proved ' 's/^PROVE_UNIT.*/&\n/'
symbolic 'refuted without the block that a walk comes to' 1 '^  step: refuted' 's/Instances\[2\].block = .*;/Instances[2].block = 0;/'
symbolic 'refuted, of any block' 1 '^  broken: planted' \
  's/^  prove_check("an answer to each look".*/&\n  prove_check("planted", pick(0) >= Blocks || Least[pick(0)] != 5);/'
flags() { # sed of what is said of them
  printf '%s' 's/^PROVE_UNIT.*/&\nbool Flag[Blocks];\n/; s/^void prove_setup.*/&\n  prove_symbolic("Flag", Flag, sizeof *Flag);/
    s/^  prove_clock();/  if (looks) {\n    Flag[In.look_block] = In.tell_valid;\n  }\n&/
    s/^  prove_check("an answer to each look".*/&\n  prove_check("planted", '"$1"');/'
}
symbolic 'a table of flags' 0 ' proved ' "$(flags '!looks || Flag[In.look_block] == In.tell_valid')"
symbolic 'a table of flags, refuted' 1 '^  broken: planted' "$(flags '!looks || Flag[In.look_block]')"
symbolic 'a block in the state' 2 'the wrapper lets Any into the state' \
  's/^  follow_wait(&Monitor.hear_wait.*/&\n  Least[0] = (uint16_t)(pick(0) \& Far);/'
symbolic 'a table narrowed' 2 'prove_narrow changes nothing: it writes into hidden, a symbolic memory' \
  '$s/$/\nvoid prove_narrow(void) { golden()->hidden[0] \&= Far; }/'
symbolic 'half an element' 2 'a symbolic memory that is read or written otherwise than element by element' \
  's/^  prove_clock();/  Monitor.still += *(const volatile uint8_t *)golden()->hidden;\n&/'
symbolic 'another memory' 2 'a word of an RTL memory that is not there' 's/u_hidden\.words_q/u_hiden.words_q/'
symbolic 'widths in runs' 2 'FindWidths and symbolic memories' 's/^PROVE_UNIT.*/&\n#ifdef PROVE_SYMBOLIC\nconst bool FindWidths = true;\n#endif/'
symbolic 'a table of unlike words' 2 'prove_symbolic: hidden is not made of words that are all the same' \
  's/^  const golden_t \*g = golden();\(.*\)/  const golden_t *g = golden();\1/; s/prove_symbolic("hidden", g->hidden, sizeof \*g->hidden)/prove_symbolic("hidden", g, 4)/'
blocks 's/^PROVE_UNIT.*/&\n/' && sed -i 's/"runs"$/"hunt"/; s/"shows": "runs"/"shows": "hunt"/' "$t/copy/tests/units/coarse_depth/unit.yaml" &&
  expect 'symbolic memories: no random runs' 2 'symbolic memories are proved, and recorded runs are played; nothing else' \
    prove "$t/copy" -o proofs coarse_depth

# LONG: also those whose proofs or runs from reset take long. WRONG: those whose "UNIT: NAME" matches.
while IFS=$'\037' read -r unit name file change pattern size long; do
  if { [ "$long" -eq 0 ] || [ -n "${LONG:-}" ]; } && [[ "$unit: $name" =~ ${WRONG:-} ]]; then
    refuted "$name" "$unit" "$file" "$change" "$pattern" "$size" </dev/null
  fi
done < <(tests/scripts/wrong.sh proof)
