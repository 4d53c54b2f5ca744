// SPDX-License-Identifier: Apache-2.0
#include "cluster.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "remove_tree.h"
#include "tb/harness/shell.h"

// Slurm's MaxArraySize is 1001 unless configured.
enum { MaxShards = 1000, ShardsPerProcessor = 4, ShardsOtherwise = 64 };

typedef struct {
  char name[64];  // of the array, and of the folder in FOLDER/slurm
  char folder[ShardPathSize - 16];
  shard_reader_t *shards;
  uint32_t count;
  bool over;
} round_t;

typedef struct {
  round_t *rounds;
  size_t count;
} rounds_t;

static rounds_t rounds;  // of this process's one regression

static void free_rounds(void) {
  for (size_t i = 0; i < rounds.count; i++) {
    free(rounds.rounds[i].shards);
  }
  free(rounds.rounds);
  rounds = (rounds_t){0};
}

static void mark_over(round_t *r) {
  char path[512];
  snprintf(path, sizeof path, "%.400s/over", r->folder);
  FILE *mark = fopen(path, "w");
  if (mark) {
    fclose(mark);
  }
  r->over = true;
}

// Of the round's folder, which is there, with count shards.
static round_t *add_round(const char *folder, const char *name, uint32_t count) {
  round_t *more = realloc(rounds.rounds, (rounds.count + 1) * sizeof *more);
  rounds.rounds = more ? more : rounds.rounds;
  shard_reader_t *shards = more ? calloc(count + 1, sizeof *shards) : NULL;
  if (!shards) {
    return NULL;
  }
  round_t *r = &rounds.rounds[rounds.count++];
  *r = (round_t){.shards = shards, .count = count};
  snprintf(r->name, sizeof r->name, "%s", name);
  snprintf(r->folder, sizeof r->folder, "%.300s/slurm/%.60s", folder, name);
  for (uint32_t i = 0; i < count; i++) {
    snprintf(shards[i].prefix, sizeof shards[i].prefix, "%s/%u", r->folder, i);
  }
  return r;
}

static uint32_t count_shards(const char *folder, const char *name) {
  char path[512];
  uint32_t count = 0;
  do {
    snprintf(path, sizeof path, "%.300s/slurm/%.60s/%u.jobs", folder, name, count);
  } while (access(path, F_OK) == 0 && count++ < 10 * MaxShards);
  return count;
}

// The rounds that are in FOLDER/slurm. False: out of memory.
static bool find_rounds(const char *folder) {
  char path[512];
  bool ok = true;
  free_rounds();
  snprintf(path, sizeof path, "%.300s/slurm", folder);
  DIR *all = opendir(path);
  for (struct dirent *e; ok && all && (e = readdir(all));) {
    if (strncmp(e->d_name, "nocturne-", 9) == 0 && strlen(e->d_name) < 60) {
      round_t *r = add_round(folder, e->d_name, count_shards(folder, e->d_name));
      snprintf(path, sizeof path, "%.300s/slurm/%.60s/over", folder, e->d_name);
      ok = r != NULL;
      if (r) {
        r->over = access(path, F_OK) == 0;
      }
    }
  }
  if (all) {
    closedir(all);
  }
  return ok;
}

static void cancel(round_t *r) {
  if (!r->over) {
    mark_over(r);
    slurm_cancel(r->name);
  }
}

// Until its tasks have ended, so that what they finish at the last moment is seen; a lost node's
// may take longer than anybody should wait.
static void await_end(const round_t *r) {
  slurm_state_t state = {.running = 1};
  char error[TestErrorSize];
  for (double start = job_now(); state.running + state.waiting > 0 && job_now() - start < 10;) {
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    if (!slurm_ask(r->name, &state, error)) {
      return;
    }
  }
}

static void cancel_all(void) {
  for (size_t i = 0; i < rounds.count; i++) {
    cancel(&rounds.rounds[i]);
  }
}

bool cluster_clear(const char *folder, char error[TestErrorSize]) {
  char path[512];
  snprintf(path, sizeof path, "%.300s/slurm", folder);
  find_rounds(folder);
  cancel_all();
  free_rounds();
  // What a task writes meanwhile may fill a folder again.
  for (uint32_t i = 0; i < 50 && !remove_tree(path) && errno == ENOTEMPTY; i++) {
    nanosleep(&(struct timespec){0, 100000000}, NULL);
  }
  if (access(path, F_OK) == 0) {
    snprintf(error, TestErrorSize, "%.300s: cannot be removed: %s", path, strerror(errno));
    return false;
  }
  return true;
}

// ---- What has finished ----

static size_t count_left(const merge_t *m) {
  size_t left = 0;
  for (size_t i = 0; i < m->list->count; i++) {
    left += m->left[i];
  }
  return left;
}

static bool merge_all(merge_t *m, char error[TestErrorSize]) {
  bool ok = true;
  for (size_t r = 0; r < rounds.count; r++) {
    for (uint32_t i = 0; ok && i < rounds.rounds[r].count; i++) {
      ok = merge_shard(m, &rounds.rounds[r].shards[i], error);
    }
  }
  return ok;
}

bool cluster_take_over(cluster_t *c, bool go_on, char error[TestErrorSize]) {
  if (!find_rounds(c->folder)) {
    snprintf(error, TestErrorSize, "out of memory");
    return false;
  }
  for (size_t i = 0; !go_on && i < rounds.count; i++) {
    if (!rounds.rounds[i].over) {
      cancel(&rounds.rounds[i]);
      await_end(&rounds.rounds[i]);
    }
  }
  return merge_all(c->merge, error);
}

// ---- A round ----

// Each test to the shard that has the least to do, in the order of the schedule: the longest first.
static bool deal(const cluster_t *c, round_t *r, char error[TestErrorSize]) {
  const merge_t *m = c->merge;
  size_t count = m->list->count;
  double *loads = calloc(r->count, sizeof *loads);
  uint32_t *shard_of = calloc(count + 1, sizeof *shard_of);
  size_t *tests = calloc(count + 1, sizeof *tests);
  bool ok = loads && shard_of && tests;
  for (size_t k = 0; ok && k < count; k++) {
    size_t i = c->schedule->order[k];
    uint32_t least = 0;
    for (uint32_t s = 1; s < r->count; s++) {
      least = loads[s] < loads[least] ? s : least;
    }
    if (m->left[i]) {
      double takes = schedule_takes(c->schedule, i);
      loads[least] += takes > 0.01 ? takes : takes >= 0 ? 0.01 : 1;
      shard_of[i] = least;
      job_clean(m->list->tests[i].id, m->logs);
    }
  }
  for (uint32_t s = 0; ok && s < r->count; s++) {
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
      size_t i = c->schedule->order[k];
      if (m->left[i] && shard_of[i] == s) {
        tests[n++] = i;
      }
    }
    ok = shard_write(r->shards[s].prefix, m->list, m->keys, tests, n, error);
  }
  if (!ok && !error[0]) {
    snprintf(error, TestErrorSize, "out of memory");
  }
  free(loads);
  free(shard_of);
  free(tests);
  return ok;
}

static bool write_script(const round_t *r, char *path, size_t size, char error[TestErrorSize]) {
  char program[512], line[2048] = "";
  snprintf(path, size, "%.400s/task.sh", r->folder);
  ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
  program[n > 0 ? n : 0] = '\0';
  size_t used = shell_add(line, sizeof line, 0, program);
  used = shell_add(line, sizeof line, used, "shard");
  shell_add(line, sizeof line, used, r->folder);
  FILE *f = fopen(path, "w");
  bool ok = f && fprintf(f, "#!/bin/sh\nexec %s/\"$SLURM_ARRAY_TASK_ID\"\n", line) > 0;
  if (!ok || fclose(f) != 0) {
    snprintf(error, TestErrorSize, "%.300s: cannot be written: %s", path, strerror(errno));
    return false;
  }
  return true;
}

static uint32_t shard_count(const cluster_t *c, size_t left) {
  uint32_t count = c->options->shards;
  if (!count) {
    count = ShardsPerProcessor * slurm_processors(c->options->partition);
    count = count ? count : ShardsOtherwise;
  }
  count = count < MaxShards ? count : MaxShards;
  return left < count ? (uint32_t)left : count;
}

static cluster_end_e submit(const cluster_t *c, char error[TestErrorSize]) {
  static uint32_t number;
  char name[64], script[512], *folder;
  size_t left = count_left(c->merge);
  snprintf(name, sizeof name, "nocturne-%lx-%lx-%u", (unsigned long)time(NULL), (long)getpid(),
           ++number);
  round_t *r = add_round(c->folder, name, shard_count(c, left));
  if (!r) {
    snprintf(error, TestErrorSize, "out of memory");
    return ClusterLacking;
  }
  snprintf(script, sizeof script, "%.400s/slurm", c->folder);
  if ((mkdir(script, 0777) != 0 && errno != EEXIST) || mkdir(r->folder, 0777) != 0 ||
      !(folder = realpath(r->folder, NULL))) {
    snprintf(error, TestErrorSize, "%.300s: %s", r->folder, strerror(errno));
    return ClusterFailed;
  }
  if (strlen(folder) >= sizeof r->folder) {
    snprintf(error, TestErrorSize, "%.300s: the path is too long", folder);
    free(folder);
    return ClusterFailed;
  }
  bool ok = deal(c, r, error) && write_script(r, script, sizeof script, error);
  slurm_submitted_e end =
      ok ? slurm_submit(c->options, name, folder, script, r->count, error) : SlurmOk;
  free(folder);
  if (ok && end != SlurmOk) {
    mark_over(r);
  }
  return !ok ? ClusterFailed : end == SlurmOk ? ClusterOk
         : end == SlurmRefused ? ClusterRefused : ClusterLacking;
}

// What a task said last, of the first that said anything.
static void last_words(const round_t *r, char *text, size_t size) {
  text[0] = '\0';
  for (uint32_t i = 0; !text[0] && i < r->count; i++) {
    char path[512], line[1024];
    snprintf(path, sizeof path, "%.400s/%u.out", r->folder, i);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
      line[strcspn(line, "\n")] = '\0';
      if (line[0]) {
        snprintf(text, size, "%s", line);
      }
    }
    if (f) {
      fclose(f);
    }
  }
}

// ---- The watch ----

typedef struct {
  const cluster_t *c;
  double asked, took;   // when Slurm was asked last, and how long that took
  double over;          // since when nothing runs any more; 0: something does
  uint32_t running;
  bool was_alive;       // a task waited or ran
  bool cancelled, silent;
  char reason[64];
} watch_t;

// Seconds until a shared folder shows here what another machine has written.
static double delay_of(const char *folder) {
  enum { Nfs = 0x6969 };
  struct statfs info;
  return statfs(folder, &info) == 0 && info.f_type == Nfs ? 60 : 2;
}

static void ask_slurm(watch_t *w) {
  char error[TestErrorSize] = "";
  double start = job_now();
  uint32_t running = 0, waiting = 0;
  bool answered = true;
  for (size_t i = 0; answered && i < rounds.count; i++) {
    slurm_state_t state;
    if (rounds.rounds[i].over) {
      continue;
    }
    answered = slurm_ask(rounds.rounds[i].name, &state, error);
    running += state.running;
    waiting += state.waiting;
    w->cancelled = w->cancelled || state.cancelled;
    if (state.reason[0] && strcmp(state.reason, w->reason) != 0) {
      snprintf(w->reason, sizeof w->reason, "%s", state.reason);
      fprintf(stderr, "Slurm lets %u shards wait: %s\n", state.waiting, state.reason);
    }
  }
  w->asked = job_now();
  w->took = w->asked - start;
  if (!answered && !w->silent) {
    fprintf(stderr, "Slurm does not answer: %s; waiting for it\n", error);
  }
  w->silent = !answered;
  if (answered) {
    w->running = running;
    w->was_alive = w->was_alive || running + waiting > 0;
    w->over = running + waiting > 0 ? 0 : w->over > 0 ? w->over : w->asked;
  }
}

// Until nothing is left, or nothing runs. Asking takes a twentieth of the time at most.
static bool watch(cluster_t *c, watch_t *w, char error[TestErrorSize]) {
  const double delay = delay_of(c->folder);
  *w = (watch_t){.c = c};
  while (!*c->stop) {
    double start = job_now();
    if (!merge_all(c->merge, error)) {
      return false;
    }
    double took = job_now() - start;
    c->shown(c->merge->context, w->running);
    if (count_left(c->merge) == 0 ||
        (w->over > 0 && (w->cancelled || job_now() - w->over > delay))) {
      return true;
    }
    if (job_now() - w->asked > (w->took > 0.025 ? 20 * w->took : 0.5)) {
      ask_slurm(w);
    }
    double rest = took > 0.0025 ? 20 * took : 0.05;
    nanosleep(&(struct timespec){(time_t)rest, (long)(1e9 * (rest - (double)(time_t)rest))}, NULL);
  }
  return true;
}

static bool goes_on(void) {
  bool any = false;
  for (size_t i = 0; i < rounds.count; i++) {
    any = any || !rounds.rounds[i].over;
  }
  return any;
}

static cluster_end_e run_rounds(cluster_t *c, char error[TestErrorSize]) {
  for (;;) {
    bool is_new = !goes_on();
    size_t left = count_left(c->merge), now;
    watch_t w;
    if (left == 0 || *c->stop) {
      return ClusterOk;
    }
    cluster_end_e end = is_new ? submit(c, error) : ClusterOk;
    if (end != ClusterOk) {
      return end;
    }
    if (!watch(c, &w, error)) {
      return ClusterFailed;
    }
    now = count_left(c->merge);
    cancel_all();
    // (One that was cancelled before this regression went on with it is followed by the next.)
    if (now > 0 && !*c->stop && w.cancelled && (is_new || w.was_alive)) {
      snprintf(error, TestErrorSize, "the job array was cancelled after %zu of %zu tests; --resume "
               "goes on", c->merge->list->count - now, c->merge->list->count);
      return ClusterFailed;
    }
    if (now == left && is_new && !*c->stop) {
      char words[256];
      last_words(&rounds.rounds[rounds.count - 1], words, sizeof words);
      snprintf(error, TestErrorSize, "%.160s: the shards ended without a test finished: %.256s",
               c->folder, words[0] ? words : "they left nothing there; expected a folder that all "
               "nodes share and may write to");
      return ClusterFailed;
    }
  }
}

cluster_end_e cluster_run(cluster_t *c, char error[TestErrorSize]) {
  cluster_end_e end = run_rounds(c, error);
  cancel_all();
  free_rounds();
  return end;
}
