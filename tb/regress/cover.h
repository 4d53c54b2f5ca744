// SPDX-License-Identifier: Apache-2.0
// Measures what a regression covered, against the plans, the exclusions and the thresholds.
#ifndef NOCTURNE_REGRESS_COVER_H
#define NOCTURNE_REGRESS_COVER_H

#include <jansson.h>

#include "exclusions.h"

// Thresholds in percent. In each unit all lines, and CoverToggle of the toggles, must be covered or
// excluded. Over all the RTL, CoverToggle of the toggles must be covered, where excluded ones count
// as missed, and at most CoverExcluded of the points of a kind may be excluded.
enum { CoverLine = 100, CoverToggle = 98, CoverC = 90, CoverExcluded = 2 };

typedef struct {
  uint64_t hit, excluded, total;
} tally_t;

typedef struct {
  const coverage_plan_t *plan;
  points_t points;
  tally_t tally[PointKinds];
  uint64_t bare;  // features
} cover_unit_t;

typedef struct {
  char *path;
  uint32_t *line;
  uint64_t *count;
  bool *excluded;
  size_t lines;
  tally_t tally;
} cover_file_t;

typedef struct {
  coverage_plans_t plans;
  exclusions_t exclusions;
  cover_unit_t *units;  // one for each plan
  cover_file_t *files;  // of C
  size_t file_count;
  tally_t rtl[PointKinds], c;
  const char *base;  // of a unit from outside: its folder, and nothing is said of the tree; or NULL
  json_t *tests;     // name: [passed, failed]
  json_t *complaints;  // texts
} cover_t;

typedef struct {
  const char *plans, *exclusions;     // folder; file, or NULL: none
  const char *data;                   // folder of the units' points
  const char *results;                // results.json of the regression
  const char *c;                      // lcov's tracefile of the C, or NULL: C is not judged
  const coverage_outside_t *outside;  // one unit from outside the tree in place of plans, or NULL
} cover_options_t;

// Reads plans and exclusions only. cover_free in any case.
bool cover_check(cover_t *cover, const cover_options_t *options, const test_list_t *list,
                 err_t *err);
// Reads and judges all: it passes if there are no complaints. Returns false if something cannot be
// read. cover_free in any case.
bool cover_measure(cover_t *cover, const cover_options_t *options, const test_list_t *list,
                   err_t *err);
void cover_free(cover_t *cover);

// Finds out why a feature is bare: no tests, no cover points, a test that failed or did not run, a
// point that was not hit. Returns false, and leaves why, if it is not.
bool cover_is_bare(const cover_t *cover, const cover_unit_t *unit, const plan_feature_t *feature,
                   text_t *why);
// Counts the passed and failed tests of a pattern.
void cover_tests(const cover_t *cover, const char *pattern, uint64_t *passed, uint64_t *failed);
// Returns how often a point was hit.
uint64_t cover_count(const cover_unit_t *unit, const char *point);

// Writes where a file is that a point or a line of C names.
const char *cover_path(const cover_t *cover, const char *file, text_t *path);

// Returns part of a whole in percent; of nothing, 100.
double cover_percent(uint64_t part, uint64_t whole);

// Prints a table, the bare features, the first missed points and the complaints.
void cover_print(const cover_t *cover, uint32_t most_missed);
// Writes FOLDER/summary.json, plan.json and coverage.info (for genhtml).
bool cover_write(const cover_t *cover, const char *folder, err_t *err);

#endif
