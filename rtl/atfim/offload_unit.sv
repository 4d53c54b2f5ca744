// SPDX-License-Identifier: Apache-2.0
// Sends the lines of parents that a GPU misses to the cube as packages, keeps each until it is
// answered, and sends all that is unanswered again after a reset of the cube.
// A-TFIM (HPCA 2017), V-D, V-E, Fig. 9, Table I. Cycle contract: docs/units/offload_unit.md;
// package and response, too.
//
// Slots: free, pending, waiting, or none of these: answered. A pending slot is picked round
// robin, its request is read, and the package is queued in the next cycle.
// Rate: a request from every texture unit, a package, a response and an answer a cycle.
// Latency: three cycles from request to package, one from response to answer.
// Illegal: a response for a slot that does not wait, a reissue under the present epoch. They
// change nothing, and error_o holds the first one's code until reset. A response of another
// epoch is dropped, without an error.
// No deadlock: packages wait for the link alone, answers for their texture unit alone; a unit
// waits for at most one package of each other unit.
// Cost: NumTextureUnits x Slots x (96 bits of memory + 3 flip-flops).
`include "offload_unit_pkg.sv"
`include "assert.svh"

module offload_unit #(
  parameter int NumTextureUnits = 16,  // 1 to 64
  parameter int Slots = 16,            // unanswered requests of a unit, a power of two, 1 to 32
  parameter int PackageFlits = 4,      // length of a package in its header, 4 or 2
  parameter int CountWidth = 48,       // bits of a counter, 10 to 48
  parameter bit Observe = 1'b1,        // 0: no counters; state of the slots and peek_data_o are 0
  localparam int RequestWidth = 96,
  localparam int AnswerWidth = 16 * 32,
  localparam int TotalSlots = NumTextureUnits * Slots
) (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,
  // Requests, a stream of each texture unit: bits 127:32 of the package
  input  logic [NumTextureUnits-1:0]               request_valid_i,
  output logic [NumTextureUnits-1:0]               request_ready_o,
  output logic [NumTextureUnits*5-1:0]             request_slot_o,    // that the next one gets
  input  logic [NumTextureUnits*RequestWidth-1:0]  request_i,
  // Send all unanswered requests anew
  input  logic                                     reissue_valid_i,
  input  logic [7:0]                               reissue_epoch_i,
  // Packages to the link
  output logic                                     package_valid_o,
  input  logic                                     package_ready_i,
  output logic [127:0]                             package_o,
  // Responses from the link
  input  logic                                     response_valid_i,
  output logic                                     response_ready_o,
  input  logic [575:0]                             response_i,
  // Answers, a stream to each texture unit with one payload
  output logic [NumTextureUnits-1:0]               answer_valid_o,
  input  logic [NumTextureUnits-1:0]               answer_ready_i,
  output logic [4:0]                               answer_slot_o,
  output logic [15:0]                              answer_failed_o,
  output logic                                     answer_refused_o,
  output logic [AnswerWidth-1:0]                   answer_texel_o,
  // Status
  output logic [3:0]                               error_o,
  output logic                                     quiescent_o,
  // State of the slots: unit u's slot s is bit u * Slots + s
  output logic [TotalSlots-1:0]                    free_o,
  output logic [TotalSlots-1:0]                    pending_o,
  output logic [TotalSlots-1:0]                    waiting_o,
  output logic [7:0]                               epoch_o,
  // Observation: counters
  input  logic                                     peek_valid_i,
  input  logic [7:0]                               peek_index_i,
  output logic [CountWidth-1:0]                    peek_data_o
);

  localparam int SlotBits = $clog2(Slots);
  localparam int SlotWidth = (Slots > 1) ? SlotBits : 1;
  localparam logic [SlotWidth-1:0] SlotMask = SlotWidth'(Slots - 1);  // the slot in an id
  localparam int UnitWidth = (NumTextureUnits > 1) ? $clog2(NumTextureUnits) : 1;
  localparam int IdWidth = UnitWidth + SlotBits;   // of ids that are given out
  localparam int GivenWidth = 11 - SlotBits;       // of the unit in any id
  localparam int LastUnit = NumTextureUnits - 1;
  localparam logic [6:0] Command = 7'h70;
  localparam logic [4:0] Flits = 5'(PackageFlits);

  // The number of the one slot of a mask, 0 if it is empty.
  function automatic logic [SlotWidth-1:0] index_of(input logic [Slots-1:0] mask);
    index_of = '0;
    for (int n = 0; n < Slots; n = n + 1) if (mask[n]) index_of = SlotWidth'(n);
  endfunction

  // ---- Round robin -----------------------------------------------------------------------

  logic [NumTextureUnits-1:0] sending, later, first, pick_unit;  // has a pending slot; one-hot
  logic [UnitWidth-1:0] last_q, number;
  logic [IdWidth-1:0] pick_id;
  logic [NumTextureUnits*SlotWidth-1:0] slot_number;  // that each unit would send
  logic [2:0] package_count;
  logic pick, s_valid_q;

  // After the last unit served, then from the lowest on.
  assign later = sending & (({NumTextureUnits{1'b1}} << last_q) << 1);
  assign first = (later != '0) ? later : sending;
  assign pick = (sending != '0) & (package_count + 3'(s_valid_q) < 3'd4);
  assign pick_unit = first & (~first + NumTextureUnits'(1)) & {NumTextureUnits{pick}};

  always_comb begin
    number = '0;
    pick_id = '0;
    for (int n = 0; n < NumTextureUnits; n = n + 1) begin
      if (pick_unit[n]) begin
        number = UnitWidth'(n);
        pick_id = (IdWidth'(n) << SlotBits) | IdWidth'(slot_number[n*SlotWidth +: SlotWidth]);
      end
    end
  end

  // ---- Slots -----------------------------------------------------------------------------

  logic [NumTextureUnits-1:0] accept, named, leave;
  wire [RequestWidth-1:0] stored [NumTextureUnits];
  logic [10:0] response_id;
  logic [GivenWidth-1:0] response_unit;
  logic [IdWidth-1:0] answer_id;
  logic [UnitWidth-1:0] answer_unit;
  logic [SlotWidth-1:0] response_slot, answer_slot;
  logic respond, reissue, answered;

  assign accept = request_valid_i & request_ready_o;

  for (genvar u = 0; u < NumTextureUnits; u = u + 1) begin : gen_unit
    logic [Slots-1:0] free_q, pending_q, waiting_q;
    logic [Slots-1:0] lowest, later_slots, first_slots, picking, picked;
    logic [Slots-1:0] added, responded, left;
    logic [SlotWidth-1:0] next_q, free_number, pick_number;
    logic [RequestWidth-1:0] request;

    assign lowest = free_q & (~free_q + Slots'(1));
    assign later_slots = pending_q & ({Slots{1'b1}} << next_q);
    assign first_slots = (later_slots != '0) ? later_slots : pending_q;
    assign picking = first_slots & (~first_slots + Slots'(1));
    assign picked = picking & {Slots{pick_unit[u]}};
    assign added = lowest & {Slots{accept[u]}};
    assign responded = (Slots'(1) << response_slot) &
                       {Slots{respond & (response_unit == GivenWidth'(u))}};
    assign left = (Slots'(1) << answer_slot) & {Slots{leave[u]}};
    assign sending[u] = pending_q != '0;
    assign request_ready_o[u] = free_q != '0;
    assign request_slot_o[u*5 +: 5] = 5'(free_number);
    assign slot_number[u*SlotWidth +: SlotWidth] = pick_number;
    assign named[u] = (response_unit == GivenWidth'(u)) &
                      (((waiting_q >> response_slot) & Slots'(1)) != '0);
    assign answer_valid_o[u] = answered & (answer_unit == UnitWidth'(u));
    assign leave[u] = answer_valid_o[u] & answer_ready_i[u];
    assign free_o[u*Slots +: Slots] = Observe ? free_q : '0;
    assign pending_o[u*Slots +: Slots] = Observe ? pending_q : '0;
    assign waiting_o[u*Slots +: Slots] = Observe ? waiting_q : '0;

    assign free_number = index_of(lowest);
    assign pick_number = index_of(picking);
    assign stored[u] = request;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        free_q <= {Slots{1'b1}};
        pending_q <= '0;
        waiting_q <= '0;
        next_q <= '0;
      end else begin
        free_q <= (free_q & ~added) | left;
        if (reissue) begin
          // Also one that is picked in this cycle.
          pending_q <= (pending_q | added | waiting_q) & ~responded;
          waiting_q <= '0;
        end else begin
          pending_q <= (pending_q | added) & ~picked;
          waiting_q <= (waiting_q | picked) & ~responded;
        end
        if (pick_unit[u]) next_q <= (pick_number + SlotWidth'(1)) & SlotMask;
      end
    end

    memory_1r1w #(
      .Width(RequestWidth),
      .Depth(Slots),
      .Bypass(1'b0)
    ) u_requests (
      .clk_i(clk_i),
      .write_i(accept[u]),
      .write_address_i(free_number),
      .write_data_i(request_i[u*RequestWidth +: RequestWidth]),
      .read_i(pick_unit[u]),
      .read_address_i(pick_number),
      .data_o(request)
    );
  end

  // ---- Stage S, package queue ------------------------------------------------------------

  logic [IdWidth-1:0] s_id_q, package_id;
  logic [7:0] s_epoch_q, epoch_q;
  logic [UnitWidth-1:0] s_unit_q;
  logic [RequestWidth-1:0] s_request, package_request;
  logic [7:0] package_epoch;

  assign s_request = stored[s_unit_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      s_valid_q <= 1'b0;
      last_q <= UnitWidth'(LastUnit);
    end else begin
      s_valid_q <= pick;
      if (pick) last_q <= number;
    end
    if (pick) begin
      s_id_q <= pick_id;
      s_unit_q <= number;
      s_epoch_q <= epoch_q;
    end
  end

  assign package_valid_o = package_count != '0;
  assign package_o = package_valid_o ?
      {package_request, package_epoch, 1'b0, 11'(package_id), Flits, Command} : '0;

  skid_fifo #(
    .Width(IdWidth + 8 + RequestWidth),
    .Depth(4)
  ) u_packages (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(s_valid_q),
    .data_i({s_request, s_epoch_q, s_id_q}),
    .pop_i(package_valid_o & package_ready_i),
    .data_o({package_request, package_epoch, package_id}),
    .count_o(package_count)
  );

  // ---- Responses, answers ----------------------------------------------------------------

  logic accept_response, stale;
  logic [1:0] response_count;

  assign response_id = response_i[22:12];
  assign response_unit = response_id[10:SlotBits];
  assign response_slot = response_id[SlotWidth-1:0] & SlotMask;
  assign response_ready_o = response_count != 2'd2;
  assign accept_response = response_valid_i & response_ready_o;
  assign stale = response_i[31:24] != epoch_q;
  assign respond = accept_response & ~stale & (named != '0);

  skid_fifo #(
    .Width(IdWidth + 16 + 1 + AnswerWidth)
  ) u_responses (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .push_i(respond),
    .data_i({response_i[575:64], response_i[48], response_i[47:32],
             response_id[IdWidth-1:0]}),
    .pop_i(leave != '0),
    .data_o({answer_texel_o, answer_refused_o, answer_failed_o, answer_id}),
    .count_o(response_count)
  );

  assign answered = response_count != '0;
  assign answer_unit = answer_id[IdWidth-1:SlotBits];
  assign answer_slot = answer_id[SlotWidth-1:0] & SlotMask;
  assign answer_slot_o = 5'(answer_slot);

  // ---- Reissue, errors -------------------------------------------------------------------

  logic [1:0] error_q;

  assign reissue = reissue_valid_i & (reissue_epoch_i != epoch_q);
  assign epoch_o = Observe ? epoch_q : '0;
  assign error_o = {2'd0, error_q};

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      epoch_q <= '0;
      error_q <= offload_unit_pkg::ErrNone;
    end else begin
      if (reissue) epoch_q <= reissue_epoch_i;
      if (error_q == offload_unit_pkg::ErrNone) begin
        if (accept_response && !stale && named == '0) error_q <= offload_unit_pkg::ErrResponse;
        else if (reissue_valid_i && !reissue) error_q <= offload_unit_pkg::ErrReissue;
      end
    end
  end

  // ---- Counters, quiescence --------------------------------------------------------------

  if (Observe) begin : gen_observe
    localparam int AcceptWidth = $clog2(NumTextureUnits + 1);
    localparam logic [AcceptWidth-1:0] One = AcceptWidth'(1);
    logic [CountWidth-1:0] peek_counter, peek_data_q;
    logic [AcceptWidth-1:0] accepted;

    assign peek_data_o = peek_data_q;

    always_comb begin
      accepted = '0;
      for (int n = 0; n < NumTextureUnits; n = n + 1) begin
        accepted = accepted + AcceptWidth'(accept[n]);
      end
    end

    // Requests, packages, responses, dropped.
    counter_bank #(
      .Counters(4),
      .CountWidth(CountWidth),
      .StepWidth(AcceptWidth)
    ) u_counters (
      .clk_i(clk_i),
      .rst_ni(rst_ni),
      .add_i({accept_response & stale, respond, s_valid_q, 1'b1}),
      .step_i({{3{One}}, accepted}),
      .index_i(peek_index_i),
      .count_o(peek_counter)
    );

    always_ff @(posedge clk_i) begin
      if (!rst_ni) peek_data_q <= '0;
      else if (peek_valid_i) peek_data_q <= peek_counter;
    end
  end else begin : gen_no_observe
    logic unused_peek;
    assign unused_peek = ^{peek_valid_i, peek_index_i};
    assign peek_data_o = '0;
  end

  assign quiescent_o = (accept == '0) & ~(package_valid_o & package_ready_i) &
                       ~accept_response & (leave == '0) & ~reissue_valid_i &
                       ~(Observe & peek_valid_i) & ~pick & ~s_valid_q;

  // Not of interest in a response: command, length, reserved bits.
  logic unused;
  assign unused = ^{response_i[11:0], response_i[23], response_i[63:49]};

`ifdef VERILATOR
  // Rule 1: packages and answers hold until they are taken.
  `NOCTURNE_ASSERT(PackageHolds,
      package_valid_o & ~package_ready_i |=> package_valid_o & $stable(package_o))
  `NOCTURNE_ASSERT(AnswerHolds,
      answered & leave == '0 |=> $stable(answer_valid_o) & $stable(answer_slot_o))
  // Rule 2: a slot is in one state at most; an answered one has its answer in the queue.
  // (Not properties: Verilator 5.006 cannot sample vectors of 2,048 bits.)
  always @(posedge clk_i) begin
    if (rst_ni) begin
      `NOCTURNE_ASSERT_NOW(SlotInOneState,
          !Observe || ((free_o & pending_o) == '0 && (free_o & waiting_o) == '0 &&
                       (pending_o & waiting_o) == '0 &&
                       $countones(~(free_o | pending_o | waiting_o)) == 32'(response_count)))
    end
  end
  // Rule 3: the package queue takes what is read.
  `NOCTURNE_ASSERT(PackageQueueHasRoom, s_valid_q |-> package_count != 3'd4)
`endif

endmodule
