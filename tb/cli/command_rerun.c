// SPDX-License-Identifier: Apache-2.0
// nocturne rerun TEST-ID: a test of the last regression again, with waves around its failure.
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli.h"
#include "csim/base/place.h"
#include "tb/harness/shell.h"
#include "tb/regress/folders.h"
#include "tb/regress/job.h"

typedef struct {
  const char *id, *folder, *window;
  bool shrink;
} options_t;

static const struct argp_option Options[] = {
    {"shrink", 's', NULL, 0, "cut the stimulus of a random unit test down; a vector file stays", 0},
    {"window", 'w', "BEFORE:AFTER", 0, "cycles of waves around the failure (200:20)", 0},
    {"folder", 'f', "DIR", 0, "of the regression (build/regress)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  harness_options_t ignored;
  switch (key) {
    case 's': o->shrink = true; return 0;
    case 'w':
      cli_window(state, arg, &ignored);
      o->window = arg;
      return 0;
    case 'f': o->folder = arg; return 0;
    case ARGP_KEY_ARG:
      if (o->id) argp_error(state, "%s: one test only", arg);
      o->id = arg;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "expected a test's id, as the regression's summary prints it");
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

// Returns the test's command from the last entry in the journal, which the caller frees; NULL:
// none.
static char *find_command(const options_t *o, err_t *err) {
  text_t path = {0};
  char *line = NULL, *command = NULL;
  size_t room = 0;
  FILE *journal = fopen(text_set(&path, "%s/journal.jsonl", o->folder), "r");
  while (journal && getline(&line, &room, journal) > 0) {
    json_t *j = json_loads(line, 0, NULL);
    const char *id = json_string_value(json_object_get(j, "id"));
    const char *text = json_string_value(json_object_get(j, "command"));
    if (id && text && strcmp(id, o->id) == 0) {
      free(command);
      command = strdup(text);
    }
    json_decref(j);
  }
  if (!journal) {
    err_set(err, ErrInput, "%s: no regression has run; `make regress`", text_string(&path));
  } else if (!command) {
    err_set(err, ErrInput, "%s: no test of this id in %s", o->id, text_string(&path));
  }
  free(line);
  if (journal) fclose(journal);
  text_free(&path);
  return command;
}

// Adds the options of this command to that of a test of this program.
static bool add_options(const options_t *o, text_t *line, err_t *err) {
  if (o->window) text_format(line, " --window %s", o->window);
  if (!o->shrink) return true;
  text_t folder = {0}, file = {0};
  bool ok = folder_make(text_set(&folder, "%s/shrunk", o->folder), err);
  text_put(line, " --shrink");
  shell_add(line, job_file(&file, text_string(&folder), o->id, ".vec"));
  text_free(&folder);
  text_free(&file);
  return ok;
}

int cli_rerun(int argc, char **argv) {
  static const struct argp Parser = {Options,
                                     parse,
                                     "TEST-ID",
                                     "Runs one test of the last "
                                     "regression again.",
                                     NULL,
                                     NULL,
                                     NULL};
  options_t o = {.folder = "build/regress"};
  text_t line = {0};
  err_t err = {0};
  cli_parse(&Parser, argc, argv, &o);
  char *command = find_command(&o, &err);
  if (!command) return cli_fail(&err);
  const size_t program = strlen(place_program());
  bool ours = strncmp(command, place_program(), program) == 0 && command[program] == ' ';
  bool random = ours && strncmp(command + program, " unit ", 6) == 0 &&
                !strstr(command, " --play ") && !strstr(command, " --vectors ");
  text_set(&line, "%s", command);
  free(command);
  if (o.shrink && !random) {
    err_set(&err, ErrInput, "%s: only a random test of a unit can be shrunk", o.id);
    return cli_fail(&err);
  }
  if (ours && !add_options(&o, &line, &err)) return cli_fail(&err);
  printf("%s\n", text_string(&line));
  fflush(stdout);
  int status = system(text_string(&line));
  text_free(&line);
  return WIFEXITED(status) ? WEXITSTATUS(status) : ExitFailed;
}
