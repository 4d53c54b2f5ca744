// SPDX-License-Identifier: Apache-2.0
// The readings of what the paper leaves open, in the machine: where direct-send begins, buffers
// that senders share, what ideal means, messages of any latency, a second texture read.
#include "csim/base/config.h"
#include "csim/frame/generate_frame.h"
#include "csim/machine/check.h"
#include "csim/machine/machine.h"
#include "csim/machine/machine_config.h"
#include "csim/units/pixel_distributor/golden.h"
#include "tb/harness/harness.h"
#include "tests/programs/checked_run.h"
#include "tests/programs/test.h"

enum { MaxGpus = 8, MaxSends = 64 };

// Distribution units that note to whom they were told to send.
typedef struct {
  harness_t *harness;
  pixel_distributor_t units[MaxGpus];
  uint32_t count;
  uint8_t sends[MaxGpus][MaxSends];
  uint32_t send_count[MaxGpus];
} noting_t;

typedef struct {
  noting_t *notes;
  uint32_t instance;
} unit_t;

static unit_t unit_of[MaxGpus];

static unit_status_e step(void *self, const pixel_distributor_in_t *in,
                          pixel_distributor_out_t *out) {
  const unit_t *u = self;
  noting_t *n = u->notes;
  if (in->start_valid && n->send_count[u->instance] < MaxSends) {
    n->sends[u->instance][n->send_count[u->instance]++] = (uint8_t)in->start_destination;
  }
  return n->units[u->instance].step(n->units[u->instance].self, in, out);
}

static void reset(void *self, pixel_distributor_out_t *out) {
  const unit_t *u = self;
  const pixel_distributor_t *to = &u->notes->units[u->instance];
  to->reset(to->self, out);
}

static bool make_noting(void *self, const pixel_distributor_params_t *p, uint32_t instance,
                        pixel_distributor_t *engine, err_t *err) {
  noting_t *n = self;
  n->count++;
  unit_of[instance] = (unit_t){n, instance};
  *engine = (pixel_distributor_t){.self = &unit_of[instance], .step = step, .reset = reset};
  return harness_pixel_distributor_at(n->harness, p, instance, &n->units[instance], err);
}

static bool make_draws(void *self, const draw_scheduler_params_t *p, draw_scheduler_t *engine,
                       err_t *err) {
  return harness_draw_scheduler(((noting_t *)self)->harness, p, engine, err);
}

static bool make_composer(void *self, const composition_scheduler_params_t *p,
                          composition_scheduler_t *engine, err_t *err) {
  return harness_composition_scheduler(((noting_t *)self)->harness, p, engine, err);
}

typedef struct {
  machine_stats_t stats;
  uint32_t outside, composed;
  noting_t notes;
} outcome_t;

static frame_t *frame_named(const char *name) {
  err_auto_t err = {0};
  frame_t *f = frame_generate(name, 1, &err);
  if (!f) {
    fail_msg("%s", err_text(&err));
  }
  return f;
}

// Renders the frame, whose picture is the single GPU's within its bound.
static void run(const machine_params_t *p, const frame_t *f, outcome_t *o) {
  harness_options_t options = {.engine = EngineGolden, .seed = 1};
  memset(o, 0, sizeof *o);
  noting_t *n = &o->notes;
  n->harness = harness_create(&options);
  assert_non_null(n->harness);
  machine_units_t units = {
      .context = n,
      .draw_scheduler = make_draws,
      .composition_scheduler = make_composer,
      .pixel_distributor = make_noting,
      .cube = {n->harness, harness_offload_unit_at, harness_atfim_at},
      .gpu = {n->harness, harness_primitive_distributor_at, harness_tile_coalescer_at},
      .merge = pixel_merge_all};
  checked_run_t checked = checked_run(p, f, NULL, &units);
  machine_t *m = checked.machine;
  const char *names[4];
  machine_units_outside(m, names);
  for (o->outside = 0; names[o->outside]; o->outside++) {
  }
  o->stats = *machine_stats(m);
  o->composed = machine_plan(m)->composed_count;
  checked_run_free(&checked);
  harness_destroy(n->harness);
}

static machine_params_t defaults(uint32_t scheme, uint32_t gpus) {
  static machine_params_t p;
  err_auto_t err = {0};
  config_t *config = config_create();
  assert_true(config && machine_config_add(config, &p, &err));
  config_destroy(config);
  p.scheme = scheme;
  p.gpus = gpus;
  p.threshold = 20;
  return p;
}

// In each composition a GPU sends to all others, ascending: from 0, or from own + 1 around.
TEST(test_direct_order) {
  enum { Gpus = 5 };
  static outcome_t o;
  frame_t *f = frame_named("gen:test-2");
  for (uint32_t order = MachineOrderZero; order <= MachineOrderOwn; order++) {
    machine_params_t p = defaults(MachineChopinDirect, Gpus);
    p.direct_order = order;
    run(&p, f, &o);
    assert_true(o.composed > 0);
    for (uint32_t g = 0; g < Gpus; g++) {
      assert_int_equal(o.notes.send_count[g], o.composed * (Gpus - 1));
      for (uint32_t i = 0; i < o.notes.send_count[g]; i++) {
        uint32_t n = i % (Gpus - 1), own = (g + 1 + n) % Gpus, zero = n < g ? n : n + 1;
        assert_int_equal(o.notes.sends[g][i], order == MachineOrderOwn ? own : zero);
      }
    }
  }
  frame_free(f);
}

// Down to a beat for each link no run hangs, and the less there is the longer direct-send takes.
TEST(test_shared_buffer) {
  static outcome_t o;
  uint64_t least = 0, most = 0;
  for (uint32_t k = 0; k < 2; k++) {
    frame_t *f = frame_named(k ? "gen:test-4" : "gen:test-2");
    for (uint32_t gpus = k ? 3 : 2; gpus <= 7; gpus += 5) {
      for (uint32_t scheme = MachineChopinDirect; scheme <= MachineChopin; scheme++) {
        for (uint32_t order = MachineOrderZero; order <= MachineOrderOwn; order++) {
          machine_params_t p = defaults(scheme, gpus);
          p.direct_order = order;
          p.link_shared_buffer = 64 * (gpus - 1);
          run(&p, f, &o);
          least += o.stats.cycles;
          p.link_shared_buffer = 65536;
          run(&p, f, &o);
          most += o.stats.cycles;
        }
      }
    }
    frame_free(f);
  }
  assert_true(least > most);
}

// With all that can ever wait in a buffer it makes no difference whose it is.
TEST(test_shared_as_own) {
  static outcome_t o;
  frame_t *f = frame_named("gen:test-3");
  machine_params_t p = defaults(MachineChopinDirect, 4);
  p.link.buffer_bytes = 65536;
  run(&p, f, &o);
  uint64_t own = o.stats.cycles;
  p.link_shared_buffer = 65536;
  run(&p, f, &o);
  assert_int_equal(o.stats.cycles, own);
  frame_free(f);
}

TEST(test_ideal_merge) {
  static outcome_t rop, none, as_set;
  frame_t *f = frame_named("gen:test-2");
  machine_params_t p = defaults(MachineChopinIdeal, 4);
  assert_int_equal(p.ideal_merge, MachineMergeRop);
  run(&p, f, &rop);
  assert_int_equal(rop.outside, 0);
  assert_int_equal(rop.notes.count, 4);
  assert_true(rop.stats.compose.header_bytes > 0);
  p.ideal_merge = MachineMergeNone;
  run(&p, f, &none);
  assert_int_equal(none.outside, 1);
  assert_true(none.stats.cycles < rop.stats.cycles);
  // Neither what the links are nor a buffer that senders share counts; the messages take no time.
  p.ideal_merge = MachineMergeRop;
  p.link_shared_buffer = 1024;
  p.link.buffer_bytes = 256;
  p.message_latency = 1000;
  run(&p, f, &as_set);
  assert_int_equal(as_set.stats.cycles, rop.stats.cycles);
  // The same by hand.
  p = defaults(MachineChopin, 4);
  p.message_latency = 0;
  p.link = (link_params_t){.latency = 1, .bytes_per_cycle = 4096, .buffer_bytes = 65536};
  run(&p, f, &as_set);
  p.scheme = MachineChopinIdeal;
  run(&p, f, &rop);
  assert_int_equal(as_set.stats.cycles, rop.stats.cycles);
  assert_int_equal(as_set.stats.compose.bytes, rop.stats.compose.bytes);
  frame_free(f);
}

TEST(test_ideal_broadcast) {
  static outcome_t paid, is_free, chopin;
  frame_t *f = frame_named("gen:test-3");
  const uint32_t schemes[] = {MachineChopinIdeal, MachineGpupdIdeal};
  for (uint32_t k = 0; k < 2; k++) {
    machine_params_t p = defaults(schemes[k], 4);
    assert_int_equal(p.ideal_broadcast, MachineBroadcastPaid);
    run(&p, f, &paid);
    p.ideal_broadcast = MachineBroadcastFree;
    run(&p, f, &is_free);
    assert_true(paid.stats.sync.syncs > 0);
    assert_int_equal(paid.stats.sync.bytes, is_free.stats.sync.bytes);
    assert_int_equal(is_free.stats.sync.cycles, 0);
    // A barrier's messages are ideal, too: what is paid is what CHOPIN pays without them.
    p = defaults(k ? MachineGpupd : MachineChopin, 4);
    p.message_latency = 0;
    run(&p, f, &chopin);
    assert_int_equal(paid.stats.sync.cycles, chopin.stats.sync.cycles);
    assert_true(paid.stats.cycles > is_free.stats.cycles);
  }
  frame_free(f);
}

TEST(test_message_latency) {
  static outcome_t o;
  frame_t *f = frame_named("gen:test-2");
  uint64_t before = 0;
  for (uint32_t latency = 0; latency <= 200; latency += 100) {
    machine_params_t p = defaults(MachineChopin, 4);
    p.message_latency = latency;
    run(&p, f, &o);
    assert_true(o.stats.cycles > before);
    before = o.stats.cycles;
  }
  frame_free(f);
}

// The cost of a second read counts only in draws with two textures; 0 charges it like the first.
TEST(test_second_read) {
  static outcome_t o;
  const uint32_t next[] = {0, 65, 16, 130};
  uint64_t cycles[4];
  frame_t *f = frame_named("gen:test-1");
  for (uint32_t i = 0; i < f->command_count; i++) {
    frame_stage_t *stages = f->commands[i].state.stages;
    stages[0].texture = stages[1].texture = 0;
  }
  for (uint32_t k = 0; k < 4; k++) {
    machine_params_t p = defaults(MachineSingle, 1);
    p.gpu.texture_next_cycles = next[k];
    run(&p, f, &o);
    cycles[k] = o.stats.cycles;
  }
  assert_int_equal(cycles[0], cycles[1]);
  assert_true(cycles[2] < cycles[1] && cycles[1] < cycles[3]);
  for (uint32_t i = 0; i < f->command_count; i++) {
    f->commands[i].state.stages[1].texture = FrameNone;
  }
  for (uint32_t k = 0; k < 2; k++) {
    machine_params_t p = defaults(MachineSingle, 1);
    p.gpu.texture_next_cycles = k ? 16 : 0;
    run(&p, f, &o);
    cycles[k] = o.stats.cycles;
  }
  assert_int_equal(cycles[0], cycles[1]);
  frame_free(f);
}

int main(void) { return run_all_tests(NULL, NULL); }
