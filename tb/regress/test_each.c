// SPDX-License-Identifier: Apache-2.0
#include "test_each.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "csim/base/text.h"
#include "tb/harness/units.h"
#include "test_list.h"

void test_each_free(char **words) {
  for (char **w = words; w && *w; w++) free(*w);
  free(words);
}

static char **names_of_units(void) {
  char **names = NULL;
  for (uint32_t i = 0; unit_at(i); i++) {
    if (!test_add_word(&names, "%s", unit_at(i)->info->name)) {
      test_each_free(names);
      return NULL;
    }
  }
  return names;
}

char **test_each_paths(const char *pattern) {
  char **paths = NULL;
  glob_t found = {0};
  bool ok = true;
  if (!strchr(pattern, '*')) {
    return test_add_word(&paths, "%s", pattern) ? paths : NULL;
  }
  if (glob(pattern, 0, NULL, &found) != 0) {
    return NULL;
  }
  for (size_t i = 0; i < found.gl_pathc && ok; i++) {
    ok = test_add_word(&paths, "%s", found.gl_pathv[i]);
  }
  globfree(&found);
  if (!ok) {
    test_each_free(paths);
  }
  return ok ? paths : NULL;
}

char **test_each_names(const char *each) {
  if (strcmp(each, "units") == 0) {
    return names_of_units();
  }
  char **names = test_each_paths(each);
  for (char **n = names; n && *n; n++) {
    const char *slash = strrchr(*n, '/'), *base = slash ? slash + 1 : *n;
    const size_t length = strcspn(base, ".");
    memmove(*n, base, length);
    (*n)[length] = '\0';
  }
  return names;
}

char *test_each_word(const char *word, const char *name) {
  text_t text = {0};
  for (const char *at; (at = strstr(word, "{}")); word = at + 2) {
    text_bytes(&text, word, (size_t)(at - word));
    text_put(&text, name);
  }
  text_put(&text, word);
  return text_take(&text);
}
