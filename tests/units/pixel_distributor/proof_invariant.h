// SPDX-License-Identifier: Apache-2.0
// For the proof of the pixel distributor only: the invariant, part by part of the unit.
#ifndef NOCTURNE_TESTS_PROVE_PIXEL_DISTRIBUTOR_INVARIANT_H
#define NOCTURNE_TESTS_PROVE_PIXEL_DISTRIBUTOR_INVARIANT_H

static uint64_t part(const uint8_t *word, uint32_t from, uint32_t width) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < width; i++) {
    value |= (uint64_t)(word[(from + i) / 8] >> ((from + i) % 8) & 1) << i;
  }
  return value;
}

static uint32_t low(uint32_t word, uint32_t from, uint32_t width) {
  return word >> from & ((1u << width) - 1);
}

// Returns the word of the RTL's memory; without cells so fine there is none, and all is touched.
static uint64_t bitmap_in(uint64_t word) { return P_CellMode == 0 ? ALL_BLOCKS : word; }
static uint32_t stamps_in(uint16_t word) { return P_CellMode == 2 ? word : 0xffff; }

// Checks pieces and pixels as both have them: each pixel is a question of its own.
static void check_pieces(const char *what, const uint8_t *word,
                         const pixel_distributor_pieces_t *pieces, const uint64_t *data) {
  prove_check(what, part(word, MaskAt, P) == pieces->mask);
  for (uint32_t k = 0; k < K; k++) {
    prove_check(what, part(word, PieceAt + k * PieceW, PieceW) == pieces->piece[k]);
  }
  for (uint32_t i = 0; i < P; i++) {
    prove_check(what, part(word, 64 * i, 64) == data[i]);
  }
}

static void check_merge(const char *what, const uint8_t *word, const merge_t *m) {
  prove_check(what, part(word, TopAt, TileW) == m->tile);
  check_pieces(what, word, &m->pieces, m->data);
}

static bool same_rect(const rect_t *a, rect_t b) {
  return a->x == b.x && a->y == b.y && a->w == b.w && a->h == b.h && a->g == b.g && a->n == b.n;
}

// A step of a fill by halves; written: the tiles before it, as bits.
typedef struct {
  fill_e fill;
  uint32_t x, y, split_left, stack_count, written;
  rect_t current, stack[5];
} step_t;

static void judge(step_t *s) {
  const rect_t *r = &s->current;
  s->x = r->x;
  s->y = r->y;
  s->split_left = r->w >= r->h ? r->w : r->h;
  s->fill = r->w == 0 || r->h == 0 ? FillVisit : r->n == 1 ? FillTiles : FillSplit;
}

static void next_step(step_t *s) {
  rect_t *r = &s->current, *second = &s->stack[s->stack_count];
  if (s->fill == FillVisit) {
    s->current = s->stack[--s->stack_count];
    judge(s);
  } else if (s->fill == FillTiles) {
    s->written |= 1u << (s->y * Pitch + s->x);
    const bool is_row = ++s->x == r->x + r->w;
    s->x = is_row ? r->x : s->x;
    s->y += is_row;
    s->fill = s->y == r->y + r->h ? FillVisit : FillTiles;
  } else if (--s->split_left == 0) {
    const uint32_t n = r->n / 2, wide = r->w >= r->h, side = (wide ? r->w : r->h) * n / r->n;
    *second = *r;
    second->g += n;
    second->n -= n;
    *(wide ? &second->x : &second->y) += side;
    *(wide ? &second->w : &second->h) -= side;
    *(wide ? &r->w : &r->h) = side;
    r->n = n;
    s->stack_count++;
    judge(s);
  }
}

static bool is_at(const golden_t *g, const step_t *s) {
  bool is = g->fill == s->fill && g->stack_count == s->stack_count;
  for (uint32_t i = 0; i < s->stack_count; i++) {
    is &= same_rect(&g->stack[i], s->stack[i]);
  }
  is &= s->fill == FillVisit || same_rect(&g->current, s->current);
  is &= s->fill != FillTiles || (g->fx == s->x && g->fy == s->y);
  return is && (s->fill != FillSplit || g->split_left == s->split_left);
}

// Which step of a fill by halves the unit is at, if any: the tiles that it has written, and the
// cycles to its end.
typedef struct {
  bool is_one;
  uint32_t written, left;
} halving_t;

static halving_t halving(const golden_t *g) {
  halving_t at = {0};
  for (uint32_t sizes = 0; sizes < Tiles; sizes++) {
    const uint32_t w = sizes % Pitch + 1, h = sizes / Pitch + 1;
    const bool is_size = g->tiles_x == w && g->tiles_y == h;
    step_t s = {.fill = FillVisit, .stack = {{0, 0, w, h, 0, N}}, .stack_count = 1};
    bool steps[MostFill + 1] = {false};
    uint32_t count = 0;
    for (; count < MostFill && (s.fill != FillVisit || s.stack_count > 0); count++) {
      steps[count] = is_size && is_at(g, &s);
      at.written |= steps[count] ? s.written : 0;
      next_step(&s);
    }
    steps[count] = is_size && is_at(g, &s);
    at.written |= steps[count] ? s.written : 0;
    for (uint32_t i = 0; i <= count; i++) {
      at.is_one |= steps[i];
      at.left |= steps[i] ? count + 1 - i : 0;
    }
  }
  return at;
}

static uint32_t packed_rect(const rect_t *r) {
  uint32_t v = r->x << YW | r->y;
  v = v << (XW + 1) | r->w;
  v = v << (YW + 1) | r->h;
  return (v << IndexW | r->g) << (IndexW + 1) | r->n;
}

// Tiles of the surface that this fill has written, or the last one, as bits.
static uint32_t written_tiles(const golden_t *g) {
  uint32_t set = 0;
  for (uint32_t t = 0; t < Tiles; t++) {
    const uint32_t x = t % Pitch, y = t / Pitch;
    const bool is_before = !g->filling || y < g->fy || (y == g->fy && x < g->fx);
    set |= (uint32_t)(g->configured && x < g->tiles_x && y < g->tiles_y && is_before) << t;
  }
  return g->filling && g->fill != FillRows ? halving(g).written : set;
}

static void check_rows(const golden_t *g) {
  const uint32_t work = g->work ? g->work : 1;
  const bool last = g->fx < g->tiles_x && g->fy < g->tiles_y;
  prove_check("fill by rows: where it is", last && Rtl.x == g->fx && Rtl.y == g->fy &&
                                               Rtl.end_x == g->tiles_x && Rtl.end_y == g->tiles_y);
  prove_check("fill by rows: the owner",
              g->map != PixelDistributorMapHalving && Rtl.owner == row_map(g, g->fx, g->fy));
  prove_check("fill by rows: the map", Rtl.map == g->map && Rtl.work == g->work);
  if (g->map == PixelDistributorMapSkew) {
    prove_check("skew: the row's first", Rtl.row == g->fy * coprime_step(N) % N);
  } else if (g->map == PixelDistributorMapWorkTiles) {
    prove_check("work tiles: where in one",
                g->work > 0 && Rtl.sub_x == g->fx % work && Rtl.sub_y == g->fy % work);
    prove_check("work tiles: the row's first", Rtl.row == row_map(g, 0, g->fy));
  }
}

static void check_halving(const golden_t *g) {
  const rect_t *r = &g->current;
  prove_check("halving: one of its steps", halving(g).is_one);
  prove_check("halving: stack", Rtl.stack_count == g->stack_count);
  for (uint32_t i = 0; i < N; i++) {
    prove_check("halving: on the stack",
                i >= g->stack_count || Rtl.stack[i] == packed_rect(&g->stack[i]));
  }
  if (g->fill != FillVisit) {
    prove_check("halving: current rectangle", Rtl.rect_x == r->x && Rtl.rect_y == r->y &&
                                                  Rtl.rect_w == r->w && Rtl.rect_h == r->h &&
                                                  Rtl.rect_g == r->g && Rtl.rect_n == r->n);
  }
  if (g->fill == FillSplit) {
    const uint32_t side = r->w >= r->h ? r->w : r->h;
    const uint32_t done = (side - g->split_left) * (r->n / 2);
    prove_check("halving: split", Rtl.split_left == g->split_left && r->n > 1 &&
                                      Rtl.part == done / r->n && Rtl.error == done % r->n);
  }
  if (g->fill == FillTiles) {
    prove_check("halving: where it is", Rtl.x == g->fx && Rtl.y == g->fy &&
                                            Rtl.end_x == r->x + r->w && Rtl.end_y == r->y + r->h &&
                                            Rtl.owner == r->g);
  }
}

static void check_map(const golden_t *g) {
  const bool usable = g->configured && !g->filling;
  prove_check("what is used is configured", usable || !(g->sending || g->receiving || g->touch));
  prove_check("what is filled was configured", !g->filling || g->configured);
  prove_check("sizes", !g->configured ||
                           (g->tiles_x == (g->width + (1u << Log) - 1) >> Log &&
                            g->tiles_y == (g->height + (1u << Log) - 1) >> Log && g->width > 0 &&
                            g->height > 0 && g->width <= P_MaxWidth && g->height <= P_MaxHeight));
  const uint32_t written = written_tiles(g);
  for (uint32_t t = 0; t < Tiles; t++) {
    prove_check("owners", !Monitor.filled[t] || Rtl.owner_word[t] == g->owner[t]);
    prove_check("what is written is filled", !(written >> t & 1) || Monitor.filled[t]);
  }
  for (uint32_t o = 0; o < N; o++) {
    uint32_t count = 0;
    for (uint32_t t = 0; t < Tiles; t++) {
      count += (written >> t & 1) && g->owner[t] == o;
    }
    prove_check("the tiles of each owner are counted", g->owned[o] == count);
  }
  if (g->filling) {
    prove_check("fill", Rtl.fill == g->fill);
    if (g->fill == FillRows) {
      check_rows(g);
    } else {
      check_halving(g);
    }
  }
}

static bool is_listed(const golden_t *g, uint32_t t, uint32_t o) {
  return g->touched[t] && g->owner[t] == o;
}

// The list of an owner is its touched tiles, in the order of first touches.
static void check_list(const golden_t *g, uint32_t o) {
  bool any = false;
  for (uint32_t t = 0; t < Tiles; t++) {
    any |= is_listed(g, t, o);
    if (!is_listed(g, t, o)) {
      continue;
    }
    const uint32_t next = g->next[t];
    prove_check("the list's first", Monitor.rank[g->first[o]] <= Monitor.rank[t]);
    prove_check("the list's last", Monitor.rank[g->last[o]] >= Monitor.rank[t]);
    if (t == g->last[o]) {
      continue;
    }
    prove_check("the list's next", Rtl.next_word[t] == next && is_listed(g, next, o) &&
                                       Monitor.rank[next] > Monitor.rank[t]);
    for (uint32_t u = 0; u < Tiles; u++) {
      prove_check("the list leaves nothing out", !is_listed(g, u, o) ||
                                                     Monitor.rank[u] <= Monitor.rank[t] ||
                                                     Monitor.rank[u] >= Monitor.rank[next]);
    }
  }
  prove_check("a list is not empty if a tile is touched", any == g->listed[o]);
  prove_check("first and last of a list",
              !any || (is_listed(g, g->first[o], o) && is_listed(g, g->last[o], o) &&
                       Rtl.first[o] == g->first[o] && Rtl.last[o] == g->last[o]));
}

static void check_touched(const golden_t *g) {
  const uint32_t usable = g->configured && !g->filling;
  uint32_t touched = 0;
  for (uint32_t t = 0; t < Tiles; t++) {
    touched += g->touched[t];
    if (!g->touched[t]) {
      continue;
    }
    prove_check("touched tiles are filled", usable && Monitor.filled[t]);
    prove_check("bitmaps", g->bitmap[t] != 0 && bitmap_in(Rtl.bitmap_word[t]) == g->bitmap[t]);
    prove_check("touches are counted", Monitor.rank[t] < Monitor.touches);
    for (uint32_t u = 0; u < t; u++) {
      prove_check("touches come one by one", !g->touched[u] || Monitor.rank[u] != Monitor.rank[t]);
    }
    for (uint32_t b = 0; b < Blocks; b++) {
      const uint32_t word = stamps_in(Rtl.stamps_word[t * Blocks + b]);
      prove_check("stamps", !(g->bitmap[t] >> b & 1) ||
                                (word != 0 && word == distributor_stamps_of(g, t, b)));
    }
  }
  prove_check("so many were touched", Monitor.touches == touched);
  for (uint32_t o = 0; o < N; o++) {
    check_list(g, o);
  }
  if (g->touch) {
    const uint32_t t = g->touch_tile;
    prove_check("the touch under way",
                Rtl.tile == t && Rtl.block == g->touch_block &&
                    (P_CellMode != 2 || (Rtl.stamps == g->touch_stamps && Rtl.stamps != 0)));
    prove_check("the owner of the touch", Monitor.filled[t] && Rtl.owner_read == g->owner[t]);
    prove_check("what the touch read",
                !g->touched[t] ||
                    (bitmap_in(Rtl.bitmap_read) == g->bitmap[t] &&
                     (!(g->bitmap[t] >> g->touch_block & 1) ||
                      stamps_in(Rtl.stamps_read) == distributor_stamps_of(g, t, g->touch_block))));
  }
}

// ---- Sender ----

static bool same_entry(const uint8_t *word, const block_entry_t *e) {
  const bool is_header = part(word, BlockEntryW - 1, 1);
  return is_header == e->header &&
         (is_header ? part(word, Blocks, TileW) == e->tile && part(word, 0, Blocks) == e->bitmap
                    : part(word, BlockEntryW - 2, 1) == e->last &&
                          part(word, 16, BlockW) == e->block && part(word, 0, 16) == e->stamps);
}

static bool same_token(const uint8_t *word, const token_t *t) {
  const uint32_t kind = (uint32_t)part(word, TokenW - 2, 2);
  return kind == t->kind && kind <= TokenEnd &&
         (kind == TokenHeader
              ? part(word, Blocks, TileW) == t->tile && part(word, 0, Blocks) == t->bitmap
          : kind == TokenGranule
              ? part(word, 1 + Cover, TokenGranuleW) == t->granule &&
                    part(word, 1, Cover) == t->stamps && part(word, 0, 1) == t->last
              : true);
}

static const block_entry_t *block_at(const golden_t *g, uint32_t k) {
  return &g->block_queue[at(&g->block_ring, k, 4)];
}

static const token_t *token_at(const golden_t *g, uint32_t k) {
  return &g->tokens[at(&g->token_ring, k, P_SendDepth)];
}

static void check_tile(const golden_t *g, const char *what, uint32_t t, uint64_t bitmap) {
  prove_check(what, g->touched[t] && g->owner[t] == g->destination && bitmap == g->bitmap[t]);
}

static void check_fetch(const golden_t *g) {
  const bool walks = g->fetch == FetchRead || g->fetch == FetchPush;
  prove_check("the destination", !g->sending || Rtl.destination == g->destination);
  prove_check("nothing is touched while tiles are sent",
              !g->sending || g->fetch == FetchHead || !g->touch);
  if (walks) {
    const uint32_t t = g->fetch_tile;
    prove_check("the tile that is fetched", Rtl.fetch_tile == t && is_listed(g, t, g->destination));
    prove_check("room for the tile", g->fetch == FetchRead || g->tile_ring.count < 2);
    prove_check(
        "what the fetch read",
        g->fetch == FetchRead || (bitmap_in(Rtl.bitmap_read) == g->bitmap[t] &&
                                  (t == g->last[g->destination] || Rtl.next_read == g->next[t])));
  }
  prove_check("the queue of tiles", g->tile_ring.count <= 2);
  for (uint32_t k = 0; k < 2 && k < g->tile_ring.count; k++) {
    const uint32_t i = at(&g->tile_ring, k, 2);
    const tile_entry_t *e = &g->tile_queue[i];
    prove_check("a tile of the queue",
                part(Rtl.tiles_word[i], Blocks, TileW) == e->tile &&
                    bitmap_in(part(Rtl.tiles_word[i], 0, Blocks)) == e->bitmap);
    check_tile(g, "a tile of the queue is the destination's", e->tile, e->bitmap);
  }
  if (g->rest) {
    prove_check("the rest of a tile", (P_CellMode != 2 || Rtl.rest_tile == g->rest_tile) &&
                                          g->touched[g->rest_tile] &&
                                          !(g->rest & ~g->bitmap[g->rest_tile]));
  }
  if (g->latch_valid) {
    const block_entry_t *e = &g->latch;
    prove_check("the latch", Rtl.latch_header == e->header);
    if (e->header) {
      prove_check("a tile in the latch",
                  Rtl.latch_tile == e->tile && Rtl.latch_bitmap == e->bitmap);
    } else {
      prove_check("a block in the latch",
                  Rtl.latch_block == e->block && Rtl.latch_last == e->last &&
                      stamps_in(Rtl.stamps_read) == e->stamps && e->stamps != 0);
    }
  }
}

static void check_blocks(const golden_t *g) {
  prove_check("the queue of blocks", g->block_ring.count + g->latch_valid <= 4);
  bool is_block = !g->latch_valid ? g->rest != 0 : !g->latch.header;
  for (uint32_t k = 0; k < 4 && k < g->block_ring.count; k++) {
    const block_entry_t *e = block_at(g, k);
    prove_check("a block of the queue", same_entry(Rtl.blocks_word[at(&g->block_ring, k, 4)], e) &&
                                            (e->header || e->stamps != 0));
    if (k == 0) {
      is_block = !e->header;
    }
  }
  prove_check("the tile of the next granules", !is_block || Rtl.granule_tile == g->granule_tile);
  uint32_t found = 0;
  const block_entry_t *e = block_at(g, 0);
  prove_check("a granule is left of a block that was begun",
              g->next_granule == 0 || (g->block_ring.count > 0 && !e->header &&
                                       find_granule(g, e->stamps, g->next_granule, &found)));
}

static void check_tokens(const golden_t *g) {
  uint32_t granules = 0, ends = 0;
  prove_check("the queue of tokens", g->token_ring.count <= P_SendDepth);
  for (uint32_t k = 0; k < P_SendDepth && k < g->token_ring.count; k++) {
    const token_t *t = token_at(g, k);
    granules += t->kind == TokenGranule;
    ends += t->kind == TokenEnd;
    prove_check("a token", same_token(Rtl.token_word[at(&g->token_ring, k, P_SendDepth)], t));
    prove_check("the end is the last token", t->kind != TokenEnd || k == g->token_ring.count - 1);
  }
  prove_check("a fresh token is in the queue", !g->token_fresh || g->token_ring.count > 0);
  prove_check("the visible token", !visible(g) || same_token(Rtl.token, token_at(g, 0)));
  prove_check("the queue of reads", g->read_ring.count <= 2);
  for (uint32_t k = 0; k < 2 && k < g->read_ring.count; k++) {
    const uint32_t i = at(&g->read_ring, k, 2);
    prove_check("a read", Rtl.reads_word[i] == g->reads[i]);
  }
  prove_check("each granule is being read or was",
              granules == g->read_ring.count + g->send_outstanding);
  prove_check("the queue of beats", g->beat_ring.count <= 2);
  for (uint32_t k = 0; k < 2 && k < g->beat_ring.count; k++) {
    const uint32_t i = at(&g->beat_ring, k, 2);
    const pixel_distributor_beat_t *b = &g->beats[i];
    ends += b->kind == PixelDistributorBeatKindEnd;
    prove_check("a beat's kind", part(Rtl.beats_word[i], TopAt, 2) == b->kind && b->kind <= 2);
    check_pieces("a beat", Rtl.beats_word[i], &b->pieces, b->data);
    prove_check("the end is the last beat",
                b->kind != PixelDistributorBeatKindEnd ||
                    (k == g->beat_ring.count - 1 && g->token_ring.count == 0));
  }
  prove_check("a transfer has one end", ends == (g->sending && g->end_appended));
}

// Returns true if a block, or granule, of the same tile comes behind so many blocks, or tokens.
static bool block_follows(const golden_t *g, uint32_t k) {
  return k < g->block_ring.count ? !block_at(g, k)->header
         : g->latch_valid        ? !g->latch.header
                                 : g->rest != 0;
}

static bool granule_follows(const golden_t *g, uint32_t k) {
  return k < g->token_ring.count ? token_at(g, k)->kind == TokenGranule : block_follows(g, 0);
}

static void check_tile_ends(const golden_t *g) {
  prove_check("behind a block that is not the last comes one",
              !g->latch_valid || g->latch.header || g->latch.last || g->rest != 0);
  for (uint32_t k = 0; k < 4 && k < g->block_ring.count; k++) {
    const block_entry_t *e = block_at(g, k);
    prove_check("behind a block of the queue that is not the last comes one",
                e->header || e->last || block_follows(g, k + 1));
  }
  for (uint32_t k = 0; k < P_SendDepth && k < g->token_ring.count; k++) {
    const token_t *t = token_at(g, k);
    prove_check("behind a granule that is not the last comes one",
                t->kind != TokenGranule || t->last || granule_follows(g, k + 1));
  }
}

// Checks the pieces that wait for a full beat; those flushed have zeros behind them.
static void check_accumulator(const golden_t *g) {
  prove_check("what waits is flushed, or joined by a granule",
              g->accumulated == 0 || g->flush || granule_follows(g, 0));
  bool ends = false;
  for (uint32_t k = 0; k < 2 && k < g->beat_ring.count; k++) {
    ends |= g->beats[at(&g->beat_ring, k, 2)].kind == PixelDistributorBeatKindEnd;
  }
  prove_check("the end comes behind what is flushed", !g->flush || (g->sending && !ends));
  for (uint32_t k = 0; k + 1 < K; k++) {
    const piece_t *p = &g->accumulator[k];
    const bool is_held = k < g->accumulated;
    const bool matters = is_held || g->flush;
    prove_check("a piece of the accumulator",
                !matters || (low(Rtl.held_piece, k * PieceW, PieceW) == (is_held ? p->piece : 0) &&
                             low(Rtl.held_mask, k * Q, Q) == (is_held ? p->mask : 0)));
    for (uint32_t i = 0; i < Q; i++) {
      prove_check("a pixel of the accumulator", !matters || part(Rtl.held_data, 64 * (k * Q + i),
                                                                 64) == (is_held ? p->data[i] : 0));
    }
    prove_check("a piece of nothing is none", !is_held || p->mask != 0);
  }
}

static bool is_drained(const golden_t *g) {
  return g->tile_ring.count == 0 && g->rest == 0 && !g->latch_valid && g->block_ring.count == 0;
}

static void check_sender(const golden_t *g) {
  check_fetch(g);
  check_blocks(g);
  check_tokens(g);
  prove_check("who does not send has sent all", g->sending || g->end_appended);
  prove_check("the end comes behind all else",
              !g->end_appended || (is_drained(g) && g->fetch == FetchIdle));
  prove_check("a transfer begins with nothing under way",
              g->fetch != FetchHead || (g->sending && !g->flush && is_drained(g) &&
                                        g->token_ring.count == 0 && g->beat_ring.count == 0));
  prove_check("between transfers nothing is under way",
              g->sending || (g->token_ring.count == 0 && g->beat_ring.count == 0));
  if (K > 1) {
    check_tile_ends(g);
    check_accumulator(g);
  }
  prove_check("the accumulator", g->accumulated < K && (!g->flush || g->accumulated > 0));
}

// ---- Receiver ----

static void check_stage_b(const golden_t *g) {
  prove_check("stage B: where", part(Rtl.b_word, TopAt, TileW) == g->b.tile);
  for (uint32_t k = 0; k < K; k++) {
    prove_check("stage B: a piece",
                part(Rtl.b_word, PieceAt + k * PieceW, PieceW) == g->b.pieces.piece[k]);
  }
  // Pixel by pixel and channel by channel: each is a question of its own.
  for (uint32_t i = 0; i < P; i++) {
    prove_check("stage B: which", part(Rtl.b_word, MaskAt + i, 1) == (g->b.pieces.mask >> i & 1));
    for (uint32_t c = 0; c < 4; c++) {
      prove_check("stage B: a channel of a pixel",
                  part(Rtl.b_word, 64 * i + 16 * c, 16) == (uint16_t)(g->b.data[i] >> (16 * c)));
    }
  }
}

static void check_stage_a(const golden_t *g) {
  for (uint32_t i = 0; i < P; i++) {
    uint64_t result = 0;
    bool tie = false;
    const bool written = Rtl.written >> i & 1, is_sent = part(Rtl.pending, MaskAt + i, 1);
    const bool won = pixel_merge(&g->merge, part(Rtl.pending, 64 * i, 64),
                                 part(Rtl.local, 64 * i, 64), written, &result, &tie);
    prove_check("stage A: which", (g->a.pieces.mask >> i & 1) == (is_sent && won) &&
                                      (Monitor.lost >> i & 1) == (is_sent && !won) &&
                                      (Monitor.tied >> i & 1) == (is_sent && tie));
    prove_check("stage A: what was read is merged", g->a.data[i] == (is_sent && won ? result : 0));
    prove_check(
        "stage A: a pixel's copies of the settings",
        Rtl.blend[i] == (g->merge.transparent && written) &&
            Rtl.front_here[i] == (g->merge.front && written) &&
            Rtl.add[i] == (g->merge.op == PixelDistributorOperatorAdd && written) &&
            Rtl.multiply[i] == (g->merge.op >= PixelDistributorOperatorMultiply && written));
  }
  prove_check("stage A: lost and tied",
              g->a_lost == (uint32_t)__builtin_popcount(Monitor.lost) &&
                  g->a_ties == (uint32_t)__builtin_popcount(Monitor.tied));
  prove_check("stage A: where", part(Rtl.pending, TopAt, TileW) == g->a.tile);
  for (uint32_t k = 0; k < K; k++) {
    prove_check("stage A: a piece",
                part(Rtl.pending, PieceAt + k * PieceW, PieceW) == g->a.pieces.piece[k]);
  }
}

static void check_header(const golden_t *g) {
  prove_check("the header", Rtl.tile_x == g->tile_x && Rtl.tile_y == g->tile_y &&
                                Rtl.bitmap == g->header &&
                                g->tile == ((g->tile_y * Pitch + g->tile_x) & (Tiles - 1)));
  const bool inside = g->tile_x < g->tiles_x && g->tile_y < g->tiles_y;
  prove_check("an accepted header's tile is the own GPU's",
              !g->receiving || g->judge || g->refused || inside);
  prove_check("the owner of the header's tile",
              !g->judge || !inside || Rtl.owner_read == g->owner[g->tile]);
}

static void check_receiver(const golden_t *g) {
  const pixel_merge_t *m = &g->merge;
  const uint32_t outgoing = g->write_ring.count + g->a_valid + g->b_valid;
  prove_check("between transfers nothing is received",
              g->receiving || (outgoing == 0 && g->pending_ring.count == 0 && !g->judge));
  prove_check("a header is judged", !g->judge || (g->has_header && !g->refused));
  prove_check("each beat's pixels are being read or were",
              g->local_ring.count + g->receive_outstanding == g->pending_ring.count);
  prove_check("the queues of the receiver",
              g->local_ring.count <= 2 && g->pending_ring.count <= P_ReceiveDepth && outgoing <= 4);
  prove_check(
      "settings",
      !g->receiving || (Rtl.front == m->front && Rtl.transparent == m->transparent &&
                        Rtl.operator== m->op && Rtl.depth_func == m->depth_func &&
                        Rtl.color_mask == m->color_mask && Rtl.depth_write == m->depth_write &&
                        Rtl.tag_enable == m->tag_enable && Rtl.test_base == m->test_base));
  if (g->has_header) {
    check_header(g);
  }
  prove_check("the last piece", !g->has_piece || Rtl.last_piece == g->last_piece);
  for (uint32_t k = 0; k < 2 && k < g->local_ring.count; k++) {
    const uint32_t i = at(&g->local_ring, k, 2), word = Rtl.local_word[i];
    bool same = low(word, 0, P) == g->local_reads[i].pieces.mask &&
                low(word, P + K * PieceW, TileW) == g->local_reads[i].tile;
    for (uint32_t p = 0; p < K; p++) {
      same &= low(word, P + p * PieceW, PieceW) == g->local_reads[i].pieces.piece[p];
    }
    prove_check("a local read", same);
  }
  for (uint32_t k = 0; k < P_ReceiveDepth && k < g->pending_ring.count; k++) {
    const uint32_t i = at(&g->pending_ring, k, P_ReceiveDepth);
    check_merge("a pending beat", Rtl.pending_word[i], &g->pending[i]);
  }
  if (g->a_valid) {
    check_stage_a(g);
  }
  if (g->b_valid) {
    check_stage_b(g);
  }
  for (uint32_t k = 0; k < 4 && k < g->write_ring.count; k++) {
    const uint32_t i = at(&g->write_ring, k, 4);
    check_merge("a write", Rtl.writes_word[i], &g->writes[i]);
    prove_check("a write of nothing is none", g->writes[i].pieces.mask != 0);
  }
}

static void check_peek(const golden_t *g) {
  const uint64_t bitmap = Rtl.peek_touched ? bitmap_in(Rtl.peek_bitmap) : 0;
  const uint64_t answer =
      Rtl.peek_select == PixelDistributorPeekOwner    ? Rtl.peek_owner
      : Rtl.peek_select == PixelDistributorPeekBlocks ? bitmap
      : Rtl.peek_select == PixelDistributorPeekStamps
          ? ((P_CellMode == 0 ? bitmap : bitmap >> Rtl.peek_block & 1) ? stamps_in(Rtl.peek_stamps)
                                                                       : 0)
          : Rtl.peek_counter;
  prove_check("peek", g->peek == (Rtl.peek_fresh ? answer : Rtl.peek_held));
}

#endif
