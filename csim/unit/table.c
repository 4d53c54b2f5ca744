// SPDX-License-Identifier: Apache-2.0
#include "table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t unit_element(const void *base, const unit_field_t *f, uint32_t i) {
  uint64_t value = 0;
  memcpy(&value, (const uint8_t *)base + f->offset + (size_t)i * f->size, f->size);
  return value;
}

void unit_set_element(void *base, const unit_field_t *f, uint32_t i, uint64_t value) {
  memcpy((uint8_t *)base + f->offset + (size_t)i * f->size, &value, f->size);
}

const unit_field_t *unit_find_field(const unit_field_t *fields, const char *name) {
  while (fields->name && strcmp(fields->name, name) != 0) {
    fields++;
  }
  return fields->name ? fields : NULL;
}

const unit_stream_t *unit_stream_of(const unit_info_t *info, const char *name) {
  const unit_field_t *f = unit_find_field(info->in, name);
  f = f ? f : unit_find_field(info->out, name);
  return f && f->stream >= 0 ? &info->streams[f->stream] : NULL;
}

void unit_value_text(const uint32_t dims[UnitMaxDims], const unit_field_t *f, uint64_t value,
                     char *text, size_t size) {
  for (uint32_t v = 0; f->values && f->values[v]; v++) {
    if (v == value && f->values[v][0]) {
      snprintf(text, size, "%s", f->values[v]);
      return;
    }
  }
  const bool hex = unit_dim(dims, f->bits) > 32 || f->is_mask;
  snprintf(text, size, hex ? "0x%" PRIx64 : "%" PRIu64, value);
}

// ---- Parameters ----

static int64_t param_value(const unit_param_t *p, const void *params) {
  uint64_t value = 0;
  memcpy(&value, (const uint8_t *)params + p->offset, p->size);
  return (int64_t)value;
}

void unit_params_text(const unit_info_t *info, const void *params, char text[UnitParamsText]) {
  size_t used = 0;
  text[0] = '\0';
  for (const unit_param_t *p = info->params; p->name && used < UnitParamsText; p++) {
    used += (size_t)snprintf(text + used, UnitParamsText - used, "%s%s=%" PRId64, used ? " " : "",
                             p->rtl, param_value(p, params));
  }
}

static bool is_allowed(const unit_param_t *p, int64_t value, err_t *err) {
  bool is_listed = p->of == NULL;
  for (uint32_t i = 0; i < p->of_count; i++) {
    is_listed |= p->of[i] == value;
  }
  if (value >= p->low && value <= p->high && is_listed &&
      !(p->power_of_two && (value & (value - 1)) != 0)) {
    return true;
  }
  if (!p->of) {
    return err_set(err, ErrInput, "%s=%" PRId64 ", expected %s%" PRId64 " to %" PRId64, p->rtl,
                   value, p->power_of_two ? "a power of two from " : "", p->low, p->high);
  }
  text_t list = {0};
  for (uint32_t i = 0; i < p->of_count; i++) {
    text_format(&list, "%s%" PRId64, i == 0 ? "" : i + 1 == p->of_count ? " or " : ", ", p->of[i]);
  }
  err_set(err, ErrInput, "%s=%" PRId64 ", expected %s", p->rtl, value, text_string(&list));
  text_free(&list);
  return false;
}

const void *unit_set_params(const unit_info_t *info, const char *name) {
  const unit_set_t *set = info->sets;
  while (set->name && strcmp(set->name, name) != 0) {
    set++;
  }
  return set->params;
}

bool unit_params_allowed(const unit_info_t *info, const void *params, err_t *err) {
  for (const unit_param_t *p = info->params; p->name; p++) {
    if (!is_allowed(p, param_value(p, params), err)) {
      return false;
    }
  }
  return true;
}

bool unit_params_read(const unit_info_t *info, const char *text, void *params, err_t *err) {
  memcpy(params, info->defaults, info->params_size);
  char name[64];
  long long value;
  for (int used = 0; sscanf(text, " %63[A-Za-z0-9]=%lld%n", name, &value, &used) == 2;
       text += used) {
    const unit_param_t *p = info->params;
    while (p->name && strcmp(p->rtl, name) != 0) {
      p++;
    }
    if (!p->name) {
      err_set(err, ErrInput, "%s: no such parameter of %s", name, info->name);
      return false;
    }
    if (!is_allowed(p, value, err)) {
      return false;
    }
    memcpy((uint8_t *)params + p->offset, &value, p->size);
  }
  if (text[strspn(text, " \n")]) {
    err_set(err, ErrInput, "parameters of %s: %s: expected NAME=NUMBER", info->name, text);
    return false;
  }
  return true;
}

// ---- Coverage by the tables ----

// Clears the bytes that fields hold; the first one that is left is in no field.
static bool is_struct_covered(const unit_info_t *info, const char *what, uint8_t *bytes,
                              size_t size, const unit_field_t *fields, err_t *err) {
  for (const unit_field_t *f = fields; f->name; f++) {
    memset(bytes + f->offset, 0, (size_t)f->size * f->count);
  }
  size_t at = 0;
  while (at < size && bytes[at] == 0) {
    at++;
  }
  const unit_field_t *before = NULL;
  for (const unit_field_t *f = fields; f->name; f++) {
    before = f->offset < at && (!before || f->offset > before->offset) ? f : before;
  }
  if (at < size) {
    err_set(err, ErrInput, "%s: byte %zu of %s, after %s, is in no field of its table", info->name,
            at, what, before ? before->name : "the start");
  }
  return at == size;
}

bool unit_is_covered(const unit_info_t *info, err_t *err) {
  uint8_t *bytes = calloc(1, info->in_size + info->out_size + info->state_size + 1);
  if (!bytes) {
    err_set(err, ErrMachine, "out of memory");
    return false;
  }
  uint8_t *out = bytes + info->in_size, *state = out + info->out_size;
  info->members(bytes, out, state);
  const bool is_covered =
      is_struct_covered(info, "in", bytes, info->in_size, info->in, err) &&
      is_struct_covered(info, "out", out, info->out_size, info->out, err) &&
      is_struct_covered(info, "state", state, info->state_size, info->state, err);
  free(bytes);
  return is_covered;
}
