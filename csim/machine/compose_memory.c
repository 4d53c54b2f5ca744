// The memory ports of a distribution unit: its reads are answered and its writes taken from a GPU's
// surfaces, after the memory's latency.
#include <string.h>

#include "machine_internal.h"

port_t compose_port(machine_t *m, node_t *n) {
  const plan_group_t *g = compose_group(m, n->composed);
  port_t p = {.transparent = g->kind == DrawGroupTransparent, .mark = n->composed + 1};
  p.color = g->color_target == FrameNone ? NULL : gpu_target(n->gpu, g->color_target);
  p.depth = g->depth_buffer == FrameNone ? NULL : gpu_depth(n->gpu, g->depth_buffer);
  return p;
}

port_at_t compose_at(const port_t *p, uint32_t tile_x, uint32_t tile_y, uint32_t pixel) {
  port_at_t at = {0};
  if (p->color) {
    at.color = ((size_t)tile_y * p->color->tiles_x + tile_x) * SurfaceTilePixels + pixel;
  }
  if (p->depth) {
    at.depth = ((size_t)tile_y * p->depth->tiles_x + tile_x) * SurfaceTilePixels + pixel;
  }
  return at;
}

// The place of a pixel address of the unit.
static port_at_t place_of(const machine_t *m, const port_t *p, uint32_t tile, uint32_t pixel) {
  uint32_t pitch = pixel_distributor_pitch(&m->distributor_params);
  return compose_at(p, tile % pitch, tile / pitch, pixel);
}

uint32_t compose_read(const port_t *p, port_at_t at, uint32_t count, uint64_t *data) {
  if (p->transparent) {
    memcpy(data, p->color->subimage + at.color, count * sizeof *data);
    return (uint32_t)(p->color->subimage_written[at.color >> 6] >> (at.color & 63)) &
           (uint32_t)((1ull << count) - 1);
  }
  // Marks of a block that this group has not written are those of an older one.
  bool valid = p->depth->mark_group[at.depth >> 6] == p->mark;
  uint32_t written = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t word = p->depth->depth[at.depth + i];
    word = valid ? word : word & ~(1u << SurfaceMarkBit);
    data[i] = (p->color ? p->color->color[at.color + i] : 0) | (uint64_t)word << 32;
    written |= (word >> SurfaceMarkBit & 1) << i;
  }
  return written;
}

static void first_write(const port_t *p, size_t block) {
  if (p->depth->mark_group[block] == p->mark) {
    return;
  }
  p->depth->mark_group[block] = p->mark;
  uint32_t *words = p->depth->depth + block * SurfaceBlockPixels;
  for (uint32_t i = 0; i < SurfaceBlockPixels; i++) {
    words[i] &= ~(1u << SurfaceMarkBit);
  }
}

void compose_write(const port_t *p, port_at_t at, uint64_t pixel) {
  if (p->transparent) {
    p->color->subimage[at.color] = pixel;
    p->color->subimage_written[at.color >> 6] |= 1ull << (at.color & 63);
    return;
  }
  first_write(p, at.depth >> 6);
  p->depth->depth[at.depth] = (uint32_t)(pixel >> 32);
  p->depth->dirty[at.depth >> 12] |= SurfaceDirtyValues;
  if (p->color) {
    p->color->color[at.color] = (uint32_t)pixel;
    p->color->dirty[at.color >> 12] |= SurfaceDirtyValues;
  }
}

void compose_port_write(machine_t *m, node_t *n, const port_t *p) {
  const pixel_distributor_out_t *out = &n->out;
  uint32_t q = pixel_distributor_piece_pixels(&m->distributor_params);
  for (uint32_t rest = out->write.mask; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(rest);
    compose_write(p, place_of(m, p, out->write_tile, out->write.piece[i / q] * q + i % q),
                  out->write_data[i]);
  }
}

// Whether two GPUs brought a pixel with equal depth, as far as the picture is concerned: a
// nearer one that comes later settles the pixel.
void compose_note_tie(machine_t *m, node_t *n, const port_t *p, port_at_t at, uint64_t incoming,
                      uint64_t local, bool written) {
  uint8_t *tied = p->color ? p->color->tied : NULL;
  if (p->transparent || !tied) {
    return;
  }
  const frame_state_t *s = &m->frame->commands[compose_group(m, n->composed)->first].state;
  bool less = s->depth_func == FrameFuncLess || s->depth_func == FrameFuncLessEqual;
  uint32_t in = (uint32_t)(incoming >> 32), own = (uint32_t)(local >> 32);
  uint32_t d_in = in & SurfaceDepthMask, d_own = own & SurfaceDepthMask;
  bool same_tag = !m->params.order_tag || in >> SurfaceTagShift == own >> SurfaceTagShift;
  if (written && d_in == d_own) {
    tied[at.color] |= same_tag;
  } else if (s->color_mask == 0xf && (less ? d_in < d_own : d_in > d_own)) {
    tied[at.color] = 0;
  }
}

static void note_ties(machine_t *m, node_t *n, const port_t *p, uint32_t tile,
                      const pixel_distributor_pieces_t *pieces, const uint64_t *incoming) {
  uint32_t q = pixel_distributor_piece_pixels(&m->distributor_params);
  for (uint32_t rest = pieces->mask; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(rest);
    compose_note_tie(m, n, p, place_of(m, p, tile, pieces->piece[i / q] * q + i % q), incoming[i],
                     n->in.receive_data[i], n->in.receive_data_written >> i & 1);
  }
}

void compose_answer_send(machine_t *m, node_t *n, const port_t *p) {
  read_queue_t *q = n->send_reads;
  n->in.send_data_valid = q->count > 0 && q->reads[q->head].due <= m->now;
  if (!n->in.send_data_valid) {
    return;
  }
  uint32_t address = q->reads[q->head].address;
  uint32_t count = pixel_distributor_pixels(&m->distributor_params);
  n->in.send_data_written =
      compose_read(p, place_of(m, p, address >> 12, address & 4095), count, n->in.send_data);
  if (n->out.send_data_ready) {
    q->head = (q->head + 1) % ReadsInFlight;
    q->count--;
  }
}

void compose_answer_receive(machine_t *m, node_t *n, const port_t *p) {
  read_queue_t *q = n->receive_reads;
  n->in.receive_data_valid = q->count > 0 && q->reads[q->head].due <= m->now;
  if (!n->in.receive_data_valid) {
    return;
  }
  uint32_t pixels = pixel_distributor_piece_pixels(&m->distributor_params);
  uint32_t tile = q->reads[q->head].tile;
  const pixel_distributor_pieces_t *pieces = &q->reads[q->head].pieces;
  n->in.receive_data_written = 0;
  for (uint32_t k = 0; k < pixel_distributor_pieces(&m->distributor_params); k++) {
    if (pieces->mask >> (k * pixels) & ((1u << pixels) - 1)) {
      port_at_t at = place_of(m, p, tile, pieces->piece[k] * pixels);
      n->in.receive_data_written |= compose_read(p, at, pixels, n->in.receive_data + k * pixels)
                                    << (k * pixels);
    }
  }
  if (n->out.receive_data_ready) {
    note_ties(m, n, p, tile, pieces, n->beats->data[n->beats->head]);
    n->beats->head = (n->beats->head + 1) % (ReadsInFlight + 8);
    n->beats->count--;
    q->head = (q->head + 1) % ReadsInFlight;
    q->count--;
  }
}

void compose_ask(machine_t *m, read_queue_t *q, uint32_t tile, uint32_t address,
                 const pixel_distributor_pieces_t *pieces) {
  uint32_t place = (q->head + q->count++) % ReadsInFlight;
  q->reads[place].due = m->now + m->params.memory_latency;
  q->reads[place].tile = tile;
  q->reads[place].address = address;
  if (pieces) {
    q->reads[place].pieces = *pieces;
  }
}
