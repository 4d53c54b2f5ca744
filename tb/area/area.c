// SPDX-License-Identifier: Apache-2.0
#include "area.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csim/base/place.h"
#include "scaling.h"
#include "schematic.h"
#include "synthesis.h"

static const char Library[] = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";

static const char *library(const area_options_t *options) {
  if (options->liberty) {
    return options->liberty;
  }
  const char *other = getenv("OSU018");
  return other && *other ? other : Library;
}

// ---- inputs ---------------------------------------------------------------------------

// Names all that the machine lacks, so that one installation is enough.
typedef struct {
  text_t names, packages;
  uint32_t count;
} lacking_t;

static void lack(lacking_t *l, const char *name, const char *packages) {
  text_format(&l->names, "%s%s", l->count++ ? ", " : "", name);
  text_format(&l->packages, "%s%s", l->packages.length ? " " : "", packages);
}

static bool has_none(const char *test) {
  char *command = text_make("%s >/dev/null 2>&1", test);
  const bool none = command && system(command) != 0;
  free(command);
  return none;
}

static bool tools_present(const area_options_t *options, err_t *err) {
  lacking_t l = {0};
  if (has_none("command -v yosys")) {
    lack(&l, "yosys", "yosys");
  }
  if (has_none("{ command -v yosys-abc || command -v berkeley-abc; }")) {
    lack(&l, "yosys-abc", "berkeley-abc");
  }
  if (has_none("command -v sta")) {
    lack(&l, "sta (OpenSTA)", "opensta");
  }
  // The scripts compile what reads liberty files for them.
  if (place_data() && has_none("command -v gcc && [ -f /usr/include/jansson.h ] && "
                               "echo '#include <string.h>' | gcc -E -")) {
    lack(&l, "gcc, string.h or jansson.h", "gcc libc6-dev libjansson-dev");
  }
  if (!options->liberty && access(library(options), R_OK) != 0) {
    lack(&l, library(options), "qflow-tech-osu018");
  }
  if (l.count) {
    char *remedy = place_remedy(text_string(&l.packages));
    err_set(err, ErrMachine, "%s %s missing; %s", text_string(&l.names), l.count > 1 ? "are" : "is",
            remedy ? remedy : "");
    free(remedy);
  }
  text_free(&l.names);
  text_free(&l.packages);
  return !l.count;
}

// A library of the user's is input, that of Debian's package belongs to the machine.
static bool read_inputs(area_results_t *results, const area_options_t *options, err_t *err) {
  if (!tools_present(options, err)) {
    return false;
  }
  if (!liberty_load(&results->liberty, library(options), err) ||
      !liberty_check(&results->liberty, library(options), err)) {
    err->status = options->liberty ? ErrInput : ErrMachine;
    return false;
  }
  if (options->memories && !macros_load(&results->macros, options->memories, err)) {
    return false;
  }
  if (options->sdc && access(options->sdc, R_OK) != 0) {
    return err_set(err, ErrInput, "%s: %s", options->sdc, strerror(errno));
  }
  if (!options->liberty) {
    unsetenv("NOCTURNE_LIBERTY");  // the scripts read it
  }
  return true;
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

static void add_memories(area_result_t *r, const macros_t *macros) {
  const liberty_cell_t *gate = liberty_for(r->library, LibertyGate);
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
    r->memory_as_flip_flops += as_flip_flops(r->library, m);
  }
}

// ---- clock ----------------------------------------------------------------------------

static void clock_by_abc(area_result_t *r, const char *folder) {
  char *path = text_make("%s/synth.log", folder), *line = NULL;
  size_t room = 0;
  FILE *f = path ? fopen(path, "r") : NULL;
  while (f && getline(&line, &room, f) > 0) {
    const char *delay = strstr(line, "Delay =");
    if (strncmp(line, "ABC: WireLoad", 13) == 0 && delay) {
      r->period_own = strtod(delay + 7, NULL);
    }
  }
  if (f) {
    fclose(f);
  }
  free(path);
  free(line);
}

static bool measure_timing(const area_options_t *options, area_result_t *r, const char *folder,
                           err_t *err) {
  timing_memory_t *memories = calloc(r->netlist.memory_count + 1, sizeof *memories);
  timing_request_t request = {.liberty = library(options),
                              .sdc = options->sdc,
                              .unit = r->request->unit,
                              .folder = folder,
                              .memories = memories,
                              .with_power = r->own_cells};
  for (uint32_t m = 0; memories && m < r->netlist.memory_count; m++) {
    memories[m].access = r->memories[m].macro ? r->memories[m].macro->access : 0;
  }
  bool ok = memories ? timing_measure(&r->timing, &request, &r->netlist, err)
                     : err_memory(err, r->request->unit);
  free(memories);
  if (!ok) {
    err->status = options->sdc ? ErrInput : ErrCheck;
    return false;
  }
  r->period_own = r->timing.period;
  if (!r->timing.has_period) {
    clock_by_abc(r, folder);
  }
  r->period_28nm = r->period_own / scaling_delay();
  return true;
}

// ---- all ------------------------------------------------------------------------------

static bool measure_one(const area_options_t *options, const macros_t *macros, area_result_t *r,
                        const char *folder, err_t *err) {
  const char *unit = r->request->unit;
  r->own_cells = options->liberty != NULL;
  if ((options->modules && !modules_load(&r->modules, r->library, unit, folder, err)) ||
      !netlist_load(&r->netlist, r->library, unit, folder, err) ||
      !area_fields(unit, &r->netlist, &r->fields, err)) {
    return false;
  }
  r->memories = calloc(r->netlist.memory_count + 1, sizeof *r->memories);
  if (!r->memories) {
    return err_memory(err, unit);
  }
  add_memories(r, macros);
  r->area_own = r->netlist.area + r->memory_own;
  r->area_28nm = r->netlist.area / scaling_area() + r->memory_28nm;
  r->has_fpga = options->fpga && fpga_read(&r->fpga, folder);
  return measure_timing(options, r, folder, err);
}

// Draws without a synthesis.
static bool draw(const area_options_t *options, const synthesis_t *all, uint32_t count,
                 err_t *err) {
  bool ok =
      synthesis_run(all, count, "rtl/synth/hierarchy.sh", "hierarchy.json", options->jobs, err);
  for (uint32_t i = 0; ok && i < count; i++) {
    const char *unit = all[i].request->unit;
    char *path = text_make("%s/%s.dot", options->schematic, unit);
    ok = path ? schematic_write(path, unit, all[i].folder, err) : err_memory(err, unit);
    free(path);
  }
  return ok;
}

// Runs the vectors through the first result's unit.
static bool measure_energy(area_result_t *r, const area_options_t *options, const synthesis_t *s,
                           const char *params, err_t *err) {
  r->has_energy = synthesis_run_with(s, params, "rtl/synth/wrapper.sh", "wrapper.json", err) &&
                  unit_energy_measure(&r->energy, r->library, r->request->unit, s->folder,
                                      options->activity, options->steps, err);
  return r->has_energy;
}

static bool measure_all(area_results_t *results, const area_requests_t *requests,
                        const area_options_t *options, synthesis_t *all, err_t *err) {
  const char *script = options->no_search ? "rtl/synth/no_search.sh" : "rtl/synth/synth.sh";
  uint32_t count = requests->count, jobs = options->jobs;
  const macros_t *macros = options->memories ? &results->macros : NULL;
  for (uint32_t i = 0; i < count; i++) {
    results->all[i].request = &requests->all[i];
    results->all[i].library = &results->liberty;
    if (!synthesis_find(&all[i], &requests->all[i], library(options), script, err)) {
      return false;
    }
  }
  if (options->schematic) {
    return draw(options, all, count, err);
  }
  bool ok = synthesis_run(all, count, script, "netlist.v", jobs, err);
  ok = ok &&
       (!options->fpga || synthesis_run(all, count, "rtl/synth/fpga.sh", "fpga.log", jobs, err));
  ok = ok && (!options->modules ||
              synthesis_run(all, count, "rtl/synth/modules.sh", "modules.json", jobs, err));
  for (uint32_t i = 0; ok && i < count; i++) {
    ok = measure_one(options, macros, &results->all[i], all[i].folder, err);
  }
  return ok && (!options->activity ||
                measure_energy(&results->all[0], options, &all[0], requests->activity_params, err));
}

bool area_measure(area_results_t *results, const area_requests_t *requests,
                  const area_options_t *options, err_t *err) {
  synthesis_t *all = calloc(requests->count + 1, sizeof *all);
  *results = (area_results_t){.all = calloc(requests->count + 1, sizeof *results->all),
                              .count = requests->count};
  bool ok = (all && results->all) || err_memory(err, "area");
  ok =
      ok && read_inputs(results, options, err) && measure_all(results, requests, options, all, err);
  for (uint32_t i = 0; all && i < requests->count; i++) {
    free(all[i].folder);
  }
  free(all);
  return ok;
}

void area_free(area_results_t *results) {
  for (uint32_t i = 0; results->all && i < results->count; i++) {
    area_result_t *r = &results->all[i];
    netlist_free(&r->netlist);
    modules_free(&r->modules);
    timing_free(&r->timing);
    free(r->memories);
  }
  free(results->all);
  liberty_free(&results->liberty);
  macros_free(&results->macros);
  *results = (area_results_t){0};
}

double area_paper_figure(const area_request_t *request) {
  bool defaults = !request->changed[0] || strcmp(request->changed, "Observe=0") == 0;
  return defaults ? area_paper_bytes(request->unit) : 0;
}
