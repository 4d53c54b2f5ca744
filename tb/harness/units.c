#include "units.h"

#include <stdlib.h>
#include <string.h>

#define PARAM(type, name, rtl) {#name, rtl, offsetof(type, name), sizeof(((type *)0)->name)}

static const unit_param_t DrawParams[] = {
    PARAM(draw_scheduler_params_t, gpus, "NumGpus"),
    PARAM(draw_scheduler_params_t, count_width, "CountWidth"),
    PARAM(draw_scheduler_params_t, credits, "Credits"),
    PARAM(draw_scheduler_params_t, tie_lowest, "TieLowest"),
    PARAM(draw_scheduler_params_t, reset_count, "ResetBelow"), {0}};
static const unit_param_t CompositionParams[] = {
    PARAM(composition_scheduler_params_t, gpus, "NumGpus"),
    PARAM(composition_scheduler_params_t, lowest_first, "LowestFirst"), {0}};
static const unit_param_t PixelParams[] = {
    PARAM(pixel_distributor_params_t, gpus, "NumGpus"),
    PARAM(pixel_distributor_params_t, tile_log2, "TileLog2"),
    PARAM(pixel_distributor_params_t, cell, "CellMode"),
    PARAM(pixel_distributor_params_t, beat_bytes, "BeatBytes"),
    PARAM(pixel_distributor_params_t, max_width, "MaxWidth"),
    PARAM(pixel_distributor_params_t, max_height, "MaxHeight"),
    PARAM(pixel_distributor_params_t, send_depth, "SendDepth"),
    PARAM(pixel_distributor_params_t, receive_depth, "ReceiveDepth"),
    PARAM(pixel_distributor_params_t, count_width, "CountWidth"), {0}};

static const unit_param_t GeneratorParams[] = {
    PARAM(texel_generator_params_t, descriptors, "Descriptors"),
    PARAM(texel_generator_params_t, entries, "Entries"),
    PARAM(texel_generator_params_t, line_bytes, "LineBytes"),
    PARAM(texel_generator_params_t, count_width, "CountWidth"),
    PARAM(texel_generator_params_t, observe, "Observe"), {0}};
static const unit_param_t ConsolidationParams[] = {
    PARAM(child_consolidation_params_t, entries, "Entries"),
    PARAM(child_consolidation_params_t, set_bits, "SetBits"),
    PARAM(child_consolidation_params_t, ways, "Ways"),
    PARAM(child_consolidation_params_t, line_bytes, "LineBytes"),
    PARAM(child_consolidation_params_t, merge, "Merge"),
    PARAM(child_consolidation_params_t, count_width, "CountWidth"),
    PARAM(child_consolidation_params_t, observe, "Observe"), {0}};
static const unit_param_t OffloadParams[] = {
    PARAM(offload_unit_params_t, units, "NumTextureUnits"),
    PARAM(offload_unit_params_t, slots, "Slots"),
    PARAM(offload_unit_params_t, count_width, "CountWidth"),
    PARAM(offload_unit_params_t, observe, "Observe"), {0}};
static const unit_param_t BufferParams[] = {
    PARAM(parent_texel_buffer_params_t, entries, "Entries"),
    PARAM(parent_texel_buffer_params_t, exact, "Exact"),
    PARAM(parent_texel_buffer_params_t, observe, "Observe"), {0}};
static const unit_param_t CombinationParams[] = {
    PARAM(combination_unit_params_t, line_bytes, "LineBytes"),
    PARAM(combination_unit_params_t, exact, "Exact"),
    PARAM(combination_unit_params_t, requests, "Requests"),
    PARAM(combination_unit_params_t, count_width, "CountWidth"),
    PARAM(combination_unit_params_t, observe, "Observe"), {0}};
static const unit_param_t AtfimParams[] = {
    PARAM(atfim_params_t, descriptors, "Descriptors"),
    PARAM(atfim_params_t, parent_entries, "ParentEntries"),
    PARAM(atfim_params_t, run_entries, "RunEntries"),
    PARAM(atfim_params_t, set_bits, "SetBits"),
    PARAM(atfim_params_t, ways, "Ways"),
    PARAM(atfim_params_t, line_bytes, "LineBytes"),
    PARAM(atfim_params_t, requests, "Requests"),
    PARAM(atfim_params_t, merge, "Merge"),
    PARAM(atfim_params_t, exact, "Exact"),
    PARAM(atfim_params_t, count_width, "CountWidth"),
    PARAM(atfim_params_t, observe, "Observe"), {0}};

static bool make_draw(harness_t *h, const unit_params_t *p, char *error) {
  draw_scheduler_t unit;
  return harness_draw_scheduler(h, &p->draw_scheduler, &unit, error);
}
static bool make_composition(harness_t *h, const unit_params_t *p, char *error) {
  composition_scheduler_t unit;
  return harness_composition_scheduler(h, &p->composition_scheduler, &unit, error);
}
static bool make_pixel(harness_t *h, const unit_params_t *p, char *error) {
  pixel_distributor_t unit;
  return harness_pixel_distributor(h, &p->pixel_distributor, 0, &unit, error);
}
static bool make_generator(harness_t *h, const unit_params_t *p, char *error) {
  texel_generator_t unit;
  return harness_texel_generator(h, &p->texel_generator, &unit, error);
}
static bool make_consolidation(harness_t *h, const unit_params_t *p, char *error) {
  child_consolidation_t unit;
  return harness_child_consolidation(h, &p->child_consolidation, &unit, error);
}
static bool make_offload(harness_t *h, const unit_params_t *p, char *error) {
  offload_unit_t unit;
  return harness_offload_unit(h, &p->offload_unit, 0, &unit, error);
}
static bool make_buffer(harness_t *h, const unit_params_t *p, char *error) {
  parent_texel_buffer_t unit;
  return harness_parent_texel_buffer(h, &p->parent_texel_buffer, &unit, error);
}
static bool make_combination(harness_t *h, const unit_params_t *p, char *error) {
  combination_unit_t unit;
  return harness_combination_unit(h, &p->combination_unit, &unit, error);
}
static bool make_atfim(harness_t *h, const unit_params_t *p, char *error) {
  atfim_t unit;
  return harness_atfim(h, &p->atfim, 0, &unit, error);
}

static const unit_entry_t Units[] = {
    {"draw_scheduler", DrawParams,
     {.draw_scheduler = {.gpus = 8, .count_width = 64, .credits = 64}}, make_draw},
    {"composition_scheduler", CompositionParams, {.composition_scheduler = {.gpus = 8}},
     make_composition},
    {"pixel_distributor", PixelParams,
     {.pixel_distributor = {8, 6, PixelDistributorCellStamp, 64, 2048, 2048, 64, 64, 48}}, make_pixel},
    {"texel_generator", GeneratorParams, {.texel_generator = {1024, 256, 64, 48, true}}, make_generator},
    {"child_consolidation", ConsolidationParams,
     {.child_consolidation = {256, 6, 4, 64, true, 48, true}}, make_consolidation},
    {"offload_unit", OffloadParams, {.offload_unit = {16, 16, 48, true}}, make_offload},
    {"parent_texel_buffer", BufferParams, {.parent_texel_buffer = {256, true, true}}, make_buffer},
    {"combination_unit", CombinationParams, {.combination_unit = {64, true, 64, 48, true}},
     make_combination},
    {"atfim", AtfimParams, {.atfim = {1024, 256, 256, 6, 4, 64, 64, true, true, 48, true}},
     make_atfim},
};

const unit_entry_t *unit_find(const char *name) {
  for (size_t u = 0; u < sizeof Units / sizeof *Units; u++) {
    if (strcmp(Units[u].name, name) == 0) {
      return &Units[u];
    }
  }
  return NULL;
}

bool unit_read_params(const unit_entry_t *entry, const char *text, unit_params_t *params,
                      char error[HarnessErrorSize]) {
  *params = entry->defaults;
  char name[64];
  unsigned long long value;
  for (int used = 0; sscanf(text, " %63[A-Za-z0-9]=%llu%n", name, &value, &used) == 2;
       text += used) {
    const unit_param_t *p = entry->params;
    while (p->name && strcmp(p->rtl_name, name) != 0) {
      p++;
    }
    if (!p->name) {
      snprintf(error, HarnessErrorSize, "%s: no such parameter of %s", name, entry->name);
      return false;
    }
    // The RTL takes the distance to the counters' end, 32 bits being the width of a parameter.
    if (strcmp(name, "ResetBelow") == 0 && value > 0) {
      uint32_t width = params->draw_scheduler.count_width;
      value = (width == 64 ? UINT64_MAX : (1ull << width) - 1) - value;
    }
    memcpy((uint8_t *)params + p->offset, &value, p->size);
  }
  if (text[strspn(text, " \n")]) {
    snprintf(error, HarnessErrorSize, "parameters of %s: %.60s: expected NAME=NUMBER", entry->name,
             text);
    return false;
  }
  return true;
}
