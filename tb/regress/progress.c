// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "terminal.h"

enum { BarWidth = 28 };

bool progress_is_due(const progress_t *p) {
  return job_now() - p->shown >= (p->on_terminal ? 0.1 : 10.0);
}

void progress_show(progress_t *p, uint32_t running, double left) {
  size_t done = p->passed + p->failed, total = p->total;
  char time[32], words[64] = "";
  text_t waits = {0};
  p->shown = job_now();
  if (left >= 0) snprintf(words, sizeof words, ", about %s left", terminal_time(left, time));
  if (p->waiting) {
    // On a terminal the line has one row.
    text_set(&waits, p->on_terminal && p->words ? ", %u waiting (%.40s)" : ", %u waiting (%s)",
             p->waiting, p->words ? p->words : "no word of the launcher");
  }
  if (p->on_terminal) {
    int filled = total ? (int)(BarWidth * done / total) : BarWidth;
    fprintf(stderr, "\r[%.*s%*s] %zu/%zu  %zu passed  %s%zu failed%s  %u running%s%s \033[K",
            filled, "############################", BarWidth - filled, "", done, total, p->passed,
            terminal_color(stderr, p->failed ? ColorBad : ColorNone), p->failed,
            terminal_color(stderr, ColorNone), running, text_string(&waits), words);
  } else {
    printf("%zu of %zu tests, %zu passed, %zu failed, %u running%s", done, total, p->passed,
           p->failed, running, text_string(&waits));
    if (p->longest) printf(" (%s for %s)", p->longest, terminal_time(p->longest_seconds, time));
    printf("%s\n", words);
    fflush(stdout);
  }
  text_free(&waits);
}

void progress_end(const progress_t *p) {
  if (p->on_terminal) fprintf(stderr, "\r\033[K");
}

void progress_say(const test_t *t, const job_result_t *result, bool show_command) {
  const char *clear = isatty(2) ? "\r\033[K" : "";
  text_t command = {0};
  if (result->verdict == JobPassed && !t->counts) return;
  if (result->verdict == JobPassed) {
    fprintf(stderr, "%s%spass%s %s (%u, %.0f s, %.1f s of CPU)\n", clear,
            terminal_color(stderr, ColorGood), terminal_color(stderr, ColorNone), t->id,
            result->good, result->seconds, result->cpu);
    return;
  }
  fprintf(stderr, "%s%sFAIL%s %s", clear, terminal_color(stderr, ColorBad),
          terminal_color(stderr, ColorNone), t->id);
  if (t->counts) {
    fprintf(stderr, " (%u of %u, %.0f s)", result->bad, result->good + result->bad,
            result->seconds);
  }
  fprintf(stderr, ": %s", result->what);
  if (show_command) {
    job_command(t, &command);
    fprintf(stderr, "; again: %s", text_string(&command));
  }
  fputc('\n', stderr);
  text_free(&command);
}
