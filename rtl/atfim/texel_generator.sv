// SPDX-License-Identifier: Apache-2.0
// Takes a package apart into parents and computes the addresses of each parent's children.
// A-TFIM (HPCA 2017), V-D, V-E, Fig. 9, Table I. Cycle contract:
// docs/units/texel_generator.md; the package's bit map: docs/units/atfim.md.
//
// Packages pass queue, L (with their descriptor; judged here) and C (one parent a cycle is
// issued from here), then parents pass ten address stages.
// Rate: one package a cycle into the queue, one parent of up to 16 children a cycle.
// Latency: 13 cycles from package to first beat.
// Illegal: a package that names no descriptor or no texel of its level is answered as
// refused; a bad descriptor and a credit too many are refused. error_o holds the first
// code until reset. A package of another epoch is dropped, without an error.
// No deadlock: a package starts only with entries for all its parents, so it waits only for
// beats, requests and credits to be taken or given by others, never for another package.
// Cost: 32 coordinates in flight in ten stages (texel_axis), 16 multipliers of 11 x 12 bits
// for the row of tiles, and the descriptors' memory.
`include "assert.svh"

module texel_generator #(
  parameter int Descriptors = 1024,    // textures, a power of two, 2 to 65536
  parameter int Entries = 256,         // of the parent texel buffer, a power of two, 16 to 256
  parameter int LineBytes = 64,        // 16, 32 or 64
  parameter int CountWidth = 48,       // bits of a counter, 10 to 48
  parameter bit Observe = 1'b1,        // 0: no counters, peek_data_o is 0
  localparam int PeekWidth = 55        // a descriptor, or a counter
) (
  input  logic            clk_i,
  input  logic            rst_ni,
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
  input  logic [319:0]    package_i,
  // One request a package, to the combination unit
  output logic            request_valid_o,
  input  logic            request_ready_i,
  output logic [10:0]     request_id_o,
  output logic [7:0]      request_epoch_o,
  output logic [7:0]      request_mask_o,
  output logic [3:0]      request_ratio_o,       // R - 1
  output logic            request_refused_o,
  // Entries of the parent texel buffer: reserved, come free
  output logic            alloc_valid_o,
  output logic [7:0]      alloc_index_o,
  output logic [7:0]      alloc_id_o,
  output logic [3:0]      alloc_ratio_o,
  input  logic            parent_free_i,
  // One beat a parent, to the consolidation
  output logic            beat_valid_o,
  input  logic            beat_ready_i,
  output logic [7:0]      beat_parent_o,
  output logic [3:0]      beat_ratio_o,
  output logic [16*30-1:0] beat_line_o,          // bytes / 16
  output logic [16*4-1:0] beat_texel_o,          // of the line
  // Status and observation
  output logic [3:0]      error_o,
  output logic            quiescent_o,
  input  logic            peek_valid_i,
  input  logic            peek_select_i,
  input  logic [15:0]     peek_index_i,
  output logic [PeekWidth-1:0] peek_data_o
);

  localparam int Children = 16;
  localparam int Stages = 10;
  localparam int IndexWidth = $clog2(Descriptors);
  localparam int EntryWidth = $clog2(Entries);
  localparam int CreditWidth = $clog2(Entries + 1);
  localparam int DescriptorWidth = 22 + 14 + 14 + 2 + 2;
  localparam int CenterWidth = 15;  // texels, signed: -24 to 8214
  localparam int SumWidth = 20;     // multiples of the step, signed
  localparam int TileWidth = 28;    // lines of 64 bytes
  localparam logic [13:0] MaxSize = 14'd8192;
  localparam logic [1:0] WrapNone = 2'd3;
  localparam logic [1:0] ErrNone = 2'd0, ErrPackage = 2'd1, ErrDescriptor = 2'd2,
                         ErrCredit = 2'd3;

  // ---- Descriptors -----------------------------------------------------------------------

  logic [Descriptors-1:0] known_q;
  logic write, write_refused;
  logic [IndexWidth-1:0] write_index, load_index;
  logic [DescriptorWidth-1:0] descriptor, descriptor_peek;
  logic load;

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

  // ---- Package queue: what is used of a package ------------------------------------------

  localparam int PackageWidth = 11 + 8 + 16 + 4 + 4 + 8 + 32 + 64 + 56 + 64;

  logic package_push;
  logic [1:0] package_count;
  logic [PackageWidth-1:0] head;
  logic [10:0] head_id;
  logic [7:0] head_epoch, head_mask;
  logic [15:0] head_index;
  logic [3:0] head_ratio, head_level;
  logic [31:0] head_step;
  logic [63:0] head_first;      // x, y on the finer, x, y on the coarser level
  logic [55:0] head_offset;
  logic [63:0] head_parent;     // dx, dy of each

  assign package_ready_o = package_count != 2'd2;
  assign package_push = package_valid_i & package_ready_o;

  skid_fifo #(
    .Width(PackageWidth)
  ) u_packages (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(package_push),
    .data_i({package_i[22:12], package_i[31:24], package_i[47:32], package_i[51:48],
             package_i[55:52], package_i[71:64], package_i[111:80], package_i[191:128],
             package_i[251:224], package_i[219:192], package_i[319:256]}),
    .pop_i(load),
    .data_o(head),
    .count_o(package_count)
  );

  assign {head_id, head_epoch, head_index, head_ratio, head_level, head_mask, head_step,
          head_first, head_offset, head_parent} = head;
  assign load_index = head_index[IndexWidth-1:0];

  // ---- L: a package with its descriptor --------------------------------------------------

  logic l_valid_q, l_leaves, l_known_q;
  logic [10:0] l_id_q;
  logic [7:0] l_epoch_q, l_mask_q;
  logic [3:0] l_ratio_q, l_level_q, l_number_q, head_number;
  logic [31:0] l_step_q;
  logic [55:0] l_offset_q;
  logic [63:0] l_parent_q;
  // Per coordinate (x, y, coarser x, coarser y), so that a comparison is left for L: the
  // first parent - 16; below -16; below 17, which any size admits.
  logic [4*15-1:0] l_beyond_q, head_beyond;
  logic [3:0] l_below_q, l_near_q, head_below, head_near;

  assign load = (package_count != '0) & (~l_valid_q | l_leaves);

  always_comb begin
    head_number = '0;
    for (int k = 0; k < 8; k = k + 1) head_number = head_number + 4'(head_mask[k]);
  end

  for (genvar i = 0; i < 4; i = i + 1) begin : gen_head
    logic [15:0] value;
    logic unused_low;
    assign value = head_first[i*16 +: 16];
    // -16 has all bits from 4 upwards set.
    assign head_below[i] = value[15] & (value[14:4] != {11{1'b1}});
    assign head_near[i] = value[15] | (value < 16'd17);
    assign {unused_low, head_beyond[i*15 +: 15]} = value - 16'd16;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) l_valid_q <= 1'b0;
    else if (load) l_valid_q <= 1'b1;
    else if (l_leaves) l_valid_q <= 1'b0;
    if (load) begin
      l_known_q <= (17'(head_index) < 17'(Descriptors)) &
                   (known_q[load_index] | (write & (write_index == load_index)));
      l_id_q <= head_id;
      l_epoch_q <= head_epoch;
      l_mask_q <= head_mask;
      l_ratio_q <= head_ratio;
      l_level_q <= head_level;
      l_number_q <= head_number;
      l_step_q <= head_step;
      l_offset_q <= head_offset;
      l_parent_q <= head_parent;
      l_beyond_q <= head_beyond;
      l_below_q <= head_below;
      l_near_q <= head_near;
    end
  end

  logic [21:0] base;
  logic [13:0] width, height;
  logic [1:0] wrap_x, wrap_y;
  logic [13:0] fine_width, fine_height;
  logic [4*14-1:0] size;     // of the two levels: width, height; coarser width, height; or 0
  logic [3:0] outside;
  logic stale, bad;

  assign {wrap_y, wrap_x, height, width, base} = descriptor;
  assign fine_width = width >> l_level_q;
  assign fine_height = height >> l_level_q;
  assign size = {fine_height >> 1, fine_width >> 1, fine_height, fine_width};

  for (genvar i = 0; i < 4; i = i + 1) begin : gen_outside
    assign outside[i] = l_below_q[i] |
        (~l_near_q[i] & (l_beyond_q[i*15 +: 15] >= {1'b0, size[i*14 +: 14]}));
  end

  assign stale = l_epoch_q != epoch_i;
  assign bad = (l_mask_q == '0) | ~l_known_q |
               ((l_mask_q[3:0] != '0) & (outside[1:0] != '0)) |
               ((l_mask_q[7:4] != '0) & (outside[3:2] != '0));

  // ---- Requests, credits -----------------------------------------------------------------

  logic drop, refuse, start, c_free, go, issue, request_room, credit_back, credit_refused;
  logic [1:0] request_count;
  logic [CreditWidth-1:0] credits_q;

  assign request_room = request_count != 2'd2;
  assign drop = l_valid_q & stale;
  assign refuse = l_valid_q & ~stale & bad & request_room;
  assign start = l_valid_q & ~stale & ~bad & c_free & request_room &
                 (32'(credits_q) >= 32'(l_number_q));
  assign l_leaves = drop | refuse | start;
  assign request_valid_o = request_count != '0;
  assign credit_back = parent_free_i & ~credit_refused;
  assign credit_refused = parent_free_i & ~start & (credits_q == CreditWidth'(Entries));

  skid_fifo #(
    .Width(32)
  ) u_requests (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(refuse | start),
    .data_i({l_id_q, l_epoch_q, l_mask_q, l_ratio_q, refuse}),
    .pop_i(request_valid_o & request_ready_i),
    .data_o({request_id_o, request_epoch_o, request_mask_o, request_ratio_o, request_refused_o}),
    .count_o(request_count)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      credits_q <= CreditWidth'(Entries);
    end else begin
      credits_q <= credits_q - (start ? CreditWidth'(l_number_q) : '0) +
                   CreditWidth'(credit_back);
    end
  end

  // ---- C: the package whose parents are issued -------------------------------------------

  logic [7:0] c_rest_q, c_pick;                    // parents to issue; the next, one-hot
  logic [4:0] c_sequence_q, sequence_q;
  logic [3:0] c_ratio_q;
  logic [15:0] c_step_x_q, c_step_y_q;
  logic [SumWidth-1:0] c_common_x_q, c_common_y_q; // (R - 1) step
  logic [4*14-1:0] c_size_q;
  logic [4*CenterWidth-1:0] c_first_q;
  logic [2*TileWidth-1:0] c_offset_q;              // first line of 64 bytes of each level
  logic [63:0] c_parent_q;
  logic [1:0] c_wrap_x_q, c_wrap_y_q;

  assign c_pick = c_rest_q & (~c_rest_q + 8'd1);
  assign issue = go & (c_rest_q != '0);
  assign c_free = (c_rest_q == '0) | (issue & (c_rest_q == c_pick));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      c_rest_q <= '0;
      sequence_q <= '0;
    end else begin
      if (start) c_rest_q <= l_mask_q;
      else if (issue) c_rest_q <= c_rest_q & ~c_pick;
      if (start) sequence_q <= sequence_q + 5'd1;
    end
    if (start) begin
      c_sequence_q <= sequence_q;
      c_ratio_q <= l_ratio_q;
      c_step_x_q <= l_step_q[15:0];
      c_step_y_q <= l_step_q[31:16];
      c_common_x_q <= {{4{l_step_q[15]}}, l_step_q[15:0]} * SumWidth'(l_ratio_q);
      c_common_y_q <= {{4{l_step_q[31]}}, l_step_q[31:16]} * SumWidth'(l_ratio_q);
      c_parent_q <= l_parent_q;
      c_wrap_x_q <= wrap_x;
      c_wrap_y_q <= wrap_y;
      for (int n = 0; n < 4; n = n + 1) begin
        c_size_q[n*14 +: 14] <= (size[n*14 +: 14] == '0) ? 14'd1 : size[n*14 +: 14];
        c_first_q[n*CenterWidth +: CenterWidth] <= l_beyond_q[n*15 +: 15] + 15'd16;
      end
      for (int n = 0; n < 2; n = n + 1) begin
        c_offset_q[n*TileWidth +: TileWidth] <= l_offset_q[n*28 +: 28] + {base, 6'd0};
      end
    end
  end

  // ---- Issue to stage 0 ------------------------------------------------------------------

  logic [2:0] number;                              // of the parent
  logic coarse;
  logic [7:0] parent;                              // dy, dx
  logic [CenterWidth-1:0] first_x, first_y;
  logic [EntryWidth-1:0] tail_q;
  logic [1:0] half;                                // 256 << level, above 8 zeros

  always_comb begin
    number = '0;
    for (int k = 0; k < 8; k = k + 1) if (c_pick[k]) number = 3'(k);
  end

  assign coarse = number[2];
  assign parent = c_parent_q[number*8 +: 8];
  assign first_x = coarse ? c_first_q[2*CenterWidth +: CenterWidth]
                          : c_first_q[0*CenterWidth +: CenterWidth];
  assign first_y = coarse ? c_first_q[3*CenterWidth +: CenterWidth]
                          : c_first_q[1*CenterWidth +: CenterWidth];
  assign half = {coarse, ~coarse};

  logic [Stages-1:0] valid_q;
  logic [Stages-1:1] move;                         // into this stage
  logic [Stages*EntryWidth-1:0] entry_q;           // stages 0 to 9
  logic [Stages*4-1:0] ratio_q;
  logic [9*TileWidth-1:0] offset_q;                // stages 0 to 8
  logic [CenterWidth-1:0] s0_center_x_q, s0_center_y_q;
  logic [15:0] s0_step_x_q, s0_step_y_q;
  logic [17:0] s0_step3_x_q, s0_step3_y_q;
  logic [SumWidth-1:0] s0_common_x_q, s0_common_y_q;
  logic s0_coarse_q;
  logic [13:0] s0_width_q, s0_height_q;
  logic [1:0] s0_wrap_x_q, s0_wrap_y_q;

  assign go = ~valid_q[Stages-1] | beat_ready_i;
  assign move = {(Stages-1){go}} & valid_q[Stages-2:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      tail_q <= '0;
    end else if (go) begin
      valid_q <= {valid_q[Stages-2:0], issue};
      tail_q <= tail_q + EntryWidth'(issue);
    end
    if (issue) begin
      entry_q[0 +: EntryWidth] <= tail_q;
      ratio_q[0 +: 4] <= c_ratio_q;
      offset_q[0 +: TileWidth] <= coarse ? c_offset_q[TileWidth +: TileWidth]
                                         : c_offset_q[0 +: TileWidth];
      s0_center_x_q <= first_x + {{11{parent[3]}}, parent[3:0]};
      s0_center_y_q <= first_y + {{11{parent[7]}}, parent[7:4]};
      s0_step_x_q <= c_step_x_q;
      s0_step_y_q <= c_step_y_q;
      s0_step3_x_q <= {{2{c_step_x_q[15]}}, c_step_x_q} + {c_step_x_q[15], c_step_x_q, 1'b0};
      s0_step3_y_q <= {{2{c_step_y_q[15]}}, c_step_y_q} + {c_step_y_q[15], c_step_y_q, 1'b0};
      s0_common_x_q <= c_common_x_q - SumWidth'({half, 8'd0});
      s0_common_y_q <= c_common_y_q - SumWidth'({half, 8'd0});
      s0_coarse_q <= coarse;
      s0_width_q <= coarse ? c_size_q[2*14 +: 14] : c_size_q[0*14 +: 14];
      s0_height_q <= coarse ? c_size_q[3*14 +: 14] : c_size_q[1*14 +: 14];
      s0_wrap_x_q <= c_wrap_x_q;
      s0_wrap_y_q <= c_wrap_y_q;
    end
  end

  for (genvar i = 1; i < Stages; i = i + 1) begin : gen_stage
    always_ff @(posedge clk_i) begin
      if (move[i]) begin
        entry_q[i*EntryWidth +: EntryWidth] <= entry_q[(i-1)*EntryWidth +: EntryWidth];
        ratio_q[i*4 +: 4] <= ratio_q[(i-1)*4 +: 4];
      end
    end
    if (i < 9) begin : gen_offset
      always_ff @(posedge clk_i) begin
        if (move[i]) begin
          offset_q[i*TileWidth +: TileWidth] <= offset_q[(i-1)*TileWidth +: TileWidth];
        end
      end
    end
  end

  // ---- Stages 1 to 8: texels -------------------------------------------------------------

  logic [13:0] width7, height7;
  logic [Children*13-1:0] texel_x, texel_y;

  texel_axis u_x (
    .clk_i(clk_i),
    .load_i(move[8:1]),
    .center_i(s0_center_x_q),
    .step_i(s0_step_x_q),
    .step3_i(s0_step3_x_q),
    .common_i(s0_common_x_q),
    .coarse_i(s0_coarse_q),
    .size_i(s0_width_q),
    .wrap_i(s0_wrap_x_q),
    .size_o(width7),
    .texel_o(texel_x)
  );

  texel_axis u_y (
    .clk_i(clk_i),
    .load_i(move[8:1]),
    .center_i(s0_center_y_q),
    .step_i(s0_step_y_q),
    .step3_i(s0_step3_y_q),
    .common_i(s0_common_y_q),
    .coarse_i(s0_coarse_q),
    .size_i(s0_height_q),
    .wrap_i(s0_wrap_y_q),
    .size_o(height7),
    .texel_o(texel_y)
  );

  // ---- Stage 9: addresses ----------------------------------------------------------------

  logic [11:0] pitch_q;                            // tiles of a row, stage 8
  logic [13:0] rounded;
  logic [4:0] children;
  logic [Children-1:0] live_q;                     // of stage 9

  assign children = {1'b0, ratio_q[8*4 +: 4]} + 5'd1;
  assign rounded = width7 + 14'd3;
  always_ff @(posedge clk_i) if (move[8]) pitch_q <= rounded[13:2];

  assign beat_valid_o = valid_q[9];
  assign beat_parent_o = beat_valid_o ? 8'(entry_q[9*EntryWidth +: EntryWidth]) : '0;
  assign beat_ratio_o = beat_valid_o ? ratio_q[9*4 +: 4] : '0;

  for (genvar i = 0; i < Children; i = i + 1) begin : gen_address
    logic [12:0] x, y;
    logic [TileWidth-1:0] tile, tile_q;
    logic [3:0] texel_q;                         // of the tile, rows of 4
    logic [29:0] line;
    logic [3:0] texel;

    assign x = texel_x[i*13 +: 13];
    assign y = texel_y[i*13 +: 13];
    assign tile = offset_q[8*TileWidth +: TileWidth] +
                  TileWidth'(y[12:2]) * TileWidth'(pitch_q) + TileWidth'(x[12:2]);

    always_ff @(posedge clk_i) begin
      if (!rst_ni) live_q[i] <= 1'b0;
      else if (go) live_q[i] <= valid_q[8] & (children > 5'(i));
      if (move[9]) begin
        tile_q <= tile;
        texel_q <= {y[1:0], x[1:0]};
      end
    end

    // A tile is a line of 64 bytes, two of 32, or four of 16.
    if (LineBytes == 64) begin : gen_64
      assign line = {tile_q, 2'd0};
      assign texel = texel_q;
    end else if (LineBytes == 32) begin : gen_32
      assign line = {tile_q, texel_q[3], 1'b0};
      assign texel = {1'b0, texel_q[2:0]};
    end else begin : gen_16
      assign line = {tile_q, texel_q[3:2]};
      assign texel = {2'd0, texel_q[1:0]};
    end
    assign beat_line_o[i*30 +: 30] = live_q[i] ? line : '0;
    assign beat_texel_o[i*4 +: 4] = live_q[i] ? texel : '0;
  end

  // ---- Reports, counters, peek -----------------------------------------------------------

  logic alloc_q;
  logic [EntryWidth-1:0] alloc_index_q;
  logic [7:0] alloc_id_q;
  logic [3:0] alloc_ratio_q;

  assign alloc_valid_o = alloc_q;
  assign alloc_index_o = 8'(alloc_index_q);
  assign alloc_id_o = alloc_id_q;
  assign alloc_ratio_o = alloc_ratio_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      alloc_q <= 1'b0;
      alloc_index_q <= '0;
      alloc_id_q <= '0;
      alloc_ratio_q <= '0;
    end else begin
      alloc_q <= issue;
      alloc_index_q <= issue ? tail_q : '0;
      alloc_id_q <= issue ? {c_sequence_q, number} : '0;
      alloc_ratio_q <= issue ? c_ratio_q : '0;
    end
  end

  if (Observe) begin : gen_observe
    logic [CountWidth-1:0] peek_counter, peek_counter_q;
    logic [4:0] issued;
    logic peek_descriptor_q;

    assign peek_data_o = peek_descriptor_q ? {descriptor_peek, 1'b1} : PeekWidth'(peek_counter_q);
    assign issued = {1'b0, c_ratio_q} + 5'd1;

    // Packages, refused, dropped, parents, children.
    counter_bank #(
      .Counters(5),
      .CountWidth(CountWidth),
      .StepWidth(5),
      .IndexWidth(16)
    ) u_counters (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .add_i({{2{issue}}, drop, refuse, start}),
      .step_i({issued, {4{5'd1}}}),
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
    assign unused_peek = ^{peek_valid_i, peek_select_i, peek_index_i, descriptor_peek};
    assign peek_data_o = '0;
  end

  // ---- Errors and quiescence -------------------------------------------------------------

  logic [1:0] error_q, error_now;

  always_comb begin
    error_now = ErrNone;
    if (refuse) error_now = ErrPackage;
    else if (write_refused) error_now = ErrDescriptor;
    else if (credit_refused) error_now = ErrCredit;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) error_q <= ErrNone;
    else if (error_q == ErrNone) error_q <= error_now;
  end

  assign error_o = {2'd0, error_q};
  assign quiescent_o = ~descriptor_valid_i & ~(Observe & peek_valid_i) & ~parent_free_i &
                       ~package_push & ~(request_valid_o & request_ready_i) & ~load & ~l_leaves &
                       ~(go & ((valid_q != '0) | (c_rest_q != '0))) & ~alloc_q;

  // Not in the queue: command, length, angle, reserved bits.
  logic unused;
  assign unused = ^{package_i[11:0], package_i[23], package_i[63:56], package_i[79:72],
                    package_i[127:112], package_i[223:220], package_i[255:252],
                    rounded[1:0], height7};

`ifdef VERILATOR
  // Rule 1: a request and a beat hold until they are taken.
  `NOCTURNE_ASSERT(RequestHolds,
      request_valid_o & ~request_ready_i |=> request_valid_o & $stable(request_id_o))
  `NOCTURNE_ASSERT(BeatHolds, beat_valid_o & ~beat_ready_i |=> beat_valid_o & $stable(beat_line_o))
  // Rule 2: credits never exceed the entries.
  `NOCTURNE_ASSERT(CreditsWithinEntries, 32'(credits_q) <= Entries)
`endif

endmodule
