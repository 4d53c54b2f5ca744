// SPDX-License-Identifier: Apache-2.0
// Test plans: for each unit the features that its specification asks for, the tests that show them,
// and the cover points that must be hit. docs/how-to/coverage.md has the format.
//
//   unit: draw_scheduler
//   files: [rtl/chopin/draw_scheduler.sv]
//   toggle: ["NumGpus=8 CountWidth=10 ..."]
//   features:
//     - name: tie
//       shows: Among equals the first after the GPU chosen last.
//       tests: [draw_scheduler-*]
//       cover: [tie_goes_around]
//
// The points are `NAME: cover property` in tb/units/UNIT/cover.svh; that file and the plan must
// name the same ones.
#ifndef NOCTURNE_REGRESS_COVERAGE_PLAN_H
#define NOCTURNE_REGRESS_COVERAGE_PLAN_H

#include "csim/base/yaml_file.h"
#include "test_list.h"

typedef struct {
  const char *name, *shows;
  const char *tests[YamlMaxWords];  // shell patterns for names of the lists' tests; NULL at the end
  const char *cover[YamlMaxWords];
} plan_feature_t;

typedef struct {
  char *path;
  yaml_file_t file;
  const char *unit;
  const char *files[YamlMaxWords];   // shell patterns: the RTL that counts for this unit
  const char *toggle[YamlMaxWords];  // parameter sets in which toggles are measured
  plan_feature_t *features;
  uint32_t feature_count;
  const char
      *base;       // of a unit from outside the tree: the folder that files are named from; or NULL
  char *own_unit;  // owned: the unit's name where there is no file
} coverage_plan_t;

// A unit from outside the tree.
typedef struct {
  const char *unit;    // its name
  const char *base;    // its page's folder, absolute: files are named from there
  const char *plan;    // NULL: all its RTL counts, and there are no features
  const char *points;  // the file of its cover points, which need not be there
  const char *top;     // the generated top
} coverage_outside_t;

typedef struct {
  coverage_plan_t *plans;  // by name of the file
  size_t count;
} coverage_plans_t;

// Reads FOLDER/*/plan.yaml. Refuses a test that no list has, a cover point that is not in the
// unit's file, and one there that no feature names. coverage_plans_free in any case.
bool coverage_plans_load(coverage_plans_t *plans, const char *folder, const test_list_t *list,
                         err_t *err);
// Makes the one plan of a unit from outside. coverage_plans_free in any case.
bool coverage_plans_outside(coverage_plans_t *plans, const coverage_outside_t *unit,
                            const test_list_t *list, err_t *err);
void coverage_plans_free(coverage_plans_t *plans);

#endif
