// Answers the DPI-C imports of dpi/offload_unit_pkg.sv.
#include <string.h>

#include "Vtb_offload_unit__Dpi.h"
#include "csim/unit/offload_unit.h"
#include "dpi/dpi_context.h"

static const offload_unit_in_t *in_of(void *h) { return ((const dpi_context_t *)h)->in; }
static offload_unit_out_t *out_of(void *h) { return ((const dpi_context_t *)h)->out; }

void *offload_unit_dpi_context(void) { return dpi_context_current; }

void offload_unit_dpi_get(void *h, unsigned char *flags, unsigned long long *request_valid,
                          unsigned long long *answer_ready, unsigned char *reissue_epoch,
                          unsigned char *peek_index) {
  const offload_unit_in_t *in = in_of(h);
  *flags = (unsigned char)(in->reissue_valid | in->package_ready << 1 | in->response_valid << 2 |
                           in->peek_valid << 3);
  *request_valid = in->request_valid;
  *answer_ready = in->answer_ready;
  *reissue_epoch = in->reissue_epoch;
  *peek_index = in->peek_index;
}

void offload_unit_dpi_get_request(void *h, unsigned int unit, svBitVecVal *value) {
  memcpy(value, in_of(h)->request[unit], sizeof in_of(h)->request[unit]);
}

void offload_unit_dpi_get_response(void *h, svBitVecVal *value) {
  memcpy(value, in_of(h)->response, sizeof in_of(h)->response);
}

void offload_unit_dpi_put(void *h, unsigned char flags, unsigned char error,
                          unsigned long long request_ready, unsigned long long answer_valid,
                          unsigned char epoch, unsigned long long peek_data) {
  offload_unit_out_t *out = out_of(h);
  offload_unit_state_t *state = ((const dpi_context_t *)h)->state;
  // The payload of a stream that is not valid is 0; the test bench asserts that.
  memset(out->package, 0, sizeof out->package);
  out->answer_slot = out->answer_mask = out->answer_failed = 0;
  out->answer_refused = false;
  memset(out->answer_texel, 0, sizeof out->answer_texel);
  out->quiescent = flags & 1;
  out->package_valid = flags >> 1 & 1;
  out->response_ready = flags >> 2 & 1;
  out->error = error;
  out->request_ready = request_ready;
  out->answer_valid = answer_valid;
  out->peek_data = peek_data;
  state->epoch = epoch;
}

void offload_unit_dpi_put_package(void *h, const svBitVecVal *value) {
  memcpy(out_of(h)->package, value, sizeof out_of(h)->package);
}

void offload_unit_dpi_put_answer(void *h, unsigned char slot, unsigned char mask,
                                 unsigned char failed, unsigned char refused,
                                 const svBitVecVal *texel) {
  offload_unit_out_t *out = out_of(h);
  out->answer_slot = slot;
  out->answer_mask = mask;
  out->answer_failed = failed;
  out->answer_refused = refused;
  memcpy(out->answer_texel, texel, sizeof out->answer_texel);
}

void offload_unit_dpi_put_unit(void *h, unsigned int unit, unsigned int free,
                               unsigned int pending, unsigned int waiting,
                               unsigned char request_slot) {
  offload_unit_state_t *state = ((const dpi_context_t *)h)->state;
  state->free[unit] = free;
  state->pending[unit] = pending;
  state->waiting[unit] = waiting;
  out_of(h)->request_slot[unit] = request_slot;
}
