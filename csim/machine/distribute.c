// GPUpd (CHOPIN, III-A, and its authors' simulator): the draws of a batch are projected
// cooperatively, a share of each draw on each GPU; then the GPUs send the triangles to
// the owners of the tiles that they touch, one GPU after the other, so that they arrive in
// order; then every GPU draws what it has got.
//
// The exchange of a batch starts when all GPUs have projected it and the exchange before it
// is over. A sender looks up send_rate triangles a cycle and sends the indices of each to all
// of its owners in the same cycle, and after each draw a mark to everyone; it waits for the
// links and for a place in the buffer of every receiver, whose credit comes back when the
// message has arrived. The next sender starts when the last mark has reached it. Ideal GPUpd
// has no limit of links and buffers and no latency (CHOPIN, V), but the same order and lookups. With
// runahead a batch is projected before the one before it is drawn, and distributed
// meanwhile. When a batch is sent and how long it takes does not depend on the drawing, so
// the exchange is worked out before the run.
#include <stdlib.h>
#include <string.h>

#include "../gpu/raster.h"
#include "machine_internal.h"

enum { IndexBytes = 4 };

typedef struct {
  uint32_t projections;     // commands of a GPU, of this batch and those before
  uint64_t exchange_cycles;
  uint64_t bytes;
  uint64_t ready;           // projected everywhere, once counted in projected
} batch_t;

struct distribute {
  uint64_t *destinations;  // of each triangle of the frame: mask of owners
  uint32_t *culled;        // triangles that go along with it, where culled ones are exchanged
  stream_entry_t *stream;
  uint32_t stream_count;
  batch_t *batches;
  uint32_t batch_count;
  uint32_t projected, exchanged;  // batches
  bool exchanging;
  uint64_t exchange_end;
};

void distribute_share(const machine_t *m, uint32_t g, uint32_t primitives, uint32_t *first,
                      uint32_t *count) {
  uint64_t n = primitives;
  *first = (uint32_t)(n * g / m->params.gpus);
  *count = (uint32_t)(n * (g + 1) / m->params.gpus) - *first;
}

static uint64_t owners_in_bounds(const machine_t *m, const frame_state_t *s, const raster_t *r) {
  bool color = s->color_target != FrameNone;
  const frame_surface_t *size =
      color ? &m->frame->targets[s->color_target] : &m->frame->depths[s->depth_buffer];
  const uint8_t *owners =
      color ? m->target_owners[s->color_target] : m->depth_owners[s->depth_buffer];
  uint32_t tiles_x = (size->width + 63) / 64;
  uint64_t mask = 0;
  for (int32_t y = r->y0 >> 6; y <= (r->y1 - 1) >> 6; y++) {
    for (int32_t x = r->x0 >> 6; x <= (r->x1 - 1) >> 6; x++) {
      if (raster_may_touch(r, x * 64, y * 64, 64)) {
        mask |= 1ull << owners[(uint32_t)y * tiles_x + (uint32_t)x];
      }
    }
  }
  return mask;
}

// Where a culled triangle lies the frame does not say: it goes along with the surviving one
// before it in its draw, or the first.
static void find_culled(const machine_t *m) {
  const frame_t *f = m->frame;
  uint32_t *culled = m->distribute->culled;
  for (uint32_t i = 0; i < f->command_count; i++) {
    const frame_cmd_t *c = &f->commands[i];
    if (c->kind != FrameCmdDraw || !c->triangle_count) {
      continue;
    }
    uint32_t first = c->first_triangle, end = first + c->triangle_count, since = 0;
    for (uint32_t at = first; at < end; at++) {
      // What clipping made of a triangle has one ordinal and goes with the first of it.
      if (at == first || f->triangles[at].ordinal != f->triangles[since].ordinal) {
        since = at;
      }
      uint32_t own = f->triangles[at].ordinal;
      uint32_t next = at + 1 < end ? f->triangles[at + 1].ordinal : c->triangles_in;
      culled[since] += (at == first ? own : 0) + (next > own ? next - own - 1 : 0);
    }
  }
}

static void find_destinations(machine_t *m) {
  const frame_t *f = m->frame;
  for (uint32_t i = 0; i < f->command_count; i++) {
    const frame_cmd_t *c = &f->commands[i];
    for (uint32_t t = 0; c->kind == FrameCmdDraw && t < c->triangle_count; t++) {
      raster_t r;
      uint32_t at = c->first_triangle + t;
      if (raster_setup(&r, f, &c->state, &f->triangles[at])) {
        m->distribute->destinations[at] = owners_in_bounds(m, &c->state, &r);
      }
    }
  }
}

// The sender whose turn it is.
typedef struct {
  uint64_t now, start;
  uint64_t looked_up;          // triangles
  uint64_t *line;              // of each receiver: bytes sent in the link's time
  uint64_t *entries;           // of each receiver's buffer: cycle at which the place is free
  uint32_t *next_entry;
} sender_t;

static bool sender_create(const machine_t *m, sender_t *s) {
  size_t gpus = m->params.gpus;
  *s = (sender_t){.line = calloc(gpus, sizeof *s->line),
                  .entries = calloc(gpus * (m->params.gpupd.buffer + 1), sizeof *s->entries),
                  .next_entry = calloc(gpus, sizeof *s->next_entry)};
  return s->line && s->entries && s->next_entry;
}

static void sender_destroy(sender_t *s) {
  free(s->line);
  free(s->entries);
  free(s->next_entry);
}

// The cycle from which a message of so many indices can go out to a receiver.
static uint64_t room(const machine_t *m, const sender_t *s, uint32_t to, uint32_t indices) {
  const gpupd_params_t *p = &m->params.gpupd;
  if (machine_ideal(m)) {
    return 0;
  }
  uint64_t link = s->line[p->shared_port ? 0 : to] / m->params.link.bytes_per_cycle;
  uint64_t entry = 0;
  if (p->buffer) {
    entry = s->entries[to * p->buffer + (s->next_entry[to] + indices - 1) % p->buffer];
  }
  return link > entry ? link : entry;
}

static void send_indices(const machine_t *m, sender_t *s, uint32_t to, uint32_t indices) {
  const gpupd_params_t *p = &m->params.gpupd;
  uint64_t *line = &s->line[p->shared_port ? 0 : to];
  uint64_t at = s->now * m->params.link.bytes_per_cycle;
  *line = (*line > at ? *line : at) + indices * IndexBytes;
  for (uint32_t i = 0; p->buffer && i < indices; i++) {
    s->entries[to * p->buffer + s->next_entry[to]] = s->now + m->params.link.latency + 1;
    s->next_entry[to] = (s->next_entry[to] + 1) % p->buffer;
  }
}

// To all receivers at once, or to none yet: the order is kept.
static void send_to(const machine_t *m, sender_t *s, uint64_t receivers, uint32_t indices,
                    batch_t *b) {
  for (uint64_t rest = receivers; rest; rest &= rest - 1) {
    uint64_t from = room(m, s, (uint32_t)__builtin_ctzll(rest), indices);
    s->now = from > s->now ? from : s->now;
  }
  for (uint64_t rest = receivers; rest; rest &= rest - 1) {
    send_indices(m, s, (uint32_t)__builtin_ctzll(rest), indices);
    b->bytes += indices * IndexBytes;
  }
}

// GPU g's share of a draw, and the mark.
static void send_draw(const machine_t *m, sender_t *s, uint32_t g, const frame_cmd_t *c,
                      batch_t *b) {
  const gpupd_params_t *p = &m->params.gpupd;
  uint32_t first, count;
  distribute_share(m, g, c->triangles_in, &first, &count);
  for (uint32_t k = 0; k < c->triangle_count; k++) {
    uint32_t at = c->first_triangle + k, ordinal = m->frame->triangles[at].ordinal;
    if (ordinal < first || ordinal >= first + count) {
      continue;
    }
    for (uint32_t i = 0; i <= m->distribute->culled[at]; i++) {
      uint64_t found = s->start + s->looked_up++ / p->send_rate;
      s->now = found > s->now ? found : s->now;
      send_to(m, s, m->distribute->destinations[at] & ~(1ull << g), p->indices, b);
    }
  }
  uint64_t all = m->params.gpus == 64 ? UINT64_MAX : (1ull << m->params.gpus) - 1;
  send_to(m, s, all & ~(1ull << g), 1, b);
}

// The items first .. last of the plan, sent by one GPU after the other.
static void exchange(const machine_t *m, sender_t *s, batch_t *b, uint32_t first, uint32_t last) {
  uint64_t start = 0;
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    uint32_t gpus = m->params.gpus;
    s->now = s->start = start;
    s->looked_up = 0;
    memset(s->line, 0, gpus * sizeof *s->line);
    memset(s->entries, 0, (size_t)gpus * m->params.gpupd.buffer * sizeof *s->entries);
    for (uint32_t i = first; i <= last; i++) {
      if (m->plan->items[i].kind == PlanItemDraw) {
        send_draw(m, s, g, &m->frame->commands[m->plan->items[i].command], b);
      }
    }
    start = s->now + 1 + (machine_ideal(m) ? 0 : m->params.link.latency);
  }
  b->exchange_cycles = start;
}

// Batches of whole draws; what is no draw belongs to the batch of the draws after it.
static bool make_batches(machine_t *m, uint32_t *batch_of) {
  const plan_t *plan = m->plan;
  distribute_t *d = m->distribute;
  uint32_t primitives = 0, draws = 0, first = 0;
  sender_t sender;
  bool ok = sender_create(m, &sender);
  for (uint32_t i = 0; ok && i < plan->item_count; i++) {
    batch_of[i] = d->batch_count;
    batch_t *b = &d->batches[d->batch_count];
    if (plan->items[i].kind == PlanItemDraw) {
      primitives += m->frame->commands[plan->items[i].command].triangles_in;
      draws++;
      b->projections++;
    }
    if (primitives >= m->params.gpupd.batch_primitives || draws >= m->params.gpupd.batch_draws ||
        i + 1 == plan->item_count) {
      exchange(m, &sender, b, first, i);
      d->batch_count++;
      b[1].projections = b->projections;
      primitives = draws = 0;
      first = i + 1;
    }
  }
  sender_destroy(&sender);
  return ok;
}

static uint32_t add_entries(machine_t *m, const uint32_t *batch_of, uint32_t from, uint32_t batch,
                            bool project) {
  distribute_t *d = m->distribute;
  uint32_t i = from;
  for (; i < m->plan->item_count && batch_of[i] == batch; i++) {
    if (!project || m->plan->items[i].kind == PlanItemDraw) {
      d->stream[d->stream_count++] = (stream_entry_t){project, i, batch};
    }
  }
  return i;
}

static void make_stream(machine_t *m, const uint32_t *batch_of) {
  uint32_t to_project = 0, to_draw = 0, ahead = m->params.gpupd.runahead ? 1 : 0;
  for (uint32_t b = 0; b < m->distribute->batch_count + ahead; b++) {
    to_project = add_entries(m, batch_of, to_project, b, true);
    if (b >= ahead) {
      to_draw = add_entries(m, batch_of, to_draw, b - ahead, false);
    }
  }
}

bool distribute_create(machine_t *m) {
  distribute_t *d = m->distribute = calloc(1, sizeof *d);
  uint32_t *batch_of = calloc((size_t)m->plan->item_count + 1, sizeof *batch_of);
  bool ok = d && batch_of;
  if (ok) {
    d->destinations = calloc((size_t)m->frame->triangle_count + 1, sizeof *d->destinations);
    d->culled = calloc((size_t)m->frame->triangle_count + 1, sizeof *d->culled);
    d->stream = calloc(2 * (size_t)m->plan->item_count + 1, sizeof *d->stream);
    d->batches = calloc((size_t)m->plan->item_count + 2, sizeof *d->batches);
    ok = d->destinations && d->culled && d->stream && d->batches;
  }
  if (ok) {
    find_destinations(m);
    if (m->params.gpupd.culled) {
      find_culled(m);
    }
    ok = make_batches(m, batch_of);
  }
  if (ok) {
    make_stream(m, batch_of);
    for (uint32_t g = 0; g < m->params.gpus; g++) {
      gpu_set_destinations(m->nodes[g].gpu, d->destinations, d->culled);
    }
  }
  free(batch_of);
  return ok;
}

void distribute_destroy(machine_t *m) {
  distribute_t *d = m->distribute;
  if (d) {
    free(d->destinations);
    free(d->culled);
    free(d->stream);
    free(d->batches);
    free(d);
  }
}

const stream_entry_t *distribute_entry(const machine_t *m, uint32_t place) {
  return place < m->distribute->stream_count ? &m->distribute->stream[place] : NULL;
}

bool distribute_ready(const machine_t *m, const stream_entry_t *entry) {
  return entry->project || entry->batch < m->distribute->exchanged;
}

static bool projected_everywhere(const machine_t *m, uint32_t batch) {
  for (uint32_t g = 0; g < m->params.gpus; g++) {
    if (gpu_projections(m->nodes[g].gpu) < m->distribute->batches[batch].projections) {
      return false;
    }
  }
  return true;
}

uint64_t distribute_step(machine_t *m) {
  distribute_t *d = m->distribute;
  while (d->projected < d->batch_count && projected_everywhere(m, d->projected)) {
    // The positions come out at the end of the geometry stage.
    d->batches[d->projected++].ready = m->now + m->params.gpu.geometry_latency;
  }
  for (;;) {
    if (d->exchanging) {
      if (m->now < d->exchange_end) {
        return d->exchange_end;
      }
      d->exchanging = false;
      d->exchanged++;
      m->stats.batches++;
    }
    if (d->exchanged == d->projected) {
      return UINT64_MAX;
    }
    const batch_t *b = &d->batches[d->exchanged];
    if (m->now < b->ready) {
      return b->ready;
    }
    d->exchanging = true;
    d->exchange_end = m->now + b->exchange_cycles;
    m->stats.distribution_cycles += b->exchange_cycles;
    m->stats.distribution_bytes += b->bytes;
  }
}
