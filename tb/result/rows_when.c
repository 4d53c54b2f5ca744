// SPDX-License-Identifier: Apache-2.0
// Which runs have a key.
#include <math.h>

#include "csim/texture/texture_design.h"
#include "rows.h"

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
      [RowWithSoc] = "soc.scheduler",
      [RowWithDash] = "soc.scheduler dash_cpu, dash_all",
      [RowWithCaches] = "other caches than CHOPIN's",
      [RowWithHints] = "driver.by_all, driver.weights",
      [RowWithSplit] = "driver.split",
      [RowWithScouts] = "scout.triangles",
      [RowWithBarriers] = "driver.barrier_share",
      [RowWithLeft] = "driver.sync_needed",
      [RowWithBlocks] = "sync.blocks",
      [RowWithCoarse] = "coarse_depth.epoch",
      [RowWithEarly] = "distributor.early",
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
    case RowWithSoc: return r->soc;
    case RowWithDash: return r->soc && p->soc.scheduler > SocFrfcfs;
    case RowWithCaches: return gpu_params_caches(&p->gpu);
    case RowWithHints: return machine_hints(r->machine);
    case RowWithSplit: return p->split;
    case RowWithScouts: return p->scout_triangles;
    case RowWithBarriers: return p->barrier_share;
    case RowWithLeft: return p->sync_needed;
    case RowWithBlocks: return p->sync_blocks;
    case RowWithCoarse: return p->coarse_epoch;
    case RowWithEarly: return machine_early(p);
    case RowWithRtl: return r->engine != EngineGolden;
    case RowWithOwn:
      return harness_options(r->harness)->own_count || harness_options(r->harness)->driver;
    default: return true;
  }
}
