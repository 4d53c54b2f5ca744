// Image composition: a GPU whose sub-image is complete reports ready, the composition
// scheduler starts transfers, the distribution units send and merge over the links,
// and a GPU that has exchanged with all others goes on (CHOPIN, IV-C, IV-E).
//
// Naive direct-send has no scheduler: a GPU sends to the others in ascending order
// from own + 1, whether they are ready or not, and blocks at the head.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine_internal.h"

enum { ToSource, ToDestination, ToRelease };  // messages from the composition scheduler

const plan_group_t *compose_group(const machine_t *m, uint32_t composed) {
  return &m->plan->groups[m->plan->composed[composed]];
}

static frame_surface_t surface_of(const machine_t *m, const plan_group_t *g) {
  return g->color_target != FrameNone ? m->frame->targets[g->color_target]
                                      : m->frame->depths[g->depth_buffer];
}

static uint32_t side_band_bytes(const pixel_distributor_params_t *p) {
  uint32_t pixels = pixel_distributor_piece_pixels(p);
  uint32_t piece_width = 2 * p->tile_log2 - (pixels == 4 ? 2 : 1);
  return (pixel_distributor_pieces(p) * (piece_width + pixels) + 7) / 8;
}

// ---- The owner tables: read once from a unit's map, before the frame starts ----

static bool settle(machine_t *m, node_t *n) {
  n->in.config_valid = n->in.peek_valid = false;
  do {
    if (n->distributor.step(n->distributor.self, &n->in, &n->out) != UnitOk) {
      return machine_fail(m, MachineUnitFailed, "pixel_distributor 0");
    }
  } while (!n->out.quiescent);
  return n->out.error == 0 ||
         machine_fail(m, MachineProtocol, "pixel_distributor 0: error_o = %u", n->out.error);
}

static void set_config(const machine_t *m, node_t *n, frame_surface_t size) {
  n->in.config_width = (uint16_t)size.width;
  n->in.config_height = (uint16_t)size.height;
  n->in.config_map = (uint8_t)m->params.map_mode;
  n->in.config_work_tile = (uint8_t)m->params.work_tile;
  n->width = size.width;
  n->height = size.height;
}

static bool read_owners(machine_t *m, uint32_t map) {
  node_t *n = &m->nodes[0];
  frame_surface_t size = m->owner_sizes[map];
  set_config(m, n, size);
  n->in.config_valid = true;
  if (n->distributor.step(n->distributor.self, &n->in, &n->out) != UnitOk) {
    return machine_fail(m, MachineUnitFailed, "pixel_distributor 0");
  }
  if (!settle(m, n)) {
    return false;
  }
  uint32_t pitch = pixel_distributor_pitch(&m->distributor_params);
  uint32_t tiles_x = (size.width + 63) / 64, tiles_y = (size.height + 63) / 64;
  for (uint32_t y = 0; y < tiles_y; y++) {
    for (uint32_t x = 0; x < tiles_x; x++) {
      n->in.peek_valid = true;
      n->in.peek_select = PixelDistributorPeekOwner;
      n->in.peek_index = y * pitch + x;
      if (n->distributor.step(n->distributor.self, &n->in, &n->out) != UnitOk) {
        return machine_fail(m, MachineUnitFailed, "pixel_distributor 0");
      }
      m->owner_maps[map][y * tiles_x + x] = (uint8_t)n->out.peek_data;
    }
  }
  n->in.peek_valid = false;
  return settle(m, n);
}

static uint32_t max_side(uint32_t have, uint32_t need) {
  while (have < need) {
    have *= 2;
  }
  return have;
}

static void choose_distributor_params(machine_t *m) {
  pixel_distributor_params_t *p = &m->distributor_params;
  *p = (pixel_distributor_params_t){.gpus = m->params.gpus, .tile_log2 = 6,
                                    .cell = m->params.cell_mode,
                                    .beat_bytes = 16u << m->params.beat_bytes,
                                    .max_width = 2048, .max_height = 2048,
                                    .send_depth = 64, .receive_depth = 64,
                                    .count_width = 48};
  for (uint32_t k = 0; k < m->owner_map_count; k++) {
    p->max_width = max_side(p->max_width, m->owner_sizes[k].width);
    p->max_height = max_side(p->max_height, m->owner_sizes[k].height);
  }
}

static bool node_create(machine_t *m, node_t *n) {
  n->send_reads = calloc(1, sizeof *n->send_reads);
  n->receive_reads = calloc(1, sizeof *n->receive_reads);
  n->beats = calloc(1, sizeof *n->beats);
  return n->send_reads && n->receive_reads && n->beats &&
         channel_create(&n->to_composer, m->params.message_latency) &&
         channel_create(&n->from_composer, m->params.message_latency);
}

bool compose_create(machine_t *m, const machine_units_t *units, char error[FrameErrorSize]) {
  uint32_t gpus = m->params.gpus;
  if (!m->has_distributors) {
    return true;
  }
  choose_distributor_params(m);
  // Without compositions, or with ideal ones, the map alone is needed, the same in all units.
  uint32_t count = machine_composes(m) && !machine_ideal(m) ? gpus : 1;
  for (uint32_t g = 0; g < count; g++) {
    node_t *n = &m->nodes[g];
    if (!units->pixel_distributor(units->context, &m->distributor_params, g, &n->distributor,
                                  error)) {
      return false;
    }
    n->distributor.reset(n->distributor.self, &n->out);
    n->in.gpu = (uint8_t)g;
  }
  for (uint32_t g = 0; machine_composes(m) && g < gpus; g++) {
    if (!node_create(m, &m->nodes[g])) {
      return false;
    }
  }
  for (uint32_t k = 0; k < m->owner_map_count; k++) {
    if (!read_owners(m, k)) {
      snprintf(error, FrameErrorSize, "%.200s", m->report);
      return false;
    }
  }
  if (!machine_composes(m) || machine_ideal(m)) {
    return true;
  }
  size_t records = (size_t)m->plan->composed_count * gpus;
  m->compositions.ready = calloc(records + 1, sizeof *m->compositions.ready);
  m->compositions.released = calloc(records + 1, sizeof *m->compositions.released);
  m->compositions.beats = calloc(records * gpus + 1, sizeof *m->compositions.beats);
  if (!m->compositions.ready || !m->compositions.released || !m->compositions.beats) {
    return false;
  }
  m->links = calloc((size_t)gpus * gpus, sizeof *m->links);
  for (uint32_t i = 0; m->links && i < gpus * gpus; i++) {
    if (i / gpus != i % gpus &&
        !link_create(&m->links[i], &m->params.link, sizeof(pixel_distributor_beat_t),
                     m->distributor_params.beat_bytes)) {
      return false;
    }
  }
  return m->links != NULL;
}

void compose_destroy(machine_t *m) {
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    node_t *n = &m->nodes[g];
    free(n->send_reads);
    free(n->receive_reads);
    free(n->beats);
    channel_destroy(&n->to_composer);
    channel_destroy(&n->from_composer);
  }
  for (uint32_t i = 0; m->links && i < m->params.gpus * m->params.gpus; i++) {
    link_destroy(&m->links[i]);
  }
  free(m->links);
  free(m->compositions.ready);
  free(m->compositions.released);
  free(m->compositions.beats);
}

// ---- Transfers ----

static void send_beats(machine_t *m, uint32_t g, node_t *n) {
  n->in.beat_out_ready = false;
  if (!n->out.beat_out_valid) {
    return;
  }
  link_t *link = &m->links[g * m->params.gpus + n->send_peer];
  n->in.beat_out_ready = link_room(link, m->now);
  if (!n->in.beat_out_ready) {
    return;
  }
  uint64_t arrival = link_push(link, m->now, &n->out.beat_out);
  earliest(&m->nodes[n->send_peer].compose_wake, arrival);
  uint32_t bytes = m->distributor_params.beat_bytes;
  if (n->out.beat_out.kind == PixelDistributorBeatData) {
    uint32_t side = side_band_bytes(&m->distributor_params);
    m->stats.composition_header_bytes += side;
    bytes += side;
  } else {
    m->stats.composition_header_bytes += bytes;
  }
  m->stats.composition_bytes += bytes;
  m->compositions.beats[((size_t)n->composed * m->params.gpus + g) * m->params.gpus + n->send_peer]++;
}

static void receive_beats(machine_t *m, uint32_t g, node_t *n) {
  n->in.beat_in_valid = false;
  if (!n->receiving || !n->out.receiving) {
    return;
  }
  link_t *link = &m->links[n->receive_peer * m->params.gpus + g];
  const pixel_distributor_beat_t *beat = link_head(link, m->now);
  if (!beat || !n->out.beat_in_ready) {
    return;
  }
  n->in.beat_in_valid = true;
  n->in.beat_in = *beat;
  if (beat->kind == PixelDistributorBeatData) {
    uint32_t place = (n->beats->head + n->beats->count++) % (ReadsInFlight + 8);
    memcpy(n->beats->data[place], beat->data, sizeof beat->data);
  }
  link_pop(link, m->now);
  earliest(&m->nodes[n->receive_peer].compose_wake, m->now + m->params.link.latency);
  n->beats_taken++;
}

void compose_begin(machine_t *m, node_t *n) {
  const plan_group_t *group = compose_group(m, n->composed);
  const frame_state_t *s = &m->frame->commands[group->first].state;
  pixel_distributor_in_t *in = &n->in;
  in->begin_valid = true;
  in->begin_front = n->receive_front;
  in->begin_transparent = group->kind == DrawGroupTransparent;
  in->begin_operator = group->op == PlanOperatorAdd        ? PixelDistributorAdd
                       : group->op == PlanOperatorMultiply ? PixelDistributorMultiply
                                                           : PixelDistributorOver;
  in->begin_depth_func = s->depth_func;
  in->begin_color_mask = s->color_mask;
  in->begin_depth_write = true;
  in->begin_tag_enable = m->params.order_tag;
  in->begin_test_base = true;
  n->receive_ordered = false;
  n->receiving = true;
}

// ---- The phases of a composition ----

static bool make_subimage(machine_t *m, node_t *n) {
  const plan_group_t *g = compose_group(m, n->composed);
  if (g->kind != DrawGroupTransparent) {
    return true;
  }
  surface_t *s = gpu_target(n->gpu, g->color_target);
  size_t pixels = (size_t)s->tiles_x * s->tiles_y * SurfaceTilePixels;
  if (!s->subimage) {
    s->subimage = calloc(pixels, sizeof *s->subimage);
    s->subimage_written = calloc(pixels / SurfaceBlockPixels, sizeof *s->subimage_written);
  }
  return (s->subimage && s->subimage_written) ||
         machine_fail(m, MachineUnitFailed, "out of memory for a sub-image");
}

static void note(const machine_t *m, uint64_t *times, const node_t *n) {
  if (times) {
    times[(size_t)n->composed * m->params.gpus + (size_t)(n - m->nodes)] = m->now;
  }
}

static void release(machine_t *m, node_t *n) {
  const plan_group_t *g = compose_group(m, n->composed);
  bool background = g->kind == DrawGroupTransparent;
  gpu_release(n->gpu, m->now, background ? g->first : UINT32_MAX);
  n->wake = m->now;
  n->phase = ComposeIdle;
  n->clear_pending = true;
  note(m, m->compositions.released, n);
  n->composed++;
  m->stats.releases++;
  m->stats.composition_cycles += m->now - n->ready_cycle;
}

static void report(machine_t *m, node_t *n, uint32_t kind) {
  earliest(&m->composer_wake,
           channel_send(&n->to_composer, m->now, (channel_message_t){.kind = kind}));
  m->stats.composition_message_bytes += ChannelMessageBytes;
}

static bool step_phase(machine_t *m, uint32_t g, node_t *n) {
  uint32_t token;
  if (n->phase == ComposeIdle && gpu_held(n->gpu, &token) && token == HOLD_COMPOSE) {
    dispatch_flush_progress(m, g);
    n->phase = ComposeDraining;
    if (!make_subimage(m, n)) {
      return false;
    }
  }
  if (n->phase == ComposeDraining && !gpu_touch(n->gpu) && !n->configuring &&
      !n->clear_pending && n->configured == n->composed + 1 && m->now >= n->touch_cycle + 2) {
    n->phase = ComposeActive;
    n->ready_cycle = m->now;
    note(m, m->compositions.ready, n);
    n->sends = 0;
    n->received_from = 0;
    if (m->has_composer) {
      bool transparent = compose_group(m, n->composed)->kind == DrawGroupTransparent;
      report(m, n, transparent ? CompositionReadyTransparent : CompositionReadyOpaque);
    }
  }
  return true;
}

static void hear_composer(machine_t *m, node_t *n) {
  const channel_message_t *message = channel_head(&n->from_composer, m->now);
  if (!message) {
    return;
  }
  switch (message->kind) {
    case ToSource:
      n->send_ordered = true;
      n->send_peer = (uint8_t)message->value;
      break;
    case ToDestination:
      n->receive_ordered = true;
      n->receive_peer = (uint8_t)message->value;
      n->receive_front = message->payload;
      break;
    default:
      release(m, n);
  }
  channel_pop(&n->from_composer);
}

// Whether the sub-image of `source` may be merged at g now.
static bool mergeable(const machine_t *m, const node_t *n, uint32_t g, uint32_t source) {
  if (source == g || n->received_from >> source & 1) {
    return false;
  }
  if (compose_group(m, n->composed)->kind != DrawGroupTransparent) {
    return true;
  }
  uint64_t have = n->received_from | 1ull << g;
  return source > g ? have >> (source - 1) & 1 : have >> (source + 1) & 1;
}

static void direct_send(machine_t *m, uint32_t g, node_t *n) {
  uint32_t gpus = m->params.gpus;
  if (n->phase != ComposeActive) {
    return;
  }
  bool all_sent = n->sends == gpus - 1 && !n->sending && !n->send_ordered;
  if (n->sends < gpus - 1 && !n->sending && !n->send_ordered) {
    n->send_peer = (uint8_t)((g + 1 + n->sends) % gpus);
    n->send_ordered = true;
    n->sends++;
    m->stats.starts++;
  }
  if (!n->receiving && !n->receive_ordered) {
    for (uint32_t k = 1; k <= gpus; k++) {
      uint32_t source = (n->receive_peer + k) % gpus;
      if (mergeable(m, n, g, source) && link_head(&m->links[source * gpus + g], m->now)) {
        n->receive_ordered = true;
        n->receive_peer = (uint8_t)source;
        n->receive_front = source > g;
        break;
      }
    }
  }
  if (all_sent && !n->receiving && !n->receive_ordered &&
      (uint32_t)__builtin_popcountll(n->received_from) == gpus - 1) {
    release(m, n);
  }
}

// The surface of the next composed group, once the one before has been released.
static void configure(machine_t *m, node_t *n) {
  n->in.config_valid = false;
  if (n->configuring) {
    n->configuring = !n->out.config_ready;
  } else if (n->configured != n->composed + 1 && n->composed < m->plan->composed_count &&
             !n->clear_pending) {
    frame_surface_t size = surface_of(m, compose_group(m, n->composed));
    if (size.width == n->width && size.height == n->height && n->configured > 0) {
      n->configured = n->composed + 1;
    } else if (n->out.config_ready) {
      set_config(m, n, size);
      n->in.config_valid = true;
      n->configuring = true;
      n->configured = n->composed + 1;
    }
  }
}

static bool distributor_error(machine_t *m, uint32_t g, uint8_t error) {
  static const char *const names[] = {"none",      "config",   "touch", "clear", "start",
                                      "begin",     "send data", "sequence", "tile", "piece",
                                      "count",     "receive data"};
  return machine_fail(m, MachineProtocol, "pixel_distributor %u: error_o = %u (%s)", g, error,
                      error < 12 ? names[error] : "?");
}

static uint64_t step_ideal(machine_t *m, uint32_t g, bool *ok) {
  node_t *n = &m->nodes[g];
  hear_composer(m, n);
  n->clear_pending = false;  // there is no touched map
  n->send_ordered = false;   // the receiver takes what it needs
  if (n->composed < m->plan->composed_count) {
    frame_surface_t size = surface_of(m, compose_group(m, n->composed));
    n->width = size.width;
    n->height = size.height;
    n->configured = n->composed + 1;
  }
  while (gpu_touch(n->gpu)) {
    gpu_touch_pop(n->gpu);
    n->wake = n->wake > m->now + 1 ? m->now + 1 : n->wake;
  }
  if (!step_phase(m, g, n)) {
    *ok = false;
    return UINT64_MAX;
  }
  if (n->receive_ordered) {
    ideal_merge(m, n->receive_peer, g);
    n->receive_ordered = n->receiving = false;
    report(m, n, CompositionDone);
  }
  uint64_t next = channel_next(&n->from_composer);
  return next <= m->now || n->phase == ComposeDraining ? m->now + 1 : next;
}

// A touched block into the map, unless a surface is just being configured or the map emptied.
// Whether there was one.
static bool pass_touch(machine_t *m, node_t *n, bool may) {
  pixel_distributor_in_t *in = &n->in;
  const gpu_touch_t *touch = n->phase == ComposeActive ? NULL : gpu_touch(n->gpu);
  in->touch_valid = touch && may && n->configured == n->composed + 1;
  if (in->touch_valid) {
    in->touch_x = touch->block_x;
    in->touch_y = touch->block_y;
    in->touch_stamps = touch->stamps;
    gpu_touch_pop(n->gpu);
    n->touch_cycle = m->now;
    n->wake = n->wake > m->now + 1 ? m->now + 1 : n->wake;
  }
  return in->touch_valid;
}

// The orders that a node has been given, to its unit. Whether there were any, or one has ended.
static bool pass_orders(machine_t *m, node_t *n) {
  pixel_distributor_in_t *in = &n->in;
  const pixel_distributor_out_t *out = &n->out;
  bool active = false;
  if (n->send_ordered && !out->sending) {
    in->start_valid = true;
    in->start_destination = n->send_peer;
    n->send_ordered = false;
    n->sending = true;
    active = true;
  } else if (n->sending && !out->sending) {
    n->sending = false;
    active = true;  // direct-send goes on in the next cycle
  }
  if (n->receive_ordered && !out->receiving) {
    compose_begin(m, n);
    active = true;
  }
  return active;
}

// A cycle of the transfers: orders, reads and their answers, beats, writes, done. Whether
// anything has passed.
static bool transfer(machine_t *m, uint32_t g, node_t *n) {
  pixel_distributor_in_t *in = &n->in;
  const pixel_distributor_out_t *out = &n->out;
  port_t port = compose_port(m, n);
  bool active = pass_orders(m, n);
  in->send_read_ready = n->send_reads->count < ReadsInFlight;
  if (out->send_read_valid && in->send_read_ready) {
    compose_ask(m, n->send_reads, 0, out->send_read_address, NULL);
  }
  in->receive_read_ready = n->receive_reads->count < ReadsInFlight;
  if (out->receive_read_valid && in->receive_read_ready) {
    compose_ask(m, n->receive_reads, out->receive_read_tile, 0, &out->receive_read);
  }
  compose_answer_send(m, n, &port);
  compose_answer_receive(m, n, &port);
  send_beats(m, g, n);
  receive_beats(m, g, n);
  in->write_ready = true;
  if (out->write_valid) {
    compose_port_write(m, n, &port);
  }
  in->done_ready = true;
  if (out->done_valid) {
    n->receiving = false;
    n->received_from |= 1ull << n->receive_peer;
    if (m->has_composer) {
      report(m, n, CompositionDone);
    }
  }
  return active || in->send_data_valid || in->receive_data_valid || in->beat_in_valid ||
         (out->beat_out_valid && in->beat_out_ready) || out->send_read_valid ||
         out->receive_read_valid || out->write_valid || out->done_valid;
}

static void wake_for_reads(const machine_t *m, const read_queue_t *q, uint64_t *next) {
  if (q->count) {
    uint64_t due = q->reads[q->head].due;
    earliest(next, due > m->now ? due : m->now + 1);
  }
}

static void wake_for_beats(const machine_t *m, uint32_t source, uint32_t g, uint64_t *next) {
  const link_t *link = &m->links[source * m->params.gpus + g];
  earliest(next, link_head(link, m->now) ? m->now + 1 : link_next(link, m->now));
}

// When the transfers of a node may go on.
static void wake_for_transfer(const machine_t *m, uint32_t g, const node_t *n, uint64_t *next) {
  const pixel_distributor_out_t *out = &n->out;
  if (((n->sending || n->send_ordered) && !out->sending) ||
      (n->receive_ordered && !out->receiving)) {
    earliest(next, m->now + 1);
  }
  wake_for_reads(m, n->send_reads, next);
  wake_for_reads(m, n->receive_reads, next);
  if (n->sending && out->beat_out_valid) {
    const link_t *link = &m->links[g * m->params.gpus + n->send_peer];
    earliest(next, link_room(link, m->now + 1) ? m->now + 1 : link_next(link, m->now));
  }
  if (n->receiving) {
    wake_for_beats(m, n->receive_peer, g, next);
    return;
  }
  for (uint32_t s = 0; s < m->params.gpus && !m->has_composer; s++) {
    if (mergeable(m, n, g, s)) {
      wake_for_beats(m, s, g, next);
    }
  }
}

static uint64_t step_node(machine_t *m, uint32_t g, bool *ok) {
  node_t *n = &m->nodes[g];
  pixel_distributor_in_t *in = &n->in;
  const pixel_distributor_out_t *out = &n->out;
  if (m->has_composer) {
    hear_composer(m, n);
  }
  if (!step_phase(m, g, n)) {
    *ok = false;
    return UINT64_MAX;
  }
  if (!m->has_composer) {
    direct_send(m, g, n);
  }
  bool was_configuring = n->configuring;
  configure(m, n);
  in->clear = n->clear_pending;
  n->clear_pending = false;
  in->start_valid = in->begin_valid = false;
  bool active = pass_touch(m, n, !n->configuring && !was_configuring && !in->clear) ||
                in->config_valid || in->clear;
  if (n->phase == ComposeActive) {
    active = transfer(m, g, n) || active;
  }
  bool step = active || n->stepped_active || !out->quiescent;
  if (step) {
    if (n->distributor.step(n->distributor.self, in, &n->out) != UnitOk) {
      *ok = machine_fail(m, MachineUnitFailed, "pixel_distributor %u", g);
      return UINT64_MAX;
    }
    if (out->error) {
      *ok = distributor_error(m, g, out->error);
    }
  }
  n->stepped_active = active;
  uint64_t next = step && (active || !out->quiescent) ? m->now + 1 : UINT64_MAX;
  if (n->phase == ComposeDraining || gpu_touch(n->gpu) || n->configuring ||
      (n->configured != n->composed + 1 && n->composed < m->plan->composed_count)) {
    earliest(&next, m->now + 1);
  }
  if (n->phase == ComposeActive) {
    wake_for_transfer(m, g, n, &next);
  }
  if (m->has_composer) {
    uint64_t heard = channel_next(&n->from_composer);
    earliest(&next, heard <= m->now ? m->now + 1 : heard);
  }
  return next;
}

// ---- The composition scheduler ----

static void tell(machine_t *m, node_t *n, channel_message_t message) {
  earliest(&n->compose_wake, channel_send(&n->from_composer, m->now, message));
}

static uint64_t step_composer(machine_t *m, bool *ok) {
  composition_scheduler_in_t *in = &m->composer_in;
  const composition_scheduler_out_t *out = &m->composer_out;
  uint64_t next = UINT64_MAX;
  in->message_valid = 0;
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    channel_t *c = &m->nodes[g].to_composer;
    const channel_message_t *message = channel_head(c, m->now);
    if (message) {
      in->message_valid |= 1ull << g;
      in->message[g] = (uint8_t)message->kind;
      channel_pop(c);
    }
    uint64_t due = channel_next(c);
    earliest(&next, due <= m->now ? m->now + 1 : due);
  }
  in->start_ready = true;
  in->release_ready = UINT64_MAX >> (64 - m->params.gpus);
  if (out->start_valid) {
    node_t *source = &m->nodes[out->start_source];
    node_t *destination = &m->nodes[out->start_destination];
    tell(m, source, (channel_message_t){.kind = ToSource, .value = out->start_destination});
    tell(m, destination,
         (channel_message_t){.kind = ToDestination, .value = out->start_source,
                             .payload = out->start_front});
    // One message, heard by both ends.
    m->stats.composition_message_bytes += ChannelMessageBytes;
    m->stats.starts++;
  }
  for (uint64_t rest = out->release_valid; rest; rest &= rest - 1) {
    node_t *n = &m->nodes[__builtin_ctzll(rest)];
    tell(m, n, (channel_message_t){.kind = ToRelease});
    m->stats.composition_message_bytes += ChannelMessageBytes;
  }
  bool active = in->message_valid || out->start_valid || out->release_valid;
  if (active || m->composer_active || !out->quiescent) {
    if (m->composer.step(m->composer.self, in, &m->composer_out) != UnitOk) {
      *ok = machine_fail(m, MachineUnitFailed, "composition_scheduler");
      return next;
    }
    static const char *const names[] = {"none", "message", "ready", "done", "kind"};
    if (out->error) {
      *ok = machine_fail(m, MachineProtocol, "composition_scheduler: error_o = %u (%s)",
                         out->error, out->error < 5 ? names[out->error] : "?");
    }
    if (active || !out->quiescent) {
      earliest(&next, m->now + 1);
    }
  }
  m->composer_active = active;
  return next;
}

uint64_t compose_step(machine_t *m, bool *ok) {
  uint64_t next = UINT64_MAX;
  if (m->has_composer && m->now >= m->composer_wake) {
    m->composer_wake = step_composer(m, ok);
  }
  for (uint32_t g = 0; g < m->params.gpus && *ok; g++) {
    node_t *n = &m->nodes[g];
    if (n->advanced || m->now >= n->compose_wake) {
      n->compose_wake = UINT64_MAX;
      uint64_t wake = machine_ideal(m) ? step_ideal(m, g, ok) : step_node(m, g, ok);
      earliest(&n->compose_wake, wake);
    }
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    uint64_t wake = m->nodes[g].compose_wake;
    earliest(&next, wake <= m->now ? m->now + 1 : wake);
  }
  if (m->has_composer) {
    earliest(&next, m->composer_wake <= m->now ? m->now + 1 : m->composer_wake);
  }
  return next;
}

bool compose_done(const machine_t *m) {
  if (!machine_composes(m)) {
    return true;
  }
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    const node_t *n = &m->nodes[g];
    if (n->phase != ComposeIdle || n->composed != m->plan->composed_count || gpu_touch(n->gpu)) {
      return false;
    }
  }
  return true;
}

void compose_describe(const machine_t *m, uint32_t g, char *text, size_t size) {
  static const char *const phases[] = {"no composition", "draining touches", "composing"};
  const node_t *n = &m->nodes[g];
  char send[32] = "", receive[32] = "";
  if (n->sending || n->send_ordered) {
    snprintf(send, sizeof send, ", sending to %u", n->send_peer);
  }
  if (n->receiving || n->receive_ordered) {
    snprintf(receive, sizeof receive, ", receiving from %u", n->receive_peer);
  }
  snprintf(text, size, "; pixel_distributor: %s, composed %u of %u%s%s%s%s%s", phases[n->phase],
           n->composed, m->plan->composed_count, send, receive,
           n->out.beat_out_valid ? ", a beat waits for the link" : "",
           n->out.done_valid ? ", done" : "", n->out.quiescent ? ", quiescent" : "");
}
