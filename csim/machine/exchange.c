// SPDX-License-Identifier: Apache-2.0
#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../link/link.h"
#include "unit_memory.h"

// One GPU's end.
typedef struct {
  unit_memory_t *memory;
  bool stepped_active;     // the last step had a pulse among its inputs
  bool active;             // a composition has begun
  uint32_t composed;       // compositions ended: the index of the group that is drawn or composed
  uint32_t configured;     // 1 + the composed group whose surface the map is configured for
  uint32_t width, height;  // of that surface
  bool configuring;
  bool clear_pending;
  uint64_t touch_cycle;
  subimage_t image;  // while active
  bool send_ordered, sending, receive_ordered, receiving;
  uint8_t send_peer, receive_peer;
  uint32_t sent;  // beats of the send under way
  bool receive_front;
} lane_t;

struct exchange {
  site_t site;
  pixel_distributor_params_t params;
  link_params_t link;
  uint32_t side_band_bytes;  // of a data beat
  uint32_t record_size;      // of a beat, without what it has no room for
  distribution_unit_t *units;
  lane_t *lanes;
  link_t *links;       // [source * gpus + destination]
  link_pool_t *pools;  // of each destination; NULL: each link has a buffer of its own
  agenda_t *wakes;
  uint32_t *beats;
  exchange_stats_t stats;
};

static uint32_t side_band_bytes(const pixel_distributor_params_t *p) {
  uint32_t pixels = pixel_distributor_piece_pixels(p);
  uint32_t piece_width = 2 * p->tile_log2 - (pixels == 4 ? 2 : 1);
  return (pixel_distributor_pieces(p) * (piece_width + pixels) + 7) / 8;
}

// Bytes of the largest sub-image of an owner: every pixel touched, headers, partial beats.
static uint32_t largest_transfer(const site_t *site) {
  enum { TileBytes = 8 * 64 * 64 + 2048 };
  uint32_t most = 0;
  for (uint32_t k = 0; k < owners_count(site->owners); k++) {
    const owner_map_t *map = owners_map(site->owners, k);
    uint32_t owned[UnitMaxGpus] = {0};
    for (uint32_t i = 0; i < map->tiles_x * map->tiles_y; i++) {
      uint32_t tiles = ++owned[map->tiles[i]];
      most = tiles > most ? tiles : most;
    }
  }
  return most * TileBytes;
}

static bool make_links(exchange_t *x) {
  const machine_params_t *p = x->site.params;
  uint32_t gpus = p->gpus, beat = x->params.beat_bytes;
  bool shared = p->link_shared_buffer && !machine_ideal(p), ok = true;
  x->link = p->link;
  if (machine_ideal(p)) {
    x->link = (link_params_t){.latency = 1,
                              .bytes_per_cycle = beat,
                              .endless = true,
                              .buffer_bytes = largest_transfer(&x->site)};
  }
  x->pools = shared ? calloc(gpus, sizeof *x->pools) : NULL;
  for (uint32_t d = 0; d < gpus && shared && ok; d++) {
    ok = x->pools && link_pool_create(&x->pools[d], p->link_shared_buffer, gpus - 1, beat);
  }
  for (uint32_t i = 0; ok && i < gpus * gpus; i++) {
    link_create(&x->links[i], &x->link, shared ? &x->pools[i % gpus] : NULL, x->record_size, beat);
  }
  return ok;
}

static bool allocate(exchange_t *x) {
  const machine_params_t *p = x->site.params;
  uint32_t gpus = p->gpus;
  x->lanes = calloc(gpus, sizeof *x->lanes);
  x->links = calloc((size_t)gpus * gpus, sizeof *x->links);
  x->beats = calloc((size_t)x->site.plan->composed_count * gpus * gpus + 1, sizeof *x->beats);
  bool ok = x->lanes && x->links && x->beats;
  for (uint32_t g = 0; ok && g < gpus; g++) {
    x->lanes[g].memory = unit_memory_create(&x->params, p->memory_latency);
    ok = x->lanes[g].memory != NULL;
  }
  return ok && make_links(x);
}

exchange_t *exchange_create(const site_t *site, const pixel_distributor_params_t *params,
                            distribution_unit_t *units, agenda_t *wakes) {
  exchange_t *x = calloc(1, sizeof *x);
  if (!x) {
    return NULL;
  }
  x->site = *site;
  x->params = *params;
  x->side_band_bytes = side_band_bytes(params);
  x->record_size = (uint32_t)offsetof(pixel_distributor_beat_t, data) + params->beat_bytes;
  x->units = units;
  x->wakes = wakes;
  if (!allocate(x)) {
    exchange_destroy(x);
    return NULL;
  }
  return x;
}

void exchange_destroy(exchange_t *x) {
  if (!x) {
    return;
  }
  uint32_t gpus = x->site.params->gpus;
  for (uint32_t g = 0; x->lanes && g < gpus; g++) {
    unit_memory_destroy(x->lanes[g].memory);
  }
  for (uint32_t i = 0; x->links && i < gpus * gpus; i++) {
    link_destroy(&x->links[i]);
  }
  for (uint32_t d = 0; x->pools && d < gpus; d++) {
    link_pool_destroy(&x->pools[d]);
  }
  free(x->pools);
  free(x->lanes);
  free(x->links);
  free(x->beats);
  free(x);
}

// ---- The touched map

// The surface of the next composed group, once the one before has been released.
static void configure(exchange_t *x, lane_t *l, distribution_unit_t *unit) {
  unit->in.config_valid = false;
  if (l->configuring) {
    l->configuring = !unit->out.config_ready;
  } else if (l->configured != l->composed + 1 && l->composed < x->site.plan->composed_count &&
             !l->clear_pending) {
    const plan_group_t *g = subimage_group(&x->site, l->composed);
    const owner_map_t *size = owners_drawn(x->site.owners, g->color_target, g->depth_buffer);
    if (size->width == l->width && size->height == l->height && l->configured > 0) {
      l->configured = l->composed + 1;
    } else if (unit->out.config_ready) {
      distribution_unit_configure(unit, x->site.params, size->width, size->height);
      unit->in.config_valid = true;
      l->width = size->width;
      l->height = size->height;
      l->configuring = true;
      l->configured = l->composed + 1;
    }
  }
}

// A touched block into the map, unless a surface is just being configured or the map emptied.
// Whether there was one.
static bool pass_touch(exchange_t *x, uint32_t g, uint64_t now, bool may) {
  lane_t *l = &x->lanes[g];
  distribution_unit_t *unit = &x->units[g];
  gpu_t *gpu = x->site.nodes[g].gpu;
  const gpu_touch_t *touch = l->active ? NULL : gpu_touch(gpu);
  unit->in.touch_valid = touch && may && l->configured == l->composed + 1;
  if (unit->in.touch_valid) {
    unit->in.touch_x = touch->block_x;
    unit->in.touch_y = touch->block_y;
    unit->in.touch_stamps = touch->stamps;
    gpu_touch_pop(gpu);
    l->touch_cycle = now;
    site_wake(&x->site, g, now + 1);
  }
  return unit->in.touch_valid;
}

bool exchange_drained(const exchange_t *x, uint32_t g, uint64_t now) {
  const lane_t *l = &x->lanes[g];
  return !gpu_touch(x->site.nodes[g].gpu) && !l->configuring && !l->clear_pending &&
         l->configured == l->composed + 1 && now >= l->touch_cycle + 2;
}

void exchange_begin(exchange_t *x, uint32_t g) {
  lane_t *l = &x->lanes[g];
  l->active = true;
  l->image = subimage_of(&x->site, x->site.nodes[g].gpu, l->composed);
}

void exchange_end(exchange_t *x, uint32_t g) {
  lane_t *l = &x->lanes[g];
  l->active = false;
  l->clear_pending = true;
  l->composed++;
}

// ---- Transfers

void exchange_send(exchange_t *x, uint32_t g, uint32_t destination) {
  x->lanes[g].send_ordered = true;
  x->lanes[g].send_peer = (uint8_t)destination;
}

void exchange_receive(exchange_t *x, uint32_t g, uint32_t source, bool front) {
  x->lanes[g].receive_ordered = true;
  x->lanes[g].receive_peer = (uint8_t)source;
  x->lanes[g].receive_front = front;
}

bool exchange_sending(const exchange_t *x, uint32_t g) {
  return x->lanes[g].sending || x->lanes[g].send_ordered;
}

bool exchange_receiving(const exchange_t *x, uint32_t g) {
  return x->lanes[g].receiving || x->lanes[g].receive_ordered;
}

// Beats that so many touched cells take.
static uint64_t beats_of(const exchange_t *x, uint64_t cells) {
  static const uint32_t sides[] = {[PixelDistributorCellTile] = 0,
                                   [PixelDistributorCellBlock] = 8,
                                   [PixelDistributorCellStamp] = 2};
  uint64_t side = sides[x->params.cell] ? sides[x->params.cell] : 1u << x->params.tile_log2;
  return (cells * side * side * 8 + x->params.beat_bytes - 1) / x->params.beat_bytes;
}

uint64_t exchange_foreign_beats(const exchange_t *x, uint32_t g) {
  return beats_of(x, x->units[g].out.foreign_cells);
}

uint64_t exchange_beats_left(const exchange_t *x, uint32_t g) {
  const lane_t *l = &x->lanes[g];
  if (l->send_ordered || !l->sending) {
    return l->send_ordered ? UINT64_MAX : 0;
  }
  uint64_t all = beats_of(x, x->units[g].out.sending_cells);
  return all > l->sent ? all - l->sent : 0;
}

static link_t *link_of(const exchange_t *x, uint32_t source, uint32_t destination) {
  return &x->links[source * x->site.params->gpus + destination];
}

bool exchange_offered(const exchange_t *x, uint32_t source, uint32_t g, uint64_t now) {
  return link_head(link_of(x, source, g), now) != NULL;
}

uint64_t exchange_offer_next(const exchange_t *x, uint32_t source, uint32_t g, uint64_t now) {
  const link_t *link = link_of(x, source, g);
  return link_head(link, now) ? now + 1 : link_next(link, now);
}

// The orders that a GPU has been given, to its unit. Whether there were any, or one has ended.
static bool pass_orders(exchange_t *x, lane_t *l, distribution_unit_t *unit) {
  const pixel_distributor_out_t *out = &unit->out;
  bool active = false;
  if (l->send_ordered && !out->sending) {
    unit->in.start_valid = true;
    unit->in.start_destination = l->send_peer;
    l->send_ordered = false;
    l->sending = true;
    l->sent = 0;
    active = true;
  } else if (l->sending && !out->sending) {
    l->sending = false;
    active = true;  // direct-send goes on in the next cycle
  }
  if (l->receive_ordered && !out->receiving) {
    unit->in.begin_valid = true;
    subimage_rule(&x->site, l->composed, l->receive_front, &unit->in);
    l->receive_ordered = false;
    l->receiving = true;
    active = true;
  }
  return active;
}

static void send_beat(exchange_t *x, uint32_t g, lane_t *l, distribution_unit_t *unit,
                      uint64_t now) {
  unit->in.beat_out_ready = false;
  if (!unit->out.beat_out_valid) {
    return;
  }
  link_t *link = link_of(x, g, l->send_peer);
  unit->in.beat_out_ready = link_room(link, now);
  if (!unit->in.beat_out_ready) {
    return;
  }
  agenda_lower(x->wakes, l->send_peer, link_push(link, now, &unit->out.beat_out));
  uint32_t bytes = x->params.beat_bytes, gpus = x->site.params->gpus;
  if (unit->out.beat_out.kind == PixelDistributorBeatKindData) {
    x->stats.header_bytes += x->side_band_bytes;
    bytes += x->side_band_bytes;
  } else {
    x->stats.header_bytes += bytes;
  }
  x->stats.bytes += bytes;
  x->beats[((size_t)l->composed * gpus + g) * gpus + l->send_peer]++;
  l->sent++;
}

// A place at a receiver is free from that cycle on: for its sender, or for all.
static void wake_senders(exchange_t *x, uint32_t sender, uint64_t cycle) {
  agenda_lower(x->wakes, sender, cycle);
  for (uint32_t s = 0; x->pools && s < x->site.params->gpus; s++) {
    agenda_lower(x->wakes, s, cycle);
  }
}

static void receive_beat(exchange_t *x, uint32_t g, const lane_t *l, distribution_unit_t *unit,
                         uint64_t now) {
  unit->in.beat_in_valid = false;
  if (!l->receiving || !unit->out.receiving) {
    return;
  }
  link_t *link = link_of(x, l->receive_peer, g);
  const pixel_distributor_beat_t *beat = link_head(link, now);
  if (!beat || !unit->out.beat_in_ready) {
    return;
  }
  unit->in.beat_in_valid = true;
  memcpy(&unit->in.beat_in, beat, x->record_size);
  if (beat->kind == PixelDistributorBeatKindData) {
    unit_memory_expect(l->memory, &unit->in.beat_in);
  }
  link_pop(link, now);
  wake_senders(x, l->receive_peer, now + x->link.latency);
  x->stats.beats_taken++;
}

// A cycle of the transfers: orders, reads and their answers, beats, writes, done. Whether
// anything has passed.
static bool transfer(exchange_t *x, uint32_t g, uint64_t now, int *merged) {
  lane_t *l = &x->lanes[g];
  distribution_unit_t *unit = &x->units[g];
  pixel_distributor_in_t *in = &unit->in;
  const pixel_distributor_out_t *out = &unit->out;
  bool active = pass_orders(x, l, unit);
  unit_memory_serve(l->memory, now, &l->image, unit);
  send_beat(x, g, l, unit, now);
  receive_beat(x, g, l, unit, now);
  unit_memory_write(l->memory, &l->image, unit);
  in->done_ready = true;
  if (out->done_valid) {
    l->receiving = false;
    *merged = l->receive_peer;
  }
  return active || in->send_data_valid || in->receive_data_valid || in->beat_in_valid ||
         (out->beat_out_valid && in->beat_out_ready) || out->send_read_valid ||
         out->receive_read_valid || out->write_valid || out->done_valid;
}

// When the transfers of a GPU may go on.
static uint64_t transfer_next(const exchange_t *x, uint32_t g, uint64_t now) {
  const lane_t *l = &x->lanes[g];
  const pixel_distributor_out_t *out = &x->units[g].out;
  uint64_t next = unit_memory_next(l->memory, now);
  if (((l->sending || l->send_ordered) && !out->sending) ||
      (l->receive_ordered && !out->receiving)) {
    cycle_earliest(&next, now + 1);
  }
  if (l->sending && out->beat_out_valid) {
    const link_t *link = link_of(x, g, l->send_peer);
    cycle_earliest(&next, link_room(link, now + 1) ? now + 1 : link_next(link, now));
  }
  if (l->receiving) {
    cycle_earliest(&next, exchange_offer_next(x, l->receive_peer, g, now));
  }
  return next;
}

uint64_t exchange_step(exchange_t *x, uint32_t g, uint64_t now, int *merged, halt_t *halt) {
  lane_t *l = &x->lanes[g];
  distribution_unit_t *unit = &x->units[g];
  *merged = ExchangeNone;
  bool was_configuring = l->configuring;
  configure(x, l, unit);
  unit->in.clear = l->clear_pending;
  l->clear_pending = false;
  unit->in.start_valid = unit->in.begin_valid = false;
  bool may_touch = !l->configuring && !was_configuring && !unit->in.clear;
  bool active = pass_touch(x, g, now, may_touch) || unit->in.config_valid || unit->in.clear;
  if (l->active) {
    active = transfer(x, g, now, merged) || active;
  }
  bool step = active || l->stepped_active || !unit->out.quiescent;
  if (step && !distribution_unit_step(unit, now, halt)) {
    return UINT64_MAX;
  }
  l->stepped_active = active;
  uint64_t next = step && (active || !unit->out.quiescent) ? now + 1 : UINT64_MAX;
  if (gpu_touch(x->site.nodes[g].gpu) || l->configuring ||
      (l->configured != l->composed + 1 && l->composed < x->site.plan->composed_count)) {
    cycle_earliest(&next, now + 1);
  }
  if (l->active) {
    cycle_earliest(&next, transfer_next(x, g, now));
  }
  return next;
}

const uint32_t *exchange_beats(const exchange_t *x) { return x->beats; }
const link_params_t *exchange_link(const exchange_t *x) { return &x->link; }

void exchange_describe(const exchange_t *x, uint32_t g, text_t *text) {
  const lane_t *l = &x->lanes[g];
  const pixel_distributor_out_t *out = &x->units[g].out;
  if (exchange_sending(x, g)) {
    text_format(text, ", sending to %u%s", l->send_peer,
                link_of(x, g, l->send_peer)->failed ? ", out of memory, a beat was lost" : "");
  }
  if (exchange_receiving(x, g)) {
    text_format(text, ", receiving from %u", l->receive_peer);
  }
  text_format(text, "%s%s%s", out->beat_out_valid ? ", a beat waits for the link" : "",
              out->done_valid ? ", done" : "", out->quiescent ? ", quiescent" : "");
}

const exchange_stats_t *exchange_stats(const exchange_t *x) { return &x->stats; }
