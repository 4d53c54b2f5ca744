// The pixel-distribution unit for the harness: its fields and its RTL parameters.
#include <stdlib.h>

#include "csim/golden/pixel_distributor_golden.h"
#include "lockstep.h"

#define IN(f) UNIT_FIELD(pixel_distributor_in_t, f)
#define INS(f) UNIT_ARRAY(pixel_distributor_in_t, f)
#define OUT(f) UNIT_FIELD(pixel_distributor_out_t, f)
#define OUTS(f) UNIT_ARRAY(pixel_distributor_out_t, f)
#define OUT_INNER(f, part, n)                                                          \
  {#f "." #part, offsetof(pixel_distributor_out_t, f.part),                            \
   sizeof(((pixel_distributor_out_t *)0)->f.part) / (n), n, 0, 0}
#define IN_INNER(f, part, n)                                                           \
  {#f "." #part, offsetof(pixel_distributor_in_t, f.part),                             \
   sizeof(((pixel_distributor_in_t *)0)->f.part) / (n), n, 0, 0}

static const unit_field_t InFields[] = {
    IN(gpu), IN(config_valid), IN(config_width), IN(config_height), IN(config_map),
    IN(config_work_tile), IN(clear), IN(touch_valid), IN(touch_x), IN(touch_y), IN(touch_stamps),
    IN(start_valid), IN(start_destination), IN(send_read_ready), IN(send_data_valid),
    IN(send_data_written), IN(beat_out_ready), IN(begin_valid), IN(begin_front),
    IN(begin_transparent), IN(begin_operator), IN(begin_depth_func), IN(begin_color_mask),
    IN(begin_depth_write), IN(begin_tag_enable), IN(begin_test_base), IN(beat_in_valid),
    IN_INNER(beat_in, kind, 1), IN_INNER(beat_in, pieces.mask, 1),
    IN_INNER(beat_in, pieces.piece, PixelDistributorMaxPieces), IN(receive_read_ready),
    IN(receive_data_valid), IN(receive_data_written), IN(write_ready), IN(done_ready),
    IN(peek_valid), IN(peek_select), IN(peek_index), INS(send_data), INS(receive_data), {0}};
static const unit_field_t OutFields[] = {
    OUT(quiescent), OUT(error), OUT(sending), OUT(receiving), OUT(config_ready),
    OUT(owner_write_valid), OUT(owner_write_tile), OUT(owner_write_owner), OUT(map_write_valid),
    OUT(map_write_tile), OUT(map_write_block), OUT(map_write_blocks), OUT(map_write_stamps),
    OUT(send_read_valid), OUT(send_read_address), OUT(send_data_ready), OUT(beat_out_valid),
    OUT_INNER(beat_out, kind, 1), OUT_INNER(beat_out, pieces.mask, 1),
    OUT_INNER(beat_out, pieces.piece, PixelDistributorMaxPieces),
    OUT_INNER(beat_out, data, PixelDistributorMaxPixels), OUT(beat_in_ready),
    OUT(receive_read_valid), OUT(receive_read_tile), OUT_INNER(receive_read, mask, 1),
    OUT_INNER(receive_read, piece, PixelDistributorMaxPieces), OUT(receive_data_ready),
    OUT(write_valid), OUT(write_tile), OUT_INNER(write, mask, 1),
    OUT_INNER(write, piece, PixelDistributorMaxPieces), OUTS(write_data), OUT(done_valid),
    OUT(peek_data), {0}};
static const unit_field_t StateFields[] = {{0}};

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
    .out = OutFields, .state = StateFields,
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
  snprintf(error, HarnessErrorSize, "out of memory");
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
           "ReceiveDepth=%u", p->gpus, p->tile_log2, p->cell, p->beat_bytes, p->max_width,
           p->max_height, p->send_depth, p->receive_depth);
  lockstep_t *l = lockstep_create(h, &Info, instance, params, golden, error);
  *engine = (pixel_distributor_t){l, step, reset};
  return l != NULL;
}
