// Parameters of the HMC: keys, timing sets.
#include <string.h>

#include "hmc.h"

static const char *const Timings[] = {"cashmc_512", "cashmc", "dramsim3", "ramulator", "gem5",
                                      NULL};

static const char Table1[] = "A-TFIM, Table I";
static const char Chosen[] = "chosen";
static const char Set[] = "0: as the timing set says";

typedef hmc_params_t P;

#define OVERRIDE(field, highest, what) \
  CONFIG_UINT(P, override.field, #field, 0, 0, highest, "ps", Set, what)

const config_key_t hmc_keys[] = {
    CONFIG_UINT(P, links, "links", 4, 1, 8, "links", "HMC specification 2.0",
                "of 16 lanes; a power of two"),
    CONFIG_UINT(P, vaults, "vaults", 32, 1, 64, "vaults", Table1, "a power of two"),
    CONFIG_UINT(P, banks, "banks", 8, 1, 16, "banks", Table1, "of a vault; a power of two"),
    CONFIG_UINT(P, bank_mib, "bank_size", 16, 1, 1024, "MiB",
                "HMC specification 2.0: 256 banks are 4 GB", "of a bank"),
    CONFIG_UINT(P, block, "block", 64, 32, 256, "bytes",
                "HMC specification: 32, 64, 128 or 256; the texture lines' 64",
                "that a vault holds in sequence"),
    CONFIG_UINT(P, bandwidth, "bandwidth", 160, 1, 640, "GB/s",
                "A-TFIM, Table I: 320 in total, full duplex",
                "a direction, of all links together, headers included"),
    CONFIG_UINT(P, link_latency, "link_latency", 1, 1, 1000, "cycles",
                "set so that an unloaded read takes what CasHMC takes",
                "one way: the end of a packet on the wire to its use"),
    CONFIG_UINT(P, host_queue, "host_queue", 64, 1, 1024, "requests", Chosen,
                "of a link, before it"),
    CONFIG_UINT(P, tokens, "tokens", 256, 32, 1024, "flits", "CasHMC, large buffers",
                "receive buffer of a link in the cube"),
    CONFIG_UINT(P, host_tokens, "host_tokens", 256, 32, 1024, "flits", "CasHMC, large buffers",
                "receive buffer of a link in the host"),
    CONFIG_UINT(P, switch_latency, "switch_latency", 1, 1, 1000, "cycles",
                "gem5: 1 cycle of arbitration", "through the switch, each way"),
    CONFIG_UINT(P, vault_port, "vault_port", 2, 1, 16, "flits/cycle",
                "gem5: 32 bytes wide", "between switch and vault, each way"),
    CONFIG_UINT(P, vault_queue, "vault_queue", 32, 1, 256, "requests", "DRAMsim3",
                "of a vault, for the links and for the logic layer each"),
    CONFIG_UINT(P, vault_responses, "vault_responses", 16, 1, 256, "responses", Chosen,
                "of a vault, waiting for the switch"),
    CONFIG_UINT(P, response_queue, "response_queue", 512, 32, 4096, "flits",
                "CasHMC, large buffers", "of a link, in the switch"),
    CONFIG_UINT(P, logic_reads, "logic_reads", 256, 1, 4096, "reads",
                "A-TFIM, V-D: the memory request queue", "of the logic layer, under way at once"),
    CONFIG_UINT(P, tsv_latency, "tsv_latency", 1, 0, 1000, "cycles", Table1,
                "between a vault's controller and its banks, each way"),
    CONFIG_ENUM(P, timing, "timing", "cashmc_512", Timings,
                "CasHMC, with tFAW 16 ns, columns of 64 bytes and 16 GB/s: 512 GB/s inside",
                "DRAM timing set"),
    CONFIG_BOOL(P, refresh, "refresh", "true", "all timing sets", "refresh"),
    CONFIG_UINT(P, starve, "starve", 200, 1, 1000000, "cycles", Chosen,
                "a bank that waited so long for the other direction turns a vault's data lines"),
    CONFIG_UINT(P, override.bandwidth, "vault_bandwidth", 0, 0, 256, "GB/s", Set,
                "of a vault's data lines"),
    CONFIG_UINT(P, override.column_bytes, "column_bytes", 0, 0, 64, "bytes", Set,
                "that a column command moves: 32 or 64"),
    OVERRIDE(tck, 100000, "memory clock"),
    OVERRIDE(trcd, 1000000, "activate to column command"),
    OVERRIDE(tcl, 1000000, "read command to data"),
    OVERRIDE(trp, 1000000, "precharge"),
    OVERRIDE(tras, 1000000, "activate to precharge"),
    OVERRIDE(trc, 1000000, "activate to activate of a bank"),
    OVERRIDE(trrd, 1000000, "activate to activate of a vault"),
    OVERRIDE(tfaw, 1000000, "window of four activates; 1: no such rule"),
    OVERRIDE(tccd, 1000000, "column command to column command"),
    OVERRIDE(cwl, 1000000, "write command to data"),
    OVERRIDE(twr, 1000000, "data written to precharge"),
    OVERRIDE(twtr, 1000000, "data written to read command"),
    OVERRIDE(trtp, 1000000, "read command to precharge"),
    OVERRIDE(trfc, 10000000, "refresh of a vault"),
    OVERRIDE(trefi, 100000000, "between refreshes"),
    CONFIG_UINT(P, link_energy, "link_energy", 5, 0, 1000, "pJ/bit", "A-TFIM, VI", "of the links"),
    CONFIG_UINT(P, dram_energy, "dram_energy", 4, 0, 1000, "pJ/bit", "A-TFIM, VI", "of the DRAM"),
};

const size_t hmc_key_count = sizeof hmc_keys / sizeof *hmc_keys;

bool hmc_params_default(hmc_params_t *params) {
  char error[ConfigErrorSize];
  memset(params, 0, sizeof *params);
  config_t *config = config_create();
  bool ok = config && config_add(config, "hmc", hmc_keys, hmc_key_count, params, error);
  config_destroy(config);
  return ok;
}

// ps. CasHMC and DRAMsim3: as measured with them; Ramulator, gem5: read in their sources.
static const vault_timing_t Sets[HmcTimings] = {
    [HmcTimingCashmc512] = {.tck = 800, .trcd = 10400, .tcl = 10400, .trp = 8000, .tras = 21600,
                            .trc = 32000, .trrd = 3200, .tfaw = 16000, .tccd = 3200, .cwl = 3200,
                            .twr = 8000, .twtr = 4900, .trtp = 4900, .trfc = 59000,
                            .trefi = 7800000, .column_bytes = 64, .bandwidth = 16,
                            .staggered = true},
    [HmcTimingCashmc] = {.tck = 800, .trcd = 10400, .tcl = 10400, .trp = 8000, .tras = 21600,
                         .trc = 32000, .trrd = 3200, .tfaw = 19200, .tccd = 3200, .cwl = 3200,
                         .twr = 8000, .twtr = 4900, .trtp = 4900, .trfc = 59000, .trefi = 7800000,
                         .command = 800, .column_bytes = 32, .bandwidth = 10, .staggered = true},
    [HmcTimingDramsim3] = {.tck = 800, .trcd = 13600, .tcl = 13600, .trp = 13600, .tras = 27200,
                           .trc = 40800, .trrd = 4800, .tfaw = 21600, .tccd = 4800, .cwl = 13600,
                           .twr = 15200, .twtr = 2400, .trtp = 4000, .trfc = 336000,
                           .trefi = 7491000, .column_bytes = 64, .bandwidth = 10},
    // tRRD and tCCD within a bank group: 6.4 and 4.8 ns; no bank groups here.
    [HmcTimingRamulator] = {.tck = 800, .trcd = 13600, .tcl = 13600, .trp = 13600, .tras = 27200,
                            .trc = 40800, .trrd = 5600, .tfaw = 13600, .tccd = 3200, .cwl = 10400,
                            .twr = 15200, .twtr = 7200, .trtp = 7200, .trfc = 160000,
                            .trefi = 7800000, .column_bytes = 32, .bandwidth = 10},
    // Writes take tCL to their data.
    [HmcTimingGem5] = {.tck = 800, .trcd = 10200, .tcl = 9900, .trp = 7700, .tras = 21600,
                       .trc = 29300, .trrd = 3200, .tccd = 3200, .cwl = 9900, .twr = 8000,
                       .twtr = 4900, .trtp = 4900, .trfc = 59000, .trefi = 3900000,
                       .column_bytes = 32, .bandwidth = 10, .staggered = true},
};

vault_timing_t hmc_timing(const hmc_params_t *params) {
  vault_timing_t t = Sets[params->timing];
  const vault_timing_t *o = &params->override;
#define TAKE(field) t.field = o->field ? o->field : t.field
  TAKE(tck), TAKE(trcd), TAKE(tcl), TAKE(trp), TAKE(tras), TAKE(trc), TAKE(trrd), TAKE(tfaw);
  TAKE(tccd), TAKE(cwl), TAKE(twr), TAKE(twtr), TAKE(trtp), TAKE(trfc), TAKE(trefi);
  TAKE(column_bytes), TAKE(bandwidth);
#undef TAKE
  t.trefi = params->refresh ? t.trefi : 0;
  t.starve = params->starve * MemoryPsPerCycle;
  return t;
}
