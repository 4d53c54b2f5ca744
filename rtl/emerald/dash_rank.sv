// SPDX-License-Identifier: Apache-2.0
// Ranks of CPUs and IPs: for each the number of those that go before it. Combinational.
// Contract: docs/units/dash_scheduler.md, rule 1.
//
// Each is compared with each of its own kind; of a CPU and an IP the classes decide.
// Cost: Ips (Ips - 1) / 2 comparators of TimeWidth bits, Cpus (Cpus - 1) / 2 of 4 bits.
module dash_rank #(
  parameter int Cpus      = 4,
  parameter int Ips       = 2,
  parameter int TimeWidth = 20,
  localparam int Sources = Cpus + Ips,
  localparam int Index = $clog2(Cpus + Ips)
) (
  input  logic [Ips-1:0]           urgent_i,
  input  logic [Ips-1:0]           behind_i,     // the intensive CPUs, unless it is urgent
  input  logic [Ips*TimeWidth-1:0] remaining_i,
  input  logic [Cpus-1:0]          intensive_i,
  input  logic [3*Cpus-1:0]        order_i,
  input  logic [2:0]               shuffle_i,    // below Cpus
  output logic [Index*Sources-1:0] rank_o
);

  // Counts the set bits.
  function automatic logic [Index-1:0] count(input logic [Sources-1:0] bits);
    count = '0;
    for (int k = 0; k < Sources; k = k + 1) count = count + Index'(bits[k]);
  endfunction

  // Class and key of each CPU and IP
  logic [3:0] cpu_key [Cpus];
  logic [TimeWidth+1:0] ip_key [Ips];

  for (genvar c = 0; c < Cpus; c = c + 1) begin : gen_cpu
    logic [2:0] turn;
    if (c == 0) begin : gen_first
      assign turn = (shuffle_i == 3'd0) ? 3'd0 : 3'(4'(Cpus) - {1'b0, shuffle_i});
    end else begin : gen_other
      assign turn = ({1'b0, shuffle_i} > 4'(c)) ? 3'(4'(Cpus + c) - {1'b0, shuffle_i})
                                        : 3'(c) - shuffle_i;
    end
    assign cpu_key[c] = {intensive_i[c], intensive_i[c] ? turn : order_i[3*c +: 3]};
  end

  for (genvar i = 0; i < Ips; i = i + 1) begin : gen_ip
    assign ip_key[i] = {~urgent_i[i], behind_i[i] & ~urgent_i[i],
                        remaining_i[i*TimeWidth +: TimeWidth]};
  end

  // A single CPU or IP has none of its kind to be compared with.
  logic unused_keys;
  assign unused_keys = ^{cpu_key[Cpus-1], ip_key[Ips-1]};

  // The older of two goes first.
  for (genvar s = 1; s < Sources; s = s + 1) begin : gen_younger
    for (genvar o = 0; o < s; o = o + 1) begin : gen_older
      logic first;
      if (s < Cpus) begin : gen_cpus
        assign first = cpu_key[o] <= cpu_key[s];
      end else if (o >= Cpus) begin : gen_ips
        assign first = ip_key[o-Cpus] <= ip_key[s-Cpus];
      end else begin : gen_mixed
        assign first = ~urgent_i[s-Cpus] & (~intensive_i[o] | behind_i[s-Cpus]);
      end
    end
  end

  for (genvar s = 0; s < Sources; s = s + 1) begin : gen_rank
    logic [Sources-1:0] before_it;
    for (genvar o = 0; o < Sources; o = o + 1) begin : gen_other
      if (o < s) begin : gen_older
        assign before_it[o] = gen_younger[s].gen_older[o].first;
      end else if (o > s) begin : gen_later
        assign before_it[o] = ~gen_younger[o].gen_older[s].first;
      end else begin : gen_self
        assign before_it[o] = 1'b0;
      end
    end
    assign rank_o[s*Index +: Index] = count(before_it);
  end

endmodule
