// SPDX-License-Identifier: Apache-2.0
// The golden model's configuration: which GPU owns a tile, and which tiles were touched.
#include "golden_internal.h"

#include <string.h>

// ---- Configuration and fill ----

bool distributor_config_ready(const golden_t *g) {
  return !g->filling && !g->sending && !g->receiving && !g->touch;
}

void distributor_clear_map(golden_t *g) {
  memset(g->touched, 0, g->tiles);
  memset(g->listed, 0, sizeof g->listed);
  memset(g->owner_cells, 0, sizeof g->owner_cells);
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
bool distributor_fill_write(const golden_t *g, uint32_t *tile, uint8_t *owner) {
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

void distributor_fill_step(golden_t *g) {
  uint32_t tile;
  uint8_t owner;
  if (distributor_fill_write(g, &tile, &owner)) {
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

void distributor_configure(golden_t *g, const pixel_distributor_in_t *in, uint8_t *error) {
  uint32_t tile = 1u << g->p.tile_log2;
  if (in->config_width == 0 || in->config_height == 0 || in->config_width > g->p.max_width ||
      in->config_height > g->p.max_height ||
      (in->config_map == PixelDistributorMapWorkTiles &&
       (in->config_work_tile < 1 || in->config_work_tile > 10))) {
    distributor_raise(error, PixelDistributorErrorConfig);
    return;
  }
  g->configured = g->filling = true;
  g->width = in->config_width;
  g->height = in->config_height;
  g->map = in->config_map;
  g->work = in->config_work_tile;
  g->tiles_x = (g->width + tile - 1) / tile;
  g->tiles_y = (g->height + tile - 1) / tile;
  distributor_clear_map(g);
  memset(g->owned, 0, sizeof g->owned);
  g->fx = g->fy = 0;
  g->fill = g->map == PixelDistributorMapHalving ? FillVisit : FillRows;
  g->stack[0] = (rect_t){0, 0, g->tiles_x, g->tiles_y, 0, g->p.gpus};
  g->stack_count = 1;
}

// ---- Touched map ----

uint64_t distributor_bitmap_of(const golden_t *g, uint32_t tile) {
  return g->touched[tile] ? g->bitmap[tile] : 0;
}

uint16_t distributor_stamps_of(const golden_t *g, uint32_t tile, uint32_t block) {
  if (!(distributor_bitmap_of(g, tile) >> block & 1)) {
    return 0;
  }
  return g->p.cell == PixelDistributorCellStamp ? g->stamps[tile * g->blocks + block] : 0xffff;
}

void distributor_touch_write(const golden_t *g, uint64_t *bitmap, uint16_t *stamps) {
  *bitmap = g->p.cell == PixelDistributorCellTile
                ? g->all_blocks
                : distributor_bitmap_of(g, g->touch_tile) | 1ull << g->touch_block;
  *stamps = 0xffff;
  if (g->p.cell == PixelDistributorCellStamp) {
    *stamps = distributor_stamps_of(g, g->touch_tile, g->touch_block) | g->touch_stamps;
  }
}

// Cells that this touch sets and that were not set.
static uint32_t fresh_cells(const golden_t *g, uint64_t bitmap, uint16_t stamps) {
  uint64_t before = distributor_bitmap_of(g, g->touch_tile);
  switch (g->p.cell) {
    case PixelDistributorCellTile: return !g->touched[g->touch_tile];
    case PixelDistributorCellBlock: return (uint32_t)__builtin_popcountll(bitmap & ~before);
    default:
      return (uint32_t)__builtin_popcount(
          stamps & ~(unsigned)distributor_stamps_of(g, g->touch_tile, g->touch_block));
  }
}

void distributor_touch_apply(golden_t *g) {
  uint64_t bitmap;
  uint16_t stamps;
  uint32_t tile = g->touch_tile;
  distributor_touch_write(g, &bitmap, &stamps);
  g->owner_cells[g->owner[tile]] += fresh_cells(g, bitmap, stamps);
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
