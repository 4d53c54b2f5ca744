// SPDX-License-Identifier: Apache-2.0
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int status_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Ends with its parent: a killed command leaves nothing behind.
_Noreturn static void become(const char *const *arguments, const char *const *environment,
                             const char *output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) {
    _exit(SpawnMissing);
  }
  const int in = open("/dev/null", O_RDONLY);
  const int out = output ? open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666) : STDOUT_FILENO;
  const int err = output ? out : STDERR_FILENO;
  if (in < 0 || out < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
      dup2(err, STDERR_FILENO) < 0) {
    _exit(SpawnMissing);
  }
  for (size_t i = 0; environment && environment[i]; i++) {
    putenv((char *)environment[i]);
  }
  execvp(arguments[0], (char *const *)arguments);
  fprintf(stderr, "%s: %s\n", arguments[0], strerror(errno));
  _exit(SpawnMissing);
}

int spawn_run(const char *const *arguments, const char *const *environment, const char *output) {
  int status;
  fflush(NULL);
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    become(arguments, environment, output, parent);
  }
  if (pid < 0) {
    return SpawnMissing;
  }
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) {
      return SpawnMissing;
    }
  }
  return status_of(status);
}

int spawn_read(const char *line, text_t *text) {
  char part[4096];
  fflush(NULL);
  FILE *pipe = popen(line, "r");
  if (!pipe) {
    return SpawnMissing;
  }
  for (size_t n = fread(part, 1, sizeof part, pipe); n > 0; n = fread(part, 1, sizeof part, pipe)) {
    text_bytes(text, part, n);
  }
  return status_of(pclose(pipe));
}

bool spawn_has(const char *program) {
  const char *path = getenv("PATH");
  for (const char *part = path; part && *part; part += *part == ':') {
    const size_t length = strcspn(part, ":");
    char *file = text_make("%.*s/%s", (int)length, part, program);
    const bool found = file && access(file, X_OK) == 0;
    free(file);
    if (found) {
      return true;
    }
    part += length;
  }
  return false;
}

const char *spawn_self(void) {
  static char self[PATH_MAX];
  if (!self[0] && !realpath("/proc/self/exe", self)) {
    snprintf(self, sizeof self, "build/nocturne");
  }
  return self;
}
