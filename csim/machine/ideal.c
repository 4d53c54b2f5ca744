// Ideal CHOPIN (V): infinite bandwidth and no latency between the GPUs. A transfer that the
// composition scheduler starts is over at once, and the distribution units have no part in
// it; the pixels merge by the contract's rule (docs/units/pixel_distributor.md, section 8).
#include "../golden/pixel_distributor_golden.h"
#include "machine_internal.h"

enum { Chunk = 32, PixelBytes = 8 };

static pixel_merge_t rule(const pixel_distributor_in_t *in) {
  return (pixel_merge_t){.front = in->begin_front, .transparent = in->begin_transparent,
                         .depth_write = in->begin_depth_write, .tag_enable = in->begin_tag_enable,
                         .test_base = in->begin_test_base, .op = in->begin_operator,
                         .depth_func = in->begin_depth_func, .color_mask = in->begin_color_mask};
}

static void merge_chunk(machine_t *m, node_t *n, const pixel_merge_t *merge, const port_t *from,
                        const port_t *to, port_at_t at) {
  uint64_t incoming[Chunk], local[Chunk];
  uint32_t sent = compose_read(from, at, Chunk, incoming);
  if (!sent) {
    return;
  }
  uint32_t written = compose_read(to, at, Chunk, local);
  m->stats.composition_bytes += PixelBytes * (uint32_t)__builtin_popcount(sent);
  for (uint32_t rest = sent; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(rest);
    uint64_t result;
    bool tie;
    port_at_t pixel = {at.color + i, at.depth + i};
    compose_note_tie(m, n, to, pixel, incoming[i], local[i], written >> i & 1);
    if (pixel_merge(merge, incoming[i], local[i], written >> i & 1, &result, &tie)) {
      compose_write(to, pixel, result);
    }
  }
}

void ideal_merge(machine_t *m, uint32_t source, uint32_t g) {
  node_t *n = &m->nodes[g];
  const plan_group_t *group = compose_group(m, n->composed);
  compose_begin(m, n);
  pixel_merge_t merge = rule(&n->in);
  port_t from = compose_port(m, &m->nodes[source]), to = compose_port(m, n);
  const uint8_t *owners = group->color_target != FrameNone ? m->target_owners[group->color_target]
                                                           : m->depth_owners[group->depth_buffer];
  // Beyond the smaller of the two surfaces nothing was drawn.
  const surface_t *map = to.color ? to.color : to.depth, *other = to.depth ? to.depth : map;
  for (uint32_t y = 0; y < map->tiles_y && y < other->tiles_y; y++) {
    for (uint32_t x = 0; x < map->tiles_x && x < other->tiles_x; x++) {
      for (uint32_t i = 0; owners[y * map->tiles_x + x] == g && i < SurfaceTilePixels; i += Chunk) {
        merge_chunk(m, n, &merge, &from, &to, compose_at(&to, x, y, i));
      }
    }
  }
}
