// Answers the DPI-C imports of dpi/child_consolidation_pkg.sv.
#include <string.h>

#include "Vtb_child_consolidation__Dpi.h"
#include "csim/unit/child_consolidation.h"
#include "dpi/dpi_context.h"

static const child_consolidation_in_t *in_of(void *h) { return ((const dpi_context_t *)h)->in; }
static child_consolidation_out_t *out_of(void *h) { return ((const dpi_context_t *)h)->out; }

void *child_consolidation_dpi_context(void) { return dpi_context_current; }

void child_consolidation_dpi_get(void *h, unsigned char *flags, unsigned short *take_tag,
                                 unsigned char *peek_select, unsigned char *peek_index) {
  const child_consolidation_in_t *in = in_of(h);
  *flags = (unsigned char)(in->beat_valid | in->read_ready << 1 | in->take_valid << 2 |
                           in->run_ready << 3 | in->peek_valid << 4);
  *take_tag = in->take_tag;
  *peek_select = in->peek_select;
  *peek_index = in->peek_index;
}

void child_consolidation_dpi_get_beat(void *h, unsigned char *parent, unsigned char *ratio,
                                      svBitVecVal *line, svBitVecVal *texel) {
  const atfim_beat_t *beat = &in_of(h)->beat;
  *parent = beat->parent;
  *ratio = beat->ratio;
  memcpy(line, beat->line, sizeof beat->line);
  texel[0] = texel[1] = 0;
  for (int i = 0; i < AtfimMaxRatio; i++) {
    texel[i / 8] |= (svBitVecVal)(beat->texel[i] & 15) << (i % 8 * 4);
  }
}

void child_consolidation_dpi_put(void *h, unsigned char flags, unsigned char error,
                                 unsigned long long peek_data) {
  child_consolidation_out_t *out = out_of(h);
  // The payload of what is not valid is 0; the test bench asserts that.
  if (out->read_valid) {
    memset(&out->read, 0, sizeof out->read);
  }
  if (out->run_valid) {
    memset(&out->run, 0, sizeof out->run);
  }
  memset(&out->writes, 0, sizeof out->writes);
  out->quiescent = flags & 1;
  out->beat_ready = flags >> 1 & 1;
  out->take_ready = flags >> 2 & 1;
  out->read_valid = flags >> 3 & 1;
  out->run_valid = flags >> 4 & 1;
  out->writes.insert_valid = flags >> 5 & 1;
  out->writes.close_valid = flags >> 6 & 1;
  out->error = error;
  out->peek_data = peek_data;
}

void child_consolidation_dpi_put_read(void *h, unsigned short tag, unsigned int line) {
  out_of(h)->read = (atfim_read_t){tag, line};
}

void child_consolidation_dpi_put_run(void *h, unsigned char is_void, unsigned char is_last,
                                     unsigned char parent, unsigned char first,
                                     unsigned char count, unsigned char ratio,
                                     const svBitVecVal *texel) {
  atfim_run_t *run = &out_of(h)->run;
  run->is_void = is_void;
  run->last = is_last;
  run->parent = parent;
  run->first = first;
  run->count = count;
  run->ratio = ratio;
  for (int i = 0; i < AtfimMaxRatio; i++) {
    run->texel[i] = texel[i / 8] >> (i % 8 * 4) & 15;
  }
}

void child_consolidation_dpi_put_insert(void *h, unsigned char index, unsigned char parent,
                                        unsigned char first, unsigned char count,
                                        unsigned char slot, unsigned char is_new) {
  child_consolidation_writes_t *writes = &out_of(h)->writes;
  writes->insert_index = index;
  writes->insert_parent = parent;
  writes->insert_first = first;
  writes->insert_count = count;
  writes->insert_slot = slot;
  writes->insert_new = is_new;
}

void child_consolidation_dpi_put_close(void *h, unsigned char slot) {
  out_of(h)->writes.close_slot = slot;
}
