// SPDX-License-Identifier: Apache-2.0
// Works out which lines of child texels a tile of 4x4 parents of a virtual texture needs, and which
// parent takes each of their texels. A-TFIM (HPCA 2017), V-D, V-E, Fig. 9, Table I. Cycle contract:
// docs/units/texel_generator.md; virtual textures: docs/model/texture.md.
//
// Packages pass queue, L (with their descriptor), P (sides) and R (range; judged here) to C, from
// which texel_groups issues a group of 16 children a cycle and takes it through nine address
// stages to E (line_sender), which sends a line a cycle until all its children have left; lines
// pass three stages more.
// Rate: one group a cycle, one beat a cycle. Latency: 18 cycles from package to first beat.
// Illegal: a package that names no descriptor, level, extent, slope or tile there is is answered as
// refused; a bad descriptor and a slot that is free already are refused. error_o holds the first
// code until reset. A package of another epoch is dropped, without an error.
// No deadlock: a package starts only with a slot for all its parents, so it waits only for beats
// and requests to be taken and slots to be given by others, never for another package; and each
// beat takes at least the first child of its group, so a group ends.
// Cost: 20 coordinates in flight in nine stages, one multiplier of 11 x 12 bits for the row of
// tiles, comparisons of all pairs of 16 children, and the descriptors' memory.
`include "texel_generator_pkg.sv"
`include "assert.svh"

module texel_generator #(
  parameter int Descriptors = 1024,    // textures, a power of two, 2 to 65536
  parameter int Slots = 16,            // packages in process, a power of two, 2 to 64
  parameter int CountWidth = 48,       // bits of a counter, 10 to 48
  parameter bit Observe = 1'b1,        // 0: no counters, peek_data_o is 0
  localparam int PeekWidth = 55        // a descriptor, or a counter
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [CountWidth-1:0] cycle_i,         // 1 in the first cycle after reset
  input  logic [7:0]      epoch_i,               // constant from one reset to the next
  // Descriptor writes, always taken
  input  logic            descriptor_valid_i,
  input  logic [15:0]     descriptor_index_i,
  input  logic [21:0]     descriptor_base_i,     // bytes / 4096
  input  logic [13:0]     descriptor_width_i,    // texels of level 0, 1 to 8192
  input  logic [13:0]     descriptor_height_i,
  input  logic [1:0]      descriptor_wrap_x_i,   // 0 repeat, 1 clamp, 2 mirror
  input  logic [1:0]      descriptor_wrap_y_i,
  // Packages
  input  logic            package_valid_i,
  output logic            package_ready_o,
  input  logic [10:0]     package_id_i,
  input  logic [7:0]      package_epoch_i,
  input  logic [15:0]     package_descriptor_i,
  input  logic [3:0]      package_level_i,       // of the children
  input  logic [27:0]     package_offset_i,      // lines from the texture's base to the level
  input  logic            package_reading_i,     // 0 lattice, 1 isotropic
  input  logic [2:0]      package_extent_i,      // k, 1 to 4
  input  logic            package_along_y_i,     // major axis
  input  logic [2:0]      package_slope_i,       // q, -2 to 2
  input  logic [11:0]     package_tile_x_i,
  input  logic [11:0]     package_tile_y_i,
  // One request a package, to the combination unit
  output logic            request_valid_o,
  input  logic            request_ready_i,
  output logic [5:0]      request_slot_o,
  output logic [10:0]     request_id_o,
  output logic [7:0]      request_epoch_o,
  output logic [15:0]     request_mask_o,        // parents inside
  output logic [2:0]      request_extent_o,
  output logic            request_refused_o,
  // A slot came free
  input  logic            free_valid_i,
  input  logic [5:0]      free_slot_i,
  // Lines of children, to the consolidation
  output logic            beat_valid_o,
  input  logic            beat_ready_i,
  output logic [5:0]      beat_slot_o,
  output logic            beat_last_o,           // of the package
  output logic            beat_along_y_o,        // its major axis
  output logic [27:0]     beat_line_o,           // bytes / 64
  output logic [15:0]     beat_texel_o,          // texels that are taken
  output logic [63:0]     beat_parent_o,         // by which parent, 4 bits each
  // Status and observation
  output logic [3:0]      error_o,
  output logic            quiescent_o,
  input  logic            peek_valid_i,
  input  logic            peek_select_i,
  input  logic [15:0]     peek_index_i,
  output logic [PeekWidth-1:0] peek_data_o
);

  localparam int IndexWidth = $clog2(Descriptors);
  localparam int SlotWidth = $clog2(Slots);
  localparam int DescriptorWidth = 22 + 14 + 14 + 2 + 2;
  localparam logic [13:0] MaxSize = 14'd8192;
  localparam logic [1:0] WrapNone = 2'd3;

  // ---- Descriptors -----------------------------------------------------------------------

  logic [Descriptors-1:0] known_q;
  logic write, write_refused, load;
  logic [IndexWidth-1:0] write_index, load_index;
  logic [DescriptorWidth-1:0] descriptor, descriptor_peek;

  assign write_index = descriptor_index_i[IndexWidth-1:0];
  assign write_refused = descriptor_valid_i &
      ((17'(descriptor_index_i) >= 17'(Descriptors)) |
       (descriptor_width_i == '0) | (descriptor_width_i > MaxSize) |
       (descriptor_height_i == '0) | (descriptor_height_i > MaxSize) |
       (descriptor_wrap_x_i == WrapNone) | (descriptor_wrap_y_i == WrapNone));
  assign write = descriptor_valid_i & ~write_refused;

  memory_2r1w #(
    .Width(DescriptorWidth),
    .Depth(Descriptors),
    .PortB(Observe)
  ) u_descriptors (
    .clk_i(clk_i),
    .write_i(write),
    .write_address_i(write_index),
    .write_data_i({descriptor_wrap_y_i, descriptor_wrap_x_i, descriptor_height_i,
                   descriptor_width_i, descriptor_base_i}),
    .a_read_i(load),
    .a_address_i(load_index),
    .a_data_o(descriptor),
    .b_read_i(peek_valid_i & ~peek_select_i),
    .b_address_i(peek_index_i[IndexWidth-1:0]),
    .b_data_o(descriptor_peek)
  );

  always_ff @(posedge clk_i) begin
    // A table of more than 8192 textures is meant.
    // verilator lint_off WIDTHCONCAT
    if (!rst_ni) known_q <= '0;
    // verilator lint_on WIDTHCONCAT
    else if (write) known_q[write_index] <= 1'b1;
  end

  // ---- Package queue, L ------------------------------------------------------------------

  localparam int PackageWidth = 11 + 8 + 16 + 4 + 28 + 1 + 3 + 1 + 3 + 12 + 12;

  logic package_push, l_valid_q, l_leaves, l_known_q;
  logic [1:0] package_count;
  logic [PackageWidth-1:0] head;
  logic [10:0] head_id, l_id_q;
  logic [7:0] head_epoch, l_epoch_q;
  logic [15:0] head_index;
  logic [3:0] head_level, l_level_q;
  logic [27:0] head_offset, l_offset_q;
  logic head_reading, head_along_y, l_reading_q, l_along_y_q;
  logic [2:0] head_extent, head_slope, l_extent_q, l_slope_q;
  logic [11:0] head_tile_x, head_tile_y, l_tile_x_q, l_tile_y_q;

  assign package_ready_o = package_count != 2'd2;
  assign package_push = package_valid_i & package_ready_o;

  skid_fifo #(
    .Width(PackageWidth)
  ) u_packages (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(package_push),
    .data_i({package_id_i, package_epoch_i, package_descriptor_i, package_level_i,
             package_offset_i, package_reading_i, package_extent_i, package_along_y_i,
             package_slope_i, package_tile_x_i, package_tile_y_i}),
    .pop_i(load),
    .data_o(head),
    .count_o(package_count)
  );

  assign {head_id, head_epoch, head_index, head_level, head_offset, head_reading, head_extent,
          head_along_y, head_slope, head_tile_x, head_tile_y} = head;
  assign load_index = head_index[IndexWidth-1:0];
  assign load = (package_count != '0) & (~l_valid_q | l_leaves);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) l_valid_q <= 1'b0;
    else if (load) l_valid_q <= 1'b1;
    else if (l_leaves) l_valid_q <= 1'b0;
    if (load) begin
      l_known_q <= (17'(head_index) < 17'(Descriptors)) &
                   (known_q[load_index] | (write & (write_index == load_index)));
      l_id_q <= head_id;
      l_epoch_q <= head_epoch;
      l_level_q <= head_level;
      l_offset_q <= head_offset;
      l_reading_q <= head_reading;
      l_extent_q <= head_extent;
      l_along_y_q <= head_along_y;
      l_slope_q <= head_slope;
      l_tile_x_q <= head_tile_x;
      l_tile_y_q <= head_tile_y;
    end
  end

  // ---- P: sides along and across ---------------------------------------------------------

  logic [21:0] base;
  logic [13:0] full_width, full_height, width, height, side_x, side_y;
  logic [1:0] wrap_x, wrap_y;
  logic p_valid_q, p_leaves, p_bad_q, p_reading_q, p_along_y_q;
  logic [10:0] p_id_q;
  logic [7:0] p_epoch_q;
  logic [2:0] p_extent_q, p_slope_q;
  logic [11:0] p_tile_along_q, p_tile_across_q;
  logic [13:0] p_along_q, p_across_q;
  logic [1:0] p_wrap_along_q, p_wrap_across_q;
  logic [27:0] p_base_q;

  assign {wrap_y, wrap_x, full_height, full_width, base} = descriptor;
  assign width = full_width >> l_level_q;
  assign height = full_height >> l_level_q;
  assign side_x = (width == '0) ? 14'd1 : width;
  assign side_y = (height == '0) ? 14'd1 : height;
  assign l_leaves = l_valid_q & (~p_valid_q | p_leaves);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) p_valid_q <= 1'b0;
    else if (l_leaves) p_valid_q <= 1'b1;
    else if (p_leaves) p_valid_q <= 1'b0;
    if (l_leaves) begin
      // Slopes 3, -4 and -3 do not exist.
      p_bad_q <= ~l_known_q | ((width == '0) & (height == '0)) | (l_extent_q == 3'd0) |
                 (l_extent_q > 3'd4) | (l_slope_q == 3'd3) | (l_slope_q == 3'd4) |
                 (l_slope_q == 3'd5);
      p_id_q <= l_id_q;
      p_epoch_q <= l_epoch_q;
      p_reading_q <= l_reading_q;
      p_extent_q <= l_extent_q;
      p_along_y_q <= l_along_y_q;
      p_slope_q <= l_slope_q;
      p_tile_along_q <= l_along_y_q ? l_tile_y_q : l_tile_x_q;
      p_tile_across_q <= l_along_y_q ? l_tile_x_q : l_tile_y_q;
      p_along_q <= l_along_y_q ? side_y : side_x;
      p_across_q <= l_along_y_q ? side_x : side_y;
      p_wrap_along_q <= l_along_y_q ? wrap_y : wrap_x;
      p_wrap_across_q <= l_along_y_q ? wrap_x : wrap_y;
      p_base_q <= {base, 6'd0} + l_offset_q;
    end
  end

  // ---- R: the range of parents -----------------------------------------------------------

  logic r_valid_q, r_leaves, r_bad_q, r_reading_q, r_along_y_q;
  logic [10:0] r_id_q;
  logic [7:0] r_epoch_q;
  logic [2:0] r_extent_q, r_slope_q;
  logic [11:0] r_tile_along_q, r_tile_across_q;
  logic [13:0] r_along_q, r_across_q;
  logic [1:0] r_wrap_along_q, r_wrap_across_q;
  logic [27:0] r_base_q;
  logic [11:0] r_pitch_q;              // tiles of a row of the level
  // The last parents, and where the first are: a from 0, not -1; b from -8 or -17, not 0.
  logic [14:0] r_high_along_q, r_high_across_q;
  logic r_from_zero_q, r_low_clamp_q, r_low_mirror_q;

  logic [3:0] less;                    // N - 1
  logic [13:0] shrunk_along, shrunk_across, p_width;
  logic [14:0] ceiling, high_across;
  logic whole;

  assign less = {p_extent_q == 3'd4, p_extent_q >= 3'd3, p_extent_q >= 3'd2, 1'b1};
  assign shrunk_along = p_along_q >> p_extent_q;
  assign shrunk_across = p_across_q >> p_extent_q;
  assign ceiling = ({1'b0, p_along_q} + {11'd0, less}) >> p_extent_q;
  assign whole = (p_wrap_along_q == texel_generator_pkg::WrapRepeat) &
                 ((p_along_q[3:0] & less) == '0);
  assign p_width = p_along_y_q ? p_across_q : p_along_q;
  assign p_leaves = p_valid_q & (~r_valid_q | r_leaves);

  always_comb begin
    if (p_reading_q) high_across = {1'b0, shrunk_across} - 15'(shrunk_across != '0);
    else if (p_wrap_across_q == texel_generator_pkg::WrapRepeat) begin
      high_across = {1'b0, p_across_q} - 15'd1;
    end else if (p_wrap_across_q == texel_generator_pkg::WrapClamp) begin
      high_across = {1'b0, p_across_q} + 15'd7;
    end else begin
      high_across = {1'b0, p_across_q} + 15'd16;
    end
  end

  logic [13:0] p_width_up;
  assign p_width_up = p_width + 14'd3;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) r_valid_q <= 1'b0;
    else if (p_leaves) r_valid_q <= 1'b1;
    else if (r_leaves) r_valid_q <= 1'b0;
    if (p_leaves) begin
      r_bad_q <= p_bad_q | (~p_reading_q & (shrunk_along == '0));
      r_id_q <= p_id_q;
      r_epoch_q <= p_epoch_q;
      r_reading_q <= p_reading_q;
      r_extent_q <= p_extent_q;
      r_along_y_q <= p_along_y_q;
      r_slope_q <= p_slope_q;
      r_tile_along_q <= p_tile_along_q;
      r_tile_across_q <= p_tile_across_q;
      r_along_q <= p_along_q;
      r_across_q <= p_across_q;
      r_wrap_along_q <= p_wrap_along_q;
      r_wrap_across_q <= p_wrap_across_q;
      r_base_q <= p_base_q;
      r_pitch_q <= p_width_up[13:2];
      r_high_along_q <= (p_reading_q | whole)
                            ? {1'b0, shrunk_along} - 15'(shrunk_along != '0) : ceiling;
      r_high_across_q <= high_across;
      r_from_zero_q <= p_reading_q | whole;
      r_low_clamp_q <= ~p_reading_q & (p_wrap_across_q == texel_generator_pkg::WrapClamp);
      r_low_mirror_q <= ~p_reading_q & (p_wrap_across_q != texel_generator_pkg::WrapClamp) &
                        (p_wrap_across_q != texel_generator_pkg::WrapRepeat);
    end
  end

  // Parents of the tile inside, along and across. Its first are 4 tile - 4 and 4 tile - 20.
  logic [13:0] last_along, last_across;          // tiles with the last parents
  logic [3:0] in_along, in_across, upper_along, upper_across, low_along, low_across;
  logic [15:0] mask;

  assign last_along = {1'b0, r_high_along_q[14:2]} + 14'd1;
  assign last_across = {1'b0, r_high_across_q[14:2]} + 14'd5;

  // 0 to the last parent's place in its tile.
  logic [3:0] end_along, end_across;
  assign end_along = {r_high_along_q[1:0] == 2'd3, r_high_along_q[1], r_high_along_q[1:0] != '0,
                      1'b1};
  assign end_across = {r_high_across_q[1:0] == 2'd3, r_high_across_q[1],
                       r_high_across_q[1:0] != '0, 1'b1};
  assign upper_along = (14'(r_tile_along_q) < last_along) ? 4'b1111
                     : (14'(r_tile_along_q) == last_along) ? end_along : '0;
  assign upper_across = (14'(r_tile_across_q) < last_across) ? 4'b1111
                      : (14'(r_tile_across_q) == last_across) ? end_across : '0;
  assign low_along = {(r_tile_along_q != '0) | ~r_from_zero_q, {3{r_tile_along_q != '0}}};
  assign low_across = r_low_mirror_q ? {1'b1, {3{r_tile_across_q != '0}}}
                    : r_low_clamp_q ? {4{r_tile_across_q >= 12'd3}}
                    : {4{r_tile_across_q >= 12'd5}};
  assign in_along = upper_along & low_along;
  assign in_across = upper_across & low_across;

  for (genvar n = 0; n < 16; n = n + 1) begin : gen_mask
    assign mask[n] = r_along_y_q ? in_along[n / 4] & in_across[n % 4]
                                 : in_along[n % 4] & in_across[n / 4];
  end

  // ---- Slots, requests: the judgement of R -----------------------------------------------

  logic stale, bad, drop, refuse, start, c_free, request_room, free_refused, free_taken;
  logic [1:0] request_count;
  logic [5:0] request_slot;
  logic [Slots-1:0] free_q, free_pick, free_set;
  logic [SlotWidth-1:0] slot, free_index;

  assign free_pick = free_q & (~free_q + Slots'(1));
  always_comb begin
    slot = '0;
    for (int n = 0; n < Slots; n = n + 1) if (free_pick[n]) slot = SlotWidth'(n);
  end

  assign stale = r_epoch_q != epoch_i;
  assign bad = r_bad_q | (in_along == '0) | (in_across == '0);
  assign request_room = request_count != 2'd2;
  assign drop = r_valid_q & stale;
  assign refuse = r_valid_q & ~stale & bad & request_room;
  assign start = r_valid_q & ~stale & ~bad & c_free & request_room & (free_q != '0);
  assign r_leaves = drop | refuse | start;
  assign request_valid_o = request_count != '0;

  assign free_index = free_slot_i[SlotWidth-1:0];
  assign free_refused = free_valid_i & ((7'(free_slot_i) >= 7'(Slots)) | free_q[free_index]);
  assign free_taken = free_valid_i & ~free_refused;
  always_comb begin
    free_set = '0;
    free_set[free_index] = free_taken;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) free_q <= {Slots{1'b1}};
    else free_q <= (free_q & ~(free_pick & {Slots{start}})) | free_set;
  end

  assign request_slot = start ? 6'(slot) : 6'd0;

  skid_fifo #(
    .Width(45)
  ) u_requests (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(refuse | start),
    .data_i({request_slot, r_id_q, r_epoch_q, mask & {16{start}},
             r_extent_q & {3{start}}, refuse}),
    .pop_i(request_valid_o & request_ready_i),
    .data_o({request_slot_o, request_id_o, request_epoch_o, request_mask_o, request_extent_o,
             request_refused_o}),
    .count_o(request_count)
  );

  // A package's beats wait until its request was taken. The word pushed last is the second of two.
  logic pushed_good_q, held;
  logic [5:0] pushed_slot_q, e_slot;

  assign held = (request_valid_o & ~request_refused_o & (request_slot_o == e_slot)) |
                (request_count[1] & pushed_good_q & (pushed_slot_q == e_slot));

  always_ff @(posedge clk_i) begin
    if (refuse | start) begin
      pushed_good_q <= start;
      pushed_slot_q <= request_slot;
    end
  end

  // ---- Why no group is issued ------------------------------------------------------------

  localparam logic [1:0] NoPackage = 2'd0, NoSlot = 2'd1, NoRequest = 2'd2, Filling = 2'd3;
  logic [1:0] cause;

  always_comb begin
    cause = NoPackage;
    if (r_valid_q && !stale) begin
      if (!bad && free_q == '0) cause = NoSlot;
      else if (!request_room) cause = NoRequest;
      else cause = Filling;
    end else if (r_valid_q || p_valid_q || l_valid_q || package_count != '0) begin
      cause = Filling;
    end
  end

  // ---- C, address stages; E, line stages -------------------------------------------------

  logic go, issue, e_load, e_last, e_along_y, groups_move;
  logic [15:0] existing;
  logic [4*13-1:0] texel_along;                  // of each lane
  logic [16*13-1:0] texel_across;                // of each child
  logic [5:0] group_slot;
  logic [11:0] e_pitch;
  logic [27:0] e_base;
  logic [7:0] e_parent;
  logic [1:0] last_cause;

  texel_groups #(
    .Observe(Observe)
  ) u_groups (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .ready_o(c_free),
    .start_i(start),
    .slot_i(6'(slot)),
    .reading_i(r_reading_q),
    .along_y_i(r_along_y_q),
    .extent_i(r_extent_q),
    .slope_i(r_slope_q),
    .in_along_i(in_along),
    .in_across_i(in_across),
    .tile_along_i(r_tile_along_q),
    .tile_across_i(r_tile_across_q),
    .side_along_i(r_along_q),
    .side_across_i(r_across_q),
    .wrap_along_i(r_wrap_along_q),
    .wrap_across_i(r_wrap_across_q),
    .base_i(r_base_q),
    .pitch_i(r_pitch_q),
    .cause_i(cause),
    .step_i(go),
    .load_o(e_load),
    .existing_o(existing),
    .along_o(texel_along),
    .across_o(texel_across),
    .slot_o(group_slot),
    .last_o(e_last),
    .along_y_o(e_along_y),
    .pitch_o(e_pitch),
    .base_o(e_base),
    .parent_o(e_parent),
    .cause_o(last_cause),
    .issue_o(issue),
    .moves_o(groups_move)
  );

  logic sending, step, counted, sender_moves;
  logic [1:0] beat_cause;
  logic [4:0] texels;

  line_sender #(
    .Observe(Observe)
  ) u_sender (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .ready_o(go),
    .cause_i(last_cause),
    .load_i(e_load),
    .existing_i(existing),
    .along_i(texel_along),
    .across_i(texel_across),
    .slot_i(group_slot),
    .last_i(e_last),
    .along_y_i(e_along_y),
    .pitch_i(e_pitch),
    .base_i(e_base),
    .parent_i(e_parent),
    .slot_o(e_slot),
    .hold_i(held),
    .beat_valid_o(beat_valid_o),
    .beat_ready_i(beat_ready_i),
    .beat_slot_o(beat_slot_o),
    .beat_last_o(beat_last_o),
    .beat_along_y_o(beat_along_y_o),
    .beat_line_o(beat_line_o),
    .beat_texel_o(beat_texel_o),
    .beat_parent_o(beat_parent_o),
    .busy_o(sending),
    .step_o(step),
    .cause_o(beat_cause),
    .cause_moves_o(sender_moves),
    .counted_o(counted),
    .texels_o(texels)
  );

  // ---- Counters, peek --------------------------------------------------------------------

  if (Observe) begin : gen_observe
    logic [CountWidth-1:0] peek_counter, peek_counter_q;
    logic peek_descriptor_q, taken, waiting;
    logic [CountWidth-1:0] seen_q, passed;
    logic [3:0] empty;                         // of each cause: line stage 2 is empty for it

    assign peek_data_o = peek_descriptor_q ? {descriptor_peek, 1'b1} : PeekWidth'(peek_counter_q);

    // What line stage 2 does in this cycle, and did since the last one that was not quiescent.
    assign taken = beat_valid_o & beat_ready_i;
    assign waiting = beat_valid_o & ~quiescent_o;
    assign passed = cycle_i - seen_q;
    assign empty = {4{~beat_valid_o & ~quiescent_o}} & (4'd1 << beat_cause);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) seen_q <= '0;
      else if (!quiescent_o) seen_q <= cycle_i;
    end

    // Packages, refused, dropped, groups, beats, children; taken, not taken, four causes.
    counter_bank #(
      .Counters(12),
      .CountWidth(CountWidth),
      .StepWidth(CountWidth),
      .IndexWidth(16)
    ) u_counters (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .add_i({empty, waiting, taken, {2{counted}}, issue, drop, refuse, start}),
      .step_i({{4{passed}}, passed - CountWidth'(taken), CountWidth'(1), CountWidth'(texels),
               {5{CountWidth'(1)}}}),
      .index_i(peek_index_i),
      .count_o(peek_counter)
    );

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        peek_descriptor_q <= 1'b0;
        peek_counter_q <= '0;
      end else begin
        if (peek_valid_i) begin
          peek_descriptor_q <= !peek_select_i && known_q[peek_index_i[IndexWidth-1:0]];
          peek_counter_q <= peek_select_i ? peek_counter : '0;
        end
      end
    end
  end else begin : gen_no_observe
    logic unused_peek;
    assign unused_peek = ^{peek_valid_i, peek_select_i, peek_index_i, descriptor_peek, counted,
                           texels, cycle_i, beat_cause, issue};
    assign peek_data_o = '0;
  end

  // ---- Errors and quiescence -------------------------------------------------------------

  logic [1:0] error_q, error_now;

  always_comb begin
    error_now = texel_generator_pkg::ErrNone;
    if (refuse) error_now = texel_generator_pkg::ErrPackage;
    else if (write_refused) error_now = texel_generator_pkg::ErrDescriptor;
    else if (free_refused) error_now = texel_generator_pkg::ErrSlot;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) error_q <= texel_generator_pkg::ErrNone;
    else if (error_q == texel_generator_pkg::ErrNone) error_q <= error_now;
  end

  assign error_o = {2'd0, error_q};
  assign quiescent_o = ~descriptor_valid_i & ~(Observe & peek_valid_i) & ~free_valid_i &
                       ~package_push & ~(request_valid_o & request_ready_i) & ~load & ~l_leaves &
                       ~p_leaves & ~r_leaves & ~groups_move & ~(step & sending) &
                       ~sender_moves;

  logic unused;
  assign unused = ^p_width_up[1:0];

`ifdef VERILATOR
  // Rule 1: a request and a beat hold until they are taken.
  `NOCTURNE_ASSERT(RequestHolds,
      request_valid_o & ~request_ready_i |=> request_valid_o & $stable(request_id_o))
  `NOCTURNE_ASSERT(BeatHolds, beat_valid_o & ~beat_ready_i |=> beat_valid_o & $stable(beat_line_o))
  // Rule 2: a group that is issued has children.
  `NOCTURNE_ASSERT(GroupHasChildren, e_load |-> existing != '0)
`endif

endmodule
