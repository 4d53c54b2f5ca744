// SPDX-License-Identifier: Apache-2.0
// nocturne policy: a scheduling policy of one's own, from a skeleton to a table over all frames
// (docs/how-to/your-own-policy.md).
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "csim/base/place.h"
#include "csim/base/text.h"
#include "tb/harness/shell.h"
#include "tb/harness/spawn.h"

static const char Examples[] = "docs/examples/policies";
static const char Page[] = "csim/units/draw_scheduler/page.yaml";

enum {
  KeyNew = 256,
  KeyFrom,
  KeyEvaluate,
  KeyQuick,
  KeyFrame,
  KeyCache,
  MaxFrames = 32,
  MaxWords = 128
};

typedef struct {
  const char *name;      // --new
  const char *from;      // an example, of --new
  const char *evaluate;  // a folder
  const char *folder;    // of --new
  const char *frames[MaxFrames], *engine, *jobs, *cache;
  uint32_t frame_count;
  bool quick;
} options_t;

static const struct argp_option Options[] = {
    {"new", KeyNew, "NAME", 0, "write a policy to begin with to DIR: it equals the built-in one",
     0},
    {"from", KeyFrom, "EXAMPLE", 0, "begin with an example: random, longest or textures", 0},
    {"evaluate", KeyEvaluate, "DIR", 0,
     "build it, run the frames of DIR/sweep.yaml, write a table and plots", 0},
    {"quick", KeyQuick, NULL, 0, "of these only a small selection", 0},
    {"frame", KeyFrame, "FRAME", 0, "instead of the frames of the sweep; may be repeated", 0},
    {"cache", KeyCache, "DIR", 0, "where results are kept (build/sweep)", 0},
    {"engine", 'e', "NAME", 0, "golden, rtl or lockstep (golden)", 0},
    {"jobs", 'j', "N", 0, "runs at a time (one for each processor)", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state) {
  options_t *o = state->input;
  switch (key) {
    case KeyNew: o->name = arg; return 0;
    case KeyFrom: o->from = arg; return 0;
    case KeyEvaluate: o->evaluate = arg; return 0;
    case KeyQuick: o->quick = true; return 0;
    case KeyFrame:
      if (o->frame_count == MaxFrames) {
        argp_error(state, "more than %d --frame", MaxFrames);
      }
      o->frames[o->frame_count++] = arg;
      return 0;
    case KeyCache: o->cache = arg; return 0;
    case 'e': o->engine = engine_name(cli_engine(state, arg)); return 0;
    case 'j':
      cli_number(state, "-j", arg, 1, CliMostJobs);
      o->jobs = arg;
      return 0;
    case ARGP_KEY_ARG:
      if (o->folder) {
        argp_error(state, "%s: one folder only", arg);
      }
      o->folder = arg;
      return 0;
    case ARGP_KEY_END:
      if (!o->name == !o->evaluate || !o->name != !o->folder || (o->from && !o->name)) {
        argp_error(state, "expected --new NAME DIR or --evaluate DIR");
      }
      return 0;
    default: return ARGP_ERR_UNKNOWN;
  }
}

// ---- A new one ----

// The words of the skeleton's files that stand for others.
typedef struct {
  const char *word, *value;
} filling_t;

static void put_line(FILE *to, const char *line, const filling_t *fillings) {
  while (*line) {
    const filling_t *f = fillings;
    while (f->word && strncmp(line, f->word, strlen(f->word)) != 0) {
      f++;
    }
    if (f->word) {
      fputs(f->value, to);
      line += strlen(f->word);
    } else {
      fputc(*line++, to);
    }
  }
}

// Returns the path of an example's file, or of the skeleton's if the example has none, which the
// caller frees.
static char *find_file(const char *example, const char *name) {
  char *path = text_make("%s/%s/%s", Examples, example, name);
  char *found = path ? place_find(path) : NULL;
  const bool is_there = found && access(found, R_OK) == 0;
  free(path);
  if (!is_there) {
    free(found);
    found = text_make("%s/skeleton/%s", Examples, name);
  }
  return found;
}

// Reads the settings that an example needs, into the sweep's last machine.
static void read_settings(const char *example, char *text, int size) {
  char *path = text_make("%s/%s/settings", Examples, example);
  FILE *file = path ? place_open(path) : NULL;
  text[0] = '\0';
  if (file && fgets(text, size, file)) {
    text[strcspn(text, "\n")] = '\0';
  }
  if (file) {
    fclose(file);
  }
  free(path);
}

// Copies a file, which must be new.
static bool write_file(const char *from, const char *folder, const char *name,
                       const filling_t *fillings, err_t *err) {
  char *path = text_make("%s/%s", folder, name), *line = NULL;
  size_t room = 0;
  FILE *source = place_open(from), *to = path && source ? fopen(path, "wx") : NULL;
  bool ok = to || err_set(err, ErrInput, "%s: %s%s", source ? path : from, strerror(errno),
                          source && errno == EEXIST ? ", expected a new folder" : "");
  while (to && getline(&line, &room, source) > 0) {
    put_line(to, line, fillings);
  }
  if (source) {
    fclose(source);
  }
  if (to && fclose(to) != 0) {
    ok = err_set(err, ErrCheck, "%s: %s", path, strerror(errno));
  }
  free(line);
  free(path);
  return ok;
}

static void print_next(const char *folder) {
  static const char *const Words[] = {"make -C", "policy --evaluate"};
  for (size_t i = 0; i < sizeof Words / sizeof *Words; i++) {
    text_t line = {0};
    text_format(&line, "%s%s%s", i ? place_program() : "", i ? " " : "", Words[i]);
    shell_add(&line, folder);
    printf("  %s\n", text_string(&line));
    text_free(&line);
  }
}

static int make_new(const options_t *o) {
  static const char *const Files[] = {"policy.c", "own_unit.h", "Makefile", "sweep.yaml"};
  enum { Count = sizeof Files / sizeof *Files };
  err_auto_t err = {0};
  char here[PATH_MAX] = ".", there[PATH_MAX];
  const char *data = place_data();
  if (strspn(o->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
      strlen(o->name)) {
    return cli_refuse(ExitUsage, "--new %s: expected a name of letters, digits, _ and -", o->name);
  }
  if (!place_make_folder(o->folder) || !realpath(o->folder, there) || !getcwd(here, sizeof here)) {
    return cli_refuse(ExitUsage, "%s: %s", o->folder, strerror(errno));
  }
  const char *example = o->from ? o->from : "skeleton";
  char settings[200], *source = text_make("%s/%s/policy.c", Examples, example);
  char *found = source ? place_find(source) : NULL;
  const bool is_known = found && !strchr(example, '/') && access(found, R_OK) == 0;
  free(source);
  free(found);
  if (!is_known) {
    return cli_refuse(ExitUsage, "--from %s: expected a folder of %s", example, Examples);
  }
  read_settings(example, settings, sizeof settings);
  const filling_t fillings[] = {
      {"@SETTINGS@", settings},
      {"@NAME@", o->name},
      {"@FOLDER@", there},
      {"@TREE@", data ? data : here},
      {"@GENERATOR@", data ? "$(NOCTURNE)/build/unit_generator" : "build/unit_generator"},
      {0}};
  bool ok = write_file(Page, o->folder, "draw_scheduler.yaml", (const filling_t[]){{0}}, &err);
  for (size_t i = 0; ok && i < Count; i++) {
    char *from = find_file(example, Files[i]);
    ok = from ? write_file(from, o->folder, Files[i], fillings, &err) : err_memory(&err, o->folder);
    free(from);
  }
  if (!ok) {
    return cli_fail(&err);
  }
  printf("%s: policy.c own_unit.h draw_scheduler.yaml Makefile sweep.yaml\n", o->folder);
  print_next(o->folder);
  return ExitPassed;
}

// ---- Evaluating one ----

static uint32_t add_words(const char **words, uint32_t n, const char *const *more, size_t count) {
  memcpy(words + n, more, count * sizeof *more);
  return n + (uint32_t)count;
}

static int evaluate(const options_t *o) {
  static const char *const Quick[] = {"--frame", "gen:wolf", "--only",
                                      "gpus=2",  "--only",   "gpus=8"};
  char *sweep = text_make("%s/sweep.yaml", o->evaluate),
       *out = text_make("%s/results", o->evaluate),
       *rtl = text_make("%s/draw_scheduler.sv", o->evaluate);
  const char *words[MaxWords] = {"make", "-s", "-C", o->evaluate, NULL};
  int status = ExitLacking;
  if (!sweep || !out || !rtl) {
    cli_refuse(status, "out of memory");
  } else if (strcmp(o->engine, "golden") != 0 && access(rtl, R_OK) != 0) {
    status =
        cli_refuse(ExitUsage, "%s: %s, expected with --engine %s; begin with ours: cp %s %s", rtl,
                   strerror(errno), o->engine, "rtl/chopin/draw_scheduler.sv", o->evaluate);
  } else if (access(sweep, R_OK) != 0) {
    status =
        cli_refuse(ExitUsage, "%s: %s; `nocturne policy --new` writes it", sweep, strerror(errno));
  } else if ((status = spawn_run(words, NULL, NULL)) != 0) {
    status = status == SpawnMissing ? cli_refuse(ExitLacking, "make is missing")
                                    : cli_refuse(ExitUsage, "make -C %s: failed", o->evaluate);
  } else {
    const char *const first[] = {spawn_self(), "sweep", sweep, "--engine", o->engine, "--out", out};
    uint32_t n = add_words(words, 0, first, sizeof first / sizeof *first);
    for (uint32_t i = 0; i < o->frame_count; i++) {
      n = add_words(words, n, (const char *const[]){"--frame", o->frames[i]}, 2);
    }
    if (o->quick) {
      const uint32_t skip = o->frame_count ? 2 : 0;
      n = add_words(words, n, Quick + skip, sizeof Quick / sizeof *Quick - skip);
    }
    n = o->cache ? add_words(words, n, (const char *const[]){"--cache", o->cache}, 2) : n;
    n = o->jobs ? add_words(words, n, (const char *const[]){"-j", o->jobs}, 2) : n;
    words[n] = NULL;
    status = spawn_run(words, NULL, NULL);
  }
  free(sweep);
  free(out);
  free(rtl);
  return status;
}

int cli_policy(int argc, char **argv) {
  static const struct argp Parser = {Options,
                                     parse,
                                     "[DIR]",
                                     "A scheduling policy of your own: --new NAME DIR, then "
                                     "--evaluate DIR.",
                                     NULL,
                                     NULL,
                                     NULL};
  options_t o = {.engine = "golden"};
  cli_parse(&Parser, argc, argv, &o);
  return o.name ? make_new(&o) : evaluate(&o);
}
