// SPDX-License-Identifier: Apache-2.0
#include "area.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "csim/base/keep.h"
#include "csim/base/place.h"
#include "macros.h"
#include "scaling.h"
#include "timing.h"

static const char Library[] = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
static const char NoSearch[] = "rtl/synth/no_search.sh";

static const char *library(const area_options_t *options) {
  if (options->liberty) {
    return options->liberty;
  }
  const char *other = getenv("OSU018");
  return other && *other ? other : Library;
}

// ---- results kept ---------------------------------------------------------------------

// The RTL that the unit needs, as rtl/synth/files.sh lists it.
static bool add_rtl(base_sha256_t *sha, const char *unit) {
  char line[512];
  snprintf(line, sizeof line, "rtl/synth/files.sh %s 2>/dev/null", unit);
  FILE *pipe = popen(line, "r");
  bool any = false;
  while (pipe && fgets(line, sizeof line, pipe)) {
    line[strcspn(line, "\n")] = '\0';
    keep_add_file(sha, line);
    any = true;
  }
  return pipe && pclose(pipe) == 0 && any;
}

static bool find_folder(const area_request_t *request, const area_options_t *options,
                        area_result_t *r, char *error) {
  char hash[BaseSha256Text];
  base_sha256_t sha;
  base_sha256_begin(&sha);
  if (!add_rtl(&sha, request->unit)) {
    snprintf(error, AreaErrorSize, "rtl/*/%s.sv: not found; run this in the project's folder",
             request->unit);
    return false;
  }
  keep_add_file(&sha, "rtl/synth/files.sh");
  keep_add_file(&sha, "rtl/synth/synth.sh");
  keep_add_file(&sha, "tb/area/tools/buffer_nets.c");
  keep_add_file(&sha, "tb/area/liberty_use.c");
  keep_add_content(&sha, library(options));
  keep_add_output(&sha, "yosys -V");
  base_sha256_add(&sha, request->changed, strlen(request->changed));
  if (options->no_search) {
    keep_add_file(&sha, NoSearch);
  }
  base_sha256_end(&sha, hash);
  snprintf(r->folder, sizeof r->folder, "build/area/%s/%.16s", request->unit, hash);
  return true;
}

// ---- synthesis ------------------------------------------------------------------------

static bool exists(const char *folder, const char *file) {
  char path[512];
  struct stat s;
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return stat(path, &s) == 0 && s.st_size > 0;
}

// "NumGpus=8 Exact=0" as chparam takes it.
static void chparam(char *out, size_t size, const char *params) {
  char name[64], value[64];
  size_t used = 0;
  *out = '\0';
  for (int n = 0; sscanf(params, " %63[A-Za-z0-9]=%63s%n", name, value, &n) == 2; params += n) {
    used += (size_t)snprintf(out + used, size - used, "-set %s %s ", name, value);
  }
}

// A process that runs a script of rtl/synth in a folder beside the final one.
static pid_t start(const char *script, const area_request_t *request, const char *of,
                   const char *folder) {
  char params[512], out[300];
  chparam(params, sizeof params, of);
  snprintf(out, sizeof out, "%s.%d", folder, (int)getpid());
  pid_t pid = fork();
  if (pid == 0) {
    execl("/bin/bash", "bash", script, request->unit, params, out, (char *)NULL);
    _exit(127);
  }
  return pid;
}

static void say_failure(const char *folder, const char *script, const char *unit, char *error) {
  char path[512], line[200], last[200] = "no log";
  snprintf(path, sizeof path, "%s.%d/warnings.log", folder, (int)getpid());
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f)) {
    if (strstr(line, "ERROR")) {
      memcpy(last, line, sizeof last);
      last[strcspn(last, "\n")] = '\0';
    }
  }
  if (f) {
    fclose(f);
  }
  snprintf(error, AreaErrorSize, "%s: %s failed: %.150s", unit, script, last);
}

static bool finish(const char *folder, const char *file) {
  char from[300], command[1024];
  snprintf(from, sizeof from, "%s.%d", folder, (int)getpid());
  snprintf(command, sizeof command,
           "mkdir -p %s && mv -f %s/* %s/ && rmdir %s && test -s %s/%s", folder, from, folder, from,
           folder, file);
  return system(command) == 0;
}

// The FPGA flow is not part of the folder's hash: its log begins with that of the script.
static bool is_stale(const char *folder, const char *product, const char *script) {
  char path[512], first[BaseSha256Text] = "", hash[BaseSha256Text];
  if (!exists(folder, product)) {
    return true;
  }
  if (strcmp(product, "fpga.log") != 0) {
    return false;
  }
  base_sha256_t sha;
  base_sha256_begin(&sha);
  keep_add_content(&sha, script);
  base_sha256_end(&sha, hash);
  snprintf(path, sizeof path, "%s/%s", folder, product);
  FILE *f = fopen(path, "r");
  bool same = f && fgets(first, sizeof first, f) && strcmp(first, hash) == 0;
  if (f) {
    fclose(f);
  }
  return !same;
}

// Runs a script for every result that lacks its product.
static area_status_e run_all(const char *script, const char *product, uint32_t count,
                             uint32_t jobs, area_result_t *r, char *error) {
  pid_t *pids = calloc(count ? count : 1, sizeof *pids);
  uint32_t running = 0, next = 0;
  bool ok = pids != NULL;
  snprintf(error, AreaErrorSize, "out of memory");
  while (ok && (running || next < count)) {
    if (next < count && running < jobs) {
      bool same = false;  // as an earlier request
      for (uint32_t i = 0; i < next; i++) {
        same = same || strcmp(r[i].folder, r[next].folder) == 0;
      }
      if (!same && is_stale(r[next].folder, product, script)) {
        pids[next] = start(script, r[next].request, r[next].request->changed, r[next].folder);
        running++;
      }
      next++;
      continue;
    }
    int status;
    pid_t ended = wait(&status);
    for (uint32_t i = 0; i < next; i++) {
      if (pids[i] == ended && ended > 0) {
        running--;
        pids[i] = 0;
        if (status != 0 || !finish(r[i].folder, product)) {
          say_failure(r[i].folder, script, r[i].request->unit, error);
          ok = false;
        }
      }
    }
  }
  while (running && wait(NULL) > 0) {
    running--;
  }
  free(pids);
  return ok ? AreaOk : AreaFailed;
}

// ---- clock ----------------------------------------------------------------------------

static void clock_by_abc(area_result_t *r) {
  char path[512], line[512];
  snprintf(path, sizeof path, "%s/synth.log", r->folder);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f)) {
    const char *delay = strstr(line, "Delay =");
    if (strncmp(line, "ABC: WireLoad", 13) == 0 && delay) {
      r->period_own = strtod(delay + 7, NULL);
    }
  }
  if (f) {
    fclose(f);
  }
}

// ---- memories -------------------------------------------------------------------------

// A memory of flip-flops: each bit a flip-flop and a multiplexer for each write port, each read
// port a tree of multiplexers. Decoders are left out.
static double as_flip_flops(const liberty_t *l, const netlist_memory_t *m) {
  const liberty_cell_t *ff = liberty_for(l, LibertyRegister), *mux = liberty_for(l, LibertyMux);
  if (!ff || !mux) {
    return 0;
  }
  double bits = (double)m->width * m->words;
  return bits * (ff->area + m->writes * mux->area) +
         (double)m->reads * m->width * (m->words - 1) * mux->area;
}

static void add_memories(area_result_t *r, const liberty_t *l, const macros_t *macros) {
  const liberty_cell_t *gate = liberty_for(l, LibertyGate);
  for (uint32_t i = 0; i < r->netlist.memory_count; i++) {
    const netlist_memory_t *m = &r->netlist.memories[i];
    uint64_t bits = (uint64_t)m->width * m->words;
    memory_area_t a = memory_area(bits, m->reads + m->writes);
    area_memory_t *row = &r->memories[i];
    row->macro = macros ? macros_for(macros, m, &row->count) : NULL;
    row->area = row->macro     ? row->count * row->macro->area
                : r->own_cells ? a.osu018 * scaling_gate(gate->area)
                               : a.osu018;
    r->memory_bits += bits;
    r->memory_own += row->area;
    r->memory_28nm += a.nm28;
    r->memory_as_flip_flops += as_flip_flops(l, m);
  }
}

// ---- FPGA -----------------------------------------------------------------------------

static void read_fpga(area_result_t *r) {
  char path[512], line[256], cell[64];
  unsigned count;
  snprintf(path, sizeof path, "%s/fpga.log", r->folder);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof line, f)) {
    if (sscanf(line, " %63[A-Z0-9_a-z$] %u", cell, &count) != 2) {
      continue;
    }
    r->has_fpga = true;
    if (strcmp(cell, "SB_LUT4") == 0) {
      r->ice40_luts += count;
    } else if (strncmp(cell, "SB_DFF", 6) == 0) {
      r->ice40_ffs += count;
    } else if (strncmp(cell, "SB_RAM40", 8) == 0) {
      r->ice40_brams += count;
    } else if (strncmp(cell, "LUT", 3) == 0 || strncmp(cell, "INV", 3) == 0) {
      r->xilinx_luts += count;
    } else if (strncmp(cell, "FD", 2) == 0) {
      r->xilinx_ffs += count;
    } else if (strncmp(cell, "RAMB", 4) == 0) {
      r->xilinx_brams += count;
    } else if (strncmp(cell, "RAM", 3) == 0) {
      r->xilinx_lutrams += count;
    } else if (strncmp(cell, "DSP48", 5) == 0) {
      r->xilinx_dsps += count;
    }
  }
  if (f) {
    fclose(f);
  }
}

// ---- all ------------------------------------------------------------------------------

static bool lacking(const char *tool, const char *packages, char *error) {
  char remedy[PlaceErrorSize];
  snprintf(error, AreaErrorSize, "%s is missing; %s", tool, place_remedy(packages, remedy));
  return false;
}

static bool tools_present(const area_options_t *options, char *error) {
  if (system("command -v yosys >/dev/null 2>&1") != 0) {
    return lacking("yosys", "yosys", error);
  }
  if (system("command -v yosys-abc >/dev/null 2>&1 || command -v berkeley-abc >/dev/null 2>&1") !=
      0) {
    return lacking("yosys-abc", "berkeley-abc", error);
  }
  if (system("command -v sta >/dev/null 2>&1") != 0) {
    return lacking("sta (OpenSTA)", "opensta", error);
  }
  // What reads liberty files for the scripts is compiled by them.
  if (place_data() &&
      system("command -v gcc >/dev/null 2>&1 && [ -f /usr/include/jansson.h ]") != 0) {
    return lacking("gcc or jansson.h", "gcc libjansson-dev", error);
  }
  if (!options->liberty && access(library(options), R_OK) != 0) {
    snprintf(error, AreaErrorSize, "%s is missing; install it with: apt-get install "
                                   "qflow-tech-osu018", library(options));
    return false;
  }
  return true;
}

static bool measure_timing(const area_options_t *options, area_result_t *r, char *error) {
  timing_memory_t *memories = calloc(r->netlist.memory_count + 1, sizeof *memories);
  timing_request_t request = {.liberty = library(options), .sdc = options->sdc,
                              .unit = r->request->unit, .folder = r->folder,
                              .memories = memories, .with_power = r->own_cells};
  for (uint32_t m = 0; memories && m < r->netlist.memory_count; m++) {
    memories[m].access = r->memories[m].macro ? r->memories[m].macro->access : 0;
  }
  snprintf(error, AreaErrorSize, "out of memory");
  bool ok = memories && timing_measure(&r->timing, &request, &r->netlist, error, AreaErrorSize);
  free(memories);
  return ok;
}

static area_status_e measure_one(const liberty_t *l, const macros_t *macros,
                                 const area_options_t *options, area_result_t *r, char *error) {
  r->own_cells = options->liberty != NULL;
  r->library = l;
  if (!netlist_load(&r->netlist, l, r->request->unit, r->folder, error, AreaErrorSize) ||
      !area_fields(r->request->unit, &r->netlist, &r->fields, error, AreaErrorSize)) {
    return AreaFailed;
  }
  r->memories = calloc(r->netlist.memory_count + 1, sizeof *r->memories);
  if (!r->memories) {
    snprintf(error, AreaErrorSize, "out of memory");
    return AreaFailed;
  }
  add_memories(r, l, macros);
  if (!measure_timing(options, r, error)) {
    return options->sdc ? AreaUsage : AreaFailed;
  }
  r->period_own = r->timing.period;
  if (!r->timing.has_period) {
    clock_by_abc(r);
  }
  r->period_28nm = r->period_own / scaling_delay();
  r->area_own = r->netlist.area + r->memory_own;
  r->area_28nm = r->netlist.area / scaling_area() + r->memory_28nm;
  return AreaOk;
}

static area_status_e load_modules(const liberty_t *l, area_result_t *r, char *error) {
  r->modules = calloc(ModulesMax, sizeof *r->modules);
  snprintf(error, AreaErrorSize, "out of memory");
  return r->modules && modules_load(r->modules, &r->module_count, l, r->request->unit, r->folder,
                                    error, AreaErrorSize)
             ? AreaOk
             : AreaFailed;
}

// Needs no synthesis.
static area_status_e draw(const area_options_t *options, uint32_t count, area_result_t *results,
                          char *error) {
  char path[512];
  area_status_e status = run_all("rtl/synth/hierarchy.sh", "hierarchy.json", count, options->jobs,
                                 results, error);
  for (uint32_t i = 0; status == AreaOk && i < count; i++) {
    snprintf(path, sizeof path, "%s/%s.dot", options->schematic, results[i].request->unit);
    status = modules_schematic(path, results[i].request->unit, results[i].folder, error,
                               AreaErrorSize)
                 ? AreaOk
                 : AreaFailed;
  }
  return status;
}

// The first result's unit runs the vectors.
static area_status_e measure_energy(const liberty_t *l, const area_options_t *options,
                                    area_result_t *r, char *error) {
  static const char Script[] = "rtl/synth/wrapper.sh";
  int status = -1;
  pid_t pid = start(Script, r->request, options->activity_params, r->folder);
  if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0 ||
      !finish(r->folder, "wrapper.json")) {
    say_failure(r->folder, Script, r->request->unit, error);
    return AreaFailed;
  }
  r->has_energy = energy_measure(&r->energy, l, r->request->unit, r->folder, options->activity,
                                 options->steps, error, AreaErrorSize);
  return r->has_energy ? AreaOk : AreaFailed;
}

static bool is_readable(const char *path, char *error) {
  bool ok = access(path, R_OK) == 0;
  if (!ok) {
    snprintf(error, AreaErrorSize, "%.150s: %s", path, strerror(errno));
  }
  return ok;
}

// A library of the user's is input, that of Debian's package is of the machine.
static area_status_e read_inputs(const area_options_t *options, liberty_t *liberty,
                                 macros_t *macros, char *error) {
  if (!tools_present(options, error)) {
    return AreaLacking;
  }
  if (!liberty_load(liberty, library(options), error, AreaErrorSize) ||
      !liberty_check(liberty, library(options), error, AreaErrorSize)) {
    return options->liberty ? AreaUsage : AreaLacking;
  }
  err_t err = {0};
  if (options->memories && !macros_load(macros, options->memories, &err)) {
    err_give(&err, error, AreaErrorSize);
    return AreaUsage;
  }
  if (options->sdc && !is_readable(options->sdc, error)) {
    return AreaUsage;
  }
  // For the scripts.
  if (options->liberty) {
    setenv("NOCTURNE_LIBERTY", options->liberty, 1);
  } else {
    unsetenv("NOCTURNE_LIBERTY");
  }
  return AreaOk;
}

area_status_e area_measure(const area_request_t *requests, uint32_t count,
                           const area_options_t *options, area_result_t *results,
                           char error[AreaErrorSize]) {
  static liberty_t liberty;
  static macros_t macros;
  memset(results, 0, count * sizeof *results);
  area_status_e status = read_inputs(options, &liberty, &macros, error);
  if (status != AreaOk) {
    return status;
  }
  mkdir("build", 0777);
  mkdir("build/area", 0777);
  for (uint32_t i = 0; i < count; i++) {
    char folder[256];
    results[i].request = &requests[i];
    snprintf(folder, sizeof folder, "build/area/%s", requests[i].unit);
    mkdir(folder, 0777);
    if (!find_folder(&requests[i], options, &results[i], error)) {
      return AreaFailed;
    }
  }
  if (options->schematic) {
    return draw(options, count, results, error);
  }
  status = run_all(options->no_search ? NoSearch : "rtl/synth/synth.sh", "netlist.v",
                                 count, options->jobs, results, error);
  if (status == AreaOk && options->fpga) {
    status = run_all("rtl/synth/fpga.sh", "fpga.log", count, options->jobs, results, error);
  }
  if (status == AreaOk && options->modules) {
    status = run_all("rtl/synth/modules.sh", "modules.json", count, options->jobs, results, error);
  }
  for (uint32_t i = 0; status == AreaOk && options->modules && i < count; i++) {
    status = load_modules(&liberty, &results[i], error);
  }
  for (uint32_t i = 0; status == AreaOk && i < count; i++) {
    status = measure_one(&liberty, options->memories ? &macros : NULL, options, &results[i], error);
    if (options->fpga) {
      read_fpga(&results[i]);
    }
  }
  if (status == AreaOk && options->activity) {
    status = measure_energy(&liberty, options, &results[0], error);
  }
  return status;
}

void area_free(area_result_t *results, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    netlist_free(&results[i].netlist);
    free(results[i].modules);
    free(results[i].memories);
  }
}

double area_paper_figure(const area_request_t *request) {
  bool defaults = !request->changed[0] || strcmp(request->changed, "Observe=0") == 0;
  return defaults ? area_paper_bytes(request->unit) : 0;
}
