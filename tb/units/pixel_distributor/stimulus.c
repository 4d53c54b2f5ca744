// SPDX-License-Identifier: Apache-2.0
// Two ends of a composition at once: the unit sends to a peer and receives from one, in
// rounds of touches, transfers and clears, with back-pressure and latency everywhere.
#include <string.h>

#include "tb/stimulus/stimulus.h"

enum { MaxBeats = 4096, MaxReads = 256, Side = 256 };  // pixels of the surface, at most

typedef struct {
  uint32_t head, count;
  uint64_t due[MaxReads];
} reads_t;

typedef struct {
  rng_t rng;
  pixel_distributor_params_t p;
  uint32_t width, height, tiles_x, tiles_y, pitch, gpu;
  uint8_t owner[64 * 64];
  uint32_t ready_rate, valid_rate, touch_rate, error_rate, latency;
  uint32_t density, sparse;  // share of answers that are written as a whole; halvings of the others
  uint32_t edges;  // share of pixels whose channels are at the edges of rounding and saturation
  uint32_t
      depths;     // share of answers and pieces with any depth and tag; else few, so that they tie
  uint32_t near;  // share of local pixels that are close to a limit with the one that comes
  uint64_t now;
  uint32_t touches, idle;
  bool configured, clear_next, started, begun;
  reads_t send, receive;
  pixel_distributor_beat_t beats[MaxBeats];  // of the transfer to be received
  uint32_t beat_count, beat_next, beat_answered;
  bool transparent, front;  // how the transfer is merged
  uint8_t op;
} traffic_t;

static const stimulus_choice_t Choices[] = {
    STIMULUS_CHOICE(ready_rate, "ready", "steps in which the link and the memory take something",
                    1000, 1000, 900, 500, 100),
    STIMULUS_CHOICE(valid_rate, "valid", "steps in which something comes from the link", 1000, 1000,
                    900, 500, 100),
    STIMULUS_CHOICE(touch_rate, "touch", "steps in which a tile is touched", 1000, 1000, 900, 500,
                    100),
    STIMULUS_CHOICE(latency, "latency", "cycles from a read to its answer", 2, 0, 1, 2, 5, 10, 20,
                    39),
    STIMULUS_CHOICE(density, "density", "answers that are written as a whole", 900, 300, 300, 20),
    STIMULUS_CHOICE(sparse, "sparse", "halvings of what is written of the others", 0, 0, 0, 1, 3),
    STIMULUS_CHOICE(error_rate, "errors", "faults in beats, starts, touches and peeks", 0, 0, 0, 0,
                    3, 3),
    STIMULUS_CHOICE(depths, "depths", "depths of all 24 bits", StimulusAsDrawn, 0, 100),
    STIMULUS_CHOICE(edges, "edges", "pixels of edge values", 0, 0, 0, 500),
    STIMULUS_CHOICE_APART(
        near, "near", "local pixels close to a tie, a half or saturation with what comes", 0, 0),
    {0}};

// A pixel: colour, depth and tag, mostly of few values.
static uint64_t pixel(traffic_t *t) {
  static const uint64_t Edges[] = {0, 1, 32767, 32768, 65534, 65535};
  if (rng_chance(&t->rng, t->edges)) {
    uint64_t channels = 0;
    for (uint32_t c = 0; c < 4; c++) {
      channels |= Edges[rng_below(&t->rng, 6)] << (c * 16);
    }
    return channels;
  }
  return rng_u64(&t->rng) & (rng_chance(&t->rng, t->depths) ? UINT64_MAX : 0x0300000fffffffff);
}

// ---- Local pixels close to a limit with the one that comes ----

enum { One = 65535, Half = 32767 };  // products are divided by One; so many halves lie below

// Returns what times x is a half more than a multiple of One, or just less, where x has no divisor
// of One.
static uint32_t to_half(traffic_t *t, uint32_t x) {
  uint32_t y = Half + rng_below(&t->rng, 2);
  for (uint32_t i = 0; i < 255; i++) {  // x to the power of 256 is 1, modulo One
    y = (uint32_t)((uint64_t)y * x % One);
  }
  return y;
}

// Returns what comes to about One with x, or to all but a bit of it.
static uint32_t to_one(traffic_t *t, uint32_t x) {
  const uint32_t rest = One - x;
  return (rng_chance(&t->rng, 500) ? rest + rng_below(&t->rng, 3) - 1
                                   : rest ^ 1u << rng_below(&t->rng, 16)) &
         One;
}

// Multiply, or over with what comes in front: each product is close to a half. Over with the local
// pixel in front: one of them. Otherwise the sum is close to saturation.
static uint64_t near_colour(traffic_t *t, uint64_t in) {
  const bool multiplies = t->op == PixelDistributorOperatorMultiply;
  const bool is_over = t->op == PixelDistributorOperatorOver;
  const uint32_t some = rng_below(&t->rng, 3);
  uint64_t local = 0;
  for (uint32_t c = 0; c < 4; c++) {
    const uint32_t x = in >> (16 * c) & One;
    uint32_t y = multiplies ? to_half(t, x) : to_one(t, x);
    if (is_over && t->front) {
      y = to_half(t, One - (uint32_t)(in >> 48));
    } else if (is_over && c == 3) {
      y = One - to_half(t, in >> (16 * some) & One);
    }
    local |= (uint64_t)y << (16 * c);
  }
  return local;
}

// As deep and with the same tag but for one bit of the two, or none.
static uint64_t near_depth(traffic_t *t, uint64_t in) {
  const uint64_t colour = rng_u64(&t->rng) & UINT32_MAX;
  const uint32_t bit = 32 + rng_below(&t->rng, 34);
  return (in & ~(uint64_t)UINT32_MAX) ^ (bit < 64 ? UINT64_C(1) << bit : 0) ^ colour;
}

// The data beat that the next answer is for; NULL: none, or one that is not followed.
static const pixel_distributor_beat_t *answered(traffic_t *t) {
  while (t->beat_answered < t->beat_next &&
         t->beats[t->beat_answered].kind != PixelDistributorBeatKindData) {
    t->beat_answered++;
  }
  return t->beat_answered < t->beat_next ? &t->beats[t->beat_answered] : NULL;
}

static void come_near(traffic_t *t, pixel_distributor_in_t *in, bool ready) {
  const pixel_distributor_beat_t *b = answered(t);
  for (uint32_t i = 0; b && i < pixel_distributor_pixels(&t->p); i++) {
    if (rng_chance(&t->rng, t->near)) {
      in->receive_data[i] = t->transparent ? near_colour(t, b->data[i]) : near_depth(t, b->data[i]);
    }
  }
  t->beat_answered += b && ready;
}

static uint32_t tile_side(const traffic_t *t) { return 1u << t->p.tile_log2; }

// A transfer to this unit, as a peer would send it; now and then a wrong one.
static void make_transfer(traffic_t *t) {
  rng_t *r = &t->rng;
  uint32_t q = pixel_distributor_piece_pixels(&t->p), k = pixel_distributor_pieces(&t->p);
  uint32_t pieces = tile_side(t) * tile_side(t) / q, sent = 0;
  t->beat_count = t->beat_next = t->beat_answered = 0;
  for (uint32_t tile = 0; tile < t->tiles_x * t->tiles_y; tile++) {
    uint32_t x = tile % t->tiles_x, y = tile / t->tiles_x;
    bool wrong = rng_chance(r, t->error_rate);
    if ((t->owner[y * t->pitch + x] != t->gpu && !wrong) || rng_chance(r, 300)) {
      continue;
    }
    pixel_distributor_beat_t *b = &t->beats[t->beat_count++];
    memset(b, 0, sizeof *b);
    b->data[0] = UINT64_MAX;
    b->data[1] = x | (uint64_t)y << 16;
    if (wrong && rng_chance(r, 300)) {
      b->data[0] = rng_u64(r);
      b->data[1] = rng_u64(r);
    }
    uint32_t piece = rng_below(r, 40);
    while (piece < pieces && t->beat_count < MaxBeats - 2) {
      b = &t->beats[t->beat_count++];
      memset(b, 0, sizeof *b);
      b->kind = PixelDistributorBeatKindData;
      for (uint32_t s = 0; s < k && piece < pieces; s++) {
        uint32_t mask = 1 + rng_below(r, (1u << q) - 1);
        b->pieces.piece[s] = (uint16_t)piece;
        b->pieces.mask |= mask << (s * q);
        for (uint32_t i = 0; i < q; i++) {
          if (mask >> i & 1) {
            b->data[s * q + i] = pixel(t) | 1ull << 56;
          }
        }
        sent += (uint32_t)__builtin_popcount(mask);
        piece += 1 + rng_below(r, t->near ? 4 : 200);  // near: for as many pairs as can be
        if (rng_chance(r, t->error_rate)) {
          piece = rng_below(r, pieces);
        }
      }
    }
    if (t->beat_count > MaxBeats - 70) {
      break;
    }
  }
  pixel_distributor_beat_t *end = &t->beats[t->beat_count++];
  memset(end, 0, sizeof *end);
  end->kind = PixelDistributorBeatKindEnd;
  end->data[0] = sent + rng_chance(r, t->error_rate);
}

static bool answer(traffic_t *t, reads_t *q, bool asked, bool ready, uint32_t *written,
                   uint64_t *data) {
  uint32_t pixels = pixel_distributor_pixels(&t->p);
  if (asked) {
    q->due[(q->head + q->count++) % MaxReads] = t->now + 1 + rng_below(&t->rng, t->latency + 1);
  }
  bool valid = q->count > (asked ? 1u : 0u) && q->due[q->head] <= t->now &&
               rng_chance(&t->rng, t->valid_rate);
  if (rng_below(&t->rng, 4000) < t->error_rate) {
    valid = true;  // perhaps an answer that nobody asked for
  }
  if (!valid) {
    return false;
  }
  *written = (uint32_t)rng_u64(&t->rng) & (uint32_t)rng_u64(&t->rng);
  for (uint32_t i = 0; i < t->sparse; i++) {
    *written &= (uint32_t)rng_u64(&t->rng);
  }
  if (rng_chance(&t->rng, t->density)) {
    *written = UINT32_MAX;
  }
  *written &= (uint32_t)((1ull << pixels) - 1);
  for (uint32_t i = 0; i < pixels; i++) {
    data[i] = pixel(t);
  }
  if (ready && q->count > 0) {
    q->head = (q->head + 1) % MaxReads;
    q->count--;
  }
  return true;
}

static void render(traffic_t *t, pixel_distributor_in_t *in) {
  rng_t *r = &t->rng;
  in->touch_valid = rng_chance(r, t->touch_rate);
  in->touch_x = (uint16_t)rng_below(r, (t->width + 7) / 8);
  in->touch_y = (uint16_t)rng_below(r, (t->height + 7) / 8);
  uint64_t some = rng_u64(r), others = rng_u64(r);
  in->touch_stamps = (uint16_t)(some & others);
  if (t->p.count_cells && some >> 60 == 0) {
    in->touch_stamps = UINT16_MAX;  // the most that is counted in a cycle
  }
  if (rng_chance(r, t->error_rate)) {
    in->touch_x = (uint16_t)rng_below(r, 1024);
  }
  in->clear = rng_chance(r, 5);  // the touch counts for the cleared map
  t->touches = in->clear ? 0 : t->touches + in->touch_valid;
}

static void begin(traffic_t *t, pixel_distributor_in_t *in) {
  rng_t *r = &t->rng;
  in->begin_valid = true;
  in->begin_front = rng_chance(r, 500);
  in->begin_transparent = rng_chance(r, 400);
  in->begin_operator = (uint8_t)rng_below(r, 4);
  in->begin_depth_func = (uint8_t)rng_below(r, 8);
  in->begin_color_mask = rng_chance(r, 500) ? 15 : (uint8_t)rng_below(r, 16);
  in->begin_depth_write = rng_chance(r, 800);
  in->begin_tag_enable = rng_chance(r, 500);
  in->begin_test_base = rng_chance(r, 500);
  t->transparent = in->begin_transparent;
  t->front = in->begin_front;
  t->op = in->begin_operator;
  make_transfer(t);
  t->begun = true;
}

// Ready of what the unit offers, and the answers to its reads.
static void serve(traffic_t *t, const pixel_distributor_out_t *out, pixel_distributor_in_t *in) {
  rng_t *r = &t->rng;
  in->send_read_ready = rng_chance(r, t->ready_rate);
  in->beat_out_ready = rng_chance(r, t->ready_rate);
  in->receive_read_ready = rng_chance(r, t->ready_rate);
  in->write_ready = rng_chance(r, t->ready_rate);
  in->done_ready = rng_chance(r, t->ready_rate);
  in->send_data_valid = answer(t, &t->send, out->send_read_valid && in->send_read_ready,
                               out->send_data_ready, &in->send_data_written, in->send_data);
  in->receive_data_valid =
      answer(t, &t->receive, out->receive_read_valid && in->receive_read_ready,
             out->receive_data_ready, &in->receive_data_written, in->receive_data);
  if (t->near && in->receive_data_valid) {
    come_near(t, in, out->receive_data_ready);
  }
  if (out->owner_write_valid) {
    t->owner[out->owner_write_tile] = out->owner_write_owner;
  }
}

static void configure(traffic_t *t, const pixel_distributor_out_t *out,
                      pixel_distributor_in_t *in) {
  rng_t *r = &t->rng;
  in->config_valid = true;
  in->config_width = (uint16_t)(1 + rng_below(r, t->p.max_width));
  in->config_height = (uint16_t)(1 + rng_below(r, t->p.max_height));
  in->config_map = (uint8_t)rng_below(r, 4);
  in->config_work_tile = (uint8_t)(1 + rng_below(r, 3));
  if (rng_chance(r, t->error_rate)) {
    in->config_width = rng_chance(r, 500) ? 0 : (uint16_t)(Side + 1 + rng_below(r, 16127));
    in->config_height = (uint16_t)rng_below(r, 16384);
    in->config_work_tile = (uint8_t)rng_below(r, 16);
  } else if (out->config_ready) {
    t->width = in->config_width;
    t->height = in->config_height;
    t->tiles_x = (t->width + tile_side(t) - 1) / tile_side(t);
    t->tiles_y = (t->height + tile_side(t) - 1) / tile_side(t);
    t->configured = true;
    t->touches = t->idle = 0;
    t->started = t->begun = false;
  }
}

// A group: rendering, then transfers to peers and from them.
static void compose(traffic_t *t, const pixel_distributor_out_t *out, pixel_distributor_in_t *in) {
  rng_t *r = &t->rng;
  bool busy = out->sending || out->receiving;
  if (t->touches < 40 && !busy) {
    render(t, in);
  } else if (!t->started) {
    in->start_valid = true;
    in->start_destination = (uint8_t)((t->gpu + 1 + rng_below(r, t->p.gpus - 1)) % t->p.gpus);
    t->started = true;
  } else if (!t->begun) {
    begin(t, in);
  } else if (!busy && !in->start_valid) {
    t->clear_next = rng_chance(r, 200);
    if (!t->clear_next && rng_chance(r, 500)) {
      t->started = t->begun = false;  // to another peer
    }
  }
  if (out->receiving && t->beat_next < t->beat_count && rng_chance(r, t->valid_rate)) {
    in->beat_in_valid = true;
    in->beat_in = t->beats[t->beat_next];
    t->beat_next += out->beat_in_ready;
  }
}

static void inputs(traffic_t *t, const pixel_distributor_out_t *out, pixel_distributor_in_t *in) {
  rng_t *r = &t->rng;
  bool busy = out->sending || out->receiving;
  in->config_valid = in->clear = in->touch_valid = in->start_valid = in->begin_valid = false;
  in->beat_in_valid = in->peek_valid = false;
  serve(t, out, in);
  if (!t->configured) {
    configure(t, out, in);
    return;
  }
  if (!out->config_ready && !busy && !out->map_write_valid) {
    return;  // filling
  }
  if (t->clear_next && !busy) {
    in->clear = true;
    t->clear_next = t->started = t->begun = false;
    t->touches = 0;
    t->configured = !rng_chance(r, 300);
    return;
  }
  compose(t, out, in);
  if (rng_chance(r, t->error_rate)) {
    in->start_valid |= rng_chance(r, 300);
    in->begin_valid |= rng_chance(r, 300) && !out->receiving;
    in->clear |= rng_chance(r, 300) && out->sending;
    in->touch_valid |= rng_chance(r, 300);
  }
  if (rng_chance(r, 100)) {
    in->peek_valid = true;
    in->peek_select = (uint8_t)(1 + rng_below(r, 3));
    in->peek_index = in->peek_select == PixelDistributorPeekCounter ? rng_below(r, 9)
                     : rng_chance(r, t->error_rate)                 ? (uint32_t)rng_u64(r)
                                                                    : rng_below(r, 4096);
  }
}

static bool drive(const stimulus_t *s, harness_t *harness, err_t *err) {
  static traffic_t t;
  memset(&t, 0, sizeof t);
  stimulus_seed(s, &t.rng);
  rng_t undrawn = t.rng;  // with busy nothing is drawn
  stimulus_params(s, &pixel_distributor_info, s->busy ? &undrawn : &t.rng, &t.p);
  pixel_distributor_t unit;
  t.gpu = rng_below(&t.rng, s->gpus);
  if (!stimulus_unit(s, harness, &pixel_distributor_info, &t.p, t.gpu, &unit, err)) {
    return false;
  }
  t.pitch = pixel_distributor_pitch(&t.p);
  stimulus_draw(s, &t.rng, Choices, &t);
  static pixel_distributor_in_t in;
  static pixel_distributor_out_t out;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  in.gpu = (uint8_t)t.gpu;
  unit.reset(unit.self, &out);
  for (uint64_t c = 0; c < s->cycles; c++, (*s->clock)++) {
    t.now = c;
    inputs(&t, &out, &in);
    if (unit.step(unit.self, &in, &out) != UnitOk) {
      return false;
    }
    if (!s->busy && rng_below(&t.rng, 4000) == 0) {
      unit.reset(unit.self, &out);
      t.configured = t.clear_next = false;
      t.send.count = t.receive.count = 0;
    }
  }
  return true;
}

const stimulus_unit_t pixel_distributor_stimulus = {drive, Choices};
