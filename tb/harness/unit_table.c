// What the units' tables say of a field.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit_table.h"

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

void unit_value_text(const unit_info_t *info, const uint32_t dims[UnitMaxDims],
                     const unit_field_t *field, uint64_t value, char *text, size_t size) {
  const unit_port_t *port = unit_find_port(info, field->name);
  uint32_t bits = unit_dim(dims, field->bits);
  for (uint32_t v = 0; port && v < UnitMaxValues && port->values[v]; v++) {
    if (v == value && port->values[v][0]) {
      snprintf(text, size, "%s", port->values[v]);
      return;
    }
  }
  bool hex = bits == 0 || bits > 32 || unit_is_mask(info, field);
  snprintf(text, size, hex ? "0x%" PRIx64 : "%" PRIu64, value);
}

bool unit_is_mask(const unit_info_t *info, const unit_field_t *field) {
  const unit_port_t *port = unit_find_port(info, field->name);
  return (port && port->is_mask) || (field->bits >= UnitDim && field->size > 1);
}
