// Answers the DPI-C imports of dpi/composition_scheduler_pkg.sv.
#include "Vtb_composition_scheduler__Dpi.h"
#include "csim/unit/composition_scheduler.h"
#include "dpi/dpi_context.h"

void *composition_scheduler_dpi_context(void) { return dpi_context_current; }

void composition_scheduler_dpi_get(void *context_h, unsigned long long *message_valid,
                                   unsigned char *start_ready,
                                   unsigned long long *release_ready) {
  const composition_scheduler_in_t *in = ((const dpi_context_t *)context_h)->in;
  *message_valid = in->message_valid;
  *start_ready = in->start_ready;
  *release_ready = in->release_ready;
}

unsigned char composition_scheduler_dpi_message(void *context_h, unsigned int gpu) {
  const composition_scheduler_in_t *in = ((const dpi_context_t *)context_h)->in;
  return in->message[gpu];
}

void composition_scheduler_dpi_put(void *context_h, unsigned char quiescent, unsigned char error,
                                   unsigned char start_valid, unsigned char start_front,
                                   unsigned char start_source, unsigned char start_destination,
                                   unsigned char start_cgid, unsigned long long release_valid) {
  composition_scheduler_out_t *out = ((const dpi_context_t *)context_h)->out;
  out->quiescent = quiescent;
  out->error = error;
  out->start_valid = start_valid;
  out->start_front = start_front;
  out->start_source = start_source;
  out->start_destination = start_destination;
  out->start_cgid = start_cgid;
  out->release_valid = release_valid;
}

void composition_scheduler_dpi_put_flags(void *context_h, unsigned long long ready,
                                         unsigned long long receiving,
                                         unsigned long long sending) {
  composition_scheduler_state_t *s = ((const dpi_context_t *)context_h)->state;
  s->ready = ready;
  s->receiving = receiving;
  s->sending = sending;
}

void composition_scheduler_dpi_put_row(void *context_h, unsigned int gpu, unsigned char cgid,
                                       unsigned long long sent, unsigned long long received) {
  composition_scheduler_state_t *s = ((const dpi_context_t *)context_h)->state;
  s->cgid[gpu] = cgid;
  s->sent[gpu] = sent;
  s->received[gpu] = received;
}
