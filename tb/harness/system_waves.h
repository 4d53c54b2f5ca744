// Waves of all units together. docs/waves.md
#ifndef NOCTURNE_HARNESS_SYSTEM_WAVES_H
#define NOCTURNE_HARNESS_SYSTEM_WAVES_H

#include "lockstep.h"

typedef struct system_waves system_waves_t;

// Cycles from to to (0: no end) into the VCD file path, which is kept. NULL: errno says why.
system_waves_t *system_waves_open(const char *path, uint64_t from, uint64_t to);

// A unit, before the first step of any.
void system_waves_add(system_waves_t *waves, const lockstep_t *unit);

// A step in unit->cycle: its inputs, the outputs that they met, and those that followed.
void system_waves_step(system_waves_t *waves, const lockstep_t *unit, const void *in,
                       const void *before, const void *after);

// Ends and frees it; writes the save file. The units must still exist. False: incomplete.
bool system_waves_close(system_waves_t *waves, const lockstep_failure_t *failure);

#endif
