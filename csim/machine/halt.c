// SPDX-License-Identifier: Apache-2.0
#include "halt.h"

#include <stdarg.h>
#include <stdio.h>

bool halt_set(halt_t *h, machine_status_e status, uint64_t now, const char *format, ...) {
  if (h->status != MachineDone) {
    return false;
  }
  h->status = status;
  text_format(&h->text, "cycle %llu: ", (unsigned long long)now);
  va_list args;
  va_start(args, format);
  text_vformat(&h->text, format, args);
  va_end(args);
  return false;
}

static const char *error_name(const unit_info_t *unit, uint8_t error) {
  for (const unit_field_t *f = unit->out; f->name; f++) {
    for (uint32_t i = 0; f->role == UnitRoleError && f->values && f->values[i]; i++) {
      if (i == error) {
        return f->values[i];
      }
    }
  }
  return "?";
}

bool halt_check(halt_t *h, uint64_t now, const unit_info_t *unit, int instance,
                unit_status_e status, uint8_t error) {
  if (status == UnitOk && error == 0) {
    return true;
  }
  char number[16] = "";
  if (instance != HaltOnly) {
    snprintf(number, sizeof number, " %d", instance);
  }
  if (status != UnitOk) {
    return halt_set(h, MachineUnitFailed, now, "%s%s", unit->name, number);
  }
  return halt_set(h, MachineProtocol, now, "%s%s: error_o = %u (%s)", unit->name, number, error,
                  error_name(unit, error));
}
