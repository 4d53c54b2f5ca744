// SPDX-License-Identifier: Apache-2.0
#include "own_options.h"

bool own_option(own_options_t *o, int key, char *text, struct argp_state *state) {
  if (key == KeyOwnUnit) {
    if (o->unit_count == OwnMaxUnits) {
      argp_error(state, "more than %d --unit", OwnMaxUnits);
    }
    o->units[o->unit_count++] = text;
    return true;
  }
  if (key == KeyOwnDriver) {
    if (o->driver) {
      argp_error(state, "--driver %s: one only", text);
    }
    o->driver = text;
    return true;
  }
  return false;
}
