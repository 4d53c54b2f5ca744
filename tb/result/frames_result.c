// SPDX-License-Identifier: Apache-2.0
#include "frames_result.h"

#include <inttypes.h>
#include <string.h>

#include "csim/machine/machine_config.h"
#include "table.h"
#include "tb/harness/json_file.h"

// ---- JSON

static void add_json(frames_result_t *s, const result_t *r) {
  json_t *frame = result_json(r);
  if (!frame) {
    s->failed = true;
    return;
  }
  if (s->whole) {
    rows_add(s->whole, frame);
  } else {
    s->whole = rows_whole(frame);
  }
  rows_strip(frame);
  json_array_append_new(json_object_get(s->whole, "frames"), frame);
}

static double speedup(uint64_t baseline_cycles, uint64_t cycles) {
  return (double)baseline_cycles / (double)cycles;
}

bool frames_result_write_json(frames_result_t *s, const char *path, err_t *err) {
  if (s->failed) {
    return err_memory(err, path);
  }
  json_t *baseline = json_object_get(s->whole, "baseline");
  json_t *timing = json_object_get(s->whole, "timing");
  if (baseline) {
    json_object_set_new(baseline, "speedup", json_real(speedup(s->baseline_cycles, s->cycles)));
  }
  json_object_set_new(timing, "cycles_per_second", json_real((double)s->cycles / s->seconds));
  return json_file_write(s->whole, path, ResultJsonFlags, err);
}

void frames_result_free(frames_result_t *s) { json_decref(s->whole); }

// ---- the table

static void print_speedup(uint64_t baseline_cycles, uint64_t cycles, FILE *f) {
  if (baseline_cycles) {
    fprintf(f, "  %13" PRIu64 "  %7.3f", baseline_cycles, speedup(baseline_cycles, cycles));
  }
}

// Ends a row: cycles of a frame of a SoC, refreshes and those given up.
static void print_soc(const result_t *r, FILE *f) {
  if (r->soc) {
    const soc_frame_t *s = &soc_stats(r->soc->soc)->frame;
    fprintf(f,
            "  %11" PRIu64 "  %11" PRIu64 "  %11" PRIu64 "  %11" PRIu64 "  %" PRIu64 " - %" PRIu64,
            s->prepare, s->gpu, s->beside, s->cycles, s->refreshes, s->aborted);
  }
  fprintf(f, "\n");
}

static void print_head(const frames_result_t *s, const result_t *r, FILE *f) {
  fprintf(f, "%s, %s, %u GPUs, engine %s\n", s->name, machine_scheme_name(r->params),
          machine_gpu_count(r->machine), engine_name(r->engine));
  fprintf(f, "  frame        cycles");
  if (r->baseline) {
    fprintf(f, "  %13.13s  speedup", r->baseline);  // as wide as its column
  }
  fprintf(f, "  composed  PSNR dB  violations    ties  mismatches  seconds%s\n",
          r->soc ? "      prepare          GPU       beside        whole  display" : "");
}

void frames_result_add(frames_result_t *s, const result_t *r, uint32_t number, FILE *f) {
  const uint64_t cycles = machine_stats(r->machine)->cycles;
  const plan_t *p = machine_plan(r->machine);
  const uint64_t violations = r->check.violations + r->check.target_violations;
  if (!s->whole && !s->failed) {
    print_head(s, r, f);
  }
  fprintf(f, "  %5u  %12" PRIu64, number, cycles);
  print_speedup(r->baseline_cycles, cycles, f);
  fprintf(f, "  %6.1f %%  %7.2f  %10" PRIu64 "  %6" PRIu64 "  %10" PRIu64 "  %7.2f",
          p->triangles ? 100.0 * (double)p->triangles_composed / (double)p->triangles : 0.0,
          result_psnr(r), violations, r->check.tie_pixels, result_mismatches(r), r->seconds);
  print_soc(r, f);
  s->cycles += cycles;
  s->baseline_cycles += r->baseline_cycles;
  s->violations += violations;
  s->tie_pixels += r->check.tie_pixels;
  s->mismatches += result_mismatches(r);
  s->seconds += r->seconds;
  add_json(s, r);
  fflush(f);  // the next frame may take long
}

void frames_result_print(const frames_result_t *s, FILE *f) {
  fprintf(f, "  whole  %12" PRIu64, s->cycles);
  print_speedup(s->baseline_cycles, s->cycles, f);
  fprintf(f, "  %8s  %7s  %10" PRIu64 "  %6" PRIu64 "  %10" PRIu64 "  %7.2f\n", "", "",
          s->violations, s->tie_pixels, s->mismatches, s->seconds);
}
