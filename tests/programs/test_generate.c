// SPDX-License-Identifier: Apache-2.0
// Generated workloads: Table III's figures, groups as in VI-E, determinism, refusals.
#include <stdio.h>
#include <time.h>

#include "../../csim/base/sha256.h"
#include "../../csim/driver/plan.h"
#include "../../csim/frame/frame.h"
#include "../../csim/frame/generate_frame.h"
#include "tests/programs/test.h"

// CHOPIN, Table III.
static const struct {
  const char *name;
  uint32_t width, height, draws, triangles;
} Table[] = {
    {"gen:cod2", 640, 480, 1005, 219950},   {"gen:cry", 800, 600, 1427, 800948},
    {"gen:grid", 1280, 1024, 2623, 466806}, {"gen:mirror", 1280, 1024, 1257, 381422},
    {"gen:nfs", 1280, 1024, 1858, 534121},  {"gen:stal", 1280, 1024, 1086, 546733},
    {"gen:ut3", 1280, 1024, 1944, 630302},  {"gen:wolf", 640, 480, 1697, 243052},
};
enum { Games = sizeof Table / sizeof *Table };

static frame_t *make(const char *name, uint64_t seed) {
  err_auto_t err = {0};
  frame_t *frame = frame_generate(name, seed, &err);
  if (!frame) {
    fail_msg("%s", err_text(&err));
  }
  if (!frame_check(frame, &err)) {
    fail_msg("%s: %s", name, err_text(&err));
  }
  return frame;
}

static uint64_t memory_of(const frame_t *f) {
  uint64_t bytes = (uint64_t)f->vertex_count * sizeof *f->vertices +
                   (uint64_t)f->triangle_count * sizeof *f->triangles +
                   (uint64_t)f->command_count * sizeof *f->commands;
  for (uint32_t i = 0; i < f->texture_count; i++) {
    bytes += (uint64_t)f->textures[i].width * f->textures[i].height * 16 / 3;
  }
  return bytes;
}

// Counts the groups of at least 4,096 and 16,384 primitives and sums their primitives; writes the
// sizes of the former.
static void count_large(const plan_t *plan, uint32_t count[2], uint32_t sum[2], char *sizes,
                        size_t room) {
  static const uint32_t Thresholds[2] = {4096, 16384};
  count[0] = count[1] = sum[0] = sum[1] = 0;
  size_t used = 0;
  sizes[0] = '\0';
  for (uint32_t g = 0; g < plan->group_count; g++) {
    const plan_group_t *group = &plan->groups[g];
    for (int t = 0; t < 2; t++) {
      if (group->primitives >= Thresholds[t]) {
        count[t]++;
        sum[t] += group->primitives;
      }
    }
    if (group->primitives >= Thresholds[0]) {
      // Every large group can be composed, also by who wants more draws than GPUs.
      assert_int_not_equal(group->kind, DrawSchedulerGroupDuplicated);
      assert_true(group->draws > 8);
      used += (size_t)snprintf(sizes + used, room - used, " %u", group->primitives);
      assert_true(used < room);
    }
  }
}

TEST(table_three) {
  const char *const *names = frame_generate_names();
  uint32_t groups[2] = {0, 0}, most = 0;
  double shares[2] = {0, 0};
  print_message("%-10s %6s %9s %6s | >= 4096        | >= 16384       | composed, sizes\n", "frame",
                "draws", "triangles", "groups");
  for (int i = 0; i < Games; i++) {
    assert_string_equal(names[i], Table[i].name);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    frame_t *f = make(names[i], 1);
    clock_gettime(CLOCK_MONOTONIC, &after);
    // 2 seconds at most without sanitizers; a slow machine gets some room.
    assert_true(after.tv_sec - before.tv_sec < 10);
    assert_true(memory_of(f) < 300u << 20);
    uint32_t draws = 0, triangles = 0;
    for (uint32_t c = 0; c < f->command_count; c++) {
      draws += f->commands[c].kind == FrameCmdDraw;
      triangles += f->commands[c].triangles_in;
    }
    assert_int_equal(f->width, Table[i].width);
    assert_int_equal(f->height, Table[i].height);
    assert_int_equal(draws, Table[i].draws);
    assert_int_equal(triangles, Table[i].triangles);
    plan_t *plan = plan_create(f, &(plan_params_t){.gpus = 8, .compose = true, .threshold = 4096});
    assert_non_null(plan);
    uint32_t count[2], sum[2];
    char sizes[160];
    count_large(plan, count, sum, sizes, sizeof sizes);
    for (int t = 0; t < 2; t++) {
      groups[t] += count[t];
      shares[t] += 100.0 * sum[t] / triangles;
    }
    most = count[0] > most ? count[0] : most;
    print_message("%-10s %6u %9u %6u | %2u with %.2f %% | %2u with %.2f %% | %u,%s\n", names[i],
                  draws, triangles, plan->group_count, count[0], 100.0 * sum[0] / triangles,
                  count[1], 100.0 * sum[1] / triangles, plan->composed_count, sizes);
    plan_destroy(plan);
    frame_free(f);
  }
  print_message("mean       %.2f groups with %.2f %%, %.2f with %.2f %%, at most %u\n",
                groups[0] / 8.0, shares[0] / Games, groups[1] / 8.0, shares[1] / Games, most);
  // CHOPIN, VI-E and VI-F.
  assert_int_equal(groups[0], 52);
  assert_int_equal(groups[1], 42);
  assert_int_equal(most, 13);
  assert_true(shares[0] / Games > 92.42 && shares[0] / Games < 92.46);
  assert_true(shares[1] / Games > 89.80 && shares[1] / Games < 89.86);
}

TEST(deterministic) {
  const char *const some[] = {"gen:cod2", "gen:test-1", "gen:test-2"};
  for (int i = 0; i < 3; i++) {
    frame_t *a = make(some[i], 7), *b = make(some[i], 7), *c = make(some[i], 8);
    assert_true(frame_hash(a) == frame_hash(b));
    assert_true(frame_hash(a) != frame_hash(c));
    assert_int_equal(memcmp(a->vertices, b->vertices, a->vertex_count * sizeof *a->vertices), 0);
    frame_free(a);
    frame_free(b);
    frame_free(c);
  }
}

// The vertices of three frames by their hash (the draws of ut3 go from front to back), so that a
// compiler or library which computes otherwise is found. They change with any change of the
// generator.
TEST(same_everywhere) {
  static const char *const pinned[][2] = {
      {"gen:cod2", "9dbd1d51aa70d6c6044ce8d491e7f4087c8037dd98d6aa12c6f5f771d00cf494"},
      {"gen:ut3", "4ff8b8738612921c203b2da673cc5eee5fd596c0aef9a0d32608d249ff4ba654"},
      {"gen:test-1", "b5d33c6b48bf476a3d0643cc028d9885fc68c0112071562acd25c1c8dfe8860b"},
  };
  for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++) {
    char text[BaseSha256Text];
    frame_t *f = make(pinned[i][0], 1);
    base_sha256_hex(f->vertices, f->vertex_count * sizeof *f->vertices, text);
    assert_string_equal(text, pinned[i][1]);
    frame_free(f);
  }
}

// Other seeds change the scene, never the table's figures or the groups.
TEST(seeds) {
  for (uint64_t seed = 2; seed < 5; seed++) {
    frame_t *f = make("gen:cry", seed);
    plan_t *plan = plan_create(f, &(plan_params_t){.gpus = 8, .compose = true, .threshold = 4096});
    assert_int_equal(plan->triangles, 800948);
    assert_int_equal(plan->composed_count, 13);
    plan_destroy(plan);
    frame_free(f);
  }
}

// The small frames visit every kind of group between them.
TEST(small_frames) {
  uint32_t reasons[PlanReasonCount] = {0}, composed[PlanOperatorOther + 1] = {0};
  uint32_t odd_size = 0, stencil = 0, alpha = 0, many_targets = 0;
  for (uint32_t i = 0; i < 150; i++) {
    char name[32];
    snprintf(name, sizeof name, "gen:test-%u", i);
    frame_t *f = make(name, 1);
    uint32_t draws = 0;
    for (uint32_t c = 0; c < f->command_count; c++) {
      draws += f->commands[c].kind == FrameCmdDraw;
      stencil += f->commands[c].state.stencil_test;
      alpha += f->commands[c].state.alpha_test;
    }
    assert_true(draws >= 30 && draws <= 80);
    odd_size += f->width % 64 != 0;
    many_targets += f->target_count > 1;
    plan_t *plan = plan_create(f, &(plan_params_t){.gpus = 4, .compose = true, .threshold = 64});
    for (uint32_t g = 0; g < plan->group_count; g++) {
      reasons[plan->groups[g].reason]++;
      composed[plan->groups[g].op] += plan->groups[g].reason == PlanComposed;
    }
    plan_destroy(plan);
    frame_free(f);
  }
  for (int r = 0; r < PlanReasonCount; r++) {
    if (r != PlanFewDraws && r != PlanScheme && r != PlanLonelyBarrier && r != PlanPolicy &&
        reasons[r] == 0) {
      fail_msg("no group is %s", plan_reason_name((plan_reason_e)r));
    }
  }
  for (int op = PlanOperatorReplace; op < PlanOperatorOther; op++) {
    assert_true(composed[op] > 0);
  }
  assert_true(odd_size > 100 && stencil > 0 && alpha > 0 && many_targets > 20);
}

TEST(refused) {
  static const char *const names[] = {"gen:quake",
                                      "cod2",
                                      "gen:",
                                      "gen:cod22",
                                      "gen:cod2-8x480",
                                      "gen:cod2-320x240x",
                                      "gen:riddick-320x240",
                                      "gen:test-",
                                      "gen:test-x",
                                      "gen:test-1x",
                                      "gen:test--1",
                                      "gen:test-99999999999999999999",
                                      "",
                                      "gen:g80-",
                                      "gen:g80-quads",
                                      "gen:g80-cover8",
                                      "gen:g80-quads07",
                                      "gen:g80-quads7",
                                      "gen:g80-quads8-",
                                      "gen:g80-quads8-cover",
                                      "gen:g80-quads8-in16-in32",
                                      "gen:g80-lines1-in3",
                                      "gen:g80-moved",
                                      "gen:g80-cover-draws2",
                                      "gen:g80-repeated33",
                                      "gen:g80-silhouette17",
                                      "gen:g80-cover-window100"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    err_auto_t err = {0};
    assert_null(frame_generate(names[i], 1, &err));
    assert_non_null(strstr(err_text(&err), "no such frame, expected gen:"));
  }
  err_auto_t err = {0};
  assert_null(frame_generate("gen:quake", 1, &err));
  assert_string_equal(
      err_text(&err),
      "gen:quake: no such frame, expected gen: and cod2, cry, grid, mirror, nfs, "
      "stal, ut3, wolf with or without -WxH, doom3-WxH, fear-WxH, hl2-WxH, "
      "riddick-WxH, wolfenstein-WxH, w1 to w6, m1 to m4 with or without -WxH, g80-WORDS, or "
      "test-N (sizes: docs/model/workloads.md)");
}

TEST(other_size) {
  frame_t *f = make("gen:cod2-320x240", 1);
  assert_int_equal(f->width, 320);
  assert_int_equal(f->height, 240);
  uint32_t triangles = 0;
  for (uint32_t c = 0; c < f->command_count; c++) {
    triangles += f->commands[c].triangles_in;
  }
  assert_int_equal(triangles, Table[0].triangles);
  frame_free(f);
}

// A-TFIM, Table II: the sizes by name; most opaque draws are filtered anisotropically, up to 16.
TEST(table_two) {
  const char *const *names = frame_generate_names() + Games;
  uint32_t count = 0;
  for (; names[count]; count++) {
    frame_t *f = make(names[count], 1);
    unsigned width, height;
    assert_int_equal(sscanf(strchr(names[count], '-'), "-%ux%u", &width, &height), 2);
    assert_int_equal(f->width, width);
    assert_int_equal(f->height, height);
    uint32_t opaque = 0, anisotropic = 0;
    for (uint32_t c = 0; c < f->command_count; c++) {
      const frame_cmd_t *d = &f->commands[c];
      if (d->kind == FrameCmdDraw && d->state.depth_write &&
          d->state.stages[0].texture != FrameNone) {
        opaque++;
        anisotropic += d->state.stages[0].max_anisotropy == 16;
      }
    }
    assert_true(opaque > 300);
    assert_true(anisotropic * 10 > opaque * 7);
    frame_free(f);
  }
  assert_int_equal(count, 10);
}

// Emerald's stand-ins: triangles as counted there where it is known, a model of 80 % of the
// picture's height in the mean over the turns, one texture, frames that differ by the camera alone.
TEST(models) {
  static const uint32_t triangles[] = {74976, 5856, 12, 968, 968, 12544, 2016, 12, 7936, 4};
  for (uint32_t k = 0; k < 10; k++) {
    // Not a closed body; without a texture.
    const bool open = k == 0 || k == 4 || k >= 8, plain = k == 7 || k == 9;
    char name[32];
    snprintf(name, sizeof name, "gen:%c%u", k < 6 ? 'w' : 'm', k < 6 ? k + 1 : k - 5);
    err_auto_t err = {0};
    frame_t *f = make(name, 1), *next = frame_generate_view(name, 1, 1, &err);
    const frame_cmd_t *draw = &f->commands[1];
    assert_int_equal(f->command_count, 2);
    assert_int_equal(f->width, 1024);
    assert_int_equal(f->height, 768);
    assert_int_equal(draw->triangles_in, triangles[k]);
    assert_int_equal(draw->fragment_length, 24);
    assert_int_equal(draw->state.blend, k == 4);
    assert_int_equal(f->texture_count, !plain);
    assert_true(plain || f->textures[0].width == 512);
    int32_t high = INT32_MAX, low = 0;
    for (uint32_t i = 0; i < f->vertex_count; i++) {
      high = f->vertices[i].y < high ? f->vertices[i].y : high;
      low = f->vertices[i].y > low ? f->vertices[i].y : low;
    }
    // Inside of the bounding sphere.
    assert_true(k == 0 || (low - high) / FrameSubpixel <= 768 * 81 / 100);
    assert_non_null(next);
    assert_int_equal(next->commands[1].triangles_in, triangles[k]);
    if (!plain) {
      assert_memory_equal(next->textures[0].level[0], f->textures[0].level[0], 512 * 512 * 4);
    }
    assert_true(next->vertex_count != f->vertex_count ||
                memcmp(next->vertices, f->vertices, f->vertex_count * sizeof *f->vertices) != 0);
    frame_free(next);
    // All closed: what is seen of it, seen from behind, is another part of it.
    assert_true(open || f->triangle_count * 10 > triangles[k] * 4);
    assert_true(open || f->triangle_count * 10 < triangles[k] * 6);
    frame_free(f);
  }
  static const char *const wrong[] = {"gen:w0", "gen:w7",     "gen:m0",          "gen:m5",
                                      "gen:n1", "gen:w4-8x8", "gen:w4-0256x192", "gen:w4-256x192x"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    err_auto_t err = {0};
    assert_null(frame_generate(wrong[i], 1, &err));
  }
  frame_t *small = make("gen:w4-256x192", 1);
  assert_int_equal(small->width, 256);
  frame_free(small);
}

// The G80 study: what the words say; its pixels are counted by test_g80_primitives.
TEST(small_primitives) {
  static const struct {
    const char *name;
    uint32_t window, draws, triangles, ops;
  } rows[] = {{"gen:g80-cover", 512, 1, 1, 1},
              {"gen:g80-quads8-in16-moved-window256", 256, 1, 2048, 1},
              {"gen:g80-stacked4-draws64", 512, 64, 1024, 1},
              {"gen:g80-lines1-slow-window128", 128, 1, 16384, 5},
              {"gen:g80-silhouette16", 512, 1, 1, 65}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    frame_t *f = make(rows[i].name, 1);
    assert_int_equal(f->width, rows[i].window);
    assert_int_equal(f->command_count, rows[i].draws);
    assert_int_equal(f->commands[rows[i].draws - 1].triangle_count, rows[i].triangles);
    assert_int_equal(f->programs->count, rows[i].ops);
    frame_free(f);
  }
}

int main(void) { return run_all_tests(NULL, NULL); }
