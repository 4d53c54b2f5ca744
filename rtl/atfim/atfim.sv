// SPDX-License-Identifier: Apache-2.0
// Anisotropic filtering in the cube's logic layer: the four parts joined.
// A-TFIM (HPCA 2017), V, Fig. 9. Cycle contract: docs/units/atfim.md, which also holds the bit
// maps of package and response and the argument that there is no overflow and no deadlock.
//
// A package becomes parents (texel generator), their children become reads of lines
// (consolidation), the lines that come back are added to the parents (combination unit,
// parent texel buffer), and completed parents go back as the package's response.
// Illegal: what the parts refuse; error_o holds the code of each part.
// Rate: one parent, read, run and response a cycle. Latency without memory: 15 cycles to the
// first read, 9 from the last line to the response.
// Cost: the parts'; here only the choice of the answer to a peek.
`include "assert.svh"

module atfim #(
  parameter int Descriptors = 1024,   // textures: powers of two, 2 to 65536
  parameter int ParentEntries = 256,  // of the parent texel buffer: powers of two, 16 to 256
  parameter int RunEntries = 256,     // of the consolidation: powers of two, 16 to 256
  parameter int SetBits = 6,          // 2^SetBits sets of lines under way: 1 to 6
  parameter int Ways = 4,             // lines of a set: 1, 2, 4
  parameter bit Merge = 1'b1,         // 0: no two runs share a read
  parameter int LineBytes = 64,       // of child data: 16, 32, 64
  parameter bit Exact = 1'b1,         // sums of 12 bits a channel; 0: the paper's 8
  parameter int Requests = 64,        // packages in process: powers of two, 2 to 256
  parameter int CountWidth = 48,      // bits of a counter, 10 to 48
  parameter bit Observe = 1'b1,       // 0: no counters; reports of writes and peek_data_o are 0
  localparam int ParentWidth = 63     // of a parent's entry as reports show it
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [7:0]             epoch_i,               // constant from one reset to the next
  // Descriptor writes, always taken
  input  logic                   descriptor_valid_i,
  input  logic [15:0]            descriptor_index_i,
  input  logic [21:0]            descriptor_base_i,     // bytes / 4096
  input  logic [13:0]            descriptor_width_i,    // texels of level 0, 1 to 8192
  input  logic [13:0]            descriptor_height_i,
  input  logic [1:0]             descriptor_wrap_x_i,   // 0 repeat, 1 clamp, 2 mirror
  input  logic [1:0]             descriptor_wrap_y_i,
  // Packages from the switch
  input  logic                   package_valid_i,
  output logic                   package_ready_o,
  input  logic [319:0]           package_i,
  // Reads of child data
  output logic                   child_read_valid_o,
  input  logic                   child_read_ready_i,
  output logic [10:0]            child_read_tag_o,
  output logic [29:0]            child_read_line_o,     // bytes / 16
  // Child data, in any order
  input  logic                   child_data_valid_i,
  output logic                   child_data_ready_o,
  input  logic [10:0]            child_data_tag_i,
  input  logic [7:0]             child_data_epoch_i,    // of the read
  input  logic                   child_data_failed_i,
  input  logic [8*LineBytes-1:0] child_data_i,          // RGBA8 texels, first lowest
  // Responses to the switch
  output logic                   response_valid_o,
  input  logic                   response_ready_i,
  output logic [319:0]           response_o,
  // Status
  output logic [15:0]            error_o,               // 4 bits a part, generator lowest
  output logic                   quiescent_o,
  // What the last clock wrote: consolidation
  output logic                   insert_valid_o,
  output logic [7:0]             insert_index_o,        // entry
  output logic [7:0]             insert_parent_o,
  output logic [3:0]             insert_first_o,
  output logic [3:0]             insert_count_o,        // children - 1
  output logic [7:0]             insert_slot_o,
  output logic                   insert_new_o,          // slot taken newly, with a read
  output logic                   close_valid_o,
  output logic [7:0]             close_slot_o,
  // The same: parent texel buffer
  output logic                   alloc_write_valid_o,
  output logic [7:0]             alloc_write_index_o,
  output logic [7:0]             alloc_write_id_o,
  output logic [3:0]             alloc_write_ratio_o,
  output logic                   update_write_valid_o,
  output logic [7:0]             update_write_index_o,
  output logic [ParentWidth-1:0] update_write_word_o,
  // Observation
  input  logic                   peek_valid_i,
  input  logic [1:0]             peek_unit_i,           // PeekGenerator and so on
  input  logic [1:0]             peek_select_i,
  input  logic [15:0]            peek_index_i,
  output logic [63:0]            peek_data_o
);

  localparam logic [1:0] PeekGenerator = 2'd0, PeekConsolidation = 2'd1, PeekBuffer = 2'd2,
                         PeekCombination = 2'd3;

  // ---- Peek ------------------------------------------------------------------------------

  logic [54:0] generator_peek;
  logic [63:0] consolidation_peek;
  logic [ParentWidth-1:0] buffer_peek;
  logic [CountWidth-1:0] combination_peek;

  if (Observe) begin : gen_observe
    logic [1:0] peek_unit_q;  // named by the last peek

    always_ff @(posedge clk_i) begin
      if (!rst_ni) peek_unit_q <= PeekGenerator;
      else if (peek_valid_i) peek_unit_q <= peek_unit_i;
    end

    always_comb begin
      unique case (peek_unit_q)
        PeekGenerator: peek_data_o = 64'(generator_peek);
        PeekConsolidation: peek_data_o = consolidation_peek;
        PeekBuffer: peek_data_o = 64'(buffer_peek);
        default: peek_data_o = 64'(combination_peek);
      endcase
    end
  end else begin : gen_no_observe
    logic unused_peek;
    assign unused_peek = ^{generator_peek, consolidation_peek, buffer_peek, combination_peek};
    assign peek_data_o = '0;
  end

  // ---- Parts -----------------------------------------------------------------------------

  logic request_valid, request_ready, request_refused;
  logic [10:0] request_id;
  logic [7:0] request_epoch, request_mask;
  logic [3:0] request_ratio;
  logic alloc_valid;
  logic [7:0] alloc_index, alloc_id;
  logic [3:0] alloc_ratio;
  logic beat_valid, beat_ready;
  logic [7:0] beat_parent;
  logic [3:0] beat_ratio;
  logic [16*30-1:0] beat_line;
  logic [63:0] beat_texel;
  logic take_valid, take_ready;
  logic [10:0] take_tag;
  logic run_valid, run_ready, run_void, run_last;
  logic [7:0] run_parent;
  logic [3:0] run_first, run_count, run_ratio;
  logic [63:0] run_texel;
  logic update_valid, update_failed;
  logic [7:0] update_index;
  logic [3:0] update_count;
  logic [47:0] update_sum;
  logic parent_valid, parent_ready, parent_failed;
  logic [7:0] parent_id;
  logic [47:0] parent_value;
  logic [3:0] generator_error, consolidation_error, buffer_error, combination_error;
  logic generator_quiescent, consolidation_quiescent, buffer_quiescent, combination_quiescent;

  assign error_o = {combination_error, buffer_error, consolidation_error, generator_error};
  assign quiescent_o = generator_quiescent & consolidation_quiescent & buffer_quiescent &
                       combination_quiescent;

  texel_generator #(
    .Descriptors(Descriptors),
    .Entries(ParentEntries),
    .LineBytes(LineBytes),
    .CountWidth(CountWidth),
    .Observe(Observe)
  ) u_generator (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .epoch_i(epoch_i),
    .descriptor_valid_i(descriptor_valid_i),
    .descriptor_index_i(descriptor_index_i),
    .descriptor_base_i(descriptor_base_i),
    .descriptor_width_i(descriptor_width_i),
    .descriptor_height_i(descriptor_height_i),
    .descriptor_wrap_x_i(descriptor_wrap_x_i),
    .descriptor_wrap_y_i(descriptor_wrap_y_i),
    .package_valid_i(package_valid_i),
    .package_ready_o(package_ready_o),
    .package_i(package_i),
    .request_valid_o(request_valid),
    .request_ready_i(request_ready),
    .request_id_o(request_id),
    .request_epoch_o(request_epoch),
    .request_mask_o(request_mask),
    .request_ratio_o(request_ratio),
    .request_refused_o(request_refused),
    .alloc_valid_o(alloc_valid),
    .alloc_index_o(alloc_index),
    .alloc_id_o(alloc_id),
    .alloc_ratio_o(alloc_ratio),
    .parent_free_i(parent_valid & parent_ready),
    .beat_valid_o(beat_valid),
    .beat_ready_i(beat_ready),
    .beat_parent_o(beat_parent),
    .beat_ratio_o(beat_ratio),
    .beat_line_o(beat_line),
    .beat_texel_o(beat_texel),
    .error_o(generator_error),
    .quiescent_o(generator_quiescent),
    .peek_valid_i(peek_valid_i & (peek_unit_i == PeekGenerator)),
    .peek_select_i(peek_select_i[0]),
    .peek_index_i(peek_index_i),
    .peek_data_o(generator_peek)
  );

  child_consolidation #(
    .Entries(RunEntries),
    .SetBits(SetBits),
    .Ways(Ways),
    .LineBytes(LineBytes),
    .Merge(Merge),
    .CountWidth(CountWidth),
    .Observe(Observe)
  ) u_consolidation (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .beat_valid_i(beat_valid),
    .beat_ready_o(beat_ready),
    .beat_parent_i(beat_parent),
    .beat_ratio_i(beat_ratio),
    .beat_line_i(beat_line),
    .beat_texel_i(beat_texel),
    .read_valid_o(child_read_valid_o),
    .read_ready_i(child_read_ready_i),
    .read_tag_o(child_read_tag_o),
    .read_line_o(child_read_line_o),
    .take_valid_i(take_valid),
    .take_ready_o(take_ready),
    .take_tag_i(take_tag),
    .run_valid_o(run_valid),
    .run_ready_i(run_ready),
    .run_void_o(run_void),
    .run_last_o(run_last),
    .run_parent_o(run_parent),
    .run_first_o(run_first),
    .run_count_o(run_count),
    .run_ratio_o(run_ratio),
    .run_texel_o(run_texel),
    .error_o(consolidation_error),
    .quiescent_o(consolidation_quiescent),
    .insert_valid_o(insert_valid_o),
    .insert_index_o(insert_index_o),
    .insert_parent_o(insert_parent_o),
    .insert_first_o(insert_first_o),
    .insert_count_o(insert_count_o),
    .insert_slot_o(insert_slot_o),
    .insert_new_o(insert_new_o),
    .close_valid_o(close_valid_o),
    .close_slot_o(close_slot_o),
    .peek_valid_i(peek_valid_i & (peek_unit_i == PeekConsolidation)),
    .peek_select_i(peek_select_i),
    .peek_index_i(peek_index_i[7:0]),
    .peek_data_o(consolidation_peek)
  );

  parent_texel_buffer #(
    .Entries(ParentEntries),
    .Exact(Exact),
    .Observe(Observe)
  ) u_buffer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .alloc_valid_i(alloc_valid),
    .alloc_index_i(alloc_index),
    .alloc_id_i(alloc_id),
    .alloc_ratio_i(alloc_ratio),
    .update_valid_i(update_valid),
    .update_index_i(update_index),
    .update_count_i(update_count),
    .update_failed_i(update_failed),
    .update_sum_i(update_sum),
    .parent_valid_o(parent_valid),
    .parent_ready_i(parent_ready),
    .parent_id_o(parent_id),
    .parent_failed_o(parent_failed),
    .parent_value_o(parent_value),
    .error_o(buffer_error),
    .quiescent_o(buffer_quiescent),
    .alloc_write_valid_o(alloc_write_valid_o),
    .alloc_write_index_o(alloc_write_index_o),
    .alloc_write_id_o(alloc_write_id_o),
    .alloc_write_ratio_o(alloc_write_ratio_o),
    .update_write_valid_o(update_write_valid_o),
    .update_write_index_o(update_write_index_o),
    .update_write_word_o(update_write_word_o),
    .peek_valid_i(peek_valid_i & (peek_unit_i == PeekBuffer)),
    .peek_index_i(peek_index_i[7:0]),
    .peek_data_o(buffer_peek)
  );

  combination_unit #(
    .LineBytes(LineBytes),
    .Exact(Exact),
    .Requests(Requests),
    .CountWidth(CountWidth),
    .Observe(Observe)
  ) u_combination (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .epoch_i(epoch_i),
    .data_valid_i(child_data_valid_i),
    .data_ready_o(child_data_ready_o),
    .data_tag_i(child_data_tag_i),
    .data_epoch_i(child_data_epoch_i),
    .data_failed_i(child_data_failed_i),
    .data_i(child_data_i),
    .take_valid_o(take_valid),
    .take_ready_i(take_ready),
    .take_tag_o(take_tag),
    .run_valid_i(run_valid),
    .run_ready_o(run_ready),
    .run_void_i(run_void),
    .run_last_i(run_last),
    .run_parent_i(run_parent),
    .run_first_i(run_first),
    .run_count_i(run_count),
    .run_ratio_i(run_ratio),
    .run_texel_i(run_texel),
    .update_valid_o(update_valid),
    .update_index_o(update_index),
    .update_count_o(update_count),
    .update_failed_o(update_failed),
    .update_sum_o(update_sum),
    .request_valid_i(request_valid),
    .request_ready_o(request_ready),
    .request_id_i(request_id),
    .request_epoch_i(request_epoch),
    .request_mask_i(request_mask),
    .request_ratio_i(request_ratio),
    .request_refused_i(request_refused),
    .parent_valid_i(parent_valid),
    .parent_ready_o(parent_ready),
    .parent_id_i(parent_id),
    .parent_failed_i(parent_failed),
    .parent_value_i(parent_value),
    .response_valid_o(response_valid_o),
    .response_ready_i(response_ready_i),
    .response_o(response_o),
    .error_o(combination_error),
    .quiescent_o(combination_quiescent),
    .peek_valid_i(peek_valid_i & (peek_unit_i == PeekCombination)),
    .peek_index_i(peek_index_i[7:0]),
    .peek_data_o(combination_peek)
  );

`ifdef VERILATOR
  // What the parts owe each other, whatever comes from outside.
  // Rule 1: the generator reserves only free entries, in the ring's order.
  // Rule 2: runs are those of live parents, and fit them.
  // Rule 3: the parent at the head of the ring belongs to the request at the head of the queue.
  `NOCTURNE_ASSERT(BufferSeesNoError, buffer_error == 4'd0)
  `NOCTURNE_ASSERT(CombinationSeesNoError, combination_error == 4'd0)
  // Rule 4: never more credits returned than taken.
  `NOCTURNE_ASSERT(ReturnsWithinTaken, generator_error != 4'd3)
`endif

endmodule
