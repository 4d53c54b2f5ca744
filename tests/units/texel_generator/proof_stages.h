// SPDX-License-Identifier: Apache-2.0
// The invariant of the groups in the address stages of the texel generator (proof.c).
#ifndef NOCTURNE_PROVE_TEXEL_GENERATOR_STAGES_H
#define NOCTURNE_PROVE_TEXEL_GENERATOR_STAGES_H

#define STAGES(text)                                                                        \
  {                                                                                         \
    text " 0", text " 1", text " 2", text " 3", text " 4", text " 5", text " 6", text " 7", \
        text " 8"                                                                           \
  }

static void check_group(const group_t *group, const pipe_t *pipe, uint32_t s) {
  static const char Texels[][32] = STAGES("texels of stage");
  static const char Carried[][32] = STAGES("what goes along in stage");
  static const char Exists[][32] = STAGES("children of stage");
  static const char Holds[][32] = STAGES("whether a group is in stage");
  const uint64_t carry = Rtl.carry[s];
  const bool y = group->along_y;
  bool same = true, carried = true, exists = pipe->lane_in != 0 && pipe->in_across != 0;
  for (uint32_t l = 0; l < Lanes; l++) {
    const uint32_t m = pipe->lane_m[l];
    const uint16_t along = pipe->place[l].texel;
    carried &= field(carry, 8 + 2 * l, 2) == m;
    for (uint32_t n = 0; n < 4; n++) {
      const uint32_t j = 4 * l + n;
      const uint16_t across = pipe->place[Lanes + j].texel;
      const bool is = bit(group->rest, j);
      exists &= is == (bit(pipe->lane_in, l) && bit(pipe->in_across, n));
      same &= !is || (group->x[j] == (y ? across : along) && group->y[j] == (y ? along : across));
      carried &= !is || group->parent[j] == (y ? 4 * m + n : 4 * n + m);
    }
  }
  carried &= field(carry, 0, 4) == pipe->in_across && field(carry, 4, 4) == pipe->lane_in &&
             field(carry, 16, 28) == (group->base & LineMask) &&
             field(carry, 44, 12) == group->pitch && field(carry, 56, 1) == y &&
             field(carry, 57, 1) == group->last && field(carry, 58, 6) == group->slot;
  prove_check(Holds[s], group->valid == pipe->valid);
  prove_check(Exists[s], !group->valid || exists);
  prove_check(Carried[s], !group->valid || carried);
  prove_check(Texels[s], !group->valid || same);
}

// Whether any child has the coordinate; others may be anything.
static bool exists(const pipe_t *pipe, uint32_t c) {
  return c < Lanes ? bit(pipe->lane_in, c)
                   : bit(pipe->lane_in, (c - Lanes) / 4) && bit(pipe->in_across, (c - Lanes) % 4);
}

static bool is_near(const place_t *p, uint32_t s, uint16_t side) {
  const bool is_below = s < FirstWrap && bit(p->word, CoordinateBits - 1);
  const uint32_t distance = is_below ? ~p->word & 0x3fffu : p->word;
  return distance < (is_below ? MostBeyond : (side & SideMask) + MostBeyond);
}

static void check_near(const pipe_t *pipe, uint32_t s) {
  static const char Along[][40] = STAGES("near the level along, stage");
  static const char Across[][40] = STAGES("near the level across, stage");
  bool along = true, across = true;
  for (uint32_t c = 0; c < Coordinates && s < LastStage; c++) {
    *(c < Lanes ? &along : &across) &=
        !exists(pipe, c) || is_near(&pipe->place[c], s, pipe->side[c >= Lanes]);
  }
  prove_check(Along[s], !pipe->valid || along);
  prove_check(Across[s], !pipe->valid || across);
}

// The RTL's registers of a coordinate in a stage.
static bool is_place(const place_t *p, uint32_t c, uint32_t s) {
  if (s == 1) {
    return c < Lanes ? Rtl.column1[c] >> 2 == p->word >> 2 && (p->word & 3) == c
                     : Rtl.row1[c - Lanes] == p->word;
  }
  if (s == LastStage) {
    return Rtl.texel[c] == p->word;
  }
  const uint32_t i = s - FirstWrap, unused = i == 5;
  return prove_bits(Rtl.rest[c], SideBits * i, SideBits - unused) ==
             (p->word & (unused ? 0x1fff : 0x3fff)) &&
         bit(Rtl.below[c], i) == p->below && (i == 0 || bit(Rtl.beyond[c], i - 1) == p->beyond) &&
         (!unused || Rtl.odd[c] == p->odd);
}

// The RTL's registers of a stage.
static void check_pipe(const pipe_t *pipe, uint32_t s) {
  static const char Sides[][32] = STAGES("sides of stage");
  static const char Places[][32] = STAGES("coordinates of stage");
  bool same = true;
  if (s < 8) {
    const uint16_t used = s == 7 ? 0x1fff : 0x3fff;
    const bool sides =
        Rtl.side_along[s] == (pipe->side[0] & used) && Rtl.side_across[s] == (pipe->side[1] & used);
    const bool wraps = Rtl.wrap[s] == (pipe->wrap[0] << 2 | pipe->wrap[1]);
    prove_check(Sides[s], !pipe->valid || (sides && wraps));
  }
  for (uint32_t c = 0; c < Coordinates; c++) {
    same &= s == 0 || !exists(pipe, c) || is_place(&pipe->place[c], c, s);
  }
  prove_check(Places[s], !pipe->valid || same);
}

// A texel is among the first of its level, or no further than `apart` above where its group begins.
static bool is_close(uint16_t texel, uint16_t window, uint16_t apart) {
  return texel < FirstTexels || (texel >= window && texel - window <= apart);
}

// Texels of a group lie close together, which is why the RTL compares their low bits only.
static void check_close(const pipe_t *pipe, uint32_t s) {
  static const char Left[][32] = STAGES("what is left to do in stage");
  static const char Close[][32] = STAGES("close together in stage");
  bool left = true, close = true;
  for (uint32_t c = 0; c < Coordinates; c++) {
    const place_t *p = &pipe->place[c];
    const bool is_across = c >= Lanes, is = exists(pipe, c);
    left &= !is || finish(*p, s, pipe->side[is_across], pipe->wrap[is_across]) == p->texel;
    close &=
        !is || is_close(p->texel, pipe->window[is_across], is_across ? ApartAcross : ApartAlong);
  }
  prove_check(Left[s], !pipe->valid || left);
  prove_check(Close[s], !pipe->valid || close);
}

// Texels of the coordinates of stage 0: those of a small level are all among the first.
static void check_turned(const pipe_t *pipe) {
  for (uint32_t c = 0; c < Coordinates; c++) {
    const bool is_across = c >= Lanes, is = pipe->valid && exists(pipe, c);
    const bool is_small = pipe->side[is_across] <= FirstTexels;
    const place_t *p = &pipe->place[c];
    const int32_t from = p->word - (bit(p->word, CoordinateBits - 1) ? 1 << CoordinateBits : 0);
    const int32_t turned = turned_once(from, pipe->side[is_across], pipe->wrap[is_across]);
    const int16_t *span = is_across ? Shadow.across : Shadow.along;
    const int32_t apart = is_across ? ApartAcross : ApartAlong;
    prove_check("coordinates close together",
                !is || (from >= span[0] && from <= span[1] && span[1] - span[0] <= apart));
    prove_check("a texel of a small level", !is || !is_small || p->texel < FirstTexels);
    prove_check("a texel of a large level", !is || is_small || p->texel == turned);
    prove_check("texels close together",
                !is || is_close(p->texel, pipe->window[is_across], (uint16_t)apart));
  }
}

// The inputs from which stage 0 of the RTL makes coordinates.
static void check_first_stage(bool valid) {
  const pipe_t *pipe = &Shadow.stage[0];
  bool same = Rtl.column0 >> 2 == Shadow.column >> 2 && Rtl.row0 == Shadow.row &&
              Rtl.shift0 == Shadow.shift;
  bool columns = true, rows = true;
  for (uint32_t l = 0; l < Lanes; l++) {
    const uint32_t offset = Shadow.offset[l];
    same &= Rtl.offset0[l] == offset;
    columns &= pipe->place[l].word == ((Shadow.column & ~3u) | l);
    for (uint32_t n = 0; n < 4; n++) {
      const uint32_t row =
          Shadow.row + (n << Shadow.shift) + (offset | (bit(offset, 5) ? 0x7fc0 : 0));
      rows &= pipe->place[Lanes + 4 * l + n].word == (row & 0x7fff);
    }
  }
  prove_check("stage 0", !valid || same);
  prove_check("columns of stage 0", !valid || columns);
  prove_check("rows of stage 0", !valid || rows);
  prove_check("shift of stage 0", !valid || Shadow.shift <= 4);
}

static void check_groups(const golden_t *g) {
  prove_check("the ring of stages begins at one", g->first < AddressStages);
  check_first_stage(Shadow.stage[0].valid);
  check_turned(&Shadow.stage[0]);
  for (uint32_t s = 0; s < AddressStages; s++) {
    const group_t *group = stage(g, s);
    check_near(&Shadow.stage[s], s);
    check_pipe(&Shadow.stage[s], s);
    check_group(group, &Shadow.stage[s], s);
    check_close(&Shadow.stage[s], s);
  }
}

// ---- Invariant: E and the line stages ----

#endif
