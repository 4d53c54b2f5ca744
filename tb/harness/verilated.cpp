// SPDX-License-Identifier: Apache-2.0
// The thin C interface to a Verilated model: the only C++ of the project. One copy is
// compiled into each unit's shared object, with MODEL the model's class and MODEL_HEADER
// its header.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "verilated.h"
#include MODEL_HEADER
#include "model_print.h"
#ifdef TRACE
#include "verilated_fst_c.h"
#endif
#ifdef COVER
#include "verilated_cov.h"
#endif
#ifdef COUNTERS
#include COUNTERS
#endif
#ifdef BARE
#include BARE_ACCESS
#endif

namespace {

struct Model {
  VerilatedContext context;
  MODEL *top = nullptr;
  Model *next = nullptr;
  bool quiet = false;
  bool dead = false;        // a fatal error ended an evaluation: the model is clocked no more
  bool unsettled = false;   // the error was a combinational loop
  char message[1024] = "";  // errors since the last reset, cut
#ifdef TRACE
  VerilatedFstC *fst = nullptr;
  uint64_t last = 0;  // time of the last dump
#endif
  // What a model registered is taken from the context of the thread, which may be another one's.
  ~Model() {
    Verilated::threadContextp(&context);
    delete top;
  }
};

Model *models;  // all, by which model_print finds the one that speaks

// The model that speaks, or nullptr.
Model *speaker() {
  Model *m = models;
  while (m && &m->context != Verilated::threadContextp()) {
    m = m->next;
  }
  return m;
}

// In Verilator's message of a combinational loop.
const char NotSettled[] = "did not converge";

// Thrown by vl_fatal, because a fatal error must not end the process.
struct Fatal {};

void eval(Model *m) {
  if (m->dead) {
    return;
  }
  try {
    m->top->eval();
  } catch (const Fatal &) {
    m->dead = true;
  }
}

void phase(Model *m, bool clock, uint64_t time) {
  m->top->clk_i = clock;
  eval(m);
#ifdef TRACE
  if (m->fst) {
    // A cycle takes 1000 ps (WavesCycle). Time must grow, also when a skipped cycle is clocked as
    // a check.
    uint64_t now = 1000 * time + 500 * clock;
    m->last = now > m->last ? now : m->last + 1;
    m->fst->dump(m->last);
  }
#else
  (void)time;
#endif
}

}  // namespace

// Verilator's library calls it where it would end the process (VL_USER_FATAL, tb/unit.mk).
void vl_fatal(const char *file, int line, const char *, const char *what) {
  VerilatedContext *context = Verilated::threadContextp();
  context->gotError(true);
  context->gotFinish(true);
  if (!std::strstr(what, NotSettled)) {
    model_print("%%Error: %s:%d: %s\n", file ? file : "", line, what);
  } else if (Model *m = speaker()) {
    m->unsettled = true;  // the place is the test bench's, not that of the loop
  }
  throw Fatal();
}

extern "C" {

// What a unit's DPI functions are given (dpi/dpi_context.h).
__attribute__((visibility("hidden"))) __thread void *dpi_context_current;

// Builds a model; its registers start at values drawn from the seed (1 or more). context: its DPI
// functions'.
void *model_create(uint64_t seed, void *context) {
  Model *m = new Model;
  m->next = models;
  models = m;
  m->context.threads(1);  // no pool of its own
  m->context.randReset(2);
  m->context.randSeed(static_cast<int>(seed % 2147483647u) + 1);
  m->context.fatalOnError(false);
#ifdef TRACE
  m->context.traceEverOn(true);
#endif
  dpi_context_current = context;
  m->top = new MODEL{&m->context, "top"};
  m->top->rst_ni = 1;
  m->top->clk_i = 1;
  eval(m);
  dpi_context_current = nullptr;
  return m;
}

void model_destroy(void *self) {
  Model **at = &models;
  while (*at != self) {
    at = &(*at)->next;
  }
  *at = (*at)->next;
  delete static_cast<Model *>(self);
}

// One clock: inputs in the low phase, outputs after the rising edge.
void model_step(void *self, uint64_t time) {
  Model *m = static_cast<Model *>(self);
  phase(m, false, time);
  phase(m, true, time);
}

// What the model said and whether it stopped is forgotten, unless it is dead.
void model_reset(void *self, int active) {
  Model *m = static_cast<Model *>(self);
  m->top->rst_ni = !active;
  if (m->dead) {
    return;
  }
  m->message[0] = '\0';
  m->context.errorCount(0);
  m->context.gotError(false);
  m->context.gotFinish(false);
}

// Whether an assertion failed or the model asked to stop, since the last reset.
int model_stopped(void *self) {
  Model *m = static_cast<Model *>(self);
  return m->context.gotError() || m->context.gotFinish() || m->dead;
}

// Whether it stopped because its logic did not settle: a combinational loop.
int model_unsettled(void *self) { return static_cast<Model *>(self)->unsettled; }

// What the model said of errors since the last reset.
const char *model_message(void *self) { return static_cast<Model *>(self)->message; }

// Whether it keeps its messages from standard output.
void model_quiet(void *self, int quiet) { static_cast<Model *>(self)->quiet = quiet; }

int model_print(const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  int n = std::vsnprintf(text, sizeof text, format, args);
  va_end(args);
  Model *m = speaker();
  if (m && std::strstr(text, "Error")) {
    std::size_t used = std::strlen(m->message);
    std::snprintf(m->message + used, sizeof m->message - used, "%s", text);
  }
  if (!m || !m->quiet) {
    std::fputs(text, stdout);
  }
  return n;
}

// 0 if this build has no waves or the file cannot be written.
int model_trace_open(void *self, const char *path) {
#ifdef TRACE
  Model *m = static_cast<Model *>(self);
  m->fst = new VerilatedFstC;
  m->top->trace(m->fst, 99);
  m->fst->open(path);
  return m->fst->isOpen();
#else
  (void)self;
  (void)path;
  return 0;
#endif
}

void model_trace_close(void *self) {
#ifdef TRACE
  Model *m = static_cast<Model *>(self);
  if (m->fst) {
    m->fst->close();
    delete m->fst;
    m->fst = nullptr;
  }
#else
  (void)self;
#endif
}

#ifdef COVER
// Writes the coverage points and their counts.
void model_coverage(void *self, const char *path) {
  static_cast<Model *>(self)->context.coveragep()->write(path);
}
#endif

#ifdef COUNTERS
// The coverage points' counts, as the model counts them; they stay where they are.
const uint32_t *model_counters(void *self, uint32_t *count) {
  auto &counts = static_cast<Model *>(self)->top->rootp->vlSymsp->__Vcoverage;
  static_assert(sizeof *counts == sizeof(uint32_t), "an atomic count is read as it is");
  *count = sizeof counts / sizeof *counts;
  return reinterpret_cast<const uint32_t *>(&counts[0]);
}
#endif

#ifdef BARE
// The values of the ports for recorded inputs, and zeros after the last.
void *model_ports(const void *in, uint64_t count) {
  bare_ports_t *ports = new bare_ports_t[count + 1]();
  for (uint64_t n = 0; n < count; n++) {
    bare_pack(static_cast<const bare_in_t *>(in) + n, ports + n);
  }
  return ports;
}

void model_ports_free(void *ports) { delete[] static_cast<bare_ports_t *>(ports); }

// Clocks a unit with these, nothing else: the limit of its speed. stride 0: with the first.
void model_run(void *self, const void *ports, uint64_t stride, uint64_t count) {
  Model *m = static_cast<Model *>(self);
  MODEL *top = m->top;
  const bare_ports_t *at = static_cast<const bare_ports_t *>(ports);
  try {
    for (uint64_t n = 0; n < count && !m->dead; n++, at += stride) {
      bare_write(top, at);
      top->clk_i = 0;
      top->eval();
      top->clk_i = 1;
      top->eval();
    }
  } catch (const Fatal &) {
    m->dead = true;
  }
}
#endif

}  // extern "C"
