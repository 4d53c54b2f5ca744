// SPDX-License-Identifier: Apache-2.0
// A regression's tests on a cluster: dealt into shards, which Slurm runs as the tasks of a job
// array, and merged as they finish (docs/cluster.md). Files, in FOLDER/slurm:
//
//   ARRAY/TASK.jobs ...  of each task: tb/regress/shard.h
//   ARRAY/TASK.out       what it printed
//   ARRAY/over           the array is over, or nobody wants more of it
//
// An array is called as its folder. One that leaves tests over (nodes were lost, a time limit
// passed) is followed by another one, with what is left, as long as each finishes some.
#ifndef NOCTURNE_REGRESS_CLUSTER_H
#define NOCTURNE_REGRESS_CLUSTER_H

#include <signal.h>

#include "merge.h"
#include "schedule.h"
#include "slurm.h"

typedef struct {
  const slurm_options_t *options;
  const char *folder;                // the regression's
  const schedule_t *schedule;
  merge_t *merge;
  const volatile sig_atomic_t *stop; // not 0: end, and cancel what waits or runs
  void (*shown)(void *context, uint32_t running);  // called often, with merge's context
} cluster_t;

typedef enum { ClusterOk, ClusterFailed, ClusterRefused, ClusterLacking } cluster_end_e;

// Runs all tests that are left, after cluster_take_over. It goes on with an array that is under
// way. One line in error unless ClusterOk, which also is the end by stop.
cluster_end_e cluster_run(cluster_t *cluster, char error[TestErrorSize]);

// Takes what arrays before have finished, those of a regression that was killed too. They go on if
// `go_on`. False with one line in error.
bool cluster_take_over(cluster_t *cluster, bool go_on, char error[TestErrorSize]);

// Ends arrays of the folder that still run, and removes what they wrote.
bool cluster_clear(const char *folder, char error[TestErrorSize]);

#endif
