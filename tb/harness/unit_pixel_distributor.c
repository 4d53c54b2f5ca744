#include "lockstep.h"
bool harness_pixel_distributor(void *context, const pixel_distributor_params_t *p,
                               uint32_t instance, pixel_distributor_t *engine,
                               char error[HarnessErrorSize]) {
  (void)context; (void)p; (void)instance; (void)engine;
  snprintf(error, HarnessErrorSize, "no pixel distributor yet");
  return false;
}
