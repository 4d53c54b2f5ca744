// SPDX-License-Identifier: Apache-2.0
// Slurm's commands: sbatch, squeue, scancel, sinfo. A job array is known by its name, which is this
// regression's alone; so one whose number nobody has written down is found, too.
#ifndef NOCTURNE_REGRESS_SLURM_H
#define NOCTURNE_REGRESS_SLURM_H

#include "test_list.h"

enum { SlurmMaxOptions = 16 };

typedef struct {
  const char *partition, *time, *memory;  // as sbatch takes them; NULL: Slurm's defaults
  const char *others[SlurmMaxOptions];    // further options of sbatch
  uint32_t other_count;
  uint32_t shards;                        // tasks of an array; 0: by the partition's processors
  uint32_t at_a_time;                     // 0: as many as Slurm gives
} slurm_options_t;

// Whether Slurm is installed and answers; otherwise one line in error.
bool slurm_answers(char error[TestErrorSize]);

typedef enum { SlurmOk, SlurmRefused, SlurmLacking } slurm_submitted_e;

// Submits script as an array of count tasks. What each prints goes to FOLDER/TASK.out. One line in
// error if Slurm refuses it, or is missing or does not answer (lacking).
slurm_submitted_e slurm_submit(const slurm_options_t *options, const char *name,
                               const char *folder, const char *script, uint32_t count,
                               char error[TestErrorSize]);

typedef struct {
  uint32_t waiting, running;  // tasks
  bool cancelled;             // one was
  char reason[64];            // why a task waits, if not for its turn or a place; or empty
} slurm_state_t;

// False: Slurm did not answer, the first line of what it said in error. No task of the name: it is
// over, and Slurm has forgotten it.
bool slurm_ask(const char *name, slurm_state_t *state, char error[TestErrorSize]);

void slurm_cancel(const char *name);

// Processors of the partition (NULL: of all), 0 if unknown.
uint32_t slurm_processors(const char *partition);

#endif
