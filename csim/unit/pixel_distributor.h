// Vocabulary of the ROP pixel-distribution unit (CHOPIN, IV-B, VI-C). The cycle
// contract is docs/units/pixel_distributor.md, which also defines tile, block, stamp,
// piece and granule.
//
// The payload of an input stream is read only while its valid is true. The payload of
// an output stream is all zero while its valid is false, and array elements beyond the
// parameter set's width (pieces and pixels of a beat) are always zero.
#ifndef NOCTURNE_UNIT_PIXEL_DISTRIBUTOR_H
#define NOCTURNE_UNIT_PIXEL_DISTRIBUTOR_H

#include "unit.h"

enum {
  PixelDistributorMaxPixels = 32,  // of a beat: BeatBytes / 8
  PixelDistributorMaxPieces = 8,   // of a beat
};

typedef enum {
  PixelDistributorCellTile, PixelDistributorCellBlock, PixelDistributorCellStamp,
} pixel_distributor_cell_e;

typedef struct {
  uint32_t gpus;           // 2 to 64
  uint32_t tile_log2;      // a tile is 2^tile_log2 pixels wide and high, 4 to 6
  uint32_t cell;           // pixel_distributor_cell_e: grain of the touched map
  uint32_t beat_bytes;     // 16, 32, 64, 128 or 256
  uint32_t max_width, max_height;        // pixels, more than a tile, to 8192
  uint32_t send_depth, receive_depth;    // reads in flight, powers of two, 4 to 1024
  uint32_t count_width;    // bits of a counter, 10 to 48
} pixel_distributor_params_t;

typedef enum {
  PixelDistributorMapRows,       // row-major interleave of tiles
  PixelDistributorMapSkew,       // the G80's
  PixelDistributorMapWorkTiles,  // row-major interleave of squares of tiles
  PixelDistributorMapHalving,    // recursive halving into rectangles
} pixel_distributor_map_e;

typedef enum {
  PixelDistributorOver, PixelDistributorAdd, PixelDistributorMultiply,
} pixel_distributor_operator_e;

typedef enum {
  PixelDistributorBeatHeader, PixelDistributorBeatData, PixelDistributorBeatEnd,
} pixel_distributor_kind_e;

typedef enum {
  PixelDistributorErrorNone, PixelDistributorErrorConfig, PixelDistributorErrorTouch,
  PixelDistributorErrorClear, PixelDistributorErrorStart, PixelDistributorErrorBegin,
  PixelDistributorErrorSendData, PixelDistributorErrorSequence, PixelDistributorErrorTile,
  PixelDistributorErrorPiece, PixelDistributorErrorCount, PixelDistributorErrorReceiveData,
} pixel_distributor_error_e;

// What peek_select names.
typedef enum {
  PixelDistributorPeekOwner,    // index: tile
  PixelDistributorPeekBlocks,   // index: tile
  PixelDistributorPeekStamps,   // index: tile * blocks of a tile + block
  PixelDistributorPeekCounter,  // index: pixel_distributor_counter_e
} pixel_distributor_peek_e;

typedef enum {
  PixelDistributorPixelsSent, PixelDistributorBeatsSent, PixelDistributorHeadersSent,
  PixelDistributorCellsSkipped, PixelDistributorPixelsReceived, PixelDistributorPixelsLost,
  PixelDistributorTies, PixelDistributorBeatsReceived, PixelDistributorCounters,
} pixel_distributor_counter_e;

// The pixels of a beat: in the link's beats, in reads for the merge, in writes.
typedef struct {
  uint16_t piece[PixelDistributorMaxPieces];  // number of the piece in its tile
  uint32_t mask;                              // bit p: pixel p of the beat is meant
} pixel_distributor_pieces_t;

typedef struct {
  uint8_t kind;                       // pixel_distributor_kind_e
  pixel_distributor_pieces_t pieces;  // data beats; else 0
  // Data: the pixels; those outside the mask are 0. Header: [0] bitmap of blocks, [1]
  // tile x in bits 15:0 and tile y in bits 31:16. End: [0] pixels sent, bits 31:0.
  uint64_t data[PixelDistributorMaxPixels];
} pixel_distributor_beat_t;

typedef struct {
  uint8_t gpu;  // its own number, constant

  bool config_valid;
  uint16_t config_width, config_height;  // pixels
  uint8_t config_map;                    // pixel_distributor_map_e
  uint8_t config_work_tile;              // 1 to 10 tiles, map WorkTiles only

  bool clear;  // empties the touched map

  bool touch_valid;
  uint16_t touch_x, touch_y;  // block of the surface
  uint16_t touch_stamps;      // bit (y / 2) * 4 + x / 2 of the block

  bool start_valid;           // send to a GPU
  uint8_t start_destination;

  bool send_read_ready;
  bool send_data_valid;
  uint32_t send_data_written;  // bit p: pixel p of the granule was written in this group
  uint64_t send_data[PixelDistributorMaxPixels];

  bool beat_out_ready;

  bool begin_valid;  // receive; the fields are taken over with it
  bool begin_front;  // transparent: what comes lies in front of the local pixels
  bool begin_transparent;
  uint8_t begin_operator;    // pixel_distributor_operator_e; 3 counts as multiply
  uint8_t begin_depth_func;  // 0 never, less, equal, less-equal, greater, not-equal,
                             // greater-equal, 7 always
  uint8_t begin_color_mask;  // bit 0 red, 1 green, 2 blue, 3 alpha
  bool begin_depth_write;
  bool begin_tag_enable;
  bool begin_test_base;

  bool beat_in_valid;
  pixel_distributor_beat_t beat_in;

  bool receive_read_ready;
  bool receive_data_valid;
  uint32_t receive_data_written;
  uint64_t receive_data[PixelDistributorMaxPixels];

  bool write_ready;
  bool done_ready;

  bool peek_valid;
  uint8_t peek_select;  // pixel_distributor_peek_e
  uint32_t peek_index;
} pixel_distributor_in_t;

typedef struct {
  bool quiescent;
  uint8_t error;  // pixel_distributor_error_e, sticky
  bool sending, receiving;

  bool config_ready;

  bool owner_write_valid;  // the fill writes the owner table in this cycle
  uint32_t owner_write_tile;
  uint8_t owner_write_owner;

  bool map_write_valid;  // a touch writes the touched map in this cycle
  uint32_t map_write_tile;
  uint8_t map_write_block;
  uint64_t map_write_blocks;  // the tile's new bitmap of blocks
  uint16_t map_write_stamps;  // the block's new bitmap of stamps

  bool send_read_valid;
  uint32_t send_read_address;  // first pixel: tile << 2 * tile_log2 | pixel in the tile
  bool send_data_ready;

  bool beat_out_valid;
  pixel_distributor_beat_t beat_out;

  bool beat_in_ready;

  bool receive_read_valid;
  uint32_t receive_read_tile;
  pixel_distributor_pieces_t receive_read;
  bool receive_data_ready;

  bool write_valid;
  uint32_t write_tile;
  pixel_distributor_pieces_t write;
  uint64_t write_data[PixelDistributorMaxPixels];  // pixels outside the mask are 0

  bool done_valid;

  uint64_t peek_data;  // the answer to the last peek
} pixel_distributor_out_t;

// Large state has no struct: the writes of a cycle are outputs, and the peek port reads
// any entry in one clock.
typedef struct {
  void *self;
  unit_status_e (*step)(void *self, const pixel_distributor_in_t *in,
                        pixel_distributor_out_t *out);
  // Returns to the documented reset state; out gets its outputs.
  void (*reset)(void *self, pixel_distributor_out_t *out);
} pixel_distributor_t;

// Tiles a row of the tile index: tile = tile_y * pitch + tile_x.
static inline uint32_t pixel_distributor_pitch(const pixel_distributor_params_t *params) {
  uint32_t tiles = (params->max_width + (1u << params->tile_log2) - 1) >> params->tile_log2;
  uint32_t pitch = 1;
  while (pitch < tiles) {
    pitch <<= 1;
  }
  return pitch;
}

static inline uint32_t pixel_distributor_pixels(const pixel_distributor_params_t *params) {
  return params->beat_bytes / 8;
}

// Pixels of a piece: a stamp, or half of one.
static inline uint32_t pixel_distributor_piece_pixels(const pixel_distributor_params_t *params) {
  return params->beat_bytes < 32 ? 2 : 4;
}

static inline uint32_t pixel_distributor_pieces(const pixel_distributor_params_t *params) {
  return pixel_distributor_pixels(params) / pixel_distributor_piece_pixels(params);
}

#endif
