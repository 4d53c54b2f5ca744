// SPDX-License-Identifier: Apache-2.0
#include "budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/yaml_table.h"

typedef enum { PaperBits, StorageBits, FlipFlops, Area, Clock, FigureCount } figure_e;
typedef enum { AtMost, AtLeast, Exactly } sense_e;

typedef struct {
  double pairs[FigureCount][2];  // measured, then the limit
} budget_t;

static const struct {
  const char *name;
  sense_e sense;
} Figures[FigureCount] = {{"paper_bits", Exactly},
                          {"storage_bits", AtMost},
                          {"flip_flops", AtMost},
                          {"area_um2_osu018", AtMost},
                          {"clock_mhz_osu018", AtLeast}};

static double measured(const area_result_t *r, figure_e figure) {
  switch (figure) {
    case PaperBits: return (double)r->fields.paper_bits;
    case StorageBits: return (double)r->netlist.storage_bits;
    case FlipFlops: return (double)r->netlist.flip_flops;
    case Area: return r->area_own;
    default: return 1e6 / r->period_own;
  }
}

static bool exceeds(sense_e sense, double figure, double limit) {
  return sense == AtMost ? figure > limit : sense == AtLeast ? figure < limit : figure != limit;
}

// ---- file -----------------------------------------------------------------------------

static bool read_pair(const yaml_at_t *at, void *field) {
  double *pair = field;
  size_t figure = 0;
  while (strcmp(Figures[figure].name, at->what) != 0) {
    figure++;
  }
  const yaml_node_item_t *items = at->node->data.sequence.items.start;
  if (at->node->type != YAML_SEQUENCE_NODE || at->node->data.sequence.items.top - items != 2) {
    return yaml_at_fail(at, "%s: expected [measured, limit]", at->what);
  }
  for (size_t i = 0; i < 2; i++) {
    yaml_at_t item = *at;
    item.node = yaml_file_node(at->file, items[i]);
    if (!yaml_at_real(&item, 0, 0, &pair[i])) {
      return false;
    }
  }
  return !exceeds(Figures[figure].sense, pair[0], pair[1]) ||
         yaml_at_fail(at, "%s: the measured figure is beyond its limit", at->what);
}

// Other tools read the rest of the file.
static bool pass_over(const yaml_at_t *at, void *field) {
  (void)at, (void)field;
  return true;
}

#define Pair(figure, name)                                                                   \
  {                                                                                          \
    .key = name, .kind = YamlCall, .offset = (figure)*2 * sizeof(double), .read = read_pair, \
    .required = true                                                                         \
  }
static const yaml_row_t BudgetRows[] = {
    Pair(PaperBits, "paper_bits"), Pair(StorageBits, "storage_bits"), Pair(FlipFlops, "flip_flops"),
    Pair(Area, "area_um2_osu018"), Pair(Clock, "clock_mhz_osu018"),   {0}};
static const yaml_table_t Budget = {.shape = "{FIGURE: [measured, limit]}", .rows = BudgetRows};
static const yaml_row_t Rows[] = {
    {.key = "budget", .kind = YamlMap, .table = &Budget, .required = true},
    {.key = "*", .kind = YamlCall, .read = pass_over},
    {0}};
static const yaml_table_t Unit = {.shape = "budget: of this unit", .rows = Rows};

static bool load(const char *path, budget_t *budget, err_t *err) {
  yaml_file_t file = {0};
  bool ok = yaml_table_load(&file, path, &Unit, NULL, budget, err);
  yaml_file_free(&file);
  return ok;
}

// ---- comparison -----------------------------------------------------------------------

// Says where to look for what was exceeded.
static void print_hint(const area_result_t *r, figure_e figure) {
  const char *unit = r->request->unit;
  if (figure == Clock && r->timing.from) {
    printf("  longest path from %s to %s\n", r->timing.from, r->timing.to);
  } else if (figure <= FlipFlops) {
    printf("  each register and memory: nocturne area %s --fields\n", unit);
  } else {
    printf("  what each module costs: nocturne area %s --modules\n", unit);
  }
}

static void check_unit(const budget_t *budget, const area_result_t *r, budget_report_t *report) {
  static const char *const Senses[] = {
      [AtMost] = "at most ", [AtLeast] = "at least", [Exactly] = "exactly "};
  for (figure_e f = 0; f < FigureCount; f++) {
    const double *pair = budget->pairs[f], now = measured(r, f);
    bool fails = exceeds(Figures[f].sense, now, pair[1]);
    report->checked++;
    report->exceeded += fails;
    printf("%-22s %-17s before %10.0f  after %10.0f  %s %10.0f%s\n", r->request->unit,
           Figures[f].name, pair[0], now, Senses[Figures[f].sense], pair[1],
           fails ? "  EXCEEDED" : "");
    if (fails) {
      print_hint(r, f);
    }
  }
}

bool budget_check(const char *folder, const area_results_t *results, budget_report_t *report,
                  err_t *err) {
  bool ok = true;
  *report = (budget_report_t){0};
  for (uint32_t i = 0; ok && i < results->count; i++) {
    const area_result_t *r = &results->all[i];
    budget_t budget;
    char *path = text_make("%s/%s/unit.yaml", folder, r->request->unit);
    ok = path ? load(path, &budget, err) : err_memory(err, r->request->unit);
    free(path);
    if (ok) {
      check_unit(&budget, r, report);
    }
  }
  return ok;
}
