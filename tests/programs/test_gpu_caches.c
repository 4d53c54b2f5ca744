// SPDX-License-Identifier: Apache-2.0
// The GPU's caches by themselves: which lines a block touches, sectors, and what a miss costs.
#include "csim/gpu/cache.h"
#include "csim/gpu/gpu_memory.h"
#include "tests/programs/test.h"

typedef struct {
  gpu_site_t site;
  gpu_part_t part;
  gpu_memory_t *memory;
  frame_t frame;
  frame_surface_t surface;
  frame_state_t state;
  gpu_draw_t draw;
} rig_t;

// Makes caches behind a memory that takes no time that counts: all that is used stays in the L2
// once it has been read.
static void make(rig_t *r, uint32_t misses, uint32_t lines) {
  err_auto_t err = {0};
  *r = (rig_t){.surface = {256, 128}, .state = {.depth_test = true, .depth_write = true}};
  r->frame = (frame_t){.width = 256,
                       .height = 128,
                       .targets = &r->surface,
                       .depths = &r->surface,
                       .target_count = 1,
                       .depth_count = 1};
  gpu_params_t *p = &r->site.params;
  assert_true(gpu_params_default(p, &err));
  p->dispatch = GpuDispatchWorkTile;
  p->l1 = GpuL1Cluster;
  p->surface_layout = GpuLayoutLinear;
  p->line_bytes = 1;
  p->l1_misses = misses;
  p->l2_lines = lines;
  p->l2_latency = 28;
  r->site.frame = &r->frame;
  r->site.clusters = gpu_params_clusters(p);
  r->site.cluster_sms = 1;
  assert_true(render_surfaces_create(&r->frame, &r->site.targets, &r->site.depths));
  r->memory = gpu_memory_create(&r->part, &r->site);
  assert_non_null(r->memory);
  r->draw.draw.state = &r->state;
  r->draw.draw.color = &r->site.targets[0];
  r->draw.draw.depth = &r->site.depths[0];
}

static void unmake(rig_t *r) {
  r->part.destroy(r->memory);
  render_surfaces_destroy(&r->frame, r->site.targets, r->site.depths);
}

static uint64_t depth(rig_t *r, uint64_t now, uint32_t x, uint32_t y, uint32_t cluster,
                      uint64_t pixels) {
  const gpu_block_t b = {
      .draw = &r->draw, .bx = (uint16_t)x, .by = (uint16_t)y, .cluster = (uint8_t)cluster};
  return gpu_memory_depth(r->memory, now, &b, pixels, GpuWaitsNone);
}

static uint64_t color(rig_t *r, uint64_t now, uint32_t x, uint64_t pixels) {
  const gpu_block_t b = {.draw = &r->draw, .bx = (uint16_t)x};
  return gpu_memory_color(r->memory, now, &b, pixels, GpuWaitsNone);
}

TEST(linear_block_touches_the_lines_of_its_stamps) {
  rig_t r;
  make(&r, 0, 0);
  const gpu_cache_stats_t *s = &r.site.stats.caches;
  depth(&r, 0, 0, 0, 0, 1);  // one stamp: two rows
  assert_int_equal(s->depth.misses, 2);
  depth(&r, 1000, 0, 0, 0, UINT64_MAX);
  assert_int_equal(s->depth.accesses, 10);
  assert_int_equal(s->depth.misses, 8);
  depth(&r, 2000, 3, 0, 0, UINT64_MAX);  // the same lines: 4 blocks side by side
  assert_int_equal(s->depth.misses, 8);
  depth(&r, 3000, 4, 0, 0, UINT64_MAX);
  assert_int_equal(s->depth.misses, 16);
  assert_int_equal(s->l2_misses, 16);
  // Another cluster has a cache of its own, and finds the lines in the L2.
  assert_int_equal(depth(&r, 4000, 0, 0, 1, UINT64_MAX), 4028);
  assert_int_equal(s->depth.misses, 24);
  assert_int_equal(s->depth.by_cluster.of[1], 8);
  assert_int_equal(s->l2_misses, 16);
  unmake(&r);
}

TEST(written_sectors_alone_go_back) {
  cache_t c;
  assert_true(cache_create(&c, 1, 1));
  assert_int_equal(cache_access(&c, 5, 2, 2, 3, 2).missing, 2);
  assert_int_equal(cache_access(&c, 5, 2, 15, 3, 0).missing, 0);   // there
  assert_int_equal(cache_access(&c, 5, 4, 15, 3, 0).missing, 13);  // a read fetches the rest
  assert_int_equal(cache_access(&c, 5, 8, 8, 3, 8).missing, 0);
  cache_result_t r2 = cache_access(&c, 6, 1, 1, 2, 0);
  assert_int_equal(r2.old_line, 5);
  assert_int_equal(r2.old_kind, 3);
  assert_int_equal(r2.old_sectors, 2 | 8);
  assert_int_equal(cache_access(&c, 7, 1, 1, 2, 0).old_sectors, 0);
  cache_destroy(&c);
}

TEST(misses_take_places_and_turns) {
  static const struct {
    uint32_t misses, lines;
    uint64_t ends;
  } cases[] = {{0, 0, 28}, {0, 2, 4 + 28}, {4, 0, 28 + 28}, {1, 0, 8 * 28}, {4, 2, 2 + 28 + 28}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig_t r;
    make(&r, cases[i].misses, cases[i].lines);
    depth(&r, 0, 0, 0, 0, UINT64_MAX);  // into the L2
    // Eight lines: with two turns a cycle the eighth is taken in cycle 4; of four places the last
    // waits for the fourth line, which comes in cycle 28, or with turns in cycle 2 + 28.
    assert_int_equal(depth(&r, 10000, 0, 0, 1, UINT64_MAX), 10000 + cases[i].ends);
    unmake(&r);
  }
}

TEST(writes_take_turns_and_no_places) {
  rig_t r;
  make(&r, 1, 1);
  assert_int_equal(color(&r, 0, 0, UINT64_MAX), 0);  // eight turns
  assert_int_equal(r.site.stats.caches.color.misses, 8);
  assert_int_equal(r.site.stats.caches.l2_accesses, 0);
  depth(&r, 20000, 0, 0, 0, 1);
  r.site.stats.caches.l2_misses = 0;
  color(&r, 30000, 1, UINT64_MAX);  // makes its sectors: eight turns
  assert_int_equal(depth(&r, 30000, 0, 0, 2, 3), 30000 + 8 + 1 + 28 + 28);
  assert_int_equal(r.site.stats.caches.l2_misses, 0);
  r.draw.reads_color = true;
  color(&r, 40000, 2, UINT64_MAX);  // reads what is not there of the eight lines
  assert_int_equal(r.site.stats.caches.l2_misses, 8);
  unmake(&r);
}

int main(void) { return run_all_tests(NULL, NULL); }
