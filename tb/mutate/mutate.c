// SPDX-License-Identifier: Apache-2.0
#include "mutate.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flaws.h"
#include "tb/harness/room.h"
#include "tb/harness/spawn.h"
#include "tb/harness/units.h"
#include "tb/regress/commands.h"

enum {
  MostWords = 64,
  MostMutants = 65536,
  LineSize = 4096,
  FewSeeds = 10,    // short ones
  BeforeProof = 3,  // long seeds before the proof is asked
  OpenShare = 50,   // 1 in so many mutants may stay open
};

// The unit in work.
typedef struct {
  const mutate_options_t *o;
  const char *name;
  const char *words[MostWords + 1];  // of `nocturne unit`, NULL at the end
  char *texts[MostWords];            // those of them that are owned
  uint32_t word_count, text_count;
  const unit_info_t *info;
  const json_t *room;  // NULL: from outside
  outside_t outside;
  bool is_own, has_proof;
  char *folder, *params, *mutants, *directed, *tables, *proof;
  char **fates;  // of `count` mutants, in order; a line each
  uint32_t *numbers;
  uint32_t count, all;
} work_t;

static void add(work_t *w, const char *word) {
  if (w->word_count < MostWords) {
    w->words[w->word_count++] = word;
  }
}

static void add_owned(work_t *w, char *word) {
  if (word && w->text_count < MostWords) {
    w->texts[w->text_count++] = word;
    add(w, word);
  }
}

// ---- Small helpers ----

// Runs a line of the shell, whose words are ours.
static bool shell(char *line) {
  text_t said = {0};
  const bool ok = line && spawn_read(line, &said) == 0;
  text_free(&said);
  free(line);
  return ok;
}

static char *first_line(const char *path) {
  char line[LineSize] = "";
  FILE *file = fopen(path, "r");
  if (file && !fgets(line, sizeof line, file)) {
    line[0] = '\0';
  }
  if (file) {
    fclose(file);
  }
  line[strcspn(line, "\n")] = '\0';
  return text_make("%s", line);
}

static char *file_in(const work_t *w, const char *name) {
  return text_make("%s/%s", w->folder, name);
}

static bool says(const char *fate, const char *word) {
  const size_t number = strcspn(fate, " ");
  return fate[number] && strncmp(fate + number + 1, word, strlen(word)) == 0;
}

// Runs `nocturne unit` as the unit's words say, and some more.
static int run_unit(const work_t *w, const char *const *more, const char *const *environment,
                    const char *log) {
  const char *words[MostWords + 16] = {spawn_self(), "unit"};
  uint32_t n = 2;
  for (uint32_t i = 0; i < w->word_count; i++) {
    words[n++] = w->words[i];
  }
  for (; *more; more++) {
    words[n++] = *more;
  }
  return spawn_run(words, environment, log);
}

// ---- Which unit ----

// The knobs of a size of a unit from outside: "Inputs=2" is "--knob param.inputs=2".
static bool add_size(work_t *w, const char *size, err_t *err) {
  for (const char *at = size + strspn(size, " "); *at; at += strspn(at, " ")) {
    const size_t length = strcspn(at, " "), name = strcspn(at, "= ");
    const unit_param_t *p = w->info->params;
    while (p->name && !(strlen(p->rtl) == name && strncmp(p->rtl, at, name) == 0)) {
      p++;
    }
    if (!p->name || name + 1 >= length) {
      return err_set(err, ErrInput,
                     "--size %.*s: expected NAME=VALUE, a parameter of %s as the RTL names it",
                     (int)length, at, w->name);
    }
    add(w, "--knob");
    add_owned(w, text_make("param.%s%.*s", p->name, (int)(length - name), at + name));
    at += length;
  }
  return true;
}

static bool find_outside(work_t *w, err_t *err) {
  const mutate_options_t *o = w->o;
  bool lacking = false;
  if (!o->outside.golden) {
    return err_set(err, ErrInput, "--page: expected --golden LIB.so too");
  }
  w->outside = o->outside;
  if (!w->outside.rtl) {
    const char *slash = strrchr(o->outside.page, '/');
    add_owned(w, slash ? text_make("%.*s", (int)(slash - o->outside.page), o->outside.page)
                       : text_make("."));
    w->outside.rtl = w->texts[0];
    w->word_count = 0;
  }
  const unit_model_t *model = outside_load(&w->outside, &lacking, err);
  if (!model) {
    err->status = lacking ? ErrMachine : ErrInput;
    return false;
  }
  w->is_own = true;
  w->info = model->info;
  w->name = model->info->name;
  const char *const words[] = {"--page",       w->outside.page, "--rtl",
                               w->outside.rtl, "--golden",      w->outside.golden};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    add(w, words[i]);
  }
  w->has_proof = o->wrapper && !o->no_proof;
  w->tables = text_make("build/outside/unit/%s/tables-%016llx.so", w->name,
                        (unsigned long long)w->info->page);
  w->directed = o->vectors ? text_make("%s", o->vectors) : NULL;
  return add_size(w, o->size ? o->size : "", err);
}

static bool find_room(work_t *w, const json_t *room) {
  const json_t *size = json_object_get(room, "mutate");
  const json_t *gpus = json_object_get(size, "gpus"), *set = json_object_get(size, "set");
  w->room = room;
  w->name = json_string_value(json_object_get(room, "unit"));
  add(w, w->name);
  if (gpus) {
    add(w, "--gpus");
    add_owned(w, text_make("%lld", (long long)json_integer_value(gpus)));
  }
  if (set) {
    add(w, "--set");
    add(w, json_string_value(set));
  }
  w->has_proof = json_object_get(room, "prove") && !w->o->no_proof;
  w->directed = text_make("tests/units/%s/mutants", w->name);
  return w->directed != NULL;
}

// ---- Before the mutants ----

static char *dashes(const char *text) {
  char *copy = text_make("%s", text);
  for (char *c = copy; c && *c; c++) {
    *c = *c == ' ' ? '-' : *c;
  }
  return copy;
}

// Finds all parameters of the unit's size, from vectors of one step, which the instance that the
// seed chose has written.
static bool find_params(work_t *w, const char *log, err_t *err) {
  char *record = file_in(w, "record"), *pattern = text_make("%s/record/*.vec", w->folder);
  glob_t found = {0};
  const bool ok = record && pattern &&
                  run_unit(w,
                           (const char *const[]){"--seed", "1", "--cycles", "1", "--engine",
                                                 "golden", "--record", record, NULL},
                           NULL, log) == 0 &&
                  glob(pattern, 0, NULL, &found) == 0;
  char *line = ok ? first_line(found.gl_pathv[0]) : NULL;
  const char *at = line;
  for (int word = 0; at && word < 3; word++) {
    at = strchr(at, ' ');
    at = at ? at + 1 : NULL;
  }
  w->params = at ? text_make("%s", at) : NULL;
  char *size = w->params ? dashes(w->params) : NULL;
  w->proof = text_make("%s/proof/%s/%s", w->folder, w->name, size ? size : "");
  free(size);
  free(line);
  globfree(&found);
  free(pattern);
  free(record);
  return w->params || err_set(err, ErrInput, "%s cannot be run: %s", w->name, log);
}

static bool count_mutants(work_t *w, err_t *err) {
  char *size = dashes(w->params), line[LineSize];
  w->mutants =
      text_make("build/%sunits/%s/%s/mutants/mutants", w->is_own ? "outside/" : "", w->name, size);
  char *path = text_make("%s/list.ys", w->mutants);
  FILE *list = path ? fopen(path, "r") : NULL;
  while (list && fgets(line, sizeof line, list)) {
    w->all++;
  }
  if (list) {
    fclose(list);
  }
  free(size);
  free(path);
  w->count = w->o->count < w->all ? w->o->count : w->all;
  w->fates = calloc(w->count + 1, sizeof *w->fates);
  w->numbers = calloc(w->count + 1, sizeof *w->numbers);
  for (uint32_t i = 0; w->numbers && i < w->count; i++) {
    w->numbers[i] = (uint32_t)((uint64_t)(i + 1) * w->all / w->count);
  }
  return (w->count && w->fates && w->numbers) ||
         err_set(err, ErrCheck, "%s: no mutants in %s/list.ys", w->name, w->mutants);
}

static bool make_folder(work_t *w, err_t *err) {
  w->folder = text_make("%s/%s%s", w->o->folder, w->o->flaws ? "flaws/" : "", w->name);
  // Files from which an interrupted run continues are kept.
  if (!shell(text_make("mkdir -p '%s'", w->folder)) ||
      (!w->o->resume && !shell(text_make("rm -rf '%s'/*", w->folder)))) {
    return err_set(err, ErrCheck, "%s: cannot be written", w->folder);
  }
  return true;
}

static bool prepare(work_t *w, err_t *err) {
  if (!make_folder(w, err)) {
    return false;
  }
  char *log = file_in(w, "log");
  bool ok = log && find_params(w, log, err);
  if (ok &&
      run_unit(w, (const char *const[]){"--seed", "1", "--cycles", "2000", NULL},
               (const char *const[]){"NOCTURNE_MUTANT=0", "NOCTURNE_NO_WAVES=1", NULL}, log) != 0) {
    ok = err_set(err, ErrCheck, "%s without a mutant fails: %s", w->name, log);
  }
  free(log);
  return ok && count_mutants(w, err);
}

// ---- Jobs ----

typedef struct {
  const char *words[MostWords + 1];
  char *number, *name, *folder;
} job_words_t;

// The command of one mutant: this program with --attack or --settle.
static void set_job(const work_t *w, job_words_t *j, bool settles, const char *first,
                    const char *last) {
  const char *const pairs[][2] = {{settles ? "--settle" : "--attack", j->number},
                                  {"--own", j->folder},
                                  {"--first", first},
                                  {"--last", last},
                                  {"--vectors", settles ? NULL : w->directed},
                                  {"--prover", settles ? w->o->prover : NULL},
                                  {"--unit", settles ? w->name : NULL},
                                  {"--size", settles ? w->params : NULL},
                                  {"--proof", settles ? w->proof : NULL},
                                  {"--tables", settles ? w->tables : NULL}};
  uint32_t n = 0;
  j->words[n++] = spawn_self();
  j->words[n++] = "mutate";
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (pairs[i][1]) {
      j->words[n++] = pairs[i][0];
      j->words[n++] = pairs[i][1];
    }
  }
  j->words[n++] = "--";
  for (uint32_t i = 0; i < w->word_count && n < MostWords; i++) {
    j->words[n++] = w->words[i];
  }
}

// Runs a job for each mutant of the list, and takes over its fate.
static bool run_jobs(work_t *w, bool settles, const uint32_t *indices, uint32_t count,
                     uint32_t first_seed, uint32_t last_seed, err_t *err) {
  char first[16], last[16], *folder = file_in(w, settles ? "proofs" : "attacks");
  job_words_t *jobs = calloc(count + 1, sizeof *jobs);
  command_t *commands = calloc(count + 1, sizeof *commands);
  command_end_t *ends = calloc(count + 1, sizeof *ends);
  bool ok = folder && jobs && commands && ends;
  snprintf(first, sizeof first, "%u", first_seed);
  snprintf(last, sizeof last, "%u", last_seed);
  for (uint32_t i = 0; ok && i < count; i++) {
    job_words_t *j = &jobs[i];
    j->number = text_make("%u", w->numbers[indices[i]]);
    j->name = text_make("%s-%s", settles ? "settle" : "attack", j->number);
    j->folder = file_in(w, j->number);
    set_job(w, j, settles, first, last);
    commands[i] = (command_t){.name = j->name, .arguments = j->words};
  }
  const commands_options_t options = {.folder = folder,
                                      .jobs = w->o->jobs,
                                      .launch = w->o->launch,
                                      .resume = w->o->resume,
                                      .quiet = true};
  ok = (ok || err_memory(err, w->name)) && commands_run(commands, count, &options, ends, err);
  for (uint32_t i = 0; ok && i < count; i++) {
    free(w->fates[indices[i]]);
    char *line = first_line(ends[i].log);
    w->fates[indices[i]] = line && *line ? text_make("%s", line)
                                         : text_make("%s failed: %s", jobs[i].number, ends[i].what);
    free(line);
  }
  if (ends) {
    commands_free(ends, count);
  }
  for (uint32_t i = 0; jobs && i < count; i++) {
    free(jobs[i].number);
    free(jobs[i].name);
    free(jobs[i].folder);
  }
  free(jobs);
  free(commands);
  free(ends);
  free(folder);
  return ok;
}

// Proves the unit as it is; in the graph that holds all mutants, of which then only what one
// changes is asked, or, before its flaws, in its own.
static bool prove_unit(const work_t *w, err_t *err) {
  char *folder = file_in(w, "proof"), *log = file_in(w, "proof.log");
  char *rtlil = w->mutants ? text_make("%s/mutants.il", w->mutants) : NULL;
  const char *words[24] = {spawn_self(), "prove",  "--prover", w->o->prover, "--folder",
                           folder,       "--size", w->params,  w->name};
  uint32_t n = w->is_own ? 8 : 9;
  if (rtlil) {
    words[n++] = "--rtlil";
    words[n++] = rtlil;
  }
  if (w->is_own) {
    const char *const own[] = {"--page",       w->outside.page, "--rtl",
                               w->outside.rtl, "--golden",      w->outside.golden,
                               "--wrapper",    w->o->wrapper,   "--no-covers"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
      words[n++] = own[i];
    }
  }
  const bool ok = spawn_run(words, NULL, log) == 0 ||
                  err_set(err, ErrCheck, "%s is not proved: %s", w->name, log);
  free(folder);
  free(log);
  free(rtlil);
  return ok;
}

static bool settle(work_t *w, uint32_t first_seed, err_t *err) {
  uint32_t *left = calloc(w->count + 1, sizeof *left), count = 0;
  for (uint32_t i = 0; left && i < w->count; i++) {
    if (says(w->fates[i], "survived")) {
      left[count++] = i;
    }
  }
  bool ok = left || err_memory(err, w->name);
  if (ok && count) {
    ok = prove_unit(w, err) &&
         run_jobs(w, true, left, count, first_seed, FewSeeds + w->o->seeds, err);
    for (uint32_t i = 0; ok && i < count; i++) {
      printf("  %s\n", w->fates[left[i]]);
    }
  }
  free(left);
  return ok;
}

// ---- Results ----

// Adds what each mutant does, and where in the source, from the list that Yosys drew.
static bool add_places(work_t *w) {
  static const char *const Wanted[] = {"-mode", "-wire", "-wirebit", "-src"};
  char *path = text_make("%s/list.ys", w->mutants), line[LineSize];
  FILE *list = path ? fopen(path, "r") : NULL;
  uint32_t number = 0, i = 0;
  while (list && i < w->count && fgets(line, sizeof line, list)) {
    if (++number != w->numbers[i]) {
      continue;
    }
    text_t all = {0};
    char *next = NULL;
    text_format(&all, "%s |", w->fates[i]);
    for (char *t = strtok_r(line, " \n", &next); t; t = strtok_r(NULL, " \n", &next)) {
      for (size_t k = 0; k < sizeof Wanted / sizeof *Wanted; k++) {
        if (strcmp(t, Wanted[k]) == 0) {
          const char *value = strtok_r(NULL, " \n", &next);
          text_format(&all, " %s", value ? value : "");
          break;
        }
      }
    }
    free(w->fates[i]);
    w->fates[i++] = text_take(&all);
  }
  if (list) {
    fclose(list);
  }
  free(path);
  return i == w->count;
}

static bool write_results(const work_t *w, err_t *err) {
  char *path = file_in(w, "results");
  FILE *file = path ? fopen(path, "w") : NULL;
  bool ok = file != NULL;
  for (uint32_t i = 0; ok && i < w->count; i++) {
    ok = fprintf(file, "%s\n", w->fates[i]) > 0;
  }
  ok = file && fclose(file) == 0 && ok;
  free(path);
  return ok || err_set(err, ErrCheck, "%s/results: cannot be written", w->folder);
}

// The unit's row; returns an exit status.
static int judge(const work_t *w, text_t *table) {
  uint32_t killed = 0, equivalent = 0, gaps = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    const bool is_killed = says(w->fates[i], "killed");
    const bool is_equivalent = says(w->fates[i], "equivalent");
    killed += is_killed;
    equivalent += is_equivalent;
    gaps += says(w->fates[i], "gap");
    if (!is_killed && !is_equivalent) {
      printf("%s\n", w->fates[i]);
    }
  }
  const uint32_t open = w->count - killed - equivalent - gaps;
  text_format(table, "%-24s %8u %8u %10u %6u %6u\n", w->name, w->count, killed, equivalent, gaps,
              open);
  if (open) {
    printf(
        "%s: %u open in %s/results: a test that kills it (nocturne unit --record, then --vectors), "
        "a "
        "proof that it is equivalent (--wrapper), or more --seeds settles one; see "
        "docs/how-to/mutation.md\n",
        w->name, open, w->folder);
  }
  return gaps == 0 && open * OpenShare <= w->count ? ErrNone : ErrCheck;
}

static int settle_flaws(work_t *w, text_t *table, err_t *err) {
  if (w->is_own ? !w->o->wrapper : !json_object_get(w->room, "prove")) {
    err_set(err, ErrInput, "%s: --flaws needs the unit's proof%s", w->name,
            w->is_own ? ": --wrapper W.c" : "");
    return ErrInput;
  }
  char *log = make_folder(w, err) ? file_in(w, "log") : NULL;
  int status = ErrCheck;
  if (log && find_params(w, log, err) && prove_unit(w, err)) {
    const flaws_work_t flaws = {w->name,      w->params, w->words,       w->folder,  w->proof,
                                w->o->prover, w->tables, w->directed,    w->room,    w->o->seeds,
                                w->o->jobs,   w->o->pdr, w->o->no_proof, w->o->speed};
    status = flaws_settle(&flaws, table, err);
  }
  free(log);
  return err_is_set(err) ? (int)err->status : status;
}

static int mutate(work_t *w, text_t *table, err_t *err) {
  if (w->o->flaws) {
    return settle_flaws(w, table, err);
  }
  const uint32_t seeds = w->o->seeds;
  if (!prepare(w, err)) {
    return (int)err->status;
  }
  const uint32_t last = FewSeeds + (w->has_proof && seeds > BeforeProof ? BeforeProof : seeds);
  printf("%s %s: %u of %u mutants\n", w->name, w->params, w->count, w->all);
  fflush(stdout);
  uint32_t *indices = calloc(w->count + 1, sizeof *indices);
  for (uint32_t i = 0; indices && i < w->count; i++) {
    indices[i] = i;
  }
  const bool ok = indices && run_jobs(w, false, indices, w->count, 1, last, err) &&
                  (!w->has_proof || settle(w, last + 1, err)) && add_places(w) &&
                  write_results(w, err);
  free(indices);
  return ok ? judge(w, table) : err_is_set(err) ? (int)err->status : ErrMachine;
}

static void work_free(work_t *w) {
  for (uint32_t i = 0; w->fates && i < w->count; i++) {
    free(w->fates[i]);
  }
  for (uint32_t i = 0; i < w->text_count; i++) {
    free(w->texts[i]);
  }
  char *const owned[] = {w->folder, w->params, w->mutants, w->directed, w->tables, w->proof};
  for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) {
    free(owned[i]);
  }
  free(w->fates);
  free(w->numbers);
}

static bool has_tools(const mutate_options_t *o, err_t *err) {
  static const char *const Tools[] = {"yosys", "verilator"};
  for (size_t i = 0; i < sizeof Tools / sizeof *Tools; i++) {
    if (!spawn_has(Tools[i])) {
      return err_set(err, ErrMachine, "%s is missing; make setup installs it", Tools[i]);
    }
  }
  const bool wants_prover = !o->no_proof && (!o->outside.page || o->wrapper);
  return !wants_prover || access(o->prover, X_OK) == 0 ||
         err_set(err, ErrMachine, "%s is missing; make mutate builds it", o->prover);
}

int mutate_units(const mutate_options_t *o, err_t *err) {
  text_t table = {0};
  int worst = ErrNone;
  size_t i;
  json_t *room, *rooms = NULL;
  if (!has_tools(o, err)) {
    return (int)err->status;
  }
  if (o->outside.page) {
    work_t w = {.o = o};
    worst = find_outside(&w, err) ? mutate(&w, &table, err) : (int)err->status;
    work_free(&w);
  } else if (!(rooms = room_list("mutate", o->units, o->unit_count, err))) {
    worst = (int)err->status;
  }
  json_array_foreach(rooms, i, room) {
    work_t w = {.o = o};
    const int status = find_room(&w, room) ? mutate(&w, &table, err) : ErrMachine;
    worst = status > worst ? status : worst;
    work_free(&w);
    if (err_is_set(err)) {
      fprintf(stderr, "nocturne: %s\n", err_text(err));
      err_free(err);
    }
  }
  if (table.length && o->flaws) {
    printf("\n%s%s", FlawsHead, text_string(&table));
  } else if (table.length) {
    printf("\n%-24s %8s %8s %10s %6s %6s\n%s", "unit", "mutants", "killed", "equivalent", "gaps",
           "open", text_string(&table));
  }
  text_free(&table);
  json_decref(rooms);
  return worst;
}
