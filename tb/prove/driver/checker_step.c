// SPDX-License-Identifier: Apache-2.0
#include "checker_step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "words.h"

enum {
  MostBytes = 2200000,  // of the file; Yosys takes minutes and gigabytes to read more
  MostVoid = 1 << 19,   // of one that only says whether a parameter changes anything
};

static uint32_t bits_of(const uint32_t *dims, const unit_field_t *fields) {
  uint32_t bits = 0;
  for (const unit_field_t *f = fields; f->name; f++) {
    bits += unit_dim(dims, f->bits) * unit_dim(dims, f->elements);
  }
  return bits;
}

// A top as the prover expects it, and what reads both.
static bool write_sources(const proof_step_t *s, const char *path, err_t *err) {
  static uint64_t params[64];
  uint32_t dims[UnitMaxDims];
  const unit_info_t *info = s->info;
  char *top = text_make("%s/top.v", s->folder), *script = text_make("%s/checker.ys", s->folder);
  FILE *file = top ? fopen(top, "w") : NULL, *commands = script ? fopen(script, "w") : NULL;
  bool ok = file && commands && unit_params_read(info, s->params, params, err);
  if (ok) {
    info->dims(params, dims);
    const uint32_t in = bits_of(dims, info->in);
    const uint32_t out = bits_of(dims, info->out) + bits_of(dims, info->state);
    fprintf(file,
            "module top (input clk_i, input rst_ni, input [%u:0] in_i, output [%u:0] out_o);\n"
            "  wire [%u:0] told;\n  wire known;\n  %s_golden u_dut (.clk_i(clk_i), "
            ".rst_ni(rst_ni), .in_i(in_i), .out_o(told), .known_o(known));\n"
            "  assign out_o = told & {%u{known}};\nendmodule\n",
            in - 1, out - 1, out - 1, info->name, out);
    fprintf(commands,
            "read_verilog -DSYNTHESIS %s %s\nhierarchy -top top\nproc\nflatten\nsimplemap\n"
            "dffunmap\naigmap\nopt_clean\nsetundef -undriven -zero\n"
            "write_aiger -symbols %s/checker.aig\n",
            path, top, s->folder);
  }
  ok = file && fclose(file) == 0 && ok;
  ok = commands && fclose(commands) == 0 && ok;
  free(top);
  free(script);
  return ok || err_is_set(err) || err_set(err, ErrCheck, "%s: %s", s->folder, strerror(errno));
}

// True if the wrapper has a variable FindWidths, by the names in its bitcode.
static bool finds_widths(const proof_step_t *s) {
  char *path = text_make("%s/golden.bc", s->folder), *bytes = NULL;
  FILE *file = path ? fopen(path, "rb") : NULL;
  const long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
  bool found = false;
  if (size > 0 && (bytes = malloc((size_t)size)) && fseek(file, 0, SEEK_SET) == 0 &&
      fread(bytes, 1, (size_t)size, file) == (size_t)size) {
    found = memmem(bytes, (size_t)size, "FindWidths", strlen("FindWidths")) != NULL;
  }
  if (file) {
    fclose(file);
  }
  free(bytes);
  free(path);
  return found;
}

static bool is_small(const char *path, long most, err_t *err) {
  FILE *file = fopen(path, "r");
  const long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
  if (file) {
    fclose(file);
  }
  if (size > most) {
    unlink(path);
    return err_set(err, ErrInput,
                   "no checker: it has %ld bytes, more than %ld; ask for a smaller size", size,
                   most);
  }
  return true;
}

// Writes the file from a bitcode of `of`, reads it back and proves it to be the golden model of s,
// which says so if there is no log for it.
static int write_and_prove(const proof_step_t *of, const char *bitcode, const proof_step_t *s,
                           const char *path, long most, const char *log, err_t *err) {
  char *made = text_make("%s/checker.log", of->folder), *read_back;
  words_t w = {0};
  proof_step_begin(of, bitcode, NULL, &w);
  words_add(&w, "--checker");
  words_add(&w, "%s", path);
  int status = words_run(&w, made);
  if (status == 0 && !(is_small(path, most, err) && write_sources(of, path, err))) {
    status = (int)err->status;
  }
  if (status == 0) {
    words_split(&w, "yosys -q -s");
    words_add(&w, "%s/checker.ys", of->folder);
    status = words_run(&w, made);
  }
  if (status == 0) {
    read_back =
        of == s ? text_make("checker") : text_make("%s/checker", strrchr(of->folder, '/') + 1);
    proof_step_begin(s, "golden", read_back, &w);
    words_add(&w, "--is-checker");
    status = words_run(&w, log);
    free(read_back);
  } else if (!err_is_set(err)) {
    err_set(err, (err_status_e)status, "%s: no checker of %s: %s", of->info->name, of->params,
            made);
  }
  free(made);
  return status;
}

// Finds what a wrapper leaves to be found and only the RTL tells.
static int find_widths(const proof_step_t *s) {
  char *log = text_make("%s/widths.log", s->folder);
  words_t w = {0};
  int status = ErrInput;
  if (proof_step_make(s)) {
    proof_step_begin(s, "golden", "rtl", &w);
    words_add(&w, "--widths");
    status = words_run(&w, log);
  }
  free(log);
  return status;
}

int checker_step_run(const proof_step_t *s, const char *path, err_t *err) {
  if (proof_step_has_parts(s)) {
    err_set(err, ErrInput, "%s: no checker of a joined unit; take those of its parts",
            s->info->name);
    return ErrInput;
  }
  if (s->symbolic) {
    err_set(err, ErrInput, "%s %s: no checker, as its memories are symbolic; take a smaller size",
            s->info->name, s->params);
    return ErrInput;
  }
  int status = proof_step_golden(s, false) ? 0 : (int)ErrInput;
  if (status == 0 && finds_widths(s)) {
    status = find_widths(s);
  }
  if (status == 0) {
    status = write_and_prove(s, "golden", s, path, MostBytes, NULL, err);
  }
  if (status != 0) {
    unlink(path);
  }
  return status;
}

// A golden model with arrays has no checker: the other one is proved as the first was.
static int prove_plain(const proof_step_t *s) {
  char *log = text_make("%s/second.log", s->folder);
  words_t w = {0};
  int status = proof_step_golden(s, true) ? 0 : (int)ErrInput;
  if (status == 0) {
    proof_step_begin(s, "plain", "rtl", &w);
    status = words_run(&w, log);
    printf("  golden model without optimisation: %s%s\n",
           status == 0 ? "proved equal to the RTL, too" : "not proved, ", status == 0 ? "" : log);
  }
  free(log);
  return status;
}

int checker_step_second(const proof_step_t *s) {
  err_auto_t err = {0};
  int status = 0;
  if (proof_step_has_parts(s)) {
    return 0;
  }
  if (s->symbolic) {
    return prove_plain(s);
  }
  char *log = text_make("%s/second.log", s->folder), *path = text_make("%s/plain.v", s->folder);
  if (!proof_step_golden(s, true)) {
    status = ErrInput;
  } else if ((status = write_and_prove(s, "plain", s, path, MostBytes, log, &err)) == ErrCheck) {
    printf("  golden model without optimisation: another one, %s\n", log);
  } else if (status != 0) {
    printf("  golden model without optimisation: not compared: %s\n", err_text(&err));
    status = 0;
  } else {
    printf("  golden model without optimisation: proved to be the same\n");
  }
  free(path);
  free(log);
  return status;
}

// Without a parameter that changes nothing the model has the same widths.
static bool copy_widths(const proof_step_t *from, const proof_step_t *to) {
  words_t w = {0};
  words_add(&w, "cp");
  words_add(&w, "%s/found.widths", from->folder);
  words_add(&w, "%s", to->folder);
  return words_run(&w, NULL) == 0;
}

// Returns true if the golden model is the same without this parameter, at this size.
static bool is_void(const proof_step_t *s, const unit_param_t *p) {
  err_auto_t err = {0};
  const char *at = strstr(s->params, p->rtl);
  proof_step_t other = *s;
  char *params = text_make("%.*s%s=0%s", (int)(at - s->params), s->params, p->rtl,
                           at + strlen(p->rtl) + strlen("=1"));
  char *folder = text_make("%s/without-%s", s->folder, p->rtl);
  char *path = text_make("%s/without.v", folder), *log = text_make("%s/without.log", folder);
  other.params = params;
  other.folder = folder;
  const bool same = proof_step_prepare(&other, &err) && proof_step_golden(&other, false) &&
                    (!finds_widths(s) || copy_widths(s, &other)) &&
                    write_and_prove(&other, "golden", s, path, MostVoid, log, &err) == 0;
  free(params);
  free(folder);
  free(path);
  free(log);
  return same;
}

bool checker_step_is_void(const proof_step_t *s) {
  bool found = false;
  for (const unit_param_t *p = s->info->params; p->name && !proof_step_has_parts(s); p++) {
    char *word = text_make("%s=1", p->rtl);
    const size_t length = strlen(word);
    const char *at = strstr(s->params, word);
    const bool is_set = at && (at == s->params || at[-1] == ' ') && strchr(" ", at[length]);
    if (p->low == 0 && p->high == 1 && is_set && is_void(s, p)) {
      printf("  %s: it changes nothing at this size; leave it out, or name a larger size\n", word);
      found = true;
    }
    free(word);
  }
  return found;
}
