// SPDX-License-Identifier: Apache-2.0
#include "liberty_option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/place.h"
#include "tb/area/kit.h"
#include "tb/area/liberty.h"

void liberty_option_add(liberty_option_t *o, const char *file, struct argp_state *state) {
  if (o->count == LibertyOptionMost) {
    argp_error(state, "--liberty: more than %d files", LibertyOptionMost);
  }
  o->files[o->count++] = file;
}

bool liberty_option_make(const liberty_option_t *o, const char **path, err_t *err) {
  liberty_t liberty = {0};
  const char *work = place_work(err);
  char *folder = work ? text_make("%s/build/area/liberty", work) : NULL, *made = NULL;
  bool ok = folder  ? kit_make(o->files, o->count, folder, &made, err)
            : !work ? false
                    : err_memory(err, "--liberty");
  ok = ok && liberty_load(&liberty, made, err) && liberty_check(&liberty, o->files[0], err);
  liberty_free(&liberty);
  if (ok && setenv("NOCTURNE_LIBERTY", made, 1) != 0) {
    ok = err_set(err, ErrMachine, "NOCTURNE_LIBERTY: %s", strerror(errno));
  }
  free(folder);
  *path = made;
  return ok;
}
