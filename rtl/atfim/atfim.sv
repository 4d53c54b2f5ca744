// SPDX-License-Identifier: Apache-2.0
// Anisotropic filtering in the cube's logic layer, by lines of 4x4 parents: one layer, four parts
// joined. A-TFIM (HPCA 2017), V, Fig. 9. Cycle contract: docs/units/atfim.md, which also holds
// the argument that there is no overflow and no deadlock; bit maps of package and response:
// docs/units/offload_unit.md.
//
// A package asks for a line of parents. It becomes beats, a line of children each (texel
// generator); these become reads (child consolidation); what comes back is added to the parents
// (combination unit, parent texel buffer), and complete lines go back as the package's response.
// Illegal: what the parts refuse; error_o holds the code of each part.
// Rate: one beat, read, run and response a cycle. Latency without memory: 20 cycles to the first
// read, 7 from the last line to the response.
// Cost: the parts'; here only the choice of the answer to a peek.
// The parts' packages, too: Icarus 11 takes no package in a file that it finds with -y.
`include "atfim_pkg.sv"
`include "child_consolidation_pkg.sv"
`include "combination_unit_pkg.sv"
`include "parent_texel_buffer_pkg.sv"
`include "texel_generator_pkg.sv"
`include "assert.svh"

module atfim #(
  parameter int Descriptors = 1024,  // textures: powers of two, 2 to 65536
  parameter int Slots = 16,          // packages in process: powers of two, 2 to 64
  parameter int Entries = 256,       // of the consolidation: powers of two, 16 to 256
  parameter int SetBits = 6,         // 2^SetBits sets of lines under way: 1 to 6
  parameter int Ways = 4,            // lines of a set: 1, 2, 4
  parameter bit Merge = 1'b1,        // 0: no two beats share a read
  parameter int CountWidth = 48,     // bits of a counter, 10 to 48
  parameter bit Observe = 1'b1       // 0: no counters; peek_data_o is 0
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic [7:0]            epoch_i,               // constant from one reset to the next
  input  logic [CountWidth-1:0] cycle_i,               // 1 in the first cycle after reset
  // Descriptor writes, always taken
  input  logic                  descriptor_valid_i,
  input  logic [15:0]           descriptor_index_i,
  input  logic [21:0]           descriptor_base_i,     // bytes / 4096
  input  logic [13:0]           descriptor_width_i,    // texels of level 0, 1 to 8192
  input  logic [13:0]           descriptor_height_i,
  input  logic [1:0]            descriptor_wrap_x_i,   // 0 repeat, 1 clamp, 2 mirror
  input  logic [1:0]            descriptor_wrap_y_i,
  // Packages from the switch
  input  logic                  package_valid_i,
  output logic                  package_ready_o,
  input  logic [127:0]          package_i,
  // Reads of child data
  output logic                  child_read_valid_o,
  input  logic                  child_read_ready_i,
  output logic [10:0]           child_read_tag_o,
  output logic [27:0]           child_read_line_o,     // bytes / 64
  // Child data, in any order
  input  logic                  child_data_valid_i,
  output logic                  child_data_ready_o,
  input  logic [10:0]           child_data_tag_i,
  input  logic [7:0]            child_data_epoch_i,    // of the read
  input  logic                  child_data_failed_i,
  input  logic [511:0]          child_data_i,          // RGBA8 texels, first lowest
  // Responses to the switch
  output logic                  response_valid_o,
  input  logic                  response_ready_i,
  output logic [575:0]          response_o,
  // Status
  output logic [15:0]           error_o,               // 4 bits a part, generator lowest
  output logic                  quiescent_o,
  // Observation
  input  logic                  peek_valid_i,
  input  logic [1:0]            peek_unit_i,           // atfim_pkg::PeekUnit...
  input  logic [1:0]            peek_select_i,
  input  logic [15:0]           peek_index_i,
  output logic [63:0]           peek_data_o
);

  // ---- Peek ------------------------------------------------------------------------------

  logic [54:0] generator_peek;
  logic [63:0] consolidation_peek;
  logic [58:0] buffer_peek;
  logic [CountWidth-1:0] combination_peek;

  if (Observe) begin : gen_observe
    logic [1:0] peek_unit_q;  // named by the last peek

    always_ff @(posedge clk_i) begin
      if (!rst_ni) peek_unit_q <= atfim_pkg::PeekUnitGenerator;
      else if (peek_valid_i) peek_unit_q <= peek_unit_i;
    end

    always_comb begin
      unique case (peek_unit_q)
        atfim_pkg::PeekUnitGenerator: peek_data_o = 64'(generator_peek);
        atfim_pkg::PeekUnitConsolidation: peek_data_o = consolidation_peek;
        atfim_pkg::PeekUnitBuffer: peek_data_o = 64'(buffer_peek);
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
  logic [5:0] request_slot;
  logic [10:0] request_id;
  logic [7:0] request_epoch;
  logic [15:0] request_mask;
  logic [2:0] request_extent;
  logic free_valid;
  logic [5:0] free_slot;
  logic beat_valid, beat_ready, beat_last, beat_along_y;
  logic [5:0] beat_slot;
  logic [27:0] beat_line;
  logic [15:0] beat_texel;
  logic [63:0] beat_parent;
  logic take_valid, take_ready;
  logic [10:0] take_tag;
  logic run_valid, run_ready, run_void, run_last, run_along_y;
  logic [5:0] run_slot;
  logic [15:0] run_texel;
  logic [63:0] run_parent;
  logic update_valid;
  logic [5:0] update_slot;
  logic [15:0] update_add, update_failed;
  logic [639:0] update_sum;
  logic row_valid, row_ready;
  logic [5:0] row_slot;
  logic [15:0] row_failed;
  logic [767:0] row_value;
  logic [3:0] generator_error, consolidation_error, buffer_error, combination_error;
  logic generator_quiescent, consolidation_quiescent, buffer_quiescent, combination_quiescent;

  assign error_o = {combination_error, buffer_error, consolidation_error, generator_error};
  assign quiescent_o = generator_quiescent & consolidation_quiescent & buffer_quiescent &
                       combination_quiescent;

  // Header bits of the switch, the camera angle, and bits that are reserved
  logic unused_package;
  assign unused_package = ^{package_i[127:124], package_i[95:88], package_i[63:60], package_i[23],
                            package_i[11:0]};

  // What the parts report of their writes
  logic insert_valid, insert_new, close_valid, beat_write_valid, beat_write_seen;
  logic update_write_valid, unused_reports;
  logic [7:0] insert_index, insert_fetch, close_fetch, beat_write_left, update_write_left;
  logic [5:0] insert_slot, beat_write_slot, update_write_slot;
  logic [15:0] update_write_begun, update_write_failed;
  logic [767:0] update_write_value;
  assign unused_reports =
      ^{insert_valid, insert_new, insert_index, insert_fetch, insert_slot, close_valid, close_fetch,
        beat_write_valid, beat_write_slot, beat_write_left, beat_write_seen, update_write_valid,
        update_write_slot, update_write_left, update_write_begun, update_write_failed,
        update_write_value};

  texel_generator #(
    .Descriptors(Descriptors),
    .Slots(Slots),
    .CountWidth(CountWidth),
    .Observe(Observe)
  ) u_generator (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .cycle_i(cycle_i),
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
    .package_id_i(package_i[22:12]),
    .package_epoch_i(package_i[31:24]),
    .package_descriptor_i(package_i[47:32]),
    .package_level_i(package_i[51:48]),
    .package_offset_i(package_i[123:96]),
    .package_reading_i(package_i[52]),
    .package_extent_i(package_i[55:53]),
    .package_along_y_i(package_i[56]),
    .package_slope_i(package_i[59:57]),
    .package_tile_x_i(package_i[75:64]),
    .package_tile_y_i(package_i[87:76]),
    .request_valid_o(request_valid),
    .request_ready_i(request_ready),
    .request_slot_o(request_slot),
    .request_id_o(request_id),
    .request_epoch_o(request_epoch),
    .request_mask_o(request_mask),
    .request_extent_o(request_extent),
    .request_refused_o(request_refused),
    .free_valid_i(free_valid),
    .free_slot_i(free_slot),
    .beat_valid_o(beat_valid),
    .beat_ready_i(beat_ready),
    .beat_slot_o(beat_slot),
    .beat_last_o(beat_last),
    .beat_along_y_o(beat_along_y),
    .beat_line_o(beat_line),
    .beat_texel_o(beat_texel),
    .beat_parent_o(beat_parent),
    .error_o(generator_error),
    .quiescent_o(generator_quiescent),
    .peek_valid_i(peek_valid_i & (peek_unit_i == atfim_pkg::PeekUnitGenerator)),
    .peek_select_i(peek_select_i[0]),
    .peek_index_i(peek_index_i),
    .peek_data_o(generator_peek)
  );

  child_consolidation #(
    .Entries(Entries),
    .SetBits(SetBits),
    .Ways(Ways),
    .Merge(Merge),
    .CountWidth(CountWidth),
    .Observe(Observe)
  ) u_consolidation (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .cycle_i(cycle_i),
    .beat_valid_i(beat_valid),
    .beat_ready_o(beat_ready),
    .beat_slot_i(beat_slot),
    .beat_last_i(beat_last),
    .beat_along_y_i(beat_along_y),
    .beat_line_i(beat_line),
    .beat_texel_i(beat_texel),
    .beat_parent_i(beat_parent),
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
    .run_slot_o(run_slot),
    .run_along_y_o(run_along_y),
    .run_texel_o(run_texel),
    .run_parent_o(run_parent),
    .error_o(consolidation_error),
    .quiescent_o(consolidation_quiescent),
    .insert_valid_o(insert_valid),
    .insert_index_o(insert_index),
    .insert_slot_o(insert_slot),
    .insert_fetch_o(insert_fetch),
    .insert_new_o(insert_new),
    .close_valid_o(close_valid),
    .close_fetch_o(close_fetch),
    .peek_valid_i(peek_valid_i & (peek_unit_i == atfim_pkg::PeekUnitConsolidation)),
    .peek_select_i(peek_select_i),
    .peek_index_i(peek_index_i[7:0]),
    .peek_data_o(consolidation_peek)
  );

  parent_texel_buffer #(
    .Slots(Slots),
    .Observe(Observe)
  ) u_buffer (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .beat_valid_i(beat_valid & beat_ready),
    .beat_slot_i(beat_slot),
    .beat_last_i(beat_last),
    .update_valid_i(update_valid),
    .update_slot_i(update_slot),
    .update_add_i(update_add),
    .update_failed_i(update_failed),
    .update_sum_i(update_sum),
    .row_valid_o(row_valid),
    .row_ready_i(row_ready),
    .row_slot_o(row_slot),
    .row_failed_o(row_failed),
    .row_value_o(row_value),
    .error_o(buffer_error),
    .quiescent_o(buffer_quiescent),
    .beat_write_valid_o(beat_write_valid),
    .beat_write_slot_o(beat_write_slot),
    .beat_write_left_o(beat_write_left),
    .beat_write_seen_o(beat_write_seen),
    .update_write_valid_o(update_write_valid),
    .update_write_slot_o(update_write_slot),
    .update_write_left_o(update_write_left),
    .update_write_begun_o(update_write_begun),
    .update_write_failed_o(update_write_failed),
    .update_write_value_o(update_write_value),
    .peek_valid_i(peek_valid_i & (peek_unit_i == atfim_pkg::PeekUnitBuffer)),
    .peek_index_i(peek_index_i[9:0]),
    .peek_data_o(buffer_peek)
  );

  combination_unit #(
    .Slots(Slots),
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
    .run_slot_i(run_slot),
    .run_along_y_i(run_along_y),
    .run_texel_i(run_texel),
    .run_parent_i(run_parent),
    .update_valid_o(update_valid),
    .update_slot_o(update_slot),
    .update_add_o(update_add),
    .update_failed_o(update_failed),
    .update_sum_o(update_sum),
    .request_valid_i(request_valid),
    .request_ready_o(request_ready),
    .request_slot_i(request_slot),
    .request_id_i(request_id),
    .request_epoch_i(request_epoch),
    .request_mask_i(request_mask),
    .request_extent_i(request_extent),
    .request_refused_i(request_refused),
    .row_valid_i(row_valid),
    .row_ready_o(row_ready),
    .row_slot_i(row_slot),
    .row_failed_i(row_failed),
    .row_value_i(row_value),
    .free_valid_o(free_valid),
    .free_slot_o(free_slot),
    .response_valid_o(response_valid_o),
    .response_ready_i(response_ready_i),
    .response_o(response_o),
    .error_o(combination_error),
    .quiescent_o(combination_quiescent),
    .peek_valid_i(peek_valid_i & (peek_unit_i == atfim_pkg::PeekUnitCombination)),
    .peek_index_i(peek_index_i[7:0]),
    .peek_data_o(combination_peek)
  );

`ifdef VERILATOR
  // What the parts owe each other, whatever comes from outside.
  // Rule 1: an update is of a package whose beat was counted.
  `NOCTURNE_ASSERT(BufferSeesNoError, buffer_error == 4'd0)
  // Rule 2: runs are as the generator made them; requests and rows are of open slots.
  `NOCTURNE_ASSERT(CombinationSeesNoError, combination_error == 4'd0)
  // Rule 3: a slot is given back once.
  `NOCTURNE_ASSERT(SlotsWithinTaken, generator_error != 4'd3)
`endif

endmodule
