// SPDX-License-Identifier: Apache-2.0
// A shadow that follows the RTL of the texel generator where the golden model is ahead of it
// (texel_generator.c).
#ifndef NOCTURNE_PROVE_TEXEL_GENERATOR_SHADOW_H
#define NOCTURNE_PROVE_TEXEL_GENERATOR_SHADOW_H

enum {
  MostBeyond = 31,  // no coordinate of a child is further from its level
  // Most texels between two of a group: along, four columns; across, three parents of 16 rows, and
  // 3 by the slope. Where a seam parts them, one of the two is among the first of its level.
  ApartAlong = 3,
  ApartAcross = 51,
  FirstTexels = 64,
};

// word: as texel_wrap has it in one of its registers, the coordinate before these, or the texel;
// texel: what it is in the end.
typedef struct {
  uint16_t word, texel;
  bool below, beyond, odd;
} place_t;

// The package in L, P, R or C: the last parents and where the first are; bad: all but that no
// parent lies in the range; early: all but that the level is too short, too.
typedef struct {
  uint16_t shrunk_along, shrunk_across, ceiling, high_along, high_across;
  bool whole, from_zero, low_clamp, low_mirror, early, bad;
} range_t;

typedef struct {
  place_t place[Coordinates];
  uint16_t side[2];    // along, across
  uint16_t window[2];  // where the group's texels begin
  uint8_t wrap[2];
  uint8_t lane_m[Lanes], lane_in, in_across;
  bool valid;
} pipe_t;

// row, offset and shift: how stage 0 of the RTL has the coordinates across.
struct {
  range_t load, prepare, ready, work;
  pipe_t stage[AddressStages];
  uint16_t column, row;
  uint8_t offset[Lanes], shift;
  int16_t along[2], across[2];                // from the lowest to the highest coordinate
  uint16_t taken;                             // line stage 0
  uint8_t texel[Children], parent[Children];  // of each child
} Shadow;

// Takes 16, 8, 4, 2 or 1 sides off. More than one only of a word below 64, of a side below 32: by
// MostBeyond, no other fits twice.
static place_t take_off(place_t p, uint32_t shift, uint16_t side) {
  const uint32_t low = p.word & 0x3f, part = (uint32_t)side << shift;
  p.odd = shift ? side >> (6 - shift) == 0 && low >> shift >= side : p.word >= side;
  if (p.odd) {
    p.word = (uint16_t)(shift ? (p.word & 0x3fc0) | ((low - part) & 0x3f) : (low - part) & 0x1f);
  }
  p.beyond |= p.odd;
  return p;
}

// From stage - 1 to stage.
static place_t go_on(place_t p, uint32_t stage, uint16_t side, uint8_t wrap) {
  if (stage == FirstWrap) {
    p.below = bit(p.word, CoordinateBits - 1);
    p.beyond = false;
    p.word = (p.below ? (uint16_t)~p.word : p.word) & 0x3fff;
  } else if (stage > FirstWrap && stage < LastStage) {
    p = take_off(p, LastStage - 1 - stage, side);
  } else if (stage == LastStage) {
    const uint16_t last = (uint16_t)(side - 1), turned = (uint16_t)(last - (p.word & 0x1f));
    const bool turns = wrap == TexelGeneratorWrapMirror ? p.odd : p.below;
    p.word = (wrap == TexelGeneratorWrapClamp ? p.below    ? 0
                                                : p.beyond ? last
                                                           : p.word
              : turns                         ? turned
                                              : p.word) &
             0x1fff;
  }
  return p;
}

static uint16_t finish(place_t p, uint32_t stage, uint16_t side, uint8_t wrap) {
  for (uint32_t s = stage + 1; s <= LastStage; s++) {
    p = go_on(p, s, side, wrap);
  }
  return p.word;
}

int32_t prove_instead_wrapped(int32_t c, int32_t size, uint8_t wrap) {
  prove_check(
      "a coordinate lies less than 31 texels outside its level",
      c >= -MostBeyond && size >= 1 && size <= MaxSide && wrap <= 2 && c < size + MostBeyond);
  const place_t p = {.word = (uint16_t)c & 0x7fff};
  return finish(p, 1, (uint16_t)size & SideMask, wrap);
}

static int32_t side_of(const work_t *w, bool is_y) { return is_y ? w->side[1] : w->side[0]; }

static uint8_t wrap_of(const work_t *w, bool is_y) {
  return is_y ? w->descriptor.fields.wrap_y : w->descriptor.fields.wrap_x;
}

// Values that follow from the sides, shrunk.
static void find_last(const work_t *w, range_t *r) {
  const texel_generator_package_t *p = &w->package;
  const uint32_t across = (uint32_t)side_of(w, !p->along_y);
  const uint8_t wrap_b = wrap_of(w, !p->along_y);
  const bool isotropic = p->reading == TexelGeneratorReadingIsotropic;
  const uint32_t more = wrap_b == TexelGeneratorWrapRepeat  ? 0x7fff
                        : wrap_b == TexelGeneratorWrapClamp ? 7
                                                            : 16;
  r->from_zero = isotropic || r->whole;
  r->high_along = r->from_zero ? (uint16_t)(r->shrunk_along - (r->shrunk_along != 0)) : r->ceiling;
  r->high_across = isotropic ? (uint16_t)(r->shrunk_across - (r->shrunk_across != 0))
                             : (uint16_t)((across + more) & 0x7fff);
  r->bad = r->early || (!isotropic && r->shrunk_along == 0);
}

static range_t range_of(const work_t *w) {
  const texel_generator_package_t *p = &w->package;
  const uint32_t k = p->extent, less = (k == 4) << 3 | (k >= 3) << 2 | (k >= 2) << 1 | 1;
  const uint32_t along = (uint32_t)side_of(w, p->along_y);
  const uint32_t width = w->descriptor.fields.width >> p->level;
  const uint32_t height = w->descriptor.fields.height >> p->level;
  const uint8_t wrap_b = wrap_of(w, !p->along_y);
  const bool isotropic = p->reading == TexelGeneratorReadingIsotropic;
  range_t r = {
      .shrunk_along = (uint16_t)(along >> k),
      .shrunk_across = (uint16_t)((uint32_t)side_of(w, !p->along_y) >> k),
      .ceiling = (uint16_t)(((along + less) & 0x7fff) >> k),
      .whole = wrap_of(w, p->along_y) == TexelGeneratorWrapRepeat && (along & 15 & less) == 0,
      .low_clamp = !isotropic && wrap_b == TexelGeneratorWrapClamp,
      .low_mirror = !isotropic && wrap_b > TexelGeneratorWrapClamp,
      .early = !w->descriptor.valid || (width == 0 && height == 0) || k == 0 || k > 4 ||
               (p->slope >= 3 && p->slope <= 5),
  };
  find_last(w, &r);
  return r;
}

static uint32_t tile_of(const work_t *w, bool is_y) {
  return is_y ? w->package.tile_y : w->package.tile_x;
}

// Places of a tile up to the last parent, whose tile is last + low places.
static uint32_t upper(uint32_t tile, uint16_t high, uint32_t from) {
  const uint32_t last = (high >> 2) + from;
  return tile < last ? 15 : tile == last ? (2u << (high & 3)) - 1 : 0;
}

static uint32_t inside_along(const range_t *r, uint32_t tile) {
  return upper(tile, r->high_along, 1) & (tile != 0 ? 15 : r->from_zero ? 0 : 8);
}

static uint32_t inside_across(const range_t *r, uint32_t tile) {
  const uint32_t low = r->low_mirror  ? (tile != 0 ? 15 : 8)
                       : r->low_clamp ? (tile >= 3 ? 15 : 0)
                                      : (tile >= 5 ? 15 : 0);
  return upper(tile, r->high_across, 5) & low;
}

static uint32_t mask_of(const bool inside[4]) {
  return (uint32_t)(inside[0] | inside[1] << 1 | inside[2] << 2 | inside[3] << 3);
}

static uint32_t first_group(uint32_t in, uint32_t k) {
  const uint32_t m = in & 1 ? 0 : in & 2 ? 1 : in & 4 ? 2 : 3;
  return k == 1 ? m >> 1 : k == 2 ? m : k == 3 ? m << 1 : m << 2;
}

static uint32_t last_group(uint32_t in, uint32_t k) {
  const uint32_t m = in & 8 ? 3 : in & 4 ? 2 : in & 2 ? 1 : 0;
  return k == 1 ? m >> 1 : k == 2 ? m : k == 3 ? m << 1 | 1 : m << 2 | 3;
}

// The texel of a coordinate less than a side outside its level.
static int32_t turned_once(int32_t c, int32_t size, uint8_t wrap) {
  if (c >= 0 && c < size) {
    return c;
  }
  return wrap == TexelGeneratorWrapRepeat  ? (c < 0 ? c + size : c - size)
         : wrap == TexelGeneratorWrapClamp ? (c < 0 ? 0 : size - 1)
                                           : (c < 0 ? -1 - c : 2 * size - 1 - c);
}

// The lowest texel of a span of such coordinates, but for those past a seam.
static uint16_t begins_at(const int16_t span[2], int32_t size, uint8_t wrap) {
  const int32_t first = turned_once(span[0], size, wrap), last = turned_once(span[1], size, wrap);
  return (uint16_t)(wrap == TexelGeneratorWrapMirror && last < first ? last : first);
}

// From the lowest to the highest bit that is set.
static void find_ends(uint32_t set, int32_t ends[2]) {
  ends[0] = set & 1 ? 0 : set & 2 ? 1 : set & 4 ? 2 : 3;
  ends[1] = set & 8 ? 3 : set & 4 ? 2 : set & 2 ? 1 : 0;
}

// Where the coordinates of the group of stage 0 begin and end: by its columns and rows of parents
// that have children, and by how far the slope moves any of these columns.
static void find_span(int32_t column, int32_t row, const int32_t moved[Lanes]) {
  pipe_t *to = &Shadow.stage[0];
  int32_t lane[2], n[2], most[2] = {0, 0};
  bool has_any = false;
  find_ends(to->lane_in, lane);
  find_ends(to->in_across, n);
  for (uint32_t l = 0; l < Lanes; l++) {
    if (bit(to->lane_in, l)) {
      most[0] = has_any && most[0] < moved[l] ? most[0] : moved[l];
      most[1] = has_any && most[1] > moved[l] ? most[1] : moved[l];
      has_any = true;
    }
  }
  for (uint32_t i = 0; i < 2; i++) {
    Shadow.along[i] = (int16_t)(column + lane[i]);
    Shadow.across[i] = (int16_t)(row + (n[i] << Shadow.shift) + most[i]);
  }
  to->window[0] = begins_at(Shadow.along, to->side[0], to->wrap[0]);
  to->window[1] = begins_at(Shadow.across, to->side[1], to->wrap[1]);
}

// The group that C issues, as it enters stage 0: coordinates by the contract's formulas.
static void issue(const work_t *w) {
  const texel_generator_package_t *p = &w->package;
  const int32_t k = p->extent, n_children = 1 << k;
  const int32_t tile_a = p->along_y ? p->tile_y : p->tile_x;
  const int32_t tile_b = p->along_y ? p->tile_x : p->tile_y;
  const bool isotropic = p->reading == TexelGeneratorReadingIsotropic;
  pipe_t *to = &Shadow.stage[0];
  int32_t moved[Lanes];
  *to = (pipe_t){.in_across = (uint8_t)mask_of(w->inside_b)};
  to->side[0] = (uint16_t)side_of(w, p->along_y) & SideMask;
  to->side[1] = (uint16_t)side_of(w, !p->along_y) & SideMask;
  to->wrap[0] = p->along_y ? w->descriptor.fields.wrap_y : w->descriptor.fields.wrap_x;
  to->wrap[1] = p->along_y ? w->descriptor.fields.wrap_x : w->descriptor.fields.wrap_y;
  for (uint32_t lane = 0; lane < Lanes; lane++) {
    int32_t u = (int32_t)(4 * w->group + lane), i = u % n_children, m = u / n_children;
    int32_t v = slope_of(p) * (2 * i - n_children + 1);
    const int32_t offset = isotropic ? (2 * (n_children - 1) + v + 2) >> 2 : (v + 2) >> 2;
    to->lane_m[lane] = m & 3;
    to->lane_in |= (uint8_t)(w->inside_a[m & 3] << lane);
    moved[lane] = offset;
    to->place[lane].word = ((4 * tile_a - TileAlong) * n_children + u) & 0x7fff;
    Shadow.offset[lane] = offset & 0x3f;
    for (int32_t n = 0; n < 4; n++) {
      int32_t b = 4 * tile_b - TileAcross + n;
      int32_t row =
          isotropic ? b * n_children + ((2 * (n_children - 1) + v + 2) >> 2) : b + ((v + 2) >> 2);
      to->place[Lanes + 4 * lane + (uint32_t)n].word = row & 0x7fff;
    }
  }
  for (uint32_t c = 0; c < Coordinates; c++) {
    to->place[c].texel = finish(to->place[c], 0, to->side[c >= Lanes], to->wrap[c >= Lanes]);
  }
  const uint32_t column = (uint32_t)((4 * tile_a - TileAlong) << k) + 4 * w->group;
  const uint32_t row = (uint32_t)(4 * tile_b - TileAcross);
  Shadow.column = column & 0x7fff;
  Shadow.shift = (uint8_t)(isotropic ? k : 0);
  Shadow.row = (isotropic ? row << k : row) & 0x7fff;
  find_span((int32_t)column, (int32_t)(isotropic ? row << k : row), moved);
}

static void follow_groups(const golden_t *g) {
  for (uint32_t s = LastStage; s > 0; s--) {
    pipe_t *to = &Shadow.stage[s];
    const pipe_t *from = &Shadow.stage[s - 1];
    *to = *from;
    for (uint32_t c = 0; c < Coordinates; c++) {
      to->place[c] = go_on(from->place[c], s, from->side[c >= Lanes], from->wrap[c >= Lanes]);
    }
  }
  issue(&g->work);
  Shadow.stage[0].valid = g->work_valid;
}

static void follow_packages(const plan_t *p) {
  if (p->ready == ReadyStarted) {
    Shadow.work = Shadow.ready;
  }
  if (p->readies) {
    Shadow.ready = Shadow.prepare;
  }
  if (p->prepares) {
    Shadow.prepare = Shadow.load;
  }
}

// The children that leave E, each with its texel and parent.
static void follow_beat(const golden_t *g, const plan_t *p) {
  const group_t *e = &g->emit;
  Shadow.taken = p->taken;
  for (uint32_t j = 0; j < Children; j++) {
    Shadow.texel[j] = (uint8_t)((e->y[j] & 3u) << 2 | (e->x[j] & 3u));
    Shadow.parent[j] = e->parent[j];
  }
}

#endif
