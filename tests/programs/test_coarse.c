// SPDX-License-Identifier: Apache-2.0
// Shared coarse depth as a GPU uses it (csim/gpu/gpu_coarse.h): what lies strictly behind the
// answer is dropped, what is as near is not, and each block is told once it was written.
#include "csim/machine/machine.h"
#include "tests/programs/scene.h"

typedef struct {
  uint64_t written, hidden;
  uint32_t told;      // blocks
  uint32_t farthest;  // of what was told
} drawn_t;

// Draws the scene on one GPU whose unit answers every look with this depth a few cycles after, and
// takes a tell a cycle.
static drawn_t draw_behind(uint32_t base, uint32_t depth) {
  scene_t *s = scene_create();
  machine_params_t p = defaults(MachineDuplication);
  gpu_t *g = gpu_create(&p.gpu, &s->frame, 0, &(gpu_texturing_t){0}, NULL, NULL);
  gpu_coarse_t port = {.most_blocks = 128};
  drawn_t d = {0};
  assert_non_null(g);
  gpu_set_coarse(g, &port);
  for (uint32_t i = 0; i < Draws; i++) {
    const gpu_command_t command = {.kind = GpuCommandDraw,
                                   .region = GpuRegionAll,
                                   .command = i,
                                   .cost = i,
                                   .coarse_base = base,
                                   .count = s->commands[i].triangles_in};
    assert_true(gpu_push(g, &command));
  }
  for (uint64_t now = 0, asked = 0; !gpu_idle(g); now++) {
    gpu_advance(g, now);
    if (port.wanted) {
      assert_int_equal(port.base, base);
      assert_int_equal(port.blocks, 128);
      port.wanted = false;
      asked = now;
    } else if (!port.seen && now >= asked + 3) {
      port.seen = true;
      port.depth = depth;
    }
    if (port.count > 0) {
      const gpu_coarse_tell_t *t = &port.tells[port.head];
      assert_true(t->base == base && t->block < 128);
      d.farthest = t->depth > d.farthest ? t->depth : d.farthest;
      d.told++;
      port.head = (port.head + 1) % GpuCoarseTells;
      port.count--;
    }
    assert_true(now < 100000);
  }
  d.written = gpu_stats(g)->fragments_written;
  d.hidden = port.hidden;
  gpu_destroy(g);
  scene_destroy(s);
  return d;
}

// Triangle i of the scene lies at depth 1000 + i and hides no other.
TEST(test_ties) {
  const drawn_t all = draw_behind(1, 0xffffff);
  uint64_t before = 0;
  assert_int_equal(all.hidden, 0);
  assert_true(all.told > 0 && all.farthest == 0xffffff);  // no triangle covers a block
  for (uint32_t i = 0; i < Triangles; i++) {
    const drawn_t d = draw_behind(1, 1000 + i);
    assert_true(d.written > before);
    assert_int_equal(d.written + d.hidden, all.written);
    before = d.written;
  }
  assert_int_equal(before, all.written);
  assert_int_equal(draw_behind(1, 999).written, 0);
}

// A draw of another kind neither asks nor tells.
TEST(test_other_draws) {
  const drawn_t d = draw_behind(0, 0);
  assert_true(d.written > 0);
  assert_int_equal(d.hidden + d.told, 0);
}

int main(void) { return run_all_tests(NULL, NULL); }
