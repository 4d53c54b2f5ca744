// SPDX-License-Identifier: Apache-2.0
#include "guard.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TicksEachSecond = 4, DefaultSeconds = 10, StackBytes = 65536 };

static const int Crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { CrashCount = sizeof Crashes / sizeof *Crashes };

// The ticks are those of the calling thread's processor time.
static struct {
  bool has_begun;
  pthread_t thread;
  sigjmp_buf jump;
  volatile sig_atomic_t inside;
  volatile uint64_t calls;
  uint64_t call;         // in which the last tick fell
  uint32_t ticks, most;  // in this call
  struct sigaction before[CrashCount];
} guard;

static bool is_ours(void) { return guard.inside && pthread_equal(pthread_self(), guard.thread); }

// A crash elsewhere happens again when this returns, with what was to be done about it before.
static void on_crash(int number) {
  if (is_ours()) {
    siglongjmp(guard.jump, number);
  }
  for (size_t i = 0; i < CrashCount; i++) {
    if (Crashes[i] == number) {
      sigaction(number, &guard.before[i], NULL);
    }
  }
  if (number == SIGABRT) {
    raise(number);
  }
}

static void on_tick(int number) {
  if (!is_ours()) {
    return;
  }
  guard.ticks = guard.call == guard.calls ? guard.ticks + 1 : 0;
  guard.call = guard.calls;
  if (guard.ticks > guard.most) {
    siglongjmp(guard.jump, number);
  }
}

static void on_exit_call(void) {
  if (is_ours()) {
    fprintf(stderr, "nocturne: a library of your own ended the process\n");
    _exit(1);
  }
}

static void start_ticks(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM};
  const long step = 1000000000 / TicksEachSecond;
  const struct itimerspec every = {{0, step}, {0, step}};
  timer_t timer;
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0) {
    timer_settime(timer, 0, &every, NULL);
  }
}

void guard_begin(void) {
  // A stack of its own, for a library that has used up the other one.
  static char stack[StackBytes];
  if (guard.has_begun) {
    return;
  }
  guard.has_begun = true;
  guard.thread = pthread_self();
  const char *seconds = getenv("NOCTURNE_CALL_SECONDS");
  const long limit = seconds ? strtol(seconds, NULL, 10) : 0;
  guard.most = (uint32_t)(limit > 0 ? limit : DefaultSeconds) * TicksEachSecond;
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER};
  for (size_t i = 0; i < CrashCount; i++) {
    sigaction(Crashes[i], &action, &guard.before[i]);
  }
  action = (struct sigaction){.sa_handler = on_tick, .sa_flags = SA_ONSTACK | SA_RESTART};
  sigaction(SIGVTALRM, &action, NULL);
  atexit(on_exit_call);
  start_ticks();
}

const char *guard_call(void (*function)(void *context), void *context) {
  static char text[80];
  guard.calls++;
  // The mask is not kept, which would be a system call; a tick is unblocked by hand.
  const int number = sigsetjmp(guard.jump, 0);
  if (number == 0) {
    guard.inside = 1;
    function(context);
    guard.inside = 0;
    return NULL;
  }
  guard.inside = 0;
  if (number == SIGVTALRM) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    snprintf(text, sizeof text, "did not return in %u s of processor time",
             guard.most / TicksEachSecond);
  } else {
    snprintf(text, sizeof text, "crashed (%s)", strsignal(number));
  }
  return text;
}
