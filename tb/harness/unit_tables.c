// What the units' tables say of a field.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lockstep.h"

uint32_t lockstep_dim(const lockstep_t *l, uint32_t number) {
  return number >= UnitDim ? l->dims[number - UnitDim] : number;
}

uint64_t unit_element(const void *base, const unit_field_t *f, uint32_t i) {
  uint64_t value = 0;
  memcpy(&value, (const uint8_t *)base + f->offset + (size_t)i * f->size, f->size);
  return value;
}

const unit_field_t *unit_find_field(const unit_field_t *fields, const char *name) {
  while (fields->name && strcmp(fields->name, name) != 0) {
    fields++;
  }
  return fields->name ? fields : NULL;
}

const unit_port_t *unit_find_port(const unit_info_t *info, const char *field) {
  for (const unit_port_t *p = info->ports; p && p->field; p++) {
    if (strcmp(p->field, field) == 0) {
      return p;
    }
  }
  return NULL;
}

const unit_stream_t *unit_stream_of(const unit_info_t *info, const char *field) {
  const unit_stream_t *best = NULL;
  size_t longest = 0;
  for (const unit_stream_t *s = info->streams; s && s->name; s++) {
    for (uint32_t p = 0; p < 3 && s->prefix[p]; p++) {
      size_t length = strlen(s->prefix[p]);
      if (length > longest && strncmp(field, s->prefix[p], length) == 0) {
        best = s;
        longest = length;
      }
    }
  }
  return best;
}

void unit_value_text(const lockstep_t *l, const unit_field_t *field, uint64_t value, char *text,
                     size_t size) {
  const unit_port_t *port = unit_find_port(l->info, field->name);
  uint32_t bits = lockstep_dim(l, field->bits);
  for (uint32_t v = 0; port && v < UnitMaxValues && port->values[v]; v++) {
    if (v == value && port->values[v][0]) {
      snprintf(text, size, "%s", port->values[v]);
      return;
    }
  }
  bool hex = bits == 0 || bits > 32 || unit_is_mask(l->info, field);
  snprintf(text, size, hex ? "0x%" PRIx64 : "%" PRIu64, value);
}

bool unit_is_mask(const unit_info_t *info, const unit_field_t *field) {
  const unit_port_t *port = unit_find_port(info, field->name);
  return (port && port->is_mask) || (field->bits >= UnitDim && field->size > 1);
}

const uint8_t *lockstep_log_in(const lockstep_t *l, uint64_t step) {
  return l->log + (step % LockstepLog) * (l->info->in_size + l->info->out_size);
}

const uint8_t *lockstep_log_out(const lockstep_t *l, uint64_t step) {
  return lockstep_log_in(l, step) + l->info->in_size;
}

uint64_t lockstep_log_cycle(const lockstep_t *l, uint64_t step) {
  return l->log_cycle[step % LockstepLog];
}
