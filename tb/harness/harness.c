// SPDX-License-Identifier: Apache-2.0
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "activity.h"
#include "draw_watch.h"
#include "failure_report.h"
#include "lockstep.h"
#include "session.h"
#include "system_waves.h"
#include "transactions.h"

double harness_build_seconds(const harness_t *h) { return h->build_seconds; }
const harness_options_t *harness_options(const harness_t *h) { return &h->options; }
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
      transactions_open(&h->observers[h->observer_count], options->log, &h->output_err)) {
    h->observer_count++;
  }
  if (options->system_waves) {
    waves_make_folder();
    if (system_waves_open(&h->observers[h->observer_count], options->system_waves, options->from,
                          options->to, &h->output_err)) {
      h->observer_count++;
    }
  }
  if (options->activity &&
      activity_open(&h->observers[h->observer_count], options->activity, &h->output_err)) {
    h->observer_count++;
  }
  if (options->behind && options->engine >= EngineLockstep && !options->waves && !options->record &&
      options->keep_steps == 0) {
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

// Ends all that is written; what is incomplete is in output_err.
static void end_outputs(harness_t *h) {
  waves_close(&h->waves);
  if (err_is_set(&h->waves.err)) {
    err_move(&h->output_err, &h->waves.err);
  }
  for (uint32_t i = 0; i < h->count; i++) {
    lockstep_end_record(h->units[i], &h->output_err);
  }
  for (uint32_t i = 0; i < h->observer_count; i++) {
    observer_t *o = &h->observers[i];
    if (o->self) {
      o->close(o->self, &h->failure, &h->output_err);
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
  draw_watch_destroy(h->watch);
  err_free(&h->waves.err);
  err_free(&h->output_err);
  free(h);
}

const char *harness_output_error(harness_t *h) {
  const harness_options_t *o = &h->options;
  end_outputs(h);
  if (o->waves && !h->waves.unit && o->engine != EngineGolden && !err_is_set(&h->output_err)) {
    err_set(&h->output_err, ErrCheck, "%s: no waves: there is no %s %u here", o->waves,
            o->waves_unit ? o->waves_unit : "unit", o->waves_instance);
  }
  return err_is_set(&h->output_err) ? err_text(&h->output_err) : NULL;
}

static const char *name_of(const harness_t *h, uint32_t instance) {
  return h->units[instance]->unit.info->name;
}

static void add_stats(harness_unit_stats_t *sum, const lockstep_t *l) {
  sum->instances++;
  sum->steps += l->unit.steps;
  sum->cycles_compared += l->cycles_compared;
  sum->mismatches += l->mismatches;
  sum->skips_checked += l->skips_checked;
}

bool harness_stats(const harness_t *h, uint32_t number, harness_unit_stats_t *stats) {
  for (uint32_t i = 0; i < h->count; i++) {
    const char *name = name_of(h, i);
    uint32_t first = 0;
    while (strcmp(name_of(h, first), name) != 0) {
      first++;
    }
    if (first == i && number-- == 0) {
      *stats = (harness_unit_stats_t){.name = name};
      for (uint32_t k = i; k < h->count; k++) {
        if (strcmp(name_of(h, k), name) == 0) {
          add_stats(stats, h->units[k]);
        }
      }
      return true;
    }
  }
  return false;
}

harness_unit_stats_t harness_totals(const harness_t *h) {
  harness_unit_stats_t sum = {0};
  for (uint32_t i = 0; i < h->count; i++) {
    add_stats(&sum, h->units[i]);
  }
  return sum;
}

void harness_describe(const harness_t *h, text_t *text) {
  for (uint32_t i = 0; i < h->count; i++) {
    failure_report_waits(&h->units[i]->unit, text);
  }
}
