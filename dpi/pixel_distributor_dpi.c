// Answers the DPI-C imports of dpi/pixel_distributor_pkg.sv.
#include <string.h>

#include "Vtb_pixel_distributor__Dpi.h"
#include "csim/unit/pixel_distributor.h"
#include "dpi/dpi_context.h"

enum { SendData, BeatIn, ReceiveData, BeatOut, Write, ReceiveRead };

static const pixel_distributor_in_t *in_of(void *h) { return ((const dpi_context_t *)h)->in; }
static pixel_distributor_out_t *out_of(void *h) { return ((const dpi_context_t *)h)->out; }

void *pixel_distributor_dpi_context(void) { return dpi_context_current; }

void pixel_distributor_dpi_get(void *h, unsigned int *flags, unsigned char *gpu) {
  const pixel_distributor_in_t *in = in_of(h);
  *gpu = in->gpu;
  *flags = (unsigned)in->config_valid | (unsigned)in->clear << 1 | (unsigned)in->touch_valid << 2 |
           (unsigned)in->start_valid << 3 | (unsigned)in->send_read_ready << 4 |
           (unsigned)in->send_data_valid << 5 | (unsigned)in->beat_out_ready << 6 |
           (unsigned)in->begin_valid << 7 | (unsigned)in->beat_in_valid << 8 |
           (unsigned)in->receive_read_ready << 9 | (unsigned)in->receive_data_valid << 10 |
           (unsigned)in->write_ready << 11 | (unsigned)in->done_ready << 12 |
           (unsigned)in->peek_valid << 13;
}

void pixel_distributor_dpi_get_config(void *h, unsigned short *width, unsigned short *height,
                                      unsigned char *map, unsigned char *work_tile) {
  const pixel_distributor_in_t *in = in_of(h);
  *width = in->config_width;
  *height = in->config_height;
  *map = in->config_map;
  *work_tile = in->config_work_tile;
}

void pixel_distributor_dpi_get_touch(void *h, unsigned short *x, unsigned short *y,
                                     unsigned short *stamps) {
  const pixel_distributor_in_t *in = in_of(h);
  *x = in->touch_x;
  *y = in->touch_y;
  *stamps = in->touch_stamps;
}

void pixel_distributor_dpi_get_begin(void *h, unsigned char *flags, unsigned char *op,
                                     unsigned char *depth_func, unsigned char *color_mask) {
  const pixel_distributor_in_t *in = in_of(h);
  *flags = (unsigned char)(in->begin_front | in->begin_transparent << 1 |
                           in->begin_depth_write << 2 | in->begin_tag_enable << 3 |
                           in->begin_test_base << 4);
  *op = in->begin_operator;
  *depth_func = in->begin_depth_func;
  *color_mask = in->begin_color_mask;
}

void pixel_distributor_dpi_get_peek(void *h, unsigned char *select, unsigned int *index) {
  *select = in_of(h)->peek_select;
  *index = in_of(h)->peek_index;
}

unsigned char pixel_distributor_dpi_get_start(void *h) { return in_of(h)->start_destination; }

unsigned int pixel_distributor_dpi_get_mask(void *h, unsigned int stream) {
  const pixel_distributor_in_t *in = in_of(h);
  return stream == SendData ? in->send_data_written
         : stream == BeatIn ? in->beat_in.pieces.mask
                            : in->receive_data_written;
}

unsigned char pixel_distributor_dpi_get_kind(void *h) { return in_of(h)->beat_in.kind; }

unsigned short pixel_distributor_dpi_get_piece(void *h, unsigned int slot) {
  return in_of(h)->beat_in.pieces.piece[slot];
}

unsigned long long pixel_distributor_dpi_get_word(void *h, unsigned int stream,
                                                  unsigned int word) {
  const pixel_distributor_in_t *in = in_of(h);
  return stream == SendData ? in->send_data[word]
         : stream == BeatIn ? in->beat_in.data[word]
                            : in->receive_data[word];
}

void pixel_distributor_dpi_put(void *h, unsigned int flags, unsigned char error,
                               unsigned long long peek_data) {
  pixel_distributor_out_t *out = out_of(h);
  // The payload of a stream that is not valid is 0; the test bench asserts that.
  if (out->beat_out_valid && !(flags >> 8 & 1)) {
    memset(&out->beat_out, 0, sizeof out->beat_out);
  }
  if (out->receive_read_valid && !(flags >> 10 & 1)) {
    memset(&out->receive_read, 0, sizeof out->receive_read);
    out->receive_read_tile = 0;
  }
  if (out->write_valid && !(flags >> 12 & 1)) {
    memset(&out->write, 0, sizeof out->write);
    memset(out->write_data, 0, sizeof out->write_data);
    out->write_tile = 0;
  }
  if (!(flags >> 4 & 1)) {
    out->owner_write_tile = out->owner_write_owner = 0;
  }
  if (!(flags >> 5 & 1)) {
    out->map_write_tile = out->map_write_block = 0;
    out->map_write_blocks = out->map_write_stamps = 0;
  }
  if (!(flags >> 6 & 1)) {
    out->send_read_address = 0;
  }
  out->quiescent = flags & 1;
  out->sending = flags >> 1 & 1;
  out->receiving = flags >> 2 & 1;
  out->config_ready = flags >> 3 & 1;
  out->owner_write_valid = flags >> 4 & 1;
  out->map_write_valid = flags >> 5 & 1;
  out->send_read_valid = flags >> 6 & 1;
  out->send_data_ready = flags >> 7 & 1;
  out->beat_out_valid = flags >> 8 & 1;
  out->beat_in_ready = flags >> 9 & 1;
  out->receive_read_valid = flags >> 10 & 1;
  out->receive_data_ready = flags >> 11 & 1;
  out->write_valid = flags >> 12 & 1;
  out->done_valid = flags >> 13 & 1;
  out->error = error;
  out->peek_data = peek_data;
}

void pixel_distributor_dpi_put_owner(void *h, unsigned int tile, unsigned char owner) {
  out_of(h)->owner_write_tile = tile;
  out_of(h)->owner_write_owner = owner;
}

void pixel_distributor_dpi_put_map(void *h, unsigned int tile, unsigned char block,
                                   unsigned long long blocks, unsigned short stamps) {
  pixel_distributor_out_t *out = out_of(h);
  out->map_write_tile = tile;
  out->map_write_block = block;
  out->map_write_blocks = blocks;
  out->map_write_stamps = stamps;
}

void pixel_distributor_dpi_put_address(void *h, unsigned int address) {
  out_of(h)->send_read_address = address;
}

void pixel_distributor_dpi_put_head(void *h, unsigned int stream, unsigned int value,
                                    unsigned int mask) {
  pixel_distributor_out_t *out = out_of(h);
  switch (stream) {
    case BeatOut:
      out->beat_out.kind = (uint8_t)value;
      out->beat_out.pieces.mask = mask;
      break;
    case Write:
      out->write_tile = value;
      out->write.mask = mask;
      break;
    default:
      out->receive_read_tile = value;
      out->receive_read.mask = mask;
  }
}

void pixel_distributor_dpi_put_piece(void *h, unsigned int stream, unsigned int slot,
                                     unsigned short piece) {
  pixel_distributor_out_t *out = out_of(h);
  pixel_distributor_pieces_t *p = stream == BeatOut ? &out->beat_out.pieces
                                  : stream == Write ? &out->write
                                                    : &out->receive_read;
  p->piece[slot] = piece;
}

void pixel_distributor_dpi_put_word(void *h, unsigned int stream, unsigned int word,
                                    unsigned long long value) {
  pixel_distributor_out_t *out = out_of(h);
  (stream == BeatOut ? out->beat_out.data : out->write_data)[word] = value;
}
