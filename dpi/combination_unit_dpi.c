// Answers the DPI-C imports of dpi/combination_unit_pkg.sv.
#include <string.h>

#include "Vtb_combination_unit__Dpi.h"
#include "csim/unit/combination_unit.h"
#include "dpi/dpi_context.h"

static const combination_unit_in_t *in_of(void *h) { return ((const dpi_context_t *)h)->in; }
static combination_unit_out_t *out_of(void *h) { return ((const dpi_context_t *)h)->out; }

void *combination_unit_dpi_context(void) { return dpi_context_current; }

void combination_unit_dpi_get(void *h, unsigned short *flags, unsigned char *epoch) {
  const combination_unit_in_t *in = in_of(h);
  *flags = (unsigned short)(in->data_valid | in->data.failed << 1 | in->take_ready << 2 |
                            in->run_valid << 3 | in->run.is_void << 4 | in->run.last << 5 |
                            in->request_valid << 6 | in->request.refused << 7 |
                            in->parent_valid << 8 | in->parent.failed << 9 |
                            in->response_ready << 10 | in->peek_valid << 11);
  *epoch = in->epoch;
}

void combination_unit_dpi_get_data(void *h, unsigned short *tag, unsigned char *epoch,
                                   svBitVecVal *data) {
  const atfim_data_t *d = &in_of(h)->data;
  *tag = d->tag;
  *epoch = d->epoch;
  memcpy(data, d->data, sizeof d->data);
}

void combination_unit_dpi_get_run(void *h, unsigned char *parent, unsigned char *first,
                                  unsigned char *count, unsigned char *ratio,
                                  svBitVecVal *texel) {
  const atfim_run_t *run = &in_of(h)->run;
  *parent = run->parent;
  *first = run->first;
  *count = run->count;
  *ratio = run->ratio;
  texel[0] = texel[1] = 0;
  for (int i = 0; i < AtfimMaxRatio; i++) {
    texel[i / 8] |= (svBitVecVal)(run->texel[i] & 15) << (i % 8 * 4);
  }
}

void combination_unit_dpi_get_request(void *h, unsigned short *id, unsigned char *epoch,
                                      unsigned char *mask, unsigned char *ratio) {
  const atfim_request_t *request = &in_of(h)->request;
  *id = request->id;
  *epoch = request->epoch;
  *mask = request->mask;
  *ratio = request->ratio;
}

void combination_unit_dpi_get_parent(void *h, unsigned char *id, unsigned long long *value) {
  const atfim_parent_t *parent = &in_of(h)->parent;
  *id = parent->id;
  *value = 0;
  for (int c = 0; c < 4; c++) {
    *value |= (unsigned long long)(parent->value[c] & 0xfff) << (12 * c);
  }
}

unsigned char combination_unit_dpi_get_peek(void *h) { return in_of(h)->peek_index; }

void combination_unit_dpi_put(void *h, unsigned short flags, unsigned char error,
                              unsigned short take_tag, unsigned char update_index,
                              unsigned char update_count, unsigned long long update_sum,
                              unsigned long long peek_data) {
  combination_unit_out_t *out = out_of(h);
  // The response is 0 while it is not valid; the test bench asserts that.
  if (out->response_valid && !(flags >> 8 & 1)) {
    memset(out->response, 0, sizeof out->response);
  }
  out->quiescent = flags & 1;
  out->error = error;
  out->data_ready = flags >> 1 & 1;
  out->take_valid = flags >> 2 & 1;
  out->take_tag = take_tag;
  out->run_ready = flags >> 3 & 1;
  out->update_valid = flags >> 4 & 1;
  out->update.failed = flags >> 5 & 1;
  out->update.index = update_index;
  out->update.count = update_count;
  for (int c = 0; c < 4; c++) {
    out->update.sum[c] = update_sum >> (12 * c) & 0xfff;
  }
  out->request_ready = flags >> 6 & 1;
  out->parent_ready = flags >> 7 & 1;
  out->response_valid = flags >> 8 & 1;
  out->peek_data = peek_data;
}

void combination_unit_dpi_put_response(void *h, const svBitVecVal *response) {
  memcpy(out_of(h)->response, response, sizeof out_of(h)->response);
}
