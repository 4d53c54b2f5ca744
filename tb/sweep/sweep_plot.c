// SPDX-License-Identifier: Apache-2.0
// Plots of a sweep through gnuplot: a script that holds its data, and the SVG made from it.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep.h"

// Eight colours that remain distinct for colour-blind eyes and in grey.
static const char *const Colours[] = {"#4d4d4d", "#56b4e9", "#e69f00", "#009e73",
                                      "#cc79a7", "#0072b2", "#d55e00", "#f0e442"};
enum { ColourCount = sizeof Colours / sizeof *Colours };

// A stack of columns for each choice of the series, side by side.
static bool grouped(const sweep_plot_t *plot) {
  return plot->kind == SweepStacked && plot->series >= 0;
}

static bool by_axis(const sweep_plot_t *plot) { return plot->series >= 0 && !grouped(plot); }

static uint32_t series_count(const sweep_t *s, const sweep_plot_t *plot) {
  return by_axis(plot) ? s->axes[plot->series].count : plot->column_count;
}

static const char *series_name(const sweep_t *s, const sweep_plot_t *plot, uint32_t k) {
  return by_axis(plot) ? s->axes[plot->series].choices[k].label : s->columns[plot->columns[k]].name;
}

static double value_at(const sweep_t *s, const sweep_plot_t *plot, int32_t x, uint32_t k,
                       uint32_t column) {
  int32_t at[SweepMaxAxes] = {0};
  for (uint32_t a = 0; a < s->axis_count; a++) {
    at[a] = a == plot->x ? x : (int32_t)a == plot->series ? (int32_t)k : plot->where[a];
  }
  const sweep_row_t *row = sweep_find(s, at);
  return row ? row->values[column] : NAN;
}

static void put_value(FILE *f, double value) {
  if (isnan(value)) {
    fprintf(f, " ?");
  } else {
    fprintf(f, " %.12g", value);
  }
}

// gnuplot strings in single quotes.
static void put_text(FILE *f, const char *text) {
  fputc('\'', f);
  for (; *text; text++) {
    fputs(*text == '\'' ? "''" : (char[]){*text, '\0'}, f);
  }
  fputc('\'', f);
}

static bool all_numbers(const sweep_axis_t *axis) {
  for (uint32_t i = 0; i < axis->count; i++) {
    char *end;
    double value = strtod(axis->choices[i].label, &end);
    if (*end || !isfinite(value)) {
      return false;
    }
  }
  return true;
}

static uint32_t x_count(const sweep_t *s, const sweep_plot_t *plot) {
  bool with_mean = plot->kind != SweepLines && (int32_t)plot->x == s->summary_axis;
  return s->axes[plot->x].count + (with_mean ? 1 : 0);
}

static int32_t x_at(const sweep_t *s, const sweep_plot_t *plot, uint32_t i) {
  return i < s->axes[plot->x].count ? (int32_t)i : SweepMean;
}

static const char *x_label(const sweep_t *s, const sweep_plot_t *plot, uint32_t i) {
  const char *mean = s->columns[plot->columns[0]].mean == SweepGeometric ? "gmean" : "mean";
  return x_at(s, plot, i) >= 0 ? s->axes[plot->x].choices[i].label : mean;
}

// A line for each value of x: position, label, the series, the column of the right axis.
static void put_data(const sweep_t *s, const sweep_plot_t *plot, bool numeric, FILE *f) {
  fprintf(f, "$data << END\n");
  for (uint32_t i = 0; i < x_count(s, plot); i++) {
    if (numeric) {
      fprintf(f, "%s", x_label(s, plot, i));
    } else {
      fprintf(f, "%u", i);
    }
    fprintf(f, " \"%s\"", x_label(s, plot, i));
    for (uint32_t k = 0; k < series_count(s, plot); k++) {
      uint32_t column = plot->columns[by_axis(plot) ? 0 : k];
      put_value(f, value_at(s, plot, x_at(s, plot, i), k, column));
    }
    if (plot->right >= 0) {
      put_value(f, value_at(s, plot, x_at(s, plot, i), 0, (uint32_t)plot->right));
    }
    fputc('\n', f);
  }
  fprintf(f, "END\n");
}

// A block for each value of x, a line for each stack: position, label, the columns.
static void put_groups(const sweep_t *s, const sweep_plot_t *plot, FILE *f) {
  const sweep_axis_t *axis = &s->axes[plot->series];
  for (uint32_t i = 0; i < x_count(s, plot); i++) {
    fprintf(f, "$data%u << END\n", i);
    for (uint32_t j = 0; j < axis->count; j++) {
      fprintf(f, "%u \"%s\"", j, axis->choices[j].label);
      for (uint32_t k = 0; k < plot->column_count; k++) {
        put_value(f, value_at(s, plot, x_at(s, plot, i), j, plot->columns[k]));
      }
      fputc('\n', f);
    }
    fprintf(f, "END\n");
  }
}

static void put_tics(const sweep_axis_t *axis, bool numeric, FILE *f) {
  fprintf(f, "set xtics (");
  for (uint32_t i = 0; i < axis->count; i++) {
    fputs(i ? ", " : "", f);
    put_text(f, axis->choices[i].label);
    if (numeric) {
      fprintf(f, " %s", axis->choices[i].label);
    } else {
      fprintf(f, " %u", i);
    }
  }
  fprintf(f, ")\n");
}

static void put_lines(const sweep_t *s, const sweep_plot_t *plot, bool numeric, FILE *f) {
  put_tics(&s->axes[plot->x], numeric, f);
  if (plot->log_x && numeric) {
    fprintf(f, "set logscale x 2\n");
  }
  fputs(plot->log_y ? "set logscale y\n" : "", f);
  fprintf(f, "set offsets graph 0.05, graph 0.05, graph 0.1, graph 0\n");
  if (plot->right >= 0) {
    const sweep_column_t *c = &s->columns[plot->right];
    char *label = text_make(*c->unit ? "%s (%s)" : "%s%s", c->name, c->unit);
    fprintf(f, "set ytics nomirror\nset y2tics\nset y2label ");
    put_text(f, label ? label : "");
    fputc('\n', f);
    free(label);
  }
  fprintf(f, "plot ");
  uint32_t count = series_count(s, plot);
  for (uint32_t k = 0; k < count; k++) {
    fprintf(f, "%s$data using 1:%u with linespoints lw 2 pt %u ps 0.8 lc rgb '%s' title ",
            k ? ", \\\n  " : "", k + 3, k + 4, Colours[k % ColourCount]);
    put_text(f, series_name(s, plot, k));
  }
  if (plot->right >= 0) {
    fprintf(f,
            ", \\\n  $data using 1:%u axes x1y2 with linespoints lw 2 dt 2 pt %u ps 0.8 "
            "lc rgb '%s' title ",
            count + 3, count + 4, Colours[count % ColourCount]);
    put_text(f, s->columns[plot->right].name);
  }
  fputc('\n', f);
}

static void put_bars(const sweep_t *s, const sweep_plot_t *plot, FILE *f) {
  bool normalised = s->columns[plot->columns[0]].kind == SweepSpeedup ||
                    s->columns[plot->columns[0]].kind == SweepRelative;
  fprintf(f,
          "set style data histogram\nset style histogram %s\n"
          "set style fill solid 1 border rgb '#202020'\nset boxwidth 0.9\n",
          plot->kind == SweepStacked ? "rowstacked" : "clustered gap 1.5");
  if (plot->stated <= 0) {
    fprintf(f, "set yrange [%s:*]\n", s->columns[plot->columns[0]].kind == SweepChange ? "*" : "0");
  }
  fprintf(f, "set xtics rotate by %d nomirror scale 0\n", grouped(plot) ? -90 : -35);
  if (grouped(plot)) {
    fprintf(f, "set bmargin 9\n");
  }
  if (normalised) {
    fprintf(f,
            "set arrow from graph 0, first 1 to graph 1, first 1 nohead dt 2 lc rgb '#808080'\n");
  }
  fprintf(f, "plot ");
  for (uint32_t i = 0; grouped(plot) && i < x_count(s, plot); i++) {
    fprintf(f, "%snewhistogram ", i ? ", \\\n  " : "");
    put_text(f, x_label(s, plot, i));
    fprintf(f, " lt 1 at %u", i * (s->axes[plot->series].count + 1));
    for (uint32_t k = 0; k < plot->column_count; k++) {
      fprintf(f, ", \\\n  $data%u using %u%s lc rgb '%s' %s", i, k + 3, k ? "" : ":xtic(2)",
              Colours[k % ColourCount], i ? "notitle" : "title ");
      if (i == 0) {
        put_text(f, series_name(s, plot, k));
      }
    }
  }
  for (uint32_t k = 0; !grouped(plot) && k < series_count(s, plot); k++) {
    fprintf(f, "%s$data using %u%s lc rgb '%s' title ", k ? ", \\\n  " : "", k + 3,
            k ? "" : ":xtic(2)", Colours[k % ColourCount]);
    put_text(f, series_name(s, plot, k));
  }
  fputc('\n', f);
}

// The paper's value as a line, which lies within the plot.
static void put_stated(const sweep_plot_t *plot, FILE *f) {
  fprintf(f,
          "set arrow from graph 0, first %g to graph 1, first %g nohead front dt 4 lw 1.5 "
          "lc rgb '#b00020'\n"
          "set yrange [%s:%g<*]\n",
          plot->stated, plot->stated, plot->kind == SweepLines ? "*" : "0", 1.05 * plot->stated);
  char *label = text_make("paper: %s %g", plot->stated_of, plot->stated);
  fprintf(f, "set label ");
  put_text(f, label ? label : "");
  fputs(" at graph 1, graph 1.04 right tc rgb '#b00020'\n", f);
  free(label);
}

static void put_script(const sweep_t *s, const sweep_plot_t *plot, FILE *f) {
  const sweep_axis_t *axis = &s->axes[plot->x];
  bool numeric = plot->kind == SweepLines && all_numbers(axis);
  uint32_t bars =
      (axis->count + 1) * (plot->series >= 0 ? s->axes[plot->series].count : plot->column_count);
  uint32_t width = plot->kind == SweepLines ? 560 : 320 + 14 * (bars < 60 ? bars : 60);
  bool many = series_count(s, plot) > 4;  // the legend stands beside the plot
  fprintf(f, "# gnuplot %s.gp makes %s.svg\n", plot->name, plot->name);
  fprintf(f, "set terminal svg size %u,%u noenhanced font 'Helvetica,13' background '#ffffff'\n",
          width + (many ? 140 : 0), grouped(plot) ? 430 : 360);
  fprintf(f, "set output '%s.svg'\nset datafile missing '?'\nset title ", plot->name);
  put_text(f, plot->title);
  fprintf(f, "\nset ylabel ");
  put_text(f, plot->y_label);
  fprintf(f, "\nset xlabel ");
  put_text(f, plot->x_label);
  fprintf(f,
          "\nset grid ytics lc rgb '#d0d0d0'\nset key outside %s\n"
          "set border 3\nset tics nomirror\n",
          many ? "right center vertical reverse Left" : "top center horizontal");
  if (grouped(plot)) {
    put_groups(s, plot, f);
  } else {
    put_data(s, plot, numeric, f);
  }
  if (plot->stated > 0) {
    put_stated(plot, f);
  }
  if (plot->kind == SweepLines) {
    put_lines(s, plot, numeric, f);
  } else {
    put_bars(s, plot, f);
  }
}

static bool has_value(const sweep_t *s, const sweep_plot_t *plot) {
  for (uint32_t i = 0; i < s->axes[plot->x].count; i++) {
    for (uint32_t k = 0; k < series_count(s, plot); k++) {
      uint32_t column = plot->columns[by_axis(plot) ? 0 : k];
      if (!isnan(value_at(s, plot, (int32_t)i, grouped(plot) ? 0 : k, column))) {
        return true;
      }
    }
  }
  return false;
}

static bool gnuplot(const char *folder, const char *script, err_t *err) {
  int status = 0;
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    if (chdir(folder) == 0) {
      execlp("gnuplot", "gnuplot", script, (char *)NULL);
    }
    _exit(127);
  }
  if (pid < 0 || waitpid(pid, &status, 0) != pid) {
    return err_set(err, ErrMachine, "cannot start gnuplot: %s", strerror(errno));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    return err_set(err, ErrMachine,
                   "gnuplot is missing; install it with: apt-get install gnuplot-nox");
  }
  return status == 0 || err_set(err, ErrCheck, "%s/%s: gnuplot fails", folder, script);
}

static bool draw(const sweep_t *s, const sweep_plot_t *plot, const char *folder, const char *script,
                 err_t *err) {
  char *path = text_make("%s/%s", folder, script);
  FILE *f = path ? fopen(path, "w") : NULL;
  if (f) {
    put_script(s, plot, f);
  }
  bool ok = f && !ferror(f);
  ok = (!f || fclose(f) == 0) && ok;
  if (!ok) {
    err_set(err, ErrCheck, "%s: %s", path ? path : folder, strerror(errno));
  }
  free(path);
  return ok && gnuplot(folder, script, err);
}

bool sweep_draw(const sweep_t *s, const char *folder, err_t *err) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < s->plot_count; i++) {
    char *script = text_make("%s.gp", s->plots[i].name);
    ok = script || err_memory(err, folder);
    ok = ok && (!has_value(s, &s->plots[i]) || draw(s, &s->plots[i], folder, script, err));
    free(script);
  }
  return ok;
}
