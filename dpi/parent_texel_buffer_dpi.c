// Answers the DPI-C imports of dpi/parent_texel_buffer_pkg.sv.
#include "Vtb_parent_texel_buffer__Dpi.h"
#include "csim/unit/parent_texel_buffer.h"
#include "dpi/dpi_context.h"

void *parent_texel_buffer_dpi_context(void) { return dpi_context_current; }

void parent_texel_buffer_dpi_get(void *h, unsigned char *flags, unsigned char *alloc_index,
                                 unsigned char *alloc_id, unsigned char *alloc_ratio,
                                 unsigned char *update_index, unsigned char *update_count,
                                 unsigned long long *update_sum, unsigned char *peek_index) {
  const parent_texel_buffer_in_t *in = ((const dpi_context_t *)h)->in;
  *flags = (unsigned char)(in->alloc_valid | in->update_valid << 1 | in->update.failed << 2 |
                           in->parent_ready << 3 | in->peek_valid << 4);
  *alloc_index = in->alloc.index;
  *alloc_id = in->alloc.id;
  *alloc_ratio = in->alloc.ratio;
  *update_index = in->update.index;
  *update_count = in->update.count;
  *update_sum = 0;
  for (int c = 0; c < 4; c++) {
    *update_sum |= (unsigned long long)(in->update.sum[c] & 0xfff) << (12 * c);
  }
  *peek_index = in->peek_index;
}

void parent_texel_buffer_dpi_put(void *h, unsigned char flags, unsigned char error,
                                 unsigned char parent_id, unsigned long long parent_value,
                                 unsigned char alloc_index, unsigned char alloc_id,
                                 unsigned char alloc_ratio,
                                 unsigned char update_index, unsigned long long update_word,
                                 unsigned long long peek_data) {
  parent_texel_buffer_out_t *out = ((const dpi_context_t *)h)->out;
  out->quiescent = flags & 1;
  out->error = error;
  out->parent_valid = flags >> 1 & 1;
  out->parent.failed = flags >> 2 & 1;
  out->parent.id = parent_id;
  for (int c = 0; c < 4; c++) {
    out->parent.value[c] = parent_value >> (12 * c) & 0xfff;
  }
  out->writes = (parent_texel_buffer_writes_t){
      .alloc_valid = flags >> 3 & 1, .alloc_index = alloc_index, .alloc_id = alloc_id,
      .alloc_ratio = alloc_ratio,
      .update_valid = flags >> 4 & 1, .update_index = update_index, .update_word = update_word};
  out->peek_data = peek_data;
}
