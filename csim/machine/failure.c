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
