// SPDX-License-Identifier: Apache-2.0
// Registers of the texel generator that its wrapper names (texel_generator.c).
#ifndef NOCTURNE_PROVE_TEXEL_GENERATOR_REGISTERS_H
#define NOCTURNE_PROVE_TEXEL_GENERATOR_REGISTERS_H

enum {
  D = P_Descriptors,
  S = P_Slots,
  DescriptorBits = 54,
  PackageBits = 99,
  RequestBits = 45,
  CoordinateBits = 15,
  SideBits = 14,
  SideMask = (1 << SideBits) - 1,
  TexelBits = 13,
  Lanes = 4,
  Coordinates = Lanes + Children,  // of a group: of its columns, of its children across
  FirstWrap = 2,                   // the stage of texel_wrap's register 0
  WrapRegisters = 6,               // that hold a rest
  LastStage = AddressStages - 1,
};

// Registers that reset sets.
struct related {
  uint64_t counters[TexelGeneratorCounters], seen;
  uint32_t cause;
  uint16_t stages, rest;
  uint64_t free;
  uint8_t packages, requests, error, lines, emit_cause, line_cause[LineStages];
  bool load, prepare, ready, work, known[D];
} Related;

struct rtl {
  uint64_t peek_counter, descriptor[D], loaded, peeked, carry[AddressStages], request[2];
  uint64_t spot_parent, parent;
  uint32_t p_base, r_base, c_base, l_offset, e_base, base0, base1, rows, line, low_across;
  uint8_t package[2][(PackageBits + 7) / 8];
  uint8_t rest[Coordinates][(WrapRegisters * SideBits + 7) / 8];
  uint16_t l_id, p_id, r_id, l_tile_x, l_tile_y, p_tile_along, p_tile_across;
  uint16_t r_tile_along, r_tile_across, p_along, p_across, r_along, r_across, r_pitch;
  uint16_t r_high_along, r_high_across, c_along, c_across, c_pitch, c_first_along, c_first_across;
  uint16_t side_along[8], side_across[8], column0, row0, column1[Lanes], row1[Children];
  uint16_t texel[Coordinates], e_along[Lanes], e_across[Children], e_pitch;
  uint16_t line_of[Children], block_of[Children];
  uint16_t f_along, f_across, f_x, f_pitch, taken, spot, texels;
  uint8_t l_epoch, p_epoch, r_epoch, l_level, l_extent, p_extent, r_extent, c_extent;
  uint8_t l_slope, p_slope, r_slope, c_slope, p_wrap_along, p_wrap_across, r_wrap_along;
  uint8_t r_wrap_across, c_wrap_along, c_wrap_across, c_slot, c_group, c_final, c_in_along;
  uint8_t c_in_across, wrap[8], offset0[Lanes], shift0, pushed_slot;
  uint8_t below[Coordinates], beyond[Coordinates];
  uint8_t e_slot, e_parent, slot0, slot1, slot2, low_along, m;
  uint8_t package_head, package_tail, request_head, request_tail;
  bool l_known, l_reading, l_along_y, p_bad, p_reading, p_along_y, r_bad, r_reading, r_along_y;
  bool r_from_zero, r_low_clamp, r_low_mirror, c_reading, c_along_y, pushed_good, odd[Coordinates];
  bool e_last, e_along_y, along_y0, along_y1, along_y2, last0, last1, last2, peeks_descriptor;
  bool line_of_1, block_of_1;
} Rtl;

#define MEMBER(member, name, bits, elements) \
  PROVE_MEMBER(ProveRelated, struct related, member, name, bits, elements)
#define RTL(member, name, bits, elements) \
  PROVE_MEMBER(ProveRtl, struct rtl, member, name, bits, elements)
#define ONE(member, bits) RTL(member, #member "_q", bits, 1)
// Some coordinates from `first` on, in instances that "[%u]" numbers.
#define SOME(member, first, elements, name, bits)                                  \
  {                                                                                \
    name, ProveRtl, offsetof(struct rtl, member) + (first) * sizeof Rtl.member[0], \
        sizeof Rtl.member[0], bits, elements                                       \
  }
#define WRAP(first, elements, name)                                       \
  SOME(rest, first, elements, name ".rest_q", WrapRegisters *SideBits),   \
      SOME(below, first, elements, name ".below_q", WrapRegisters),       \
      SOME(beyond, first, elements, name ".beyond_q", WrapRegisters - 1), \
      SOME(odd, first, elements, name ".odd_q", 1),                       \
      SOME(texel, first, elements, name ".texel_o", TexelBits)
#define COLUMN(lane) \
  WRAP(Lanes + 4 * lane, 4, "u_groups.gen_column[" #lane "].gen_row[%u].u_across")
const prove_register_t Registers[] = {
    MEMBER(lines, "u_sender.f_valid_q", LineStages, 1),
    MEMBER(rest, "u_sender.rest_q", Children, 1),
    MEMBER(stages, "u_groups.valid_q", AddressStages, 1),
    MEMBER(known, "known_q", 1, D),
    MEMBER(packages, "u_packages.count_q", 2, 1),
    MEMBER(requests, "u_requests.count_q", 2, 1),
    MEMBER(free, "free_q", S, 1),
    MEMBER(error, "error_q", 2, 1),
    MEMBER(emit_cause, "u_sender.e_cause_q", 2, 1),
    MEMBER(line_cause[0], "u_sender.f_cause0_q", 2, 1),
    MEMBER(line_cause[1], "u_sender.f_cause1_q", 2, 1),
    MEMBER(line_cause[2], "u_sender.f_cause2_q", 2, 1),
    MEMBER(load, "l_valid_q", 1, 1),
    MEMBER(prepare, "p_valid_q", 1, 1),
    MEMBER(ready, "r_valid_q", 1, 1),
    MEMBER(work, "u_groups.c_valid_q", 1, 1),
    MEMBER(cause, "u_groups.gen_cause.cause_q", 2 * AddressStages, 1),
    MEMBER(seen, "gen_observe.seen_q", P_CountWidth, 1),
    MEMBER(counters, "gen_observe.u_counters.counter_q", P_CountWidth, TexelGeneratorCounters),
    RTL(peek_counter, "gen_observe.peek_counter_q", P_CountWidth, 1),
    RTL(peeks_descriptor, "gen_observe.peek_descriptor_q", 1, 1),
    RTL(descriptor, "u_descriptors.words_q", DescriptorBits, D),
    RTL(loaded, "u_descriptors.a_data_q", DescriptorBits, 1),
    RTL(peeked, "u_descriptors.gen_b.b_data_q", DescriptorBits, 1),
    RTL(package, "u_packages.gen_ring.words_q", PackageBits, 2),
    RTL(package_head, "u_packages.gen_ring.head_q", 1, 1),
    RTL(package_tail, "u_packages.gen_ring.tail_q", 1, 1),
    RTL(request, "u_requests.gen_ring.words_q", RequestBits, 2),
    RTL(request_head, "u_requests.gen_ring.head_q", 1, 1),
    RTL(request_tail, "u_requests.gen_ring.tail_q", 1, 1),
    ONE(l_known, 1),
    ONE(l_id, 11),
    ONE(l_epoch, 8),
    ONE(l_level, 4),
    ONE(l_offset, 28),
    ONE(l_reading, 1),
    ONE(l_extent, 3),
    ONE(l_along_y, 1),
    ONE(l_slope, 3),
    ONE(l_tile_x, 12),
    ONE(l_tile_y, 12),
    ONE(p_bad, 1),
    ONE(p_id, 11),
    ONE(p_epoch, 8),
    ONE(p_reading, 1),
    ONE(p_extent, 3),
    ONE(p_along_y, 1),
    ONE(p_slope, 3),
    ONE(p_tile_along, 12),
    ONE(p_tile_across, 12),
    ONE(p_along, SideBits),
    ONE(p_across, SideBits),
    ONE(p_wrap_along, 2),
    ONE(p_wrap_across, 2),
    ONE(p_base, 28),
    ONE(r_bad, 1),
    ONE(r_id, 11),
    ONE(r_epoch, 8),
    ONE(r_reading, 1),
    ONE(r_extent, 3),
    ONE(r_along_y, 1),
    ONE(r_slope, 3),
    ONE(r_tile_along, 12),
    ONE(r_tile_across, 12),
    ONE(r_along, SideBits),
    ONE(r_across, SideBits),
    ONE(r_wrap_along, 2),
    ONE(r_wrap_across, 2),
    ONE(r_base, 28),
    ONE(r_pitch, 12),
    ONE(r_high_along, 15),
    ONE(r_high_across, 15),
    ONE(r_from_zero, 1),
    ONE(r_low_clamp, 1),
    ONE(r_low_mirror, 1),
    ONE(pushed_good, 1),
    ONE(pushed_slot, 6),
    RTL(c_reading, "u_groups.c_reading_q", 1, 1),
    RTL(c_along_y, "u_groups.c_along_y_q", 1, 1),
    RTL(c_slot, "u_groups.c_slot_q", 6, 1),
    RTL(c_group, "u_groups.c_group_q", 4, 1),
    RTL(c_final, "u_groups.c_final_q", 4, 1),
    RTL(c_in_along, "u_groups.c_in_along_q", 4, 1),
    RTL(c_in_across, "u_groups.c_in_across_q", 4, 1),
    RTL(c_extent, "u_groups.c_extent_q", 3, 1),
    RTL(c_slope, "u_groups.c_slope_q", 3, 1),
    RTL(c_along, "u_groups.c_along_q", SideBits, 1),
    RTL(c_across, "u_groups.c_across_q", SideBits, 1),
    RTL(c_wrap_along, "u_groups.c_wrap_along_q", 2, 1),
    RTL(c_wrap_across, "u_groups.c_wrap_across_q", 2, 1),
    RTL(c_base, "u_groups.c_base_q", 28, 1),
    RTL(c_pitch, "u_groups.c_pitch_q", 12, 1),
    RTL(c_first_along, "u_groups.c_first_along_q", 15, 1),
    RTL(c_first_across, "u_groups.c_first_across_q", 15, 1),
    RTL(carry, "u_groups.carry_q", 64, AddressStages),
    RTL(side_along, "u_groups.along_q", SideBits, 8),
    RTL(side_across, "u_groups.across_q", SideBits, 8),
    RTL(wrap, "u_groups.wrap_q", 4, 8),
    RTL(column0, "u_groups.s0_column_q", CoordinateBits, 1),
    RTL(row0, "u_groups.s0_row_q", CoordinateBits, 1),
    RTL(offset0, "u_groups.s0_offset_q", 6, Lanes),
    RTL(shift0, "u_groups.s0_shift_q", 3, 1),
    RTL(column1, "u_groups.s1_column_q", CoordinateBits, Lanes),
    RTL(row1, "u_groups.s1_row_q", CoordinateBits, Children),
    WRAP(0, Lanes, "u_groups.gen_column[%u].u_along"),
    COLUMN(0),
    COLUMN(1),
    COLUMN(2),
    COLUMN(3),
    RTL(e_along, "u_sender.e_along_q", TexelBits, Lanes),
    RTL(e_across, "u_sender.e_across_q", TexelBits, Children),
    RTL(e_slot, "u_sender.e_slot_q", 6, 1),
    RTL(e_last, "u_sender.e_group_last_q", 1, 1),
    RTL(e_along_y, "u_sender.e_along_y_q", 1, 1),
    RTL(e_pitch, "u_sender.e_pitch_q", 12, 1),
    RTL(e_base, "u_sender.e_base_q", 28, 1),
    RTL(e_parent, "u_sender.e_parent_q", 8, 1),
    RTL(line_of, "u_sender.gen_child[%u].gen_above.line_q", Children - 1, Children),
    RTL(block_of, "u_sender.gen_child[%u].gen_above.block_q", Children - 1, Children),
    RTL(line_of_1, "u_sender.gen_child[1].gen_above.line_q", 1, 1),
    RTL(block_of_1, "u_sender.gen_child[1].gen_above.block_q", 1, 1),
    RTL(slot0, "u_sender.f_slot0_q", 6, 1),
    RTL(slot1, "u_sender.f_slot1_q", 6, 1),
    RTL(slot2, "u_sender.f_slot2_q", 6, 1),
    RTL(last0, "u_sender.f_last0_q", 1, 1),
    RTL(last1, "u_sender.f_last1_q", 1, 1),
    RTL(last2, "u_sender.f_last2_q", 1, 1),
    RTL(along_y0, "u_sender.f_along_y0_q", 1, 1),
    RTL(along_y1, "u_sender.f_along_y1_q", 1, 1),
    RTL(along_y2, "u_sender.f_along_y2_q", 1, 1),
    RTL(f_along, "u_sender.f_along_q", 11, 1),
    RTL(f_across, "u_sender.f_across_q", 11, 1),
    RTL(f_x, "u_sender.f_x_q", 11, 1),
    RTL(f_pitch, "u_sender.f_pitch_q", 12, 1),
    RTL(base0, "u_sender.f_base0_q", 28, 1),
    RTL(base1, "u_sender.f_base1_q", 28, 1),
    RTL(rows, "u_sender.f_rows_q", 23, 1),
    RTL(line, "u_sender.f_line_q", 28, 1),
    RTL(taken, "u_sender.f_taken_q", Children, 1),
    RTL(low_along, "u_sender.f_low_along_q", 8, 1),
    RTL(low_across, "u_sender.f_low_across_q", 32, 1),
    RTL(m, "u_sender.f_m_q", 8, 1),
    RTL(spot, "u_sender.f_spot_q", 16, 1),
    RTL(spot_parent, "u_sender.f_spot_parent_q", 64, 1),
    RTL(texels, "u_sender.f_texel_q", 16, 1),
    RTL(parent, "u_sender.f_parent_q", 64, 1),
};

#endif
