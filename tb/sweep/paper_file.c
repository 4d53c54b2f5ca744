// SPDX-License-Identifier: Apache-2.0
// The files of the pages and of the stated figures: YAML to paper_t.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/yaml_table.h"
#include "paper.h"

static paper_t *paper_of(const yaml_at_t *at) { return at->context; }

// ---- Stated figures ----

static bool check_stated(const yaml_at_t *at, void *entry, uint64_t given) {
  const paper_t *paper = paper_of(at);
  paper_stated_t *s = entry;
  char *end;
  (void)given;
  for (const paper_stated_t *other = paper->stated; other < s; other++) {
    if (strcmp(other->id, s->id) == 0) {
      return yaml_at_fail(at, "%s is there twice", s->id);
    }
  }
  s->paper = at->what;  // the key of the list
  s->value = strtod(s->text, &end);
  s->is_number = !*end;
  return true;
}

static const yaml_row_t StatedRows[] = {
    YamlRow("id", YamlWord, paper_stated_t, id, .required = true),
    YamlRow("what", YamlWord, paper_stated_t, what, .required = true),
    YamlRow("value", YamlWord, paper_stated_t, text, .required = true),
    YamlRow("unit", YamlWord, paper_stated_t, unit),
    YamlRow("where", YamlWord, paper_stated_t, where, .required = true),
    YamlRow("times", YamlFlag, paper_stated_t, is_times),
    {0}};
static const yaml_table_t Stated = {.shape = "{id: ..., what: ..., value: ..., where: ...}",
                                    .rows = StatedRows,
                                    .check = check_stated,
                                    .keeps_at = true,
                                    .at_offset = offsetof(paper_stated_t, at)};
static const paper_stated_t StatedStart = {.unit = ""};
static const yaml_list_t StatedList = {.table = &Stated,
                                       .size = sizeof(paper_stated_t),
                                       .count_offset = offsetof(paper_t, stated_count),
                                       .grows = true,
                                       .start = &StatedStart};

static bool read_paper(const yaml_at_t *at, void *field) {
  (void)field;
  return yaml_list_read(at, &StatedList, at->context, offsetof(paper_t, stated));
}

static const yaml_row_t PaperRows[] = {{.key = "*", .kind = YamlCall, .read = read_paper}, {0}};
static const yaml_table_t Papers = {.shape = "PAPER: [figures]", .rows = PaperRows};

static bool load_stated(const yaml_at_t *at, void *field) {
  const char *path = NULL;
  (void)field;
  return yaml_at_word(at, &path) && yaml_table_load(&paper_of(at)->stated_file, path, &Papers,
                                                    at->context, at->context, at->file->err);
}

static bool find_stated(const yaml_at_t *at, void *field) {
  const paper_t *paper = paper_of(at);
  const char *id = NULL;
  if (!yaml_at_word(at, &id)) {
    return false;
  }
  for (uint32_t i = 0; i < paper->stated_count; i++) {
    if (strcmp(paper->stated[i].id, id) == 0) {
      *(paper_stated_t **)field = &paper->stated[i];
      return true;
    }
  }
  return yaml_at_fail(at, "stated: %s: no such figure", id);
}

// ---- Rows ----

static bool read_cell(const yaml_at_t *at, void *field) {
  paper_cell_t *cell = field;
  if (at->node->type != YAML_MAPPING_NODE) {
    return yaml_at_fail(at, "%s: expected {AXIS: VALUE}", at->what);
  }
  const yaml_node_pair_t *p = at->node->data.mapping.pairs.start;
  for (; p < at->node->data.mapping.pairs.top; p++) {
    yaml_at_t key = *at, value = *at;
    key.node = yaml_file_node(at->file, p->key);
    value.node = yaml_file_node(at->file, p->value);
    if (cell->count == PaperMaxAxes) {
      return yaml_at_fail(at, "%s: more than %d axes", at->what, PaperMaxAxes);
    }
    if (!yaml_at_word(&key, &cell->axes[cell->count]) ||
        !yaml_at_word(&value, &cell->labels[cell->count])) {
      return false;
    }
    cell->count++;
  }
  return true;
}

static bool check_row(const yaml_at_t *at, void *entry, uint64_t given) {
  const paper_row_t *row = entry;
  const bool folded = row->form >= PaperSpread;
  bool many = (row->along && !folded) || row->cell_count > 1;
  bool is_number = row->stated->is_number;
  (void)given;
  if ((folded && !row->along) || (row->form == PaperCorrelation) != (row->with != NULL)) {
    return yaml_at_fail(at,
                        "expected along with spread and correlation, and with (a column) with "
                        "correlation only");
  }
  if (many != (row->trend != PaperNoTrend && row->trend < PaperExact) ||
      (row->along && row->cell_count > 1)) {
    return yaml_at_fail(at,
                        "expected a trend (is) with several cells or along an axis, and with "
                        "these only");
  }
  if (row->trend == PaperCrosses && (!row->along || row->through == 0 || !is_number)) {
    return yaml_at_fail(at, "expected along, through and a stated number with crosses");
  }
  bool sloped = row->trend == PaperRises || row->trend == PaperFalls;
  if (sloped != (row->step > 0)) {
    return yaml_at_fail(at, "expected step (percent) with rises and falls only");
  }
  if (row->trend == PaperSteady
          ? row->within == 0
          : !is_number && (row->within > 0 || row->points > 0 || row->trend >= PaperExact)) {
    return yaml_at_fail(at, "expected within with steady, or a tolerance with a stated number");
  }
  return true;
}

static const char *const Forms[] = {"value",  "gain",        "reduction", "negative",
                                    "spread", "correlation", NULL};
static const char *const Trends[] = {"none",    "rises", "falls",   "steady", "most", "least",
                                     "crosses", "exact", "reaches", "stays",  NULL};
static const yaml_list_t Cells = {.read = read_cell,
                                  .size = sizeof(paper_cell_t),
                                  .or_one = true,
                                  .count_offset = offsetof(paper_row_t, cell_count),
                                  .least = 1,
                                  .most = PaperMaxCells};
#define Tolerance(key, member) \
  YamlRow(key, YamlReal, paper_row_t, member, .from = 0, .to = INFINITY)
static const yaml_row_t RowRows[] = {
    YamlRow("stated", YamlCall, paper_row_t, stated, .read = find_stated, .required = true),
    YamlRow("column", YamlWord, paper_row_t, column, .required = true),
    YamlRow("at", YamlList, paper_row_t, cells, .list = &Cells, .required = true),
    YamlRow("over", YamlCall, paper_row_t, over, .read = read_cell),
    YamlRow("as", YamlChoice, paper_row_t, form, .words = Forms),
    YamlRow("along", YamlWord, paper_row_t, along),
    YamlRow("with", YamlWord, paper_row_t, with),
    YamlRow("is", YamlChoice, paper_row_t, trend, .words = Trends),
    Tolerance("within", within),
    Tolerance("points", points),
    YamlRow("digits", YamlNumber, paper_row_t, digits, .most = 12),
    YamlRow("why", YamlWord, paper_row_t, why),
    YamlRow("note", YamlWord, paper_row_t, note),
    Tolerance("through", through),
    Tolerance("step", step),
    {0}};
static const yaml_table_t Row = {.shape = "{stated: ..., column: ..., at: ...}",
                                 .rows = RowRows,
                                 .check = check_row,
                                 .keeps_at = true,
                                 .at_offset = offsetof(paper_row_t, at)};
static const paper_row_t RowStart = {.digits = 3};

// ---- Figures ----

static bool check_figure(const yaml_at_t *at, void *entry, uint64_t given) {
  const paper_figure_t *f = entry;
  (void)given;
  if (!f->sweep != !f->name || (!f->sweep && !f->text)) {
    return yaml_at_fail(at, "expected a sweep and its name, or a text");
  }
  return f->sweep || !f->row_count || yaml_at_fail(at, "rows without a sweep");
}

static const yaml_list_t RowList = {.table = &Row,
                                    .size = sizeof(paper_row_t),
                                    .grows = true,
                                    .count_offset = offsetof(paper_figure_t, row_count),
                                    .start = &RowStart};
static const yaml_row_t FigureRows[] = {
    YamlRow("name", YamlWord, paper_figure_t, name),
    YamlRow("title", YamlWord, paper_figure_t, title, .required = true),
    YamlRow("sweep", YamlWord, paper_figure_t, sweep),
    YamlRow("text", YamlWord, paper_figure_t, text),
    YamlRow("plots", YamlWords, paper_figure_t, plots),
    YamlRow("frames", YamlWords, paper_figure_t, frames),
    YamlRow("full_frames", YamlWords, paper_figure_t, full_frames),
    YamlRow("set", YamlWords, paper_figure_t, sets),
    YamlRow("only_full", YamlFlag, paper_figure_t, only_full),
    YamlRow("rows", YamlList, paper_figure_t, rows, .list = &RowList),
    {0}};
static const yaml_table_t Figure = {.shape = "{title: ..., ...}",
                                    .rows = FigureRows,
                                    .check = check_figure,
                                    .keeps_at = true,
                                    .at_offset = offsetof(paper_figure_t, at)};

// ---- Pages ----

typedef struct {
  paper_stated_t *stated;
  const char *why;
} not_given_t;

// A stated figure that no sweep gives, with the reason.
static const yaml_row_t NotGivenRows[] = {
    YamlRow("stated", YamlCall, not_given_t, stated, .read = find_stated, .required = true),
    YamlRow("why", YamlWord, not_given_t, why, .required = true),
    {0}};
static const yaml_table_t NotGiven = {.shape = "{stated: ..., why: ...}", .rows = NotGivenRows};

static bool read_not_given(const yaml_at_t *at, void *field) {
  not_given_t n = {0};
  (void)field;
  if (!yaml_table_read(at, &NotGiven, &n)) {
    return false;
  }
  n.stated->why_not = n.why;
  return true;
}

static const yaml_list_t NotGivenList = {.read = read_not_given};
static const yaml_list_t FigureList = {.table = &Figure,
                                       .size = sizeof(paper_figure_t),
                                       .count_offset = offsetof(paper_page_t, figure_count),
                                       .grows = true};
static const yaml_row_t PageRows[] = {
    YamlRow("file", YamlWord, paper_page_t, file, .required = true),
    YamlRow("title", YamlWord, paper_page_t, title, .required = true),
    YamlRow("text", YamlWord, paper_page_t, text),
    YamlRow("of", YamlWord, paper_page_t, of),
    {.key = "not_given", .kind = YamlList, .list = &NotGivenList},
    YamlRow("figures", YamlList, paper_page_t, figures, .list = &FigureList, .required = true),
    {0}};
static const yaml_table_t Page = {.shape = "{file: ..., title: ..., figures: ...}",
                                  .rows = PageRows};

static bool has_row(const paper_page_t *page, const paper_stated_t *s) {
  for (uint32_t i = 0; i < page->figure_count; i++) {
    for (uint32_t k = 0; k < page->figures[i].row_count; k++) {
      if (page->figures[i].rows[k].stated == s) {
        return true;
      }
    }
  }
  return false;
}

// Each stated figure of a page's paper is in a row of the page, or not given: one of both.
static bool check_pages(const yaml_at_t *at, void *entry, uint64_t given) {
  const paper_t *paper = entry;
  (void)at, (void)given;
  for (uint32_t k = 0; k < paper->stated_count; k++) {
    const paper_stated_t *s = &paper->stated[k];
    bool there = false, has_page = false;
    for (uint32_t p = 0; p < paper->page_count; p++) {
      const paper_page_t *page = &paper->pages[p];
      has_page = has_page || (page->of && strcmp(page->of, s->paper) == 0);
      there = there || has_row(page, s);
    }
    if (!has_page || there == (s->why_not != NULL)) {
      return yaml_file_fail(&paper->stated_file, s->at, "%s: expected %s", s->id,
                            !has_page ? "a page of its paper (of)"
                            : there   ? "a row or not_given, not both"
                                      : "a row of a page, or not_given with the reason");
    }
  }
  return true;
}

static const yaml_list_t PageList = {.table = &Page,
                                     .size = sizeof(paper_page_t),
                                     .grows = true,
                                     .count_offset = offsetof(paper_t, page_count)};
static const yaml_row_t Rows[] = {
    {.key = "stated", .kind = YamlCall, .read = load_stated, .required = true},
    YamlRow("pages", YamlList, paper_t, pages, .list = &PageList, .required = true),
    {0}};
static const yaml_table_t Table = {.shape = "stated and pages", .rows = Rows, .check = check_pages};

bool paper_load(paper_t *paper, const char *path, err_t *err) {
  *paper = (paper_t){0};
  return yaml_table_load(&paper->file, path, &Table, paper, paper, err);
}

static void free_figure(paper_figure_t *figure) {
  json_decref(figure->table);
  if (figure->result) {
    sweep_free(figure->result);
    free(figure->result);
  }
  free(figure->rows);
}

void paper_free(paper_t *paper) {
  for (uint32_t p = 0; p < paper->page_count; p++) {
    for (uint32_t f = 0; f < paper->pages[p].figure_count; f++) {
      free_figure(&paper->pages[p].figures[f]);
    }
    free(paper->pages[p].figures);
  }
  free(paper->pages);
  free(paper->stated);
  yaml_file_free(&paper->file);
  yaml_file_free(&paper->stated_file);
}
