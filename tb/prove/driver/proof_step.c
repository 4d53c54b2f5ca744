// SPDX-License-Identifier: Apache-2.0
#include "proof_step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "tb/harness/spawn.h"
#include "tb/harness/units.h"
#include "words.h"

// Adds FORMAT with each word of a list to the text.
static void each_word(text_t *text, const char *list, const char *before, const char *between) {
  for (const char *at = list + strspn(list, " \n"); *at; at += strspn(at, " \n")) {
    const char *end = at + strcspn(at, " \n");
    text_put(text, before);
    for (; at < end; at++) {
      text_put(text, *at == '=' && between ? between : (char[]){*at, '\0'});
    }
  }
}

// ---- Files ----

static char *in_folder(const proof_step_t *s, const char *name) {
  return text_make("%s/%s", s->folder, name);
}

// ---- Where things are ----

static const char *made(const proof_step_t *s) { return s->outside ? "build/outside" : "build"; }

static const json_t *parts(const proof_step_t *s) { return json_object_get(s->room, "parts"); }

static char *wrapper(const proof_step_t *s) {
  return s->wrapper   ? text_make("%s", s->wrapper)
         : s->outside ? in_folder(s, "wrapper.c")
                      : text_make("tests/units/%s/proof.c", s->info->name);
}

static bool is_part(const proof_step_t *s, const char *file) {
  size_t i;
  json_t *part;
  json_array_foreach((json_t *)parts(s), i, part) {
    char *name = text_make("/%s.sv", json_string_value(part));
    const size_t length = name ? strlen(name) : 0, size = strlen(file);
    const bool is_same = name && size > length && strcmp(file + size - length, name) == 0;
    free(name);
    if (is_same) {
      return true;
    }
  }
  return false;
}

// The RTL's files, a line each, packages first, and the unit's folder. What stands for the parts of
// a unit is there instead of these. `all`: also what is included.
static bool rtl_files(const proof_step_t *s, bool all, text_t *files, text_t *folder) {
  text_t found = {0}, rest = {0};
  char *line = text_make("%s%s%srtl/synth/files.sh %s", s->outside ? "NOCTURNE_RTL='" : "",
                         s->outside ? s->outside->rtl : "", s->outside ? "' " : "", s->info->name);
  char *own = text_make("/%s.sv", s->info->name);
  const bool ok = line && own && spawn_read(line, &found) == 0;
  char *words = text_take(&found), *next = NULL;
  for (char *w = words ? strtok_r(words, "\n", &next) : NULL; w; w = strtok_r(NULL, "\n", &next)) {
    const size_t size = strlen(w);
    const bool is_source = size > 3 && strcmp(w + size - 3, ".sv") == 0;
    if (size > strlen(own) && strcmp(w + size - strlen(own), own) == 0) {
      text_format(folder, "%.*s", (int)(size - strlen(own)), w);
    }
    if ((all || is_source) && !is_part(s, w)) {
      text_format(strstr(w, "_pkg.sv") ? files : &rest, "%s\n", w);
    }
  }
  text_put(files, text_string(&rest));
  size_t i;
  json_t *part;
  json_array_foreach((json_t *)parts(s), i, part) {
    text_format(files, "%s/parts/%s.sv\n", s->folder, json_string_value(part));
  }
  text_free(&rest);
  free(words);
  free(line);
  free(own);
  return ok;
}

// ---- What the prover reads ----

bool proof_step_tools(const char *prover, err_t *err) {
  static const char *const Tools[] = {"clang-14", "yosys"};
  for (size_t i = 0; i < sizeof Tools / sizeof *Tools; i++) {
    if (!spawn_has(Tools[i])) {
      return err_set(err, ErrMachine, "%s is missing; make setup installs it", Tools[i]);
    }
  }
  return access(prover, X_OK) == 0 ||
         err_set(err, ErrMachine, "%s is missing; make prove builds it", prover);
}

bool proof_step_prepare(const proof_step_t *s, err_t *err) {
  size_t i;
  json_t *part;
  char *folder = in_folder(s, parts(s) ? "parts" : ".");
  bool ok = folder && files_make_folder(folder, err);
  free(folder);
  json_array_foreach((json_t *)parts(s), i, part) {
    const char *name = json_string_value(part);
    char *to = text_make("%s/parts/%s.sv", s->folder, name);
    words_t w = {0};
    words_add(&w, "awk");
    words_add(&w, "-f");
    words_add(&w, "tb/prove/part.awk");
    words_add(&w, "build/unit/%s/vectors_%s.sv", name, name);
    ok = words_run(&w, to) == 0 && ok;
    free(to);
  }
  if (!ok && !err_is_set(err)) {
    err_set(err, ErrInput, "%s: no stand-ins for the parts", s->folder);
  }
  return ok;
}

static void add_clang(const proof_step_t *s, words_t *w) {
  static const char *const Flags[] = {
      "clang-14",       "-std=c11",           "-D_GNU_SOURCE",     "-I.",   "-Ibuild", "-g",
      "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-Wall", "-Wextra"};
  for (size_t i = 0; i < sizeof Flags / sizeof *Flags; i++) {
    words_add(w, "%s", Flags[i]);
    if (i == 3) {
      words_add(w, "-I%s", made(s));  // before -Ibuild
    }
  }
  words_add(w, "%s", s->outside ? "-w" : "-Werror");
  words_split(w, s->symbolic ? "-DPROVE_SYMBOLIC" : "");
  text_t defines = {0};
  each_word(&defines, s->params, "\n-DP_", NULL);
  char *next = NULL, *all = text_take(&defines);
  for (char *d = all ? strtok_r(all, "\n", &next) : NULL; d; d = strtok_r(NULL, "\n", &next)) {
    words_add(w, "%s", d);
  }
  free(all);
}

bool proof_step_has_parts(const proof_step_t *s) { return parts(s) != NULL; }
static bool has_arrays(const proof_step_t *s) {
  return json_is_true(json_object_get(s->room, "arrays"));
}

// As clang optimises it a little, or not at all: only local variables leave memory then. With
// `arrays` an index beyond its array is a point that C leaves undefined: a loop ends there.
static bool compile(const proof_step_t *s, bool plain, const char *log) {
  char *source = wrapper(s);
  words_t w = {0};
  add_clang(s, &w);
  words_split(&w, plain ? "-O0 -Xclang -disable-O0-optnone" : "-O1");
  words_split(&w, has_arrays(s) ? "-fsanitize=array-bounds -fsanitize-trap=array-bounds" : "");
  words_split(&w, "-emit-llvm -c");
  words_add(&w, "%s", source);
  words_add(&w, "-o");
  words_add(&w, "%s/%s.bc", s->folder, plain ? "raw" : "golden");
  bool ok = words_run(&w, log) == 0;
  if (plain && ok) {
    words_split(&w, "opt-14 -passes=mem2reg");
    words_add(&w, "%s/raw.bc", s->folder);
    words_add(&w, "-o");
    words_add(&w, "%s/plain.bc", s->folder);
    ok = words_run(&w, log) == 0;
  }
  free(source);
  return ok;
}

bool proof_step_golden(const proof_step_t *s, bool plain) {
  char *log = in_folder(s, "clang.log");
  char line[FilesLine];
  const bool ok = compile(s, plain, log);
  if (!ok && s->outside) {
    fprintf(stderr, "nocturne: %s: %s\n", files_line(log, "error:", line), log);
  } else if (!ok) {
    files_show(log, stderr);
  }
  free(log);
  return ok;
}

// Uses nothing that Yosys 0.23 reads wrongly (docs/reference/rtl-subset.md).
static bool write_script(const proof_step_t *s, text_t *t) {
  const char *unit = s->info->name;
  text_t files = {0}, folder = {0};
  const bool ok = rtl_files(s, false, &files, &folder);
  text_format(t, "read_verilog -sv -I%s -Irtl/common", text_string(&folder));
  each_word(t, text_string(&files), " ", NULL);
  text_format(t, " %s/unit/%s/vectors_%s.sv\nchparam", made(s), unit, unit);
  each_word(t, s->params, " -set ", " ");
  text_format(t, " vectors_%s\n", unit);
  if (s->rtlil) {
    text_format(t,
                "hierarchy -check -top vectors_%s\nselect -set others vectors_%s %%n\n"
                "delete @others\nread_rtlil %s\nchtype -set %s vectors_%s/u_dut\n",
                unit, unit, s->rtlil, unit, unit);
  }
  const char *open =
      "techmap -map tb/prove/memories.v\nexpose w:*.symbolic_w? w:*.symbolic_ra\n"
      "expose -input w:*.symbolic_rd\n";
  text_format(t,
              "prep -top vectors_%s -flatten%s\nexpose -input w:u_dut.mutant\nasync2sync\n%s"
              "memory_map\ndffunmap\nopt -full\n"
              "rename -enumerate -pattern product_%% t:$mul\ntechmap -map tb/prove/products.v\n"
              "expose w:product_*.a w:product_*.b\nexpose -input w:product_*.y\n"
              "techmap -map tb/prove/ripple.v\ntechmap\nopt -full\ndffunmap\nopt_clean\n"
              "setundef -undriven -zero\nsimplemap\naigmap\nopt_clean\n"
              "write_aiger -symbols %s/rtl.aig\n",
              unit, s->symbolic ? " -nordff" : "", s->symbolic ? open : "", s->folder);
  text_free(&files);
  text_free(&folder);
  return ok && !t->failed;
}

static bool make_rtl(const proof_step_t *s) {
  text_t script = {0};
  char *path = in_folder(s, "rtl.ys"), *log = in_folder(s, "yosys.out"), line[FilesLine];
  bool ok = write_script(s, &script);
  FILE *file = ok && path ? fopen(path, "w") : NULL;
  ok = file && fputs(text_string(&script), file) >= 0;
  ok = file && fclose(file) == 0 && ok;
  words_t w = {0};
  words_add(&w, "yosys");
  words_add(&w, "-q");
  words_add(&w, "-l");
  words_add(&w, "%s/yosys.log", s->folder);
  words_add(&w, "%s", path);
  ok = words_run(&w, log) == 0 && ok;
  if (!ok) {
    fprintf(stderr, "nocturne: %s\n", files_line(log, "ERROR", line));
  }
  text_free(&script);
  free(path);
  free(log);
  return ok;
}

// ---- The key ----

bool proof_step_only_hunts(const proof_step_t *s) { return strcmp(s->shows, "hunt") == 0; }

static bool has_runs(const proof_step_t *s) {
  return strcmp(s->shows, "runs") == 0 || proof_step_only_hunts(s);
}

static void add_file(base_sha256_t *sha, const char *path) {
  char part[4096];
  FILE *file = path ? fopen(path, "rb") : NULL;
  for (size_t n = file ? fread(part, 1, sizeof part, file) : 0; n > 0;
       n = fread(part, 1, sizeof part, file)) {
    base_sha256_add(sha, part, n);
  }
  if (file) {
    fclose(file);
  }
}

static void add_text(base_sha256_t *sha, const char *text) {
  base_sha256_add(sha, text, strlen(text) + 1);
}

static void add_rtl(const proof_step_t *s, base_sha256_t *sha) {
  text_t files = {0}, folder = {0};
  rtl_files(s, true, &files, &folder);
  char *next = NULL, *all = text_take(&files);
  for (char *f = all ? strtok_r(all, "\n", &next) : NULL; f; f = strtok_r(NULL, "\n", &next)) {
    add_file(sha, f);
  }
  char *top = text_make("%s/unit/%s/vectors_%s.sv", made(s), s->info->name, s->info->name);
  add_file(sha, top);
  add_file(sha, s->rtlil);
  free(top);
  free(all);
  text_free(&folder);
}

bool proof_step_key(const proof_step_t *s, char key[BaseSha256Text], err_t *err) {
  char *source = wrapper(s), *golden = in_folder(s, "golden.i"), *log = in_folder(s, "clang.log");
  text_t said = {0};
  words_t w = {0};
  base_sha256_t sha;
  size_t i;
  json_t *event;
  add_clang(s, &w);
  words_add(&w, "-E");
  words_add(&w, "-P");
  words_add(&w, "%s", source);
  words_add(&w, "-o");
  words_add(&w, "%s", golden);
  // A wrapper that cannot be read is refused when it is compiled, by its own job.
  words_run(&w, log);
  base_sha256_begin(&sha);
  add_text(&sha, s->shows);
  json_array_foreach((json_t *)s->beyond, i, event) { add_text(&sha, json_string_value(event)); }
  add_text(&sha, s->certify ? "certify" : "");
  add_text(&sha, has_arrays(s) ? "arrays" : "");
  add_file(&sha, s->certify ? "tb/prove/driver/second_yosys.mjs" : NULL);
  add_file(&sha, golden);
  add_rtl(s, &sha);
  add_file(&sha, "tb/prove/products.v");
  add_file(&sha, "tb/prove/ripple.v");
  add_file(&sha, "tb/prove/memories.v");
  add_file(&sha, s->prover);
  const bool ok = write_script(s, &said);
  char *runs = json_dumps(json_object_get(s->room, "runs"), JSON_COMPACT | JSON_ENCODE_ANY);
  add_text(&sha, has_runs(s) && runs ? runs : "");
  spawn_read("clang-14 --version; yosys --version", &said);
  add_text(&sha, text_string(&said));
  base_sha256_end(&sha, key);
  free(runs);
  free(source);
  free(golden);
  free(log);
  text_free(&said);
  return ok || err_set(err, ErrInput, "%s: no RTL of it", s->info->name);
}

// ---- Runs of the golden model ----

static void add_run(const proof_step_t *s, const json_t *r, const json_t *seed, words_t *w) {
  const char *name, *at = strstr(s->params, "NumGpus="), *set;
  json_t *value;
  if (json_object_get(r, "play")) {
    words_add(w, "--play");
    words_add(w, "tests/units/%s/%s", s->info->name, json_string_value(json_object_get(r, "play")));
    return;
  }
  words_add(w, "%s", s->info->name);
  if (at) {
    words_add(w, "--gpus");
    words_add(w, "%ld", strtol(at + strlen("NumGpus="), NULL, 10));
  }
  set = json_string_value(json_object_get(r, "set"));
  if (set) {
    words_add(w, "--set");
    words_add(w, "%s", set);
  }
  json_object_foreach(json_object_get(r, "knobs"), name, value) {
    words_add(w, "--knob");
    words_add(w, "%s=%lld", name, (long long)json_integer_value(value));
  }
  words_add(w, "--cycles");
  words_add(w, "%lld", (long long)json_integer_value(json_object_get(r, "cycles")));
  words_add(w, "--seed");
  words_add(w, "%lld", (long long)json_integer_value(seed));
}

// Records one run, and adds its vectors to the prover's arguments.
static bool record(const proof_step_t *s, const json_t *r, const json_t *seed, uint32_t number,
                   words_t *prover) {
  char *to = text_make("%s/runs/%u", s->folder, number), *log = in_folder(s, "runs.log");
  char *find = text_make("ls %s/*.vec", to);
  text_t found = {0};
  words_t w = {0};
  words_add(&w, "%s", spawn_self());
  words_add(&w, "unit");
  add_run(s, r, seed, &w);
  words_add(&w, "--engine");
  words_add(&w, "golden");
  words_add(&w, "--record");
  words_add(&w, "%s", to);
  const bool ok = words_run(&w, log) == 0 && find && spawn_read(find, &found) == 0;
  char *path = text_make("%.*s", (int)strcspn(text_string(&found), "\n"), text_string(&found));
  char line[FilesLine];
  if (!ok) {
    files_show(log, stderr);
  } else if (*files_line(path, s->params, line)) {  // a sequence names its size itself
    words_add(prover, "--runs");
    words_add(prover, "%s", path);
  }
  free(path);
  text_free(&found);
  free(find);
  free(log);
  free(to);
  return ok;
}

// A run is of the size of its parameter set, with as many GPUs as the proof has.
static bool is_of_size(const proof_step_t *s, const json_t *r) {
  const char *name = json_string_value(json_object_get(r, "set"));
  const unit_set_t *set = s->info->sets;
  unit_params_t params, proved;
  char text[UnitParamsText];
  err_auto_t err = {0};
  while (set->name && (!name || strcmp(set->name, name) != 0)) {
    set++;
  }
  if (!set->name || !unit_params_read(s->info, s->params, &proved, &err)) {
    return true;  // the command that records it says what is wrong
  }
  memcpy(&params, set->params, s->info->params_size);
  for (const unit_param_t *p = s->info->params; p->name; p++) {
    if (strcmp(p->name, "gpus") == 0) {
      memcpy(params.bytes + p->offset, proved.bytes + p->offset, p->size);
    }
  }
  unit_params_text(s->info, &params, text);
  return strcmp(text, s->params) == 0;
}

static bool record_all(const proof_step_t *s, words_t *prover) {
  uint32_t number = 0;
  size_t i, k;
  json_t *r, *seed;
  bool ok = true;
  text_t said = {0};
  char *clear = text_make("rm -rf '%s/runs' && mkdir -p '%s/runs'", s->folder, s->folder);
  ok = clear && spawn_read(clear, &said) == 0;
  json_array_foreach(json_object_get(s->room, "runs"), i, r) {
    if (json_object_get(r, "play") && !proof_step_only_hunts(s)) {
      ok = ok && record(s, r, NULL, number++, prover);
    }
    json_array_foreach(json_object_get(r, "seeds"), k, seed) {
      ok = ok && (!is_of_size(s, r) || record(s, r, seed, number++, prover));
    }
  }
  free(clear);
  text_free(&said);
  return ok;
}

// ---- A counterexample in the harness ----

static int play(const proof_step_t *s, const char *vectors, const char *engine, const char *log) {
  words_t w = {0};
  words_add(&w, "%s", spawn_self());
  words_add(&w, "unit");
  if (s->outside) {
    words_add(&w, "--page");
    words_add(&w, "%s", s->outside->page);
    words_add(&w, "--rtl");
    words_add(&w, "%s", s->outside->rtl);
    if (s->outside->golden) {
      words_add(&w, "--golden");
      words_add(&w, "%s", s->outside->golden);
    }
  }
  words_add(&w, "--vectors");
  words_add(&w, "%s", vectors);
  if (engine) {
    words_add(&w, "--engine");
    words_add(&w, "%s", engine);
  }
  return words_run(&w, log);
}

static bool tells(const char *line) {
  return strncmp(line, "MISMATCH", 8) == 0 || strncmp(line, "  signal", 8) == 0 ||
         strstr(line, "waves") || strstr(line, ".fst");
}

static void show_failure(const char *log) {
  char line[FilesLine];
  FILE *file = fopen(log, "r");
  printf("  replayed in lockstep (%s):\n", log);
  while (file && fgets(line, sizeof line, file)) {
    if (tells(line)) {
      printf("  %s", line);
    }
  }
  if (file) {
    fclose(file);
  }
}

// In lockstep, where a wrong RTL shows, with waves; and in the RTL alone against what the golden
// model in the graph says, where a wrong golden model does.
static void replay(const proof_step_t *s, const char *vectors) {
  char *log = in_folder(s, "replay.log"), line[FilesLine];
  if (play(s, vectors, NULL, log) == ErrCheck) {
    show_failure(log);
  } else if (play(s, vectors, "rtl", log) == ErrCheck) {
    printf("  replayed in the RTL (%s):\n%s\n", log, files_line(log, "not as recorded", line));
  } else {
    printf("  not repeated by the harness: %s\n", log);
  }
  free(log);
}

// ---- All of it ----

void proof_step_begin(const proof_step_t *s, const char *golden, const char *rtl, words_t *w) {
  words_add(w, "%s", s->prover);
  if (s->outside) {
    words_add(w, "--tables");
    words_add(w, "build/outside/unit/%s/tables-%016llx.so", s->info->name,
              (unsigned long long)s->info->page);
  }
  words_add(w, "--jobs");
  words_add(w, "%u", s->jobs);
  if (s->cycles) {
    words_add(w, "--cycles");
    words_add(w, "%u", s->cycles);
  }
  if (s->search) {
    words_add(w, "--search");
    words_add(w, "%u", s->search);
  }
  words_add(w, "%s", s->info->name);
  words_add(w, "%s", s->params);
  words_add(w, "--golden");
  words_add(w, "%s/%s.bc", s->folder, golden);
  if (rtl) {
    words_add(w, "--rtl");
    words_add(w, "%s/%s.aig", s->folder, rtl);
  }
  if (s->certify) {
    words_add(w, "--confirm");
    words_add(w, "%.*s/confirm", (int)(strrchr(s->prover, '/') - s->prover), s->prover);
  }
}

static void add_prover(const proof_step_t *s, words_t *w, const char *vectors) {
  size_t i;
  json_t *event;
  proof_step_begin(s, "golden", "rtl", w);
  words_add(w, "--vectors");
  words_add(w, "%s", vectors);
  if (parts(s)) {  // what stands for parts does what they never do: runs from reset show no fault
    words_add(w, "--cycles");
    words_add(w, s->shows[0] ? "8" : "1");
  }
  if (proof_step_only_hunts(s)) {
    words_add(w, "--hunt");
  } else if (s->shows[0]) {
    words_add(w, "--covers");
    json_array_foreach((json_t *)s->beyond, i, event) {
      words_add(w, "--beyond");
      words_add(w, "%s", json_string_value(event));
    }
  }
}

bool proof_step_make(const proof_step_t *s) { return proof_step_golden(s, false) && make_rtl(s); }

int proof_step_run(const proof_step_t *s) {
  char *vectors = in_folder(s, "counterexample.vec");
  words_t w = {0};
  int status = 2;
  // A regression's own, which the harness would use for a counterexample.
  unsetenv("NOCTURNE_NO_WAVES");
  unsetenv("NOCTURNE_REPORT");
  unlink(vectors);
  add_prover(s, &w, vectors);
  if (proof_step_make(s) && (!has_runs(s) || record_all(s, &w))) {
    status = words_run(&w, NULL);
    if (access(vectors, R_OK) == 0 && !parts(s)) {
      replay(s, vectors);
    }
  }
  free(vectors);
  return status;
}
