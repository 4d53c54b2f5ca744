#include "pixel_distributor_golden.h"

#include <stdlib.h>
#include <string.h>

enum { MaxPieces = PixelDistributorMaxPieces, MaxPixels = PixelDistributorMaxPixels };

typedef enum { FillRows, FillVisit, FillTiles, FillSplit } fill_e;
typedef enum { FetchIdle, FetchHead, FetchRead, FetchPush } fetch_e;
typedef enum { TokenHeader, TokenGranule, TokenEnd } token_e;

typedef struct { uint32_t x, y, w, h, g, n; } rect_t;
typedef struct { uint32_t tile; uint64_t bitmap; } tile_entry_t;

typedef struct {
  bool header, last;
  uint32_t tile, block;
  uint64_t bitmap;
  uint16_t stamps;
} block_entry_t;

typedef struct {
  uint8_t kind;
  bool last;
  uint32_t tile, granule;  // granule: its number in the tile
  uint64_t bitmap;
  uint8_t stamps;          // that it covers, touched
} token_t;

typedef struct {
  uint16_t piece;
  uint8_t mask;
  uint64_t data[4];
} piece_t;

typedef struct {
  uint32_t tile;
  pixel_distributor_pieces_t pieces;
  uint64_t data[MaxPixels];
} merge_t;

typedef struct { uint32_t head, count; } ring_t;

typedef struct {
  pixel_distributor_params_t p;
  uint32_t pixels, piece_pixels, pieces, blocks, pitch, tiles, cells;
  uint64_t all_blocks;
  // Configuration and fill
  bool configured, filling;
  uint32_t width, height, map, work, tiles_x, tiles_y;
  fill_e fill;
  uint32_t fx, fy, split_left;
  rect_t current, stack[UnitMaxGpus + 1];
  uint32_t stack_count;
  uint32_t owned[UnitMaxGpus];
  uint8_t *owner;
  // Touched map
  uint8_t *touched;
  uint64_t *bitmap;
  uint16_t *stamps;
  uint32_t *next, first[UnitMaxGpus], last[UnitMaxGpus];
  bool listed[UnitMaxGpus];
  bool touch;
  uint32_t touch_tile, touch_block;
  uint16_t touch_stamps;
  // Sender
  bool sending;
  uint32_t destination, sent;
  fetch_e fetch;
  uint32_t fetch_tile;
  tile_entry_t tile_queue[2];
  ring_t tile_ring;
  uint64_t rest;
  uint32_t rest_tile;
  bool latch_valid;
  block_entry_t latch, block_queue[4];
  ring_t block_ring;
  uint32_t granule_tile, next_granule;
  bool end_appended, token_fresh;
  uint32_t reads[2];
  ring_t read_ring;
  token_t *tokens;
  ring_t token_ring;
  uint32_t send_outstanding;
  piece_t accumulator[MaxPieces];
  uint32_t accumulated;
  bool flush;
  pixel_distributor_beat_t beats[2];
  ring_t beat_ring;
  // Receiver
  bool receiving, ended, has_header, judge, refused, has_piece;
  pixel_merge_t merge;
  uint32_t received, tile_x, tile_y, tile, last_piece;
  uint64_t header;
  struct { uint32_t tile; pixel_distributor_pieces_t pieces; } local_reads[2];
  ring_t local_ring;
  merge_t *pending;
  ring_t pending_ring;
  uint32_t receive_outstanding;
  bool a_valid, b_valid;
  merge_t a, b, writes[4];
  uint32_t a_lost, a_ties;
  ring_t write_ring;
  uint64_t counters[PixelDistributorCounters];
  uint64_t peek;
  uint8_t error;
  // What the last outputs left non-zero
  bool shown_beat, shown_read, shown_write;
} golden_t;

static uint32_t push_at(ring_t *r, uint32_t depth) { return (r->head + r->count++) % depth; }
static void pop(ring_t *r, uint32_t depth) {
  r->head = (r->head + 1) % depth;
  r->count--;
}

static void raise(uint8_t *error, uint8_t code) {
  if (*error == 0 || code < *error) {
    *error = code;
  }
}

static bool usable(const golden_t *g) { return g->configured && !g->filling; }

// ---- Configuration and fill ----

static bool config_ready(const golden_t *g) {
  return !g->filling && !g->sending && !g->receiving && !g->touch;
}

static void clear_map(golden_t *g) {
  memset(g->touched, 0, g->tiles);
  memset(g->listed, 0, sizeof g->listed);
}

static uint32_t coprime_step(uint32_t n) {
  for (uint32_t s = 2;; s++) {
    uint32_t a = s, b = n;
    while (b) {
      uint32_t t = a % b;
      a = b;
      b = t;
    }
    if (a == 1) {
      return s;
    }
  }
}

static uint32_t row_map(const golden_t *g, uint32_t x, uint32_t y) {
  static const uint32_t g80[6] = {0, 2, 4, 1, 5, 3};
  uint32_t n = g->p.gpus;
  switch (g->map) {
    case PixelDistributorMapRows: return (y * g->tiles_x + x) % n;
    case PixelDistributorMapSkew: return (x + (n == 6 ? g80[y % 6] : y * coprime_step(n) % n)) % n;
    default: return (y / g->work * ((g->tiles_x + g->work - 1) / g->work) + x / g->work) % n;
  }
}

// The write of this cycle of the fill.
static bool fill_write(const golden_t *g, uint32_t *tile, uint8_t *owner) {
  if (!g->filling || (g->fill != FillRows && g->fill != FillTiles)) {
    return false;
  }
  *tile = g->fy * g->pitch + g->fx;
  *owner = (uint8_t)(g->fill == FillRows ? row_map(g, g->fx, g->fy) : g->current.g);
  return true;
}

static void judge_rect(golden_t *g) {
  const rect_t *r = &g->current;
  if (r->w == 0 || r->h == 0) {
    g->fill = FillVisit;
  } else if (r->n == 1) {
    g->fill = FillTiles;
    g->fx = r->x;
    g->fy = r->y;
  } else {
    g->fill = FillSplit;
    g->split_left = r->w >= r->h ? r->w : r->h;
  }
}

static void split(golden_t *g) {
  if (--g->split_left > 0) {
    return;
  }
  rect_t *r = &g->current, second = *r;
  uint32_t n1 = r->n / 2, side = r->w >= r->h ? r->w : r->h, l1 = side * n1 / r->n;
  second.g += n1;
  second.n -= n1;
  if (r->w >= r->h) {
    second.x += l1;
    second.w -= l1;
    r->w = l1;
  } else {
    second.y += l1;
    second.h -= l1;
    r->h = l1;
  }
  r->n = n1;
  g->stack[g->stack_count++] = second;
  judge_rect(g);
}

static void fill_step(golden_t *g) {
  uint32_t tile;
  uint8_t owner;
  if (fill_write(g, &tile, &owner)) {
    g->owner[tile] = owner;
    g->owned[owner]++;
  }
  switch (g->fill) {
    case FillRows:
      if (++g->fx == g->tiles_x) {
        g->fx = 0;
        g->filling = ++g->fy < g->tiles_y;
      }
      return;
    case FillTiles:
      if (++g->fx == g->current.x + g->current.w) {
        g->fx = g->current.x;
        if (++g->fy == g->current.y + g->current.h) {
          g->fill = FillVisit;
        }
      }
      return;
    case FillVisit:
      if (g->stack_count == 0) {
        g->filling = false;
        return;
      }
      g->current = g->stack[--g->stack_count];
      judge_rect(g);
      return;
    default: split(g);
  }
}

static void configure(golden_t *g, const pixel_distributor_in_t *in, uint8_t *error) {
  uint32_t tile = 1u << g->p.tile_log2;
  if (in->config_width == 0 || in->config_height == 0 || in->config_width > g->p.max_width ||
      in->config_height > g->p.max_height ||
      (in->config_map == PixelDistributorMapWorkTiles &&
       (in->config_work_tile < 1 || in->config_work_tile > 10))) {
    raise(error, PixelDistributorErrorConfig);
    return;
  }
  g->configured = g->filling = true;
  g->width = in->config_width;
  g->height = in->config_height;
  g->map = in->config_map;
  g->work = in->config_work_tile;
  g->tiles_x = (g->width + tile - 1) / tile;
  g->tiles_y = (g->height + tile - 1) / tile;
  clear_map(g);
  memset(g->owned, 0, sizeof g->owned);
  g->fx = g->fy = 0;
  g->fill = g->map == PixelDistributorMapHalving ? FillVisit : FillRows;
  g->stack[0] = (rect_t){0, 0, g->tiles_x, g->tiles_y, 0, g->p.gpus};
  g->stack_count = 1;
}

// ---- Touched map ----

static uint64_t bitmap_of(const golden_t *g, uint32_t tile) {
  return g->touched[tile] ? g->bitmap[tile] : 0;
}

static uint16_t stamps_of(const golden_t *g, uint32_t tile, uint32_t block) {
  if (!(bitmap_of(g, tile) >> block & 1)) {
    return 0;
  }
  return g->p.cell == PixelDistributorCellStamp ? g->stamps[tile * g->blocks + block] : 0xffff;
}

static void touch_write(const golden_t *g, uint64_t *bitmap, uint16_t *stamps) {
  *bitmap = g->p.cell == PixelDistributorCellTile
                ? g->all_blocks
                : bitmap_of(g, g->touch_tile) | 1ull << g->touch_block;
  *stamps = g->p.cell == PixelDistributorCellStamp
                ? (uint16_t)(stamps_of(g, g->touch_tile, g->touch_block) | g->touch_stamps)
                : 0xffff;
}

static void touch_apply(golden_t *g) {
  uint64_t bitmap;
  uint16_t stamps;
  uint32_t tile = g->touch_tile;
  touch_write(g, &bitmap, &stamps);
  g->bitmap[tile] = bitmap;
  g->stamps[tile * g->blocks + g->touch_block] = stamps;
  if (!g->touched[tile]) {
    uint32_t o = g->owner[tile];
    g->touched[tile] = 1;
    if (g->listed[o]) {
      g->next[g->last[o]] = tile;
    } else {
      g->first[o] = tile;
    }
    g->last[o] = tile;
    g->listed[o] = true;
  }
}

// ---- Sender ----

static uint64_t cells_of_tile(const golden_t *g) { return g->cells; }

static void count_skipped(golden_t *g, int64_t by) {
  g->counters[PixelDistributorCellsSkipped] += (uint64_t)by;
}

static void fetch_step(golden_t *g, bool touch_under_way, uint32_t tiles_waiting) {
  switch (g->fetch) {
    case FetchHead:
      if (touch_under_way) {
        return;
      }
      count_skipped(g, (int64_t)(g->owned[g->destination] * cells_of_tile(g)));
      if (!g->listed[g->destination]) {
        g->fetch = FetchIdle;
        return;
      }
      g->fetch_tile = g->first[g->destination];
      g->fetch = FetchRead;
      return;
    case FetchRead:
      if (tiles_waiting < 2) {
        g->fetch = FetchPush;
      }
      return;
    case FetchPush: {
      uint64_t bitmap = g->bitmap[g->fetch_tile];
      g->tile_queue[push_at(&g->tile_ring, 2)] = (tile_entry_t){g->fetch_tile, bitmap};
      if (g->p.cell == PixelDistributorCellTile) {
        count_skipped(g, -1);
      } else if (g->p.cell == PixelDistributorCellBlock) {
        count_skipped(g, -(int64_t)__builtin_popcountll(bitmap));
      }
      if (g->fetch_tile == g->last[g->destination]) {
        g->fetch = FetchIdle;
      } else {
        g->fetch_tile = g->next[g->fetch_tile];
        g->fetch = FetchRead;
      }
      return;
    }
    default: return;
  }
}

static void block_step(golden_t *g, uint32_t held) {
  if (g->latch_valid) {
    g->block_queue[push_at(&g->block_ring, 4)] = g->latch;
    if (!g->latch.header && g->p.cell == PixelDistributorCellStamp) {
      count_skipped(g, -(int64_t)__builtin_popcount(g->latch.stamps));
    }
    g->latch_valid = false;
  }
  if (held >= 4) {
    return;
  }
  if (g->rest == 0) {
    if (g->tile_ring.count > 0) {
      tile_entry_t t = g->tile_queue[g->tile_ring.head];
      pop(&g->tile_ring, 2);
      g->latch = (block_entry_t){.header = true, .tile = t.tile, .bitmap = t.bitmap};
      g->latch_valid = true;
      g->rest = t.bitmap;
      g->rest_tile = t.tile;
    }
    return;
  }
  uint32_t block = (uint32_t)__builtin_ctzll(g->rest);
  g->rest &= g->rest - 1;
  g->latch = (block_entry_t){.block = block, .last = g->rest == 0,
                             .stamps = stamps_of(g, g->rest_tile, block)};
  g->latch_valid = true;
}

// The stamps of a block that a granule covers, from the granule's first on; with
// granules smaller than a stamp, the stamp that it lies in.
static uint8_t granule_stamps(const golden_t *g, uint16_t stamps, uint32_t granule) {
  uint32_t first = granule * g->pixels / 4, count = g->pixels >= 4 ? g->pixels / 4 : 1;
  return (uint8_t)(stamps >> first & ((1u << count) - 1));
}

static bool find_granule(const golden_t *g, uint16_t stamps, uint32_t from, uint32_t *found) {
  for (uint32_t i = from; i < 64 / g->pixels; i++) {
    if (granule_stamps(g, stamps, i)) {
      *found = i;
      return true;
    }
  }
  return false;
}

static bool end_due(const golden_t *g) {
  return g->sending && g->block_ring.count == 0 && !g->latch_valid && g->rest == 0 &&
         g->tile_ring.count == 0 && g->fetch == FetchIdle && !g->end_appended;
}

static bool issue_due(const golden_t *g) {
  return g->token_ring.count < g->p.send_depth && g->read_ring.count < 2 &&
         (g->block_ring.count > 0 || end_due(g));
}

static void issue_step(golden_t *g) {
  token_t *t = &g->tokens[push_at(&g->token_ring, g->p.send_depth)];
  if (g->block_ring.count == 0) {
    *t = (token_t){.kind = TokenEnd};
    g->end_appended = true;
    return;
  }
  const block_entry_t *b = &g->block_queue[g->block_ring.head];
  if (b->header) {
    *t = (token_t){.kind = TokenHeader, .tile = b->tile, .bitmap = b->bitmap};
    g->granule_tile = b->tile;
    g->next_granule = 0;
    pop(&g->block_ring, 4);
    return;
  }
  uint32_t granule = 0, after;
  find_granule(g, b->stamps, g->next_granule, &granule);
  uint32_t pixel = b->block * 64 + granule * g->pixels;
  bool more = find_granule(g, b->stamps, granule + 1, &after);
  *t = (token_t){.kind = TokenGranule, .granule = pixel / g->pixels, .last = b->last && !more,
                 .stamps = granule_stamps(g, b->stamps, granule)};
  g->reads[push_at(&g->read_ring, 2)] = g->granule_tile << (2 * g->p.tile_log2) | pixel;
  g->next_granule = granule + 1;
  if (!more) {
    g->next_granule = 0;
    pop(&g->block_ring, 4);
  }
}

static void append_pieces(golden_t *g, const piece_t *pieces, uint32_t count) {
  pixel_distributor_beat_t *b = &g->beats[push_at(&g->beat_ring, 2)];
  memset(b, 0, sizeof *b);
  b->kind = PixelDistributorBeatData;
  for (uint32_t i = 0; i < count; i++) {
    b->pieces.piece[i] = pieces[i].piece;
    b->pieces.mask |= (uint32_t)pieces[i].mask << (i * g->piece_pixels);
    memcpy(b->data + i * g->piece_pixels, pieces[i].data, g->piece_pixels * sizeof(uint64_t));
  }
  g->counters[PixelDistributorBeatsSent]++;
}

static void pack_granule(golden_t *g, const token_t *t, const pixel_distributor_in_t *in) {
  uint32_t mask = in->send_data_written & (uint32_t)((1ull << g->pixels) - 1);
  if (g->p.cell == PixelDistributorCellStamp) {
    for (uint32_t i = 0; i < g->pixels; i++) {
      if (!(t->stamps >> (i / 4) & 1)) {
        mask &= ~(1u << i);
      }
    }
  }
  uint32_t ones = (uint32_t)__builtin_popcount(mask);
  g->sent += ones;
  g->counters[PixelDistributorPixelsSent] += ones;
  piece_t all[2 * MaxPieces];
  uint32_t m = g->accumulated;
  memcpy(all, g->accumulator, m * sizeof *all);
  for (uint32_t k = 0; k < g->pieces; k++) {
    uint8_t part = (uint8_t)(mask >> (k * g->piece_pixels) & ((1u << g->piece_pixels) - 1));
    if (!part) {
      continue;
    }
    piece_t *p = &all[m++];
    p->piece = (uint16_t)(t->granule * g->pieces + k);
    p->mask = part;
    for (uint32_t i = 0; i < g->piece_pixels; i++) {
      p->data[i] = part >> i & 1 ? in->send_data[k * g->piece_pixels + i] : 0;
    }
  }
  if (m > g->pieces) {
    append_pieces(g, all, g->pieces);
    g->accumulated = m - g->pieces;
    memcpy(g->accumulator, all + g->pieces, g->accumulated * sizeof *all);
    g->flush = t->last;
  } else if (m == g->pieces || (t->last && m > 0)) {
    append_pieces(g, all, m);
    g->accumulated = 0;
  } else {
    g->accumulated = m;
    memcpy(g->accumulator, all, m * sizeof *all);
  }
}

static const token_t *visible(const golden_t *g) {
  return g->token_ring.count > (uint32_t)g->token_fresh ? &g->tokens[g->token_ring.head] : NULL;
}

static bool send_data_ready(const golden_t *g) {
  const token_t *t = visible(g);
  return g->beat_ring.count < 2 && !g->flush && t && t->kind == TokenGranule &&
         g->send_outstanding != 0;
}

// Whether the packing does anything, data given.
static bool packs(const golden_t *g, bool data) {
  const token_t *t = visible(g);
  return g->beat_ring.count < 2 &&
         (g->flush || (t && (t->kind != TokenGranule || (data && send_data_ready(g)))));
}

static void pack_step(golden_t *g, const pixel_distributor_in_t *in, bool room) {
  const token_t *t = visible(g);
  if (!room) {
    return;
  }
  if (g->flush) {
    append_pieces(g, g->accumulator, g->accumulated);
    g->accumulated = 0;
    g->flush = false;
    return;
  }
  if (!t || (t->kind == TokenGranule && !(in->send_data_valid && g->send_outstanding))) {
    return;
  }
  if (t->kind == TokenGranule) {
    pack_granule(g, t, in);
    g->send_outstanding--;
  } else {
    pixel_distributor_beat_t *b = &g->beats[push_at(&g->beat_ring, 2)];
    memset(b, 0, sizeof *b);
    if (t->kind == TokenHeader) {
      b->kind = PixelDistributorBeatHeader;
      b->data[0] = t->bitmap;
      b->data[1] = t->tile % g->pitch | t->tile / g->pitch << 16;
      g->counters[PixelDistributorHeadersSent]++;
    } else {
      b->kind = PixelDistributorBeatEnd;
      b->data[0] = g->sent;
    }
  }
  pop(&g->token_ring, g->p.send_depth);
}

// ---- Receiver ----

static bool beat_in_ready(const golden_t *g) {
  return g->receiving && !g->ended && g->pending_ring.count < g->p.receive_depth &&
         g->local_ring.count < 2;
}

static bool receive_data_ready(const golden_t *g) {
  return g->receive_outstanding != 0 && g->write_ring.count + g->a_valid + g->b_valid < 4;
}

static void judge_header(golden_t *g, uint8_t gpu, uint8_t *error) {
  if (!g->judge) {
    return;
  }
  g->judge = false;
  if (g->tile_x >= g->tiles_x || g->tile_y >= g->tiles_y || g->owner[g->tile] != gpu) {
    g->refused = true;
    raise(error, PixelDistributorErrorTile);
  }
}

static bool pieces_good(const golden_t *g, const pixel_distributor_pieces_t *p, uint32_t *last) {
  bool ended = false, any = false;
  uint32_t before = g->last_piece;
  bool has_before = g->has_piece;
  for (uint32_t k = 0; k < g->pieces; k++) {
    if (!(p->mask >> (k * g->piece_pixels) & ((1u << g->piece_pixels) - 1))) {
      ended = true;
      continue;
    }
    uint32_t piece = p->piece[k];
    if (ended || (has_before && piece <= before) ||
        !(g->header >> (piece * g->piece_pixels / 64) & 1)) {
      return false;
    }
    before = piece;
    has_before = any = true;
  }
  *last = before;
  return any;
}

static void accept_beat(golden_t *g, const pixel_distributor_beat_t *b, uint8_t *error) {
  switch (b->kind) {
    case PixelDistributorBeatHeader:
      g->header = b->data[0] & g->all_blocks;
      g->tile_x = (uint32_t)b->data[1] & 0xffff;
      g->tile_y = (uint32_t)b->data[1] >> 16;
      g->tile = (g->tile_y * g->pitch + g->tile_x) & (g->tiles - 1);
      g->has_header = g->judge = true;
      g->refused = g->has_piece = false;
      return;
    case PixelDistributorBeatData: {
      uint32_t last;
      if (!g->has_header) {
        raise(error, PixelDistributorErrorSequence);
        return;
      }
      if (g->refused) {
        return;
      }
      if (!pieces_good(g, &b->pieces, &last)) {
        raise(error, PixelDistributorErrorPiece);
        return;
      }
      g->last_piece = last;
      g->has_piece = true;
      uint32_t at = push_at(&g->local_ring, 2);
      g->local_reads[at].tile = g->tile;
      g->local_reads[at].pieces = b->pieces;
      merge_t *m = &g->pending[push_at(&g->pending_ring, g->p.receive_depth)];
      m->tile = g->tile;
      m->pieces = b->pieces;
      memcpy(m->data, b->data, g->pixels * sizeof *m->data);
      uint32_t ones = (uint32_t)__builtin_popcount(b->pieces.mask);
      g->received += ones;
      g->counters[PixelDistributorPixelsReceived] += ones;
      g->counters[PixelDistributorBeatsReceived]++;
      return;
    }
    case PixelDistributorBeatEnd:
      g->ended = true;
      if ((uint32_t)b->data[0] != g->received) {
        raise(error, PixelDistributorErrorCount);
      }
      return;
    default: raise(error, PixelDistributorErrorSequence);
  }
}

static void merge_beat(golden_t *g, const pixel_distributor_in_t *in) {
  const merge_t *from = &g->pending[g->pending_ring.head];
  merge_t *m = &g->a;
  m->tile = from->tile;
  m->pieces = from->pieces;
  memset(m->data, 0, g->pixels * sizeof *m->data);
  g->a_lost = g->a_ties = 0;
  for (uint32_t rest = from->pieces.mask; rest; rest &= rest - 1) {
    uint32_t i = (uint32_t)__builtin_ctz(rest);
    bool tie;
    if (!pixel_merge(&g->merge, from->data[i], in->receive_data[i],
                     in->receive_data_written >> i & 1, &m->data[i], &tie)) {
      m->pieces.mask &= ~(1u << i);
      g->a_lost++;
    }
    g->a_ties += tie;
  }
  pop(&g->pending_ring, g->p.receive_depth);
  g->a_valid = true;
}

static void receiver_step(golden_t *g, const pixel_distributor_in_t *in, uint8_t *error) {
  bool take = beat_in_ready(g) && in->beat_in_valid;
  bool data = receive_data_ready(g) && in->receive_data_valid;
  bool done = g->receiving && g->ended && g->pending_ring.count == 0 && !g->a_valid &&
              !g->b_valid && g->write_ring.count == 0;
  if (in->receive_data_valid && g->receive_outstanding == 0) {
    raise(error, PixelDistributorErrorReceiveData);
  }
  judge_header(g, in->gpu, error);
  if (g->write_ring.count > 0 && in->write_ready) {
    pop(&g->write_ring, 4);
  }
  if (g->b_valid && g->b.pieces.mask) {
    g->writes[push_at(&g->write_ring, 4)] = g->b;
  }
  g->b_valid = g->a_valid;
  if (g->a_valid) {
    g->b = g->a;
    g->counters[PixelDistributorPixelsLost] += g->a_lost;
    g->counters[PixelDistributorTies] += g->a_ties;
  }
  g->a_valid = false;
  uint32_t outstanding = g->receive_outstanding;
  if (g->local_ring.count > 0 && in->receive_read_ready) {
    pop(&g->local_ring, 2);
    outstanding++;
  }
  if (data) {
    merge_beat(g, in);
    outstanding--;
  }
  g->receive_outstanding = outstanding;
  if (take) {
    accept_beat(g, &in->beat_in, error);
  }
  if (done && in->done_ready) {
    g->receiving = false;
  }
}

// ---- Outputs ----

static void outputs(golden_t *g, const pixel_distributor_in_t *in, pixel_distributor_out_t *out);

static uint64_t peek(const golden_t *g, const pixel_distributor_in_t *in) {
  uint32_t tile = in->peek_index & (g->tiles - 1);
  switch (in->peek_select) {
    case PixelDistributorPeekOwner: return g->owner[tile];
    case PixelDistributorPeekBlocks: return bitmap_of(g, tile);
    case PixelDistributorPeekStamps: {
      uint32_t i = in->peek_index & (g->tiles * g->blocks - 1);
      return stamps_of(g, i / g->blocks, i % g->blocks);
    }
    default:
      return in->peek_index < PixelDistributorCounters
                 ? g->counters[in->peek_index] & ((1ull << g->p.count_width) - 1)
                 : 0;
  }
}

static unit_status_e step(void *self, const pixel_distributor_in_t *in,
                          pixel_distributor_out_t *out) {
  golden_t *g = self;
  uint8_t error = PixelDistributorErrorNone;
  bool was_usable = usable(g), was_sending = g->sending, was_receiving = g->receiving;
  bool taken = in->config_valid && config_ready(g);
  bool touch_under_way = g->touch;
  if (in->peek_valid) {
    g->peek = peek(g, in);
  }
  // Sender, from its end to its start: each part sees what the state was.
  bool room = g->beat_ring.count < 2;
  uint32_t held = g->block_ring.count + g->latch_valid, tiles_waiting = g->tile_ring.count;
  bool issue = g->sending && issue_due(g);
  uint32_t outstanding = g->send_outstanding;
  if (in->send_data_valid && outstanding == 0) {
    raise(&error, PixelDistributorErrorSendData);
  }
  bool ends = false;
  const pixel_distributor_beat_t *head = &g->beats[g->beat_ring.head];
  if (g->beat_ring.count > 0 && in->beat_out_ready) {
    ends = head->kind == PixelDistributorBeatEnd;
    pop(&g->beat_ring, 2);
  }
  pack_step(g, in, room);
  if (g->read_ring.count > 0 && in->send_read_ready) {
    // The read's place was taken at the cycle's start: room is judged before this.
    pop(&g->read_ring, 2);
    g->send_outstanding++;
  }
  if (issue) {
    issue_step(g);
  }
  g->token_fresh = issue;
  if (g->sending) {
    block_step(g, held);
    fetch_step(g, touch_under_way, tiles_waiting);
  }
  receiver_step(g, in, &error);
  // Touches, clear, configuration
  bool clear = in->clear && !was_sending;
  if (in->clear && was_sending) {
    raise(&error, PixelDistributorErrorClear);
  }
  if (g->touch && !clear) {
    touch_apply(g);
  }
  g->touch = false;
  if (clear) {
    clear_map(g);
  }
  if (g->filling) {
    fill_step(g);
  }
  if (in->touch_valid) {
    if (!was_usable || was_sending || was_receiving || taken ||
        8u * in->touch_x >= g->width || 8u * in->touch_y >= g->height) {
      raise(&error, PixelDistributorErrorTouch);
    } else if (in->touch_stamps) {
      uint32_t log = g->p.tile_log2 - 3, low = (1u << log) - 1;
      g->touch = true;
      g->touch_tile = (uint32_t)(in->touch_y >> log) * g->pitch + (in->touch_x >> log);
      g->touch_block = (in->touch_y & low) << log | (in->touch_x & low);
      g->touch_stamps = in->touch_stamps;
    }
  }
  if (in->start_valid) {
    if (was_sending || !was_usable || taken || in->start_destination == in->gpu ||
        in->start_destination >= g->p.gpus) {
      raise(&error, PixelDistributorErrorStart);
    } else {
      g->sending = true;
      g->destination = in->start_destination;
      g->sent = 0;
      g->fetch = FetchHead;
      g->end_appended = false;
    }
  }
  if (ends) {
    g->sending = false;
  }
  if (in->begin_valid) {
    if (was_receiving || !was_usable || taken) {
      raise(&error, PixelDistributorErrorBegin);
    } else {
      g->receiving = true;
      g->ended = g->has_header = g->judge = g->refused = g->has_piece = false;
      g->received = 0;
      g->merge = (pixel_merge_t){.front = in->begin_front, .transparent = in->begin_transparent,
                                 .depth_write = in->begin_depth_write,
                                 .tag_enable = in->begin_tag_enable,
                                 .test_base = in->begin_test_base, .op = in->begin_operator,
                                 .depth_func = in->begin_depth_func,
                                 .color_mask = in->begin_color_mask};
    }
  }
  if (taken) {
    configure(g, in, &error);
  }
  if (g->error == PixelDistributorErrorNone) {
    g->error = error;
  }
  outputs(g, in, out);
  return UnitOk;
}

static bool quiescent(const golden_t *g, const pixel_distributor_in_t *in,
                      const pixel_distributor_out_t *out) {
  if ((in->config_valid && out->config_ready) || g->filling || in->clear || in->touch_valid ||
      in->start_valid || in->begin_valid || in->peek_valid || g->touch) {
    return false;
  }
  bool takes = g->block_ring.count + g->latch_valid < 4 && (g->rest || g->tile_ring.count > 0);
  if (g->fetch == FetchPush || g->fetch == FetchHead ||
      (g->fetch == FetchRead && g->tile_ring.count < 2) || g->latch_valid || takes ||
      (g->sending && issue_due(g)) || g->token_fresh) {
    return false;
  }
  if (packs(g, in->send_data_valid) || (in->send_data_valid && g->send_outstanding == 0) ||
      (out->send_read_valid && in->send_read_ready) ||
      (out->beat_out_valid && in->beat_out_ready) || (out->write_valid && in->write_ready) ||
      (out->receive_read_valid && in->receive_read_ready) ||
      (out->done_valid && in->done_ready)) {
    return false;
  }
  return !((in->beat_in_valid && out->beat_in_ready) || g->judge ||
           (in->receive_data_valid && (out->receive_data_ready || g->receive_outstanding == 0)) ||
           g->a_valid || g->b_valid);
}

static void outputs(golden_t *g, const pixel_distributor_in_t *in, pixel_distributor_out_t *out) {
  out->error = g->error;
  out->sending = g->sending;
  out->receiving = g->receiving;
  out->config_ready = config_ready(g);
  uint32_t tile = 0;
  uint8_t owner = 0;
  out->owner_write_valid = fill_write(g, &tile, &owner);
  out->owner_write_tile = tile;
  out->owner_write_owner = owner;
  out->map_write_valid = g->touch;
  out->map_write_tile = g->touch ? g->touch_tile : 0;
  out->map_write_block = (uint8_t)(g->touch ? g->touch_block : 0);
  out->map_write_blocks = 0;
  out->map_write_stamps = 0;
  if (g->touch) {
    touch_write(g, &out->map_write_blocks, &out->map_write_stamps);
  }
  out->send_read_valid = g->read_ring.count > 0;
  out->send_read_address = out->send_read_valid ? g->reads[g->read_ring.head] : 0;
  out->send_data_ready = send_data_ready(g);
  out->beat_out_valid = g->beat_ring.count > 0;
  if (out->beat_out_valid) {
    out->beat_out = g->beats[g->beat_ring.head];
  } else if (g->shown_beat) {
    memset(&out->beat_out, 0, sizeof out->beat_out);
  }
  g->shown_beat = out->beat_out_valid;
  out->beat_in_ready = beat_in_ready(g);
  out->receive_read_valid = g->local_ring.count > 0;
  if (out->receive_read_valid) {
    out->receive_read_tile = g->local_reads[g->local_ring.head].tile;
    out->receive_read = g->local_reads[g->local_ring.head].pieces;
  } else if (g->shown_read) {
    out->receive_read_tile = 0;
    memset(&out->receive_read, 0, sizeof out->receive_read);
  }
  g->shown_read = out->receive_read_valid;
  out->receive_data_ready = receive_data_ready(g);
  out->write_valid = g->write_ring.count > 0;
  if (out->write_valid) {
    const merge_t *w = &g->writes[g->write_ring.head];
    out->write_tile = w->tile;
    out->write = w->pieces;
    memcpy(out->write_data, w->data, g->pixels * sizeof *w->data);
  } else if (g->shown_write) {
    out->write_tile = 0;
    memset(&out->write, 0, sizeof out->write);
    memset(out->write_data, 0, sizeof out->write_data);
  }
  g->shown_write = out->write_valid;
  out->done_valid = g->receiving && g->ended && g->pending_ring.count == 0 && !g->a_valid &&
                    !g->b_valid && g->write_ring.count == 0;
  out->peek_data = g->peek;
  out->quiescent = quiescent(g, in, out);
}

static void reset(void *self, pixel_distributor_out_t *out) {
  golden_t *g = self;
  g->configured = g->filling = g->touch = g->sending = g->receiving = false;
  g->ended = g->has_header = g->judge = g->refused = g->has_piece = false;
  g->width = g->height = g->tiles_x = g->tiles_y = 0;
  g->fetch = FetchIdle;
  g->rest = 0;
  g->latch_valid = g->token_fresh = g->flush = g->a_valid = g->b_valid = false;
  g->end_appended = true;
  g->tile_ring = g->block_ring = g->read_ring = g->token_ring = g->beat_ring = (ring_t){0, 0};
  g->local_ring = g->pending_ring = g->write_ring = (ring_t){0, 0};
  g->next_granule = g->accumulated = g->sent = g->received = 0;
  g->send_outstanding = g->receive_outstanding = 0;
  memset(g->counters, 0, sizeof g->counters);
  memset(g->owned, 0, sizeof g->owned);
  g->peek = 0;
  g->error = 0;
  clear_map(g);
  const pixel_distributor_in_t none = {0};
  memset(out, 0, sizeof *out);
  outputs(g, &none, out);
}

void pixel_distributor_golden_destroy(pixel_distributor_t *engine) {
  golden_t *g = engine->self;
  if (g) {
    free(g->owner);
    free(g->touched);
    free(g->bitmap);
    free(g->stamps);
    free(g->next);
    free(g->tokens);
    free(g->pending);
    free(g);
  }
  engine->self = NULL;
}

static bool power_of_two(uint32_t x, uint32_t low, uint32_t high) {
  return x >= low && x <= high && (x & (x - 1)) == 0;
}

bool pixel_distributor_golden_create(const pixel_distributor_params_t *p,
                                     pixel_distributor_t *engine) {
  engine->self = NULL;
  if (p->gpus < 2 || p->gpus > UnitMaxGpus || p->tile_log2 < 4 || p->tile_log2 > 6 ||
      p->cell > PixelDistributorCellStamp || !power_of_two(p->beat_bytes, 16, 256) ||
      !power_of_two(p->send_depth, 4, 1024) || !power_of_two(p->receive_depth, 4, 1024) ||
      p->max_width <= 1u << p->tile_log2 || p->max_width > 8192 ||
      p->max_height <= 1u << p->tile_log2 || p->max_height > 8192) {
    return false;
  }
  golden_t *g = calloc(1, sizeof *g);
  if (!g) {
    return false;
  }
  engine->self = g;
  g->p = *p;
  g->pixels = pixel_distributor_pixels(p);
  g->piece_pixels = pixel_distributor_piece_pixels(p);
  g->pieces = pixel_distributor_pieces(p);
  g->blocks = 1u << (2 * (p->tile_log2 - 3));
  g->all_blocks = g->blocks == 64 ? UINT64_MAX : (1ull << g->blocks) - 1;
  g->cells = p->cell == PixelDistributorCellTile    ? 1
             : p->cell == PixelDistributorCellBlock ? g->blocks
                                                    : 16 * g->blocks;
  g->pitch = pixel_distributor_pitch(p);
  uint32_t rows = (p->max_height + (1u << p->tile_log2) - 1) >> p->tile_log2, tall = 1;
  while (tall < rows) {
    tall <<= 1;
  }
  g->tiles = g->pitch * tall;
  g->owner = calloc(g->tiles, sizeof *g->owner);
  g->touched = calloc(g->tiles, sizeof *g->touched);
  g->bitmap = calloc(g->tiles, sizeof *g->bitmap);
  g->stamps = calloc((size_t)g->tiles * g->blocks, sizeof *g->stamps);
  g->next = calloc(g->tiles, sizeof *g->next);
  g->tokens = calloc(p->send_depth, sizeof *g->tokens);
  g->pending = calloc(p->receive_depth, sizeof *g->pending);
  if (!g->owner || !g->touched || !g->bitmap || !g->stamps || !g->next || !g->tokens ||
      !g->pending) {
    pixel_distributor_golden_destroy(engine);
    return false;
  }
  *engine = (pixel_distributor_t){g, step, reset};
  return true;
}
