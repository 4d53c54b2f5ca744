// SPDX-License-Identifier: Apache-2.0
#include "frames_result.h"

#include <inttypes.h>
#include <string.h>

#include "csim/frame/image.h"
#include "csim/machine/machine_config.h"
#include "tb/harness/json_file.h"

// ---- JSON

// Keys of a frame's object that say the same for all frames and stand in the whole alone.
static const char *const Common[] = {"version", "config", "config_sha256", "seed", "scheme",
                                     "gpus",    "units_outside", NULL};
// Objects of numbers that are sums over the frames.
static const char *const Sums[] = {"traffic", "energy", "stages",      "breakdown",
                                   "work",    "memory", "composition", NULL};
static const char *const ImageSums[] = {"violations", "target_violations", "tie_pixels",
                                         "failed_pixels", NULL};

// Adds the numbers of an object to those of another, which has the same keys.
static void add_numbers(json_t *to, json_t *from) {
  const char *key;
  json_t *value;
  json_object_foreach(from, key, value) {
    json_t *sum = json_object_get(to, key);
    if (json_is_object(value)) {
      add_numbers(sum, value);
    } else if (json_is_integer(value)) {
      json_integer_set(sum, json_integer_value(sum) + json_integer_value(value));
    } else if (json_is_real(value)) {
      json_real_set(sum, json_real_value(sum) + json_real_value(value));
    }
  }
}

static void add_timing(json_t *to, json_t *from) {
  static const char *const keys[] = {"seconds", "cycles_evaluated"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    json_t *sum = json_object_get(to, keys[i]), *value = json_object_get(from, keys[i]);
    if (json_is_real(sum)) {
      json_real_set(sum, json_real_value(sum) + json_real_value(value));
    } else {
      json_integer_set(sum, json_integer_value(sum) + json_integer_value(value));
    }
  }
  // Resident memory never falls.
  json_object_set(to, "peak_memory_bytes", json_object_get(from, "peak_memory_bytes"));
}

// The whole of the first frame: what is common, zero sums, and what only the engine can tell.
static json_t *make_whole(const frames_result_t *s, json_t *frame) {
  json_t *o = json_object(), *image = json_object();
  for (size_t i = 0; Common[i]; i++) {
    json_object_set(o, Common[i], json_object_get(frame, Common[i]));
    if (strcmp(Common[i], "seed") == 0) {
      json_object_set_new(o, "sequence", json_string(s->name));
    }
  }
  json_object_set_new(o, "cycles", json_integer(0));
  if (json_object_get(frame, "baseline")) {
    json_object_set_new(o, "baseline", json_deep_copy(json_object_get(frame, "baseline")));
  }
  for (size_t i = 0; ImageSums[i]; i++) {
    json_object_set(image, ImageSums[i],
                    json_object_get(json_object_get(frame, "image"), ImageSums[i]));
  }
  json_object_set_new(o, "image", json_deep_copy(image));
  json_decref(image);
  for (size_t i = 0; Sums[i]; i++) {
    if (json_object_get(frame, Sums[i])) {
      json_object_set_new(o, Sums[i], json_deep_copy(json_object_get(frame, Sums[i])));
    }
  }
  json_object_set_new(o, "frames", json_array());
  json_object_set_new(o, "engine", json_deep_copy(json_object_get(frame, "engine")));
  json_object_set_new(o, "timing", json_deep_copy(json_object_get(frame, "timing")));
  return o;
}

static void add_to_whole(json_t *whole, json_t *frame) {
  json_t *image = json_object_get(whole, "image");
  for (size_t i = 0; ImageSums[i]; i++) {
    json_t *sum = json_object_get(image, ImageSums[i]);
    json_t *value = json_object_get(json_object_get(frame, "image"), ImageSums[i]);
    json_integer_set(sum, json_integer_value(sum) + json_integer_value(value));
  }
  for (size_t i = 0; Sums[i]; i++) {
    add_numbers(json_object_get(whole, Sums[i]), json_object_get(frame, Sums[i]));
  }
  add_numbers(json_object_get(whole, "engine"), json_object_get(frame, "engine"));
  add_timing(json_object_get(whole, "timing"), json_object_get(frame, "timing"));
}

static void add_json(frames_result_t *s, const result_t *r) {
  json_t *frame = result_json(r);
  if (!frame) {
    s->failed = true;
    return;
  }
  if (s->whole) {
    add_to_whole(s->whole, frame);
  } else {
    s->whole = make_whole(s, frame);
  }
  for (size_t i = 0; Common[i]; i++) {
    json_object_del(frame, Common[i]);
  }
  json_object_del(frame, "engine");
  json_object_del(frame, "timing");
  json_array_append_new(json_object_get(s->whole, "frames"), frame);
}

static double speedup(uint64_t baseline_cycles, uint64_t cycles) {
  return (double)baseline_cycles / (double)cycles;
}

bool frames_result_write_json(frames_result_t *s, const char *path,
                                char error[ConfigErrorSize]) {
  if (s->failed) {
    snprintf(error, ConfigErrorSize, "%.80s: out of memory", path);
    return false;
  }
  json_t *baseline = json_object_get(s->whole, "baseline");
  json_t *timing = json_object_get(s->whole, "timing");
  json_object_set_new(s->whole, "cycles", json_integer((json_int_t)s->cycles));
  if (baseline) {
    json_object_set_new(baseline, "cycles", json_integer((json_int_t)s->baseline_cycles));
    json_object_set_new(baseline, "speedup", json_real(speedup(s->baseline_cycles, s->cycles)));
  }
  json_object_set_new(timing, "cycles_per_second", json_real((double)s->cycles / s->seconds));
  return json_file_write(s->whole, path, ResultJsonFlags, error, ConfigErrorSize);
}

void frames_result_free(frames_result_t *s) { json_decref(s->whole); }

// ---- the table

static void print_speedup(uint64_t baseline_cycles, uint64_t cycles, FILE *f) {
  if (baseline_cycles) {
    fprintf(f, "  %13" PRIu64 "  %7.3f", baseline_cycles, speedup(baseline_cycles, cycles));
  }
}

static void print_head(const frames_result_t *s, const result_t *r, FILE *f) {
  char baseline[64] = "";
  if (r->baseline) {
    snprintf(baseline, sizeof baseline, "  %13.13s  speedup", r->baseline);
  }
  fprintf(f, "%s, %s, %u GPUs, engine %s\n", s->name, machine_scheme_name(r->params->scheme),
          machine_gpu_count(r->machine), engine_name(r->engine));
  fprintf(f, "  frame        cycles%s  composed  PSNR dB  violations    ties  mismatches"
          "  seconds\n", baseline);
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
  fprintf(f, "  %6.1f %%  %7.2f  %10" PRIu64 "  %6" PRIu64 "  %10" PRIu64 "  %7.2f\n",
          p->triangles ? 100.0 * (double)p->triangles_composed / (double)p->triangles : 0.0,
          result_psnr(r), violations, r->check.tie_pixels, result_mismatches(r), r->seconds);
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
