// SPDX-License-Identifier: Apache-2.0
// Coverage points of a unit, read from what its models left (tb/harness/coverage.h), all parameter
// sets together.
//
//   line    a block of statements or a branch; one point wherever its module is used in the unit
//   toggle  a bit of a signal in one instance of its module
//   user    a named cover property
#ifndef NOCTURNE_COVER_POINTS_H
#define NOCTURNE_COVER_POINTS_H

#include <stdint.h>

#include "coverage_plan.h"

typedef enum { PointLine, PointToggle, PointUser, PointKinds } point_kind_e;

typedef struct {
  char *key;           // what makes it different from others
  char *file, *name;   // name: if, else, case ...; signal and bit; label
  char *lines;         // of a block: "12,15-17"
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

// Adds all of FOLDER/UNIT/*.dat, as far as the plan counts their files. No folder: no points.
// False with one line in error.
bool points_load(points_t *points, const coverage_plan_t *plan, const char *folder,
                 char error[YamlErrorSize]);
void points_free(points_t *points);

#endif
