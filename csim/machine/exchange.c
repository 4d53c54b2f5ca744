// SPDX-License-Identifier: Apache-2.0
#include "exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../link/link.h"
#include "unit_memory.h"

// A distribution unit of a GPU, and what passes between it, the memory and the links.
typedef struct {
  distribution_unit_t *unit;
  unit_memory_t *memory;
  subimage_t image;     // while it sends or receives
  bool early;           // carries what is sent while the group is drawn
  bool stepped_active;  // the last step had a pulse among its inputs
  bool send_ordered, sending, receive_ordered, receiving;
  uint8_t send_peer, receive_peer;
  uint32_t sent;  // beats of the send under way
  bool receive_front;
} port_t;

// A beat on a link.
typedef struct {
  uint32_t early;  // 1 + the composed group that its sender still draws; 0: it is complete
  pixel_distributor_beat_t beat;
} record_t;

// One GPU's end.
typedef struct {
  port_t port;             // its unit gets the touches
  bool active;             // a composition has begun
  uint32_t composed;       // compositions ended: the index of the group that is drawn or composed
  uint32_t configured;     // 1 + the composed group whose surface the map is configured for
  uint32_t width, height;  // of that surface
  bool configuring;
  bool clear_pending;
  uint64_t touch_cycle;
  // Early stamps: what the unit of this port was touched with before the two changed places
  port_t early;
  gpu_guard_t guard;
  bool open;          // nothing from before the group is under way in the GPU
  bool begun;         // something of the group has left its ROP
  bool fresh;         // touches since the units changed places
  uint64_t since;     // cycle of the first of these
  uint32_t receiver;  // of the next early send, counted from the GPU itself; gpus: none is left
  uint8_t source;     // of the last early receive
} lane_t;

struct exchange {
  site_t site;
  pixel_distributor_params_t params;
  link_params_t link;
  uint32_t side_band_bytes;    // of a data beat
  uint32_t beat_size;          // of a beat, without what it has no room for
  distribution_unit_t *units;  // with early stamps the second ones of all GPUs behind the first
  uint32_t early;              // machine_early
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
    link_create(&x->links[i], &x->link, shared ? &x->pools[i % gpus] : NULL,
                offsetof(record_t, beat) + x->beat_size, beat);
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
    lane_t *l = &x->lanes[g];
    gpu_guard_t *guard = x->early ? &l->guard : NULL;
    l->port.unit = &x->units[g];
    l->port.memory = unit_memory_create(&x->params, p->memory_latency, guard, GpuGuardFinal);
    ok = l->port.memory != NULL;
    if (ok && x->early) {
      l->early.unit = &x->units[gpus + g];
      l->early.early = true;
      l->early.memory = unit_memory_create(&x->params, p->memory_latency, guard, GpuGuardEarly);
      l->receiver = gpus;
      gpu_set_guard(x->site.nodes[g].gpu, guard);
      ok = l->early.memory != NULL;
    }
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
  x->beat_size = (uint32_t)offsetof(pixel_distributor_beat_t, data) + params->beat_bytes;
  x->units = units;
  x->early = machine_early(site->params);
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
    unit_memory_destroy(x->lanes[g].port.memory);
    unit_memory_destroy(x->lanes[g].early.memory);
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
static void configure(exchange_t *x, lane_t *l) {
  distribution_unit_t *units[] = {l->port.unit, l->early.unit};
  bool ready = true;
  for (uint32_t i = 0; i < 2 && units[i]; i++) {
    units[i]->in.config_valid = false;
    ready = ready && units[i]->out.config_ready;
  }
  if (l->configuring) {
    l->configuring = !ready;
  } else if (l->configured != l->composed + 1 && l->composed < x->site.plan->composed_count &&
             !l->clear_pending) {
    const plan_group_t *g = subimage_group(&x->site, l->composed);
    const owner_map_t *size = owners_drawn(x->site.owners, g->color_target, g->depth_buffer);
    if (size->width == l->width && size->height == l->height && l->configured > 0) {
      l->configured = l->composed + 1;
    } else if (ready) {
      for (uint32_t i = 0; i < 2 && units[i]; i++) {
        distribution_unit_configure(units[i], x->site.params, size->width, size->height);
        units[i]->in.config_valid = true;
      }
      l->width = size->width;
      l->height = size->height;
      l->configuring = true;
      l->configured = l->composed + 1;
    }
  }
}

// A touched block into the map, unless a surface is just being configured or the map emptied.
// Returns true if there was one.
static bool pass_touch(exchange_t *x, uint32_t g, uint64_t now, bool may) {
  lane_t *l = &x->lanes[g];
  distribution_unit_t *unit = l->port.unit;
  gpu_t *gpu = x->site.nodes[g].gpu;
  const gpu_touch_t *touch = l->active ? NULL : gpu_touch(gpu);
  unit->in.touch_valid = touch && may && l->configured == l->composed + 1;
  if (unit->in.touch_valid) {
    unit->in.touch_x = touch->block_x;
    unit->in.touch_y = touch->block_y;
    unit->in.touch_stamps = touch->stamps;
    gpu_touch_pop(gpu);
    l->touch_cycle = now;
    l->begun = true;
    l->since = l->fresh ? l->since : now;
    l->fresh = true;
    site_wake(&x->site, g, now + 1);
  }
  return unit->in.touch_valid;
}

bool exchange_drained(const exchange_t *x, uint32_t g, uint64_t now) {
  const lane_t *l = &x->lanes[g];
  return !gpu_touch(x->site.nodes[g].gpu) && !l->configuring && !l->clear_pending &&
         l->configured == l->composed + 1 && now >= l->touch_cycle + 2 &&
         (!x->early ||
          !(l->early.sending || l->early.send_ordered || l->receiver < x->site.params->gpus));
}

void exchange_begin(exchange_t *x, uint32_t g) {
  lane_t *l = &x->lanes[g];
  l->active = true;
  l->port.image = subimage_of(&x->site, x->site.nodes[g].gpu, l->composed);
}

void exchange_end(exchange_t *x, uint32_t g) {
  lane_t *l = &x->lanes[g];
  l->active = false;
  l->clear_pending = true;
  l->open = l->begun = l->fresh = false;
  l->composed++;
}

// ---- Transfers

void exchange_send(exchange_t *x, uint32_t g, uint32_t destination) {
  x->lanes[g].port.send_ordered = true;
  x->lanes[g].port.send_peer = (uint8_t)destination;
}

void exchange_receive(exchange_t *x, uint32_t g, uint32_t source, bool front) {
  x->lanes[g].port.receive_ordered = true;
  x->lanes[g].port.receive_peer = (uint8_t)source;
  x->lanes[g].port.receive_front = front;
}

bool exchange_sending(const exchange_t *x, uint32_t g) {
  return x->lanes[g].port.sending || x->lanes[g].port.send_ordered;
}

bool exchange_receiving(const exchange_t *x, uint32_t g) {
  return x->lanes[g].port.receiving || x->lanes[g].port.receive_ordered;
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
  return beats_of(x, x->lanes[g].port.unit->out.foreign_cells);
}

uint64_t exchange_beats_left(const exchange_t *x, uint32_t g) {
  const port_t *l = &x->lanes[g].port;
  if (l->send_ordered || !l->sending) {
    return l->send_ordered ? UINT64_MAX : 0;
  }
  uint64_t all = beats_of(x, l->unit->out.sending_cells);
  return all > l->sent ? all - l->sent : 0;
}

static link_t *link_of(const exchange_t *x, uint32_t source, uint32_t destination) {
  return &x->links[source * x->site.params->gpus + destination];
}

bool exchange_offered(const exchange_t *x, uint32_t source, uint32_t g, uint64_t now) {
  const record_t *head = link_head(link_of(x, source, g), now);
  const port_t *early = &x->lanes[g].early;
  return head && !head->early && !(early->receiving && early->receive_peer == source);
}

uint64_t exchange_offer_next(const exchange_t *x, uint32_t source, uint32_t g, uint64_t now) {
  const link_t *link = link_of(x, source, g);
  return link_head(link, now) ? now + 1 : link_next(link, now);
}

// The orders that a GPU has been given, to its unit. Whether there were any, or one has ended.
static bool pass_orders(const exchange_t *x, uint32_t composed, port_t *l) {
  distribution_unit_t *unit = l->unit;
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
    subimage_rule(&x->site, composed, l->receive_front, &unit->in);
    l->receive_ordered = false;
    l->receiving = true;
    active = true;
  }
  return active;
}

static void send_beat(exchange_t *x, uint32_t g, port_t *l, uint64_t now) {
  distribution_unit_t *unit = l->unit;
  const uint32_t composed = x->lanes[g].composed;
  unit->in.beat_out_ready = false;
  if (!unit->out.beat_out_valid) {
    return;
  }
  link_t *link = link_of(x, g, l->send_peer);
  unit->in.beat_out_ready = link_room(link, now);
  if (!unit->in.beat_out_ready) {
    return;
  }
  record_t record;
  record.early = l->early ? composed + 1 : 0;
  memcpy(&record.beat, &unit->out.beat_out, x->beat_size);
  agenda_lower(x->wakes, l->send_peer, link_push(link, now, &record));
  uint32_t bytes = x->params.beat_bytes, gpus = x->site.params->gpus;
  if (unit->out.beat_out.kind == PixelDistributorBeatKindData) {
    x->stats.header_bytes += x->side_band_bytes;
    bytes += x->side_band_bytes;
  } else {
    x->stats.header_bytes += bytes;
  }
  x->stats.bytes += bytes;
  if (l->early) {
    x->stats.early_bytes += bytes;
  } else {
    x->beats[((size_t)composed * gpus + g) * gpus + l->send_peer]++;
  }
  l->sent++;
}

// A place at a receiver is free from that cycle on: for its sender, or for all.
static void wake_senders(exchange_t *x, uint32_t sender, uint64_t cycle) {
  agenda_lower(x->wakes, sender, cycle);
  for (uint32_t s = 0; x->pools && s < x->site.params->gpus; s++) {
    agenda_lower(x->wakes, s, cycle);
  }
}

static void receive_beat(exchange_t *x, uint32_t g, const port_t *l, uint64_t now) {
  distribution_unit_t *unit = l->unit;
  unit->in.beat_in_valid = false;
  if (!l->receiving || !unit->out.receiving) {
    return;
  }
  link_t *link = link_of(x, l->receive_peer, g);
  const record_t *record = link_head(link, now);
  if (!record || !record->early != !l->early || !unit->out.beat_in_ready) {
    return;
  }
  unit->in.beat_in_valid = true;
  memcpy(&unit->in.beat_in, &record->beat, x->beat_size);
  if (record->beat.kind == PixelDistributorBeatKindData) {
    unit_memory_expect(l->memory, &unit->in.beat_in);
  }
  link_pop(link, now);
  wake_senders(x, l->receive_peer, now + x->link.latency);
  x->stats.beats_taken++;
}

// Takes the memory bandwidth of an early transfer's reads and writes.
static void take_memory(const exchange_t *x, uint32_t g, const port_t *l, uint64_t now) {
  const pixel_distributor_out_t *out = &l->unit->out;
  const uint32_t bytes = l->early && x->site.params->early_memory ? x->params.beat_bytes : 0;
  gpu_take_memory(x->site.nodes[g].gpu, now,
                  bytes * ((out->send_read_valid && l->unit->in.send_read_ready) +
                           (out->receive_read_valid && l->unit->in.receive_read_ready)),
                  bytes * out->write_valid);
}

// A cycle of the transfers: orders, reads and their answers, beats, writes, done. Whether
// anything has passed.
static bool transfer(exchange_t *x, uint32_t g, port_t *l, uint64_t now, int *merged) {
  distribution_unit_t *unit = l->unit;
  pixel_distributor_in_t *in = &unit->in;
  const pixel_distributor_out_t *out = &unit->out;
  bool active = pass_orders(x, x->lanes[g].composed, l);
  unit_memory_serve(l->memory, now, &l->image, unit);
  send_beat(x, g, l, now);
  receive_beat(x, g, l, now);
  unit_memory_write(l->memory, &l->image, unit);
  take_memory(x, g, l, now);
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
static uint64_t transfer_next(const exchange_t *x, uint32_t g, const port_t *l, uint64_t now) {
  const pixel_distributor_out_t *out = &l->unit->out;
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

// ---- Early stamps

static bool over(const port_t *p) {
  return !(p->sending || p->send_ordered || p->receiving || p->receive_ordered);
}

bool exchange_settled(const exchange_t *x, uint32_t g) {
  return !x->early || over(&x->lanes[g].early);
}

// Tells if what others have drawn of the group may be merged already.
static bool is_open(const exchange_t *x, uint32_t g) {
  const lane_t *l = &x->lanes[g];
  return l->composed < x->site.plan->composed_count && l->configured == l->composed + 1 &&
         !l->configuring && !l->clear_pending &&
         subimage_group(&x->site, l->composed)->kind == DrawSchedulerGroupOpaque &&
         (l->open || l->active ||
          (l->begun && gpu_draws_group(x->site.nodes[g].gpu, l->composed + 1)));
}

// Orders a merge of what the next GPU in turn has sent.
static void order_early_merge(exchange_t *x, uint32_t g, uint64_t now) {
  lane_t *l = &x->lanes[g];
  const uint32_t gpus = x->site.params->gpus;
  for (uint32_t k = 1; k <= gpus && !l->early.receive_ordered; k++) {
    const uint32_t s = (l->source + k) % gpus;
    const record_t *head = s == g ? NULL : link_head(link_of(x, s, g), now);
    if (head && head->early == l->composed + 1) {
      l->early.receive_ordered = true;
      l->early.receive_peer = l->source = (uint8_t)s;
    }
  }
}

// Orders what the early port does next. Returns true if the units change places after this cycle:
// nothing is left to send of what was touched before.
static bool order_early(exchange_t *x, uint32_t g, uint64_t now) {
  lane_t *l = &x->lanes[g];
  port_t *p = &l->early;
  const uint32_t gpus = x->site.params->gpus;
  uint32_t token;
  l->open = is_open(x, g);
  if (!l->open) {
    return false;
  }
  p->image = subimage_of(&x->site, x->site.nodes[g].gpu, l->composed);
  const bool changes = l->fresh && now >= l->since + x->early && l->receiver == gpus &&
                       !p->sending && !l->active && !gpu_held(x->site.nodes[g].gpu, &token);
  if (l->receiver < gpus && !p->sending) {
    p->send_ordered = true;
    p->send_peer = (uint8_t)((g + l->receiver++) % gpus);
    x->stats.early_transfers++;
  }
  if (!changes && !p->receiving) {
    order_early_merge(x, g, now);
  }
  return changes && over(p);
}

static void change_places(lane_t *l) {
  distribution_unit_t *unit = l->port.unit;
  l->port.unit = l->early.unit;
  l->early.unit = unit;
  l->port.stepped_active = l->early.stepped_active = true;
  l->fresh = false;
  l->receiver = 1;
}

// ---- A cycle

// Returns when the port has something to do again. active: something has passed.
static uint64_t step_port(const port_t *p, bool active, uint64_t now, bool *stepped, halt_t *halt) {
  bool step = active || *stepped || !p->unit->out.quiescent;
  if (step && !distribution_unit_step(p->unit, now, halt)) {
    return UINT64_MAX;
  }
  *stepped = active;
  return step && (active || !p->unit->out.quiescent) ? now + 1 : UINT64_MAX;
}

static uint64_t step_early(exchange_t *x, uint32_t g, uint64_t now, bool clear, halt_t *halt) {
  lane_t *l = &x->lanes[g];
  port_t *p = &l->early;
  int merged;
  p->unit->in.start_valid = p->unit->in.begin_valid = p->unit->in.touch_valid = false;
  const bool changes = order_early(x, g, now);
  p->unit->in.clear = clear || changes;
  bool active = transfer(x, g, p, now, &merged) || p->unit->in.config_valid || p->unit->in.clear;
  uint64_t next = step_port(p, active, now, &p->stepped_active, halt);
  cycle_earliest(&next, transfer_next(x, g, p, now));
  if (l->fresh && !changes) {
    cycle_earliest(&next, cycle_after(now, l->since + x->early));
  }
  if (changes) {
    change_places(l);
    next = now + 1;
  }
  return next;
}

uint64_t exchange_step(exchange_t *x, uint32_t g, uint64_t now, int *merged, halt_t *halt) {
  lane_t *l = &x->lanes[g];
  port_t *p = &l->port;
  distribution_unit_t *unit = p->unit;
  *merged = ExchangeNone;
  bool was_configuring = l->configuring, clear = l->clear_pending;
  configure(x, l);
  unit->in.clear = clear;
  l->clear_pending = false;
  unit->in.start_valid = unit->in.begin_valid = false;
  bool may_touch = !l->configuring && !was_configuring && !clear;
  bool active = pass_touch(x, g, now, may_touch) || unit->in.config_valid || clear;
  if (l->active) {
    active = transfer(x, g, p, now, merged) || active;
  }
  uint64_t next = step_port(p, active, now, &p->stepped_active, halt);
  if (gpu_touch(x->site.nodes[g].gpu) || l->configuring ||
      (l->configured != l->composed + 1 && l->composed < x->site.plan->composed_count)) {
    cycle_earliest(&next, now + 1);
  }
  if (l->active) {
    cycle_earliest(&next, transfer_next(x, g, p, now));
  }
  if (x->early && halt->status == MachineDone) {
    cycle_earliest(&next, step_early(x, g, now, clear, halt));
  }
  return next;
}

const uint32_t *exchange_beats(const exchange_t *x) { return x->beats; }
const link_params_t *exchange_link(const exchange_t *x) { return &x->link; }

void exchange_describe(const exchange_t *x, uint32_t g, text_t *text) {
  const port_t *l = &x->lanes[g].port;
  const pixel_distributor_out_t *out = &l->unit->out;
  if (exchange_sending(x, g)) {
    text_format(text, ", sending to %u%s", l->send_peer,
                link_of(x, g, l->send_peer)->failed ? ", out of memory, a beat was lost" : "");
  }
  if (exchange_receiving(x, g)) {
    text_format(text, ", receiving from %u", l->receive_peer);
  }
  const port_t *early = &x->lanes[g].early;
  if (early->sending || early->send_ordered) {
    text_format(text, ", early to %u", early->send_peer);
  }
  if (early->receiving || early->receive_ordered) {
    text_format(text, ", early from %u", early->receive_peer);
  }
  text_format(text, "%s%s%s", out->beat_out_valid ? ", a beat waits for the link" : "",
              out->done_valid ? ", done" : "", out->quiescent ? ", quiescent" : "");
}

const exchange_stats_t *exchange_stats(const exchange_t *x) { return &x->stats; }
