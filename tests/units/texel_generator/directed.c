// SPDX-License-Identifier: Apache-2.0
// Directed tests of the texel generator, from docs/units/texel_generator.md: the example, flow,
// errors, causes of cycles without a beat.
#include "directed.h"

// The example of the contract, cycle by cycle.
ENGINE_TEST(test_example) {
  begin();
  assert_true(out.package_ready && out.quiescent);
  describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
  const texel_generator_package_t p = simple(3);
  send(&p);  // t
  for (uint32_t t = 1; t <= 24; t++) {
    assert_int_equal(out.request_valid, t == 5);
    assert_int_equal(out.beat_valid, t >= 18 && t <= 21);
    assert_int_equal(out.quiescent, t > 21);
    if (t == 5) {
      assert_int_equal(out.request.slot, 0);
      assert_int_equal(out.request.id, 3);
      assert_int_equal(out.request.mask, 0xffff);
      assert_int_equal(out.request.extent, 2);
      assert_false(out.request.refused);
    }
    if (out.beat_valid) {
      // Line 64 has the base; line t - 18 of the row is the children of parents 0, 4, 8 and 12.
      uint32_t m = t - 18;
      assert_int_equal(out.beat.line, 64 + m);
      assert_int_equal(out.beat.texel, 0xffff);
      assert_int_equal(out.beat.last, t == 21);
      for (uint32_t k = 0; k < 16; k++) {
        assert_int_equal(out.beat.parent[k], k / 4 * 4 + m);
      }
    }
    step();
  }
  assert_int_equal(out.error, TexelGeneratorErrorNone);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterPackages), 1);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterGroups), 4);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterBeats), 4);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterChildren), 64);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounters), 0);
}

// A slot each, the lowest that is free; without one the package waits.
ENGINE_TEST(test_slots) {
  begin();
  describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
  for (uint16_t i = 0; i < Slots + 2; i++) {
    const texel_generator_package_t p = simple(i);
    send(&p);
    wait_cycles(6);
    assert_int_equal(request_count, i < Slots ? i + 1u : Slots);
    if (i < Slots) {
      assert_int_equal(last_request.slot, i);
    }
  }
  wait_cycles(40);
  assert_true(out.quiescent);
  assert_int_equal(beat_count, 4 * Slots);
  give_back(2);
  wait_cycles(30);
  assert_int_equal(last_request.slot, 2);
  assert_int_equal(last_request.id, Slots);
  give_back(3);
  wait_cycles(30);
  give_back(1);
  give_back(0);
  wait_cycles(2);
  assert_int_equal(last_request.slot, 3);
  for (uint16_t i = 0; i < 2; i++) {
    const texel_generator_package_t p = simple(i);
    send(&p);
    wait_cycles(10);
    assert_int_equal(last_request.slot, i);
  }
  assert_int_equal(out.error, TexelGeneratorErrorNone);
}

// A beat a cycle, without a gap between packages.
ENGINE_TEST(test_rate) {
  for (uint8_t k = 1; k <= 4; k++) {
    begin();
    describe(256, 256, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
    texel_generator_package_t p = simple(0);
    p.extent = k;
    uint32_t n = 1u << k;
    for (uint32_t t = 0, sent = 0; t < 120; t++) {
      in.package = p;
      in.package_valid = sent < Slots;
      sent += in.package_valid && out.package_ready;
      step();
    }
    assert_int_equal(beat_count, Slots * n);
    assert_int_equal(beat_cycle[0], Latency + 1);
    assert_int_equal(beat_cycle[beat_count - 1] - beat_cycle[0] + 1, Slots * n);
  }
}

// A beat that is not taken holds everything; nothing is lost. So does a request.
ENGINE_TEST(test_back_pressure) {
  begin();
  describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
  in.beat_ready = false;
  for (uint16_t i = 0; i < Slots; i++) {
    const texel_generator_package_t p = simple(i);
    send(&p);
    wait_cycles(20);
  }
  assert_true(out.beat_valid && out.quiescent);
  assert_int_equal(beat_count, 0);
  in.beat_ready = true;
  wait_cycles(60);
  assert_int_equal(beat_count, 4 * Slots);
  for (uint32_t i = 0; i < beat_count; i++) {
    assert_int_equal(beats[i].slot, i / 4);
    assert_int_equal(beats[i].line, 64 + i % 4);
  }
  // Two requests wait in their queue, then R, P, L and two in the package queue are full.
  for (uint8_t i = 0; i < Slots; i++) {
    give_back(i);
  }
  in.request_ready = false;
  for (uint16_t i = 0; i < 7; i++) {
    const texel_generator_package_t p = simple(i);
    send(&p);
    wait_cycles(20);
  }
  assert_false(out.package_ready);
  assert_int_equal(beat_count, 4 * Slots);  // no beat before its request was taken
  in.request_ready = true;
  wait_cycles(60);
  assert_int_equal(beat_count, 8 * Slots);
}

ENGINE_TEST(test_dropped) {
  begin();
  in.epoch = 9;
  describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
  texel_generator_package_t p = simple(1);
  p.epoch = 8;
  send(&p);
  wait_cycles(30);
  assert_int_equal(request_count + beat_count, 0);
  assert_int_equal(out.error, TexelGeneratorErrorNone);
  assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterDropped), 1);
  p.epoch = 9;
  send(&p);
  wait_cycles(30);
  assert_int_equal(request_count, 1);
  assert_int_equal(beat_count, 4);
}

ENGINE_TEST(test_refused) {
  static const struct {
    uint16_t descriptor;
    uint8_t level, reading, extent, slope;
    uint16_t tile_x, tile_y;
    bool refused;
  } cases[] = {{6, 0, 0, 2, 0, 1, 5, true},    {5 + 256, 0, 0, 2, 0, 1, 5, true},
               {5, 6, 0, 2, 0, 1, 5, true},    {5, 7, 1, 1, 0, 1, 5, true},
               {5, 6, 1, 1, 0, 1, 5, false},   {5, 0, 0, 0, 0, 1, 5, true},
               {5, 0, 0, 5, 0, 1, 5, true},    {5, 0, 0, 2, 3, 1, 5, true},
               {5, 0, 0, 2, 4, 1, 5, true},    {5, 0, 0, 2, 5, 1, 5, true},
               {5, 0, 0, 2, 6, 1, 5, false},   {5, 0, 0, 2, 2, 1, 5, false},
               {5, 3, 0, 3, 0, 1, 5, false},   {5, 3, 0, 4, 0, 1, 5, true},
               {5, 0, 0, 2, 0, 0, 5, true},    {5, 0, 0, 2, 0, 4, 5, false},
               {5, 0, 0, 2, 0, 5, 5, true},    {5, 0, 0, 2, 0, 1, 4, true},
               {5, 0, 0, 2, 0, 1, 20, false},  {5, 0, 0, 2, 0, 1, 21, true},
               {5, 0, 0, 2, 0, 1, 4095, true}, {5, 0, 0, 2, 0, 4095, 5, true}};
  for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    begin();
    describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
    const texel_generator_package_t p = {.id = 77,
                                         .descriptor = cases[i].descriptor,
                                         .level = cases[i].level,
                                         .reading = cases[i].reading,
                                         .extent = cases[i].extent,
                                         .slope = cases[i].slope,
                                         .tile_x = cases[i].tile_x,
                                         .tile_y = cases[i].tile_y};
    send(&p);
    wait_cycles(40);
    assert_int_equal(request_count, 1);
    assert_int_equal(last_request.refused, cases[i].refused);
    assert_int_equal(last_request.id, 77);
    assert_int_equal(out.error,
                     cases[i].refused ? TexelGeneratorErrorPackage : TexelGeneratorErrorNone);
    assert_int_equal(beat_count != 0, !cases[i].refused);
    assert_int_equal(peek(TexelGeneratorPeekCounter, TexelGeneratorCounterRefused),
                     cases[i].refused);
    if (cases[i].refused) {
      assert_int_equal(last_request.mask | last_request.extent | last_request.slot, 0);
    }
  }
}

ENGINE_TEST(test_errors) {
  const texel_generator_descriptor_t wrong[] = {
      {16, 1, 8, 8, 0, 0},   {5, 1, 0, 8, 0, 0}, {5, 1, 8, 0, 0, 0}, {5, 1, 8193, 8, 0, 0},
      {5, 1, 8, 8193, 0, 0}, {5, 1, 8, 8, 3, 0}, {5, 1, 8, 8, 0, 3}};
  for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    begin();
    in.descriptor_valid = true;
    in.descriptor = wrong[i];
    step();
    assert_int_equal(out.error, TexelGeneratorErrorDescriptor);
    assert_int_equal(peek(TexelGeneratorPeekDescriptor, 5), 0);
  }
  // A slot that is free, one that does not exist, one that is taken in this cycle; then one in use.
  for (uint32_t i = 0; i < 4; i++) {
    begin();
    describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
    if (i >= 2) {
      const texel_generator_package_t p = simple(0);
      send(&p);
      wait_cycles(i == 2 ? 3 : 4);
    }
    give_back(i == 1 ? Slots : 0);
    assert_int_equal(out.error, i < 3 ? TexelGeneratorErrorSlot : TexelGeneratorErrorNone);
  }
  unit.reset(unit.self, &out);
  assert_int_equal(out.error, TexelGeneratorErrorNone);
  // The lowest of several in one cycle is kept.
  for (uint32_t all = 0; all < 2; all++) {
    begin();
    if (all) {
      const texel_generator_package_t p = simple(0);
      send(&p);  // no descriptor
      wait_cycles(3);
      assert_int_equal(out.error, TexelGeneratorErrorNone);
    }
    in.free_valid = true;
    in.descriptor_valid = true;
    in.descriptor = wrong[0];
    step();
    assert_int_equal(out.error, all ? TexelGeneratorErrorPackage : TexelGeneratorErrorDescriptor);
  }
}

// A descriptor written in the cycle in which its package is loaded counts, one cycle later not.
ENGINE_TEST(test_write_through) {
  for (uint32_t late = 0; late < 2; late++) {
    begin();
    const texel_generator_package_t p = simple(1);
    send(&p);
    wait_cycles(late);
    describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
    wait_cycles(30);
    assert_int_equal(beat_count, late ? 0 : 4);
    assert_int_equal(last_request.refused, late);
  }
}

// ---- Why no beat leaves

typedef struct {
  uint64_t taken, not_taken, no_package, no_slot, no_request, filling;
} causes_t;

// The counters, of a unit without packages; they add up to the cycles before the last of these
// peeks.
static causes_t causes(void) {
  causes_t c;
  c.taken = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterTaken);
  c.not_taken = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterNotTaken);
  c.no_slot = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterNoSlot);
  c.no_request = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterNoRequest);
  c.filling = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterFilling);
  c.no_package = peek(TexelGeneratorPeekCounter, TexelGeneratorCounterNoPackage);
  assert_int_equal(c.taken, beat_count);
  assert_int_equal(c.taken + c.not_taken + c.no_slot + c.no_request + c.filling + c.no_package,
                   in.cycle - 2);
  return c;
}

ENGINE_TEST(test_causes) {
  // A package in an idle unit: four cycles to C; all else is NoPackage.
  begin();
  describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
  wait_cycles(20);
  const texel_generator_package_t p = simple(0);
  send(&p);
  wait_cycles(60);
  causes_t c = causes();
  assert_int_equal(c.taken, 4);
  assert_int_equal(c.filling, 4);
  assert_int_equal(c.not_taken + c.no_slot + c.no_request, 0);
  // The same one behind the other, but for three slots: the gap is NoSlot, and one cycle to C.
  for (uint32_t i = 0; i < Slots; i++) {
    send(&p);
    wait_cycles(3);
  }
  wait_cycles(50);
  assert_int_equal(beat_count, 4 * Slots);
  give_back(2);
  wait_cycles(60);
  assert_int_equal(beat_count, 4 * Slots + 4);
  uint32_t gap = beat_cycle[4 * Slots] - beat_cycle[4 * Slots - 1] - 1;
  assert_true(gap > 30);
  c = causes();
  assert_int_equal(c.no_slot, gap - 1);
  assert_int_equal(c.filling, 4 + 4 + 1);
  assert_int_equal(c.no_request + c.not_taken, 0);
  // A bad package waits for the request queue as others do, without a slot, too.
  in.request_ready = false;
  for (uint8_t i = 0; i < Slots; i++) {
    give_back(i);
  }
  texel_generator_package_t bad = p;
  bad.extent = 0;
  for (uint32_t i = 0; i < 3; i++) {
    send(&bad);
  }
  wait_cycles(40);
  assert_true(out.quiescent);
  in.request_ready = true;
  wait_cycles(40);
  c = causes();
  assert_in_range(c.no_request, 30, 40);
  assert_int_equal(c.no_slot, gap - 1);
}

// A unit whose clock stands still while it is quiescent counts the same.
ENGINE_TEST(test_causes_skipped) {
  causes_t c[2];
  for (uint32_t skips = 0; skips < 2; skips++) {
    begin();
    describe(Side, Side, TexelGeneratorWrapRepeat, TexelGeneratorWrapRepeat);
    const texel_generator_package_t p = simple(0);
    uint32_t skipped = 0;
    for (uint32_t t = 0; t < 3000; t++) {
      // Each phase holds its inputs for so long that the unit comes to rest.
      uint32_t phase = t / 150 % 4;
      in.beat_ready = phase != 1;
      in.request_ready = phase != 3;
      bool acts = t % 150 < 4;
      in.package_valid = acts;
      in.package = p;
      in.free_valid = acts && phase == 1;
      in.free_slot = (uint8_t)(t % 150 % Slots);
      if (skips && t % 150 > 10 && out.quiescent) {
        in.cycle++;
        skipped++;
      } else {
        beat_count %= MaxBeats / 2;
        step();
      }
    }
    in.beat_ready = in.request_ready = true;
    for (uint8_t i = 0; i < 3 * Slots; i++) {
      give_back(i % Slots);
      wait_cycles(50);
      beat_count = 0;
    }
    beat_count = (uint32_t)peek(TexelGeneratorPeekCounter, TexelGeneratorCounterTaken);
    c[skips] = causes();
    assert_true(!skips || skipped > 1000);
  }
  assert_true(c[0].no_slot > 100 && c[0].not_taken > 100);
  assert_memory_equal(&c[0], &c[1], sizeof c[0]);
}

int main(void) { return run_all_tests(NULL, NULL); }
