// SPDX-License-Identifier: Apache-2.0
// Runs the targets of fuzz.h. Built with clang and libFuzzer (make fuzz PARSER=) it looks for
// inputs; built without (under gcc's sanitizers) it only runs those that it is given.
//
//   fuzz_parsers --targets                            their names
//   fuzz_parsers TARGET FILE|FOLDER...                runs each input; `ok TARGET: N inputs`
//   fuzz_parsers TARGET --convert FILE OUT            a file in the form that the target takes
//   fuzz_parsers TARGET --fuzz [libFuzzer's options] [FOLDER...]
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "csim/base/text.h"
#include "fuzz.h"
#include "tests/programs/mutate.h"

enum { Room = 1 << 20 };

// libFuzzer's, where it is linked.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size))
    __attribute__((weak));
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

char fuzz_folder[64];
static const fuzz_target_t *target;

static void remove_folder(void) {
  static const char *const Names[] = {"input.yaml",   "journal.jsonl", "journal-before.jsonl",
                                      "input.nframe", "input.vec",     "input.json"};
  char path[128];
  for (size_t i = 0; i < sizeof Names / sizeof *Names; i++) {
    snprintf(path, sizeof path, "%s/%s", fuzz_folder, Names[i]);
    unlink(path);
  }
  rmdir(fuzz_folder);
}

const char *fuzz_store(const char *name, const uint8_t *data, size_t size) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", fuzz_folder, name);
  int file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0 || write(file, data, size) != (ssize_t)size || close(file) != 0) {
    fuzz_wrong("%s: cannot be written", path);
  }
  return path;
}

void fuzz_wrong(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fprintf(stderr, "WRONG: %s: ", target->name);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  va_end(list);
  abort();
}

void fuzz_refused(const char *error) {
  if (!error[0] || strchr(error, '\n')) {
    fuzz_wrong("a refusal of another form: '%s'", error);
  }
}

static int run(const uint8_t *data, size_t size) {
  target->run(data, size);
  return 0;
}

// Text is changed by words and lines, too.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
  rng_t rng;
  rng_seed(&rng, seed * 0x9e3779b97f4a7c15u);
  if (!target->is_text || size == 0 || rng_chance(&rng, 500)) {
    return LLVMFuzzerMutate(data, size, room);
  }
  mutate_t m = {data, size, room};
  for (uint32_t k = 1 + rng_below(&rng, 3); k > 0; k--) {
    mutate_text(&rng, &m, NULL, 0);
  }
  return m.size;
}

static const fuzz_target_t *const Targets[] = {FuzzFrames, FuzzTexts, FuzzLists};

// NULL: prints all.
static const fuzz_target_t *find(const char *name) {
  for (size_t i = 0; i < sizeof Targets / sizeof *Targets; i++) {
    for (const fuzz_target_t *t = Targets[i]; t->name; t++) {
      if (!name) {
        printf("%-10s %s\n", t->name, t->meaning);
      } else if (strcmp(t->name, name) == 0) {
        return t;
      }
    }
  }
  return NULL;
}

// -1: it cannot be read.
static ssize_t load(const char *path, uint8_t *data) {
  FILE *file = fopen(path, "rb");
  size_t size = file ? fread(data, 1, Room, file) : 0;
  bool good = file && !ferror(file);
  if (file) {
    fclose(file);
  }
  return good ? (ssize_t)size : -1;
}

// Runs the inputs of a file or folder; false: there is none.
static bool replay(const char *path, uint64_t *count) {
  static uint8_t data[Room];
  DIR *folder = opendir(path);
  bool good = true;
  if (!folder) {
    ssize_t size = load(path, data);
    uint8_t *exact = size < 0 ? NULL : malloc((size_t)size + !size);  // a read beyond is seen
    if (!exact) {
      return false;
    }
    memcpy(exact, data, (size_t)size);
    fprintf(stderr, "%s\n", path);  // the last one is the culprit
    target->run(exact, (size_t)size);
    free(exact);
    ++*count;
    return true;
  }
  for (struct dirent *d = readdir(folder); good && d; d = readdir(folder)) {
    char *inner = text_make("%s/%s", path, d->d_name);
    good = inner && (d->d_name[0] == '.' || replay(inner, count));
    free(inner);
  }
  closedir(folder);
  return good;
}

static int convert(const char *from, const char *path) {
  static uint8_t data[Room], made[Room];
  ssize_t size = load(from, data);
  const uint8_t *put = data;
  if (size >= 0 && target->convert) {
    size_t got = target->convert(data, (size_t)size, made, Room);
    size = got ? (ssize_t)got : -1;
    put = made;
  }
  FILE *to = size < 0 ? NULL : fopen(path, "wb");
  bool good = to && fwrite(put, 1, (size_t)size, to) == (size_t)size;
  good = to && fclose(to) == 0 && good;
  if (!good) {
    fprintf(stderr, "fuzz_parsers: %s: cannot be taken for %s\n", from, target->name);
  }
  return good ? 0 : 2;
}

static int usage(void) {
  fprintf(stderr,
          "fuzz_parsers: expected --targets, TARGET FILE..., TARGET --convert FILE OUT, or "
          "TARGET --fuzz OPTION...\n");
  return 2;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--targets") == 0) {
    find(NULL);
    return 0;
  }
  target = argc > 2 ? find(argv[1]) : NULL;
  if (!target) {
    return usage();
  }
  // Each run writes a file: in memory, where there is a place for it.
  snprintf(fuzz_folder, sizeof fuzz_folder, "%s/nocturne_fuzz.XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (!mkdtemp(fuzz_folder)) {
    perror(fuzz_folder);
    return 3;
  }
  atexit(remove_folder);
  if (strcmp(argv[2], "--convert") == 0) {
    return argc == 5 ? convert(argv[3], argv[4]) : usage();
  }
  if (strcmp(argv[2], "--fuzz") == 0) {
    if (!LLVMFuzzerRunDriver) {
      fprintf(stderr, "fuzz_parsers: built without libFuzzer: make fuzz PARSER=%s\n", argv[1]);
      return 3;
    }
    argv[2] = argv[0];
    argc -= 2;
    argv += 2;
    return LLVMFuzzerRunDriver(&argc, &argv, run);
  }
  uint64_t count = 0;
  for (int i = 2; i < argc; i++) {
    if (!replay(argv[i], &count)) {
      fprintf(stderr, "fuzz_parsers: %s: cannot be read\n", argv[i]);
      return 2;
    }
  }
  printf("ok %s: %llu inputs\n", target->name, (unsigned long long)count);
  return 0;
}
