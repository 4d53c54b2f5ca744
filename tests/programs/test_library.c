// SPDX-License-Identifier: Apache-2.0
// The library with NULL in place of what it needs: every function refuses, and nothing ends.
#include "tb/library/nocturne.h"
#include "tests/programs/test.h"

static nocturne_error_t error;

static void refused(nocturne_status_e status, const char *text) {
  assert_int_equal(status, NocturneWrong);
  assert_int_equal(error.status, NocturneWrong);
  assert_string_equal(error.text, text);
  error = (nocturne_error_t){0};
}

// A function that returns a pointer: NULL with the error.
#define NONE(call, text)         \
  do {                           \
    assert_null(call);           \
    refused(error.status, text); \
  } while (0)

TEST(configurations) {
  nocturne_config_t *config = nocturne_config_create(NULL, NULL);
  assert_non_null(config);
  assert_int_equal(nocturne_config_set(config, "gpus=2", NULL), NocturneOk);
  assert_int_equal(nocturne_config_set(config, "gpus=none", NULL), NocturneWrong);
  refused(nocturne_config_set(NULL, "gpus=2", &error), "nocturne_config_set: config is NULL");
  refused(nocturne_config_set(config, NULL, &error), "nocturne_config_set: setting is NULL");
  assert_int_equal(nocturne_config_set(NULL, NULL, NULL), NocturneWrong);
  nocturne_config_destroy(config);
  nocturne_config_destroy(NULL);
}

TEST(frames) {
  nocturne_frame_info_t info = {.width = 1};
  (void)state;
  NONE(nocturne_frame_load(NULL, 1, &error), "nocturne_frame_load: name is NULL");
  nocturne_frame_info(NULL, &info);
  assert_int_equal(info.width, 1);
  nocturne_frame_t *frame = nocturne_frame_load("gen:test-1", 1, NULL);
  assert_non_null(frame);
  nocturne_frame_info(frame, NULL);
  nocturne_frame_destroy(frame);
  nocturne_frame_destroy(NULL);
}

TEST(runs) {
  nocturne_config_t *config = nocturne_config_create(NULL, NULL);
  nocturne_frame_t *frame = nocturne_frame_load("gen:test-1", 1, NULL);
  NONE(nocturne_run_create(NULL, frame, &error), "nocturne_run_create: config is NULL");
  NONE(nocturne_run_create(config, NULL, &error), "nocturne_run_create: frame is NULL");
  nocturne_run_t *run = nocturne_run_create(config, frame, &error);
  assert_non_null(run);
  refused(nocturne_run_engine(NULL, "rtl", &error), "nocturne_run_engine: run is NULL");
  refused(nocturne_run_engine(run, NULL, &error),
          "engine NULL: expected golden, rtl, lockstep or gates");
  nocturne_run_seed(NULL, 1);
  refused(nocturne_run_replace(NULL, &(nocturne_engine_t){0}, &error),
          "nocturne_run_replace: run is NULL");
  refused(nocturne_run_replace(run, NULL, &error), "nocturne_run_replace: engine is NULL");
  refused(nocturne_run_replace(run, &(nocturne_engine_t){0}, &error), "NULL: no such unit");
  refused(nocturne_run_render(NULL, &error), "nocturne_run_render: run is NULL");
  assert_int_equal(nocturne_run_cycles(NULL), 0);
  assert_null(nocturne_run_picture(NULL));
  assert_null(nocturne_run_json(NULL));
  assert_null(nocturne_run_json(run));  // it has not rendered
  nocturne_run_destroy(run);
  nocturne_run_destroy(NULL);
  nocturne_frame_destroy(frame);
  nocturne_config_destroy(config);
}

TEST(units) {
  NONE(nocturne_unit_create(NULL, NULL, "golden", 1, NULL, &error),
       "nocturne_unit_create: name is NULL");
  NONE(nocturne_unit_create("none", NULL, "golden", 1, NULL, &error), "none: no such unit");
  NONE(nocturne_unit_create("draw_scheduler", NULL, NULL, 1, NULL, &error),
       "engine NULL: expected golden, rtl, lockstep or gates");
  nocturne_unit_t *unit = nocturne_unit_create("draw_scheduler", NULL, "golden", 1, NULL, NULL);
  assert_non_null(unit);
  void *in = calloc(1, nocturne_unit_size(unit, NocturneIn));
  void *out = calloc(1, nocturne_unit_size(unit, NocturneOut));
  assert_int_equal(nocturne_unit_size(NULL, NocturneIn), 0);
  nocturne_unit_reset(NULL, out);
  nocturne_unit_reset(unit, NULL);
  nocturne_unit_reset(unit, out);
  refused(nocturne_unit_step(NULL, in, out, &error), "nocturne_unit_step: unit is NULL");
  refused(nocturne_unit_step(unit, NULL, out, &error), "nocturne_unit_step: in is NULL");
  refused(nocturne_unit_step(unit, in, NULL, &error), "nocturne_unit_step: out is NULL");
  assert_int_equal(nocturne_unit_step(unit, in, out, NULL), NocturneOk);
  nocturne_unit_observe(NULL, out);
  nocturne_unit_observe(unit, NULL);
  assert_null(nocturne_unit_field(NULL, NocturneIn, "cmd_valid"));
  assert_null(nocturne_unit_field(unit, NocturneIn, NULL));
  const nocturne_field_t *field = nocturne_unit_field(unit, NocturneIn, "cmd_valid");
  assert_int_equal(nocturne_field_bits(NULL, field) + nocturne_field_bits(unit, NULL), 0);
  assert_int_equal(nocturne_field_elements(NULL, field) + nocturne_field_elements(unit, NULL), 0);
  assert_int_equal(nocturne_field_get(NULL, in, 0) + nocturne_field_get(field, NULL, 0), 0);
  nocturne_field_set(NULL, in, 0, 1);
  nocturne_field_set(field, NULL, 0, 1);
  nocturne_field_set(field, in, 1000000, 1);  // beyond its elements
  assert_int_equal(nocturne_field_get(field, in, 1000000), 0);
  free(in);
  free(out);
  nocturne_unit_destroy(unit);
  nocturne_unit_destroy(NULL);
}

int main(void) { return run_all_tests(NULL, NULL); }
