// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <math.h>

#include "csim/frame/image.h"
#include "csim/texture/texture_design.h"

double result_sample_bound(const result_t *r) {
  const texturing_params_t *t = &r->params->texturing;
  return texture_design(t->design)->offloads && !texturing_reuses(t) ? 0 : INFINITY;
}

double result_psnr(const result_t *r) {
  const check_result_t *c = &r->check;
  image_t a = {c->width, c->height, c->picture}, b = {c->width, c->height, c->reference};
  return image_compare(&a, &b, c->left_out).psnr_db;
}

harness_unit_stats_t result_totals(const result_t *r) {
  harness_unit_stats_t sum = harness_totals(r->harness);
  if (r->soc) {
    const harness_unit_stats_t of = soc_session_stats(r->soc);
    sum.cycles_compared += of.cycles_compared;
    sum.mismatches += of.mismatches;
  }
  return sum;
}

uint64_t result_mismatches(const result_t *r) { return result_totals(r).mismatches; }
