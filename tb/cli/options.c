// SPDX-License-Identifier: Apache-2.0
// Options that several commands share.
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "csim/base/place.h"
#include "csim/base/spelling.h"
#include "csim/base/text.h"
#include "tb/harness/shell.h"
#include "tb/harness/units.h"
#include "tb/regress/job.h"

// ---- The command line ----

// Returns the option that a word with -- in front names in full or in part, or NULL.
static const struct argp_option *long_option(const struct argp_option *options, const char *name,
                                             size_t length) {
  const struct argp_option *start = NULL;
  for (const struct argp_option *o = options; o->name || o->key; o++) {
    if (o->name && strncmp(o->name, name, length) == 0) {
      start = o;
      if (strlen(o->name) == length) {
        break;
      }
    }
  }
  return start;
}

static const struct argp_option *short_option(const struct argp_option *options, char key) {
  for (const struct argp_option *o = options; o->name || o->key; o++) {
    if (o->key == key) {
      return o;
    }
  }
  return NULL;
}

static void refuse_unknown(const struct argp_option *options, const char *program, const char *name,
                           size_t length) {
  enum { Most = 64 };
  static const char *const Own[] = {"help", "usage"};  // argp's
  const char *names[Most + 1] = {Own[0], Own[1]};
  char word[64];
  size_t count = 2;
  snprintf(word, sizeof word, "%.*s", (int)length, name);
  for (size_t i = 0; i < count; i++) {
    if (strncmp(names[i], word, length) == 0) {
      return;
    }
  }
  for (const struct argp_option *o = options; count < Most && (o->name || o->key); o++) {
    if (o->name) {
      names[count++] = o->name;
    }
  }
  const char *nearest = spelling_nearest(word, names);
  if (nearest) {
    fprintf(stderr, "%s: unknown option --%s, expected perhaps --%s\n", program, word, nearest);
    exit(ExitUsage);
  }
}

void cli_parse(const struct argp *parser, int argc, char **argv, void *options) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    const char *word = argv[i];
    size_t length = strcspn(word, "=");
    const struct argp_option *o = NULL;
    bool is_last = false;  // the option's argument is the next word
    if (strncmp(word, "--", 2) == 0) {
      o = long_option(parser->options, word + 2, length - 2);
      is_last = !word[length];
      if (!o) {
        refuse_unknown(parser->options, argv[0], word + 2, length - 2);
      }
    } else if (word[0] == '-' && word[1]) {
      const char *c = word + 1;
      while ((o = short_option(parser->options, *c)) && !o->arg && c[1]) {
        c++;
      }
      is_last = !c[1];
    }
    i += o && o->arg && is_last;
  }
  argp_err_exit_status = ExitUsage;
  argp_parse(parser, argc, argv, 0, NULL, options);
}

int cli_fail(err_t *err) {
  int status = (int)err->status;
  fprintf(stderr, "nocturne: %s\n", err_text(err));
  err_free(err);
  return status;
}

int cli_refuse(int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("nocturne: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return status;
}

// ---- Values ----

bool cli_read_number(const char *text, uint64_t least, uint64_t most, uint64_t *number) {
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && !errno && *number >= least && *number <= most;
}

const char *cli_script_folder(struct argp_state *state, const char *text) {
  if (strpbrk(text, " \t;")) {
    argp_error(state, "--folder: expected a name without space or ';', for Yosys and abc: '%s'",
               text);
  }
  return text;
}

uint64_t cli_number(struct argp_state *state, const char *option, const char *text, uint64_t least,
                    uint64_t most) {
  uint64_t n;
  if (!cli_read_number(text, least, most, &n)) {
    argp_error(state, "%s %s: expected a number from %" PRIu64 " to %" PRIu64, option, text, least,
               most);
  }
  return n;
}

const unit_model_t *cli_unit_named(struct argp_state *state, const char *name) {
  const unit_model_t *unit = unit_find(name);
  if (!unit) {
    enum { Most = 64 };
    const char *all[Most + 1] = {NULL};
    text_t names = {0};
    for (uint32_t i = 0; i < Most && unit_at(i); i++) {
      all[i] = unit_at(i)->info->name;
      text_format(&names, "%s%s", i ? ", " : "", all[i]);
    }
    const char *nearest = spelling_nearest(name, all);
    argp_error(state, "%s: no such unit; expected %s%s", name, nearest ? "perhaps " : "one of ",
               nearest ? nearest : text_string(&names));
    text_free(&names);
  }
  return unit;
}

engine_e cli_engine(struct argp_state *state, const char *text) {
  for (engine_e e = EngineGolden; e <= EngineGates; e++) {
    if (strcmp(text, engine_name(e)) == 0) {
      return e;
    }
  }
  argp_error(state, "--engine %s: expected golden, rtl, lockstep or gates", text);
  return EngineLockstep;
}

void cli_waves_unit(struct argp_state *state, const char *text, harness_options_t *options) {
  char name[64];
  const char *colon = strchr(text, ':');
  uint64_t instance = 0;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
  const unit_model_t *unit = unit_find(name);
  if (!unit || (colon && !cli_read_number(colon + 1, 0, 63, &instance))) {
    argp_error(state, "--waves-unit %s: expected UNIT or UNIT:N, such as pixel_distributor:3",
               text);
    return;
  }
  options->waves_unit = unit->info->name;
  options->waves_instance = (uint32_t)instance;
}

void cli_window(struct argp_state *state, const char *text, harness_options_t *options) {
  unsigned long long before = 0, after = 0;
  int used = 0;
  if (strchr(text, '-') || sscanf(text, "%llu:%llu%n", &before, &after, &used) != 2 || text[used]) {
    argp_error(state, "--window %s: expected BEFORE:AFTER, cycles", text);
  }
  options->before = before;
  options->after = after;
}

void cli_check_waves(struct argp_state *state, const harness_options_t *options) {
  if (options->to && options->to < options->from) {
    argp_error(state, "--to %" PRIu64 " is before --from %" PRIu64, options->to, options->from);
  }
  if (options->waves && options->engine != EngineRtl && options->engine != EngineLockstep) {
    argp_error(state,
               "--waves %s: the %s engine has none of a unit; expected --engine rtl or "
               "lockstep",
               options->waves, engine_name(options->engine));
  }
}

void cli_add_list(struct argp_state *state, cli_lists_t *lists, const char *path) {
  const uint32_t most = sizeof lists->paths / sizeof *lists->paths;
  if (lists->count == most) {
    argp_error(state, "at most %u lists", most);
    return;
  }
  lists->paths[lists->count++] = path;
}

bool cli_load_lists(const cli_lists_t *lists, const test_seeds_t *seeds, test_list_t *list,
                    err_t *err) {
  for (uint32_t i = 0; i < lists->count; i++) {
    if (!test_list_load(list, lists->paths[i], seeds, err)) {
      return false;
    }
  }
  return true;
}

void cli_print_list(const test_list_t *list) {
  text_t command = {0};
  for (size_t i = 0; i < list->count; i++) {
    text_cut(&command, 0);
    job_command(&list->tests[i], &command);
    printf("%-40s %s\n", list->tests[i].id, text_string(&command));
  }
  text_free(&command);
}

uint32_t cli_processors(void) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors > 0 ? (uint32_t)processors : 1;
}

bool cli_can_write(const char *path) {
  if (!path || strcmp(path, "-") == 0) {
    return true;
  }
  const char *end = strrchr(path, '/');
  char folder[512];
  snprintf(folder, sizeof folder, "%.*s", end ? (int)(end - path) + 1 : 1, end ? path : ".");
  if (access(folder, W_OK | X_OK) != 0) {
    cli_refuse(ExitFailed, "%s: cannot be written: %s", path, strerror(errno));
    return false;
  }
  return true;
}

// How many words this option takes: 0, it is another one; 2, its value is the next word.
static int words_of(const char *word, const char *option) {
  const size_t length = strlen(option);
  const bool is_long = option[1] == '-', begins = strncmp(word, option, length) == 0;
  if (!begins || (is_long && word[length] && word[length] != '=')) {
    return 0;
  }
  return word[length] ? 1 : 2;
}

char *cli_command_without(int argc, char **argv, const char *const *options) {
  char **kept = calloc((size_t)argc + 1, sizeof *kept), *line = NULL;
  int count = 0;
  for (int i = 0; kept && i < argc;) {
    int words = 0;
    for (size_t k = 0; i > 0 && words == 0 && options[k]; k++) {
      words = words_of(argv[i], options[k]);
    }
    if (words == 0) {
      kept[count++] = argv[i];
    }
    i += words ? words : 1;
  }
  line = kept ? cli_command_line(count, kept) : NULL;
  free(kept);
  return line;
}

char *cli_command_line(int argc, char **argv) {
  const char *subcommand = argv[0] + strcspn(argv[0], " ");
  text_t line = {0};
  text_format(&line, "%s%s", place_program(), subcommand);
  for (int i = 1; i < argc; i++) shell_add(&line, argv[i]);
  return text_take(&line);
}
