// SPDX-License-Identifier: Apache-2.0
// Calls functions of a user's library so that a crash or an endless loop in one of them is a
// failure of the library and not the end of the process.
//
// One thread makes guarded calls, that of guard_begin. Signals are caught only while such a call
// runs; at all other times they do what they did before.
#ifndef NOCTURNE_HARNESS_GUARD_H
#define NOCTURNE_HARNESS_GUARD_H

#include <stdbool.h>

// Prepares for calls from this thread. Later calls do nothing.
void guard_begin(void);

// Calls function(context). Returns NULL, or how it ended: a crash by the signal's name, or more
// processor time than NOCTURNE_CALL_SECONDS of the environment (10).
const char *guard_call(void (*function)(void *context), void *context);

#endif
