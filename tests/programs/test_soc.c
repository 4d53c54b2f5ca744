// SPDX-License-Identifier: Apache-2.0
// The agents of a SoC rule by rule, before ports that answer as the test says; its loop of frames.
#include "csim/frame/generate_frame.h"
#include "csim/machine/machine_config.h"
#include "tb/harness/rendering.h"
#include "tests/programs/test.h"

// ---- A port

enum { MostRequests = 4096 };

typedef struct {
  struct {
    uint64_t address, tag, at;
    uint32_t bytes;
    bool write;
  } request[MostRequests];
  uint32_t count, answered, room;  // answered: reads and writes that are over; room: accepted
  bool writes_wait;
  uint64_t now, latency;  // latency 0: the test answers
  memory_answer_t answers[MostRequests];
  uint32_t head, tail;
} port_t;

static bool push(void *self, uint64_t address, uint32_t bytes, bool write, uint64_t tag) {
  port_t *p = self;
  if (p->count == p->room || (write && p->writes_wait)) {
    return false;
  }
  assert_true(p->count < MostRequests);
  p->request[p->count].address = address;
  p->request[p->count].tag = tag;
  p->request[p->count].at = p->now;
  p->request[p->count].bytes = bytes;
  p->request[p->count++].write = write;
  return true;
}

static bool pop(void *self, memory_answer_t *answer) {
  port_t *p = self;
  while (p->latency && p->answered < p->count &&
         p->request[p->answered].at + p->latency <= p->now) {
    if (!p->request[p->answered].write) {
      p->answers[p->tail++] = (memory_answer_t){p->request[p->answered].tag, false};
    }
    p->answered++;
  }
  if (p->head == p->tail) {
    return false;
  }
  *answer = p->answers[p->head++];
  return true;
}

static memory_port_t open_port(port_t *p) {
  *p = (port_t){.room = UINT32_MAX};
  return (memory_port_t){p, push, pop};
}

static void answer(port_t *p, uint32_t request) {
  p->answers[p->tail++] = (memory_answer_t){p->request[request].tag, false};
}

// ---- CPUs

static port_t port;

static soc_cpu_params_t quick(void) {
  return (soc_cpu_params_t){.cores = 1, .ipc = 1000, .window = 4, .run = 1, .mpki = {1000}};
}

// Steps a core in each cycle until `to`, and holds soc_core_next to it: between two of its cycles
// nothing may change but by an answer.
static void step_to(soc_core_t *c, uint64_t to) {
  uint64_t due = port.now;
  for (; port.now <= to; port.now++) {
    const soc_core_t before = *c;
    const uint32_t count = port.count, head = port.head;
    soc_core_step(c, port.now);
    if (port.now < due && head == port.head && !before.has_read) {
      assert_int_equal(port.count, count);
      assert_int_equal(c->at, before.at);
    }
    due = soc_core_next(c, port.now);
  }
}

// A miss an instruction: it stops at `window` reads, and goes on when one is back.
TEST(core_window) {
  const soc_cpu_params_t p = quick();
  soc_core_t c;
  soc_core_init(&c, &p, 0, 1, open_port(&port));
  soc_core_work(&c, 0, 1);
  step_to(&c, 100);
  assert_int_equal(port.count, 4);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(port.request[i].at, i + 1);  // 1 instruction a cycle
    assert_int_equal(port.request[i].bytes, 64);
    assert_false(port.request[i].write);
  }
  assert_int_equal(soc_core_instructions(&c, 100), 4);
  assert_int_equal(soc_core_next(&c, 100), UINT64_MAX);
  answer(&port, 2);
  step_to(&c, 120);
  assert_int_equal(port.count, 5);
  assert_int_equal(port.request[4].at, 102);  // resumes at 101, executes the next one
  port.latency = 10;
  port.answered = 2;  // 0 and 1, then all others; 2 is over
  answer(&port, 0), answer(&port, 1);
  port.answered = 3;
  step_to(&c, 4000);
  assert_true(soc_core_done(&c));
  assert_int_equal(c.misses, 1000);
  assert_int_equal(soc_core_instructions(&c, 4000), 1000);
}

// Without a miss in its way work takes instructions over ipc; gaps are 1 to 2 x (1000 / mpki) - 1.
TEST(core_gaps) {
  soc_cpu_params_t p = quick();
  p.ipc = 2000;
  p.mpki[0] = 12;
  p.window = 64;
  soc_core_t c;
  soc_core_init(&c, &p, 0, 1, open_port(&port));
  port.latency = 1;
  port.now = 7;
  soc_core_work(&c, 7, 40);
  uint64_t last = 0, sum = 0, longest = 0, shortest = UINT64_MAX;
  while (!soc_core_done(&c)) {
    const uint64_t miss = c.miss;
    soc_core_step(&c, port.now++);
    if (c.miss != miss) {
      longest = c.miss - miss > longest ? c.miss - miss : longest;
      shortest = c.miss - miss < shortest ? c.miss - miss : shortest;
      sum += c.miss - miss;
      last++;
    }
  }
  assert_true(port.now >= 7 + 20000 && port.now <= 7 + 20003);
  assert_true(longest <= 165 * 1000 && longest > 155 * 1000);
  assert_true(shortest >= 1000 && shortest < 10 * 1000);
  assert_in_range(sum / last, 78 * 1000, 88 * 1000);  // 83 in the mean
  assert_in_range(c.misses, 440, 520);
}

// Lines go on for 1 to 2 x run - 1, then jump; a core stays in its 64 MiB.
TEST(core_places) {
  soc_cpu_params_t p = quick();
  p.run = 4;
  p.window = 64;
  soc_core_t c;
  p.mpki[3] = 1000;
  soc_core_init(&c, &p, 3, 1, open_port(&port));
  port.latency = 1;
  soc_core_work(&c, 0, 2);
  step_to(&c, 3000);
  uint32_t length = 1, longest = 0, runs = 0;
  for (uint32_t i = 1; i < port.count; i++) {
    assert_in_range(port.request[i].address, SOC_CPU_BASE + 3ull * SocCoreBytes,
                    SOC_CPU_BASE + 4ull * SocCoreBytes - 64);
    bool next = port.request[i].address == port.request[i - 1].address + 64;
    longest = !next && length > longest ? length : longest;
    runs += !next;
    length = next ? length + 1 : 1;
  }
  assert_int_equal(longest, 7);
  assert_in_range(port.count / runs, 3, 5);
}

// A write goes before its read, and both stop the core while there is no room.
TEST(core_writes) {
  soc_cpu_params_t p = quick();
  p.writes = 1000;
  soc_core_t c;
  soc_core_init(&c, &p, 0, 1, open_port(&port));
  port.writes_wait = true;
  soc_core_work(&c, 0, 1);
  step_to(&c, 50);
  assert_int_equal(port.count, 0);
  assert_true(soc_core_blocked(&c) && !soc_core_done(&c));
  assert_int_equal(soc_core_instructions(&c, 50), 1);
  port.writes_wait = false;
  port.room = 1;
  step_to(&c, 60);
  assert_int_equal(port.count, 1);
  assert_true(port.request[0].write && soc_core_blocked(&c));
  port.room = UINT32_MAX;
  step_to(&c, 70);
  assert_false(port.request[1].write);
  assert_int_equal(port.request[1].at, 61);
  assert_int_equal(port.request[2].at, 62);
}

// Background requests come in equal steps, stand for instructions, and end when told.
TEST(core_background) {
  soc_cpu_params_t p = quick();
  p.mpki[0] = 4;
  p.background[0] = 10000;
  soc_core_t c;
  soc_core_init(&c, &p, 0, 1, open_port(&port));
  soc_core_background(&c, 0);
  step_to(&c, 1000);
  assert_int_equal(port.count, 4);  // of 10: the window is full
  assert_int_equal(port.request[3].at, 400);
  assert_int_equal(soc_core_instructions(&c, 1000), 4 * 250);
  answer(&port, 0);
  step_to(&c, 1050);
  assert_int_equal(port.request[4].at, 1001);
  soc_core_rest(&c);
  answer(&port, 1);
  step_to(&c, 2000);
  assert_int_equal(port.count, 5);
  p.background[0] = 0;
  soc_core_background(&c, 2000);
  assert_int_equal(soc_core_next(&c, 2000), UINT64_MAX);
}

// A core draws the same whenever it is answered; other seeds and cores draw otherwise.
TEST(core_draws) {
  static port_t other;
  soc_cpu_params_t p = quick();
  p.mpki[1] = 1000;
  p.writes = 300;
  for (uint32_t k = 0; k < 4; k++) {
    soc_core_t c;
    soc_core_init(&c, &p, k == 3, k == 2 ? 2 : 1, open_port(&port));
    port.latency = k == 1 ? 77 : 5;
    soc_core_work(&c, 0, 1);
    step_to(&c, 40000);
    assert_true(soc_core_done(&c));
    bool same = k > 0 && port.count == other.count;
    for (uint32_t i = 0; same && i < port.count; i++) {
      same = port.request[i].address % SocCoreBytes == other.request[i].address % SocCoreBytes;
    }
    assert_int_equal(same, k == 1);
    other = k ? other : port;
  }
}

// ---- Display

enum { Wide = 64, High = 2, Pitch = 256 };

// 224 x 24 pixels a refresh: a pixel is 3,100 cycles long.
static uint64_t due_of(uint32_t line, uint32_t pixel) {
  return (uint64_t)((22 + line) * 224 + pixel) * 1000000000 / (60ull * 24 * 224);
}

static void open_display(soc_display_t *d, uint32_t buffer) {
  assert_true(soc_display_init(d, buffer, open_port(&port)));
  soc_display_show(d, Wide, High, 1 << 20, Pitch);
}

// Steps as the SoC does, in the cycles that the display names and in those with answers.
static void show_to(soc_display_t *d, uint64_t to) {
  while (port.now <= to) {
    soc_display_step(d, port.now);
    const uint64_t next = soc_display_next(d, port.now);
    const uint64_t arrives = port.latency ? port.now + 1 : next;
    port.now = port.now + 1 < next && d->under_way ? arrives : next;
  }
}

// The rows in order, 128 bytes at a time, 16 or a buffer at once.
TEST(display_fetches) {
  soc_display_t d;
  open_display(&d, 512);
  port.latency = 40;
  show_to(&d, 1000);
  assert_int_equal(port.count, 4);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(port.request[i].address, (1 << 20) + i * 128);
    assert_int_equal(port.request[i].bytes, 128);
    assert_int_equal(port.request[i].at, 0);
  }
  assert_int_equal(d.stats.bytes, 512);
  assert_int_equal(d.stats.refreshes, 1);
  show_to(&d, 16666665);
  assert_int_equal(d.stats.aborted, 0);
  assert_int_equal(port.count, 4);  // all of the picture
  show_to(&d, 16666670);            // the next refresh
  assert_int_equal(d.stats.refreshes, 2);
  assert_int_equal(port.request[4].at, 16666666);
  show_to(&d, 40000000);
  assert_int_equal(d.stats.refreshes, 3);
  assert_int_equal(port.request[8].at, 33333333);
  assert_int_equal(d.stats.aborted, 0);
  soc_display_free(&d);
}

// At most 16 under way, however large the buffer, and place is made as the beam takes pixels.
TEST(display_limits) {
  soc_display_t d;
  assert_true(soc_display_init(&d, 16384, open_port(&port)));
  soc_display_show(&d, 1024, 8, 0, 4096);
  show_to(&d, 10);
  assert_int_equal(port.count, SocBursts);
  soc_display_free(&d);
  open_display(&d, 512);
  soc_display_show(&d, Wide, 3, 0, Pitch);
  port.latency = 1;
  const uint64_t first = (uint64_t)22 * 224 * 1000000000 / (60ull * 25 * 224);
  show_to(&d, first - 1);
  assert_int_equal(port.count, 4);
  show_to(&d, first);
  assert_int_equal(port.count, 5);
  assert_int_equal(port.request[4].at, first);
  soc_display_free(&d);
}

// The ways to lose a refresh; each is lost when the beam takes what is not there, and not before.
TEST(display_gives_up) {
  for (uint32_t way = 0; way < 5; way++) {
    soc_display_t d;
    open_display(&d, 16384);
    port.room = way == 0 ? 0 : UINT32_MAX;  // no room
    uint64_t lost = due_of(0, 0);
    show_to(&d, 100);
    if (way == 1) {
      lost = due_of(0, 0);  // no answer at all
    } else if (way == 2) {
      answer(&port, 1), answer(&port, 2), answer(&port, 3);  // the first one is missing
    } else if (way == 3) {
      answer(&port, 0);  // the second batch is missing
      lost = due_of(0, 32);
    } else if (way == 4) {
      answer(&port, 2), answer(&port, 0), answer(&port, 1);  // the last one is missing
      lost = due_of(1, 32);
    }
    show_to(&d, lost - 1);
    assert_int_equal(d.stats.aborted, 0);
    show_to(&d, lost);
    assert_int_equal(d.stats.aborted, 1);
    assert_true(d.ended && !d.alive);
    // It fetches no more until the next refresh, for which late answers are of no use.
    const uint32_t count = port.count;
    port.room = UINT32_MAX;
    for (uint32_t i = 0; way == 1 && i < count; i++) {
      answer(&port, i);
    }
    show_to(&d, 16666665);
    assert_int_equal(port.count, count);
    assert_int_equal(d.stats.bytes, (way == 3 ? 1 : way == 4 ? 3 : 0) * 128);
    show_to(&d, 16666666);
    assert_int_equal(port.count, count + 4);
    assert_true(d.began);
    soc_display_free(&d);
  }
}

// A burst that was late in one refresh does not stand for one of the next.
TEST(display_late_answers) {
  soc_display_t d;
  open_display(&d, 16384);
  show_to(&d, 16666700);
  assert_int_equal(port.count, 8);
  for (uint32_t i = 0; i < 4; i++) {
    answer(&port, i);
  }
  show_to(&d, 16666666 + due_of(0, 0));
  assert_int_equal(d.stats.aborted, 2);
  assert_int_equal(d.stats.bytes, 0);
  soc_display_free(&d);
}

// ---- The loop of frames

typedef struct {
  machine_params_t params;
  frame_t *frame;
  soc_session_t session;
} system_t;

static void open_system(system_t *s, const char *frame, const char *const sets[]) {
  err_auto_t err = {0};
  config_t *config = config_create();
  *s = (system_t){0};
  assert_true(machine_config_add(config, &s->params, &err));
  assert_true(config_load_file(config, "vectors/config/soc.yaml", &err));
  for (uint32_t i = 0; sets[i]; i++) {
    assert_true(config_set(config, sets[i], &err));
  }
  assert_true(machine_config_check(config, &s->params, &err));
  config_destroy(config);
  s->frame = frame_load(frame, 1, &err);
  assert_non_null(s->frame);
}

static void start_system(system_t *s) {
  err_auto_t err = {0};
  const harness_options_t o = {.engine = EngineGolden, .seed = 1, .unreported = true};
  assert_true(soc_session_make(&s->session, &o, &s->params, &err));
}

static void close_system(system_t *s) {
  soc_session_end(&s->session);
  frame_free(s->frame);
}

// One frame of a GPU that draws nothing for so many cycles.
static void draw_nothing(system_t *s, uint64_t cycles, halt_t *halt) {
  assert_true(soc_begin(s->session.soc, s->frame, halt));
  for (uint64_t now = 0; now < cycles;) {
    now = soc_run(s->session.soc, now, cycles, halt);
  }
  assert_int_equal(soc_run(s->session.soc, cycles, UINT64_MAX, halt), UINT64_MAX);
}

TEST(loop_paces_frames) {
  static const char *const sets[] = {"soc.pace=4000000", "dash.gpu_period=10000", NULL};
  system_t s;
  halt_t halt = {0};
  open_system(&s, "gen:m2-64x48", sets);
  start_system(&s);
  const uint64_t draws[] = {1000, 10000, 10001, 5000000};
  for (uint32_t i = 0; i < 4; i++) {
    draw_nothing(&s, draws[i], &halt);
    assert_true(soc_finish(s.session.soc, draws[i], &halt));
    const soc_frame_t *f = &soc_stats(s.session.soc)->frame;
    assert_int_equal(f->begin, i * 4000000);
    assert_in_range(f->prepare, 1500000, 1502000);  // 3,000,000 instructions, two a cycle
    assert_int_equal(f->gpu, draws[i]);
    assert_in_range(f->beside, 500000, 502000);
    uint64_t after = f->gpu > f->beside ? f->gpu : f->beside;
    assert_int_equal(f->cycles, f->prepare + after);
  }
  // The first frame does not count.
  const soc_sums_t *sums = &soc_stats(s.session.soc)->sums;
  assert_int_equal(sums->frames, 3);
  assert_in_range(sums->span, 8000000 + 6500000, 8000000 + 6503000);
  assert_int_equal(sums->met[0], 1);
  assert_int_equal(sums->missed[0], 2);
  // 13,750 misses beside the frame, then a background request in 1,000 cycles and core, each of 64
  // bytes and three in ten with a write.
  assert_in_range(soc_stats(s.session.soc)->frame.beside_bytes, 2510000, 2780000);
  close_system(&s);
}

// Someone takes a core's answers away: the hang says what each agent waits for.
TEST(loop_hangs) {
  static const char *const sets[] = {NULL};
  system_t s;
  halt_t halt = {0};
  open_system(&s, "gen:m2-64x48", sets);
  start_system(&s);
  assert_true(soc_begin(s.session.soc, s.frame, &halt));
  memory_system_t *memory = soc_memory(s.session.soc);
  memory_port_t stolen = memory_system_port(memory, memory_system_client(memory, 1));
  uint32_t taken = 0;
  for (uint64_t now = 0; now < 100000; now++) {
    memory_answer_t answer;
    soc_run(s.session.soc, now, now + 1, &halt);
    taken += stolen.pop(stolen.self, &answer);
  }
  assert_true(taken >= 8);
  assert_false(soc_finish(s.session.soc, 100000, &halt));
  assert_int_equal(halt.status, MachineHang);
  const char *report = text_string(&halt.text);
  assert_non_null(strstr(report, "after the GPU's frame: nothing is due, and work is left"));
  assert_non_null(strstr(report, "CPU 1 works: 8 of 8 reads under way"));
  assert_non_null(strstr(report, "CPU 3 rests: 0 of 8"));
  assert_non_null(strstr(report, "display: refreshes, "));
  assert_non_null(strstr(report, "GPU waits for its next frame"));
  text_free(&halt.text);
  close_system(&s);
}

// A GPU that is called only when something can arrive draws in the same cycles as one that is
// called in each; and it is called much less.
TEST(loop_wakes_gpu) {
  static const char *const sets[2][4] = {
      {"soc.pace=1000", "soc.cpu=light", "soc.scheduler=dash_all", NULL},
      {"soc.pace=1000", "soc.cpu=light", "gddr5.timing=lpddr3_133", NULL}};
  for (uint32_t k = 0; k < 4; k++) {
    uint64_t cycles[2], evaluated[2];
    soc_stats_t *stats[2];
    for (uint32_t polled = 0; polled < 2; polled++) {
      err_auto_t err = {0};
      system_t s;
      open_system(&s, k < 2 ? "gen:m1-128x96" : "gen:m3-64x48", sets[k % 2]);
      s.params.soc.polled = polled;
      start_system(&s);
      const harness_options_t o = {.engine = EngineGolden, .seed = 1};
      rendering_t r = {.soc = &s.session, .unjudged = true};
      assert_true(rendering_make(&r, &o, &s.params, s.frame, NULL, &err));
      assert_int_equal(rendering_run(&r, NULL, NULL), MachineDone);
      cycles[polled] = machine_stats(r.machine)->cycles;
      evaluated[polled] = machine_stats(r.machine)->cycles_evaluated;
      stats[polled] = malloc(sizeof *stats[polled]);
      *stats[polled] = *soc_stats(s.session.soc);
      rendering_end(&r);
      close_system(&s);
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_memory_equal(stats[0], stats[1], sizeof *stats[0]);
    assert_true(evaluated[0] < evaluated[1]);
    assert_true(stats[0]->sums.sources[4].read_bytes > 0);
    free(stats[0]);
    free(stats[1]);
  }
}

// With nobody else the display loses nothing, on the slow DRAM either.
TEST(display_alone) {
  static const char *const sets[] = {"soc.scheduler=dash_all", "gddr5.timing=lpddr3_133",
                                     "soc.pace=1000", NULL};
  system_t s;
  halt_t halt = {0};
  open_system(&s, "gen:m2", sets);
  memset(s.params.soc.cpu.prepare, 0, sizeof s.params.soc.cpu.prepare);
  memset(s.params.soc.cpu.beside, 0, sizeof s.params.soc.cpu.beside);
  memset(s.params.soc.cpu.background, 0, sizeof s.params.soc.cpu.background);
  start_system(&s);
  draw_nothing(&s, 50000000, &halt);
  assert_true(soc_finish(s.session.soc, 50000000, &halt));
  const soc_sums_t *sums = &soc_stats(s.session.soc)->sums;
  assert_int_equal(sums->display.refreshes, 4);
  assert_int_equal(sums->display.aborted, 0);
  assert_int_equal(sums->met[1], 3);
  assert_true(sums->display.bytes >= 3 * 1024 * 768 * 4);
  assert_true(sums->urgent[1] > 0 && sums->quanta == 100);
  close_system(&s);
}

int main(void) { return run_all_tests(NULL, NULL); }
