// SPDX-License-Identifier: Apache-2.0
// The options of commands that can run their jobs on a cluster.
#ifndef NOCTURNE_CLI_SLURM_OPTIONS_H
#define NOCTURNE_CLI_SLURM_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "tb/regress/slurm.h"

enum { KeySlurm = 640, KeyPartition, KeyTime, KeyMemory, KeyShards, KeySbatch };

// For the command's options.
#define SLURM_OPTIONS                                                                             \
  {"slurm", KeySlurm, NULL, 0, "on a cluster, as a job array (docs/cluster.md)", 2},              \
  {"partition", KeyPartition, "NAME", 0, "with --slurm: for sbatch", 2},                          \
  {"time", KeyTime, "TIME", 0, "with --slurm: limit of a shard, for sbatch", 2},                  \
  {"memory", KeyMemory, "SIZE", 0, "with --slurm: of a shard, for sbatch (--mem)", 2},            \
  {"shards", KeyShards, "N", 0, "with --slurm: tasks of the array (four for each processor)", 2}, \
  {"sbatch", KeySbatch, "OPTION", 0, "with --slurm: another one for sbatch; may be repeated", 2}

typedef struct {
  slurm_options_t slurm;
  bool wanted;        // --slurm
  const char *first;  // of the others that was given, or NULL
} slurm_given_t;

// False: none of them.
bool slurm_option(slurm_given_t *given, int key, char *text, struct argp_state *state);

// The same options for another command: appends them to words, of which there are count; returns
// how many there are then, at most 2 * SlurmMaxOptions + 9 more.
uint32_t slurm_words(const slurm_given_t *given, const char **words, uint32_t count);

// At the end of the command line. jobs: -j, 0 if it was not given. The options, or NULL without
// --slurm.
const slurm_options_t *slurm_chosen(slurm_given_t *given, uint32_t jobs, struct argp_state *state);

#endif
