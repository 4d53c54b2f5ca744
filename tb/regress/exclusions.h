// SPDX-License-Identifier: Apache-2.0
// The points and lines that coverage leaves out, each with its reason:
// tests/coverage/exclusions.yaml.
//
//   rtl:
//     - {kind: toggle, file: rtl/chopin/tile_map.sv, name: ["x_q[12]", "x_q[13]"], reason: ...}
//     - {kind: line, file: rtl/..., text: ["default: begin"], reason: ...}
//   c:
//     - {file: "csim/*", text: "*out of memory*", reason: ...}
//
// `*` stands for any text in file, name and text; nothing else is special. text is a line of the
// source without the blanks around it. An exclusion that leaves out nothing that was missed is
// stale, an error.
#ifndef NOCTURNE_REGRESS_EXCLUSIONS_H
#define NOCTURNE_REGRESS_EXCLUSIONS_H

#include "points.h"

typedef struct {
  const char *file, *unit, *reason;
  const char *name[YamlMaxWords], *text[YamlMaxWords];  // NULL at the end
  const yaml_node_t *at;
  bool is_c;
  int kind;         // point_kind_e, or -1: not given
  uint64_t points;  // left out by it
} exclusion_t;

typedef struct {
  char *path;
  yaml_file_t file;
  exclusion_t *list;
  uint32_t count;
  char **lines;      // of the source looked at last, without the blanks before them
  char *text;        // that source
  char *source;      // its path
  const char *base;  // the folder that files are named from; NULL: the working folder
  size_t line_count;
} exclusions_t;

// Reads the file; exclusions_free in any case.
bool exclusions_load(exclusions_t *e, const char *path, err_t *err);
void exclusions_free(exclusions_t *e);

// Returns the exclusion of a missed point or line, and counts it; NULL: none.
const exclusion_t *exclusions_of_point(exclusions_t *e, const char *unit, const point_t *point);
const exclusion_t *exclusions_of_line(exclusions_t *e, const char *file, uint32_t line);

// Complains of the first one that left out nothing; of those of C only with_c.
bool exclusions_are_fresh(exclusions_t *e, bool with_c, err_t *err);

#endif
