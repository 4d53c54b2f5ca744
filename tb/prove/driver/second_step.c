// SPDX-License-Identifier: Apache-2.0
#include "second_step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tb/harness/spawn.h"

#define BUNDLE "build/npm/node_modules/@yowasp/yosys/gen/bundle.js"

enum { Seconds = 900, TimedOut = 124 };  // of the other solver

int second_step_reader(const proof_step_t *s) {
  static const char Says[] = "  RTL read by another Yosys: not compared:";
  if (access(BUNDLE, R_OK) != 0 || !spawn_has("node")) {
    printf("%s %s is missing; tb/setup.sh reader installs it\n", Says,
           spawn_has("node") ? "@yowasp/yosys" : "node");
    return 0;
  }
  char *log = text_make("%s/reader.log", s->folder);
  words_t w = {0};
  words_split(&w, "node tb/prove/driver/second_yosys.mjs " BUNDLE);
  words_add(&w, "%s/rtl.ys", s->folder);
  words_add(&w, "%s/second.aig", s->folder);
  int status = words_run(&w, log);
  if (status == 0) {
    proof_step_begin(s, "golden", "rtl", &w);
    words_add(&w, "--second");
    words_add(&w, "%s/second.aig", s->folder);
    fflush(stdout);
    status = words_run(&w, NULL);
  } else {
    printf("%s it does not read it, %s\n", Says, log);
    status = ErrCheck;
  }
  free(log);
  return status;
}

int second_step_found(const proof_step_t *s) {
  const char *slash = strrchr(s->prover, '/');
  char *other = text_make("%.*s/prove_other", (int)(slash - s->prover), s->prover);
  char *clauses = text_make("%s/clauses.pla", s->folder);
  proof_step_t again = *s;
  words_t w = {0};
  again.prover = other;
  again.certify = false;  // the other one's answers have no proofs
  words_add(&w, "timeout");
  words_add(&w, "%d", Seconds);
  proof_step_begin(&again, "golden", "rtl", &w);
  words_add(&w, "--found");
  if (s->outside && !s->wrapper) {
    words_add(&w, "--clauses");
    words_add(&w, "%s", clauses);
  }
  fflush(stdout);
  int status = words_run(&w, NULL);
  if (status == TimedOut) {
    printf("  proved again by another solver: not within %d seconds\n", Seconds);
    status = 0;
  }
  free(other);
  free(clauses);
  return status;
}
