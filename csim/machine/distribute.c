// SPDX-License-Identifier: Apache-2.0
#include "distribute.h"

#include <stdlib.h>
#include <string.h>

#include "../gpu/raster.h"

enum { IndexBytes = 4 };

typedef struct {
  uint32_t projections;  // commands of a GPU, of this batch and those before
  uint64_t exchange_cycles;
  uint64_t bytes;
  uint64_t ready;  // projected everywhere, once counted in projected
} batch_t;

struct distribute {
  site_t site;
  uint64_t *destinations;  // of each triangle of the frame: mask of owners
  uint32_t *culled;        // triangles that go along with it, where culled ones are exchanged
  stream_entry_t *stream;
  uint32_t stream_count;
  batch_t *batches;
  uint32_t batch_count;
  uint32_t projected, exchanged;  // batches
  bool exchanging;
  uint64_t exchange_end;
  distribute_stats_t stats;
};

void distribute_share(const site_t *site, uint32_t g, uint32_t primitives, uint32_t *first,
                      uint32_t *count) {
  uint64_t n = primitives;
  *first = (uint32_t)(n * g / site->params->gpus);
  *count = (uint32_t)(n * (g + 1) / site->params->gpus) - *first;
}

static uint64_t owners_in_bounds(const distribute_t *d, const frame_state_t *s, const raster_t *r) {
  const owner_map_t *map = owners_drawn(d->site.owners, s->color_target, s->depth_buffer);
  uint64_t mask = 0;
  for (int32_t y = r->y0 >> 6; y <= (r->y1 - 1) >> 6; y++) {
    for (int32_t x = r->x0 >> 6; x <= (r->x1 - 1) >> 6; x++) {
      if (raster_may_touch(r, x * 64, y * 64, 64)) {
        mask |= 1ull << map->tiles[(uint32_t)y * map->tiles_x + (uint32_t)x];
      }
    }
  }
  return mask;
}

// Where a culled triangle lies the frame does not say: it goes along with the surviving one
// before it in its draw, or the first.
static void find_culled(distribute_t *d) {
  const frame_t *f = d->site.frame;
  uint32_t *culled = d->culled;
  for (uint32_t i = 0; i < f->command_count; i++) {
    const frame_cmd_t *c = &f->commands[i];
    if (c->kind != FrameCmdDraw || !c->triangle_count) {
      continue;
    }
    uint32_t first = c->first_triangle, end = first + c->triangle_count, since = 0;
    for (uint32_t at = first; at < end; at++) {
      // The parts into which clipping cut a triangle have one ordinal and go with the first of
      // them.
      if (at == first || f->triangles[at].ordinal != f->triangles[since].ordinal) {
        since = at;
      }
      uint32_t own = f->triangles[at].ordinal;
      uint32_t next = at + 1 < end ? f->triangles[at + 1].ordinal : c->triangles_in;
      culled[since] += (at == first ? own : 0) + (next > own ? next - own - 1 : 0);
    }
  }
}

static void find_destinations(distribute_t *d) {
  const frame_t *f = d->site.frame;
  for (uint32_t i = 0; i < f->command_count; i++) {
    const frame_cmd_t *c = &f->commands[i];
    for (uint32_t t = 0; c->kind == FrameCmdDraw && t < c->triangle_count; t++) {
      raster_t r;
      uint32_t at = c->first_triangle + t;
      if (raster_setup(&r, f, &c->state, &f->triangles[at])) {
        d->destinations[at] = owners_in_bounds(d, &c->state, &r);
      }
    }
  }
}

// The sender whose turn it is.
typedef struct {
  uint64_t now, start;
  uint64_t looked_up;  // triangles
  uint64_t *line;      // of each receiver: bytes sent in the link's time
  uint64_t *entries;   // of each receiver's buffer: cycle at which the place is free
  uint32_t *next_entry;
} sender_t;

static bool sender_create(const distribute_t *d, sender_t *s) {
  size_t gpus = d->site.params->gpus;
  *s = (sender_t){.line = calloc(gpus, sizeof *s->line),
                  .entries = calloc(gpus * (d->site.params->gpupd.buffer + 1), sizeof *s->entries),
                  .next_entry = calloc(gpus, sizeof *s->next_entry)};
  return s->line && s->entries && s->next_entry;
}

static void sender_destroy(sender_t *s) {
  free(s->line);
  free(s->entries);
  free(s->next_entry);
}

// The cycle from which a message of so many indices can go out to a receiver.
static uint64_t room(const distribute_t *d, const sender_t *s, uint32_t to, uint32_t indices) {
  const gpupd_params_t *p = &d->site.params->gpupd;
  if (machine_ideal(d->site.params)) {
    return 0;
  }
  uint64_t link = s->line[p->shared_port ? 0 : to] / d->site.params->link.bytes_per_cycle;
  uint64_t entry = 0;
  if (p->buffer) {
    entry = s->entries[to * p->buffer + (s->next_entry[to] + indices - 1) % p->buffer];
  }
  return link > entry ? link : entry;
}

static void send_indices(const distribute_t *d, sender_t *s, uint32_t to, uint32_t indices) {
  const gpupd_params_t *p = &d->site.params->gpupd;
  uint64_t *line = &s->line[p->shared_port ? 0 : to];
  uint64_t at = s->now * d->site.params->link.bytes_per_cycle;
  *line = (*line > at ? *line : at) + indices * IndexBytes;
  for (uint32_t i = 0; p->buffer && i < indices; i++) {
    s->entries[to * p->buffer + s->next_entry[to]] = s->now + d->site.params->link.latency + 1;
    s->next_entry[to] = (s->next_entry[to] + 1) % p->buffer;
  }
}

// To all receivers at once, or to none yet: the order is kept.
static void send_to(const distribute_t *d, sender_t *s, uint64_t receivers, uint32_t indices,
                    batch_t *b) {
  for (uint64_t rest = receivers; rest; rest &= rest - 1) {
    uint64_t from = room(d, s, (uint32_t)__builtin_ctzll(rest), indices);
    s->now = from > s->now ? from : s->now;
  }
  for (uint64_t rest = receivers; rest; rest &= rest - 1) {
    send_indices(d, s, (uint32_t)__builtin_ctzll(rest), indices);
    b->bytes += indices * IndexBytes;
  }
}

// GPU g's share of a draw, and the mark.
static void send_draw(const distribute_t *d, sender_t *s, uint32_t g, const frame_cmd_t *c,
                      batch_t *b) {
  const gpupd_params_t *p = &d->site.params->gpupd;
  uint32_t first, count;
  distribute_share(&d->site, g, c->triangles_in, &first, &count);
  for (uint32_t k = 0; k < c->triangle_count; k++) {
    uint32_t at = c->first_triangle + k, ordinal = d->site.frame->triangles[at].ordinal;
    if (ordinal < first || ordinal >= first + count) {
      continue;
    }
    for (uint32_t i = 0; i <= d->culled[at]; i++) {
      uint64_t found = s->start + s->looked_up++ / p->send_rate;
      s->now = found > s->now ? found : s->now;
      send_to(d, s, d->destinations[at] & ~(1ull << g), p->indices, b);
    }
  }
  send_to(d, s, site_all(&d->site) & ~(1ull << g), 1, b);
}

// The items first .. last of the plan, sent by one GPU after the other.
static void exchange(const distribute_t *d, sender_t *s, batch_t *b, uint32_t first,
                     uint32_t last) {
  uint64_t start = 0;
  for (uint32_t g = 0; g < d->site.params->gpus; g++) {
    uint32_t gpus = d->site.params->gpus;
    s->now = s->start = start;
    s->looked_up = 0;
    memset(s->line, 0, gpus * sizeof *s->line);
    memset(s->entries, 0, (size_t)gpus * d->site.params->gpupd.buffer * sizeof *s->entries);
    for (uint32_t i = first; i <= last; i++) {
      if (d->site.plan->items[i].kind == PlanItemDraw) {
        send_draw(d, s, g, &d->site.frame->commands[d->site.plan->items[i].command], b);
      }
    }
    start = s->now + 1 + (machine_ideal(d->site.params) ? 0 : d->site.params->link.latency);
  }
  b->exchange_cycles = start;
}

// Batches of whole draws; what is no draw belongs to the batch of the draws after it.
static bool make_batches(distribute_t *d, uint32_t *batch_of) {
  const plan_t *plan = d->site.plan;
  const gpupd_params_t *p = &d->site.params->gpupd;
  uint32_t primitives = 0, draws = 0, first = 0;
  sender_t sender;
  bool ok = sender_create(d, &sender);
  for (uint32_t i = 0; ok && i < plan->item_count; i++) {
    batch_of[i] = d->batch_count;
    batch_t *b = &d->batches[d->batch_count];
    if (plan->items[i].kind == PlanItemDraw) {
      primitives += d->site.frame->commands[plan->items[i].command].triangles_in;
      draws++;
      b->projections++;
    }
    if (primitives >= p->batch_primitives || draws >= p->batch_draws || i + 1 == plan->item_count) {
      exchange(d, &sender, b, first, i);
      d->batch_count++;
      b[1].projections = b->projections;
      primitives = draws = 0;
      first = i + 1;
    }
  }
  sender_destroy(&sender);
  return ok;
}

static uint32_t add_entries(distribute_t *d, const uint32_t *batch_of, uint32_t from,
                            uint32_t batch, bool project) {
  uint32_t i = from;
  for (; i < d->site.plan->item_count && batch_of[i] == batch; i++) {
    if (!project || d->site.plan->items[i].kind == PlanItemDraw) {
      d->stream[d->stream_count++] = (stream_entry_t){project, i, batch};
    }
  }
  return i;
}

static void make_stream(distribute_t *d, const uint32_t *batch_of) {
  uint32_t to_project = 0, to_draw = 0, ahead = d->site.params->gpupd.runahead ? 1 : 0;
  for (uint32_t b = 0; b < d->batch_count + ahead; b++) {
    to_project = add_entries(d, batch_of, to_project, b, true);
    if (b >= ahead) {
      to_draw = add_entries(d, batch_of, to_draw, b - ahead, false);
    }
  }
}

static bool allocate(distribute_t *d) {
  const frame_t *f = d->site.frame;
  const plan_t *plan = d->site.plan;
  d->destinations = calloc((size_t)f->triangle_count + 1, sizeof *d->destinations);
  d->culled = calloc((size_t)f->triangle_count + 1, sizeof *d->culled);
  d->stream = calloc(2 * (size_t)plan->item_count + 1, sizeof *d->stream);
  d->batches = calloc((size_t)plan->item_count + 2, sizeof *d->batches);
  return d->destinations && d->culled && d->stream && d->batches;
}

static void destroy(void *self) {
  distribute_t *d = self;
  free(d->destinations);
  free(d->culled);
  free(d->stream);
  free(d->batches);
  free(d);
}

distribute_t *distribute_create(const site_t *site) {
  distribute_t *d = calloc(1, sizeof *d);
  uint32_t *batch_of = calloc((size_t)site->plan->item_count + 1, sizeof *batch_of);
  if (!d || !batch_of) {
    free(d);
    free(batch_of);
    return NULL;
  }
  d->site = *site;
  bool ok = allocate(d);
  if (ok) {
    find_destinations(d);
    if (site->params->gpupd.culled) {
      find_culled(d);
    }
    ok = make_batches(d, batch_of);
  }
  if (ok) {
    make_stream(d, batch_of);
    for (uint32_t g = 0; g < site->params->gpus; g++) {
      gpu_set_destinations(site->nodes[g].gpu, d->destinations, d->culled);
    }
  } else {
    destroy(d);
    d = NULL;
  }
  free(batch_of);
  return d;
}

const stream_entry_t *distribute_entry(const distribute_t *d, uint32_t place) {
  return place < d->stream_count ? &d->stream[place] : NULL;
}

bool distribute_ready(const distribute_t *d, const stream_entry_t *entry) {
  return entry->project || entry->batch < d->exchanged;
}

static bool projected_everywhere(const distribute_t *d, uint32_t batch) {
  for (uint32_t g = 0; g < d->site.params->gpus; g++) {
    if (gpu_projections(d->site.nodes[g].gpu) < d->batches[batch].projections) {
      return false;
    }
  }
  return true;
}

static uint64_t step(void *self, uint64_t now, halt_t *halt) {
  distribute_t *d = self;
  (void)halt;
  while (d->projected < d->batch_count && projected_everywhere(d, d->projected)) {
    // The positions come out at the end of the geometry stage.
    d->batches[d->projected++].ready = now + d->site.params->gpu.geometry_latency;
  }
  for (;;) {
    if (d->exchanging) {
      if (now < d->exchange_end) {
        return d->exchange_end;
      }
      d->exchanging = false;
      d->exchanged++;
      d->stats.batches++;
    }
    if (d->exchanged == d->projected) {
      return UINT64_MAX;
    }
    const batch_t *b = &d->batches[d->exchanged];
    if (now < b->ready) {
      return b->ready;
    }
    d->exchanging = true;
    d->exchange_end = now + b->exchange_cycles;
    d->stats.cycles += b->exchange_cycles;
    d->stats.bytes += b->bytes;
  }
}

static bool busy(const void *self) {
  const distribute_t *d = self;
  return d->exchanged < d->batch_count;
}

static uint64_t work(const void *self) { return ((const distribute_t *)self)->stats.batches; }

part_t distribute_part(distribute_t *d) {
  return (part_t){.self = d, .step = step, .busy = busy, .work = work, .destroy = destroy};
}

const distribute_stats_t *distribute_stats(const distribute_t *d) { return &d->stats; }
