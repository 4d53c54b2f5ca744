// SPDX-License-Identifier: Apache-2.0
// A bench as one writes it for Verilator: the inputs of each cycle in memory, a statement a port,
// the clock down and up. It compares nothing but the outputs after the last cycle of each pass, so
// that it cannot be fast by driving wrongly. MODEL and MODEL_HEADER name the Verilated class;
// ports.inc has IN(name, bits) and OUT(name, bits) for each port in the order of the vectors, which
// `nocturne unit --record` wrote.
//   bench VECTORS PASSES
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include MODEL_HEADER

namespace {

constexpr int ResetClocks = 2;

struct Cycle {
  bool reset;
#define IN(name, bits) std::remove_reference_t<decltype(MODEL::name)> name;
#define OUT(name, bits) IN(name, bits)
#include "ports.inc"
#undef IN
#undef OUT
};

template <typename T>
void put_bit(T &port, unsigned bit) {
  port |= static_cast<T>(1) << bit;
}
template <std::size_t N>
void put_bit(VlWide<N> &port, unsigned bit) {
  port[bit / 32] |= 1u << bit % 32;
}

// The fields of a number in hexadecimal, the first field lowest.
class Fields {
 public:
  explicit Fields(const std::string &digits) : digits_(digits) {}
  template <typename T>
  void take(T &port, unsigned bits) {
    port = T{};
    for (unsigned bit = 0; bit < bits; bit++, at_++) {
      const char c = digits_[digits_.size() - 1 - at_ / 4];
      if ((c <= '9' ? c - '0' : c - 'a' + 10) >> at_ % 4 & 1) put_bit(port, bit);
    }
  }

 private:
  std::string digits_;
  std::size_t at_ = 0;
};

bool read(const char *path, std::vector<Cycle> &cycles) {
  std::ifstream file(path);
  std::string line, unit;
  std::size_t in_bits = 0, out_bits = 0;
  if (!std::getline(file, line) || !(std::istringstream(line) >> unit >> in_bits >> out_bits))
    return false;
  const std::size_t out = (out_bits + 3) / 4;
  while (std::getline(file, line)) {
    Cycle c;
    Fields outputs(line.substr(1, out)), inputs(line.substr(1 + out));
    c.reset = line[0] != '0';
#define IN(name, bits) inputs.take(c.name, bits);
#define OUT(name, bits) outputs.take(c.name, bits);
#include "ports.inc"
#undef IN
#undef OUT
    cycles.push_back(c);
  }
  return !cycles.empty();
}

void clock(MODEL &top) {
  top.clk_i = 0;
  top.eval();
  top.clk_i = 1;
  top.eval();
}

void drive(MODEL &top, const Cycle &c) {
#define IN(name, bits) top.name = c.name;
#define OUT(name, bits)
#include "ports.inc"
#undef IN
#undef OUT
  if (!c.reset) {
    clock(top);
    return;
  }
  top.rst_ni = 0;
  for (int i = 0; i < ResetClocks; i++) clock(top);
  top.rst_ni = 1;
  top.eval();
}

unsigned long differing(MODEL &top, const Cycle &c) {
  unsigned long count = 0;
#define IN(name, bits)
#define OUT(name, bits) count += std::memcmp(&top.name, &c.name, sizeof c.name) != 0;
#include "ports.inc"
#undef IN
#undef OUT
  if (count) std::printf("PEER: MISMATCH after the last line: %lu outputs\n", count);
  return count;
}

}  // namespace

int main(int argc, char **argv) {
  std::vector<Cycle> cycles;
  if (argc != 3 || !read(argv[1], cycles)) {
    std::printf("PEER: expected VECTORS PASSES\n");
    return 2;
  }
  const unsigned long passes = std::stoul(argv[2]);
  unsigned long mismatches = 0;
  VerilatedContext context;
  MODEL top{&context};
  for (unsigned long pass = 0; pass < passes; pass++) {
    for (const Cycle &c : cycles) drive(top, c);
    mismatches += differing(top, cycles.back());
  }
  std::printf("PEER: %lu lines, %lu mismatches\n", passes * cycles.size(), mismatches);
  top.final();
  return mismatches != 0;
}
