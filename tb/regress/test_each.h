// SPDX-License-Identifier: Apache-2.0
// Expands a test that stands for several: `each: units` or `each: FOLDER/*.json`, and the included
// files of a pattern.
#ifndef NOCTURNE_REGRESS_TEST_EACH_H
#define NOCTURNE_REGRESS_TEST_EACH_H

// Returns what a test stands for: the names of all units for "units", else the names of the files
// that match a pattern, without folder and suffix. They end with a NULL; the caller frees each and
// the whole. NULL if there is none or memory runs out.
char **test_each_names(const char *each);

// Returns the paths that match a pattern, sorted; a path without * is itself. As above.
char **test_each_paths(const char *pattern);

// Returns the word with the name in place of each {}; the caller frees it. NULL: out of memory.
char *test_each_word(const char *word, const char *name);

void test_each_free(char **words);

#endif
