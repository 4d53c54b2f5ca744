// SPDX-License-Identifier: Apache-2.0
// Schemes, latencies and draws in flight, on a frame small enough to work out by hand.
#include "scene.h"

// Each projects a half of each draw and draws what touches its tile.
TEST(test_gpupd_shares) {
  machine_params_t p = defaults(MachineGpupd);
  outcome_t o;
  run(&p, &o);
  assert_int_equal(o.projected[0], 3);
  assert_int_equal(o.projected[1], 3);
  assert_int_equal(o.triangles[0], 4);  // 1, 2, 4, 5
  assert_int_equal(o.triangles[1], 3);  // 0, 2, 3
  assert_int_equal(o.stats.distribute.batches, 1);
  assert_int_equal(o.outside, 3);
  // From GPU 0: triangle 0 of draw 0 (ordinals 0 and 1 are its share); from GPU 1: triangle 2
  // of draw 0 and triangle 5. Three indices each, and two marks each way.
  assert_int_equal(o.stats.distribute.bytes, 3 * 12 + 4 * 4);
}

// The exchange: all that a sender has fits into a cycle of its link (GPU 0: 12 + 4 + 4 bytes,
// GPU 1: 12 + 4 + 12 + 4), then the last mark travels.
TEST(test_gpupd_exchange) {
  machine_params_t p = defaults(MachineGpupd);
  outcome_t o;
  run(&p, &o);
  assert_int_equal(o.stats.distribute.cycles, Gpus * (1 + 200));
  p.link.latency = 1000;
  run(&p, &o);
  assert_int_equal(o.stats.distribute.cycles, Gpus * (1 + 1000));
  // Every GPU waits for it.
  assert_true(o.stats.spent[MachineInDistribution] >= Gpus * Gpus * (1 + 1000));
  assert_int_equal(o.stats.spent[MachineInComposition] + o.stats.spent[MachineInSync], 0);
  p.link.latency = 200;
  // One triangle is looked up a cycle: each GPU has two of draw 0 and one of draw 1.
  p.gpupd.send_rate = 1;
  run(&p, &o);
  assert_int_equal(o.stats.distribute.cycles, Gpus * (1 + 2 + 200));
  p.gpupd.send_rate = 4;
  // 4 bytes a cycle: the third cycle after a triangle takes the mark, the one after the next.
  p.link.bytes_per_cycle = 4;
  p.link.buffer_bytes = 32768;
  run(&p, &o);
  assert_int_equal(o.stats.distribute.cycles, (1 + 3 + 1 + 200) + (1 + 3 + 1 + 3 + 200));
  p.link.bytes_per_cycle = 64;
  // A buffer of three indices: every message after a triangle waits for its arrival.
  p.gpupd.buffer = 3;
  run(&p, &o);
  assert_int_equal(o.stats.distribute.cycles, (1 + 201 + 200) + (1 + 201 + 201 + 201 + 200));
  p.gpupd.buffer = 96;
  // Batches of a draw: the exchanges follow each other.
  p.gpupd.batch_draws = 1;
  run(&p, &o);
  assert_int_equal(o.stats.distribute.batches, 2);
  assert_int_equal(o.stats.distribute.cycles, 2 * Gpus * (1 + 200));
}

// Ideal: no latency, no limit of links and buffers, but one sender after the other and its lookups.
TEST(test_gpupd_ideal) {
  machine_params_t p = defaults(MachineGpupdIdeal);
  outcome_t o;
  run(&p, &o);
  assert_int_equal(o.stats.distribute.cycles, Gpus);
  p.link.latency = 1000;
  p.link.bytes_per_cycle = 1;
  p.gpupd.buffer = 3;
  run(&p, &o);
  assert_int_equal(o.stats.distribute.cycles, Gpus);
  p.gpupd.send_rate = 1;
  run(&p, &o);
  assert_int_equal(o.stats.distribute.cycles, Gpus * (1 + 2));
}

// Draw 0 with eight primitives, of which 0, 3, 4 and 7 are culled: 0 goes along with triangle 0, 3
// and 4 with 1, 7 with 3.
TEST(test_gpupd_culled) {
  static const uint32_t ordinals[] = {1, 2, 5, 6};
  for (uint32_t culled = 0; culled < 2; culled++) {
    machine_params_t p = defaults(MachineGpupd);
    p.gpupd.culled = culled;
    p.gpupd.send_rate = 1;
    scene_t *s = scene_create();
    s->commands[0].triangles_in = 8;
    for (uint32_t i = 0; i < 4; i++) {
      s->triangles[i].ordinal = ordinals[i];
    }
    outcome_t o;
    run_scene(&p, s, &o);
    assert_int_equal(o.projected[0], 5);
    assert_int_equal(o.projected[1], 5);
    assert_int_equal(o.triangles[0], culled ? 4 + 2 : 4);
    assert_int_equal(o.triangles[1], culled ? 3 + 2 : 3);
    // GPU 0 sends triangle 0 and what goes along, GPU 1 triangles 2 and 5; marks.
    assert_int_equal(o.stats.distribute.bytes, (culled ? 4 : 3) * 12 + 4 * 4);
    // GPU 0 looks up 0, 1 and 4, GPU 1 2, 3 and 5.
    assert_int_equal(o.stats.distribute.cycles,
                     culled ? (5 + 1 + 200) + (3 + 1 + 200) : Gpus * (2 + 1 + 200));
  }
}

// A batch ends with the draw that reaches a limit: draw 0 has four primitives, draw 1 two.
TEST(test_gpupd_batches) {
  static const uint32_t batches[] = {0, 2, 2, 2, 2, 1, 1, 1};
  for (uint32_t limit = 1; limit < sizeof batches / sizeof *batches; limit++) {
    machine_params_t p = defaults(MachineGpupd);
    outcome_t o;
    p.gpupd.batch_primitives = limit;
    run(&p, &o);
    assert_int_equal(o.stats.distribute.batches, batches[limit]);
  }
}

// A longer latency adds to a run everything that must wait for it, one after the other.
TEST(test_latencies) {
  enum { More = 500 };
  outcome_t before, after;
  // CHOPIN: a transfer reads at the sender, then at the receiver.
  machine_params_t p = defaults(MachineChopin);
  run(&p, &before);
  p.memory_latency += More;
  run(&p, &after);
  assert_true(after.stats.cycles >= before.stats.cycles + 2 * More);
  // GPUpd: positions come out of the geometry stage before the exchange, then the draws go
  // through it.
  p = defaults(MachineGpupd);
  run(&p, &before);
  p.gpu.geometry_latency += More;
  run(&p, &after);
  assert_true(after.stats.cycles >= before.stats.cycles + 2 * More);
}

// The broadcast at a target switch takes as long as the slower of the links and the memories that
// take what the others drew: a tile for each GPU, of 4 bytes a pixel.
TEST(test_sync) {
  frame_surface_t targets[2] = {{128, 64}, {128, 64}};
  machine_params_t p = defaults(MachineDuplication);
  uint64_t cycles[3];
  for (uint32_t slow = 0; slow < 3; slow++) {
    p.link.bytes_per_cycle = slow == 1 ? 1 : 64;
    p.memory_bytes_per_cycle = slow == 2 ? 1 : 64;
    scene_t *s = scene_create();
    s->frame.targets = targets;
    s->frame.target_count = 2;
    s->commands[0].state.color_target = 1;
    s->commands[0].state.depth_buffer = FrameNone;
    s->commands[0].state.depth_test = s->commands[0].state.depth_write = 0;
    err_auto_t err = {0};
    machine_units_t units = scene_units(s);
    machine_t *m = machine_create(&p, &s->frame, NULL, &units, &err);
    assert_non_null(m);
    assert_int_equal(machine_run(m, NULL, NULL), MachineDone);
    assert_int_equal(machine_stats(m)->sync.syncs, 1);
    cycles[slow] = machine_stats(m)->sync.cycles;
    machine_destroy(m);
    scene_destroy(s);
  }
  uint64_t tile = 4 * 64 * 64;
  assert_int_equal(cycles[0], 2 * p.message_latency + p.link.latency + tile / 64);
  assert_int_equal(cycles[1], 2 * p.message_latency + p.link.latency + tile);
  assert_int_equal(cycles[2], 2 * p.message_latency + p.link.latency + tile);
}

TEST(test_schemes_agree) {
  static const uint32_t schemes[] = {MachineDuplication, MachineGpupd, MachineGpupdIdeal,
                                     MachineChopin, MachineChopinIdeal};
  machine_params_t p = defaults(MachineSingle);
  outcome_t single, o, gpupd, chopin;
  run(&p, &single);
  for (uint32_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    p = defaults(schemes[i]);
    p.ideal_merge = MachineMergeNone;  // merging at the ROP's rate: test_readings
    run(&p, &o);
    assert_memory_equal(o.picture, single.picture, sizeof o.picture);
    gpupd = schemes[i] == MachineGpupd ? o : gpupd;
    chopin = schemes[i] == MachineChopin ? o : chopin;
    if (schemes[i] == MachineGpupdIdeal) {
      assert_int_equal(o.stats.distribute.bytes, gpupd.stats.distribute.bytes);
      assert_true(o.stats.cycles < gpupd.stats.cycles);
    }
    if (schemes[i] == MachineChopinIdeal) {
      assert_int_equal(o.distributors, 1);  // for the map
      assert_int_equal(o.outside, 1);
      assert_int_equal(o.stats.compose.starts, chopin.stats.compose.starts);
      assert_true(o.stats.cycles < chopin.stats.cycles);
      // Without headers and side-band; what is sent are whole stamps on the links.
      assert_true(o.stats.compose.bytes <= chopin.stats.compose.bytes);
      assert_true(o.stats.compose.bytes > 0);
    }
  }
}

// The places on the axes give what the words for them give, under the same name.
TEST(test_words) {
  static const struct {
    uint32_t scheme, draws, orders, ideal;
  } Words[] = {
      {MachineSingle, MachineDrawsSingle, MachineOrdersOfScheme, MachineIdealFalse},
      {MachineDuplication, MachineDrawsDuplication, MachineOrdersOfScheme, MachineIdealFalse},
      {MachineChopinRoundRobin, MachineDrawsRoundRobin, MachineOrdersScheduler, MachineIdealFalse},
      {MachineChopinDirect, MachineDrawsLeast, MachineOrdersDirect, MachineIdealFalse},
      {MachineChopin, MachineDrawsLeast, MachineOrdersScheduler, MachineIdealFalse},
      {MachineGpupd, MachineDrawsGpupd, MachineOrdersOfScheme, MachineIdealFalse},
      {MachineGpupdIdeal, MachineDrawsGpupd, MachineOrdersOfScheme, MachineIdealTrue},
      {MachineChopinIdeal, MachineDrawsLeast, MachineOrdersScheduler, MachineIdealTrue}};
  assert_int_equal(sizeof Words / sizeof *Words, MachineSchemeCount);
  for (uint32_t i = 0; i < MachineSchemeCount; i++) {
    machine_params_t p = defaults(Words[i].scheme);
    outcome_t word, axes;
    assert_string_equal(machine_scheme_name(&p), MachineSchemeNames[Words[i].scheme]);
    run(&p, &word);
    p = defaults(MachineSchemeCount - 1 - i);
    p.draws = Words[i].draws;
    p.orders = Words[i].orders;
    p.ideal = Words[i].ideal;
    assert_string_equal(machine_scheme_name(&p), MachineSchemeNames[Words[i].scheme]);
    run(&p, &axes);
    assert_int_equal(axes.stats.cycles, word.stats.cycles);
    assert_memory_equal(axes.picture, word.picture, sizeof word.picture);
  }
}

// Every combination of places gives the picture of one GPU, and has a name of its own.
TEST(test_axes) {
  machine_params_t p = defaults(MachineSingle);
  outcome_t single, o;
  run(&p, &single);
  const char *names[MachineDrawsEnd * MachineOrdersEnd * 2];
  uint32_t count = 0;
  for (p.draws = MachineDrawsSingle; p.draws < MachineDrawsEnd; p.draws++) {
    for (p.orders = MachineOrdersDirect; p.orders < MachineOrdersEnd; p.orders++) {
      for (p.ideal = MachineIdealFalse; p.ideal < MachineIdealEnd; p.ideal++) {
        bool exchanges = machine_composes(&p) || machine_distributes(&p);
        if ((!exchanges && p.ideal == MachineIdealTrue) ||
            (!machine_composes(&p) && p.orders != MachineOrdersDirect)) {
          continue;
        }
        run(&p, &o);
        assert_memory_equal(o.picture, single.picture, sizeof o.picture);
        names[count] = machine_scheme_name(&p);
        for (uint32_t i = 0; i < count; i++) {
          assert_string_not_equal(names[count], names[i]);
        }
        count++;
      }
    }
  }
  assert_true(count >= 12);
}

// One GPU, two draws. With one in flight they take the time of each, once less the way of the
// first command; with two, geometry of the second is hidden, and its pixels wait for the last
// write of the first; with overlap they follow in the pipeline.
TEST(test_draws_in_flight) {
  machine_params_t p = defaults(MachineSingle);
  outcome_t first, second, both;
  run_commands(&p, 0, 1, &first);
  run_commands(&p, 1, 1, &second);
  uint64_t a = first.stats.cycles, b = second.stats.cycles - p.message_latency;
  p.gpu.draws_in_flight = 1;
  run(&p, &both);
  assert_in_range(both.stats.cycles, a + b - 16, a + b);
  p.gpu.draws_in_flight = 2;
  run(&p, &both);
  uint64_t hidden = p.gpu.geometry_latency;
  assert_in_range(both.stats.cycles, a + b - hidden - 40, a + b - hidden + 8);
  p.gpu.draw_overlap = 1;
  run(&p, &both);
  assert_in_range(both.stats.cycles, a + 1, a + p.gpu.shading_latency / 2);
}

int main(void) { return run_all_tests(NULL, NULL); }
