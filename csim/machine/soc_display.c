// SPDX-License-Identifier: Apache-2.0
#include "soc_display.h"

#include <stdlib.h>
#include <string.h>

enum { Rate = 60, PixelBytes = 4, Second = 1000000000 };

bool soc_display_init(soc_display_t *d, uint32_t buffer, memory_port_t port) {
  *d = (soc_display_t){.port = port, .buffer = buffer};
  d->lengths = calloc(buffer / PixelBytes, sizeof *d->lengths);
  return d->lengths;
}

void soc_display_free(soc_display_t *d) { free(d->lengths); }

void soc_display_show(soc_display_t *d, uint32_t width, uint32_t height, uint64_t address,
                      uint64_t pitch) {
  d->width = width;
  d->height = height;
  d->address = address;
  d->pitch = pitch;
}

static uint64_t picture_bytes(const soc_display_t *d) {
  return (uint64_t)d->columns * d->rows * PixelBytes;
}

static uint32_t batches(const soc_display_t *d) { return (d->columns + SocBatch - 1) / SocBatch; }

// Returns the cycle in which the beam takes a batch.
static uint64_t batch_due(const soc_display_t *d) {
  uint64_t line = SocLinesBefore + d->batch / batches(d);
  uint64_t width = d->columns + SocPixelsAside;
  uint64_t pixel = line * width + d->batch % batches(d) * SocBatch;
  return d->begin + pixel * Second / (Rate * (d->rows + SocLinesBefore) * width);
}

static uint32_t batch_bytes(const soc_display_t *d) {
  uint32_t from = (uint32_t)(d->batch % batches(d)) * SocBatch;
  uint32_t pixels = d->columns - from < SocBatch ? d->columns - from : SocBatch;
  return pixels * PixelBytes;
}

static uint64_t refresh_begin(const soc_display_t *d) { return d->next * (Second / 20) / 3; }

static void begin(soc_display_t *d) {
  d->begin = refresh_begin(d);
  d->next++;
  d->columns = d->width;
  d->rows = d->height;
  d->fetched = d->taken = d->ready = d->batch = 0;
  memset(d->lengths, 0, d->buffer / PixelBytes);
  d->alive = d->columns > 0;
  d->began = d->alive;
  d->stats.refreshes += d->alive;
}

// A burst's place in the buffer is that of its first byte.
static uint8_t *place(soc_display_t *d, uint64_t byte) {
  return &d->lengths[byte / PixelBytes % (d->buffer / PixelBytes)];
}

// Takes bursts in. Those of a refresh that was given up are of no use.
static void take_answers(soc_display_t *d) {
  memory_answer_t answer;
  while (d->port.pop(d->port.self, &answer)) {
    uint64_t refresh = answer.tag >> 32 & 0xff, byte = answer.tag & UINT32_MAX;
    d->under_way--;
    if (!d->alive || refresh != (d->next & 0xff)) {
      continue;
    }
    uint64_t left = d->columns * PixelBytes - byte % (d->columns * PixelBytes);
    *place(d, byte) = left < SocBurst ? (uint8_t)left : SocBurst;
  }
  bool was_all = d->ready == picture_bytes(d);
  while (d->alive && d->ready < d->fetched && *place(d, d->ready)) {
    uint8_t *length = place(d, d->ready);
    d->ready += *length;
    d->stats.bytes += *length;
    *length = 0;
  }
  d->ended |= d->alive && !was_all && d->ready == picture_bytes(d);
}

// The beam takes what is due, and finds it or not.
static void move_beam(soc_display_t *d, uint64_t now) {
  while (d->alive && batch_due(d) <= now) {
    d->taken += batch_bytes(d);
    d->batch++;
    if (d->taken > d->ready) {
      d->alive = false;
      d->ended = true;
      d->stats.aborted++;
    } else if (d->taken == picture_bytes(d)) {
      d->alive = false;
    }
  }
}

// Returns the bytes of the next burst; 0: it is not to be asked for now.
static uint32_t next_burst(const soc_display_t *d) {
  if (!d->alive || d->under_way == SocBursts || d->fetched == picture_bytes(d)) {
    return 0;
  }
  uint64_t left = d->columns * PixelBytes - d->fetched % (d->columns * PixelBytes);
  uint32_t bytes = left < SocBurst ? (uint32_t)left : SocBurst;
  return d->fetched + bytes - d->taken <= d->buffer ? bytes : 0;
}

static void fetch(soc_display_t *d) {
  uint32_t bytes;
  d->blocked = false;
  while (!d->blocked && (bytes = next_burst(d))) {
    uint64_t row = d->fetched / (d->columns * PixelBytes);
    uint64_t address = d->address + row * d->pitch + d->fetched % (d->columns * PixelBytes);
    d->blocked =
        !d->port.push(d->port.self, address, bytes, false, (d->next & 0xff) << 32 | d->fetched);
    if (!d->blocked) {
      d->fetched += bytes;
      d->under_way++;
      d->stats.requests++;
    }
  }
}

void soc_display_step(soc_display_t *d, uint64_t now) {
  d->began = d->ended = false;
  take_answers(d);
  move_beam(d, now);
  if (refresh_begin(d) <= now) {
    begin(d);
  }
  fetch(d);
}

uint64_t soc_display_next(const soc_display_t *d, uint64_t now) {
  uint64_t next = refresh_begin(d), due = d->alive ? batch_due(d) : UINT64_MAX;
  next = due < next ? due : next;
  return next > now ? next : now + 1;
}

void soc_display_describe(const soc_display_t *d, text_t *text) {
  text_format(text, "display: %s, %u of %u bursts under way, %llu of %llu bytes here",
              d->alive ? "refreshes" : "waits for its next refresh", d->under_way, SocBursts,
              (unsigned long long)d->ready, (unsigned long long)picture_bytes(d));
  text_put(text, d->blocked ? ", its read finds no room" : "");
}
