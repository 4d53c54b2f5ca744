// SPDX-License-Identifier: Apache-2.0
// nocturne room: tests/units/NAME/unit.yaml as JSON, for scripts.
#include <stdio.h>

#include "cli.h"
#include "tb/harness/room.h"

typedef struct {
  const char *section;
  const char *const *units;
  size_t count;
} options_t;

static const struct argp_option Options[] = {
    {"section", 's', "NAME", 0, "only units that have it: prove, mutate, fuzz, lint, budget", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case 's': o->section = arg; return 0;
    case ARGP_KEY_ARGS:
      o->units = (const char *const *)state->argv + state->next;
      o->count = (size_t)(state->argc - state->next);
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

int cli_room(int argc, char **argv) {
  static const struct argp Parser = {
      Options,
      parse,
      "[UNIT...]",
      "Prints the units' unit.yaml as one JSON array; the tree's root is the working folder.",
      NULL,
      NULL,
      NULL};
  options_t o = {0};
  err_t err = {0};
  cli_parse(&Parser, argc, argv, &o);
  json_t *rooms = room_list(o.section, o.units, o.count, &err);
  int status = ExitPassed;
  if (!rooms) {
    fprintf(stderr, "nocturne: %s\n", err_text(&err));
    status = (int)err.status;
  } else {
    json_dumpf(rooms, stdout, JSON_INDENT(1));  // main says what cannot be written
    puts("");
  }
  json_decref(rooms);
  err_free(&err);
  return status;
}
