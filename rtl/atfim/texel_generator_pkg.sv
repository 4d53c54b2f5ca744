// SPDX-License-Identifier: Apache-2.0
// Codes and sizes of texel_generator.
// Written from its description, page.yaml (make docs); its modules include this file.
`ifndef TEXEL_GENERATOR_PKG_SV
`define TEXEL_GENERATOR_PKG_SV

// No module uses all of the codes.
// verilator lint_off UNUSED
package texel_generator_pkg;

  localparam logic [1:0] WrapRepeat = 2'd0;
  localparam logic [1:0] WrapClamp = 2'd1;
  localparam logic [1:0] WrapMirror = 2'd2;

  localparam logic [0:0] ReadingLattice = 1'd0;
  localparam logic [0:0] ReadingIsotropic = 1'd1;

  localparam logic [3:0] CounterPackages = 4'd0;
  localparam logic [3:0] CounterRefused = 4'd1;
  localparam logic [3:0] CounterDropped = 4'd2;
  localparam logic [3:0] CounterGroups = 4'd3;
  localparam logic [3:0] CounterBeats = 4'd4;
  localparam logic [3:0] CounterChildren = 4'd5;
  localparam logic [3:0] CounterTaken = 4'd6;
  localparam logic [3:0] CounterNotTaken = 4'd7;
  localparam logic [3:0] CounterNoPackage = 4'd8;
  localparam logic [3:0] CounterNoSlot = 4'd9;
  localparam logic [3:0] CounterNoRequest = 4'd10;
  localparam logic [3:0] CounterFilling = 4'd11;

  localparam logic [0:0] PeekDescriptor = 1'd0;
  localparam logic [0:0] PeekCounter = 1'd1;

  localparam logic [1:0] ErrNone = 2'd0;
  localparam logic [1:0] ErrPackage = 2'd1;
  localparam logic [1:0] ErrDescriptor = 2'd2;
  localparam logic [1:0] ErrSlot = 2'd3;

  // Packed descriptor
  localparam int DescriptorIndexAt = 0, DescriptorIndexBits = 16;
  localparam int DescriptorBaseAt = 16, DescriptorBaseBits = 22;
  localparam int DescriptorWidthAt = 38, DescriptorWidthBits = 14;
  localparam int DescriptorHeightAt = 52, DescriptorHeightBits = 14;
  localparam int DescriptorWrapXAt = 66, DescriptorWrapXBits = 2;
  localparam int DescriptorWrapYAt = 68, DescriptorWrapYBits = 2;
  localparam int DescriptorTotalBits = 70;

  // Packed package
  localparam int PackageIdAt = 0, PackageIdBits = 11;
  localparam int PackageEpochAt = 11, PackageEpochBits = 8;
  localparam int PackageDescriptorAt = 19, PackageDescriptorBits = 16;
  localparam int PackageLevelAt = 35, PackageLevelBits = 4;
  localparam int PackageOffsetAt = 39, PackageOffsetBits = 28;
  localparam int PackageReadingAt = 67, PackageReadingBits = 1;
  localparam int PackageExtentAt = 68, PackageExtentBits = 3;
  localparam int PackageAlongYAt = 71, PackageAlongYBits = 1;
  localparam int PackageSlopeAt = 72, PackageSlopeBits = 3;
  localparam int PackageTileXAt = 75, PackageTileXBits = 12;
  localparam int PackageTileYAt = 87, PackageTileYBits = 12;
  localparam int PackageTotalBits = 99;

  // Packed request
  localparam int RequestSlotAt = 0, RequestSlotBits = 6;
  localparam int RequestIdAt = 6, RequestIdBits = 11;
  localparam int RequestEpochAt = 17, RequestEpochBits = 8;
  localparam int RequestMaskAt = 25, RequestMaskBits = 16;
  localparam int RequestExtentAt = 41, RequestExtentBits = 3;
  localparam int RequestRefusedAt = 44, RequestRefusedBits = 1;
  localparam int RequestTotalBits = 45;

  // Packed beat
  localparam int BeatSlotAt = 0, BeatSlotBits = 6;
  localparam int BeatLastAt = 6, BeatLastBits = 1;
  localparam int BeatAlongYAt = 7, BeatAlongYBits = 1;
  localparam int BeatLineAt = 8, BeatLineBits = 28;
  localparam int BeatTexelAt = 36, BeatTexelBits = 16;
  localparam int BeatParentAt = 52, BeatParentBits = 64;
  localparam int BeatTotalBits = 116;

endpackage
// verilator lint_on UNUSED

`endif
