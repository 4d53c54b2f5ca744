// SPDX-License-Identifier: Apache-2.0
#include "synthesis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "csim/base/keep.h"

static const char Mapping[] = "rtl/synth/synth.sh";

// ---- hash -----------------------------------------------------------------------------

// Adds the RTL that the unit needs, as rtl/synth/files.sh lists it. False: it knows no such unit.
static bool add_rtl(base_sha256_t *sha, const char *unit) {
  char *line = NULL, *command = text_make("rtl/synth/files.sh %s 2>/dev/null", unit);
  size_t room = 0;
  bool any = false;
  FILE *pipe = command ? popen(command, "r") : NULL;
  while (pipe && getline(&line, &room, pipe) > 0) {
    line[strcspn(line, "\n")] = '\0';
    keep_add_file(sha, line);
    any = true;
  }
  free(line);
  free(command);
  return pipe && pclose(pipe) == 0 && any;
}

bool synthesis_find(synthesis_t *s, const area_request_t *request, const char *library,
                    const char *script, err_t *err) {
  static const char *const Flow[] = {"rtl/synth/files.sh", Mapping, "tb/area/tools/buffer_nets.c",
                                     "tb/area/liberty_use.c"};
  char hash[BaseSha256Text];
  base_sha256_t sha;
  base_sha256_begin(&sha);
  if (!add_rtl(&sha, request->unit)) {
    return err_set(err, ErrCheck, "rtl/*/%s.sv: not found; run this in the project's folder",
                   request->unit);
  }
  for (size_t i = 0; i < sizeof Flow / sizeof *Flow; i++) {
    keep_add_file(&sha, Flow[i]);
  }
  keep_add_content(&sha, library);
  keep_add_output(&sha, "yosys -V");
  base_sha256_add(&sha, request->changed, strlen(request->changed));
  if (strcmp(script, Mapping) != 0) {
    keep_add_file(&sha, script);
  }
  base_sha256_end(&sha, hash);
  *s = (synthesis_t){request, text_make("build/area/%s/%.16s", request->unit, hash)};
  return s->folder || err_memory(err, request->unit);
}

// ---- running --------------------------------------------------------------------------

// Returns where the script writes: a folder beside the final one.
static char *draft(const synthesis_t *s) { return text_make("%s.%d", s->folder, (int)getpid()); }

// Starts a process; params as chparam takes them: "-set NumGpus 8 -set Exact 0 ".
static pid_t start(const char *script, const synthesis_t *s, const char *params) {
  text_t set = {0};
  char *out = draft(s);
  for (const char *p = params; *p; p += strspn(p, " ")) {
    size_t length = strcspn(p, " "), name = strcspn(p, "=");
    text_format(&set, "-set %.*s %.*s ", (int)name, p, (int)(length - name - 1), p + name + 1);
    p += length;
  }
  pid_t pid = out && !set.failed ? fork() : -1;
  if (pid == 0) {
    execl("/bin/bash", "bash", script, s->request->unit, text_string(&set), out, (char *)NULL);
    _exit(127);
  }
  text_free(&set);
  free(out);
  return pid;
}

// Moves what the script wrote to its folder. False: the product is missing.
static bool finish(const synthesis_t *s, const char *product) {
  char *from = draft(s);
  char *command = text_make("mkdir -p '%s' && mv -f '%s'/* '%s'/ && rmdir '%s' && test -s '%s/%s'",
                            s->folder, from, s->folder, from, s->folder, product);
  bool ok = from && command && system(command) == 0;
  free(from);
  free(command);
  return ok;
}

// Returns the last line with ERROR of a log, NULL without one.
static char *last_error(const char *path) {
  char *line = NULL, *last = NULL;
  size_t room = 0;
  FILE *f = path ? fopen(path, "r") : NULL;
  while (f && getline(&line, &room, f) > 0) {
    if (strstr(line, "ERROR")) {
      free(last);
      last = strndup(line, strcspn(line, "\n"));
    }
  }
  if (f) {
    fclose(f);
  }
  free(line);
  return last;
}

// Keeps what the script wrote as FOLDER.failed, in place of what failed before there, and names its
// log and the last error in it. A line of the user's library that Yosys cannot read is bad input.
// Returns false.
static bool fail(const synthesis_t *s, const char *script, err_t *err) {
  static const char Unread[] = "Syntax error in liberty file on line ";
  char *from = draft(s), *log = text_make("%s.failed/warnings.log", s->folder);
  char *command =
      text_make("rm -rf '%s.failed' && mv '%s' '%s.failed'", s->folder, from, s->folder);
  const bool kept = from && log && command && system(command) == 0;
  char *last = kept ? last_error(log) : NULL;
  const char *unread = last ? strstr(last, Unread) : NULL, *own = getenv("NOCTURNE_LIBERTY");
  if (unread && own) {
    err_set(err, ErrInput,
            "%s:%d: Yosys cannot read this line; correct it in a copy of the library", own,
            atoi(unread + strlen(Unread)));
  } else {
    err_set(err, ErrCheck, "%s: %s failed: %s; see %s", s->request->unit, script,
            last ? last : "no error is in its log", log ? log : "");
  }
  free(from);
  free(log);
  free(command);
  free(last);
  return false;
}

// The FPGA flow is not part of the folder's hash: its log begins with that of the script.
static bool is_stale(const synthesis_t *s, const char *product, const char *script) {
  char first[BaseSha256Text] = "", hash[BaseSha256Text];
  struct stat status;
  char *path = text_make("%s/%s", s->folder, product);
  bool is_there = path && stat(path, &status) == 0 && status.st_size > 0;
  bool same = is_there && strcmp(product, "fpga.log") != 0;
  FILE *f = is_there && !same ? fopen(path, "r") : NULL;
  if (f) {
    base_sha256_t sha;
    base_sha256_begin(&sha);
    keep_add_content(&sha, script);
    base_sha256_end(&sha, hash);
    same = fgets(first, sizeof first, f) && strcmp(first, hash) == 0;
    fclose(f);
  }
  free(path);
  return !same;
}

// Returns true where an earlier request has the same folder.
static bool is_repeated(const synthesis_t *all, uint32_t at) {
  for (uint32_t i = 0; i < at; i++) {
    if (strcmp(all[i].folder, all[at].folder) == 0) {
      return true;
    }
  }
  return false;
}

bool synthesis_run(const synthesis_t *all, uint32_t count, const char *script, const char *product,
                   uint32_t jobs, err_t *err) {
  pid_t *pids = calloc(count + 1, sizeof *pids);
  uint32_t running = 0, next = 0;
  bool ok = pids || err_memory(err, script);
  while (ok && (running || next < count)) {
    if (next < count && running < jobs) {
      if (!is_repeated(all, next) && is_stale(&all[next], product, script)) {
        pids[next] = start(script, &all[next], all[next].request->changed);
        ok = pids[next] > 0 || err_memory(err, script);
        running += ok;
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
        if (status != 0 || !finish(&all[i], product)) {
          ok = fail(&all[i], script, err);
        }
      }
    }
  }
  while (running && wait(NULL) > 0) {
    running--;
  }
  free(pids);
  return ok;
}

bool synthesis_run_with(const synthesis_t *s, const char *params, const char *script,
                        const char *product, err_t *err) {
  int status = -1;
  pid_t pid = start(script, s, params);
  return (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 && finish(s, product)) ||
         fail(s, script, err);
}
