// SPDX-License-Identifier: Apache-2.0
#include "peers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const peer_t Peers[PeersMax + 1] = {
    {"lockstep", "nocturne: lockstep", "outputs and state, with the golden model as it runs"},
    {"bare", "C++ on Verilator", "nothing"},
    {"user_verilator", "C++ on Verilator, as a user writes it", "outputs, at the end"},
    {"sv_verilator", "SystemVerilog on Verilator", "outputs and state, with a record"},
    {"vpi_verilator", "C over VPI on Verilator", "outputs and state, with a record"},
    {"sv_icarus", "SystemVerilog on Icarus", "outputs and state, with a record; X and Z, too"},
    {"vpi_icarus", "C over VPI on Icarus", "outputs and state, with a record; X and Z, too"},
    {0}};

static double *speed_of(peers_t *peers, const char *name) {
  for (uint32_t i = PeerScripts; Peers[i].name; i++) {
    if (strcmp(Peers[i].name, name) == 0) {
      return &peers->hz[i];
    }
  }
  return NULL;
}

bool peers_measure(peers_t *peers, const char *folder, bool *lacking, err_t *err) {
  char line[512], name[32], verdict[256];
  double hz;
  char *command = text_make("tb/peers/peers.sh '%s/%s-0.vec' '%s/%s' 2>&1", folder, peers->unit,
                            folder, peers->unit);
  err_set(err, ErrInput, "tb/peers/peers.sh: cannot be run");
  FILE *pipe = command ? popen(command, "r") : NULL;
  free(command);
  bool ok = pipe != NULL;
  while (pipe && fgets(line, sizeof line, pipe)) {
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%31s %lf %255[^\n]", name, &hz, verdict) != 3 || !speed_of(peers, name)) {
      err_set(err, ErrInput, "%s", line);
      ok = false;
    } else if (strcmp(verdict, "right") != 0) {
      err_set(err, ErrInput, "%s: %s: %s", peers->unit, name, verdict);
      ok = false;
    } else {
      *speed_of(peers, name) = hz;
    }
  }
  const int status = pipe ? pclose(pipe) : -1;
  *lacking = WIFEXITED(status) && WEXITSTATUS(status) == 3;
  return ok && status == 0;
}

static void put_table(FILE *f, const peers_t *units, uint32_t count) {
  fprintf(f, "| bench | checks in each cycle |");
  for (uint32_t u = 0; u < count; u++) {
    fprintf(f, " %s |", units[u].unit);
  }
  fprintf(f, "\n|---|---|");
  for (uint32_t u = 0; u < count; u++) {
    fprintf(f, "---|");
  }
  for (uint32_t i = 0; Peers[i].name; i++) {
    fprintf(f, "\n| %s | %s |", Peers[i].what, Peers[i].checks);
    for (uint32_t u = 0; u < count; u++) {
      fprintf(f, " %.3g |", units[u].hz[i] / units[u].hz[PeerLockstep]);
    }
  }
  fprintf(f, "\n");
}

static void put_plot(FILE *f, const peers_t *units, uint32_t count) {
  fprintf(f,
          "# gnuplot peers.gp makes peers.svg\n"
          "set terminal svg size 760,%u noenhanced font 'Helvetica,13' background '#ffffff'\n"
          "set output 'peers.svg'\n"
          "set title 'Speed over lockstep on the same inputs (more is faster)'\n"
          "set key outside top center horizontal\nset border 3\nset tics nomirror\n"
          "set style data histograms\nset style histogram clustered gap 1\n"
          "set style fill solid 0.8 noborder\nset logscale y\nset ylabel 'lockstep = 1'\n"
          "set grid ytics lc rgb '#d0d0d0'\nset xtics rotate by -20\n$data << EOD\n",
          420u);
  for (uint32_t i = 0; Peers[i].name; i++) {
    fprintf(f, "\"%s\"", Peers[i].what);
    for (uint32_t u = 0; u < count; u++) {
      fprintf(f, " %g", units[u].hz[i] / units[u].hz[PeerLockstep]);
    }
    fprintf(f, "\n");
  }
  fprintf(f, "EOD\nplot");
  for (uint32_t u = 0; u < count; u++) {
    fprintf(f, "%s $data using %u:xtic(1) title '%s'", u ? "," : "", u + 2, units[u].unit);
  }
  fprintf(f, "\n");
}

static bool put_file(const char *folder, const char *name, const peers_t *units, uint32_t count,
                     void (*put)(FILE *, const peers_t *, uint32_t), err_t *err) {
  char *path = text_make("%s/%s", folder, name);
  FILE *f = path ? fopen(path, "w") : NULL;
  if (f) {
    put(f, units, count);
  }
  bool ok = f && !ferror(f);
  ok = (!f || fclose(f) == 0) && ok;
  if (!ok) {
    err_set(err, ErrInput, "%s/%s: %s", folder, name, strerror(errno));
  }
  free(path);
  return ok;
}

bool peers_write(const peers_t *units, uint32_t count, const char *folder, err_t *err) {
  if (!put_file(folder, "peers.md", units, count, put_table, err) ||
      !put_file(folder, "peers.gp", units, count, put_plot, err)) {
    return false;
  }
  char *command = text_make("cd '%s' && gnuplot peers.gp", folder);
  const bool ok = command && system(command) == 0;
  free(command);
  if (!ok) {
    err_set(err, ErrInput, "%s/peers.gp: gnuplot fails, or is missing", folder);
    return false;
  }
  return true;
}
