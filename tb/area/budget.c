// SPDX-License-Identifier: Apache-2.0
#include "budget.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/text.h"
#include "csim/base/yaml_file.h"

typedef enum { AtMost, AtLeast, Exactly } sense_e;

// In the order of the file's text: measured, then the limit.
static const struct {
  const char *name;
  sense_e sense;
} Figures[] = {{"paper_bits", Exactly},       {"storage_bits", AtMost}, {"flip_flops", AtMost},
               {"area_um2_osu018", AtMost},   {"clock_mhz_osu018", AtLeast}};
enum { FigureCount = sizeof Figures / sizeof *Figures };

static double measured(const area_result_t *r, size_t figure) {
  switch (figure) {
    case 0:
      return (double)r->fields.paper_bits;
    case 1:
      return (double)r->netlist.storage_bits;
    case 2:
      return (double)r->netlist.flip_flops;
    case 3:
      return r->area_own;
    default:
      return 1e6 / r->period_own;
  }
}

static const yaml_node_t *find(const yaml_file_t *file, const yaml_node_t *map, const char *name) {
  if (!map || map->type != YAML_MAPPING_NODE) {
    return NULL;
  }
  for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
    const yaml_node_t *key = yaml_file_node(file, p->key);
    if (key->type == YAML_SCALAR_NODE && strcmp((const char *)key->data.scalar.value, name) == 0) {
      return yaml_file_node(file, p->value);
    }
  }
  return NULL;
}

// [measured, limit], the limit not on the measured figure's wrong side.
static bool read_pair(const yaml_file_t *file, const yaml_node_t *unit, size_t figure,
                      double pair[2]) {
  const yaml_node_t *list = find(file, unit, Figures[figure].name);
  if (!list || list->type != YAML_SEQUENCE_NODE ||
      list->data.sequence.items.top - list->data.sequence.items.start != 2) {
    return yaml_file_fail(file, list ? list : unit, "%s: expected [measured, limit]",
                          Figures[figure].name);
  }
  for (int i = 0; i < 2; i++) {
    const yaml_node_t *node = yaml_file_node(file, list->data.sequence.items.start[i]);
    const char *text = "";
    char *end;
    if (!yaml_file_text(file, node, "figure", &text)) {
      return false;
    }
    pair[i] = strtod(text, &end);
    if (end == text || *end) {
      return yaml_file_fail(file, node, "%s: %s: expected a number", Figures[figure].name, text);
    }
  }
  sense_e sense = Figures[figure].sense;
  if ((sense == AtMost && pair[1] < pair[0]) || (sense == AtLeast && pair[1] > pair[0]) ||
      (sense == Exactly && pair[1] != pair[0])) {
    return yaml_file_fail(file, list, "%s: the measured figure is beyond its limit",
                          Figures[figure].name);
  }
  return true;
}

// Where to look for what was exceeded.
static void say_where(const area_result_t *r, size_t figure) {
  const char *unit = r->request->unit;
  if (Figures[figure].sense == AtLeast && r->timing.from[0]) {
    printf("  longest path from %s to %s\n", r->timing.from, r->timing.to);
  } else if (figure <= 2) {
    printf("  each register and memory: nocturne area %s --fields\n", unit);
  } else {
    printf("  what each module costs: nocturne area %s --modules\n", unit);
  }
}

static bool check_unit(const yaml_file_t *file, const yaml_node_t *unit, const area_result_t *r,
                       budget_report_t *report) {
  for (size_t f = 0; f < FigureCount; f++) {
    double pair[2], now = measured(r, f);
    if (!read_pair(file, unit, f, pair)) {
      return false;
    }
    bool fails = Figures[f].sense == AtMost    ? now > pair[1]
                 : Figures[f].sense == AtLeast ? now < pair[1]
                                               : now != pair[1];
    report->checked++;
    report->exceeded += fails;
    printf("%-22s %-17s before %10.0f  after %10.0f  %s %10.0f%s\n", r->request->unit,
           Figures[f].name, pair[0], now,
           Figures[f].sense == AtMost    ? "at most "
           : Figures[f].sense == AtLeast ? "at least"
                                         : "exactly ",
           pair[1], fails ? "  EXCEEDED" : "");
    if (fails) {
      say_where(r, f);
    }
  }
  return true;
}

// Compares one result with its unit's file; false with the complaint.
static bool check_file(const char *path, const area_result_t *result, budget_report_t *report,
                       char complaint[YamlErrorSize]) {
  yaml_file_t file;
  bool ok = yaml_file_load(&file, path, complaint);
  if (ok) {
    const yaml_node_t *root = yaml_document_get_root_node(&file.document);
    const yaml_node_t *budget = find(&file, root, "budget");
    ok = budget ? check_unit(&file, budget, result, report)
                : yaml_file_fail(&file, root, "expected budget: of this unit");
  }
  yaml_file_free(&file);
  return ok;
}

bool budget_check(const char *folder, const area_result_t *results, uint32_t count,
                  budget_report_t *report, char *error, size_t size) {
  char complaint[YamlErrorSize] = "";
  bool ok = true;
  *report = (budget_report_t){0};
  for (uint32_t i = 0; ok && i < count; i++) {
    char *path = text_make("%s/%s/unit.yaml", folder, results[i].request->unit);
    snprintf(complaint, sizeof complaint, "out of memory");
    ok = path && check_file(path, &results[i], report, complaint);
    free(path);
  }
  snprintf(error, size, "%s", complaint);
  return ok;
}
