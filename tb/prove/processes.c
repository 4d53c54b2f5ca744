// SPDX-License-Identifier: Apache-2.0
#include "processes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault.h"

enum { Passed = 0, Failed = 99 };

struct process {  // in memory that both sides see, but for the file and the process
  uint64_t counted;
  off_t said;  // bytes, before the explanation; -1: all
  FILE *file;
  pid_t process;
  bool has_ended, ok;
};

void process_is_refuted(process_t *job) {
  fflush(stdout);
  job->said = lseek(STDOUT_FILENO, 0, SEEK_CUR);
}

void process_count(process_t *job, uint64_t n) { job->counted += n; }

static void start(process_t *job, uint32_t number, process_run_t *run, const void *context) {
  job->said = -1;
  job->file = tmpfile();
  fflush(stdout);
  const pid_t process = job->file ? fork() : -1;
  if (process < 0) {
    fault(FaultLacking, "no process for a part of the proof: %s", strerror(errno));
  }
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(fileno(job->file), STDOUT_FILENO);
    const bool ok = run(job, context, number);
    fflush(stdout);
    _exit(ok ? Passed : Failed);
  }
  job->process = process;  // (the child sees this memory, too)
}

static void print(const process_t *job, off_t from, off_t to) {
  char bytes[4096];
  size_t count;
  fseeko(job->file, from, SEEK_SET);
  while (from != to && (count = fread(bytes, 1, sizeof bytes, job->file)) > 0) {
    count = to >= 0 && (off_t)count > to - from ? (size_t)(to - from) : count;
    fwrite(bytes, 1, count, stdout);
    from += (off_t)count;
  }
  fflush(stdout);
}

// One that has ended; returns its number.
static uint32_t wait_for_one(process_t *list, uint32_t count, uint32_t last) {
  int status;
  const pid_t process = wait(&status);
  uint32_t i = 0;
  while (i < count && list[i].process != process) {
    i++;
  }
  if (i == count) {
    fault(FaultLacking, "a part of the proof was lost: %s", strerror(errno));
  }
  list[i].has_ended = true;
  list[i].ok = WIFEXITED(status) && WEXITSTATUS(status) == Passed;
  const bool has_answer = list[i].ok || (WIFEXITED(status) && WEXITSTATUS(status) == Failed);
  if (!has_answer && i < last) {
    if (WIFEXITED(status)) {
      exit(WEXITSTATUS(status));  // it has said why
    }
    fault(FaultLacking, "a part of the proof ended by signal %d", WTERMSIG(status));
  }
  return i;
}

void processes_run(processes_t *jobs, uint32_t count, uint32_t at_once, process_run_t *run,
                   const void *context) {
  process_t *list = mmap(NULL, (count + 1) * sizeof *list, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (list == MAP_FAILED) {
    fault(FaultLacking, "out of memory");
  }
  uint32_t started = 0, running = 0, printed = 0, last = count;  // none after last counts
  while (running || (started < count && started < last)) {
    while (running < at_once && started < count && started < last) {
      start(&list[started], started, run, context);
      started++;
      running++;
    }
    const uint32_t ended = wait_for_one(list, started, last);
    running--;
    if (!list[ended].ok && ended < last) {
      last = ended;
      for (uint32_t i = last + 1; i < started; i++) {
        if (!list[i].has_ended) {
          kill(list[i].process, SIGKILL);
        }
      }
    }
    while (printed < started && printed <= last && list[printed].has_ended) {
      print(&list[printed], 0, list[printed].said);
      jobs->counted += list[printed++].counted;
    }
  }
  jobs->mapped = list;
  jobs->count = count;
  jobs->first_failed = last < count ? &list[last] : NULL;
}

void processes_explain(const processes_t *jobs) {
  const process_t *job = jobs->first_failed;
  if (job && job->said >= 0) {
    print(job, job->said, -1);
  }
}

void processes_destroy(processes_t *jobs) {
  process_t *list = jobs->mapped;
  for (uint32_t i = 0; i < jobs->count; i++) {
    if (list[i].file) {
      fclose(list[i].file);
    }
  }
  munmap(list, (jobs->count + 1) * sizeof *list);
}
