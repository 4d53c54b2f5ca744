// SPDX-License-Identifier: Apache-2.0
#include "compare.h"

static bool fields_differ(const unit_field_t *fields, const void *a, const void *b) {
  for (const unit_field_t *f = fields; f->name; f++) {
    if (memcmp((const uint8_t *)a + f->offset, (const uint8_t *)b + f->offset,
               (size_t)f->size * f->count) != 0) {
      return true;
    }
  }
  return false;
}

bool compare_agrees(const instance_t *u, const void *out) {
  const unit_info_t *info = u->info;
  bool same =
      memcmp(out, u->rtl_out, info->out_size) == 0 || !fields_differ(info->out, out, u->rtl_out);
  return same && (!info->observe || memcmp(u->golden_state, u->rtl_state, info->state_size) == 0);
}

bool compare_next(const unit_info_t *info, const unit_field_t *fields, const void *expected,
                  const void *actual, difference_t *at) {
  for (;; at->is_late = true, at->field = NULL) {
    for (const unit_field_t *f = at->field ? at->field : fields; f->name; f++) {
      bool is_last = fields == info->out && f->offset == info->quiescent;
      for (uint32_t i = f == at->field ? at->index + 1 : 0; i < f->count; i++) {
        uint64_t e = unit_element(expected, f, i), a = unit_element(actual, f, i);
        if (is_last == at->is_late && e != a) {
          *at = (difference_t){f, i, fields == info->state, at->is_late, e, a};
          return true;
        }
      }
    }
    if (at->is_late) {
      return false;
    }
  }
}

difference_t compare_first(const instance_t *u, const void *expected, const void *actual) {
  difference_t d = {0};
  if (!(expected && compare_next(u->info, u->info->out, expected, actual, &d))) {
    d = (difference_t){0};
    if (u->has_golden && u->has_rtl && u->info->observe &&
        !compare_next(u->info, u->info->state, u->golden_state, u->rtl_state, &d)) {
      d = (difference_t){0};
    }
  }
  return d;
}
