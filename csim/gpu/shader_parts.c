// SPDX-License-Identifier: Apache-2.0
#include "shader_parts.h"

static void double_length(shader_parts_t *p) {
  for (uint32_t s = 0; s < ShaderPartSeries; s++) {
    for (uint32_t i = 0; i < ShaderParts; i++) {
      uint64_t *sum = p->sum[s];
      sum[i] = i < ShaderParts / 2 ? sum[2 * i] + sum[2 * i + 1] : 0;
    }
  }
  p->shift++;
}

void shader_parts_add(shader_parts_t *p, shader_part_e series, uint64_t from, uint64_t to,
                      uint64_t each) {
  while (from < to && (to - 1) >> p->shift >= ShaderParts) {
    double_length(p);
  }
  while (from < to) {
    uint64_t part = from >> p->shift, end = (part + 1) << p->shift;
    end = end < to ? end : to;
    p->sum[series][part] += (end - from) * each;
    from = end;
  }
}

void shader_parts_merge(shader_parts_t *p, const shader_parts_t *other) {
  shader_parts_t more = *other;
  while (p->shift < more.shift) {
    double_length(p);
  }
  while (more.shift < p->shift) {
    double_length(&more);
  }
  for (uint32_t s = 0; s < ShaderPartSeries; s++) {
    for (uint32_t i = 0; i < ShaderParts; i++) {
      p->sum[s][i] += more.sum[s][i];
    }
  }
}
