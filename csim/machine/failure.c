// SPDX-License-Identifier: Apache-2.0
#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

bool failure_set(failure_t *f, machine_status_e status, uint64_t now, const char *format, ...) {
  if (f->status != MachineDone) {
    return false;
  }
  f->status = status;
  int n = snprintf(f->text, sizeof f->text, "cycle %llu: ", (unsigned long long)now);
  va_list args;
  va_start(args, format);
  vsnprintf(f->text + n, sizeof f->text - (size_t)n, format, args);
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

bool failure_check(failure_t *f, uint64_t now, const unit_info_t *unit, int instance,
                   unit_status_e status, uint8_t error) {
  if (status == UnitOk && error == 0) {
    return true;
  }
  char number[16] = "";
  if (instance != FailureOnly) {
    snprintf(number, sizeof number, " %d", instance);
  }
  if (status != UnitOk) {
    return failure_set(f, MachineUnitFailed, now, "%s%s", unit->name, number);
  }
  return failure_set(f, MachineProtocol, now, "%s%s: error_o = %u (%s)", unit->name, number, error,
                     error_name(unit, error));
}
