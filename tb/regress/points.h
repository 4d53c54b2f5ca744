// SPDX-License-Identifier: Apache-2.0
// Coverage points of a unit, read from what its models left (tb/harness/coverage.h), all parameter
// sets together.
//
//   line    a block of statements or a branch; one point wherever its module is used in the unit
//   toggle  a bit of a signal in one instance of its module
//   user    a named cover property
#ifndef NOCTURNE_REGRESS_POINTS_H
#define NOCTURNE_REGRESS_POINTS_H

#include "coverage_plan.h"

typedef enum { PointLine, PointToggle, PointUser, PointKinds } point_kind_e;

typedef struct {
  char *key;          // what tells it from others
  char *file, *name;  // name: if, else, case ...; signal and bit; label
  char *lines;        // of a block: "12,15-17"
  char *instance;
  uint32_t line;
  point_kind_e kind;
  uint64_t count;
  const void *excluded;  // by whom, or NULL
} point_t;

typedef struct {
  point_t *points;  // by key
  size_t count;
} points_t;

const char *point_kind_name(point_kind_e kind);

// Adds the points of FOLDER/UNIT/*.dat whose files the plan counts; without the folder there are
// none. points_free in any case.
bool points_load(points_t *points, const coverage_plan_t *plan, const char *folder, err_t *err);
void points_free(points_t *points);

#endif
