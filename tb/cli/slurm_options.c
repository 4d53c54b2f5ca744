// SPDX-License-Identifier: Apache-2.0
#include "slurm_options.h"

#include <stdio.h>

#include "cli.h"

bool slurm_option(slurm_given_t *g, int key, char *text, struct argp_state *state) {
  static const char *const Names[] = {"--slurm", "--partition", "--time", "--memory", "--shards",
                                      "--sbatch"};
  if (key < KeySlurm || key > KeySbatch) {
    return false;
  }
  if (key != KeySlurm && !g->first) {
    g->first = Names[key - KeySlurm];
  }
  switch (key) {
    case KeySlurm: g->wanted = true; break;
    case KeyPartition: g->slurm.partition = text; break;
    case KeyTime: g->slurm.time = text; break;
    case KeyMemory: g->slurm.memory = text; break;
    case KeyShards: g->slurm.shards = (uint32_t)cli_number(state, "--shards", text, 1, 1000); break;
    default:
      if (g->slurm.other_count == SlurmMaxOptions) {
        argp_error(state, "more than %d --sbatch", SlurmMaxOptions);
      }
      g->slurm.others[g->slurm.other_count++] = text;
  }
  return true;
}

uint32_t slurm_words(const slurm_given_t *g, const char **words, uint32_t n) {
  static char shards[16];
  snprintf(shards, sizeof shards, "%u", g->slurm.shards);
  const char *const pairs[][2] = {{"--partition", g->slurm.partition},
                                  {"--time", g->slurm.time},
                                  {"--memory", g->slurm.memory},
                                  {"--shards", g->slurm.shards ? shards : NULL}};
  if (g->wanted) {
    words[n++] = "--slurm";
  }
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    if (pairs[i][1]) {
      words[n++] = pairs[i][0];
      words[n++] = pairs[i][1];
    }
  }
  for (uint32_t i = 0; i < g->slurm.other_count; i++) {
    words[n++] = "--sbatch";
    words[n++] = g->slurm.others[i];
  }
  return n;
}

const slurm_options_t *slurm_chosen(slurm_given_t *g, uint32_t jobs, struct argp_state *state) {
  if (!g->wanted && g->first) {
    argp_error(state, "%s: expected --slurm beside it", g->first);
  }
  g->slurm.at_a_time = jobs;
  return g->wanted ? &g->slurm : NULL;
}
