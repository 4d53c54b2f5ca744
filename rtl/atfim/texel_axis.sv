// SPDX-License-Identifier: Apache-2.0
// One coordinate of a parent's 16 children: from the step between them to the wrapped
// texel. Stages 1 to 8 of the texel generator's address pipeline. A-TFIM (HPCA 2017), V-D,
// Fig. 9. Cycle contract: docs/units/texel_generator.md, "The address of child i".
//
// A stage takes over from the one before it when its load is 1; nothing is reset, the
// owner of this module knows which stages are occupied.
// Assumes a package that is not bad: |offset| <= 960 and -24 <= centre <= size + 22.
// Cost: for each child two additions for the offset and ten conditional subtractions of
// 14 bits, which are exact for every size and need no reciprocal.
module texel_axis #(
  localparam int Children = 16,
  localparam int CenterWidth = 15,  // texels, signed
  localparam int SizeWidth = 14,    // texels of a level, 1 to 8192
  localparam int TexelWidth = 13,
  localparam int SumWidth = 20      // multiples of the step, signed
) (
  input  logic                             clk_i,
  input  logic [8:1]                       load_i,
  // Stage 0
  input  logic [CenterWidth-1:0]           center_i,  // of the parent
  input  logic [15:0]                      step_i,    // signed 8.8 texels of the finer level
  input  logic [17:0]                      step3_i,   // three times the step
  input  logic [SumWidth-1:0]              common_i,  // (R - 1) step - (256 << level)
  input  logic                             coarse_i,  // the parent is on the coarser level
  input  logic [SizeWidth-1:0]             size_i,    // of its level
  input  logic [1:0]                       wrap_i,    // 0 repeat, 1 clamp, 2 mirror
  // Stage 7: the size once more; stage 8: the texel of each child
  output logic [SizeWidth-1:0]             size_o,
  output logic [Children*TexelWidth-1:0]   texel_o
);

  localparam int OffsetWidth = 11;
  localparam int Steps = 5;  // stages of two conditional subtractions: 3 to 7
  localparam logic [1:0] WrapRepeat = 2'd0, WrapClamp = 2'd1, WrapMirror = 2'd2;

  // ---- Common to all children ------------------------------------------------------------

  logic [CenterWidth-1:0] center_q;           // stage 1
  logic [7*SizeWidth-1:0] size_q;             // stages 1 to 7, the first lowest
  logic [7*2-1:0] wrap_q;
  logic [SizeWidth-1:0] last_q;               // size - 1, stage 7
  logic [1:0] wrap;

  assign size_o = size_q[6*SizeWidth +: SizeWidth];
  assign wrap = wrap_q[6*2 +: 2];

  always_ff @(posedge clk_i) begin
    if (load_i[1]) center_q <= center_i;
    if (load_i[7]) last_q <= size_q[5*SizeWidth +: SizeWidth] - SizeWidth'(1);
  end

  for (genvar s = 1; s <= 7; s = s + 1) begin : gen_common
    if (s == 1) begin : gen_first
      always_ff @(posedge clk_i) begin
        if (load_i[1]) begin
          size_q[0 +: SizeWidth] <= size_i;
          wrap_q[0 +: 2] <= wrap_i;
        end
      end
    end else begin : gen_next
      always_ff @(posedge clk_i) begin
        if (load_i[s]) begin
          size_q[(s-1)*SizeWidth +: SizeWidth] <= size_q[(s-2)*SizeWidth +: SizeWidth];
          wrap_q[(s-1)*2 +: 2] <= wrap_q[(s-2)*2 +: 2];
        end
      end
    end
  end

  // Multiples 0 to 15 of the step, one addition each at most.
  logic [SumWidth-1:0] step1, step3;
  logic [Children*SumWidth-1:0] multiple;

  assign step1 = {{(SumWidth-16){step_i[15]}}, step_i};
  assign step3 = {{(SumWidth-18){step3_i[17]}}, step3_i};

  always_comb begin
    multiple = '0;
    multiple[1*SumWidth +: SumWidth] = step1;
    multiple[2*SumWidth +: SumWidth] = step1 << 1;
    multiple[3*SumWidth +: SumWidth] = step3;
    multiple[4*SumWidth +: SumWidth] = step1 << 2;
    multiple[5*SumWidth +: SumWidth] = (step1 << 2) + step1;
    multiple[6*SumWidth +: SumWidth] = step3 << 1;
    multiple[7*SumWidth +: SumWidth] = (step1 << 3) - step1;
    multiple[8*SumWidth +: SumWidth] = step1 << 3;
    multiple[9*SumWidth +: SumWidth] = (step1 << 3) + step1;
    multiple[10*SumWidth +: SumWidth] = ((step1 << 2) + step1) << 1;
    multiple[11*SumWidth +: SumWidth] = (step1 << 3) + step3;
    multiple[12*SumWidth +: SumWidth] = step3 << 2;
    multiple[13*SumWidth +: SumWidth] = (step1 << 4) - step3;
    multiple[14*SumWidth +: SumWidth] = ((step1 << 3) - step1) << 1;
    multiple[15*SumWidth +: SumWidth] = (step1 << 4) - step1;
  end

  // ---- Each child ------------------------------------------------------------------------

  for (genvar c = 0; c < Children; c = c + 1) begin : gen_child
    // (2 i - R + 1) step + (256 << level); children beyond R hold anything.
    logic [SumWidth-1:0] sum;
    logic [OffsetWidth-1:0] offset_q;                // stage 1
    logic [CenterWidth-1:0] position;
    logic [(Steps+1)*SizeWidth-1:0] value_q;         // stages 2 to 7: m, then less and less
    logic [Steps:0] negative_q, beyond_q;            // left of the level; right of size - 1
    logic odd_q;                                     // an odd number of sizes was taken off
    logic flip;
    logic [SizeWidth-1:0] rest, texel;
    logic [TexelWidth-1:0] texel_q;                  // stage 8

    assign sum = (multiple[c*SumWidth +: SumWidth] << 1) - common_i;
    assign position = center_q + {{(CenterWidth-OffsetWidth){offset_q[OffsetWidth-1]}}, offset_q};

    always_ff @(posedge clk_i) begin
      if (load_i[1]) begin
        offset_q <= coarse_i ? {sum[SumWidth-1], sum[SumWidth-1:10]} : sum[SumWidth-1:9];
      end
      if (load_i[2]) begin
        value_q[0 +: SizeWidth] <= position[SizeWidth-1:0] ^ {SizeWidth{position[CenterWidth-1]}};
        negative_q[0] <= position[CenterWidth-1];
        beyond_q[0] <= 1'b0;
      end
    end

    for (genvar s = 0; s < Steps; s = s + 1) begin : gen_step
      localparam int High = 9 - 2 * s;
      localparam int Low = 8 - 2 * s;
      logic [SizeWidth-1:0] size, value, middle;
      logic [SizeWidth:0] high, low;  // with borrow

      assign size = size_q[(s+1)*SizeWidth +: SizeWidth];
      assign value = value_q[s*SizeWidth +: SizeWidth];
      assign high = {1'b0, value >> High} - {1'b0, size};
      assign middle = high[SizeWidth] ? value
          : (high[SizeWidth-1:0] << High) | (value & SizeWidth'((1 << High) - 1));
      assign low = {1'b0, middle >> Low} - {1'b0, size};

      always_ff @(posedge clk_i) begin
        if (load_i[s+3]) begin
          value_q[(s+1)*SizeWidth +: SizeWidth] <= low[SizeWidth] ? middle
              : (low[SizeWidth-1:0] << Low) | (middle & SizeWidth'((1 << Low) - 1));
          negative_q[s+1] <= negative_q[s];
          beyond_q[s+1] <= beyond_q[s] | ~high[SizeWidth] | ~low[SizeWidth];
        end
      end

      if (s == Steps - 1) begin : gen_odd
        always_ff @(posedge clk_i) if (load_i[7]) odd_q <= ~low[SizeWidth];
      end
    end

    assign rest = value_q[Steps*SizeWidth +: SizeWidth];
    assign flip = (wrap == WrapRepeat) ? negative_q[Steps] : (wrap == WrapMirror) & odd_q;

    always_comb begin
      texel = flip ? last_q - rest : rest;
      if (wrap == WrapClamp) begin
        if (negative_q[Steps]) texel = '0;
        else if (beyond_q[Steps]) texel = last_q;
      end
    end

    always_ff @(posedge clk_i) if (load_i[8]) texel_q <= texel[TexelWidth-1:0];

    assign texel_o[c*TexelWidth +: TexelWidth] = texel_q;

    logic unused_texel;
    assign unused_texel = texel[SizeWidth-1];
  end

endmodule
