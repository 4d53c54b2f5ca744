// SPDX-License-Identifier: Apache-2.0
#include "folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { CommandShown = 256, HolderShown = 512 };  // characters, for a message

// Adds the command line of this process as one line.
static void add_own_command(text_t *text) {
  char command[CommandShown];
  FILE *f = fopen("/proc/self/cmdline", "r");
  size_t n = f ? fread(command, 1, sizeof command, f) : 0;
  if (f) fclose(f);
  while (n > 0 && command[n - 1] == '\0') n--;
  for (size_t i = 0; i < n; i++) {
    text_char(text, command[i] < ' ' || command[i] > '~' ? ' ' : command[i]);
  }
}

static void say_who(int lock) {
  char host[128] = "", since[32] = "";
  text_t text = {0};
  struct tm when;
  time_t now = time(NULL);
  gethostname(host, sizeof host - 1);
  if (localtime_r(&now, &when)) strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S", &when);
  text_set(&text, "process %ld on %s since %s: ", (long)getpid(), host, since);
  add_own_command(&text);
  // Another process that wants the lock only learns less if this fails.
  if (ftruncate(lock, 0) == 0 && pwrite(lock, text_string(&text), text.length, 0) < 0) errno = 0;
  text_free(&text);
}

int folder_lock(const char *folder, err_t *err) {
  char who[HolderShown] = "another process";
  text_t path = {0};
  int lock = open(text_set(&path, "%s/lock", folder), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0) {
    err_set(err, ErrCheck, "%s: %s", text_string(&path), strerror(errno));
  } else if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
    say_who(lock);
  } else {
    ssize_t n = pread(lock, who, sizeof who - 1, 0);
    if (n > 0) who[n] = '\0';
    err_set(err, ErrInput, "%s: in use by %s; expected another --folder", folder, who);
    close(lock);
    lock = -1;
  }
  text_free(&path);
  return lock;
}

void folder_unlock(int lock) {
  if (lock >= 0) close(lock);
}
