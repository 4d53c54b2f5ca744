// SPDX-License-Identifier: Apache-2.0
#include "bare_step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "words.h"

enum { Seconds = 60 };  // of the search for an invariant

bool bare_step_prepare(const proof_step_t *s, err_t *err) {
  const char *page = s->outside->page, *name = s->info->name, *slash = strrchr(page, '/');
  char *golden = slash ? text_make("%.*s/%s_golden.c", (int)(slash - page), page, name)
                       : text_make("%s_golden.c", name);
  char *path = text_make("%s/wrapper.c", s->folder), *real = golden ? realpath(golden, NULL) : NULL;
  if (!real) {
    err_set(err, ErrInput,
            "%s: no such file; expected the golden model's C there, or --wrapper W.c", golden);
  }
  FILE *f = real && path ? fopen(path, "w") : NULL;
  if (f) {
    fprintf(f,
            "#include \"%s\"\n#include \"tb/prove/wrapper.h\"\n%s(%s)\n"
            "struct {\n  uint8_t nothing;\n} Related;\n"
            "const prove_register_t Registers[] = {{\"nothing\", ProveShown, 0, 1, 1, 1}};\n",
            real, s->info->state_size ? "PROVE_OUTSIDE_UNIT" : "PROVE_STATELESS_OUTSIDE_UNIT",
            name);
  }
  const bool ok = f && fclose(f) == 0;
  if (!ok && !err_is_set(err)) {
    err_set(err, ErrCheck, "%s: %s", path, strerror(errno));
  }
  free(golden);
  free(path);
  free(real);
  return ok;
}

static bool says(const char *log, const char *words) {
  char line[1024];
  FILE *f = fopen(log, "r");
  bool found = false;
  while (f && !found && fgets(line, sizeof line, f)) {
    found = strstr(line, words) != NULL;
  }
  if (f) {
    fclose(f);
  }
  return found;
}

static void search(const proof_step_t *s, const char *log) {
  words_t w = {0};
  words_split(&w, "yosys-abc -c");
  words_add(&w, "read_aiger %s/machine.aig; orpos; pdr -T %d -d -e -I %s/clauses.pla", s->folder,
            Seconds, s->folder);
  words_run(&w, log);
}

int bare_step_run(const proof_step_t *s) {
  char *log = text_make("%s/abc.log", s->folder);
  words_t w = {0};
  int status = proof_step_make(s) ? 0 : ErrInput;
  if (status == 0) {
    proof_step_begin(s, "golden", "rtl", &w);
    words_add(&w, "--write");
    words_add(&w, "reachable:%s/machine.aig", s->folder);
    status = words_run(&w, NULL);
  }
  if (status != 0) {
    free(log);
    return status;
  }
  search(s, log);
  if (says(log, "Property proved")) {
    proof_step_begin(s, "golden", "rtl", &w);
    words_add(&w, "--clauses");
    words_add(&w, "%s/clauses.pla", s->folder);
    status = words_run(&w, NULL);
  } else if (says(log, "was asserted in frame")) {
    status = proof_step_run(s);
  } else {
    printf(
        "  without a wrapper: not proved in %d seconds; expected --wrapper W.c, which relates the "
        "registers above to the golden model's state (docs/how-to/add-a-unit.md)\n",
        Seconds);
    status = ErrCheck;
  }
  free(log);
  return status;
}
