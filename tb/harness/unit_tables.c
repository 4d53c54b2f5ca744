// What the units' tables say of a field.
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
