// Answers the DPI-C imports of dpi/atfim_pkg.sv.
#include <string.h>

#include "Vtb_atfim__Dpi.h"
#include "csim/unit/atfim.h"
#include "dpi/dpi_context.h"

static const atfim_in_t *in_of(void *h) { return ((const dpi_context_t *)h)->in; }
static atfim_out_t *out_of(void *h) { return ((const dpi_context_t *)h)->out; }

void *atfim_dpi_context(void) { return dpi_context_current; }

void atfim_dpi_get(void *h, unsigned char *flags, unsigned char *epoch) {
  const atfim_in_t *in = in_of(h);
  *flags = (unsigned char)(in->descriptor_valid | in->package_valid << 1 |
                           in->child_read_ready << 2 | in->child_data_valid << 3 |
                           in->child_data.failed << 4 | in->response_ready << 5 |
                           in->peek_valid << 6);
  *epoch = in->epoch;
}

void atfim_dpi_get_descriptor(void *h, unsigned short *index, unsigned int *base,
                              unsigned short *width, unsigned short *height,
                              unsigned char *wrap_x, unsigned char *wrap_y) {
  const atfim_descriptor_t *d = &in_of(h)->descriptor;
  *index = d->index;
  *base = d->base;
  *width = d->width;
  *height = d->height;
  *wrap_x = d->wrap_x;
  *wrap_y = d->wrap_y;
}

void atfim_dpi_get_package(void *h, svBitVecVal *value) {
  memcpy(value, in_of(h)->package, sizeof in_of(h)->package);
}

void atfim_dpi_get_data(void *h, unsigned short *tag, unsigned char *epoch, svBitVecVal *data) {
  const atfim_data_t *d = &in_of(h)->child_data;
  *tag = d->tag;
  *epoch = d->epoch;
  memcpy(data, d->data, sizeof d->data);
}

void atfim_dpi_get_peek(void *h, unsigned char *unit, unsigned char *select,
                        unsigned short *index) {
  const atfim_in_t *in = in_of(h);
  *unit = in->peek_unit;
  *select = in->peek_select;
  *index = in->peek_index;
}

void atfim_dpi_put(void *h, unsigned short flags, unsigned short error,
                   unsigned long long peek_data) {
  atfim_out_t *out = out_of(h);
  // What is not valid is 0; the test bench asserts that. What is follows.
  if (out->child_read_valid) {
    out->child_read = (atfim_read_t){0};
  }
  if (out->response_valid) {
    memset(out->response, 0, sizeof out->response);
  }
  out->consolidation_writes = (child_consolidation_writes_t){
      .insert_valid = flags >> 5 & 1, .insert_new = flags >> 6 & 1, .close_valid = flags >> 7 & 1};
  out->buffer_writes = (parent_texel_buffer_writes_t){
      .alloc_valid = flags >> 8 & 1, .update_valid = flags >> 9 & 1};
  out->quiescent = flags & 1;
  out->package_ready = flags >> 1 & 1;
  out->child_read_valid = flags >> 2 & 1;
  out->child_data_ready = flags >> 3 & 1;
  out->response_valid = flags >> 4 & 1;
  out->error = error;
  out->peek_data = peek_data;
}

void atfim_dpi_put_read(void *h, unsigned short tag, unsigned int line) {
  out_of(h)->child_read = (atfim_read_t){.tag = tag, .line = line};
}

void atfim_dpi_put_response(void *h, const svBitVecVal *response) {
  memcpy(out_of(h)->response, response, sizeof out_of(h)->response);
}

void atfim_dpi_put_insert(void *h, unsigned char index, unsigned char parent,
                          unsigned char first, unsigned char count, unsigned char slot) {
  child_consolidation_writes_t *writes = &out_of(h)->consolidation_writes;
  writes->insert_index = index;
  writes->insert_parent = parent;
  writes->insert_first = first;
  writes->insert_count = count;
  writes->insert_slot = slot;
}

void atfim_dpi_put_close(void *h, unsigned char slot) {
  out_of(h)->consolidation_writes.close_slot = slot;
}

void atfim_dpi_put_alloc(void *h, unsigned char index, unsigned char id, unsigned char ratio) {
  out_of(h)->buffer_writes.alloc_index = index;
  out_of(h)->buffer_writes.alloc_id = id;
  out_of(h)->buffer_writes.alloc_ratio = ratio;
}

void atfim_dpi_put_update(void *h, unsigned char index, unsigned long long word) {
  out_of(h)->buffer_writes.update_index = index;
  out_of(h)->buffer_writes.update_word = word;
}
