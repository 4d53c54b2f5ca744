// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <math.h>

#include "csim/frame/image.h"

double result_sample_bound(const result_t *r) {
  const texturing_params_t *t = &r->params->texturing;
  return t->design == TexturingATfim && !texturing_reuses(t) ? 0 : INFINITY;
}

double result_psnr(const result_t *r) {
  const check_result_t *c = &r->check;
  image_t a = {c->width, c->height, c->picture}, b = {c->width, c->height, c->reference};
  return image_compare(&a, &b, c->left_out).psnr_db;
}

uint64_t result_mismatches(const result_t *r) {
  harness_unit_stats_t stats[8];
  uint64_t sum = 0;
  for (uint32_t i = harness_stats(r->harness, stats, 8); i-- > 0;) {
    sum += stats[i].mismatches;
  }
  return sum;
}
