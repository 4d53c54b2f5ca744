// SPDX-License-Identifier: Apache-2.0
#include "prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bare_step.h"
#include "checker_step.h"
#include "second_step.h"
#include "tb/harness/room.h"
#include "tb/harness/spawn.h"
#include "tb/harness/units.h"
#include "tb/regress/commands.h"

enum { MostWords = 40, MostProofs = 256, MostParams = 64 };

typedef struct {
  proof_step_t step;
  double takes;
  char *name, *params, *folder;
  char key[BaseSha256Text], jobs[16], cycles[16], search[16];
  const char *words[MostWords];
} entry_t;

typedef struct {
  const prove_options_t *options;
  json_t *rooms;
  outside_t outside;
  char *rtl;  // of outside
  entry_t proofs[MostProofs];
  size_t count;
} set_t;

// ---- Which proofs ----

static char *replaced(const char *text, const char *from, char to) {
  char *copy = text_make("%s", text);
  for (char *c = copy; c && *c; c++) {
    *c = strchr(from, *c) ? to : *c;
  }
  return copy;
}

// All parameters of a size; NULL with err_set.
static char *whole_size(const unit_info_t *info, const char *size, err_t *err) {
  static uint64_t values[MostParams];
  char all[UnitParamsText];
  if (info->params_size > sizeof values) {
    err_set(err, ErrInput, "%s: more than %d parameters", info->name, MostParams);
    return NULL;
  }
  if (!unit_params_read(info, size, values, err)) {
    return NULL;
  }
  unit_params_text(info, values, all);
  return text_make("%s", all);
}

// The line of this size in the room; NULL: there is none.
static const json_t *find_line(const unit_info_t *info, const json_t *room, const char *params) {
  size_t i;
  json_t *line;
  const json_t *found = NULL;
  json_array_foreach(json_object_get(room, "prove"), i, line) {
    err_auto_t err = {0};
    text_t size = {0};
    room_size(json_object_get(line, "size"), &size);
    char *whole = whole_size(info, text_string(&size), &err);
    if (whole && strcmp(whole, params) == 0) {
      found = line;
    }
    free(whole);
    text_free(&size);
  }
  return found;
}

// shows: NULL as the line of this size says, and a search where there is none.
static bool add_proof(set_t *s, const unit_info_t *info, const json_t *room, const char *size,
                      const char *shows, double takes, err_t *err) {
  const prove_options_t *o = s->options;
  entry_t *p = &s->proofs[s->count];
  if (s->count == MostProofs) {
    return err_set(err, ErrInput, "more than %d proofs", MostProofs);
  }
  *p = (entry_t){.takes = takes, .params = whole_size(info, size, err)};
  const json_t *line = p->params ? find_line(info, room, p->params) : NULL;
  if (!shows) {
    shows = line ? json_string_value(json_object_get(line, "shows")) : "";
  }
  char *dashes = p->params ? replaced(p->params, " ", '-') : NULL;
  char *word = p->params ? replaced(p->params, " =", '-') : NULL;
  if (dashes && word) {
    p->folder =
        o->one ? text_make("%s", o->one) : text_make("%s/%s/%s", o->folder, info->name, dashes);
    p->name = text_make("%s-%s", info->name, word);
    p->step = (proof_step_t){.info = info,
                             .room = room,
                             .outside = o->outside.page ? &s->outside : NULL,
                             .wrapper = o->wrapper,
                             .params = p->params,
                             .beyond = json_object_get(line, "beyond"),
                             .shows = shows,
                             .folder = p->folder,
                             .prover = o->prover,
                             .rtlil = o->rtlil,
                             .symbolic = json_is_true(json_object_get(line, "symbolic")),
                             .certify = o->certify,
                             .jobs = o->jobs,
                             .cycles = o->cycles,
                             .search = o->search};
    s->count++;
  }
  free(dashes);
  free(word);
  if (p->params && !(p->folder && p->name)) {
    err_memory(err, info->name);
  }
  return p->folder && p->name;
}

// A proof of which nothing shows that the unit does anything at its size may be one of nothing.
static bool check_shows(const char *unit, const char *size, const char *shows, err_t *err) {
  static const char *const Words[] = {"search", "runs", "hunt"};
  for (size_t i = 0; i < sizeof Words / sizeof *Words && shows; i++) {
    if (strcmp(shows, Words[i]) == 0) {
      return true;
    }
  }
  return err_set(err, ErrInput,
                 "tests/units/%s/unit.yaml: prove: %s: shows: expected search, runs or hunt, by "
                 "which its streams and errors are reached%s%s",
                 unit, size, shows ? ", not " : "", shows ? shows : "");
}

static bool add_room(set_t *s, const json_t *room, err_t *err) {
  const char *name = json_string_value(json_object_get(room, "unit"));
  const unit_model_t *model = unit_find(name);
  size_t i;
  json_t *proof;
  if (!model) {
    return err_set(err, ErrInput, "%s: no description of it, csim/units/%s", name, name);
  }
  const char *given = s->options->shows;
  if (s->options->size) {
    return add_proof(s, model->info, room, s->options->size, given, 0, err);
  }
  json_array_foreach(json_object_get(room, "prove"), i, proof) {
    const char *shows = json_string_value(json_object_get(proof, "shows"));
    text_t size = {0};
    room_size(json_object_get(proof, "size"), &size);
    const bool is_wanted = s->options->is_short   ? json_is_true(json_object_get(proof, "short"))
                           : !s->options->is_full ? !json_is_true(json_object_get(proof, "full"))
                                                  : true;
    const bool ok =
        check_shows(name, text_string(&size), shows, err) &&
        (!is_wanted || add_proof(s, model->info, room, text_string(&size), given ? given : shows,
                                 json_number_value(json_object_get(proof, "takes")), err));
    text_free(&size);
    if (!ok) {
      return false;
    }
  }
  return true;
}

static int by_takes(const void *a, const void *b) {
  const double x = ((const entry_t *)a)->takes, y = ((const entry_t *)b)->takes;
  return (x < y) - (x > y);
}

static bool find_outside(set_t *s, err_t *err) {
  const prove_options_t *o = s->options;
  bool lacking = false;
  if (o->wrapper && access(o->wrapper, R_OK) != 0) {
    return err_set(err, ErrInput, "--wrapper %s: no such file", o->wrapper);
  }
  s->outside = o->outside;
  if (!s->outside.rtl) {
    const char *slash = strrchr(o->outside.page, '/');
    s->rtl =
        slash ? text_make("%.*s", (int)(slash - o->outside.page), o->outside.page) : text_make(".");
    s->outside.rtl = s->rtl;
  }
  const unit_model_t *model = outside_load(&s->outside, &lacking, err);
  if (!model) {
    err->status = lacking ? ErrMachine : ErrInput;
    return false;
  }
  return add_proof(s, model->info, NULL, o->size ? o->size : "", o->shows, 0, err);
}

static bool find_proofs(set_t *s, err_t *err) {
  const prove_options_t *o = s->options;
  if (o->outside.page) {
    return find_outside(s, err);
  }
  size_t i;
  json_t *room;
  bool ok = true;
  s->rooms = room_list(o->size ? NULL : "prove", o->units, o->count, err);
  json_array_foreach(s->rooms, i, room) { ok = ok && add_room(s, room, err); }
  qsort(s->proofs, s->count, sizeof *s->proofs, by_takes);
  return s->rooms && ok;
}

// ---- Jobs ----

// The command of a job: this program, for one proof.
static void set_words(const set_t *s, entry_t *p, const char *program) {
  const proof_step_t *t = &p->step;
  const bool is_own = t->outside != NULL;
  snprintf(p->jobs, sizeof p->jobs, "%u", t->jobs);
  snprintf(p->cycles, sizeof p->cycles, "%u", t->cycles);
  snprintf(p->search, sizeof p->search, "%u", t->search);
  const char *const pairs[][2] = {{"--one", t->folder},
                                  {"--size", t->params},
                                  {"--shows", t->shows},
                                  {"--prover", t->prover},
                                  {"--jobs", p->jobs},
                                  {"--cycles", t->cycles ? p->cycles : NULL},
                                  {"--search", t->search ? p->search : NULL},
                                  {"--rtlil", t->rtlil},
                                  {"--page", is_own ? s->outside.page : NULL},
                                  {"--rtl", is_own ? s->outside.rtl : NULL},
                                  {"--golden", is_own ? s->outside.golden : NULL},
                                  {"--wrapper", is_own ? t->wrapper : NULL}};
  uint32_t n = 0;
  p->words[n++] = program;
  p->words[n++] = "prove";
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (pairs[i][1]) {
      p->words[n++] = pairs[i][0];
      p->words[n++] = pairs[i][1];
    }
  }
  if (t->certify) {
    p->words[n++] = "--certify";
  }
  p->words[n] = is_own ? NULL : t->info->name;
}

// Prints what a proof said when it has ended.
static void show(void *context, size_t command, const command_end_t *end) {
  char part[4096];
  (void)context;
  (void)command;
  FILE *log = fopen(end->log, "r");
  for (size_t n = log ? fread(part, 1, sizeof part, log) : 0; n > 0;
       n = fread(part, 1, sizeof part, log)) {
    fwrite(part, 1, n, stdout);
  }
  if (log) {
    fclose(log);
  }
  fflush(stdout);
}

static int put_row(const entry_t *p, const command_end_t *end) {
  char took[32], memory[32] = "";
  const int status = end->passed ? 0 : end->status == 1 ? 1 : 2;
  static const char *const Words[] = {"proved", "refuted", "failed"};
  snprintf(took, sizeof took, "%.0f s", end->seconds);
  if (end->peak_memory) {
    snprintf(memory, sizeof memory, "%.0f MB", (double)end->peak_memory / 1e6);
  }
  printf("%-24s %-38s %-8s %6s %9s\n", p->step.info->name, p->params,
         status == 0 && proof_step_only_hunts(&p->step) ? "searched" : Words[status],
         end->cached ? "kept" : took, memory);
  return status;
}

static bool is_bare(const proof_step_t *step) { return step->outside && !step->wrapper; }

static int run_jobs(set_t *s, err_t *err) {
  const prove_options_t *o = s->options;
  const char *program = spawn_self();
  command_t *commands = calloc(s->count + 1, sizeof *commands);
  command_end_t *ends = calloc(s->count + 1, sizeof *ends);
  int worst = ErrNone;
  bool ok = commands && ends;
  for (size_t i = 0; ok && i < s->count; i++) {
    entry_t *p = &s->proofs[i];
    ok = proof_step_prepare(&p->step, err) &&
         (!is_bare(&p->step) || bare_step_prepare(&p->step, err)) &&
         proof_step_key(&p->step, p->key, err);
    set_words(s, p, program);
    commands[i] =
        (command_t){.name = p->name, .arguments = p->words, .takes = p->takes, .key = p->key};
  }
  const commands_options_t options = {.folder = o->folder,
                                      .jobs = o->jobs,
                                      .launch = o->launch,
                                      .resume = o->resume,
                                      .use_cache = !o->again,
                                      .quiet = true,
                                      .ended = show};
  ok = ok && commands_run(commands, s->count, &options, ends, err);
  for (size_t i = 0; ok && i < s->count; i++) {
    printf("%s", i ? "" : "\n");
    const int status = put_row(&s->proofs[i], &ends[i]);
    worst = status > worst ? status : worst;
  }
  if (ends) {
    commands_free(ends, s->count);
  }
  free(commands);
  free(ends);
  return ok ? worst : err_is_set(err) ? (int)err->status : ErrMachine;
}

// The worst of what is said of the translator, the RTL's reader and what was found.
static int second_opinion(const proof_step_t *step) {
  const int all[] = {checker_step_second(step), second_step_reader(step), second_step_found(step)};
  int worst = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    worst = all[i] > worst ? all[i] : worst;
  }
  return worst;
}

int prove_units(const prove_options_t *o, err_t *err) {
  static set_t s;
  s = (set_t){.options = o};
  int status;
  if (!proof_step_tools(o->prover, err) || !find_proofs(&s, err)) {
    status = (int)err->status;
  } else if (o->checker) {
    status = proof_step_prepare(&s.proofs[0].step, err)
                 ? checker_step_run(&s.proofs[0].step, o->checker, err)
                 : (int)err->status;
  } else if (o->one) {
    const proof_step_t *step = &s.proofs[0].step;
    status = is_bare(step) ? bare_step_run(step) : proof_step_run(step);
    if (status == 0 && !proof_step_only_hunts(step) && checker_step_is_void(step)) {
      status = ErrInput;
    }
    if (o->certify && status == 0 && !proof_step_only_hunts(step)) {
      fflush(stdout);
      status = second_opinion(step);
    }
  } else {
    status = run_jobs(&s, err);
  }
  for (size_t i = 0; i < s.count; i++) {
    free(s.proofs[i].name);
    free(s.proofs[i].params);
    free(s.proofs[i].folder);
  }
  free(s.rtl);
  json_decref(s.rooms);
  return status;
}
