// SPDX-License-Identifier: Apache-2.0
#include "fates.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "chase.h"
#include "explain.h"
#include "fates_internal.h"
#include "fault.h"
#include "lanes.h"
#include "twin.h"
#include "unseen.h"

enum {
  RoundFlaws = 32,  // for which runs are looked for before these are played with all others
  IdleRounds = 6,   // that find no run, before the other flaws are left
  ChaseConflicts = 4000,
  PartsAtOnce = 8,         // of the flaws that are left, between two lines of progress
  FirstConflicts = 200,    // of the first question about a flaw
  KeptConflicts = 50,      // of one about relation and invariant
  ResetConflicts = 1000,   // of one about resets, for each flaw of a crowd
  HardConflicts = 400000,  // of one that needs more
  HardCrowd = 64,          // flaws of such a question
  FoundSeeds = 4096,       // of a run that was found: it may need registers to hold something
  StartSeeds = 16,         // of a recorded run, for what no reset sets
  ShakenRuns = 32,         // at a time
  MostShaken = 512,
  BeforeSolver = 100,  // one of so many flaws that are left, to shake runs on
  FirstPart = 64,      // cycles of a run that are played first
  PartGrows = 8,
  ManyShare = 8,  // one of so many flaws
  ShortRun = 16,  // cycles of a run that is looked for where nobody says that there is one
};

static double cpu_seconds(void) {
  struct rusage own, ended;
  getrusage(RUSAGE_SELF, &own);
  getrusage(RUSAGE_CHILDREN, &ended);
  return (double)(own.ru_utime.tv_sec + ended.ru_utime.tv_sec) +
         (double)(own.ru_utime.tv_usec + ended.ru_utime.tv_usec) / 1e6;
}

// ---- Runs ----

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Takes a part of the flaws that are left, `most` in each; returns how many, with their numbers.
static uint32_t take_part(const fates_t *w, uint32_t part, uint32_t most, const uint32_t **numbers,
                          flaw_t *flaws) {
  const uint32_t first = part * most, left = w->live_count - first;
  const uint32_t count = left < most ? left : most;
  *numbers = w->live + first;
  fates_gather(w, *numbers, count, flaws);
  return count;
}

static bool play_batch(process_t *job, const void *context, uint32_t number) {
  const fates_t *w = context;
  const transition_t *t = w->proof->t;
  static flaw_t flaws[SwarmFlaws];
  static kill_t kills[SwarmFlaws];
  const uint32_t *numbers, count = take_part(w, number, SwarmFlaws, &numbers, flaws);
  process_count(job, swarm_play(w->swarm, &w->reel, w->seed, flaws, count, kills));
  for (uint32_t i = 0; i < count; i++) {
    char signal[160];
    if (kills[i].cycle) {
      explain_signal(t, kills[i].port, signal, sizeof signal);
      printf("%u killed %s:%u %s\n", numbers[i], base_name(w->reel.path), kills[i].cycle, signal);
    }
  }
  return true;
}

static void play_cycles(fates_t *w, uint32_t cycles) {
  char what[FatesLine];
  const uint32_t all = w->reel.cycles;
  fates_find_live(w);
  if (w->live_count) {
    w->reel.cycles = cycles;
    snprintf(what, sizeof what, "%s, %u cycles", base_name(w->reel.path), cycles);
    fates_run_jobs(w, (w->live_count + SwarmFlaws - 1) / SwarmFlaws, play_batch, w, "", what);
    w->reel.cycles = all;
  }
}

// Most flaws fall soon: as long as many do, a longer part of the run is played with what is left.
// (A batch takes as long for one flaw as for all that it has room for.)
static void play_reel(fates_t *w) {
  fates_find_live(w);
  bool many = w->live_count > SwarmFlaws;
  for (uint32_t part = FirstPart; many && part < w->reel.cycles / PartGrows; part *= PartGrows) {
    const uint32_t killed = fates_count(w, Killed);
    play_cycles(w, part);
    many = fates_count(w, Killed) - killed > w->live_count / ManyShare;
  }
  play_cycles(w, w->reel.cycles);
}

static void play_run(fates_t *w, const char *path) {
  fates_read_reel(w, path);
  play_reel(w);
  reel_free(&w->reel);
}

// Plays a run again, with other values in all registers before its first reset.
static void play_starts(fates_t *w, const char *path) {
  for (w->seed = FatesSeed + 1; w->seed <= FatesSeed + StartSeeds; w->seed++) {
    play_run(w, path);
  }
  w->seed = FatesSeed;
}

// Returns true if the unit takes any inputs. Those that a wrapper rules out are not known to the
// RTL alone.
static bool takes_any(const fates_t *w) { return w->proof->t->stepped.legal == AigTrue; }

// Recorded runs with wrong inputs; returns how many.
static uint32_t shake_some(fates_t *w, uint32_t first, reel_t *reels) {
  uint32_t count = 0;
  for (uint32_t number = first; number < first + ShakenRuns; number++) {
    const char *from = w->runs[number % w->run_count];
    char name[64];
    if (from) {
      snprintf(name, sizeof name, "shaken-%u.vec", number);
      char *path = fates_path(w, name);
      fates_read_reel(w, from);
      reel_shake(&reels[count++], path, &w->reel, number);
      free(path);
      reel_free(&w->reel);
    }
  }
  if (!takes_any(w)) {
    lanes_t lanes;
    lanes_create(&lanes, w->proof->t, NULL, 0);
    lanes_keep_legal(&lanes, reels, count);
    lanes_destroy(&lanes);
  }
  return count;
}

static void play_shaken(fates_t *w) {
  reel_t reels[ShakenRuns];
  const uint32_t count = shake_some(w, w->shaken, reels);
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t before = fates_count(w, Killed);
    w->reel = reels[k];
    swarm_record(w->swarm, &w->reel, FatesSeed);
    play_reel(w);
    if (fates_count(w, Killed) > before && !reel_write(&w->reel, w->o->head)) {
      fault(FaultLacking, "%s: cannot be written", w->reel.path);
    }
    reel_free(&w->reel);
  }
}

// Plays shaken runs, until ShakenRuns of them kill no more than one of `share` flaws that are left;
// 0: none. As the unit is proved, its outputs are the golden model's. Where a run that was cut off
// goes on, the journal knows how many they were.
static void shake(fates_t *w, uint32_t share) {
  bool again = w->run_count > 0;
  if (w->shakes_begun++ < w->shakes_read) {
    return;
  }
  while (again && w->shaken - w->shaken_first < MostShaken) {
    if (!w->is_shaking) {
      printf(FatesShaking, w->shaken);
      fates_read_journal(w);
    }
    play_shaken(w);
    w->shaken += ShakenRuns;
    w->is_shaking = false;
    fates_find_live(w);
    again = fates_count(w, Killed) - w->killed_before > (share ? w->live_count / share : 0);
  }
  printf(FatesShaken, w->shaken);
  fates_read_journal(w);
}

// ---- The solver ----

static void print_fate(uint32_t flaw, cnf_result_e said, fate_e unknown) {
  const fate_e fate = said == CnfUnsatisfiable ? Equivalent
                      : said == CnfSatisfiable ? Differs
                                               : unknown;
  printf("%u %s\n", flaw, FatesWords[fate]);
}

// A part of the flaws that no run killed, from w->live[number] on, one after the other: what the
// solver learns about one serves the others. A run that was cut off goes on with the same parts.
static bool ask_part(process_t *job, const void *context, uint32_t number) {
  const fates_t *w = context;
  twin_t twin;
  uint32_t count = 0;
  (void)job;
  twin_create(&twin, w->proof);
  for (uint32_t i = w->live[number]; i < w->flaws.count && count < FatesBlock; i++) {
    count += w->fate[i] != Killed;
    if (w->fate[i] == Live) {
      cnf_result_e said;
      twin_ask(&twin, &w->flaws.list[i], 1, FirstConflicts, &said, NULL, NULL);
      if (said != CnfUnsatisfiable) {
        keeps_ask(&w->keeps, &twin, &w->flaws.list[i], 1, KeptConflicts, &said);
      }
      print_fate(i, said, Unknown);
    }
  }
  twin_destroy(&twin);
  fputs("round\n", stdout);
  return true;
}

static bool ask_longer(process_t *job, const void *context, uint32_t number) {
  const fates_t *w = context;
  flaw_t flaws[HardCrowd];
  const uint32_t *numbers, count = take_part(w, number, HardCrowd, &numbers, flaws);
  cnf_result_e said[HardCrowd];
  twin_t kept;
  (void)job;
  twin_create(&kept, w->proof);
  keeps_ask(&w->keeps, &kept, flaws, count, HardConflicts, said);
  twin_destroy(&kept);
  for (uint32_t i = 0; i < count; i++) {
    print_fate(numbers[i], said[i], Hard);
  }
  return true;
}

// Leaves some flaws of fates from `first` to `last` in w->live, of all parts of the list; returns
// how many.
static uint32_t pick(fates_t *w, fate_e first, fate_e last, uint32_t most) {
  uint32_t count = 0;
  fates_find_live(w);
  for (uint32_t i = 0; i < w->live_count; i++) {
    const fate_e fate = w->fate[w->live[i]];
    if (fate >= first && fate <= last) {
      w->live[count++] = w->live[i];
    }
  }
  const uint32_t picked = count < most ? count : most;
  for (uint32_t i = 0; i < picked; i++) {
    w->live[i] = w->live[(uint64_t)i * count / picked];
  }
  return picked;
}

// Until a round settles none: what is left then is hard, too, so that a run that goes on does not
// ask about it.
static void ask_hard(fates_t *w) {
  uint32_t asked, settled = 1;
  while (settled && (asked = pick(w, Unknown, Unknown, FatesBlock)) > 0) {
    const uint32_t hard = fates_count(w, Hard), crowds = (asked + HardCrowd - 1) / HardCrowd;
    w->live_count = asked;
    fates_run_jobs(w, crowds, ask_longer, w, "round\n", "the solver, for longer");
    settled = asked - (fates_count(w, Hard) - hard);
  }
  while ((asked = pick(w, Unknown, Unknown, FatesBlock)) > 0) {
    for (uint32_t i = 0; i < asked; i++) {
      printf("%u %s\n", w->live[i], FatesWords[Hard]);
    }
    fputs("round\n", stdout);
    fates_read_journal(w);
  }
}

typedef struct {
  const fates_t *w;
  twin_t twin;
} asked_t;

static void ask_resets(void *context, const flaw_t *flaws, uint32_t count, cnf_result_e *said) {
  asked_t *a = context;
  keeps_ask_resets(&a->w->keeps, &a->twin, flaws, count, ResetConflicts * count, said);
}

// Asks of flaws that nothing depends on once a reset is over whether they leave one as it may be.
static bool ask_reset(process_t *job, const void *context, uint32_t number) {
  const fates_t *w = context;
  flaw_t flaws[FatesBlock];
  const uint32_t *numbers, count = take_part(w, number, FatesBlock, &numbers, flaws);
  cnf_result_e said[FatesBlock];
  asked_t asked = {.w = w};
  (void)job;
  twin_create(&asked.twin, w->proof);
  crowd_ask(ask_resets, &asked, flaws, count, said);
  twin_destroy(&asked.twin);
  for (uint32_t i = 0; i < count; i++) {
    if (said[i] == CnfUnsatisfiable) {
      printf("%u %s\n", numbers[i], FatesWords[Equivalent]);
    }
  }
  fputs("round\n", stdout);
  return true;
}

// Those that change nothing which is seen, before each is a question.
static void leave_unseen(fates_t *w) {
  unseen_t unseen;
  uint32_t count = 0;
  fates_find_live(w);
  if (w->o->mutants || !w->live_count || w->knows_unseen) {
    return;
  }
  bool *is_killed = fault_calloc(w->flaws.count, sizeof *is_killed);
  for (uint32_t i = 0; i < w->flaws.count; i++) {
    is_killed[i] = w->fate[i] == Killed;
  }
  unseen_create(&unseen, w->proof, &w->flaws, is_killed);
  free(is_killed);
  for (uint32_t i = 0; i < w->live_count; i++) {
    if (unseen_is(&unseen, &w->flaws.list[w->live[i]])) {
      w->live[count++] = w->live[i];
    }
  }
  w->live_count = count;
  unseen_destroy(&unseen);
  fates_run_jobs(w, (count + FatesBlock - 1) / FatesBlock, ask_reset, w, FatesUnseen,
                 "what nothing depends on");
}

// The parts of which some flaws are not asked about yet: w->live has where each begins.
static uint32_t find_parts(fates_t *w) {
  uint32_t count = 0, parts = 0, first = 0;
  bool is_asked = true;
  for (uint32_t i = 0; i < w->flaws.count; i++) {
    if (w->fate[i] == Killed) {
      continue;
    }
    if (count++ % FatesBlock == 0) {
      first = i;
      is_asked = true;
    }
    if (w->fate[i] == Live && is_asked) {
      w->live[parts++] = first;
      is_asked = false;
    }
  }
  return parts;
}

static void ask_solver(fates_t *w) {
  uint32_t *all = w->live;
  leave_unseen(w);
  for (uint32_t left = find_parts(w), asked; left; left -= asked, w->live += asked) {
    asked = left < PartsAtOnce ? left : PartsAtOnce;
    fates_run_jobs(w, asked, ask_part, w, "", "the solver");
  }
  w->live = all;
}

// After the runs that are played before it, of which `path` is the last. Returns the seconds that
// it took.
static double first_questions(fates_t *w, const char *path) {
  shake(w, BeforeSolver);
  if (path) {
    play_starts(w, path);
  }
  const double since = cpu_seconds();
  ask_solver(w);
  const double took = cpu_seconds() - since;
  shake(w, 0);
  return took;
}

// ---- Runs that the solver finds ----

static char *found_path(const fates_t *w, uint32_t flaw) {
  char name[64];
  snprintf(name, sizeof name, "found-%u.vec", flaw);
  return fates_path(w, name);
}

static bool chase_one(process_t *job, const void *context, uint32_t number) {
  const fates_t *w = context;
  const uint32_t which = w->live[number];
  const flaw_t *flaw = &w->flaws.list[which];
  const uint32_t cycles = w->o->cycles < ShortRun ? w->o->cycles : ShortRun;
  char *path = found_path(w, which);
  (void)job;
  const cnf_result_e said =
      w->far ? chase_far(w->proof, flaw, w->o->invariant_seconds, w->swarm, FatesSeed, w->o->head,
                         path)
             : chase(w->proof, flaw, cycles, ChaseConflicts, w->swarm, FatesSeed, w->o->head, path);
  const fate_e none = w->far ? Equivalent : Unshown;
  printf("%u %s\n", which,
         FatesWords[said == CnfSatisfiable     ? Shown
                    : said == CnfUnsatisfiable ? none
                                               : Lost]);
  free(path);
  return true;
}

// Seed of what registers hold before the reset of a found run, so that it kills its flaw; 0: no
// seed gives that.
static uint64_t seed_of(const fates_t *w, uint32_t flaw) {
  uint64_t seed = FatesSeed;
  kill_t kill = {0};
  for (; seed < FatesSeed + FoundSeeds && !kill.cycle; seed++) {
    swarm_play(w->swarm, &w->reel, seed, &w->flaws.list[flaw], 1, &kill);
  }
  return kill.cycle ? seed - 1 : 0;
}

// Each run that was found is played with all flaws that are left.
static void play_found(fates_t *w) {
  for (uint32_t i = 0; i < w->flaws.count; i++) {
    if (w->fate[i] == Shown) {
      char *path = found_path(w, i);
      fates_read_reel(w, path);
      w->seed = seed_of(w, i);
      if (w->seed) {
        play_reel(w);
      }
      reel_free(&w->reel);
      w->seed = FatesSeed;
      free(path);
    }
  }
}

// The inputs that the wrapper rules out are not known to the RTL alone.
static void find_far(fates_t *w) {
  fates_find_live(w);
  w->far = true;
  uint32_t *all = w->live, left = w->o->invariant_seconds ? w->live_count : 0;
  for (; left; w->live += FatesAtOnce, left -= left < FatesAtOnce ? left : FatesAtOnce) {
    fates_run_jobs(w, left < FatesAtOnce ? left : FatesAtOnce, chase_one, w, "round\n",
                   "invariants are looked for");
  }
  w->live = all;
  play_found(w);
}

// Each round asks about flaws of all parts of the list.
static void find_runs(fates_t *w) {
  bool again = takes_any(w);
  for (uint32_t idle = 0; again && idle < IdleRounds;) {
    play_found(w);
    const uint32_t asked = pick(w, Live, Hard, RoundFlaws), shown = fates_count(w, Shown);
    again = asked > 0;
    if (again) {
      fates_run_jobs(w, asked, chase_one, w, "round\n", "runs are looked for");
    }
    idle = fates_count(w, Shown) > shown ? 0 : idle + 1;
  }
}

// ---- All of it ----

static void read_runs(fates_t *w) {
  char *path = fates_path(w, "runs"), *line = NULL;
  FILE *f = fopen(path, "r");
  size_t room = 0;
  if (!f) {
    fault(FaultUsage, "%s: %s", path, strerror(errno));
  }
  while (getline(&line, &room, f) > 0) {
    line[strcspn(line, "\n")] = '\0';
    w->runs = fault_realloc(w->runs, w->run_count + 1, sizeof *w->runs);
    w->runs[w->run_count++] = *line ? strdup(line) : NULL;
  }
  free(line);
  free(path);
  fclose(f);
}

// By number: how it ended (the journal's words), and which flaw it is.
static void write_fates(const fates_t *w) {
  char *path = fates_path(w, "fates"), *line = NULL, name[FatesLine];
  char **how = fault_calloc(w->flaws.count + 1, sizeof *how);
  size_t room = 0;
  FILE *f = fopen(path, "w");
  if (!f) {
    fault(FaultUsage, "%s: %s", path, strerror(errno));
  }
  rewind(w->journal);
  while (getline(&line, &room, w->journal) > 0) {
    char *end;
    const unsigned long number = strtoul(line, &end, 10);
    if (end != line && number < w->flaws.count) {
      line[strcspn(line, "\n")] = '\0';
      free(how[number]);
      how[number] = strdup(end + 1);
    }
  }
  for (uint32_t i = 0; i < w->flaws.count; i++) {
    flaw_name(&w->proof->t->rtl, &w->flaws.list[i], name, sizeof name);
    fprintf(f, "%u %s%s | %s\n", i, w->fate[i] > Equivalent || w->fate[i] == Live ? "open " : "",
            how[i] ? how[i] : "no run", name);
    free(how[i]);
  }
  if (fclose(f) != 0) {
    fault(FaultLacking, "%s: cannot be written", path);
  }
  free(how);
  free(line);
  free(path);
}

static void make_flaws(fates_t *w) {
  if (!w->o->mutants) {
    flaws_create(&w->flaws, &w->proof->t->rtl);
    return;
  }
  w->flaws =
      (flaws_t){fault_calloc(w->o->mutants, sizeof *w->flaws.list), w->o->mutants, w->o->mutants};
  for (uint32_t i = 0; i < w->o->mutants; i++) {
    w->flaws.list[i].mutant = i + 1;
  }
}

uint32_t fates_run(const fates_options_t *o, const proof_t *proof) {
  static fates_t w;
  w = (fates_t){.o = o, .proof = proof, .since = fates_seconds(), .seed = FatesSeed};
  make_flaws(&w);
  w.fate = fault_calloc(w.flaws.count + 1, 1);
  w.live = fault_calloc(w.flaws.count + 1, sizeof *w.live);
  read_runs(&w);
  w.swarm = swarm_create(&proof->t->rtl, o->folder);
  if (!o->no_solver) {
    keeps_create(&w.keeps, proof);
  }
  fates_open_journal(&w);
  fates_progress(&w, "the graph is compiled");
  const double start = cpu_seconds();
  double solver = 0;
  for (uint32_t i = 0; i < w.run_count; i++) {
    if (w.runs[i]) {
      play_run(&w, w.runs[i]);
    } else if (!o->no_solver) {
      solver += first_questions(&w, i > 0 ? w.runs[i - 1] : NULL);
    }
  }
  const double runs = cpu_seconds() - start - solver;
  if (!o->no_solver) {
    shake(&w, 0);
    fates_learned_t *learned = fates_see(&w);
    fates_loosen(&w, learned);
    ask_hard(&w);
    fates_learn(&w, learned);
    fates_guess(&w, learned, false);
    find_runs(&w);
    fates_guess(&w, learned, true);
    fates_forget(learned);
    find_far(&w);
  }
  const uint32_t killed = fates_count(&w, Killed), equivalent = fates_count(&w, Equivalent);
  const uint32_t open = w.flaws.count - killed - equivalent;
  write_fates(&w);
  fprintf(w.said, "%u flaws of %u: %u killed, %u equivalent, %u open; %.0f s\n", w.flaws.count,
          w.flaws.all, killed, equivalent, open, fates_seconds() - w.since);
  fprintf(w.said, "runs: %d lanes, %" PRIu64 " cycles, %.1f s of CPU; solver: %.1f s of CPU\n",
          SwarmLanes, w.cycles, runs, solver);
  fclose(w.said);
  fclose(w.journal);
  for (uint32_t i = 0; i < w.run_count; i++) {
    free(w.runs[i]);
  }
  keeps_destroy(&w.keeps);
  swarm_destroy(w.swarm);
  flaws_destroy(&w.flaws);
  free(w.runs);
  free(w.fate);
  free(w.live);
  return open;
}
