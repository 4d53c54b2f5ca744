// SPDX-License-Identifier: Apache-2.0
// Configurations, frames and runs.
#include <stdlib.h>
#include <string.h>

#include "csim/base/config.h"
#include "csim/base/seconds.h"
#include "csim/frame/generate_frame.h"
#include "csim/machine/machine_config.h"
#include "library.h"
#include "tb/harness/origin.h"
#include "tb/harness/rendering.h"
#include "tb/harness/units.h"
#include "tb/result/result.h"

enum { MaxOwn = 32 };

const char *nocturne_version(void) { return NOCTURNE_VERSION; }

// ---- Configuration ----

// The file and settings that were asked for; each run makes its own configuration from them.
struct nocturne_config {
  char *path;  // NULL: defaults
  char **settings;
  size_t count;
};

// Fills the parameters and returns the configuration behind them, or NULL with the error filled.
static config_t *configure(const nocturne_config_t *asked, machine_params_t *params,
                           nocturne_error_t *error) {
  err_auto_t err = {0};
  err_memory(&err, "nocturne");
  config_t *config = config_create();
  memset(params, 0, sizeof *params);
  bool ok = config && machine_config_add(config, params, &err) &&
            (!asked->path || config_load_file(config, asked->path, &err));
  for (size_t i = 0; ok && i < asked->count; i++) {
    ok = config_set(config, asked->settings[i], &err);
  }
  if (!ok) {
    library_take(error, &err);
    config_destroy(config);
    return NULL;
  }
  return config;
}

// Refuses what cannot be read. Whether the values fit together is checked when a run is made.
static nocturne_status_e try_it(const nocturne_config_t *asked, nocturne_error_t *error) {
  machine_params_t params;
  nocturne_error_t ignored, *told = error ? error : &ignored;
  config_t *config = configure(asked, &params, told);
  config_destroy(config);
  return config ? NocturneOk : told->status;
}

nocturne_config_t *nocturne_config_create(const char *path, nocturne_error_t *error) {
  nocturne_config_t *config = calloc(1, sizeof *config);
  if (!config || (path && !(config->path = strdup(path)))) {
    library_fail(error, NocturneLacking, "out of memory");
    nocturne_config_destroy(config);
    return NULL;
  }
  if (try_it(config, error) != NocturneOk) {
    nocturne_config_destroy(config);
    return NULL;
  }
  return config;
}

void nocturne_config_destroy(nocturne_config_t *config) {
  for (size_t i = 0; config && i < config->count; i++) {
    free(config->settings[i]);
  }
  if (config) {
    free(config->settings);
    free(config->path);
  }
  free(config);
}

nocturne_status_e nocturne_config_set(nocturne_config_t *config, const char *setting,
                                      nocturne_error_t *error) {
  LIBRARY_NEEDS(config, error, NocturneWrong);
  LIBRARY_NEEDS(setting, error, NocturneWrong);
  char **more = realloc(config->settings, (config->count + 1) * sizeof *more);
  config->settings = more ? more : config->settings;
  char *copy = more ? strdup(setting) : NULL;
  if (!copy) {
    return library_fail(error, NocturneLacking, "out of memory");
  }
  config->settings[config->count++] = copy;
  nocturne_status_e status = try_it(config, error);
  if (status != NocturneOk) {
    free(config->settings[--config->count]);
  }
  return status;
}

// ---- Frames ----

struct nocturne_frame {
  frame_t *frame;
  uint64_t seed;
};

nocturne_frame_t *nocturne_frame_load(const char *name, uint64_t seed, nocturne_error_t *error) {
  LIBRARY_NEEDS(name, error, NULL);
  err_auto_t err = {0};
  err_memory(&err, "nocturne");
  nocturne_frame_t *frame = calloc(1, sizeof *frame);
  if (!frame || !(frame->frame = frame_load(name, seed, &err))) {
    library_take(error, &err);
    free(frame);
    return NULL;
  }
  frame->seed = seed;
  return frame;
}

void nocturne_frame_destroy(nocturne_frame_t *frame) {
  if (frame) {
    frame_free(frame->frame);
  }
  free(frame);
}

void nocturne_frame_info(const nocturne_frame_t *frame, nocturne_frame_info_t *info) {
  if (!frame || !info) {
    return;
  }
  const frame_t *f = frame->frame;
  *info = (nocturne_frame_info_t){f->name, f->width, f->height, 0, f->triangle_count};
  for (uint32_t i = 0; i < f->command_count; i++) {
    info->draws += f->commands[i].kind == FrameCmdDraw;
  }
}

// ---- Runs ----

struct nocturne_run {
  const nocturne_frame_t *frame;
  config_t *config;
  machine_params_t params;
  harness_options_t options;
  nocturne_engine_t engines[MaxOwn];
  harness_own_t own[MaxOwn];
  rendering_t rendering;
  result_t result;
  bool has_begun, has_result;
  char *json;
};

nocturne_run_t *nocturne_run_create(const nocturne_config_t *config, const nocturne_frame_t *frame,
                                    nocturne_error_t *error) {
  LIBRARY_NEEDS(config, error, NULL);
  LIBRARY_NEEDS(frame, error, NULL);
  err_auto_t err = {0};
  nocturne_run_t *run = calloc(1, sizeof *run);
  if (!run) {
    library_fail(error, NocturneLacking, "out of memory");
    return NULL;
  }
  run->frame = frame;
  run->config = configure(config, &run->params, error);
  run->options =
      (harness_options_t){.engine = EngineGolden, .seed = 1, .own = run->own, .unreported = true};
  if (!run->config) {
    nocturne_run_destroy(run);
    return NULL;
  }
  if (!machine_config_check(run->config, &run->params, &err) ||
      (run->params.soc.scheduler &&
       !err_set(&err, ErrInput, "soc.scheduler: only with nocturne run --frames")) ||
      !machine_check_frame(&run->params, frame->frame, &err) ||
      !texturing_check(&run->params.texturing, run->params.soc.scheduler, frame->frame, &err)) {
    library_take(error, &err);
    nocturne_run_destroy(run);
    return NULL;
  }
  return run;
}

void nocturne_run_destroy(nocturne_run_t *run) {
  if (run) {
    rendering_end(&run->rendering);
    config_destroy(run->config);
    free(run->json);
  }
  free(run);
}

nocturne_status_e nocturne_run_engine(nocturne_run_t *run, const char *name,
                                      nocturne_error_t *error) {
  LIBRARY_NEEDS(run, error, NocturneWrong);
  return library_engine(name, &run->options.engine, error) ? NocturneOk : NocturneWrong;
}

void nocturne_run_seed(nocturne_run_t *run, uint64_t seed) {
  if (run) {
    run->options.seed = seed;
  }
}

nocturne_status_e nocturne_run_replace(nocturne_run_t *run, const nocturne_engine_t *engine,
                                       nocturne_error_t *error) {
  LIBRARY_NEEDS(run, error, NocturneWrong);
  LIBRARY_NEEDS(engine, error, NocturneWrong);
  const uint32_t n = run->options.own_count;
  if (n == MaxOwn) {
    return library_fail(error, NocturneWrong, "more than %d engines of one's own", MaxOwn);
  }
  run->engines[n] = *engine;
  if (!library_own(&run->engines[n], &run->own[n], error)) {
    return NocturneWrong;
  }
  run->options.own_count++;
  return NocturneOk;
}

static nocturne_status_e judge(const nocturne_run_t *run, nocturne_error_t *error) {
  const result_t *r = &run->result;
  const uint64_t wrong = r->check.violations + r->check.target_violations;
  if (result_sample_error(r) > result_sample_bound(r)) {
    return library_fail(error, NocturneFailed,
                        "a filtered sample is off by %g, more than rounding "
                        "explains (%g)",
                        result_sample_error(r), result_sample_bound(r));
  }
  return wrong ? library_fail(error, NocturneFailed,
                              "%llu pixels differ from a single GPU's by "
                              "more than rounding explains",
                              (unsigned long long)wrong)
               : NocturneOk;
}

nocturne_status_e nocturne_run_render(nocturne_run_t *run, nocturne_error_t *error) {
  LIBRARY_NEEDS(run, error, NocturneWrong);
  err_auto_t err = {0};
  rendering_t *r = &run->rendering;
  if (run->has_begun) {
    return library_fail(error, NocturneWrong, "the run has rendered, expected a new one");
  }
  run->has_begun = true;
  if (!rendering_make(r, &run->options, &run->params, run->frame->frame, NULL, &err)) {
    return err_is_set(&err)
               ? library_take(error, &err)
               : library_fail(error, NocturneFailed, "%s", harness_failure(r->harness));
  }
  double start = seconds_wall();
  machine_status_e status = rendering_run(r, NULL, NULL);
  run->result = (result_t){.config = run->config,
                           .params = &run->params,
                           .frame = run->frame->frame,
                           .seed = run->options.seed,
                           .engine = run->options.engine,
                           .machine = r->machine,
                           .harness = r->harness,
                           .seconds = seconds_wall() - start};
  if (status != MachineDone) {
    text_t report = {0};
    rendering_failure(r, status, &report);
    if (error) {
      error->status = NocturneFailed;
      snprintf(error->text, sizeof error->text, "%s", text_string(&report));
    }
    text_free(&report);
    return NocturneFailed;
  }
  if (!check_finish(r->check, r->machine, &run->result.check)) {
    return library_fail(error, NocturneLacking, "out of memory for the reference picture");
  }
  run->has_result = true;
  return judge(run, error);
}

uint64_t nocturne_run_cycles(const nocturne_run_t *run) {
  return run && run->has_result ? machine_stats(run->result.machine)->cycles : 0;
}

const uint32_t *nocturne_run_picture(const nocturne_run_t *run) {
  return run && run->has_result ? run->result.check.picture : NULL;
}

const char *nocturne_run_json(nocturne_run_t *run) {
  if (!run) {
    return NULL;
  }
  if (run->has_result && !run->json) {
    json_t *json = result_json(&run->result);
    run->json = json ? json_dumps(json, ResultJsonFlags) : NULL;
    json_decref(json);
  }
  return run->json;
}
