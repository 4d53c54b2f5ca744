// SPDX-License-Identifier: Apache-2.0
#include "own_page.h"

#include <string.h>

static bool fits_params(const page_t *own, const page_t *tree, err_t *err) {
  for (uint32_t i = 0; i < tree->param_count; i++) {
    const page_param_t *wanted = &tree->params[i];
    uint32_t k = 0;
    while (k < own->param_count && strcmp(own->params[k].name, wanted->name) != 0) {
      k++;
    }
    if (k == own->param_count) {
      return err_set(err, ErrInput, "%s:%u: params: no %s, expected it as in %s:%u", own->file,
                     own->param_count ? own->params[0].line : 1, wanted->name, tree->file,
                     wanted->line);
    }
    const page_param_t *p = &own->params[k];
    if (p->in_c != wanted->in_c || p->is_bool != wanted->is_bool ||
        (p->in_c && (p->low > wanted->low || p->high < wanted->high))) {
      return err_set(err, ErrInput, "%s:%u: %s: another range, expected %lld..%lld as in %s:%u",
                     own->file, p->line, p->name, (long long)wanted->low, (long long)wanted->high,
                     tree->file, wanted->line);
    }
  }
  return true;
}

static bool is_same(const page_t *own, const page_field_t *a, const page_t *tree,
                    const page_field_t *b) {
  char bits[2][PageTextSize], count[2][PageTextSize];
  page_expr_text(own, a->bits, PageTextC, bits[0]);
  page_expr_text(tree, b->bits, PageTextC, bits[1]);
  page_expr_text(own, a->count, PageTextC, count[0]);
  page_expr_text(tree, b->count, PageTextC, count[1]);
  return strcmp(a->port, b->port) == 0 && strcmp(a->path, b->path) == 0 && a->role == b->role &&
         a->c_bytes == b->c_bytes && a->count_max == b->count_max && a->is_bool == b->is_bool &&
         a->constant == b->constant && strcmp(bits[0], bits[1]) == 0 &&
         strcmp(count[0], count[1]) == 0;
}

static bool fits_fields(const page_t *own, const page_t *tree, bool is_output, err_t *err) {
  const page_field_t *a = is_output ? own->out : own->in, *b = is_output ? tree->out : tree->in;
  const uint32_t n = is_output ? own->out_count : own->in_count;
  const uint32_t wanted = is_output ? tree->out_count : tree->in_count;
  for (uint32_t i = 0; i < n && i < wanted; i++) {
    if (!is_same(own, &a[i], tree, &b[i])) {
      return err_set(err, ErrInput, "%s:%u: %s, expected %s as in %s:%u", own->file, a[i].line,
                     a[i].port, b[i].port, tree->file, b[i].line);
    }
  }
  if (n > wanted) {
    return err_set(err, ErrInput, "%s:%u: %s, expected the %sputs of %s only", own->file,
                   a[wanted].line, a[wanted].port, is_output ? "out" : "in", tree->file);
  }
  return n == wanted || err_set(err, ErrInput, "%s:%u: no %s, expected it as in %s:%u", own->file,
                                n ? a[n - 1].line : 1, b[n].port, tree->file, b[n].line);
}

bool own_page_fits(const page_t *own, const page_t *tree, err_t *err) {
  return fits_params(own, tree, err) && fits_fields(own, tree, false, err) &&
         fits_fields(own, tree, true, err);
}
