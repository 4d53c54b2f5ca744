// SPDX-License-Identifier: Apache-2.0
#include "soc_params.h"

typedef soc_params_t P;

static const char *const Schedulers[] = {"off", "frfcfs", "dash_cpu", "dash_all", NULL};
static const char *const Organizations[] = {"shared", "split", NULL};
static const char *const Urgencies[] = {"progress", "threshold", NULL};
static const char Table3[] = "Emerald, Table 3";
static const char Chosen[] = "chosen";

#define NEW .group = ConfigExtension, .hashed_if_set = true

static const config_key_t Keys[] = {
    CONFIG_ENUM(P, scheduler, "soc.scheduler", "off", Schedulers, "Emerald, 5.2: BAS, DCB, DTB",
                "of the memory that CPUs, GPU and display share: none, or DASH with the traffic of "
                "the CPUs or of all; off: no SoC",
                NEW),
    CONFIG_ENUM(P, organization, "soc.organization", "shared", Organizations, "Emerald, Table 4",
                "split: one channel for the CPUs, one for GPU and display", NEW),
    CONFIG_UINT(P, pace, "soc.pace", 16666667, 1000, 1000000000, "cycles", "60 frames a second",
                "from the begin of a frame to that of the next, at least", NEW),
    CONFIG_ENUM(P, urgency, "dash.urgency", "progress", Urgencies, "DASH",
                "what makes an IP urgent: behind its progress or late, or late only", NEW),
    CONFIG_UINT(P, cluster_factor, "dash.cluster_factor", 150, 0, 1000, "permille", Table3,
                "of the traffic that non-intensive CPUs may have", NEW),
    CONFIG_UINT(P, threshold, "dash.threshold", 800, 0, 1000, "permille", Table3,
                "of the display's period, after which it is late", NEW),
    CONFIG_UINT(P, gpu_threshold, "dash.gpu_threshold", 900, 0, 1000, "permille", Table3,
                "of the GPU's period, after which it is late", NEW),
    CONFIG_UINT(P, gpu_period, "dash.gpu_period", 33000000, 10000, 52000000, "cycles", Table3,
                "in which the GPU is to draw a frame", NEW),
    CONFIG_UINT(P, display_period, "dash.display_period", 16000000, 10000, 52000000, "cycles",
                Table3, "in which the display is to fetch a refresh", NEW),
    CONFIG_UINT(P, buffer, "display.buffer", 16384, 512, 1048576, "bytes",
                "chosen; gem5's HDLCD: 2048", "of the display", NEW),
};

#define CPU(field, key, low, high, in_unit, what)                                         \
  {                                                                                       \
    .name = key, .kind = ConfigUint, CONFIG_FIELD(P, cpu.field), .min = low, .max = high, \
    .unit = in_unit, .meaning = what, .hashed_if_set = true                               \
  }
#define EACH(field, high, in_unit, what)                         \
  CPU(field[0], #field "_0", 0, high, in_unit, what),            \
      CPU(field[1], #field "_1", 0, high, in_unit, "of core 1"), \
      CPU(field[2], #field "_2", 0, high, in_unit, "of core 2"), \
      CPU(field[3], #field "_3", 0, high, in_unit, "of core 3"), \
      CPU(field[4], #field "_4", 0, high, in_unit, "of core 4"), \
      CPU(field[5], #field "_5", 0, high, in_unit, "of core 5"), \
      CPU(field[6], #field "_6", 0, high, in_unit, "of core 6"), \
      CPU(field[7], #field "_7", 0, high, in_unit, "of core 7")

static const config_key_t CpuEntries[] = {
    CPU(cores, "cores", 1, SocMaxCores, "cores", ""),
    CPU(ipc, "ipc", 1, 16000, "instructions", "of a core in 1,000 cycles"),
    CPU(window, "window", 1, 64, "reads", "of a core under way, at which it stops"),
    CPU(run, "run", 1, 4096, "lines", "of 64 bytes read in a row, in the mean"),
    CPU(writes, "writes", 0, 1000, "permille", "of the reads with a posted write beside"),
    EACH(mpki, 1000, "misses", "of core 0 in 1,000 instructions; of cores that are not there 0"),
    EACH(prepare, 1000000, "thousand instructions", "of core 0 before the GPU's frame"),
    EACH(beside, 1000000, "thousand instructions", "of core 0 beside the GPU's frame"),
    EACH(background, 100000, "requests",
         "of core 0 in a million cycles, after that and as long as the GPU draws"),
};

static const config_set_t Cpu = {.key = "soc.cpu",
                                 .prefix = "cpu",
                                 .initial = "app",
                                 .source = Chosen,
                                 .meaning = "what the CPUs do",
                                 .entries = CpuEntries,
                                 .count = sizeof CpuEntries / sizeof *CpuEntries};

bool soc_config_add(config_t *config, void *params, err_t *err) {
  return config_add(config, "", Keys, sizeof Keys / sizeof *Keys, params, err) &&
         config_add_set(config, &Cpu, params, err);
}

bool soc_config_check(const config_t *config, const soc_params_t *p, err_t *err) {
  const soc_cpu_params_t *c = &p->cpu;
  for (uint32_t i = 0; p->scheduler && i < SocMaxCores; i++) {
    const char *wrong = i < c->cores ? "expected 1 to 1000" : "expected 0, there is no such core";
    if ((i < c->cores) != (c->mpki[i] > 0)) {
      return err_set(err, ErrInput, "%s: soc.cpu: mpki_%u is %u, %s (cores: %u)",
                     config_origin(config, "soc.cpu"), i, c->mpki[i], wrong, c->cores);
    }
    if (i >= c->cores && (c->prepare[i] || c->beside[i] || c->background[i])) {
      return err_set(err, ErrInput, "%s: soc.cpu: core %u has work, expected 0 (cores: %u)",
                     config_origin(config, "soc.cpu"), i, c->cores);
    }
  }
  return true;
}

gddr5_sources_t soc_params_sources(const soc_params_t *p) {
  return (gddr5_sources_t){.sources = p->cpu.cores + SocIps,
                           .cpus = p->cpu.cores,
                           .split = p->organization == SocSplit,
                           .cpu_base = SOC_CPU_BASE};
}
