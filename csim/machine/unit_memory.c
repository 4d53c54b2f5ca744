// SPDX-License-Identifier: Apache-2.0
#include "unit_memory.h"

#include <stdlib.h>
#include <string.h>

enum { ReadsInFlight = 1024, BeatsInFlight = ReadsInFlight + 8 };

typedef struct {
  uint32_t head, count;
  struct {
    uint64_t due;
    uint32_t tile;     // of the merge
    uint32_t address;  // of the sender
    pixel_distributor_pieces_t pieces;
  } reads[ReadsInFlight];
} read_queue_t;

// Data beats accepted by a receiver whose local pixels have not come yet.
typedef struct {
  uint32_t head, count;
  uint64_t data[BeatsInFlight][PixelDistributorMaxPixels];
} beat_queue_t;

struct unit_memory {
  uint32_t latency;
  uint32_t pitch;                         // of the unit's tile index, log2
  uint32_t pixels, pieces, piece_pixels;  // of the unit
  read_queue_t send, receive;
  beat_queue_t beats;
  gpu_guard_t *guard;  // NULL: the GPU is held while the unit sends and receives
  gpu_guard_merger_e merger;
};

unit_memory_t *unit_memory_create(const pixel_distributor_params_t *params, uint32_t latency,
                                  gpu_guard_t *guard, gpu_guard_merger_e merger) {
  unit_memory_t *m = calloc(1, sizeof *m);
  if (m) {
    m->latency = latency;
    m->guard = guard;
    m->merger = merger;
    m->pitch = (uint32_t)__builtin_ctz(pixel_distributor_pitch(params));
    m->pixels = pixel_distributor_pixels(params);
    m->pieces = pixel_distributor_pieces(params);
    m->piece_pixels = pixel_distributor_piece_pixels(params);
  }
  return m;
}

void unit_memory_destroy(unit_memory_t *m) { free(m); }

// The place of a pixel of a tile of the unit.
static subimage_place_t place_of_pixel(const unit_memory_t *m, const subimage_t *image,
                                       uint32_t tile, uint32_t pixel) {
  return subimage_at(image, tile & ((1u << m->pitch) - 1), tile >> m->pitch, pixel);
}

// Returns the place of a piece's first pixel.
static subimage_place_t place_of(const unit_memory_t *m, const subimage_t *image, uint32_t tile,
                                 uint32_t piece) {
  return place_of_pixel(m, image, tile, piece * m->piece_pixels);
}

// Which pixels of piece k are meant.
static uint32_t mask_of(const unit_memory_t *m, const pixel_distributor_pieces_t *pieces,
                        uint32_t k) {
  return pieces->mask >> (k * m->piece_pixels) & ((1u << m->piece_pixels) - 1);
}

static void ask(const unit_memory_t *m, read_queue_t *q, uint64_t now, uint32_t tile,
                uint32_t address, const pixel_distributor_pieces_t *pieces) {
  uint32_t place = (q->head + q->count++) % ReadsInFlight;
  q->reads[place].due = now + m->latency;
  q->reads[place].tile = tile;
  q->reads[place].address = address;
  if (pieces) {
    q->reads[place].pieces = *pieces;
  }
}

static void pop(read_queue_t *q) {
  q->count--;
  // (An empty one begins anew, where its memory is in use already.)
  q->head = q->count ? (q->head + 1) % ReadsInFlight : 0;
}

// The place of the block of a pixel of a tile in the guard.
static uint32_t guard_place(const unit_memory_t *m, uint32_t tile, uint32_t pixel) {
  const uint32_t block = pixel / SurfaceBlockPixels;
  return gpu_guard_place((tile & ((1u << m->pitch) - 1)) * 8 + block % 8,
                         (tile >> m->pitch) * 8 + block / 8);
}

static void answer_send(unit_memory_t *m, uint64_t now, const subimage_t *image,
                        distribution_unit_t *unit) {
  read_queue_t *q = &m->send;
  unit->in.send_data_valid = q->count > 0 && q->reads[q->head].due <= now;
  if (!unit->in.send_data_valid) {
    return;
  }
  uint32_t address = q->reads[q->head].address;
  if (m->guard && m->guard->in_flight[guard_place(m, address >> 12, address & 4095)]) {
    unit->in.send_data_valid = false;  // its colour is not written yet
    return;
  }
  unit->in.send_data_written =
      subimage_read(image, place_of_pixel(m, image, address >> 12, address & 4095), m->pixels,
                    unit->in.send_data);
  if (unit->out.send_data_ready) {
    pop(q);
  }
}

static void note_arrivals(const unit_memory_t *m, const subimage_t *image, uint32_t tile,
                          const pixel_distributor_pieces_t *pieces,
                          const distribution_unit_t *unit) {
  const uint64_t *incoming = m->beats.data[m->beats.head];
  uint32_t written = unit->in.receive_data_written;
  for (uint32_t k = 0; k < m->pieces; k++) {
    uint32_t first = k * m->piece_pixels, mask = mask_of(m, pieces, k);
    subimage_note_arrivals(image, place_of(m, image, tile, pieces->piece[k]), mask,
                           incoming + first, unit->in.receive_data + first, written >> first);
  }
}

// Tells if nobody else is at the blocks of a beat; locks them until the unit has written.
static bool guard_beat(unit_memory_t *m, uint64_t now, uint32_t tile,
                       const pixel_distributor_pieces_t *pieces, bool lock) {
  enum { Merge = 4 };  // cycles from the answer to the cycle after the write
  gpu_guard_t *guard = m->guard;
  for (uint32_t k = 0; guard && k < m->pieces; k++) {
    const uint32_t place = guard_place(m, tile, pieces->piece[k] * m->piece_pixels);
    if (!mask_of(m, pieces, k)) {
      continue;
    }
    if (lock) {
      guard->locked_until[m->merger][place] = now + Merge;
    } else if (guard->in_flight[place] || guard->locked_until[!m->merger][place] > now) {
      return false;
    }
  }
  return true;
}

static void answer_receive(unit_memory_t *m, uint64_t now, const subimage_t *image,
                           distribution_unit_t *unit) {
  read_queue_t *q = &m->receive;
  unit->in.receive_data_valid = q->count > 0 && q->reads[q->head].due <= now;
  if (!unit->in.receive_data_valid) {
    return;
  }
  uint32_t pixels = m->piece_pixels, tile = q->reads[q->head].tile;
  const pixel_distributor_pieces_t *pieces = &q->reads[q->head].pieces;
  if (!guard_beat(m, now, tile, pieces, false)) {
    unit->in.receive_data_valid = false;
    return;
  }
  unit->in.receive_data_written = 0;
  for (uint32_t k = 0; k < m->pieces; k++) {
    if (mask_of(m, pieces, k)) {
      subimage_place_t at = place_of(m, image, tile, pieces->piece[k]);
      unit->in.receive_data_written |=
          subimage_read(image, at, pixels, unit->in.receive_data + k * pixels) << (k * pixels);
    }
  }
  if (unit->out.receive_data_ready) {
    note_arrivals(m, image, tile, pieces, unit);
    guard_beat(m, now, tile, pieces, true);
    m->beats.count--;
    m->beats.head = m->beats.count ? (m->beats.head + 1) % BeatsInFlight : 0;
    pop(q);
  }
}

void unit_memory_serve(unit_memory_t *m, uint64_t now, const subimage_t *image,
                       distribution_unit_t *unit) {
  const pixel_distributor_out_t *out = &unit->out;
  unit->in.send_read_ready = m->send.count < ReadsInFlight;
  if (out->send_read_valid && unit->in.send_read_ready) {
    ask(m, &m->send, now, 0, out->send_read_address, NULL);
  }
  unit->in.receive_read_ready = m->receive.count < ReadsInFlight;
  if (out->receive_read_valid && unit->in.receive_read_ready) {
    ask(m, &m->receive, now, out->receive_read_tile, 0, &out->receive_read);
  }
  answer_send(m, now, image, unit);
  answer_receive(m, now, image, unit);
}

void unit_memory_expect(unit_memory_t *m, const pixel_distributor_beat_t *beat) {
  uint32_t place = (m->beats.head + m->beats.count++) % BeatsInFlight;
  memcpy(m->beats.data[place], beat->data, m->pixels * sizeof *beat->data);
}

void unit_memory_write(const unit_memory_t *m, const subimage_t *image, distribution_unit_t *unit) {
  const pixel_distributor_out_t *out = &unit->out;
  unit->in.write_ready = true;
  for (uint32_t k = 0; out->write_valid && k < m->pieces; k++) {
    uint32_t first = k * m->piece_pixels, mask = mask_of(m, &out->write, k);
    subimage_write(image, place_of(m, image, out->write_tile, out->write.piece[k]), mask,
                   out->write_data + first);
  }
}

static uint64_t due(const read_queue_t *q, uint64_t now) {
  return q->count ? cycle_after(now, q->reads[q->head].due) : UINT64_MAX;
}

uint64_t unit_memory_next(const unit_memory_t *m, uint64_t now) {
  uint64_t next = due(&m->send, now);
  cycle_earliest(&next, due(&m->receive, now));
  return next;
}
