// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "activity.h"
#include "failure_report.h"
#include "lockstep.h"
#include "session.h"
#include "system_waves.h"
#include "transactions.h"

double harness_build_seconds(const harness_t *h) { return h->build_seconds; }
bool harness_lacking(const harness_t *h) { return h->lacking; }
const char *harness_failure(const harness_t *h) { return h->report[0] ? h->report : NULL; }

const char *harness_waves_command(const harness_t *h) {
  return h->waves_command[0] ? h->waves_command : NULL;
}

harness_t *harness_create(const harness_options_t *options) {
  harness_t *h = calloc(1, sizeof *h);
  if (!h) {
    return NULL;
  }
  h->options = *options;
  if (options->log &&
      transactions_open(&h->observers[h->observer_count], options->log, h->output_error)) {
    h->observer_count++;
  }
  if (options->system_waves) {
    waves_make_folder();
    if (system_waves_open(&h->observers[h->observer_count], options->system_waves, options->from,
                          options->to, h->output_error)) {
      h->observer_count++;
    }
  }
  if (options->activity &&
      activity_open(&h->observers[h->observer_count], options->activity, h->output_error)) {
    h->observer_count++;
  }
  if (options->behind && options->engine >= EngineLockstep && !options->waves &&
      !options->record && options->keep_steps == 0) {
    h->backlog = backlog_create(lockstep_check_record);
  }
  return h;
}

bool harness_settle(harness_t *h) {
  if (h->backlog) {
    backlog_drain(h->backlog);
  }
  return !atomic_load(&h->failed);
}

// Ends all that is written; what is incomplete is in output_error.
static void end_outputs(harness_t *h) {
  char error[HarnessErrorSize];
  waves_close(&h->waves);
  if (h->waves.error[0]) {
    memcpy(h->output_error, h->waves.error, sizeof h->output_error);
  }
  for (uint32_t i = 0; i < h->count; i++) {
    if (!lockstep_end_record(h->units[i], error)) {
      memcpy(h->output_error, error, sizeof h->output_error);
    }
  }
  for (uint32_t i = 0; i < h->observer_count; i++) {
    observer_t *o = &h->observers[i];
    if (o->self && !o->close(o->self, &h->failure, error)) {
      memcpy(h->output_error, error, sizeof h->output_error);
    }
    o->self = NULL;
  }
}

void harness_destroy(harness_t *h) {
  if (!h) {
    return;
  }
  backlog_destroy(h->backlog);
  end_outputs(h);
  for (uint32_t i = 0; i < h->count; i++) {
    lockstep_destroy(h->units[i]);
  }
  free(h);
}

const char *harness_output_error(harness_t *h) {
  const harness_options_t *o = &h->options;
  end_outputs(h);
  if (o->waves && !h->waves.unit && o->engine != EngineGolden && !h->output_error[0]) {
    snprintf(h->output_error, HarnessErrorSize, "%.150s: no waves: there is no %s %u here",
             o->waves, o->waves_unit ? o->waves_unit : "unit", o->waves_instance);
  }
  return h->output_error[0] ? h->output_error : NULL;
}

uint32_t harness_stats(const harness_t *h, harness_unit_stats_t *stats, uint32_t max) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < h->count; i++) {
    const lockstep_t *l = h->units[i];
    const char *name = l->unit.info->name;
    uint32_t k = 0;
    while (k < n && strcmp(stats[k].name, name) != 0) {
      k++;
    }
    if (k == max) {
      continue;
    }
    if (k == n) {
      stats[n++] = (harness_unit_stats_t){.name = name};
    }
    stats[k].instances++;
    stats[k].steps += l->unit.steps;
    stats[k].cycles_compared += l->cycles_compared;
    stats[k].mismatches += l->mismatches;
    stats[k].skips_checked += l->skips_checked;
  }
  return n;
}

size_t harness_describe(const harness_t *h, char *text, size_t size) {
  size_t used = 0;
  if (size > 0) {
    text[0] = '\0';
  }
  for (uint32_t i = 0; i < h->count && used < size; i++) {
    used += failure_report_waits(&h->units[i]->unit, text + used, size - used);
  }
  return used;
}
