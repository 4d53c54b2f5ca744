// SPDX-License-Identifier: Apache-2.0
#include "test_list.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool test_add_word(char ***words, const char *format, ...) {
  size_t count = 0;
  while (*words && (*words)[count]) count++;
  // Room for 2^n - 1 words and the NULL.
  if ((count & (count + 1)) == 0) {
    char **more = realloc(*words, 2 * (count + 1) * sizeof *more);
    if (!more) return false;
    *words = more;
  }
  text_t text = {0};
  va_list arguments;
  va_start(arguments, format);
  text_vformat(&text, format, arguments);
  va_end(arguments);
  (*words)[count] = text_take(&text);
  (*words)[count + 1] = NULL;
  return (*words)[count] != NULL;
}

bool test_has_tag(const test_t *test, const char *tag) {
  size_t length = strlen(tag);
  for (const char *at = test->tags + 1; length > 0 && (at = strstr(at, tag)); at++) {
    if (at[-1] == ' ' && at[length] == ' ') return true;
  }
  return false;
}

static void free_words(char **words) {
  for (char **w = words; w && *w; w++) free(*w);
  free(words);
}

void test_clear(test_t *t) {
  free(t->id);
  free(t->name);
  free(t->tags);
  free(t->unit);
  free(t->rtl);
  free(t->inputs);
  free_words(t->needs);
  free_words(t->environment);
  free_words(t->arguments);
}

void test_list_free(test_list_t *list) {
  for (size_t i = 0; i < list->count; i++) {
    test_clear(&list->tests[i]);
  }
  free(list->tests);
  *list = (test_list_t){0};
}

typedef struct {
  const char *pattern, *tag;
} filter_t;

static bool matches(const filter_t *f, const test_t *t) {
  return (!f->pattern || fnmatch(f->pattern, t->id, 0) == 0 ||
          fnmatch(f->pattern, t->name, 0) == 0) &&
         (!f->tag || test_has_tag(t, f->tag));
}

void test_list_filter(test_list_t *list, const char *pattern, const char *tag) {
  const filter_t filter = {pattern, tag};
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (matches(&filter, &list->tests[i])) {
      list->tests[kept++] = list->tests[i];
    } else {
      test_clear(&list->tests[i]);
    }
  }
  list->count = kept;
}

void test_list_keep(test_list_t *list, bool (*is_wanted)(void *context, const char *id),
                    void *context) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (is_wanted(context, list->tests[i].id)) {
      list->tests[kept++] = list->tests[i];
    } else {
      test_clear(&list->tests[i]);
    }
  }
  list->count = kept;
}
