// SPDX-License-Identifier: Apache-2.0
#include "folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

// The command line of this process, for others to read.
static void own_command(char *text, size_t size) {
  FILE *f = fopen("/proc/self/cmdline", "r");
  size_t n = f ? fread(text, 1, size - 1, f) : 0;
  if (f) {
    fclose(f);
  }
  while (n > 0 && text[n - 1] == '\0') {
    n--;
  }
  for (size_t i = 0; i < n; i++) {
    text[i] = text[i] < ' ' || text[i] > '~' ? ' ' : text[i];
  }
  text[n] = '\0';
}

static void say_who(int lock) {
  char host[128] = "", since[32] = "", command[256], text[512];
  struct tm when;
  time_t now = time(NULL);
  gethostname(host, sizeof host - 1);
  if (localtime_r(&now, &when)) {
    strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S", &when);
  }
  own_command(command, sizeof command);
  int n = snprintf(text, sizeof text, "process %ld on %s since %s: %s", (long)getpid(), host,
                   since, command);
  // Who waits for it only learns less if this fails.
  if (ftruncate(lock, 0) == 0 && pwrite(lock, text, (size_t)n, 0) < 0) {
    errno = 0;
  }
}

int folder_lock(const char *folder, bool *is_held, char error[TestErrorSize]) {
  char path[512], who[400] = "another process";
  *is_held = false;
  snprintf(path, sizeof path, "%.400s/lock", folder);
  int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) {
    snprintf(error, TestErrorSize, "%.300s: %s", path, strerror(errno));
    return -1;
  }
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
    say_who(lock);
    return lock;
  }
  ssize_t n = pread(lock, who, sizeof who - 1, 0);
  if (n > 0) {
    who[n] = '\0';
  }
  *is_held = true;
  snprintf(error, TestErrorSize, "%.120s: in use by %.330s; expected another --folder", folder,
           who);
  close(lock);
  return -1;
}

void folder_unlock(int lock) {
  if (lock >= 0) {
    close(lock);
  }
}
