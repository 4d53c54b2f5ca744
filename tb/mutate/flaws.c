// SPDX-License-Identifier: Apache-2.0
#include "flaws.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tb/harness/spawn.h"

enum {
  MostWords = 96,
  ShortSeeds = 10,   // the first ones run few cycles
  OpenShare = 1000,  // 1 in so many flaws may stay open
};
static const char *const SpeedCycles = "100000";  // in lockstep
static const char *const ShortCycles = "2000", *const LongCycles = "20000";

const char FlawsHead[] = "unit                        flaws   killed equivalent   open  minutes\n";

// A sequence may be of another size, which says nothing of this one.
static bool is_of_size(const flaws_work_t *w, const char *path) {
  char *line = NULL;
  size_t room = 0;
  FILE *file = fopen(path, "r");
  const bool has_line = file && getline(&line, &room, file) > 0;
  const char *params = has_line ? strstr(line, w->params) : NULL;
  const bool ok = params && strcmp(params + strlen(w->params), "\n") == 0;
  free(line);
  if (file) {
    fclose(file);
  }
  return ok;
}

// Records what `nocturne unit` does with its own words or with the unit's; adds the files to the
// list.
static bool record(const flaws_work_t *w, text_t *list, const char *name, bool has_unit,
                   const char *const *more) {
  const char *words[MostWords + 8] = {spawn_self(), "unit"};
  uint32_t n = 2;
  char *to = text_make("%s/runs.d/%s", w->folder, name), *log = text_make("%s/log", w->folder);
  char *pattern = text_make("%s/*.vec", to);
  glob_t found = {0};
  for (const char *const *u = w->unit; has_unit && *u && n < MostWords; u++) {
    words[n++] = *u;
  }
  for (; *more && n < MostWords; more++) {
    words[n++] = *more;
  }
  words[n++] = "--engine";
  words[n++] = "golden";
  words[n++] = "--record";
  words[n++] = to;
  bool ok = to && log && pattern && spawn_run(words, NULL, log) == 0 &&
            glob(pattern, 0, NULL, &found) == 0;
  for (size_t i = 0; ok && i < found.gl_pathc; i++) {
    char *file = text_make("%s/runs.d/%s-%zu.vec", w->folder, name, i);
    ok = file && rename(found.gl_pathv[i], file) == 0;
    if (ok && is_of_size(w, file)) {
      text_format(list, "%s\n", file);
    }
    free(file);
  }
  globfree(&found);
  free(to);
  free(log);
  free(pattern);
  return ok;
}

static const char *end_of(const char *path) { return strrchr(path, '/') + 1; }

static bool add_directed(const flaws_work_t *w, text_t *list) {
  static const char *const Kinds[] = {"*.vec", "*.json"};
  bool ok = true;
  for (size_t k = 0; w->vectors && k < 2; k++) {
    char *pattern = text_make("%s/%s", w->vectors, Kinds[k]);
    glob_t found = {0};
    if (pattern && glob(pattern, 0, NULL, &found) == 0) {
      for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        ok = record(w, list, end_of(path), strcmp(w->unit[0], "--page") == 0,
                    (const char *const[]){k ? "--play" : "--vectors", path, NULL});
      }
    }
    globfree(&found);
    free(pattern);
  }
  return ok;
}

// A run whose knobs reach what seldom happens, at this size.
static bool add_knobs(const flaws_work_t *w, text_t *list, const json_t *run, size_t number) {
  const char *more[MostWords] = {NULL}, *name;
  char *owned[MostWords], file[64], cycles[32], seed[32];
  uint32_t n = 0, own = 0;
  size_t i;
  json_t *value;
  bool ok = true;
  json_object_foreach(json_object_get(run, "knobs"), name, value) {
    if (n + 8 < MostWords) {
      owned[own] = text_make("%s=%lld", name, (long long)json_integer_value(value));
      more[n++] = "--knob";
      more[n++] = owned[own++];
    }
  }
  snprintf(cycles, sizeof cycles, "%lld",
           (long long)json_integer_value(json_object_get(run, "cycles")));
  more[n++] = "--cycles";
  more[n++] = cycles;
  more[n++] = "--seed";
  more[n++] = seed;
  json_array_foreach(json_object_get(run, "seeds"), i, value) {
    snprintf(seed, sizeof seed, "%lld", (long long)json_integer_value(value));
    snprintf(file, sizeof file, "knobs-%zu-%s", number, seed);
    ok = ok && record(w, list, file, true, more);
  }
  while (own) {
    free(owned[--own]);
  }
  return ok;
}

// A seed's run that is of another size is an error: sets may be named from which the seed chooses.
static bool add_seed(const flaws_work_t *w, text_t *list, const char *name, const char *const *more,
                     err_t *err) {
  const size_t before = list->length;
  const bool ok = record(w, list, name, true, more);
  return ok && (list->length > before ||
                err_set(err, ErrInput,
                        "%s: its run %s is of another size than %s; expected `set` of `mutate` in "
                        "its unit.yaml to name one set",
                        w->name, name, w->params));
}

static bool add_seeds(const flaws_work_t *w, text_t *list, uint32_t first, uint32_t last,
                      err_t *err) {
  bool ok = true;
  for (uint32_t s = first; ok && s <= last; s++) {
    char seed[16], name[32];
    const char *cycles = s <= ShortSeeds ? ShortCycles : LongCycles;
    snprintf(seed, sizeof seed, "%u", s);
    snprintf(name, sizeof name, "seed-%u", s);
    ok = add_seed(w, list, name, (const char *const[]){"--seed", seed, "--cycles", cycles, NULL},
                  err);
    snprintf(name, sizeof name, "busy-%u", s);
    ok = ok &&
         add_seed(w, list, name,
                  (const char *const[]){"--busy", "--seed", seed, "--cycles", cycles, NULL}, err);
  }
  return ok;
}

// Reports the last recording: a run of unit.yaml has a knob that the unit lacks, say.
static bool no_runs(const flaws_work_t *w, err_t *err) {
  static const char Own[] = "nocturne: ";
  char *line = text_make("tail -n 1 '%s/log'", w->folder);
  text_t said = {0};
  const char *last = line && spawn_read(line, &said) == 0 ? text_string(&said) : "";
  const bool is_own = strncmp(last, Own, strlen(Own)) == 0;
  if (is_own) {
    last += strlen(Own);
    err_set(err, ErrInput, "%s: a run of its unit.yaml: %.*s", w->name, (int)strcspn(last, "\n"),
            last);
  } else {
    err_set(err, ErrCheck, "%s: no runs of the golden model: %s/log", w->name, w->folder);
  }
  text_free(&said);
  free(line);
  return false;
}

static bool write_runs(const flaws_work_t *w, err_t *err) {
  text_t list = {0};
  size_t i;
  json_t *run;
  char *path = text_make("%s/runs", w->folder);
  bool ok = path && add_directed(w, &list);
  const json_t *of_proof = json_object_get(w->room, "runs");
  const json_t *own = json_object_get(json_object_get(w->room, "mutate"), "runs");
  json_array_foreach(of_proof, i, run) { ok = ok && add_knobs(w, &list, run, i); }
  json_array_foreach(own, i, run) {
    ok = ok && add_knobs(w, &list, run, json_array_size(of_proof) + i);
  }
  ok = ok && add_seeds(w, &list, 1, ShortSeeds, err);
  text_put(&list, "\n");
  ok = ok && add_seeds(w, &list, ShortSeeds + 1, ShortSeeds + w->seeds, err);
  FILE *file = ok ? fopen(path, "w") : NULL;
  ok = file && fputs(text_string(&list), file) >= 0;
  ok = file && fclose(file) == 0 && ok;
  text_free(&list);
  free(path);
  return ok || (!err_is_set(err) && no_runs(w, err));
}

static bool make_folder(const flaws_work_t *w, err_t *err) {
  text_t said = {0};
  char *line = text_make("mkdir -p '%s/runs.d'", w->folder);
  const bool ok = line && spawn_read(line, &said) == 0;
  text_free(&said);
  free(line);
  return ok || err_set(err, ErrCheck, "%s: cannot be written", w->folder);
}

// The table's row, and one for tb/status.sh, from what the prover says.
static int judge(const flaws_work_t *w, const char *said, text_t *table, err_t *err) {
  unsigned count, all, killed, equivalent, open, seconds;
  const char *line = strstr(said, " flaws of ");
  while (line && line > said && line[-1] != '\n') {
    line--;
  }
  if (!line || sscanf(line, "%u flaws of %u: %u killed, %u equivalent, %u open; %u s", &count, &all,
                      &killed, &equivalent, &open, &seconds) != 6) {
    err_set(err, ErrCheck, "%s: the prover ended without a result", w->name);
    return ErrCheck;
  }
  text_format(table, "%-24s %8u %8u %10u %6u %8.1f\n", w->name, count, killed, equivalent, open,
              seconds / 60.0);
  char *path = text_make("%s/summary", w->folder);
  FILE *file = path ? fopen(path, "w") : NULL;
  if (file) {
    fprintf(file, "%s,%u,%u,%u,%u,%u,%s\n", w->name, count, killed, equivalent, open, seconds,
            w->params);
    fclose(file);
  }
  free(path);
  return (uint64_t)open * OpenShare <= count ? ErrNone : ErrCheck;
}

static double children_seconds(void) {
  struct rusage ended;
  getrusage(RUSAGE_CHILDREN, &ended);
  return (double)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec) +
         (double)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec) / 1e6;
}

// Returns the processor time of the unit in lockstep; 0: it does not run.
static double lockstep_seconds(const flaws_work_t *w, const char *cycles) {
  const char *words[MostWords + 8] = {spawn_self(), "unit", "--cycles", cycles};
  char *log = text_make("%s/log", w->folder);
  uint32_t n = 4;
  for (const char *const *u = w->unit; *u && n < MostWords; u++) {
    words[n++] = *u;
  }
  const double before = children_seconds();
  const bool ok = log && spawn_run(words, NULL, log) == 0;
  free(log);
  return ok ? children_seconds() - before : 0;
}

// Lanes times cycles a second of processor time beside lockstep's cycles. Its first run may have to
// compile the RTL.
static bool compare_speed(const flaws_work_t *w, const char *said, err_t *err) {
  const char *line = strstr(said, "\nruns: ");
  unsigned lanes;
  unsigned long cycles;
  double seconds;
  if (!line || sscanf(line, " runs: %u lanes, %lu cycles, %lf s", &lanes, &cycles, &seconds) != 3 ||
      lockstep_seconds(w, "1") <= 0) {
    return err_set(err, ErrCheck, "%s: no speed to compare: %s/log", w->name, w->folder);
  }
  const double starts = lockstep_seconds(w, "1"), lockstep = lockstep_seconds(w, SpeedCycles);
  const double hz = strtod(SpeedCycles, NULL) / (lockstep > starts ? lockstep - starts : 1e-6);
  const double lane_hz = lanes * (double)cycles / (seconds > 0 ? seconds : 1e-6);
  printf("%s: lanes %.1f, lockstep %.3f million cycles a second of CPU: ratio %.0f\n", w->name,
         lane_hz / 1e6, hz / 1e6, lane_hz / hz);
  return true;
}

int flaws_settle(const flaws_work_t *w, text_t *table, err_t *err) {
  text_t said = {0};
  if (!make_folder(w, err) || !write_runs(w, err)) {
    return (int)err->status;
  }
  char pdr[32] = "";
  if (w->pdr) {
    snprintf(pdr, sizeof pdr, "--invariants %u", w->pdr);
  }
  char *line = text_make(
      "'%s' '%s' '%s' --golden '%s/golden.bc' --rtl '%s/rtl.aig' --flaws '%s' %s --jobs %u%s%s%s%s",
      w->prover, w->name, w->params, w->proof, w->proof, w->folder, pdr, w->jobs,
      w->no_solver ? " --no-solver" : "", w->tables ? " --tables '" : "",
      w->tables ? w->tables : "", w->tables ? "'" : "");
  int status = line ? spawn_read(line, &said) : ErrMachine;
  printf("%s", text_string(&said));
  if (status > 1 || !strstr(text_string(&said), " flaws of ")) {
    err_set(err,
            status == 3   ? ErrMachine
            : status == 2 ? ErrInput
                          : ErrCheck,
            "%s: its flaws are not settled; --resume goes on", w->name);
    status = (int)err->status;
  } else {
    status = judge(w, text_string(&said), table, err);
    if (w->speed && !compare_speed(w, text_string(&said), err)) {
      status = (int)err->status;
    }
  }
  text_free(&said);
  free(line);
  return status;
}
