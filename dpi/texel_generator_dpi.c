// Answers the DPI-C imports of dpi/texel_generator_pkg.sv.
#include <string.h>

#include "Vtb_texel_generator__Dpi.h"
#include "csim/unit/texel_generator.h"
#include "dpi/dpi_context.h"

static const texel_generator_in_t *in_of(void *h) { return ((const dpi_context_t *)h)->in; }
static texel_generator_out_t *out_of(void *h) { return ((const dpi_context_t *)h)->out; }

void *texel_generator_dpi_context(void) { return dpi_context_current; }

void texel_generator_dpi_get(void *h, unsigned char *flags, unsigned char *epoch) {
  const texel_generator_in_t *in = in_of(h);
  *flags = (unsigned char)(in->descriptor_valid | in->package_valid << 1 | in->request_ready << 2 |
                           in->parent_free << 3 | in->beat_ready << 4 | in->peek_valid << 5);
  *epoch = in->epoch;
}

void texel_generator_dpi_get_descriptor(void *h, unsigned short *index, unsigned int *base,
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

void texel_generator_dpi_get_package(void *h, svBitVecVal *value) {
  memcpy(value, in_of(h)->package, sizeof in_of(h)->package);
}

void texel_generator_dpi_get_peek(void *h, unsigned char *select, unsigned short *index) {
  *select = in_of(h)->peek_select;
  *index = in_of(h)->peek_index;
}

void texel_generator_dpi_put(void *h, unsigned char flags, unsigned char error,
                             unsigned long long peek_data) {
  texel_generator_out_t *out = out_of(h);
  // The payload of a stream that is not valid is 0; the test bench asserts that.
  if (out->request_valid && !(flags >> 2 & 1)) {
    memset(&out->request, 0, sizeof out->request);
  }
  if (out->alloc_valid && !(flags >> 3 & 1)) {
    memset(&out->alloc, 0, sizeof out->alloc);
  }
  if (out->beat_valid && !(flags >> 4 & 1)) {
    memset(&out->beat, 0, sizeof out->beat);
  }
  out->quiescent = flags & 1;
  out->package_ready = flags >> 1 & 1;
  out->request_valid = flags >> 2 & 1;
  out->alloc_valid = flags >> 3 & 1;
  out->beat_valid = flags >> 4 & 1;
  out->error = error;
  out->peek_data = peek_data;
}

void texel_generator_dpi_put_request(void *h, unsigned short id, unsigned char epoch,
                                     unsigned char mask, unsigned char ratio,
                                     unsigned char refused) {
  out_of(h)->request = (atfim_request_t){id, epoch, mask, ratio, refused};
}

void texel_generator_dpi_put_alloc(void *h, unsigned char index, unsigned char id,
                                   unsigned char ratio) {
  out_of(h)->alloc = (atfim_alloc_t){index, id, ratio};
}

void texel_generator_dpi_put_beat(void *h, unsigned char parent, unsigned char ratio,
                                  const svBitVecVal *line, const svBitVecVal *texel) {
  atfim_beat_t *beat = &out_of(h)->beat;
  beat->parent = parent;
  beat->ratio = ratio;
  memcpy(beat->line, line, sizeof beat->line);
  for (int i = 0; i < AtfimMaxRatio; i++) {
    beat->texel[i] = texel[i / 8] >> (i % 8 * 4) & 15;
  }
}
