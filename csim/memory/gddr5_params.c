// SPDX-License-Identifier: Apache-2.0
// Parameters of the GDDR5 memory: keys, constants, timing.
#include "gddr5.h"

static const char Device[] = "DRAMsim3, 1 Gb x32; gem5, SK Hynix H5GQ1H24AFR";
static const char Chosen[] = "chosen";

static const char Table4[] = "Emerald, Table 4";

static const char *const IpMappings[] = {"column_low", "bank_low", "as_mapping", NULL};
static const char *const Mappings[] = {"column_low", "bank_low", NULL};

typedef gddr5_params_t P;

static const config_key_t Keys[] = {
    CONFIG_UINT(P, channels, "channels", 8, 1, 64, "channels",
                "A-TFIM, Table I: 128 GB/s; 32 bits at 4 Gb/s a pin", "a power of two"),
    CONFIG_UINT(P, banks, "banks", 16, 1, 32, "banks", Device, "of a channel; a power of two"),
    CONFIG_UINT(P, row_bytes, "row_size", 2048, 256, 65536, "bytes", Device,
                "row buffer; a power of two"),
    CONFIG_UINT(P, rows, "rows", 16384, 1, 1048576, "rows", "chosen: 4 GiB, as the cube",
                "of a bank; a power of two"),
    CONFIG_UINT(P, interleave, "interleave", 64, 32, 65536, "bytes",
                "chosen: a cache line stays in a channel", "that a channel holds in sequence"),
    CONFIG_UINT(P, starve, "starve", 1000, 1, 1000000, "cycles", Chosen,
                "an access this old goes before row hits"),
    CONFIG_UINT(P, reserve, "reserve", 0, 0, 16, "accesses",
                "chosen: 8 leaves six sources 16 to share",
                "places of a channel's queue that are each source's own", .group = ConfigExtension,
                .hashed_if_set = true),
    CONFIG_ENUM(P, mapping, "mapping", "column_low", Mappings, Table4,
                "what follows the channel in an address; bank_low: banks change every interleave",
                .group = ConfigExtension, .hashed_if_set = true),
    CONFIG_ENUM(P, ip_mapping, "ip_mapping", "as_mapping", IpMappings, Table4,
                "of the IPs' channel, when CPUs and IPs have one each", .group = ConfigExtension,
                .hashed_if_set = true),
    CONFIG_CONSTANT(P, queue, "queue", 64, "accesses",
                    "chosen: DRAMsim3 has 32, and 8 for each bank", "of a channel"),
    CONFIG_CONSTANT(P, requests, "requests", 1024, "requests", Chosen,
                    "under way or not yet popped"),
    CONFIG_CONSTANT(P, latency, "latency", 1, "cycles",
                    "set so that unloaded reads take what DRAMsim3 takes",
                    "controller and wires, there and back"),
};

#define ENTRY(field, low, high, meaning) \
  CONFIG_ENTRY(P, field, #field, low, high, "cycles", meaning)

static const config_key_t TimingEntries[] = {
    ENTRY(burst, 1, 64, "of 32 bytes on the data lines"),
    ENTRY(tcl, 1, 255, "read command to data"),
    ENTRY(trcd, 1, 255, "activate to column command"),
    ENTRY(trp, 1, 255, "precharge"),
    ENTRY(tras, 1, 255, "activate to precharge"),
    ENTRY(trrd, 1, 255, "activate to activate"),
    ENTRY(tfaw, 0, 255, "window of four activates; 0: none"),
    ENTRY(tccd, 1, 255, "column command to column command"),
    ENTRY(cwl, 1, 255, "write command to data"),
    ENTRY(twr, 1, 255, "data written to precharge"),
    ENTRY(twtr, 1, 255, "data written to read command"),
    ENTRY(trtp, 1, 255, "read command to precharge"),
    ENTRY(trfc, 1, 10000, "refresh"),
    ENTRY(trefi, 0, 1000000, "between refreshes; 0: none"),
};

static const config_set_t Timing = {.key = "gddr5.timing",
                                    .prefix = "gddr5",
                                    .initial = "dramsim3",
                                    .source = Device,
                                    .meaning = "timing of the DRAM",
                                    .entries = TimingEntries,
                                    .count = sizeof TimingEntries / sizeof *TimingEntries};

bool gddr5_config_add(config_t *config, void *params, err_t *err) {
  return config_add(config, "gddr5", Keys, sizeof Keys / sizeof *Keys, params, err) &&
         config_add_set(config, &Timing, params, err);
}

bool gddr5_params_default(gddr5_params_t *params, err_t *err) {
  return config_defaults(gddr5_config_add, params, NULL, err);
}
