// SPDX-License-Identifier: Apache-2.0
// The loop that Verilator leaves to whoever uses VPI with it, as cocotb has it: for
// tb/peers/vpi_bench.c. MODEL and MODEL_HEADER name the Verilated class.
#include <verilated.h>
#include <verilated_vpi.h>

#include MODEL_HEADER

extern "C" void (*vlog_startup_routines[])(void);

static bool settle() {
  bool called = false;
  while (VerilatedVpi::callValueCbs()) called = true;
  return called;
}

int main(int argc, char **argv) {
  VerilatedContext *context = Verilated::threadContextp();
  context->commandArgs(argc, argv);
  MODEL top{""};
  for (auto start = vlog_startup_routines; *start; start++) (*start)();
  VerilatedVpi::callCbs(cbStartOfSimulation);
  while (!context->gotFinish()) {
    VerilatedVpi::callTimedCbs();
    for (bool again = true; again;) {
      top.eval_step();
      again = settle();
      if (VerilatedVpi::callCbs(cbReadWriteSynch)) again = true;
      if (settle()) again = true;
    }
    top.eval_end_step();
    VerilatedVpi::callCbs(cbReadOnlySynch);
    const QData next = VerilatedVpi::cbNextDeadline();
    if (next == ~static_cast<QData>(0)) break;
    context->time(next);
    VerilatedVpi::callCbs(cbNextSimTime);
    settle();
  }
  top.final();
  return 0;
}
