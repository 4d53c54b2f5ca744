// SPDX-License-Identifier: Apache-2.0
#include "waves.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "save_file.h"

// Those that are open, for the signal handlers.
static waves_t *open_now;
static volatile sig_atomic_t interrupted;

void waves_make_folder(void) {
  mkdir("build", 0777);
  mkdir("build/waves", 0777);
}

// An FST file is a row of blocks: a type, 8 bytes of length, which counts itself. The writer
// says nothing of a full disk; the row then breaks off, or has no hierarchy.
static bool is_whole_fst(const char *path) {
  enum { BlockHierarchy = 4, BlockHierarchyLz4 = 6, BlockHierarchyLz4Duo = 7, BlockSkip = 255 };
  FILE *file = fopen(path, "rb");
  bool has_hierarchy = false;
  long at = 0, size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  uint8_t head[9];
  while (at < size && fseek(file, at, SEEK_SET) == 0 && fread(head, sizeof head, 1, file) == 1 &&
         head[0] != BlockSkip) {
    uint64_t length = 0;
    for (int i = 1; i < 9; i++) {
      length = length << 8 | head[i];
    }
    if (length < 8 || length > (uint64_t)size) {
      break;
    }
    has_hierarchy |= head[0] == BlockHierarchy || head[0] == BlockHierarchyLz4 ||
                     head[0] == BlockHierarchyLz4Duo;
    at += 1 + (long)length;
  }
  if (file) {
    fclose(file);
  }
  return at == size && has_hierarchy;
}

void waves_close(waves_t *w) {
  if (!w->is_open) {
    return;
  }
  w->is_open = false;
  open_now = NULL;
  const instance_t *const units[] = {w->unit};
  const failure_t *failure = w->failure->class && w->failure->unit == w->unit ? w->failure : NULL;
  w->unit->rtl.trace_close(w->unit->rtl.model);
  if (!is_whole_fst(w->path) || !save_file_write(w->path, units, 1, false, failure, w->from)) {
    err_set(&w->err, ErrCheck, "%s: the waves are incomplete: disk full?", w->path);
  }
}

// Waves survive an end from outside: a polite one waits for the end of the step, after
// a crash there is nothing to lose by trying at once.
static void on_signal(int number) {
  if (number == SIGINT || number == SIGTERM || number == SIGHUP) {
    interrupted = number;
    if (open_now) {
      return;
    }
  } else if (open_now) {
    waves_close(open_now);
  }
  signal(number, SIG_DFL);
  raise(number);
}

static void begin(waves_t *w) {
  static const int Signals[] = {SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV, SIGFPE, SIGBUS};
  waves_make_folder();
  FILE *probe = fopen(w->path, "wb");  // the writer of waves does not say why
  if (!probe) {
    err_set(&w->err, ErrCheck, "%s: the waves cannot be written: %s", w->path, strerror(errno));
    w->is_wanted = false;
    return;
  }
  fclose(probe);
  w->is_open = w->unit->rtl.trace_open(w->unit->rtl.model, w->path);
  open_now = w;
  for (size_t i = 0; i < sizeof Signals / sizeof *Signals; i++) {
    signal(Signals[i], on_signal);
  }
}

void waves_step(waves_t *w) {
  uint64_t cycle = w->unit->cycle;
  if (interrupted) {
    int number = interrupted;
    waves_close(w);
    signal(number, SIG_DFL);
    raise(number);
  }
  if (w->to != 0 && cycle > w->to) {
    waves_close(w);
    w->is_wanted = false;
  } else if (cycle >= w->from && !w->is_open) {
    begin(w);
  }
}
