// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

#include <math.h>

#include "csim/texture/texture_design.h"
#include "made.h"

#define KIND(field) \
  _Generic(((facts_t *)0)->field, uint64_t: RowNumber, uint32_t: RowCount, double: RowReal,  \
           bool: RowTruth, const char *: RowWord, char *: RowText, uint64_t *: RowList, \
           gpu_by_cluster_t: RowClusters)
#define VALUE(field) \
  .kind = KIND(field), .at = offsetof(facts_t, field), .size = sizeof(((facts_t *)0)->field)
#define ROW(path, in, field, over_gpus, over_frames, with, meaning)                                \
  {                                                                                                \
    .key = path, .unit = in, VALUE(field), .gpus = over_gpus, .frames = over_frames, .when = with, \
    .what = meaning                                                                                \
  }
// A value of the machine, with and without a sum over the frames.
#define ONE(path, in, field, with, meaning) ROW(path, in, field, GpusOne, FramesNone, with, meaning)
#define SUM(path, in, field, with, meaning) ROW(path, in, field, GpusOne, FramesSum, with, meaning)
// A statistic that each GPU counts.
#define GPU(path, in, field, meaning) \
  ROW(path, in, gpus.gpu.field, GpusSum, FramesSum, RowAlways, meaning)
#define TEXTURE(path, in, field, meaning) \
  ROW(path, in, gpus.texturing.field, GpusSum, FramesNone, RowWithTextures, meaning)
#define TRAFFIC(path, field, meaning) \
  ROW(path, "bytes", gpus.texturing.field, GpusSum, FramesSum, RowWithTextures, meaning)
#define ATFIM(path, in, field, meaning) \
  ROW(path, in, gpus.texturing.field, GpusSum, FramesNone, RowWithAtfim, meaning)
#define WARP(path, in, field, meaning) \
  ROW(path, in, gpus.field, GpusSum, FramesNone, RowWithWarps, meaning)
#define DISPATCH(path, in, field, with, meaning) \
  ROW(path, in, gpus.dispatch.field, GpusSum, FramesNone, with, meaning)
#define CACHE(path, in, field, meaning) \
  ROW(path, in, gpus.gpu.caches.field, GpusSum, FramesSum, RowWithCaches, meaning)
#define TC(path, in, field, meaning) \
  ROW(path, in, gpus.gpu.tc.field, GpusSum, FramesSum, RowWithTc, meaning)
#define VPO(path, in, field, meaning) \
  ROW(path, in, gpus.gpu.vpo.field, GpusSum, FramesSum, RowWithFronts, meaning)
#define L1(path, field, name)                                                                   \
  CACHE(path ".accesses", "lines", field.accesses, "looked up in the " name),                   \
      CACHE(path ".misses", "lines", field.misses, "of these that were not there, or in part"), \
      ROW(path ".by_cluster", "lines", gpus.gpu.caches.field.by_cluster, GpusSum, FramesNone,   \
          RowWithCaches, "misses per cluster")
// A statistic without a key, from which another value is computed.
#define ENTERS(field, meaning) \
  { VALUE(gpus.field), .gpus = GpusSum, .what = meaning }
// Rows that are the same in all frames, or belong to the whole run only.
#define ONCE(path, in, field, over_frames, with, meaning)                                     \
  {                                                                                           \
    .key = path, .unit = in, VALUE(field), .frames = over_frames, .once = true, .when = with, \
    .what = meaning                                                                           \
  }
#define MADE(path, function, over_frames, is_once, with, meaning)                      \
  {                                                                                    \
    .key = path, .unit = "", .kind = RowMade, .make = function, .frames = over_frames, \
    .once = is_once, .when = with, .what = meaning                                     \
  }
#define WITHIN(path, in, over_frames, with, meaning)                                 \
  {                                                                                  \
    .key = path, .unit = in, .kind = RowWithin, .frames = over_frames, .when = with, \
    .what = meaning                                                                  \
  }

// ---- Which runs have a key

const char *row_presence(const row_t *row) {
  static const char *const Words[] = {
      [RowAlways] = "-",
      [RowWithFrames] = "--frames",
      [RowWithBaseline] = "--baseline",
      [RowWithTextures] = "texture.design not rate",
      [RowWithAtfim] = "texture.design a_tfim",
      [RowWithErrors] = "texture.read_errors",
      [RowWithBound] = "a_tfim without reuse",
      [RowWithWarps] = "gpu.shader warp",
      [RowWithClusters] = "gpu.dispatch not free, warps",
      [RowWithTiles] = "gpu.dispatch work_tile",
      [RowWithTileWarps] = "gpu.dispatch work_tile, warps",
      [RowWithDfsl] = "dfsl.mode",
      [RowWithTc] = "gpu.tc_engines",
      [RowWithFronts] = "gpu.front cluster",
      [RowWithCaches] = "other caches than CHOPIN's",
      [RowWithHints] = "driver.by_all, driver.weights",
      [RowWithSplit] = "driver.split",
      [RowWithScouts] = "scout.triangles",
      [RowWithBarriers] = "driver.barrier_share",
      [RowWithLeft] = "driver.sync_needed",
      [RowWithBlocks] = "sync.blocks",
      [RowWithCoarse] = "coarse_depth.epoch",
      [RowWithRtl] = "--engine not golden",
      [RowWithOwn] = "--unit, --driver",
  };
  return Words[row->when];
}

bool row_holds(const row_t *row, const result_t *r) {
  const machine_params_t *p = r->params;
  switch (row->when) {
    case RowWithFrames: return r->sequence;
    case RowWithBaseline: return r->baseline;
    case RowWithTextures: return texturing_detailed(&p->texturing);
    case RowWithAtfim: return texture_design(p->texturing.design)->offloads;
    case RowWithErrors: return p->texturing.read_errors;
    case RowWithBound: return texturing_detailed(&p->texturing) && isfinite(result_sample_bound(r));
    case RowWithWarps: return machine_params(r->machine)->gpu.shader == GpuShaderWarp;
    case RowWithClusters: return p->gpu.dispatch && p->gpu.shader == GpuShaderWarp;
    case RowWithTiles: return p->gpu.dispatch == GpuDispatchWorkTile;
    case RowWithTileWarps:
      return p->gpu.dispatch == GpuDispatchWorkTile && p->gpu.shader == GpuShaderWarp;
    case RowWithDfsl: return r->dfsl;
    case RowWithTc: return p->gpu.tc_engines;
    case RowWithFronts: return p->gpu.front == GpuFrontCluster;
    case RowWithCaches: return gpu_params_caches(&p->gpu);
    case RowWithHints: return machine_hints(r->machine);
    case RowWithSplit: return p->split;
    case RowWithScouts: return p->scout_triangles;
    case RowWithBarriers: return p->barrier_share;
    case RowWithLeft: return p->sync_needed;
    case RowWithBlocks: return p->sync_blocks;
    case RowWithCoarse: return p->coarse_epoch;
    case RowWithRtl: return r->engine != EngineGolden;
    case RowWithOwn:
      return harness_options(r->harness)->own_count || harness_options(r->harness)->driver;
    default: return true;
  }
}

// ---- The rows, in the order of the JSON

#define BOUNDS(path, field, ratios)                                                      \
  ONE(path ".groups", "groups", field.groups, RowAlways, "groups that count here"),      \
      ONE(path ".taken", "cycles", field.taken, RowAlways, "sum of what they took"),     \
      ONE(path ".bound", "cycles", field.bound, RowAlways, "sum of their lower bounds"), \
      ONE(path ".least", "", field.least, RowAlways, "smallest " ratios),                \
      ONE(path ".quarter", "", field.quarter, RowAlways, "first quartile of " ratios),   \
      ONE(path ".median", "", field.median, RowAlways, "median of " ratios),             \
      ONE(path ".three_quarters", "", field.three_quarters, RowAlways,                   \
          "third quartile of " ratios),                                                  \
      ONE(path ".most", "", field.most, RowAlways, "largest " ratios)

const row_t Rows[] = {
    ONCE("version", "", version, FramesSame, RowAlways, "version of Nocturne"),
    MADE("config", made_config, FramesSame, true, RowAlways,
         "every configuration key, and in sets the entries of the named sets"),
    ONCE("config_sha256", "", config_sha256, FramesSame, RowAlways,
         "hash of the configuration without the engine"),
    ONCE("seed", "", seed, FramesSame, RowAlways, "--seed"),
    ONCE("sequence", "", sequence, FramesSame, RowWithFrames, "name of the sequence"),
    ONE("frame", "", frame, RowAlways, "name of the frame"),
    ONE("frame_hash", "", frame_hash, RowAlways, "hash of the frame's contents"),
    ONCE("scheme", "", scheme, FramesSame, RowAlways, "how the frame is split among the GPUs"),
    ONCE("gpus", "GPUs", gpu_count, FramesSame, RowAlways, "GPUs at work"),
    MADE("units_outside", made_outside, FramesSame, true, RowAlways,
         "CHOPIN units that this scheme does not use (a pixel distributor still maps tiles to "
         "GPUs)"),
    SUM("cycles", "cycles", machine.cycles, RowAlways,
        "machine cycles (1 GHz) from the first command to the last write"),

    ROW("baseline.setting", "", baseline, GpusOne, FramesSame, RowWithBaseline,
        "setting that the second run differs in"),
    SUM("baseline.cycles", "cycles", baseline_cycles, RowWithBaseline, "cycles of that run"),
    ROW("baseline.speedup", "", speedup, GpusOne, FramesAgain, RowWithBaseline,
        "baseline.cycles over cycles; above 1 this run is faster"),

    ONE("image.sha256", "", image_sha256, RowAlways, "hash of width, height and RGB"),
    ONE("image.psnr_db", "dB", picture.psnr_db, RowAlways,
        "against the single GPU's picture without tied pixels; 99 if identical"),
    ONE("image.max_abs_error", "", picture.max_abs_error, RowAlways,
        "largest difference of a channel, 0 to 255, without tied pixels"),
    SUM("image.violations", "pixels", check.violations, RowAlways,
        "pixels that differ by more than their bound (docs/model/correctness.md)"),
    ONE("image.bounded", "", check.bounded, RowAlways,
        "false if filtered texels are reused, so that pixels have no bound and none is a "
        "violation"),
    SUM("image.target_violations", "pixels", check.target_violations, RowAlways,
        "violations in all other render targets, and pixels of wrong depth or stencil"),
    SUM("image.tie_pixels", "pixels", check.tie_pixels, RowAlways,
        "pixels where two surfaces are equally near and either may win"),
    SUM("image.failed_pixels", "pixels", check.failed_pixels, RowWithErrors,
        "pixels with a fragment whose texels could not be read"),

    ONE("quality.psnr_db", "dB", psnr, RowWithTextures,
        "against the baseline design's picture on one GPU, children at fractional places"),
    ONE("quality.psnr_whole_texel_db", "dB", psnr_whole_texel, RowWithTextures,
        "the same with children at whole texels; 99 if identical"),

    TEXTURE("texture.quads", "quads", units.quads, "quads that the texture units accepted"),
    TEXTURE("texture.pixels", "pixels", units.pixels, "pixels of these quads"),
    TEXTURE("texture.anisotropic_pixels", "pixels", units.anisotropic_pixels,
            "pixels with an anisotropic ratio above 1"),
    TEXTURE("texture.ratio_sum", "", units.ratio_sum, "sum of the ratios of all pixels"),
    ENTERS(texturing.units.latency_sum, "cycles from request to result"),
    ONE("texture.filter_latency", "cycles", filter_latency, RowWithTextures,
        "mean from a quad's request to its filtered result"),
    ROW("texture.filter_latency_max", "cycles", gpus.texturing.units.latency_max, GpusMax,
        FramesNone, RowWithTextures, "longest from a quad's request to its filtered result"),
    TEXTURE("texture.address_operations", "addresses", units.address_ops,
            "texel addresses that the GPU computed (S-TFIM: the cube)"),
    TEXTURE("texture.filter_operations", "texels", units.filter_ops,
            "texels that the GPU weighted (S-TFIM: the cube)"),
    TEXTURE("texture.l1_lookups", "lines", units.l1_lookups, "look-ups of the first-level cache"),
    TEXTURE("texture.l1_hits", "lines", units.l1_hits, "look-ups that hit"),
    TEXTURE("texture.l1_angle_misses", "lines", units.l1_angle_misses,
            "look-ups that missed only because the camera angle differs"),
    TEXTURE("texture.l2_lookups", "lines", units.l2_lookups, "look-ups of the second-level cache"),
    TEXTURE("texture.l2_hits", "lines", units.l2_hits, "look-ups that hit"),
    TEXTURE("texture.l2_angle_misses", "lines", units.l2_angle_misses,
            "look-ups that missed only because the camera angle differs"),
    TEXTURE("texture.line_reads", "lines", units.reads, "lines read through the memory port"),
    TEXTURE("texture.parents", "texels", units.parents,
            "parent texels that anisotropic pixels asked for"),
    TEXTURE("texture.parents_reused", "texels", units.parents_reused, "parents found in a cache"),
    ATFIM("texture.lines", "lines", units.lines, "lines of parents that groups looked up"),
    ATFIM("texture.l1_lines_hit", "lines", units.l1_lines_hit, "found in the first-level cache"),
    ATFIM("texture.l1_lines_merged", "lines", units.l1_lines_merged,
          "on their way to the first-level cache"),
    ATFIM("texture.l2_lines_hit", "lines", units.l2_lines_hit, "found in the second-level cache"),
    ATFIM("texture.l2_lines_merged", "lines", units.l2_lines_merged,
          "on their way to the second-level cache"),
    TEXTURE("texture.packages", "packages", units.packages, "packages sent to the offloading unit"),
    TEXTURE("texture.package_parents", "texels", units.package_parents,
            "parents in these packages"),
    TEXTURE("texture.failed_parents", "texels", units.failed_parents,
            "parents with a child that could not be read"),
    TEXTURE("texture.children", "texels", atfim.children,
            "child texels added to parents in the cube"),
    TEXTURE("texture.cube_reads", "reads", hmc.logic_reads, "reads inside the cube"),
    TEXTURE("texture.resets", "resets", atfim.resets, "resets of the cube's units"),
    ATFIM("texture.layers.packages", "packages", atfim.packages,
          "packages that came over the link"),
    ATFIM("texture.layers.responses", "responses", atfim.responses, "responses to them"),
    ATFIM("texture.layers.child_reads", "lines", atfim.child_reads, "lines read in the vaults"),
    ATFIM("texture.layers.beats", "beats", atfim.lines[ChildConsolidationCounterBeats],
          "beats that the consolidations accepted"),
    ATFIM("texture.layers.merged", "beats", atfim.lines[ChildConsolidationCounterMerged],
          "beats merged with one whose read is under way"),
    ATFIM("texture.layers.new_reads", "beats", atfim.lines[ChildConsolidationCounterReads],
          "beats that started a read"),
    ATFIM("texture.layers.idle_no_beat", "cycles", atfim.lines[ChildConsolidationCounterNoBeat],
          "cycles without a beat to accept"),
    ATFIM("texture.layers.idle_no_entry", "cycles", atfim.lines[ChildConsolidationCounterNoEntry],
          "cycles in which the beat waited for an entry"),
    ATFIM("texture.layers.idle_closing", "cycles", atfim.lines[ChildConsolidationCounterClosing],
          "cycles in which the beat waited for an entry of its line to close"),
    ATFIM("texture.layers.idle_no_fetch", "cycles", atfim.lines[ChildConsolidationCounterNoFetch],
          "cycles in which the beat waited for a fetch of its line"),
    ATFIM("texture.layers.idle_no_read", "cycles", atfim.lines[ChildConsolidationCounterNoRead],
          "cycles in which the beat waited for the read port"),
    ATFIM("texture.layers.generator_not_taken", "cycles",
          atfim.generator[TexelGeneratorCounterNotTaken],
          "cycles in which a generator's beat was not taken"),
    ATFIM("texture.layers.generator_no_package", "cycles",
          atfim.generator[TexelGeneratorCounterNoPackage], "cycles without a package to generate"),
    ATFIM("texture.layers.generator_no_slot", "cycles",
          atfim.generator[TexelGeneratorCounterNoSlot],
          "cycles in which a package waited for a slot"),
    ATFIM("texture.layers.generator_no_request", "cycles",
          atfim.generator[TexelGeneratorCounterNoRequest], "cycles without a request"),
    ATFIM("texture.layers.generator_filling", "cycles",
          atfim.generator[TexelGeneratorCounterFilling],
          "cycles in which a generator's pipeline filled"),
    TEXTURE("texture.stalls", "signals", units.stalls, "stall signals of S-TFIM"),
    ROW("texture.max_sample_error", "", gpus.texturing.units.max_sample_error, GpusMax, FramesNone,
        RowWithTextures,
        "largest difference of a filtered channel to the formulas; 0 unless tracked"),
    ONE("texture.sample_error_bound", "", sample_bound, RowWithBound,
        "difference that rounding explains"),

    SUM("energy.link_j", "J", energy.link, RowWithTextures, "links of the cube"),
    SUM("energy.dram_j", "J", energy.dram, RowWithTextures, "DRAM of HMC or GDDR5"),
    SUM("energy.shader_j", "J", energy.shader, RowWithTextures, "fragment programs"),
    SUM("energy.texture_units_j", "J", energy.texture_units, RowWithTextures,
        "address and filter ALUs of the texture units"),
    SUM("energy.caches_j", "J", energy.caches, RowWithTextures, "texture caches of both levels"),
    SUM("energy.cube_j", "J", energy.cube, RowWithTextures, "ALUs in the cube's logic layer"),
    SUM("energy.leakage_j", "J", energy.leakage, RowWithTextures, "10 % of the above"),
    SUM("energy.total_j", "J", energy.total, RowWithTextures, "sum"),

    SUM("traffic.composition_bytes", "bytes", machine.compose.bytes, RowAlways,
        "beats on the links with their side-band"),
    SUM("traffic.composition_header_bytes", "bytes", machine.compose.header_bytes, RowAlways,
        "headers, side-band and end beats among these"),
    SUM("traffic.sync_bytes", "bytes", machine.sync.bytes, RowAlways,
        "broadcasts at target switches and of stale depth"),
    SUM("traffic.distribution_bytes", "bytes", machine.distribute.bytes, RowAlways,
        "GPUpd: triangles and marks between GPUs"),
    SUM("traffic.progress_bytes", "bytes", machine.dispatch.progress_bytes, RowAlways,
        "progress messages of 4 bytes"),
    SUM("traffic.composition_message_bytes", "bytes", machine.compose.message_bytes, RowAlways,
        "composition messages of 4 bytes"),
    SUM("traffic.command_bytes", "bytes", machine.dispatch.command_bytes, RowAlways,
        "commands of 16 bytes, credits of 4"),
    SUM("traffic.texture_bytes", "bytes", texture_bytes, RowWithTextures,
        "texture requests and responses over the memory's interface, headers included"),
    TRAFFIC("traffic.texture_package_bytes", units.package_bytes, "packages among these"),
    TRAFFIC("traffic.texture_response_bytes", units.response_bytes, "their responses"),
    TRAFFIC("traffic.texture_signal_bytes", units.signal_bytes, "stall and resume signals"),
    TRAFFIC("traffic.other_read_bytes", clients[MemoryClientGpu].read_bytes,
            "vertices, depth and colour read from the same memory"),
    TRAFFIC("traffic.other_write_bytes", clients[MemoryClientGpu].write_bytes,
            "depth and colour written to the same memory"),
    ENTERS(texturing.hmc.link_bits, "bits over the cube's links"),
    SUM("traffic.cube_link_bytes", "bytes", cube_link_bytes, RowWithTextures,
        "everything over the cube's links"),
    TRAFFIC("traffic.cube_tsv_bytes", hmc.tsv_bytes, "between the cube's logic layer and DRAM"),

    GPU("stages.geometry", "cycles", busy_geometry, "busy cycles of the geometry stage on draws"),
    GPU("stages.projection", "cycles", busy_projection, "busy cycles on GPUpd's projections"),
    SUM("stages.distribution", "cycles", machine.distribute.cycles, RowAlways,
        "GPUpd's exchanges, one after the other; not summed over the GPUs"),
    GPU("stages.raster", "cycles", busy_raster, "busy cycles of the raster"),
    GPU("stages.depth", "cycles", busy_depth, "busy cycles of the early depth test"),
    GPU("stages.shading", "cycles", busy_shading, "busy cycles of shading"),
    GPU("stages.rop", "cycles", busy_rop, "busy cycles of the ROP"),
    GPU("stages.held", "cycles", held, "cycles in which compositions and barriers held the raster"),
    SUM("stages.composition", "cycles", machine.compose.cycles, RowAlways,
        "from ready to release, summed over the GPUs"),
    SUM("stages.sync", "cycles", machine.sync.cycles, RowAlways, "barriers"),

    SUM("breakdown.geometry", "cycles", machine.spent[MachineInGeometry], RowAlways,
        "GPU cycles that wait for geometry (docs/reference/json.md)"),
    SUM("breakdown.projection", "cycles", machine.spent[MachineInProjection], RowAlways,
        "GPU cycles that wait for GPUpd's projection"),
    SUM("breakdown.distribution", "cycles", machine.spent[MachineInDistribution], RowAlways,
        "GPU cycles that wait for GPUpd's exchange"),
    SUM("breakdown.raster", "cycles", machine.spent[MachineInRaster], RowAlways,
        "GPU cycles that wait for the raster"),
    SUM("breakdown.fragment", "cycles", machine.spent[MachineInFragments], RowAlways,
        "GPU cycles that wait for depth test, shading or ROP"),
    SUM("breakdown.composition", "cycles", machine.spent[MachineInComposition], RowAlways,
        "GPU cycles that wait for a composition"),
    SUM("breakdown.sync", "cycles", machine.spent[MachineInSync], RowAlways,
        "GPU cycles that wait at a barrier"),
    SUM("breakdown.idle", "cycles", machine.spent[MachineIdle], RowAlways,
        "GPU cycles without anything to do"),

    GPU("work.draws", "draws", draws, "draws of all GPUs"),
    GPU("work.triangles", "triangles", triangles, "triangles through geometry"),
    GPU("work.triangles_projected", "triangles", projected, "triangles projected only (GPUpd)"),
    GPU("work.triangles_rastered", "triangles", triangles_rastered, "triangles that were rastered"),
    GPU("work.fragments", "fragments", fragments, "covered pixels inside the GPU's region"),
    GPU("work.fragments_early_passed", "fragments", fragments_early_passed,
        "fragments that passed the early depth test"),
    GPU("work.fragments_shaded", "fragments", fragments_shaded, "fragments that were shaded"),
    GPU("work.fragments_written", "fragments", fragments_written, "fragments that were written"),
    GPU("work.fragments_retained", "fragments", fragments_retained,
        "culled fragments that were shaded all the same (gpu.retain)"),
    GPU("work.fragments_discarded", "fragments", fragments_discarded,
        "fragments that the alpha test discarded"),
    ROW("work.fragment_cycles", "cycles", gpus.gpu.fragment_cycles, GpusMax, FramesSum,
        RowWithTiles, "from the first block out of a raster to the last write"),
    GPU("work.texture_requests", "requests", texture_requests, "texture samples of fragments"),

    WARP("shader.warps", "warps", shader.warps, "warps launched"),
    WARP("shader.issued.alu", "operations", shader.issued[ProgramAlu], "ALU operations issued"),
    WARP("shader.issued.sfu", "operations", shader.issued[ProgramSfu],
         "operations of the special function units"),
    WARP("shader.issued.tex", "operations", shader.issued[ProgramTex], "texture operations"),
    WARP("shader.issued.kill", "operations", shader.issued[ProgramKill], "KILL operations"),
    WARP("shader.issued.branch", "operations", shader.issued[ProgramIf], "IF operations"),
    WARP("shader.slots.issuing", "cycles", shader.slots, "scheduler cycles that issued"),
    WARP("shader.slots.scoreboard", "cycles", shader.idle[ShaderScoreboard],
         "scheduler cycles in which all warps wait for results"),
    WARP("shader.slots.texture", "cycles", shader.idle[ShaderTexture],
         "scheduler cycles in which all warps wait for textures"),
    WARP("shader.slots.unit", "cycles", shader.idle[ShaderUnit],
         "scheduler cycles in which a warp was ready and its unit busy"),
    ONE("shader.slots.no_warp", "cycles", slots_no_warp, RowWithWarps,
        "scheduler cycles without a warp"),
    ONE("shader.lanes.active", "lanes", lanes_active, RowWithWarps,
        "active lanes of all operations issued"),
    WARP("shader.lanes.helper", "lanes", shader.lanes_helper,
         "lanes without a fragment beside an active one of their stamp"),
    WARP("shader.lanes.diverged", "lanes", shader.lanes_diverged,
         "lanes on the other side of a branch"),
    WARP("shader.lanes.killed", "lanes", shader.lanes_killed, "lanes that a KILL ended"),
    WARP("shader.lanes.empty", "lanes", shader.lanes_empty, "lanes without a fragment"),
    WARP("shader.lanes.operations", "operations", shader.active,
         "operations by active lanes, 0 to 32"),
    WARP("shader.branches", "operations", shader.branches, "IFs"),
    WARP("shader.branches_divergent", "operations", shader.divergent,
         "IFs with lanes on both sides"),
    ENTERS(shader.resident, "cycles of warps in SMs"),
    ONE("shader.occupancy", "warps", occupancy, RowWithWarps, "warps resident in an SM, mean"),
    ROW("shader.occupancy_peak", "warps", gpus.shader.peak, GpusMax, FramesNone, RowWithWarps,
        "most warps resident in an SM"),
    ONE("shader.part_cycles", "cycles", part_cycles, RowWithWarps,
        "length of a part in shader.parts, a power of two"),
    MADE("shader.parts", made_parts, FramesNone, false, RowWithWarps,
         "the same over time: N is 0 to 63, from the frame's begin"),
    WITHIN("shader.parts.N.resident", "cycles", FramesNone, RowWithWarps,
           "cycles of resident warps"),
    WITHIN("shader.parts.N.issuing", "cycles", FramesNone, RowWithWarps, "as shader.slots.issuing"),
    WITHIN("shader.parts.N.scoreboard", "cycles", FramesNone, RowWithWarps,
           "as shader.slots.scoreboard"),
    WITHIN("shader.parts.N.texture", "cycles", FramesNone, RowWithWarps, "as shader.slots.texture"),
    WITHIN("shader.parts.N.unit", "cycles", FramesNone, RowWithWarps, "as shader.slots.unit"),
    WITHIN("shader.parts.N.no_warp", "cycles", FramesNone, RowWithWarps, "as shader.slots.no_warp"),
    WARP("shader.texture_reads", "operations", gpu.texture_reads, "texture operations of warps"),
    WARP("shader.texture_lines", "lines", gpu.texture_lines,
         "distinct lines that they read (texture.design rate)"),

    ONE("dfsl.wt", "blocks", dfsl_wt, RowWithDfsl, "the frame's work tiles"),
    ONE("dfsl.phase", "", dfsl_phase, RowWithDfsl, "evaluate or run"),
    ROW("dfsl.evaluations", "", dfsl_evaluations, GpusOne, FramesLast, RowWithDfsl,
        "that have begun"),
    ROW("dfsl.best", "blocks", dfsl_best, GpusOne, FramesLast, RowWithDfsl,
        "the fastest work tiles of the last evaluation so far"),
    ONE("dispatch.warps", "warps", dispatch_warps, RowWithClusters, "warps assembled"),
    ONE("dispatch.stamps_per_warp", "stamps", stamps_per_warp, RowWithClusters,
        "mean of all warps"),
    ONE("dispatch.primitives_per_warp", "primitives", primitives_per_warp, RowWithClusters,
        "mean of all warps"),
    DISPATCH("dispatch.warps_by_cluster", "warps", warps, RowWithTileWarps, "per cluster"),
    DISPATCH("dispatch.stamps_by_cluster", "stamps", stamps, RowWithTileWarps,
             "per cluster: stamps in warps"),
    DISPATCH("dispatch.primitives_by_cluster", "primitives", primitives, RowWithTileWarps,
             "per cluster: primitives of each warp"),
    DISPATCH("dispatch.busy", "cycles", busy, RowWithClusters,
             "per cluster: cycles with a warp in its SMs"),
    DISPATCH("dispatch.starved_cycles", "cycles", starved, RowWithClusters,
             "per cluster: cycles without a warp there or in its FIFO while another cluster has "
             "one"),
    DISPATCH("dispatch.fifo_full_cycles", "cycles", fifo_full, RowWithClusters,
             "per cluster: cycles with a full FIFO"),
    ROW("dispatch.pixels_at_stall", "pixels", gpus.dispatch.pixels_at_stall, GpusMax, FramesNone,
        RowWithClusters, "most pixels shaded while a cluster was at one batch"),
    ONE("dispatch.imbalance", "", imbalance, RowWithClusters,
        "largest busy over the mean of the clusters"),

    VPO("vpo.primitives", "primitives", primitives,
        "that went into primitive distributors, clears and holds among them"),
    VPO("vpo.masks", "masks", masks, "that came out of them, summed over the clusters"),
    ENTERS(gpu.vpo.bits, "set bits of masks"),
    ONE("vpo.bits_per_primitive", "clusters", bits_per_primitive, RowWithFronts,
        "that set a primitive up, mean"),
    VPO("vpo.rows", "rows", rows,
        "of work tiles that bounding boxes lie in, at most as many of each as clusters"),
    TC("tc.raster_tiles", "raster tiles", raster_tiles, "that went into tile coalescers"),
    TC("tc.tiles", "TC tiles", tiles, "that came out of them"),
    ENTERS(gpu.tc.stamps, "stamps in TC tiles"),
    ONE("tc.stamps_per_tile", "stamps", stamps_per_tile, RowWithTc, "mean of all TC tiles"),
    TC("tc.flushed.evicted", "TC tiles", evicted, "whose engine another place or draw needed"),
    TC("tc.flushed.full", "TC tiles", full, "with all 16 stamps"),
    TC("tc.flushed.blocked", "TC tiles", blocked, "whose engine's bins were full"),
    TC("tc.flushed.wait", "TC tiles", waited, "for which nothing came in gpu.tc_wait cycles"),
    TC("tc.conflicts", "cycles", conflicts,
       "of engines that hold raster tiles and can stage none of their stamps"),
    TC("tc.live_waits", "cycles", live_waits,
       "of engines that must issue and wait for their place, or for another engine"),
    TC("tc.head_waits", "cycles", head_waits, "in which a raster tile waited before its coalescer"),
    ENTERS(gpu.tc.engine_cycles, "cycles of active engines"),
    ENTERS(gpu.tc.held, "raster tiles in them, by cycle"),
    ONE("tc.bins", "raster tiles", tc_bins, RowWithTc, "in an active engine, mean"),
    SUM("l1.misses", "lines", l1_misses, RowWithCaches, "misses of all caches of the first level"),
    L1("l1.depth", depth, "depth caches"),
    L1("l1.color", color, "colour caches"),
    L1("l1.texture", texture, "texture caches (texture.design rate)"),
    CACHE("l2.accesses", "lines", l2_accesses, "looked up in the L2"),
    CACHE("l2.misses", "lines", l2_misses, "of these that were fetched from DRAM"),
    GPU("memory.texture_bytes", "bytes", texture_bytes, "DRAM traffic of textures"),
    GPU("memory.depth_bytes", "bytes", depth_bytes, "DRAM traffic of depth"),
    GPU("memory.color_bytes", "bytes", color_bytes, "DRAM traffic of colour"),
    GPU("memory.vertex_bytes", "bytes", vertex_bytes, "DRAM traffic of vertices"),

    ONE("groups.total", "groups", plan.group_count, RowAlways, "groups of draws"),
    ONE("groups.composed", "groups", plan.composed_count, RowAlways,
        "groups whose draws are shared among the GPUs and then composed"),
    ONE("groups.triangles", "triangles", plan.triangles, RowAlways, "triangles of all groups"),
    ONE("groups.triangles_composed", "triangles", plan.triangles_composed, RowAlways,
        "triangles of the composed groups"),
    MADE("groups.by_reason", made_reasons, FramesNone, false, RowAlways,
         "why groups are composed or not"),
    WITHIN("groups.by_reason.REASON", "groups", FramesNone, RowAlways, "groups of this reason"),

    ONE("hints.by_all", "draws", hints.by_all, RowWithHints,
        "draws of opaque composed groups that go to all GPUs, from the second frame on"),
    ONE("hints.assigned", "draws", hints.assigned, RowWithHints, "the other draws of these groups"),
    ONE("hints.weight", "", hints.weight, RowWithHints,
        "sum of the other draws' weights; 0 if they count by triangles"),

    SUM("pieces.draws_cut", "draws", pieces.draws_cut, RowWithSplit,
        "draws of opaque composed groups that were cut"),
    SUM("pieces.cuts", "pieces", pieces.cuts, RowWithSplit, "their pieces beyond the first"),
    SUM("scouts.draws", "draws", pieces.scouted, RowWithScouts, "draws that were projected ahead"),
    SUM("scouts.by_all", "draws", pieces.scouted_by_all, RowWithScouts,
        "of these that went to all GPUs"),
    SUM("scouts.wait", "cycles", machine.dispatch.scout_cycles, RowWithScouts,
        "that starts of groups waited for scouts"),
    SUM("barriers.groups_left", "groups", groups_left, RowWithBarriers,
        "groups that were duplicated for being too small against what came before"),
    SUM("broadcasts.depth_left", "depth buffers", plan.depths_left, RowWithLeft,
        "that target switches did not broadcast, since nobody samples them"),
    SUM("broadcasts.depth_late", "depth buffers", plan.depths_late, RowWithLeft,
        "of these that were broadcast before another map drew into them"),
    SUM("broadcasts.blocks", "blocks", machine.sync.blocks, RowWithBlocks,
        "of 8x8 pixels that were broadcast"),
    SUM("broadcasts.blocks_left", "blocks", machine.sync.blocks_left, RowWithBlocks,
        "of the tiles of these that were not"),
    SUM("coarse_depth.hidden", "pixels", machine.coarse.hidden, RowWithCoarse,
        "dropped before the depth test, since another GPU has something nearer"),
    SUM("coarse_depth.messages", "messages", machine.coarse.messages, RowWithCoarse,
        "of 4 bytes, one for each GPU that gets it"),
    SUM("coarse_depth.waits", "cycles", machine.coarse.waits, RowWithCoarse,
        "that blocks waited for their look"),
    SUM("coarse_depth.tells", "blocks", machine.coarse.told, RowWithCoarse, "told to the units"),
    SUM("coarse_depth.tells_dropped", "blocks", machine.coarse.untold, RowWithCoarse,
        "not told, since the ones before still waited"),
    SUM("coarse_depth.forgets", "forgets", machine.coarse.forgets, RowWithCoarse, "of all units"),
    SUM("traffic.coarse_depth_bytes", "bytes", machine.coarse.bytes, RowWithCoarse,
        "messages of coarse depth"),

    SUM("composition.starts", "transfers", machine.compose.starts, RowAlways, "transfers started"),
    SUM("composition.releases", "", machine.compose.releases, RowAlways,
        "GPUs released, summed over the compositions"),
    SUM("composition.syncs", "barriers", machine.sync.syncs, RowAlways, "barriers"),
    SUM("composition.batches", "batches", machine.distribute.batches, RowAlways, "GPUpd's batches"),

    BOUNDS("schedule.compositions", compositions.summary, "ratio of taken to bound"),
    ONE("schedule.compositions.imbalance", "cycles", compositions.imbalance, RowAlways,
        "from the first ready GPU to the last"),
    BOUNDS("schedule.assignment", assignment.summary, "ratio of taken to bound"),
    ONE("schedule.assignment.greedy", "cycles", assignment.greedy, RowAlways,
        "the GPU with the most, if draws are assigned longest first by their cost"),
    ONE("schedule.assignment.by_triangles", "cycles", assignment.by_triangles, RowAlways,
        "the same, longest first by triangles"),

    ONE("draws.count", "draws", draws.draws, RowAlways, "draws with triangles"),
    ONE("draws.correlation", "", draws.correlation, RowAlways,
        "of the logarithms of the cycles per triangle in geometry and in the whole pipeline"),
    MADE("draws.slices", made_slices, FramesNone, false, RowAlways,
         "1 to 64: the frame in its order, each slice with as many draws"),
    WITHIN("draws.slices.N.triangles", "triangles", FramesNone, RowAlways,
           "triangles of the slice"),
    WITHIN("draws.slices.N.geometry", "cycles", FramesNone, RowAlways,
           "cycles in geometry, its waiting included, summed over the GPUs"),
    WITHIN("draws.slices.N.pipeline", "cycles", FramesNone, RowAlways,
           "cycles that draws add to those before them, summed over the GPUs"),
    MADE("draws.quarters", made_quarters, FramesNone, false, RowAlways,
         "1 to 4: draws by cycles per triangle in geometry, lowest first"),
    WITHIN("draws.quarters.N.triangles", "triangles", FramesNone, RowAlways, "as of slices"),
    WITHIN("draws.quarters.N.geometry", "cycles", FramesNone, RowAlways, "as of slices"),
    WITHIN("draws.quarters.N.pipeline", "cycles", FramesNone, RowAlways, "as of slices"),

    ONCE("engine.name", "", engine, FramesSame, RowAlways, "golden, rtl, lockstep or gates"),
    MADE("engine.units", made_units, FramesSum, true, RowAlways, "units of the machine by name"),
    WITHIN("engine.units.NAME.instances", "instances", FramesSum, RowAlways,
           "instances of the unit"),
    WITHIN("engine.units.NAME.steps", "cycles", FramesSum, RowAlways,
           "cycles in which the unit was clocked"),
    WITHIN("engine.units.NAME.cycles_compared", "cycles", FramesSum, RowAlways,
           "cycles in which RTL and golden model were compared"),
    WITHIN("engine.units.NAME.mismatches", "cycles", FramesSum, RowAlways,
           "cycles in which they differed"),
    MADE("engine.own", made_own, FramesSame, true, RowWithOwn,
         "what stands in place of ours: units, and the driver's decisions"),
    WITHIN("engine.own.NAME", "", FramesSame, RowWithOwn,
           "hash of its files; NAME: a unit, or driver"),
    ONCE("engine.tools.compiler", "", compiler, FramesSame, RowAlways,
         "compiler that built the program"),
    ONCE("engine.tools.verilator", "", verilator, FramesSame, RowWithRtl, "version of Verilator"),

    ONCE("timing.seconds", "s", seconds, FramesSum, RowAlways,
         "wall time of the machine's run, rendering included"),
    ONCE("timing.cycles_per_second", "1/s", cycles_per_second, FramesAgain, RowAlways,
         "cycles over seconds"),
    ONCE("timing.cycles_evaluated", "cycles", machine.cycles_evaluated, FramesSum, RowAlways,
         "cycles in which anything was due"),
    ONCE("timing.peak_memory_bytes", "bytes", peak_memory, FramesMax, RowAlways,
         "largest resident memory of the process"),
    {.what = NULL}};
