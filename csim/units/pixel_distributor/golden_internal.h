// SPDX-License-Identifier: Apache-2.0
// The state that the parts of the pixel distributor's golden model share, and each one's step.
// Only the files of this folder include it. The sections are those of
// docs/units/pixel_distributor.md.
#ifndef NOCTURNE_UNITS_PIXEL_DISTRIBUTOR_GOLDEN_INTERNAL_H
#define NOCTURNE_UNITS_PIXEL_DISTRIBUTOR_GOLDEN_INTERNAL_H

#include <string.h>

#include "golden.h"

enum { MaxPieces = PixelDistributorMaxPieces, MaxPixels = PixelDistributorMaxPixels };

typedef enum { FillRows, FillVisit, FillTiles, FillSplit } fill_e;
typedef enum { FetchIdle, FetchHead, FetchRead, FetchPush } fetch_e;
typedef enum { TokenHeader, TokenGranule, TokenEnd } token_e;

typedef struct {
  uint32_t x, y, w, h, g, n;
} rect_t;
typedef struct {
  uint32_t tile;
  uint64_t bitmap;
} tile_entry_t;

typedef struct {
  bool header, last;
  uint32_t tile, block;
  uint64_t bitmap;
  uint16_t stamps;
} block_entry_t;

typedef struct {
  uint8_t kind;
  bool last;
  uint32_t tile, granule;  // granule: its number in the tile
  uint64_t bitmap;
  uint8_t stamps;  // that it covers, touched
} token_t;

typedef struct {
  uint16_t piece;
  uint8_t mask;
  uint64_t data[4];
} piece_t;

typedef struct {
  uint32_t tile;
  pixel_distributor_pieces_t pieces;
  uint64_t data[MaxPixels];
} merge_t;

typedef struct {
  uint32_t head, count;
} ring_t;

typedef struct {
  pixel_distributor_params_t p;
  uint32_t pixels, piece_pixels, pieces, blocks, pitch, tiles, cells;
  uint64_t all_blocks;
  // Configuration and fill
  bool configured, filling;
  uint32_t width, height, map, work, tiles_x, tiles_y;
  fill_e fill;
  uint32_t fx, fy, split_left;
  rect_t current, stack[UnitMaxGpus + 1];
  uint32_t stack_count;
  uint32_t owned[UnitMaxGpus];
  uint8_t *owner;
  // Touched map
  uint8_t *touched;
  uint64_t *bitmap;
  uint16_t *stamps;
  uint32_t *next, first[UnitMaxGpus], last[UnitMaxGpus];
  bool listed[UnitMaxGpus];
  bool touch;
  uint32_t touch_tile, touch_block;
  uint16_t touch_stamps;
  uint32_t owner_cells[UnitMaxGpus];  // touched, of each owner's tiles
  // Sender
  bool sending;
  uint32_t destination, sent;
  fetch_e fetch;
  uint32_t fetch_tile;
  tile_entry_t tile_queue[2];
  ring_t tile_ring;
  uint64_t rest;
  uint32_t rest_tile;
  bool latch_valid;
  block_entry_t latch, block_queue[4];
  ring_t block_ring;
  uint32_t granule_tile, next_granule;
  bool end_appended, token_fresh;
  uint32_t reads[2];
  ring_t read_ring;
  token_t *tokens;
  ring_t token_ring;
  uint32_t send_outstanding;
  piece_t accumulator[MaxPieces];
  uint32_t accumulated;
  bool flush;
  pixel_distributor_beat_t beats[2];
  ring_t beat_ring;
  // Receiver
  bool receiving, ended, has_header, judge, refused, has_piece;
  pixel_merge_t merge;
  uint32_t received, tile_x, tile_y, tile, last_piece;
  uint64_t header;
  struct {
    uint32_t tile;
    pixel_distributor_pieces_t pieces;
  } local_reads[2];
  ring_t local_ring;
  merge_t *pending;
  ring_t pending_ring;
  uint32_t receive_outstanding;
  bool a_valid, b_valid;
  merge_t a, b, writes[4];
  uint32_t a_lost, a_ties;
  ring_t write_ring;
  uint64_t counters[PixelDistributorCounters];
  uint64_t peek;
  uint8_t error;
  // Outputs that the last step left non-zero
  bool shown_beat, shown_read, shown_write;
} golden_t;

// Pixels beyond those of a beat are zero everywhere.
static inline void distributor_copy_merge(const golden_t *g, merge_t *to, const merge_t *from) {
  memcpy(to, from, offsetof(merge_t, data) + g->pixels * sizeof *to->data);
}

// Pixels of a transfer are counted in these bits: up to twice the pixels of all tiles, less one.
static inline uint32_t distributor_transfer_mask(const golden_t *g) {
  return (g->tiles << (2 * g->p.tile_log2 + 1)) - 1;
}

static inline size_t distributor_beat_size(const golden_t *g) {
  return offsetof(pixel_distributor_beat_t, data) + g->pixels * sizeof(uint64_t);
}

static inline uint32_t distributor_push_at(ring_t *r, uint32_t depth) {
  return (r->head + r->count++) % depth;
}

static inline void distributor_pop(ring_t *r, uint32_t depth) {
  r->head = (r->head + 1) % depth;
  r->count--;
}

static inline void distributor_raise(uint8_t *error, uint8_t code) {
  if (*error == 0 || code < *error) {
    *error = code;
  }
}

static inline bool distributor_usable(const golden_t *g) { return g->configured && !g->filling; }

// map.c: configuration, the fill of the owners, the touched tiles.
bool distributor_config_ready(const golden_t *g);
void distributor_clear_map(golden_t *g);
bool distributor_fill_write(const golden_t *g, uint32_t *tile, uint8_t *owner);
void distributor_fill_step(golden_t *g);
void distributor_configure(golden_t *g, const pixel_distributor_in_t *in, uint8_t *error);
uint64_t distributor_bitmap_of(const golden_t *g, uint32_t tile);
uint16_t distributor_stamps_of(const golden_t *g, uint32_t tile, uint32_t block);
void distributor_touch_write(const golden_t *g, uint64_t *bitmap, uint16_t *stamps);
void distributor_touch_apply(golden_t *g);

// sender.c: from the touched tiles of a destination to beats.
void distributor_fetch_step(golden_t *g, bool touch_under_way, uint32_t tiles_waiting);
void distributor_block_step(golden_t *g, uint32_t held);
bool distributor_issue_due(const golden_t *g);
void distributor_issue_step(golden_t *g);
bool distributor_send_data_ready(const golden_t *g);
bool distributor_packs(const golden_t *g, bool data);
void distributor_pack_step(golden_t *g, const pixel_distributor_in_t *in, bool room);

// receiver.c: from beats to the writes of merged pixels.
bool distributor_beat_in_ready(const golden_t *g);
bool distributor_receive_data_ready(const golden_t *g);
void distributor_receiver_step(golden_t *g, const pixel_distributor_in_t *in, uint8_t *error);

#endif
