// SPDX-License-Identifier: Apache-2.0
// The file of the pages and the file of the stated figures.
#include <stdlib.h>
#include <string.h>

#include "paper.h"

typedef struct {
  paper_t *paper;
  const yaml_file_t *file;
} reader_t;

static const yaml_node_t *node_of(const reader_t *r, int index) {
  return yaml_file_node(r->file, index);
}

// The value under a key of a mapping, or NULL.
static const yaml_node_t *value_of(const reader_t *r, const yaml_node_t *map, const char *key) {
  for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
    const yaml_node_t *k = node_of(r, p->key);
    if (k->type == YAML_SCALAR_NODE && strcmp((const char *)k->data.scalar.value, key) == 0) {
      return node_of(r, p->value);
    }
  }
  return NULL;
}

// A mapping of these keys only.
static bool mapping(const reader_t *r, const yaml_node_t *node, const char *what,
                    const char *const *keys) {
  if (node->type != YAML_MAPPING_NODE) {
    return yaml_file_fail(r->file, node, "%s: expected {KEY: VALUE}", what);
  }
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *k = node_of(r, p->key);
    const char *name = NULL;
    if (!yaml_file_text(r->file, k, what, &name)) {
      return false;
    }
    const char *const *known = keys;
    while (*known && strcmp(*known, name) != 0) {
      known++;
    }
    if (!*known) {
      return yaml_file_fail(
          r->file, k, "%s: unknown key %.40s, expected one of those of docs/paper.md", what, name);
    }
  }
  return true;
}

static bool list(const reader_t *r, const yaml_node_t *node, const char *what, size_t most) {
  if (!node || node->type != YAML_SEQUENCE_NODE) {
    return yaml_file_fail(r->file, node ? node : node_of(r, 1), "%s: expected a list", what);
  }
  size_t count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
  return count <= most || yaml_file_fail(r->file, node, "%s: expected at most %zu", what, most);
}

static bool text(const reader_t *r, const yaml_node_t *map, const char *key, bool needed,
                 const char **to) {
  const yaml_node_t *node = value_of(r, map, key);
  if (!node) {
    return !needed || yaml_file_fail(r->file, map, "expected %s", key);
  }
  return yaml_file_text(r->file, node, key, to);
}

static bool words(const reader_t *r, const yaml_node_t *map, const char *key,
                  const char *to[YamlMaxWords]) {
  const yaml_node_t *node = value_of(r, map, key);
  return !node || yaml_file_words(r->file, node, key, to);
}

static bool number(const reader_t *r, const yaml_node_t *map, const char *key, double *to) {
  const yaml_node_t *node = value_of(r, map, key);
  const char *word = NULL;
  char *end = NULL;
  if (!node) {
    return true;
  }
  if (!yaml_file_text(r->file, node, key, &word)) {
    return false;
  }
  *to = strtod(word, &end);
  return (!*end && *to >= 0) || yaml_file_fail(r->file, node, "%s: expected a number from 0", key);
}

// One of the words, its place in the list.
static bool choice(const reader_t *r, const yaml_node_t *map, const char *key,
                   const char *const *choices, uint32_t *to) {
  const yaml_node_t *node = value_of(r, map, key);
  const char *word = NULL;
  if (!node) {
    return true;
  }
  if (!yaml_file_text(r->file, node, key, &word)) {
    return false;
  }
  for (*to = 0; choices[*to]; ++*to) {
    if (strcmp(choices[*to], word) == 0) {
      return true;
    }
  }
  return yaml_file_fail(r->file, node, "%s: %.40s: expected %s, ... (docs/paper.md)", key, word,
                        choices[0]);
}

// ---- Stated figures ----

static bool read_stated(reader_t *r, const char *of, const yaml_node_t *node) {
  static const char *const keys[] = {"id", "what", "value", "unit", "where", "times", NULL};
  paper_stated_t *s = &r->paper->stated[r->paper->stated_count++];
  *s = (paper_stated_t){.paper = of, .unit = "", .at = node};
  const char *times = NULL;
  if (!mapping(r, node, "figure", keys) || !text(r, node, "id", true, &s->id) ||
      !text(r, node, "what", true, &s->what) || !text(r, node, "value", true, &s->text) ||
      !text(r, node, "unit", false, &s->unit) || !text(r, node, "where", true, &s->where) ||
      !text(r, node, "times", false, &times)) {
    return false;
  }
  for (const paper_stated_t *other = r->paper->stated; other < s; other++) {
    if (strcmp(other->id, s->id) == 0) {
      return yaml_file_fail(r->file, node, "%.60s is there twice", s->id);
    }
  }
  char *end;
  s->value = strtod(s->text, &end);
  s->is_number = !*end;
  s->is_times = times && strcmp(times, "true") == 0;
  return true;
}

static bool load_stated(paper_t *paper, const char *path, char error[YamlErrorSize]) {
  reader_t r = {paper, &paper->stated_file};
  if (!yaml_file_load(&paper->stated_file, path, error)) {
    return false;
  }
  const yaml_node_t *root = yaml_document_get_root_node(&paper->stated_file.document);
  if (!root || root->type != YAML_MAPPING_NODE) {
    snprintf(error, YamlErrorSize, "%.300s:1:1: expected PAPER: [figures]", path);
    return false;
  }
  for (yaml_node_pair_t *p = root->data.mapping.pairs.start; p < root->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *all = node_of(&r, p->value);
    const char *of = NULL;
    if (!yaml_file_text(r.file, node_of(&r, p->key), "paper", &of) ||
        !list(&r, all, "figures", PaperMaxStated - paper->stated_count)) {
      return false;
    }
    for (yaml_node_item_t *i = all->data.sequence.items.start; i < all->data.sequence.items.top;
         i++) {
      if (!read_stated(&r, of, node_of(&r, *i))) {
        return false;
      }
    }
  }
  return true;
}

// ---- Pages ----

static bool read_cell(const reader_t *r, const yaml_node_t *node, paper_cell_t *cell) {
  if (node->type != YAML_MAPPING_NODE) {
    return yaml_file_fail(r->file, node, "at: expected {AXIS: VALUE}");
  }
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
       p++) {
    if (cell->count == PaperMaxAxes) {
      return yaml_file_fail(r->file, node, "at: more than %d axes", PaperMaxAxes);
    }
    if (!yaml_file_text(r->file, node_of(r, p->key), "at", &cell->axes[cell->count]) ||
        !yaml_file_text(r->file, node_of(r, p->value), "at", &cell->labels[cell->count])) {
      return false;
    }
    cell->count++;
  }
  return true;
}

static bool read_cells(const reader_t *r, const yaml_node_t *node, paper_row_t *row) {
  if (node->type != YAML_SEQUENCE_NODE) {
    row->cell_count = 1;
    return read_cell(r, node, &row->cells[0]);
  }
  if (!list(r, node, "at", PaperMaxCells)) {
    return false;
  }
  for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top;
       i++) {
    if (!read_cell(r, node_of(r, *i), &row->cells[row->cell_count++])) {
      return false;
    }
  }
  return true;
}

static paper_stated_t *find_stated(paper_t *paper, const char *id) {
  for (uint32_t i = 0; i < paper->stated_count; i++) {
    if (strcmp(paper->stated[i].id, id) == 0) {
      return &paper->stated[i];
    }
  }
  return NULL;
}

static bool read_row(const reader_t *r, const yaml_node_t *node, paper_row_t *row) {
  static const char *const keys[] = {"stated", "column", "at", "over", "as", "along", "is",
                                     "within", "points", "digits", "why", "note", "through", NULL};
  static const char *const forms[] = {"value", "gain", "reduction", "negative", NULL};
  static const char *const trends[] = {"none",  "rises",   "falls", "steady", "most",
                                       "least", "crosses", "exact", NULL};
  const char *id = NULL;
  double digits = 3;
  uint32_t form = PaperPlain, trend = PaperNoTrend;
  *row = (paper_row_t){.at = node};
  if (!mapping(r, node, "rows", keys) || !text(r, node, "stated", true, &id) ||
      !text(r, node, "column", true, &row->column) || !text(r, node, "along", false, &row->along) ||
      !text(r, node, "why", false, &row->why) || !text(r, node, "note", false, &row->note) ||
      !choice(r, node, "as", forms, &form) || !choice(r, node, "is", trends, &trend) ||
      !number(r, node, "within", &row->within) || !number(r, node, "points", &row->points) ||
      !number(r, node, "digits", &digits) || !number(r, node, "through", &row->through)) {
    return false;
  }
  row->form = form;
  row->trend = trend;
  row->digits = (uint32_t)digits;
  row->stated = find_stated(r->paper, id);
  const yaml_node_t *at = value_of(r, node, "at"), *over = value_of(r, node, "over");
  if (!row->stated) {
    return yaml_file_fail(r->file, node, "stated: %.60s: no such figure", id);
  }
  if (!at) {
    return yaml_file_fail(r->file, node, "expected at");
  }
  if (!read_cells(r, at, row) || (over && !read_cell(r, over, &row->over))) {
    return false;
  }
  bool many = row->along || row->cell_count > 1;
  if (many != (row->trend != PaperNoTrend && row->trend != PaperExact) ||
      (row->along && row->cell_count > 1)) {
    return yaml_file_fail(r->file, node, "expected a trend (is) with several cells or along an "
                          "axis, and with these only");
  }
  if (row->trend == PaperCrosses && (!row->along || row->through == 0 || !row->stated->is_number)) {
    return yaml_file_fail(r->file, node,
                          "expected along, through and a stated number with crosses");
  }
  if (row->trend == PaperSteady ? row->within == 0
                                : !row->stated->is_number && (row->within > 0 || row->points > 0 ||
                                                              row->trend == PaperExact)) {
    return yaml_file_fail(r->file, node,
                          "expected within with steady, or a tolerance with a stated number");
  }
  return true;
}

static bool read_figure(const reader_t *r, const yaml_node_t *node, paper_figure_t *f) {
  static const char *const keys[] = {"name", "title", "sweep", "text", "plots", "frames",
                                     "full_frames", "set", "only_full", "table", "rows", NULL};
  static const char *const booleans[] = {"false", "true", NULL};
  uint32_t only_full = 0, with_table = 0;
  *f = (paper_figure_t){.at = node};
  if (!mapping(r, node, "figures", keys) || !text(r, node, "title", true, &f->title) ||
      !text(r, node, "name", false, &f->name) || !text(r, node, "sweep", false, &f->sweep) ||
      !text(r, node, "text", false, &f->text) || !words(r, node, "plots", f->plots) ||
      !words(r, node, "frames", f->frames) || !words(r, node, "full_frames", f->full_frames) ||
      !words(r, node, "set", f->sets) || !choice(r, node, "only_full", booleans, &only_full) ||
      !choice(r, node, "table", booleans, &with_table)) {
    return false;
  }
  f->only_full = only_full;
  f->with_table = with_table;
  if (!f->sweep != !f->name || (!f->sweep && !f->text)) {
    return yaml_file_fail(r->file, node, "expected a sweep and its name, or a text");
  }
  const yaml_node_t *rows = value_of(r, node, "rows");
  if (!rows) {
    return true;
  }
  if (!f->sweep || !list(r, rows, "rows", PaperMaxRows)) {
    return f->sweep ? false : yaml_file_fail(r->file, rows, "rows without a sweep");
  }
  for (yaml_node_item_t *i = rows->data.sequence.items.start; i < rows->data.sequence.items.top;
       i++) {
    if (!read_row(r, node_of(r, *i), &f->rows[f->row_count++])) {
      return false;
    }
  }
  return true;
}

// Stated figures that no sweep gives, each with the reason.
static bool read_not_given(const reader_t *r, const yaml_node_t *page) {
  static const char *const keys[] = {"stated", "why", NULL};
  const yaml_node_t *all = value_of(r, page, "not_given");
  if (!all) {
    return true;
  }
  if (!list(r, all, "not_given", PaperMaxStated)) {
    return false;
  }
  for (yaml_node_item_t *i = all->data.sequence.items.start; i < all->data.sequence.items.top;
       i++) {
    const yaml_node_t *node = node_of(r, *i);
    const char *id = NULL, *why = NULL;
    if (!mapping(r, node, "not_given", keys) || !text(r, node, "stated", true, &id) ||
        !text(r, node, "why", true, &why)) {
      return false;
    }
    paper_stated_t *s = find_stated(r->paper, id);
    if (!s) {
      return yaml_file_fail(r->file, node, "stated: %.60s: no such figure", id);
    }
    s->why_not = why;
  }
  return true;
}

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
static bool all_there(const reader_t *r) {
  for (uint32_t k = 0; k < r->paper->stated_count; k++) {
    const paper_stated_t *s = &r->paper->stated[k];
    bool there = false, has_page = false;
    for (uint32_t p = 0; p < r->paper->page_count; p++) {
      const paper_page_t *page = &r->paper->pages[p];
      has_page = has_page || (page->of && strcmp(page->of, s->paper) == 0);
      there = there || has_row(page, s);
    }
    if (!has_page || there == (s->why_not != NULL)) {
      r->paper->stated_file.error = r->file->error;
      return yaml_file_fail(&r->paper->stated_file, s->at, "%.60s: expected %s", s->id,
                            !has_page ? "a page of its paper (of)"
                            : there   ? "a row or not_given, not both"
                                      : "a row of a page, or not_given with the reason");
    }
  }
  return true;
}

static bool read_page(const reader_t *r, const yaml_node_t *node, paper_page_t *page) {
  static const char *const keys[] = {"file", "title", "text", "of", "not_given", "figures", NULL};
  if (!mapping(r, node, "pages", keys) || !text(r, node, "file", true, &page->file) ||
      !text(r, node, "title", true, &page->title) || !text(r, node, "text", false, &page->text) ||
      !text(r, node, "of", false, &page->of) || !read_not_given(r, node)) {
    return false;
  }
  const yaml_node_t *figures = value_of(r, node, "figures");
  page->figures = calloc(PaperMaxFigures, sizeof *page->figures);
  if (!page->figures) {
    return yaml_file_fail(r->file, node, "out of memory");
  }
  if (!figures || !list(r, figures, "figures", PaperMaxFigures)) {
    return figures ? false : yaml_file_fail(r->file, node, "expected figures");
  }
  for (yaml_node_item_t *i = figures->data.sequence.items.start;
       i < figures->data.sequence.items.top; i++) {
    if (!read_figure(r, node_of(r, *i), &page->figures[page->figure_count++])) {
      return false;
    }
  }
  return true;
}

bool paper_load(paper_t *paper, const char *path, char error[YamlErrorSize]) {
  static const char *const keys[] = {"stated", "pages", NULL};
  const char *stated = NULL;
  *paper = (paper_t){0};
  reader_t r = {paper, &paper->file};
  if (!yaml_file_load(&paper->file, path, error)) {
    return false;
  }
  const yaml_node_t *root = yaml_document_get_root_node(&paper->file.document);
  if (!root) {
    snprintf(error, YamlErrorSize, "%.300s:1:1: empty, expected stated and pages", path);
    return false;
  }
  if (!mapping(&r, root, "file", keys) || !text(&r, root, "stated", true, &stated) ||
      !load_stated(paper, stated, error)) {
    return false;
  }
  const yaml_node_t *pages = value_of(&r, root, "pages");
  if (!pages || !list(&r, pages, "pages", PaperMaxPages)) {
    return pages ? false : yaml_file_fail(&paper->file, root, "expected pages");
  }
  for (yaml_node_item_t *i = pages->data.sequence.items.start; i < pages->data.sequence.items.top;
       i++) {
    if (!read_page(&r, node_of(&r, *i), &paper->pages[paper->page_count++])) {
      return false;
    }
  }
  return all_there(&r);
}

void paper_free(paper_t *paper) {
  for (uint32_t p = 0; p < paper->page_count; p++) {
    for (uint32_t f = 0; f < paper->pages[p].figure_count; f++) {
      paper_figure_t *figure = &paper->pages[p].figures[f];
      json_decref(figure->table);
      if (figure->result) {
        sweep_free(figure->result);
        free(figure->result);
      }
    }
    free(paper->pages[p].figures);
  }
  yaml_file_free(&paper->file);
  yaml_file_free(&paper->stated_file);
}
