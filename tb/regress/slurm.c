// SPDX-License-Identifier: Apache-2.0
#include "slurm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tb/harness/shell.h"

// Runs a command line; all that it prints, cut to size. Its exit status, or -1.
static int ask(const char *command, char *text, size_t size) {
  char rest[4096];
  size_t n, used = 0;
  FILE *pipe = popen(command, "r");
  text[0] = '\0';
  if (!pipe) {
    return -1;
  }
  while ((n = fread(text + used, 1, size - 1 - used, pipe)) > 0) {
    used += n;
  }
  text[used] = '\0';
  while (fread(rest, 1, sizeof rest, pipe) > 0) {
  }
  int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What Slurm complains of, in one line: "sbatch: error: A", "sbatch: error: B" give "A; B".
static void complaint(const char *text, char *line, size_t size) {
  size_t used = 0;
  line[0] = '\0';
  while (*text) {
    size_t length = strcspn(text, "\n");
    const char *from = text, *colon = strstr(text, "error: ");
    if (colon && colon < text + length) {
      from = colon + 7;
    }
    int n = snprintf(line + used, size - used, "%s%.*s", used ? "; " : "",
                     (int)(text + length - from), from);
    used = n > 0 && used + (size_t)n < size ? used + (size_t)n : size - 1;
    text += length + (text[length] == '\n');
  }
}

static size_t add(char *command, size_t size, size_t used, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static size_t add(char *command, size_t size, size_t used, const char *format, ...) {
  char word[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(word, sizeof word, format, arguments);
  va_end(arguments);
  return shell_add(command, size, used, word);
}

static void say_missing(char error[TestErrorSize]) {
  snprintf(error, TestErrorSize, "Slurm is missing; install it with: apt-get install slurm-wlm, "
           "or leave out --slurm");
}

static void say_silent(const char *said, char error[TestErrorSize]) {
  snprintf(error, TestErrorSize, "Slurm does not answer: %.300s; `sinfo` must", said);
}

bool slurm_answers(char error[TestErrorSize]) {
  char text[2048], said[400];
  int status = ask("sinfo --noheader 2>&1", text, sizeof text);
  complaint(text, said, sizeof said);
  if (status == 127) {
    say_missing(error);
  } else if (status != 0) {
    say_silent(said, error);
  }
  return status == 0;
}

slurm_submitted_e slurm_submit(const slurm_options_t *o, const char *name, const char *folder,
                               const char *script, uint32_t count, char error[TestErrorSize]) {
  char command[8192] = "", text[2048], here[512], said[400];
  size_t used = 0, size = sizeof command - 8;
  if (!getcwd(here, sizeof here)) {
    snprintf(error, TestErrorSize, "the working folder has no path");
    return SlurmLacking;
  }
  used = shell_add(command, size, used, "sbatch");
  used = shell_add(command, size, used, "--parsable");
  used = shell_add(command, size, used, "--requeue");
  used = shell_add(command, size, used, "--ntasks=1");
  used = add(command, size, used, "--job-name=%s", name);
  used = add(command, size, used, "--chdir=%s", here);
  used = add(command, size, used, "--output=%s/%%a.out", folder);
  used = shell_add(command, size, used, "--open-mode=append");
  used = o->at_a_time ? add(command, size, used, "--array=0-%u%%%u", count - 1, o->at_a_time)
                      : add(command, size, used, "--array=0-%u", count - 1);
  used = o->partition ? add(command, size, used, "--partition=%s", o->partition) : used;
  used = o->time ? add(command, size, used, "--time=%s", o->time) : used;
  used = o->memory ? add(command, size, used, "--mem=%s", o->memory) : used;
  for (uint32_t i = 0; i < o->other_count; i++) {
    used = shell_add(command, size, used, o->others[i]);
  }
  used = shell_add(command, size, used, script);
  snprintf(command + used, sizeof command - used, " 2>&1");
  int status = ask(command, text, sizeof text);
  if (status == 0) {
    return SlurmOk;
  }
  complaint(text, said, sizeof said);
  if (status == 127) {
    say_missing(error);
    return SlurmLacking;
  }
  // No controller, or no configuration of one: nothing was asked of a cluster.
  bool silent = strstr(said, "contact slurm controller") || strstr(said, "configuration source") ||
                strstr(said, "Unable to connect") || strstr(said, "nable to process configuration");
  if (silent) {
    say_silent(said, error);
  } else {
    snprintf(error, TestErrorSize, "sbatch refuses: %.300s; `sinfo` shows what there is", said);
  }
  return silent ? SlurmLacking : SlurmRefused;
}

static bool is_one_of(const char *word, const char *const *words) {
  while (*words && strcmp(word, *words) != 0) {
    words++;
  }
  return *words != NULL;
}

bool slurm_ask(const char *name, slurm_state_t *state, char error[TestErrorSize]) {
  static const char *const Ended[] = {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED",
                                      "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",
                                      "TIMEOUT", NULL};
  static const char *const Usual[] = {"None", "Resources", "Priority", "BeginTime", "Cleaning",
                                      "JobArrayTaskLimit", NULL};
  static char text[1 << 18];  // a line for each of some thousand tasks
  char command[512] = "";
  size_t used = shell_add(command, sizeof command, 0, "squeue");
  used = shell_add(command, sizeof command, used, "--noheader");
  used = shell_add(command, sizeof command, used, "--array");
  used = shell_add(command, sizeof command, used, "--states=all");
  used = shell_add(command, sizeof command, used, "--format=%T %r");
  used = add(command, sizeof command, used, "--name=%s", name);
  snprintf(command + used, sizeof command - used, " 2>&1");
  *state = (slurm_state_t){0};
  if (ask(command, text, sizeof text) != 0) {
    complaint(text, error, TestErrorSize);
    return false;
  }
  for (char *line = text, *next; *line; line = next) {
    char word[32] = "", reason[64] = "";
    size_t length = strcspn(line, "\n");
    next = line + length + (line[length] == '\n');
    line[length] = '\0';
    if (sscanf(line, "%31s %63[^\n]", word, reason) < 1) {
      continue;
    }
    bool ended = is_one_of(word, Ended), runs = strcmp(word, "RUNNING") == 0;
    state->running += runs;
    state->waiting += !ended && !runs;
    state->cancelled = state->cancelled || strcmp(word, "CANCELLED") == 0;
    if (strcmp(word, "PENDING") == 0 && !is_one_of(reason, Usual)) {
      snprintf(state->reason, sizeof state->reason, "%s", reason);
    }
  }
  return true;
}

void slurm_cancel(const char *name) {
  char command[512] = "", text[512];
  size_t used = shell_add(command, sizeof command, 0, "scancel");
  used = add(command, sizeof command, used, "--name=%s", name);
  snprintf(command + used, sizeof command - used, " 2>&1");
  ask(command, text, sizeof text);
}

uint32_t slurm_processors(const char *partition) {
  char command[512] = "", text[4096];
  uint32_t sum = 0;
  size_t used = shell_add(command, sizeof command, 0, "sinfo");
  used = shell_add(command, sizeof command, used, "--noheader");
  used = shell_add(command, sizeof command, used, "--format=%C");
  used = partition ? add(command, sizeof command, used, "--partition=%s", partition) : used;
  snprintf(command + used, sizeof command - used, " 2>/dev/null");
  if (ask(command, text, sizeof text) != 0) {
    return 0;
  }
  // Allocated/idle/other/total, a line for each partition.
  for (const char *line = text; line; line = strchr(line, '\n')) {
    unsigned total = 0;
    line += *line == '\n';
    if (sscanf(line, "%*u/%*u/%*u/%u", &total) == 1) {
      sum = total > sum ? total : sum;
    }
  }
  return sum;
}
