// A Verilated unit in a shared object, built on demand under build/units.
#ifndef NOCTURNE_HARNESS_RTL_MODEL_H
#define NOCTURNE_HARNESS_RTL_MODEL_H

#include "lockstep.h"

// kind: plain, trace, cover or toggle. *lacking: the machine has no simulator.
bool rtl_model_open(rtl_model_t *m, const char *unit, const char *params, const char *kind,
                    uint64_t seed, dpi_context_t *context, bool *lacking,
                    char error[HarnessErrorSize]);
void rtl_model_close(rtl_model_t *m);

#endif
