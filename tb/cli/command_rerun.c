// SPDX-License-Identifier: Apache-2.0
// nocturne rerun TEST-ID: a test of the last regression again, with waves around its failure.
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cli.h"
#include "csim/base/place.h"
#include "tb/harness/shell.h"
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
    case 's':
      o->shrink = true;
      return 0;
    case 'w':
      cli_window(state, arg, &ignored);
      o->window = arg;
      return 0;
    case 'f':
      o->folder = arg;
      return 0;
    case ARGP_KEY_ARG:
      if (o->id) {
        argp_error(state, "%s: one test only", arg);
      }
      o->id = arg;
      return 0;
    case ARGP_KEY_NO_ARGS:
      argp_error(state, "expected a test's id, as the regression's summary prints it");
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

// The test's command, from the journal; its last entry counts.
static bool find_command(const options_t *o, char *command, size_t size) {
  char path[512], *line = NULL;
  size_t room = 0;
  bool found = false;
  snprintf(path, sizeof path, "%.400s/journal.jsonl", o->folder);
  FILE *journal = fopen(path, "r");
  if (!journal) {
    fprintf(stderr, "nocturne: %s: no regression has run; `make regress`\n", path);
    return false;
  }
  while (getline(&line, &room, journal) > 0) {
    json_t *j = json_loads(line, 0, NULL);
    const char *id = json_string_value(json_object_get(j, "id"));
    const char *text = json_string_value(json_object_get(j, "command"));
    if (id && text && strcmp(id, o->id) == 0) {
      found = true;
      snprintf(command, size, "%s", text);
    }
    json_decref(j);
  }
  free(line);
  fclose(journal);
  if (!found) {
    fprintf(stderr, "nocturne: %s: no test of this id in %s\n", o->id, path);
  }
  return found;
}

int cli_rerun(int argc, char **argv) {
  static const struct argp Parser = {Options, parse, "TEST-ID", "Runs one test of the last "
                                     "regression again.", NULL, NULL, NULL};
  options_t o = {.folder = "build/regress"};
  char command[4096], line[4800];
  cli_parse(&Parser, argc, argv, &o);
  if (!find_command(&o, command, sizeof command)) {
    return ExitUsage;
  }
  const size_t program = strlen(place_program());
  bool ours = strncmp(command, place_program(), program) == 0 && command[program] == ' ';
  bool random = ours && strncmp(command + program, " unit ", 6) == 0 &&
                !strstr(command, " --play ") && !strstr(command, " --vectors ");
  if (o.shrink && !random) {
    fprintf(stderr, "nocturne: %s: only a random test of a unit can be shrunk\n", o.id);
    return ExitUsage;
  }
  int used = snprintf(line, sizeof line, "%s", command);
  if (o.window && ours) {
    used += snprintf(line + used, sizeof line - (size_t)used, " --window %s", o.window);
  }
  if (o.shrink) {
    char folder[512], file[800];
    snprintf(folder, sizeof folder, "%.400s/shrunk", o.folder);
    mkdir(folder, 0777);
    job_file(o.id, folder, ".vec", file, sizeof file);
    used += snprintf(line + used, sizeof line - (size_t)used, " --shrink");
    shell_add(line, sizeof line, (size_t)used, file);
  }
  printf("%s\n", line);
  fflush(stdout);
  int status = system(line);
  return WIFEXITED(status) ? WEXITSTATUS(status) : ExitFailed;
}
