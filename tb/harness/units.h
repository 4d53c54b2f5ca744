// The units by name, for what is driven from files: sequences and recorded vectors.
#ifndef NOCTURNE_HARNESS_UNITS_H
#define NOCTURNE_HARNESS_UNITS_H

#include "harness.h"

typedef union {
  draw_scheduler_params_t draw_scheduler;
  composition_scheduler_params_t composition_scheduler;
  pixel_distributor_params_t pixel_distributor;
  texel_generator_params_t texel_generator;
  child_consolidation_params_t child_consolidation;
  offload_unit_params_t offload_unit;
  parent_texel_buffer_params_t parent_texel_buffer;
  combination_unit_params_t combination_unit;
  atfim_params_t atfim;
} unit_params_t;

typedef struct {
  const char *name;      // of the field
  const char *rtl_name;  // of the RTL's parameter
  size_t offset, size;
} unit_param_t;

typedef struct {
  const char *name;
  const unit_param_t *params;  // ends with a NULL name
  unit_params_t defaults;
  bool (*make)(harness_t *harness, const unit_params_t *params, char error[HarnessErrorSize]);
} unit_entry_t;

const unit_entry_t *unit_find(const char *name);  // NULL: no such unit

// Parameters from the RTL's, "NumGpus=8 ...". False with one line in error.
bool unit_read_params(const unit_entry_t *entry, const char *text, unit_params_t *params,
                      char error[HarnessErrorSize]);

#endif
