// SPDX-License-Identifier: Apache-2.0
// Configuration: defaults, files, --set, refusals, hash and reference.
// The files that are refused, with the words, are in tests/bad/config.cases.
#include <math.h>
#include <unistd.h>

#include "../../csim/base/config.h"
#include "tests/programs/test.h"

#define CASES "tests/bad/config.cases"

typedef struct {
  uint8_t gpus;
  uint32_t latency;
  uint64_t seed;
  uint8_t scheme, engine;
  bool anisotropic;
  double angle;
  char note[16];
  uint32_t wires, trcd, trp, cas, trrd, twr, twtr;
} machine_t;

static const char *const Schemes[] = {"single", "duplication", "chopin", NULL};
static const char *const Engines[] = {"golden", "rtl", "lockstep", NULL};
static const config_word_t AngleWords[] = {{"none", INFINITY}, {"always", -1}, {NULL, 0}};

static const config_key_t Top[] = {
    CONFIG_UINT(machine_t, gpus, "gpus", 8, 1, 64, "", "Table II", "number of GPUs"),
    CONFIG_ENUM(machine_t, scheme, "scheme", "chopin", Schemes, "chosen", "a | b"),
    {.name = "engine",
     .kind = ConfigEnum,
     CONFIG_FIELD(machine_t, engine),
     .initial = "lockstep",
     .names = Engines,
     .unhashed = true},
    CONFIG_UINT(machine_t, seed, "seed", 1, 0, UINT64_MAX, "", "chosen", "of everything random"),
    CONFIG_STRING(machine_t, note, "note", "", "chosen", "free text"),
    CONFIG_CONSTANT(machine_t, wires, "wires", 4, "wires", "chosen", "of a link"),
    CONFIG_GONE("threads", "lanes: 32 with each SM"),
};
#define TIMING(field, low, what) CONFIG_ENTRY(machine_t, field, #field, low, 1000, "cycles", what)
static const config_key_t Entries[] = {
    TIMING(trcd, 1, "activate to column command"),
    TIMING(trp, 1, "precharge"),
    TIMING(cas, 1, ""),
    TIMING(trrd, 0, ""),
    TIMING(twr, 0, ""),
    TIMING(twtr, 0, ""),
};
// A key of the machine itself, so that there are bundled sets.
static const config_set_t Timing = {.key = "gpu.timing",
                                    .prefix = "dram",
                                    .initial = "attila",
                                    .source = "a simulator",
                                    .meaning = "of the DRAM",
                                    .entries = Entries,
                                    .count = sizeof Entries / sizeof *Entries};
static const config_key_t Link[] = {
    CONFIG_UINT(machine_t, latency, "latency", 200, 0, 100000, "cycles", "Table II", "one way"),
};
static const config_key_t Texture[] = {
    CONFIG_BOOL(machine_t, anisotropic, "anisotropic", "true", "chosen", "filter"),
    {.name = "angle_threshold",
     .kind = ConfigDouble,
     CONFIG_FIELD(machine_t, angle),
     .initial = "1.8",
     .low = 0,
     .high = 90,
     .words = AngleWords,
     .unit = "degrees"},
};

static config_t *create(machine_t *m) {
  err_auto_t err = {0};
  config_t *config = config_create();
  assert_non_null(config);
  assert_true(config_add(config, "", Top, sizeof Top / sizeof *Top, m, &err));
  assert_true(config_add(config, "link", Link, 1, m, &err));
  assert_true(config_add(config, "texture", Texture, 2, m, &err));
  if (!config_add_set(config, &Timing, m, &err)) {
    fail_msg("%s", err_text(&err));
  }
  return config;
}

TEST(defaults) {
  machine_t m;
  memset(&m, 0xa5, sizeof m);
  config_t *config = create(&m);
  assert_int_equal(m.gpus, 8);
  assert_int_equal(m.latency, 200);
  assert_int_equal(m.scheme, 2);
  assert_true(m.anisotropic);
  assert_true(m.angle == 1.8);
  assert_string_equal(m.note, "");
  assert_string_equal(config_origin(config, "gpus"), "default");
  config_destroy(config);
}

TEST(set) {
  machine_t m;
  err_auto_t err = {0};
  config_t *config = create(&m);
  assert_true(config_set(config, "gpus=64", &err));
  assert_true(config_set(config, "link.latency=0x10", &err));
  assert_true(config_set(config, "seed=18446744073709551615", &err));
  assert_true(config_set(config, "scheme=single", &err));
  assert_true(config_set(config, "texture.anisotropic=false", &err));
  assert_true(config_set(config, "texture.angle_threshold=0.9", &err));
  assert_true(config_set(config, "note=a = b", &err));
  assert_int_equal(m.gpus, 64);
  assert_int_equal(m.latency, 16);
  assert_true(m.seed == UINT64_MAX);
  assert_int_equal(m.scheme, 0);
  assert_false(m.anisotropic);
  assert_true(m.angle == 0.9);
  assert_string_equal(m.note, "a = b");
  assert_true(config_set(config, "texture.angle_threshold=none", &err));
  assert_true(isinf(m.angle));
  config_value_t value;
  assert_true(config_get(config, "texture.angle_threshold", &value));
  assert_string_equal(value.text, "none");
  assert_string_equal(value.initial, "1.8");
  assert_string_equal(value.origin, "--set");
  assert_false(config_get(config, "nothing", &value));
  config_destroy(config);
}

static const char Mine[] =
    "source: a test\ntrcd: 21\ntrp: 22\ncas: 23\ntrrd: 24\ntwr: 25\ntwtr: 26\n";

// Sets by name and by path, from --set and from a file; what they say is in the struct, in what
// is visited, and in the hash.
TEST(sets) {
  machine_t m;
  err_auto_t err = {0};
  char before[65], after[65], assignment[80], origin[80];
  char path[] = "/tmp/nocturne_set_XXXXXX.yaml", machine[] = "/tmp/nocturne_machine_XXXXXX";
  int fd = mkstemps(path, 5);
  assert_int_equal(write(fd, Mine, strlen(Mine)), strlen(Mine));
  close(fd);
  config_t *config = create(&m);
  config_value_t value;
  assert_int_equal(m.wires, 4);
  assert_int_equal(m.trcd, 13);
  assert_true(config_get(config, "dram.trcd", &value));
  assert_string_equal(value.origin, "default");
  assert_false(config_get(config, "wires", &value));
  config_sha256(config, before);
  snprintf(assignment, sizeof assignment, "gpu.timing=%s", path);
  assert_true(config_set(config, assignment, &err));
  assert_int_equal(m.trcd, 21);
  assert_int_equal(m.twtr, 26);
  config_sha256(config, after);
  assert_string_not_equal(before, after);
  assert_true(config_get(config, "gpu.timing", &value));
  assert_string_equal(value.text, path);
  assert_true(config_get(config, "dram.trcd", &value));
  assert_string_equal(value.text, "21");
  assert_string_equal(value.origin, "--set");
  assert_true(config_set(config, "gpu.timing=attila", &err));
  assert_int_equal(m.trcd, 13);
  config_sha256(config, after);
  assert_string_equal(before, after);
  fd = mkstemp(machine);
  FILE *file = fdopen(fd, "w");
  fprintf(file, "gpus: 4\ngpu:\n  timing: %s\n", path);
  fclose(file);
  assert_true(config_load_file(config, machine, &err));
  assert_int_equal(m.cas, 23);
  snprintf(origin, sizeof origin, "%s:3:11", machine);
  assert_string_equal(config_origin(config, "dram.cas"), origin);
  config_destroy(config);
  unlink(path);
  unlink(machine);
}

TEST(set_refused) {
  static const struct {
    const char *assignment, *line;
  } cases[] = {
      {"gpus", "--set gpus: no '=', expected KEY=VALUE"},
      {"=8", "--set =8: no key, expected KEY=VALUE"},
      {"gpus=", "--set gpus=: gpus is '', expected a whole number, 1 to 64"},
      {"gpus=+8", "--set gpus=+8: gpus is '+8', expected a whole number, 1 to 64"},
      {"gpus=0", "--set gpus=0: gpus is 0, out of range, expected 1 to 64"},
      {"gqus=8", "--set gqus=8: unknown key 'gqus', expected perhaps gpus"},
      {"wires=8",
       "--set wires=8: wires is a constant (4 wires: chosen), expected one of the keys "
       "that `nocturne config --markdown` lists"},
      {"threads=8", "--set threads=8: threads is no key any more, expected lanes: 32 with each SM"},
      {"dram.trp=8",
       "--set dram.trp=8: dram.trp is an entry of a set, expected gpu.timing with the "
       "name of a set or a file.yaml"},
      {"gpu.timing=",
       "--set gpu.timing=: gpu.timing is '', expected a set of "
       "vectors/sets/gpu.timing or a file.yaml"},
      {"gpu.timing=.yaml",
       "--set gpu.timing=.yaml: gpu.timing is '.yaml', and "
       "vectors/sets/gpu.timing/.yaml.yaml cannot be read: No such file or "
       "directory, expected a set of vectors/sets/gpu.timing or a file.yaml"},
      {"link=8", "--set link=8: link is a section, expected one of its keys"},
      {"link.latency=0x",
       "--set link.latency=0x: link.latency is '0x', expected a whole number, "
       "0 to 100000 cycles"},
      {"texture.angle_threshold=nan",
       "--set texture.angle_threshold=nan: texture.angle_threshold "
       "is 'nan', expected a number, 0 to 90, none or always degrees"},
      {"texture.angle_threshold=1e999",
       "--set texture.angle_threshold=1e999: texture.angle_threshold "
       "is 1e999, out of range, expected 0 to 90, none or always "
       "degrees"},
      {"note=a\nb", "--set note=a?b: note is a?b, out of range, expected up to 15 characters"},
  };
  machine_t m;
  config_t *config = create(&m);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    err_auto_t err = {0};
    assert_false(config_set(config, cases[i].assignment, &err));
    assert_string_equal(err_text(&err), cases[i].line);
  }
  assert_int_equal(m.gpus, 8);
  config_destroy(config);
}

TEST(file_taken) {
  char path[] = "/tmp/nocturne_config_XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  static const char text[] = "# a comment\n%s";
  static const char body[] =
      "scheme: duplication\n"
      "link:\n"
      "  latency: 7\n"
      "texture: {anisotropic: false, angle_threshold: always}\n"
      "note: 'x: y'\n";
  FILE *file = fdopen(fd, "w");
  fprintf(file, text, body);
  fclose(file);
  machine_t m;
  err_auto_t err = {0};
  char origin[80];
  config_t *config = create(&m);
  assert_true(config_load_file(config, path, &err));
  assert_int_equal(m.scheme, 1);
  assert_int_equal(m.latency, 7);
  assert_false(m.anisotropic);
  assert_true(m.angle == -1);
  assert_string_equal(m.note, "x: y");
  snprintf(origin, sizeof origin, "%s:4:12", path);
  assert_string_equal(config_origin(config, "link.latency"), origin);
  // Later values override earlier ones.
  assert_true(config_set(config, "link.latency=8", &err));
  assert_int_equal(m.latency, 8);
  config_destroy(config);
  unlink(path);
}

// Writes a case's lines to a file of that path, its escapes as bytes.
static void write_lines(const char *path, const char *lines) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  for (const char *c = lines; *c; c++) {
    unsigned byte = (unsigned char)*c;
    if (c[0] == '\\' && c[1] == 'x') {
      assert_int_equal(sscanf(c + 2, "%2x", &byte), 1);
      c += 3;
    }
    fputc((int)byte, file);
  }
  assert_int_equal(fclose(file), 0);
}

// line: NAME LINE:COLUMN: WORDS.
static void refuses(const char *line, const char *lines) {
  char path[] = "/tmp/nocturne_case_XXXXXX.yaml", assignment[64], expected[512];
  err_auto_t err = {0};
  int fd = mkstemps(path, 5);
  assert_true(fd >= 0);
  close(fd);
  write_lines(path, lines);
  snprintf(assignment, sizeof assignment, "gpu.timing=%s", path);
  snprintf(expected, sizeof expected, "%s:%s", path, strchr(line, ' ') + 1);
  machine_t m;
  config_t *config = create(&m);
  bool taken = strncmp(line, "set_", 4) == 0 ? config_set(config, assignment, &err)
                                             : config_load_file(config, path, &err);
  config_destroy(config);
  unlink(path);
  if (taken || strcmp(err_text(&err), expected) != 0) {
    fail_msg("%s\nis %s", line, taken ? "taken" : err_text(&err));
  }
}

TEST(files_refused) {
  FILE *file = fopen(CASES, "r");
  assert_non_null(file);
  unsigned count = 0;
  char title[512] = "", lines[1024] = "", line[512];
  for (bool more = true; more;) {
    more = fgets(line, sizeof line, file) != NULL;
    if (more && strncmp(line, "| ", 2) == 0) {
      strncat(lines, line + 2, sizeof lines - strlen(lines) - 1);
    } else if (!more || (*line != '#' && *line != '\n')) {
      if (*title) {
        refuses(title, lines);
        count++;
      }
      line[strcspn(line, "\n")] = 0;
      snprintf(title, sizeof title, "%s", line);
      lines[0] = 0;
    }
  }
  fclose(file);
  assert_true(count >= 50);

  machine_t m;
  err_auto_t err = {0};
  config_t *config = create(&m);
  assert_false(config_load_file(config, "tests/bad/nowhere.yaml", &err));
  assert_string_equal(err_text(&err),
                      "tests/bad/nowhere.yaml: cannot be read: No such file or directory, "
                      "expected a YAML file");
  assert_false(config_load_file(config, "tests", &err));
  assert_string_equal(err_text(&err),
                      "tests: cannot be read: Is a directory, expected a YAML file");
  config_destroy(config);
}

TEST(tables_refused) {
  machine_t m;
  err_auto_t err = {0};
  config_t *config = create(&m);
  assert_false(config_add(config, "link", Link, 1, &m, &err));
  assert_string_equal(err_text(&err), "configuration table: latency: name too long or given twice");
  config_key_t key = CONFIG_UINT(machine_t, gpus, "wide", 8, 1, 256, "", "", "");
  assert_false(config_add(config, "", &key, 1, &m, &err));
  key = (config_key_t)CONFIG_UINT(machine_t, gpus, "low", 8, 9, 10, "", "", "");
  assert_false(config_add(config, "", &key, 1, &m, &err));
  // Without an initial text the struct's value is the default, if it is in range.
  m.gpus = 3;
  key = (config_key_t){
      .name = "own", .kind = ConfigUint, CONFIG_FIELD(machine_t, gpus), .min = 1, .max = 4};
  assert_true(config_add(config, "", &key, 1, &m, &err));
  assert_int_equal(m.gpus, 3);
  m.gpus = 5;
  key.name = "other";
  assert_false(config_add(config, "", &key, 1, &m, &err));
  config_destroy(config);
}

static void collect(void *self, const config_value_t *value) {
  char *all = self;
  snprintf(all + strlen(all), 1024 - strlen(all), "%s=%s\n", value->name, value->text);
}

TEST(hash) {
  machine_t m;
  err_auto_t err = {0};
  char all[1024] = "", one[65], other[65];
  config_t *config = create(&m);
  config_visit(config, collect, all);
  assert_string_equal(all,
                      "dram.cas=10\ndram.trcd=13\ndram.trp=14\ndram.trrd=9\ndram.twr=10\n"
                      "dram.twtr=5\nengine=lockstep\ngpu.timing=attila\ngpus=8\n"
                      "link.latency=200\nnote=\nscheme=chopin\n"
                      "seed=1\ntexture.angle_threshold=1.8\ntexture.anisotropic=true\n");
  config_sha256(config, one);
  // All lines but those of unhashed keys.
  static const char *const Unhashed[] = {"engine=", "gpu.timing="};
  for (size_t i = 0; i < sizeof Unhashed / sizeof *Unhashed; i++) {
    char *line = strstr(all, Unhashed[i]);
    memmove(line, strchr(line, '\n') + 1, strlen(strchr(line, '\n')));
  }
  base_sha256_hex(all, strlen(all), other);
  assert_string_equal(one, other);
  assert_true(config_set(config, "engine=rtl", &err));
  config_sha256(config, other);
  assert_string_equal(one, other);
  assert_true(config_set(config, "gpus=4", &err));
  config_sha256(config, other);
  assert_string_not_equal(one, other);
  base_sha256_hex("abc", 3, one);
  assert_string_equal(one, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  config_destroy(config);
}

TEST(document) {
  machine_t m;
  config_t *config = create(&m);
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  err_auto_t err = {0};
  if (!config_document(config, false, file, &err) || !config_document(config, true, file, &err)) {
    fail_msg("%s", err_text(&err));
  }
  fclose(file);
  assert_non_null(strstr(text,
                         "\n## Keys\n| key | default | range | unit | meaning | source | group |\n"
                         "|---|---|---|---|---|---|---|\n"));
  assert_non_null(strstr(
      text, "\n| `link.latency` | `200` | 0 to 100000 | cycles | one way | Table II | core |\n"));
  assert_non_null(strstr(text, "a \\| b"));
  assert_non_null(strstr(text, "single, duplication or chopin"));
  assert_non_null(strstr(text,
                         "| `gpu.timing` | `attila` | a set of vectors/sets/gpu.timing or a "
                         "file.yaml |  | of the DRAM | a simulator |"));
  assert_non_null(strstr(text, "\n| `gpu.timing` | of the DRAM | `attila`: the CHOPIN authors' "));
  assert_non_null(strstr(text, "\ngpu.timing: attila,trp,14,1 to 1000,cycles,\"precharge\",\n"));
  assert_non_null(strstr(text, "\nconstant,wires,4,,wires,\"of a link\",\"chosen\"\n"));
  assert_null(strstr(text, "threads"));
  free(text);
  config_destroy(config);
}

int main(void) { return run_all_tests(NULL, NULL); }
