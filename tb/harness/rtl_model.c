// SPDX-License-Identifier: Apache-2.0
// Builds a unit's shared object if need be, and loads it.
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "coverage.h"
#include "csim/base/place.h"
#include "csim/base/seconds.h"
#include "rtl_model.h"

// Only one process builds a given object at a time.
static int lock_build(const char *work, const char *unit, const char *params, const char *kind) {
  static const char *const Folders[] = {"build", "build/units", "build/units/locks"};
  char path[PATH_MAX + 640];
  for (size_t i = 0; i < sizeof Folders / sizeof *Folders; i++) {
    snprintf(path, sizeof path, "%s/%s", work, Folders[i]);
    mkdir(path, 0777);
  }
  int start = snprintf(path, sizeof path, "%s/build/units/locks/", work);
  int n = snprintf(path + start, sizeof path - (size_t)start, "%s-%s-%s", unit, params, kind);
  for (char *c = path + start + n; c > path + start; c--) {
    *c = *c == ' ' ? '-' : *c;
  }
  int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (fd >= 0) {
    flock(fd, LOCK_EX);
  }
  return fd;
}

static double child_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_CHILDREN, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

// Tells a regression what of a test's time is building: a line of NOCTURNE_BUILDS, at its end the
// seconds of processor time.
static void note_build(const char *unit, const char *params, const char *kind, double seconds) {
  const char *path = getenv("NOCTURNE_BUILDS");
  FILE *notes = path ? fopen(path, "a") : NULL;
  if (notes) {
    fprintf(notes, "%s %s %s %.2f\n", unit, params, kind, seconds);
    fclose(notes);
  }
}

// The latest MaxBuilt objects that this process has built.
enum { MaxBuilt = 16 };
static struct { char command[PATH_MAX + PATH_MAX + 768], path[PATH_MAX + 512]; } built[MaxBuilt];
static uint32_t built_count;

static const char *find_built(const char *command) {
  for (uint32_t i = 0; i < MaxBuilt && i < built_count; i++) {
    if (strcmp(built[i].command, command) == 0) {
      return built[i].path;
    }
  }
  return NULL;
}

// Says on a terminal that a build begins, which may take a minute: the line of tb/unit.mk.
static bool say_build(const char *line) {
  static const char Mark[] = "building ";
  if (strncmp(line, Mark, sizeof Mark - 1) != 0 || !isatty(STDERR_FILENO)) {
    return false;
  }
  fprintf(stderr, "%s: seconds for a small unit, a minute or more for a large one\n", line);
  return true;
}

// Says in the description's words what Verilator says of the generated top: ports that are not as
// the description has them.
static void explain_port(char *cause, size_t size) {
  char port[128];
  unsigned rtl, page;
  const char *at = strstr(cause, "port connection '"), *none = strstr(cause, "Pin not found: '"),
             *more = strstr(cause, "missing pin: '");
  if (at && sscanf(at,
                   "port connection '%127[^']' expects %u bits on the pin connection, but pin "
                   "connection's %*s '%*[^']' generates %u bits",
                   port, &rtl, &page) == 3) {
    snprintf(cause, size, "port %s has %u bits, but %u in the description; correct one of them",
             port, rtl, page);
  } else if (none && sscanf(none, "Pin not found: '%127[^']'", port) == 1) {
    snprintf(cause, size,
             "port %s of the description is missing; add it, or correct the description", port);
  } else if (more && sscanf(more, "missing pin: '%127[^']'", port) == 1) {
    snprintf(cause, size, "port %s is not in the description; add it there, or leave it out", port);
  }
}

// Runs make. Its last line is the object's path; cause: the first line that tells of an error, or
// empty.
static bool run_make(const char *command, char *last, size_t size, char *cause) {
  FILE *pipe = popen(command, "r");
  char line[512];
  const double start = seconds_wall();
  bool is_said = false;
  last[0] = cause[0] = '\0';
  while (pipe && fgets(line, sizeof line, pipe)) {
    line[strcspn(line, "\n")] = '\0';
    is_said |= say_build(line);
    if (!cause[0] &&
        (strstr(line, "%Error") || strstr(line, "error:") || strstr(line, "not found"))) {
      snprintf(cause, size, "%s", line);
      explain_port(cause, size);
    }
    if (line[0]) {
      snprintf(last, size, "%s", line);
    }
  }
  const bool ok = pipe && pclose(pipe) == 0;
  if (is_said) {
    fprintf(stderr, "%s in %.0f s\n", ok ? "built" : "failed", seconds_wall() - start);
  }
  return ok;
}

// Units from outside the tree.
enum { MaxOutside = 8 };
static struct { char unit[64], rtl[PATH_MAX], out[128]; } outside[MaxOutside];
static uint32_t outside_count;

void rtl_model_outside(const char *unit, const char *rtl, const char *out) {
  if (outside_count < MaxOutside) {
    snprintf(outside[outside_count].unit, sizeof outside->unit, "%s", unit);
    snprintf(outside[outside_count].rtl, sizeof outside->rtl, "%s", rtl);
    snprintf(outside[outside_count++].out, sizeof outside->out, "%s", out);
  }
}

static bool is_older(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static bool look_up(const char *work, const char *folder, const char *name, struct stat *s) {
  char *path = text_make("%s/%s/%s", work, folder, name);
  const bool found = path && stat(path, s) == 0;
  free(path);
  return found;
}

// Tells if make would do nothing for the object in a folder: what it needs is a list beside it, of
// files that are older than the object and of folders that are older than the list.
static bool is_current(const char *work, const char *folder) {
  char *path = text_make("%s/%s/needs", work, folder), *line = NULL, *rest = NULL;
  FILE *needs = path ? fopen(path, "r") : NULL;
  struct stat list, object, s;
  size_t room = 0;
  bool current = needs && fstat(fileno(needs), &list) == 0 && getline(&line, &room, needs) > 0 &&
                 look_up(work, folder, "unit.so", &object);
  for (char *one = current ? strtok_r(line, " \n", &rest) : NULL; current && one;
       one = strtok_r(NULL, " \n", &rest)) {
    current = look_up(work, ".", one, &s) &&
              is_older(&s.st_mtim, S_ISDIR(s.st_mode) ? &list.st_mtim : &object.st_mtim);
  }
  if (needs) {
    fclose(needs);
  }
  free(line);
  free(path);
  return current;
}

// The folder of an object of the tree's own unit, as tb/unit.mk names it.
static void put_folder(const char *unit, const char *params, const char *kind, char *folder,
                       size_t size) {
  int start = snprintf(folder, size, "build/units/%s/", unit);
  int n = snprintf(folder + start, size - (size_t)start, "%s", params[0] ? params : "default");
  for (char *c = folder + start; *c; c++) {
    *c = *c == ' ' ? '-' : *c;
  }
  snprintf(folder + start + n, size - (size_t)(start + n), "/%s", kind);
}

// The object's path; what this process has built is not built again.
static bool build(const char *unit, const char *params, const char *kind, char *path, size_t size,
                  err_t *err) {
  const char *work = place_work(err);
  char command[PATH_MAX + PATH_MAX + 768], last[512], cause[512], place[PATH_MAX + 192] = "";
  if (!work) {
    return false;
  }
  for (uint32_t i = 0; i < outside_count; i++) {
    if (strcmp(unit, outside[i].unit) == 0) {
      snprintf(place, sizeof place, " OUT=%s RTL='%s'", outside[i].out, outside[i].rtl);
    }
  }
  snprintf(command, sizeof command,
           "make --no-print-directory -s -C '%s' -f tb/unit.mk UNIT=%s PARAMS='%s' KIND=%s%s 2>&1",
           work, unit, params, kind, place);
  const char *known = find_built(command);
  if (known) {
    snprintf(path, size, "%s/%s", work, known);
    return true;
  }
  // (With netlists more than files counts.)
  const bool is_of_files = !place[0] && strcmp(kind, "gates") != 0 && strcmp(kind, "mutants") != 0;
  put_folder(unit, params, kind, last, sizeof last);
  if (is_of_files && is_current(work, last)) {
    note_build(unit, params, kind, 0);
    snprintf(path, size, "%s/%s/unit.so", work, last);
    return true;
  }
  double before = child_seconds();
  int lock = lock_build(work, unit, params, kind);
  bool ok = run_make(command, last, sizeof last, cause);
  if (lock >= 0) {
    close(lock);
  }
  size_t length = strlen(last);
  if (!ok || length < 8 || strcmp(last + length - 8, "/unit.so") != 0) {
    err_set(err, ErrInput, "cannot build the RTL of %s (%s): %s", unit, params,
            cause[0]  ? cause
            : last[0] ? last
                      : "make failed");
    return false;
  }
  note_build(unit, params, kind, child_seconds() - before);
  uint32_t at = built_count++ % MaxBuilt;
  snprintf(built[at].command, sizeof built[at].command, "%s", command);
  snprintf(built[at].path, sizeof built[at].path, "%s", last);
  snprintf(path, size, "%s/%s", work, last);
  return true;
}

// dlopen gives one object per path however often it is opened, which is what is wanted.
static bool load(rtl_model_t *m, const char *path, err_t *err) {
  m->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!m->object) {
    err_set(err, ErrInput, "cannot load %s: %s", path, dlerror());
    return false;
  }
  struct {
    const char *name;
    void *into;
  } wanted[] = {{"model_create", &m->create},
                {"model_destroy", &m->destroy},
                {"model_step", &m->step},
                {"model_reset", &m->reset},
                {"model_stopped", &m->stopped},
                {"model_unsettled", &m->unsettled},
                {"model_message", &m->message},
                {"model_quiet", &m->quiet},
                {"model_trace_open", &m->trace_open},
                {"model_trace_close", &m->trace_close}};
  *(void **)&m->ports = dlsym(m->object, "model_ports");
  *(void **)&m->ports_free = dlsym(m->object, "model_ports_free");
  *(void **)&m->run = dlsym(m->object, "model_run");
  *(void **)&m->coverage = dlsym(m->object, "model_coverage");
  *(void **)&m->counters = dlsym(m->object, "model_counters");
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *symbol = dlsym(m->object, wanted[i].name);
    if (!symbol) {
      err_set(err, ErrInput, "%s has no %s; run `make clean`", path, wanted[i].name);
      return false;
    }
    memcpy(wanted[i].into, &symbol, sizeof symbol);
  }
  return true;
}

static bool is_in_path(const char *tool) {
  const char *path = getenv("PATH");
  char file[1024];
  while (path && *path) {
    int length = (int)strcspn(path, ":");
    snprintf(file, sizeof file, "%.*s/%s", length, path, tool);
    if (access(file, X_OK) == 0) {
      return true;
    }
    path += length + (path[length] == ':');
  }
  return false;
}

// Names the first tool that is missing; asks once for each set of tools.
static bool has_tools(const char *kind, err_t *err) {
  static const char Packages[] = "verilator g++ make", Mapped[] =
                                                           "verilator g++ make yosys "
                                                           "qflow-tech-osu018 libjansson-dev";
  static const char *const Tools[] = {"verilator", "make", "gcc", "g++", "yosys"};
  static bool found[2];
  const bool is_mapped = strcmp(kind, "gates") == 0;
  const bool is_netlist = is_mapped || strcmp(kind, "mutants") == 0;
  const char *missing = NULL;
  for (size_t i = 0; !found[is_netlist] && i < sizeof Tools / sizeof *Tools - !is_netlist; i++) {
    missing = missing || is_in_path(Tools[i]) ? missing : Tools[i];
  }
  const char *own = getenv("NOCTURNE_LIBERTY");
  const char *library = own && *own ? own : getenv("OSU018");
  library = library && *library ? library : "/usr/share/qflow/tech/osu018/osu018_stdcells.lib";
  if (!missing && is_mapped && access(library, R_OK) != 0) {
    if (own && *own) {
      return err_set(err, ErrMachine, "NOCTURNE_LIBERTY=%s: cannot be read", own);
    }
    missing = "the cell library (OSU018)";
  }
  if (missing) {
    char *remedy = place_remedy(is_netlist ? Mapped : Packages);
    err_set(err, ErrMachine, "%s is missing; %s", missing, remedy ? remedy : "");
    free(remedy);
    return false;
  }
  found[is_netlist] = true;
  return true;
}

bool rtl_model_open(rtl_model_t *m, const char *unit, const char *params, const char *kind,
                    uint64_t seed, dpi_context_t *context, bool *lacking, err_t *err) {
  char path[PATH_MAX + 512];
  *lacking = !has_tools(kind, err);
  if (*lacking) {
    return false;
  }
  if (!place_work(err)) {
    *lacking = err && err->status == ErrMachine;
    return false;
  }
  if (!build(unit, params, kind, path, sizeof path, err) || !load(m, path, err)) {
    return false;
  }
  snprintf(m->unit, sizeof m->unit, "%s", unit);
  snprintf(m->params, sizeof m->params, "%s", params);
  m->log = text_make("%.*s/verilator.log", (int)(strrchr(path, '/') - path), path);
  m->model = m->create(seed, context);
  return m->model != NULL;
}

void rtl_model_close(rtl_model_t *m) {
  if (m->model && m->coverage) {
    coverage_add(m->unit, m->params, m->model, m->coverage);
  }
  if (m->model) {
    m->destroy(m->model);
  }
  // The object stays loaded: another instance may use it.
  m->model = NULL;
  free(m->log);
  m->log = NULL;
}

// "%Warning-UNOPTFLAT: FILE:LINE:COLUMN: Signal unoptimizable: Circular combinational logic:
// 'NAME'".
void rtl_model_loops(const rtl_model_t *m, text_t *text) {
  enum { Most = 4 };
  static const char Mark[] = "%Warning-UNOPTFLAT: ";
  FILE *file = m->log ? fopen(m->log, "r") : NULL;
  char line[1024];
  uint32_t found = 0;
  while (file && found < Most && fgets(line, sizeof line, file)) {
    const char *place = line + sizeof Mark - 1, *end = strstr(line, ": Signal unoptimizable");
    const char *name = end ? strchr(end, '\'') : NULL;
    if (strncmp(line, Mark, sizeof Mark - 1) == 0 && name) {
      text_format(text, "%s%.*s %.*s", found++ ? ", " : "", (int)(end - place), place,
                  (int)strcspn(name + 1, "'"), name + 1);
    }
  }
  if (file) {
    fclose(file);
  }
  if (!found) {
    text_format(text, "in the RTL of %s", m->unit);
  }
}
