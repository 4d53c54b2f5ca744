// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include <inttypes.h>

#include "collect.h"
#include "csim/texture/texture_design.h"
#include "schema.h"
#include "table.h"
#include "tb/harness/json_file.h"

double result_sample_error(const result_t *r) {
  gpu_facts_t sum;
  collect_gpus(r, &sum);
  return sum.texturing.units.max_sample_error;
}

json_t *result_json(const result_t *r) {
  facts_t facts;
  return collect(r, &facts) ? rows_json(&facts) : NULL;
}

bool result_write_json(const result_t *r, const char *path, err_t *err) {
  json_t *o = result_json(r);
  bool ok = json_file_write(o, path, ResultJsonFlags, err);
  json_decref(o);
  return ok;
}

void result_list_keys(bool csv, FILE *file) { rows_list(csv, file); }

void result_list_schema(FILE *file) {
  json_t *schema = schema_of_rows();
  json_dumpf(schema, file, JSON_INDENT(1));
  fputc('\n', file);
  json_decref(schema);
}

// ---- In words and figures

static void print_texture(const result_t *r, const facts_t *f, FILE *file) {
  fprintf(file,
          "  texture           %s: %.1f cycles a quad in the mean, traffic %.2f MB, PSNR "
          "%.2f dB to the baseline design, largest sample error %.4f\n",
          TextureDesignNames[r->params->texturing.design], f->filter_latency,
          1e-6 * (double)f->texture_bytes, f->psnr, f->gpus.texturing.units.max_sample_error);
  fprintf(file, "  energy            %.3f mJ\n", 1e3 * f->energy.total);
}

static void print_units(const result_t *r, FILE *file) {
  harness_unit_stats_t stats;
  for (uint32_t i = 0; harness_stats(r->harness, i, &stats); i++) {
    fprintf(file,
            "  %-21s %" PRIu64 " cycles evaluated, %" PRIu64 " compared, mismatches %" PRIu64 "\n",
            stats.name, stats.steps, stats.cycles_compared, stats.mismatches);
  }
}

void result_print(const result_t *r, FILE *file) {
  facts_t f;
  collect_printed(r, &f);
  const machine_stats_t *s = &f.machine;
  const double share = f.plan.triangles ? (double)f.plan.triangles_composed : 0;
  fprintf(file, "%s, %s, %u GPUs, engine %s\n", f.frame, f.scheme, f.gpu_count, f.engine);
  fprintf(file, "  cycles            %" PRIu64 "\n", s->cycles);
  if (r->baseline) {
    fprintf(file, "  speedup           %.3f over %s (%" PRIu64 " cycles)\n", f.speedup, r->baseline,
            r->baseline_cycles);
  }
  fprintf(file, "  groups            %u, %u composed with %.1f %% of the triangles\n",
          f.plan.group_count, f.plan.composed_count,
          share > 0 ? 100.0 * share / (double)f.plan.triangles : 0.0);
  fprintf(file,
          "  traffic           composition %.2f MB, sync %.2f MB, progress %.2f MB, "
          "composition messages %" PRIu64 " bytes\n",
          1e-6 * (double)s->compose.bytes, 1e-6 * (double)s->sync.bytes,
          1e-6 * (double)s->dispatch.progress_bytes, s->compose.message_bytes);
  fprintf(file,
          "  picture           PSNR %.2f dB to the single GPU, largest difference %u, "
          "violations %" PRIu64 ", tied pixels %" PRIu64 "\n",
          f.picture.psnr_db, f.picture.max_abs_error, r->check.violations, r->check.tie_pixels);
  if (texturing_detailed(&r->params->texturing)) {
    print_texture(r, &f, file);
  }
  if (r->check.violations) {
    fprintf(file, "  first violation   pixel (%u, %u), bound %u\n", r->check.x, r->check.y,
            r->check.bound);
  }
  if (r->check.target_violations) {
    fprintf(file,
            "  beside it         %" PRIu64 " violations in other targets, depth and stencil\n",
            r->check.target_violations);
  }
  print_units(r, file);
  fprintf(file,
          "  speed             %.2f million cycles a second (%" PRIu64
          " cycles evaluated, %.2f s)\n",
          1e-6 * f.cycles_per_second, s->cycles_evaluated, r->seconds);
}
