// SPDX-License-Identifier: Apache-2.0
#include "timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

// Creates a file of the folder.
static FILE *open_in(const char *folder, const char *file) {
  char *path = text_make("%s/%s", folder, file);
  FILE *f = path ? fopen(path, "w") : NULL;
  free(path);
  return f;
}

// ---- memories as cells ------------------------------------------------------------------

static const char Header[] =
    "library (memories) {\n"
    "  delay_model : table_lookup;\n  time_unit : \"1ns\";\n  voltage_unit : \"1V\";\n"
    "  current_unit : \"1mA\";\n  pulling_resistance_unit : \"1kohm\";\n"
    "  leakage_power_unit : \"1nW\";\n  capacitive_load_unit (1, pf);\n"
    "  nom_process : 1;\n  nom_voltage : %g;\n  nom_temperature : 25;\n"
    "  input_threshold_pct_rise : 50;\n  input_threshold_pct_fall : 50;\n"
    "  output_threshold_pct_rise : 50;\n  output_threshold_pct_fall : 50;\n"
    "  slew_lower_threshold_pct_rise : 20;\n  slew_lower_threshold_pct_fall : 20;\n"
    "  slew_upper_threshold_pct_rise : 80;\n  slew_upper_threshold_pct_fall : 80;\n";

// Inputs that the clock takes; free: no path ends there.
static void write_inputs(FILE *f, const char *pin, uint32_t count, bool is_free) {
  for (uint32_t i = 0; i < count; i++) {
    fprintf(f, "    pin (%s_%u) { direction : input; capacitance : 0;", pin, i);
    if (!is_free) {
      fprintf(f,
              "\n      timing () { related_pin : \"WR_CLK_0\"; timing_type : setup_rising;\n"
              "        rise_constraint (scalar) { values (\"0\"); }\n"
              "        fall_constraint (scalar) { values (\"0\"); } }\n     ");
    }
    fprintf(f, " }\n");
  }
}

static void write_output(FILE *f, const netlist_memory_t *m, uint32_t port, uint32_t bit,
                         bool is_through, double access) {
  fprintf(f, "    pin (RD_DATA_%u) { direction : output;\n      timing () { related_pin : \"",
          port * m->width + bit);
  for (uint32_t a = 0; is_through && a < m->address_bits; a++) {
    fprintf(f, "%sRD_ADDR_%u", a ? " " : "", port * m->address_bits + a);
  }
  fprintf(f, "%s\"; timing_type : %s;%s\n", is_through ? "" : "WR_CLK_0",
          is_through ? "combinational" : "rising_edge",
          is_through ? " timing_sense : non_unate;" : "");
  fprintf(f,
          "        cell_rise (scalar) { values (\"%g\"); }\n"
          "        cell_fall (scalar) { values (\"%g\"); }\n"
          "        rise_transition (scalar) { values (\"0\"); } fall_transition (scalar) "
          "{ values (\"0\"); } } }\n",
          access, access);
}

static void write_memory(FILE *f, uint32_t number, const netlist_memory_t *m, double access) {
  bool is_through = access > 0 && !m->is_clocked;
  fprintf(f, "  cell (memory_%u) {\n    area : 0;\n", number);
  for (uint32_t w = 0; w < m->writes; w++) {
    fprintf(f, "    pin (WR_CLK_%u) { direction : input; capacitance : 0; clock : true; }\n", w);
  }
  write_inputs(f, "RD_CLK", m->reads, true);
  write_inputs(f, "RD_EN", m->reads, false);
  write_inputs(f, "RD_ARST", m->reads, false);
  write_inputs(f, "RD_SRST", m->reads, false);
  write_inputs(f, "RD_ADDR", m->reads * m->address_bits, is_through);
  write_inputs(f, "WR_EN", m->writes * m->width, false);
  write_inputs(f, "WR_ADDR", m->writes * m->address_bits, false);
  write_inputs(f, "WR_DATA", m->writes * m->width, false);
  for (uint32_t r = 0; r < m->reads; r++) {
    for (uint32_t b = 0; b < m->width; b++) {
      write_output(f, m, r, b, is_through, access);
    }
  }
  fprintf(f, "  }\n");
}

static bool write_memories(const timing_request_t *q, const netlist_t *n) {
  FILE *f = open_in(q->folder, "memories.lib");
  if (!f) {
    return false;
  }
  fprintf(f, Header, 1.0);
  for (uint32_t m = 0; m < n->memory_count; m++) {
    write_memory(f, m, &n->memories[m], q->memories[m].access);
  }
  fprintf(f, "}\n");
  return fclose(f) == 0;
}

// ---- script ---------------------------------------------------------------------------

// A name in Tcl that is taken as it is.
static void quoted(FILE *f, const char *text) {
  fputc('"', f);
  for (; *text; text++) {
    if (strchr("\"\\[]${}", *text)) {
      fputc('\\', f);
    }
    fputc(*text, f);
  }
  fputc('"', f);
}

static const char Measure[] =
    "set_cmd_units -time ns\n"
    "proc worst {} { return [lindex [find_timing_paths -path_delay max] 0] }\n"
    "set clock [lindex [all_clocks] 0]\n"
    "if {$clock eq \"\"} { puts \"nocturne no_clock\"; exit }\n"
    "set period [get_property $clock period]\n"
    "set path [worst]\n"
    "if {$path eq \"\"} { puts \"nocturne no_path\"; exit }\n"
    "set slack [get_property $path slack]\n"
    "puts \"nocturne asked $period $slack\"\n";

// Twice: a slack close to 0 keeps its digits.
static const char Shortest[] =
    "for {set i 0} {$i < 2} {incr i} {\n"
    "  set period [expr {$period - $slack}]\n"
    "  create_clock -name clk -period $period $source\n"
    "  constrain\n"
    "  set path [worst]\n"
    "  set slack [get_property $path slack]\n"
    "}\n";

static const char Free[] =
    "set source [get_ports clk_i]\n"
    "proc constrain {} {\n"
    "  set inputs {}\n"
    "  foreach port [all_inputs] {\n"
    "    if {[get_property $port full_name] ne \"clk_i\"} { lappend inputs $port }\n"
    "  }\n"
    "  if {[llength $inputs]} { set_input_delay -clock clk 0 $inputs }\n"
    "  if {[llength [all_outputs]]} { set_output_delay -clock clk 0 [all_outputs] }\n"
    "}\n"
    "create_clock -name clk -period 1000 $source\n"
    "constrain\n";

static bool write_script(const timing_request_t *q, const netlist_t *n) {
  FILE *f = open_in(q->folder, "timing.tcl");
  if (!f) {
    return false;
  }
  fprintf(f, "read_liberty ");
  quoted(f, q->liberty);
  fprintf(f, "\n");
  if (n->memory_count) {
    fprintf(f, "read_liberty %s/memories.lib\n", q->folder);
  }
  fprintf(f, "set_cmd_units -time ns\nread_verilog %s/timing.v\nlink_design %s\n", q->folder,
          q->unit);
  if (q->sdc) {
    fprintf(f, "read_sdc ");
    quoted(f, q->sdc);
    fprintf(f, "\n");
  } else {
    fputs(Free, f);
  }
  fputs(Measure, f);
  if (!q->sdc) {
    fputs(Shortest, f);
  }
  fprintf(f,
          "puts \"nocturne path [expr {$period - $slack}] "
          "[get_full_name [get_property $path startpoint]] "
          "[get_full_name [get_property $path endpoint]]\"\n");
  if (q->with_power) {
    fprintf(f, "set_power_activity -input -activity %g -duty 0.5\nreport_power -digits 9\n",
            TimingActivity);
  }
  return fclose(f) == 0;
}

// ---- result ---------------------------------------------------------------------------

static void read_line(timing_t *t, const netlist_t *n, const char *line) {
  char *from = NULL, *to = NULL;
  double a, b, c;
  if (sscanf(line, "nocturne asked %lf %lf", &a, &b) == 2) {
    t->wanted = 1e3 * a;
    t->slack = 1e3 * b;
  } else if (sscanf(line, "nocturne path %lf %ms %ms", &a, &from, &to) == 3) {
    t->period = 1e3 * a;
    t->has_period = t->period > 0;
    t->from = netlist_end_name(n, from);
    t->to = netlist_end_name(n, to);
  } else if (sscanf(line, "Total %lf %lf %lf", &a, &b, &c) == 3) {
    t->internal = 1e3 * a;  // of W
    t->switching = 1e3 * b;
    t->leakage = 1e3 * c;
    t->has_power = true;
  }
  free(from);
  free(to);
}

static bool read_log(timing_t *t, const timing_request_t *q, const netlist_t *n, const char *path,
                     err_t *err) {
  char *line = NULL, *warning = NULL;  // OpenSTA's last one before it failed
  size_t room = 0;
  bool ok = true;
  FILE *f = fopen(path, "r");
  while (f && ok && getline(&line, &room, f) > 0) {
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "Error: ", 7) == 0) {
      ok = err_set(err, ErrCheck, "OpenSTA: %s", warning ? warning : line + 7);
    } else if (strncmp(line, "Warning: ", 9) == 0) {
      free(warning);
      warning = strdup(line + 9);
    } else if (strcmp(line, "nocturne no_path") == 0) {
      break;  // Later ones have none either.
    } else if (strcmp(line, "nocturne no_clock") == 0) {
      ok = err_set(err, ErrCheck, "%s: no clock; expected create_clock", q->sdc ? q->sdc : q->unit);
    } else {
      read_line(t, n, line);
    }
  }
  free(line);
  free(warning);
  if (f) {
    fclose(f);
  }
  return ok;
}

bool timing_measure(timing_t *t, const timing_request_t *q, const netlist_t *n, err_t *err) {
  *t = (timing_t){0};
  char *log = text_make("%s/timing.log", q->folder);
  char *command = text_make(
      "sta -no_init -no_splash -exit '%s/timing.tcl' >'%s/timing.log' 2>&1 "
      "</dev/null",
      q->folder, q->folder);
  bool ok = (log && command) || err_memory(err, q->unit);
  if (ok && (!write_memories(q, n) || !write_script(q, n))) {
    ok = err_set(err, ErrCheck, "%s: cannot be written", q->folder);
  }
  int status = ok ? system(command) : 0;
  ok = ok && read_log(t, q, n, log, err);
  if (ok && (status == -1 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)) {
    ok = err_set(err, ErrCheck, "OpenSTA (sta) ended early: %s", log);
  }
  if (!q->sdc) {
    t->wanted = t->slack = 0;
  }
  free(log);
  free(command);
  return ok;
}

void timing_free(timing_t *t) {
  free(t->from);
  free(t->to);
  *t = (timing_t){0};
}
