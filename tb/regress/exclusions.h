// SPDX-License-Identifier: Apache-2.0
// What coverage leaves out, each with its reason: tests/coverage/exclusions.yaml.
//
//   rtl:
//     - {kind: toggle, file: rtl/chopin/tile_map.sv, name: ["x_q[12]", "x_q[13]"], reason: ...}
//     - {kind: line, file: rtl/..., text: ["default: begin"], reason: ...}
//   c:
//     - {file: "csim/*", text: "*out of memory*", reason: ...}
//
// `*` stands for any text in file, name and text; nothing else is special. text is a line of the
// source without the blanks around it. An exclusion that leaves out nothing that was missed is an
// error: it is stale.
#ifndef NOCTURNE_COVER_EXCLUSIONS_H
#define NOCTURNE_COVER_EXCLUSIONS_H

#include "points.h"

typedef struct {
  const char *file, *unit, *reason;
  const char *name[YamlMaxWords], *text[YamlMaxWords];  // NULL at the end
  const yaml_node_t *at;
  bool is_c;
  point_kind_e kind;
  uint64_t points;  // left out by it
} exclusion_t;

typedef struct {
  char *path;
  yaml_file_t file;
  exclusion_t *list;
  size_t count;
} exclusions_t;

bool exclusions_load(exclusions_t *e, const char *path, char error[YamlErrorSize]);
void exclusions_free(exclusions_t *e);

// The exclusion of a missed point or line, or NULL; counts it.
const exclusion_t *exclusions_of_point(exclusions_t *e, const char *unit, const point_t *point);
const exclusion_t *exclusions_of_line(exclusions_t *e, const char *file, uint32_t line);

// False with a complaint of the first one that left out nothing. Those of C are judged with_c only.
bool exclusions_are_fresh(const exclusions_t *e, bool with_c);

#endif
