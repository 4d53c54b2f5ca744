// The pixel-distribution unit for the harness: its fields and its RTL parameters.
#include <stdlib.h>

#include "csim/golden/pixel_distributor_golden.h"
#include "lockstep.h"

enum { DimIndex = UnitDim, DimPixels, DimPieces, DimPiece, DimTile, DimAddress, DimBlock, DimBlocks };

#define IN(f, bits) UNIT_BITS(pixel_distributor_in_t, f, bits)
#define INS(f) UNIT_BITS_ARRAY(pixel_distributor_in_t, f, 64, DimPixels)
#define OUT(f, bits) UNIT_BITS(pixel_distributor_out_t, f, bits)
#define OUTS(f) UNIT_BITS_ARRAY(pixel_distributor_out_t, f, 64, DimPixels)
#define INNER(type, f, part, n, bits, elements) \
  {#f "." #part, offsetof(type, f.part), sizeof(((type *)0)->f.part) / (n), n, bits, elements}
#define IN_INNER(f, part, n, bits, elements) \
  INNER(pixel_distributor_in_t, f, part, n, bits, elements)
#define OUT_INNER(f, part, n, bits, elements) \
  INNER(pixel_distributor_out_t, f, part, n, bits, elements)

static const unit_field_t InFields[] = {
    IN(gpu, DimIndex), IN(config_valid, 1), IN(config_width, 14), IN(config_height, 14),
    IN(config_map, 2), IN(config_work_tile, 4), IN(clear, 1), IN(touch_valid, 1),
    IN(touch_x, 10), IN(touch_y, 10), IN(touch_stamps, 16), IN(start_valid, 1),
    IN(start_destination, DimIndex), IN(send_read_ready, 1), IN(send_data_valid, 1),
    IN(send_data_written, DimPixels), IN(beat_out_ready, 1), IN(begin_valid, 1),
    IN(begin_front, 1), IN(begin_transparent, 1), IN(begin_operator, 2), IN(begin_depth_func, 3),
    IN(begin_color_mask, 4), IN(begin_depth_write, 1), IN(begin_tag_enable, 1),
    IN(begin_test_base, 1), IN(beat_in_valid, 1), IN_INNER(beat_in, kind, 1, 2, 1),
    IN_INNER(beat_in, pieces.mask, 1, DimPixels, 1),
    IN_INNER(beat_in, pieces.piece, PixelDistributorMaxPieces, DimPiece, DimPieces),
    IN_INNER(beat_in, data, PixelDistributorMaxPixels, 64, DimPixels), IN(receive_read_ready, 1),
    IN(receive_data_valid, 1), IN(receive_data_written, DimPixels), IN(write_ready, 1),
    IN(done_ready, 1), IN(peek_valid, 1), IN(peek_select, 2), IN(peek_index, 32), INS(send_data),
    INS(receive_data), {0}};
static const unit_field_t OutFields[] = {
    OUT(quiescent, 1), OUT(error, 4), OUT(sending, 1), OUT(receiving, 1), OUT(config_ready, 1),
    OUT(owner_write_valid, 1), OUT(owner_write_tile, DimTile), OUT(owner_write_owner, DimIndex),
    OUT(map_write_valid, 1), OUT(map_write_tile, DimTile), OUT(map_write_block, DimBlock),
    OUT(map_write_blocks, DimBlocks), OUT(map_write_stamps, 16), OUT(send_read_valid, 1),
    OUT(send_read_address, DimAddress), OUT(send_data_ready, 1), OUT(beat_out_valid, 1),
    OUT_INNER(beat_out, kind, 1, 2, 1), OUT_INNER(beat_out, pieces.mask, 1, DimPixels, 1),
    OUT_INNER(beat_out, pieces.piece, PixelDistributorMaxPieces, DimPiece, DimPieces),
    OUT_INNER(beat_out, data, PixelDistributorMaxPixels, 64, DimPixels), OUT(beat_in_ready, 1),
    OUT(receive_read_valid, 1), OUT(receive_read_tile, DimTile),
    OUT_INNER(receive_read, mask, 1, DimPixels, 1),
    OUT_INNER(receive_read, piece, PixelDistributorMaxPieces, DimPiece, DimPieces),
    OUT(receive_data_ready, 1), OUT(write_valid, 1), OUT(write_tile, DimTile),
    OUT_INNER(write, mask, 1, DimPixels, 1),
    OUT_INNER(write, piece, PixelDistributorMaxPieces, DimPiece, DimPieces), OUTS(write_data),
    OUT(done_valid, 1), OUT(peek_data, 64), {0}};
static const unit_field_t StateFields[] = {{0}};
static const unit_stream_t Streams[] = {
    {"config", false, "config_valid", "config_ready", {"config_"}},
    {"touch", false, "touch_valid", NULL, {"touch_"}},
    {"start", false, "start_valid", NULL, {"start_"}},
    {"send_read", true, "send_read_valid", "send_read_ready", {"send_read_"}},
    {"send_data", false, "send_data_valid", "send_data_ready", {"send_data"}},
    {"beat_out", true, "beat_out_valid", "beat_out_ready", {"beat_out"}},
    {"begin", false, "begin_valid", NULL, {"begin_"}},
    {"beat_in", false, "beat_in_valid", "beat_in_ready", {"beat_in"}},
    {"receive_read", true, "receive_read_valid", "receive_read_ready", {"receive_read"}},
    {"receive_data", false, "receive_data_valid", "receive_data_ready", {"receive_data"}},
    {"write", true, "write_valid", "write_ready", {"write"}},
    {"done", true, "done_valid", "done_ready", {"done"}},
    {"peek", false, "peek_valid", NULL, {"peek_"}},
    {0}};
static const unit_port_t Ports[] = {
    {"config_map", .values = {"Rows", "Skew", "WorkTiles", "Halving"}},
    {"begin_operator", .values = {"Over", "Add", "Multiply"}},
    {"beat_in.kind", .values = {"Header", "Data", "End"}},
    {"beat_out.kind", .values = {"Header", "Data", "End"}},
    {"peek_select", .values = {"Owner", "Blocks", "Stamps", "Counter"}},
    {"touch_stamps", .is_mask = true},
    {"map_write_stamps", .is_mask = true},
    {"begin_color_mask", .is_mask = true},
    {"error", .values = {"None", "Config", "Touch", "Clear", "Start", "Begin", "SendData", "Sequence",
                     "Tile", "Piece", "Count", "ReceiveData"}},
    {0}};

static uint32_t log2_up(uint32_t n) {
  uint32_t bits = 0;
  while (1u << bits < n) {
    bits++;
  }
  return bits;
}

static unit_status_e golden_step(void *golden, const void *in, void *out) {
  pixel_distributor_t *g = golden;
  return g->step(g->self, in, out);
}
static void golden_reset(void *golden, void *out) {
  pixel_distributor_t *g = golden;
  g->reset(g->self, out);
}
static void golden_destroy(void *golden) {
  pixel_distributor_golden_destroy(golden);
  free(golden);
}

static const unit_info_t Info = {
    .name = "pixel_distributor", .in_size = sizeof(pixel_distributor_in_t),
    .out_size = sizeof(pixel_distributor_out_t), .state_size = 0, .in = InFields,
    .out = OutFields, .state = StateFields, .streams = Streams, .ports = Ports,
    .quiescent = offsetof(pixel_distributor_out_t, quiescent), .golden_step = golden_step,
    .golden_reset = golden_reset, .golden_observe = NULL, .golden_destroy = golden_destroy};

static unit_status_e step(void *self, const pixel_distributor_in_t *in,
                          pixel_distributor_out_t *out) {
  return lockstep_step(self, in, out);
}
static void reset(void *self, pixel_distributor_out_t *out) { lockstep_reset(self, out); }

bool harness_pixel_distributor(void *context, const pixel_distributor_params_t *p,
                               uint32_t instance, pixel_distributor_t *engine,
                               char error[HarnessErrorSize]) {
  harness_t *h = context;
  pixel_distributor_t *golden = NULL;
  snprintf(error, HarnessErrorSize, "out of memory, or a parameter beyond its range");
  if (harness_engine(h) != EngineRtl) {
    golden = malloc(sizeof *golden);
    if (!golden || !pixel_distributor_golden_create(p, golden)) {
      free(golden);
      return false;
    }
  }
  char params[256];
  snprintf(params, sizeof params,
           "NumGpus=%u TileLog2=%u CellMode=%u BeatBytes=%u MaxWidth=%u MaxHeight=%u SendDepth=%u "
           "ReceiveDepth=%u CountWidth=%u", p->gpus, p->tile_log2, p->cell, p->beat_bytes, p->max_width,
           p->max_height, p->send_depth, p->receive_depth, p->count_width);
  lockstep_t *l = lockstep_create(h, &Info, instance, params, golden, error);
  uint32_t pixels = pixel_distributor_pixels(p), side = 1u << p->tile_log2;
  uint32_t tile_bits = log2_up((p->max_width + side - 1) / side) +
                       log2_up((p->max_height + side - 1) / side);
  uint32_t block_bits = 2 * (p->tile_log2 - 3);
  const uint32_t dims[UnitMaxDims] = {
      log2_up(p->gpus), pixels, pixel_distributor_pieces(p),
      2 * p->tile_log2 - log2_up(pixel_distributor_piece_pixels(p)), tile_bits,
      tile_bits + 2 * p->tile_log2, block_bits, 1u << block_bits};
  *engine = (pixel_distributor_t){l, step, reset};
  return l && vectors_open(l, dims, error);
}
