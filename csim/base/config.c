#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "spelling.h"

enum {
  TextSize = 256,    // of a value
  NameSize = 128,    // of a key
  OriginSize = 192,
  ShownSize = 60,    // of foreign text in a message
};

typedef struct {
  config_key_t key;
  char name[NameSize];
  char initial[TextSize];
  char origin[OriginSize];
  void *field;
} entry_t;

struct config {
  entry_t **entries;  // by name
  size_t count, room;
};

// --- values as text

static uint64_t load_uint(const void *field, size_t size) {
  switch (size) {
    case 1: return *(const uint8_t *)field;
    case 2: return *(const uint16_t *)field;
    case 4: return *(const uint32_t *)field;
    default: return *(const uint64_t *)field;
  }
}

static void store_uint(void *field, size_t size, uint64_t value) {
  switch (size) {
    case 1: *(uint8_t *)field = (uint8_t)value; break;
    case 2: *(uint16_t *)field = (uint16_t)value; break;
    case 4: *(uint32_t *)field = (uint32_t)value; break;
    default: *(uint64_t *)field = value; break;
  }
}

// The shortest text that reads back as the same number.
static void double_text(const config_key_t *key, double value, char text[TextSize]) {
  for (const config_word_t *w = key->words; w && w->name; w++) {
    if (w->value == value) {
      snprintf(text, TextSize, "%s", w->name);
      return;
    }
  }
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(text, TextSize, "%.*g", digits, value);
    if (strtod(text, NULL) == value) {
      return;
    }
  }
}

static size_t name_count(const config_key_t *key) {
  size_t count = 0;
  while (key->names[count]) {
    count++;
  }
  return count;
}

static void value_text(const entry_t *e, char text[TextSize]) {
  const config_key_t *key = &e->key;
  switch (key->kind) {
    case ConfigUint:
      snprintf(text, TextSize, "%llu", (unsigned long long)load_uint(e->field, key->size));
      break;
    case ConfigBool:
      snprintf(text, TextSize, "%s", *(const bool *)e->field ? "true" : "false");
      break;
    case ConfigEnum: {
      uint64_t value = load_uint(e->field, key->size);
      snprintf(text, TextSize, "%s", value < name_count(key) ? key->names[value] : "?");
      break;
    }
    case ConfigDouble: double_text(key, *(const double *)e->field, text); break;
    case ConfigString: snprintf(text, TextSize, "%s", (const char *)e->field); break;
  }
}

// Appends to a text of limited room; what does not fit is cut.
static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...) {
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + used, size - used, format, args);
  va_end(args);
}

static void describe_range(const config_key_t *key, char text[TextSize]) {
  text[0] = 0;
  switch (key->kind) {
    case ConfigUint:
      append(text, TextSize, "%llu to %llu", (unsigned long long)key->min,
             (unsigned long long)key->max);
      break;
    case ConfigBool: append(text, TextSize, "true or false"); break;
    case ConfigEnum:
      for (size_t i = 0; key->names[i]; i++) {
        append(text, TextSize, "%s%s", i == 0 ? "" : key->names[i + 1] ? ", " : " or ",
               key->names[i]);
      }
      break;
    case ConfigDouble:
      append(text, TextSize, "%g to %g", key->low, key->high);
      for (const config_word_t *w = key->words; w && w->name; w++) {
        append(text, TextSize, "%s%s", w[1].name ? ", " : " or ", w->name);
      }
      break;
    case ConfigString: append(text, TextSize, "up to %zu characters", key->size - 1); break;
  }
}

// Foreign text as it may stand in a one-line message.
static const char *shown(const char *text, char out[ShownSize]) {
  size_t i = 0;
  for (; text[i] && i < ShownSize - 4; i++) {
    unsigned char c = (unsigned char)text[i];
    out[i] = c < ' ' || c == 127 ? '?' : text[i];
  }
  snprintf(out + i, ShownSize - i, "%s", text[i] ? "..." : "");
  return out;
}

static bool parse_uint(const char *text, uint64_t *value, bool *overflow) {
  *overflow = false;
  int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
  const char *digits = base == 16 ? text + 2 : text;
  // strtoull would take signs and spaces.
  if (!*digits || strspn(digits, base == 16 ? "0123456789abcdefABCDEF" : "0123456789") !=
                      strlen(digits)) {
    return false;
  }
  errno = 0;
  *value = strtoull(digits, NULL, base);
  *overflow = errno == ERANGE;
  return true;
}

static bool parse_double(const config_key_t *key, const char *text, double *value, bool *inside) {
  for (const config_word_t *w = key->words; w && w->name; w++) {
    if (strcmp(text, w->name) == 0) {
      *value = w->value;
      *inside = true;
      return true;
    }
  }
  char *end;
  if (!*text || strspn(text, "0123456789+-.eE") != strlen(text)) {
    return false;
  }
  *value = strtod(text, &end);
  *inside = isfinite(*value) && *value >= key->low && *value <= key->high;
  return *end == 0;
}

// Stores a value, or says in `what` why not.
static bool parse_value(entry_t *e, const char *text, bool quoted, char *what, size_t size) {
  const config_key_t *key = &e->key;
  char range[TextSize], quote[ShownSize];
  const char *type = "";
  bool known = false, inside = false;
  describe_range(key, range);
  shown(text, quote);
  switch (key->kind) {
    case ConfigUint: {
      type = "a whole number, ";
      uint64_t value = 0;
      bool overflow;
      known = !quoted && parse_uint(text, &value, &overflow);
      inside = known && !overflow && value >= key->min && value <= key->max;
      if (inside) {
        store_uint(e->field, key->size, value);
      }
      break;
    }
    case ConfigBool:
      known = inside = !quoted && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0);
      if (known) {
        *(bool *)e->field = text[0] == 't';
      }
      break;
    case ConfigEnum:
      type = "one of ";
      for (size_t i = 0; key->names[i]; i++) {
        if (strcmp(text, key->names[i]) == 0) {
          store_uint(e->field, key->size, i);
          known = inside = true;
        }
      }
      break;
    case ConfigDouble: {
      type = "a number, ";
      double value = 0;
      known = !quoted && parse_double(key, text, &value, &inside);
      if (known && inside) {
        *(double *)e->field = value;
      }
      break;
    }
    case ConfigString:
      known = true;
      inside = strlen(text) < key->size && strlen(text) < TextSize && !strpbrk(text, "\r\n");
      if (inside) {
        snprintf(e->field, key->size, "%s", text);
      }
      break;
  }
  if (known && inside) {
    return true;
  }
  what[0] = 0;
  if (known) {
    append(what, size, "%s is %s, out of range, expected %s%s%s", e->name, quote, range,
             *key->unit ? " " : "", key->unit);
  } else {
    append(what, size, "%s is '%s'%s, expected %s%s%s%s", e->name, quote,
             quoted ? ", a quoted text" : "", type, range, *key->unit ? " " : "", key->unit);
  }
  return false;
}

// --- names

// First entry whose name is not below `name`.
static size_t position(const config_t *config, const char *name) {
  size_t low = 0, high = config->count;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (strcmp(config->entries[mid]->name, name) < 0) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  return low;
}

static entry_t *find(const config_t *config, const char *name) {
  size_t at = position(config, name);
  return at < config->count && strcmp(config->entries[at]->name, name) == 0 ? config->entries[at]
                                                                            : NULL;
}

// True if some key's name begins with name and a dot.
static bool is_section(const config_t *config, const char *name) {
  size_t length = strlen(name);
  for (size_t i = position(config, name); i < config->count; i++) {
    const char *other = config->entries[i]->name;
    if (strncmp(other, name, length) != 0) {
      return false;
    }
    if (other[length] == '.') {
      return true;
    }
  }
  return false;
}

static void complain_unknown(const config_t *config, const char *name, char *what, size_t size) {
  char quote[ShownSize];
  const entry_t *nearest = NULL;
  size_t least = SIZE_MAX, length = strlen(name);
  for (size_t i = 0; i < config->count && length < NameSize; i++) {
    const entry_t *e = config->entries[i];
    const char *last = strrchr(e->name, '.');
    size_t d = spelling_distance(name, e->name);
    // The right key without its section, or in another one.
    const char *own = strrchr(name, '.');
    if (last && strcmp(last + 1, own ? own + 1 : name) == 0 && d > 1) {
      d = 1;
    }
    if (d < least) {
      least = d;
      nearest = e;
    }
  }
  snprintf(what, size, "unknown key '%s'", shown(name, quote));
  if (nearest && spelling_is_near(name, least)) {
    append(what, size, ", expected perhaps %s", nearest->name);
  } else {
    append(what, size, ", expected one of the keys that `nocturne config --markdown` lists");
  }
}

// --- tables

config_t *config_create(void) {
  return calloc(1, sizeof(config_t));
}

void config_destroy(config_t *config) {
  if (config) {
    for (size_t i = 0; i < config->count; i++) {
      free(config->entries[i]);
    }
    free(config->entries);
    free(config);
  }
}

static bool key_is_sound(const config_key_t *key) {
  bool sized = key->size == 1 || key->size == 2 || key->size == 4 || key->size == 8;
  switch (key->kind) {
    case ConfigUint:
      return sized && key->min <= key->max &&
             (key->size == 8 || key->max >> (8 * key->size) == 0);
    case ConfigBool: return key->size == sizeof(bool);
    case ConfigEnum: return sized && key->names && key->names[0];
    case ConfigDouble: return key->size == sizeof(double) && key->low <= key->high;
    case ConfigString: return key->size > 0 && key->size <= TextSize;
  }
  return false;
}

static bool add_one(config_t *config, const char *prefix, const config_key_t *key, void *base,
                    char *error) {
  entry_t *e = calloc(1, sizeof *e);
  if (config->count == config->room) {
    size_t room = config->room ? 2 * config->room : 64;
    entry_t **entries = realloc(config->entries, room * sizeof(entry_t *));
    if (!entries) {
      free(e);
      e = NULL;
    } else {
      config->entries = entries;
      config->room = room;
    }
  }
  if (!e) {
    snprintf(error, ConfigErrorSize, "configuration: out of memory");
    return false;
  }
  e->key = *key;
  e->key.unit = key->unit ? key->unit : "";
  e->key.source = key->source ? key->source : "";
  e->key.meaning = key->meaning ? key->meaning : "";
  e->field = (char *)base + key->offset;
  snprintf(e->origin, sizeof e->origin, "default");
  int length = snprintf(e->name, sizeof e->name, "%s%s%s", prefix, *prefix ? "." : "", key->name);
  char what[ConfigErrorSize - 64] = "";
  if (length < 0 || length >= NameSize || find(config, e->name)) {
    snprintf(what, sizeof what, "name too long or given twice");
  } else if (!key_is_sound(&e->key)) {
    snprintf(what, sizeof what, "size or range of the field wrong");
  } else {
    if (!key->initial) {
      // The same checks as for a value that a user gives.
      value_text(e, e->initial);
    }
    parse_value(e, key->initial ? key->initial : e->initial, false, what, sizeof what);
  }
  if (*what) {
    snprintf(error, ConfigErrorSize, "configuration table: %.40s: %s", key->name, what);
    free(e);
    return false;
  }
  value_text(e, e->initial);
  size_t at = position(config, e->name);
  memmove(config->entries + at + 1, config->entries + at,
          (config->count - at) * sizeof(entry_t *));
  config->entries[at] = e;
  config->count++;
  return true;
}

bool config_add(config_t *config, const char *prefix, const config_key_t *keys, size_t count,
                void *base, char error[ConfigErrorSize]) {
  for (size_t i = 0; i < count; i++) {
    if (!add_one(config, prefix, &keys[i], base, error)) {
      return false;
    }
  }
  return true;
}

// --- YAML

typedef struct {
  char name[NameSize];
  size_t line;
} seen_t;

typedef struct {
  config_t *config;
  const char *path;
  char *error;
  FILE *file;
  yaml_parser_t parser;
  seen_t *seen;  // keys and sections so far, for duplicates
  size_t seen_count, seen_room;
} loader_t;

static bool complain(loader_t *l, yaml_mark_t mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool complain(loader_t *l, yaml_mark_t mark, const char *format, ...) {
  char what[ConfigErrorSize - 64];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  // Of a long path the end tells more; the message must survive in any case.
  size_t place = strlen(l->path);
  size_t room = ConfigErrorSize - 1 - 48 - strlen(what);
  const char *path = place > room ? l->path + (place - room) : l->path;
  snprintf(l->error, ConfigErrorSize, "%s:%zu:%zu: %s", path, mark.line + 1, mark.column + 1,
           what);
  return false;
}

// libyaml gives a byte offset, and no line, for what it cannot decode.
static yaml_mark_t mark_of_offset(FILE *file, size_t offset) {
  yaml_mark_t mark = {.index = offset};
  rewind(file);
  for (int c; mark.index-- && (c = fgetc(file)) != EOF;) {
    mark.column = c == '\n' ? 0 : mark.column + 1;
    mark.line += c == '\n';
  }
  return mark;
}

// Takes the next event; a broken file is reported at its place.
static bool next(loader_t *l, yaml_event_t *event) {
  if (yaml_parser_parse(&l->parser, event)) {
    return true;
  }
  const yaml_parser_t *p = &l->parser;
  if (p->error == YAML_MEMORY_ERROR) {
    return complain(l, p->mark, "out of memory");
  }
  if (p->error == YAML_READER_ERROR) {
    return complain(l, mark_of_offset(l->file, p->problem_offset),
                    "not text: %s, expected YAML in UTF-8", p->problem);
  }
  return complain(l, p->problem_mark, "broken YAML: %s%s%s, expected `key: value` lines",
                  p->problem ? p->problem : "unreadable", p->context ? " " : "",
                  p->context ? p->context : "");
}

static bool note_seen(loader_t *l, const char *name, yaml_mark_t mark) {
  for (size_t i = 0; i < l->seen_count; i++) {
    if (strcmp(l->seen[i].name, name) == 0) {
      return complain(l, mark, "duplicate key '%s', expected once (first in line %zu)", name,
                      l->seen[i].line);
    }
  }
  if (l->seen_count == l->seen_room) {
    size_t room = l->seen_room ? 2 * l->seen_room : 64;
    seen_t *seen = realloc(l->seen, room * sizeof *seen);
    if (!seen) {
      return complain(l, mark, "out of memory");
    }
    l->seen = seen;
    l->seen_room = room;
  }
  seen_t *s = &l->seen[l->seen_count++];
  snprintf(s->name, sizeof s->name, "%s", name);
  s->line = mark.line + 1;
  return true;
}

static const char *event_name(yaml_event_type_t type) {
  switch (type) {
    case YAML_SCALAR_EVENT: return "a value";
    case YAML_SEQUENCE_START_EVENT: return "a list";
    case YAML_MAPPING_START_EVENT: return "a mapping";
    case YAML_ALIAS_EVENT: return "an alias";
    default: return "nothing";
  }
}

static bool load_mapping(loader_t *l, const char *prefix);

static bool load_value(loader_t *l, const char *name, yaml_mark_t at, const yaml_event_t *event) {
  entry_t *e = find(l->config, name);
  char what[ConfigErrorSize - 64], range[TextSize];
  if (!e && !is_section(l->config, name)) {
    complain_unknown(l->config, name, what, sizeof what);
    return complain(l, at, "%s", what);
  }
  if (!note_seen(l, name, at)) {
    return false;
  }
  if (event->type == YAML_MAPPING_START_EVENT && is_section(l->config, name)) {
    return load_mapping(l, name);
  }
  if (!e) {
    bool empty = event->type == YAML_SCALAR_EVENT && event->data.scalar.length == 0;
    return complain(l, event->start_mark, "%s is %s, expected a mapping of its keys", name,
                    empty ? "empty" : event_name(event->type));
  }
  describe_range(&e->key, range);
  if (event->type != YAML_SCALAR_EVENT) {
    return complain(l, event->start_mark, "%s is %s, expected %s", name, event_name(event->type),
                    range);
  }
  const char *text = (const char *)event->data.scalar.value;
  if (strlen(text) != event->data.scalar.length) {
    return complain(l, event->start_mark, "%s holds a zero byte, expected %s", name, range);
  }
  bool quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  if (!*text && !quoted) {
    return complain(l, event->start_mark, "%s is empty, expected %s", name, range);
  }
  if (!parse_value(e, text, quoted, what, sizeof what)) {
    return complain(l, event->start_mark, "%s", what);
  }
  snprintf(e->origin, sizeof e->origin, "%.150s:%zu:%zu", l->path, event->start_mark.line + 1,
           event->start_mark.column + 1);
  return true;
}

// The mapping's start has been taken. Depth is bounded by the dots in known names.
static bool load_mapping(loader_t *l, const char *prefix) {
  for (;;) {
    yaml_event_t key, value;
    if (!next(l, &key)) {
      return false;
    }
    if (key.type == YAML_MAPPING_END_EVENT) {
      yaml_event_delete(&key);
      return true;
    }
    yaml_mark_t at = key.start_mark;
    if (key.type != YAML_SCALAR_EVENT) {
      complain(l, at, "%s as a key, expected a name", event_name(key.type));
      yaml_event_delete(&key);
      return false;
    }
    char name[NameSize], quote[ShownSize];
    const char *own = (const char *)key.data.scalar.value;
    int length = snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", own);
    if (length < 0 || length >= NameSize || strlen(own) != key.data.scalar.length) {
      complain(l, at, "unknown key '%s', expected a name of under %d characters",
               shown(own, quote), NameSize);
      yaml_event_delete(&key);
      return false;
    }
    yaml_event_delete(&key);
    if (!next(l, &value)) {
      return false;
    }
    bool good = load_value(l, name, at, &value);
    yaml_event_delete(&value);
    if (!good) {
      return false;
    }
  }
}

static bool load_stream(loader_t *l) {
  bool in_mapping = false;
  for (;;) {
    yaml_event_t event;
    if (!next(l, &event)) {
      return false;
    }
    yaml_event_type_t type = event.type;
    yaml_mark_t mark = event.start_mark;
    bool empty = type == YAML_SCALAR_EVENT && event.data.scalar.length == 0;
    yaml_event_delete(&event);
    switch (type) {
      case YAML_STREAM_START_EVENT:
      case YAML_DOCUMENT_END_EVENT: break;
      case YAML_DOCUMENT_START_EVENT:
        if (in_mapping) {
          return complain(l, mark, "a second document, expected one");
        }
        break;
      case YAML_MAPPING_START_EVENT:
        in_mapping = true;
        if (!load_mapping(l, "")) {
          return false;
        }
        break;
      case YAML_STREAM_END_EVENT:
        return in_mapping ||
               complain(l, mark, "an empty file, expected a mapping of keys to values");
      default:
        return complain(l, mark, "%s, expected a mapping of keys to values",
                        empty ? "nothing" : event_name(type));
    }
  }
}

bool config_load_file(config_t *config, const char *path, char error[ConfigErrorSize]) {
  loader_t l = {.config = config, .path = path, .error = error};
  size_t length = strlen(path);
  const char *end = length > 200 ? path + length - 200 : path;
  FILE *file = fopen(path, "rb");
  // A directory opens but does not read.
  int first = file ? fgetc(file) : EOF;
  if (!file || ferror(file)) {
    snprintf(error, ConfigErrorSize, "%s: cannot be read: %s, expected a YAML file", end,
             strerror(errno));
    if (file) {
      fclose(file);
    }
    return false;
  }
  if (first != EOF) {
    ungetc(first, file);
  }
  if (!yaml_parser_initialize(&l.parser)) {
    snprintf(error, ConfigErrorSize, "%s: cannot be read: out of memory", end);
    fclose(file);
    return false;
  }
  l.file = file;
  yaml_parser_set_input_file(&l.parser, file);
  bool good = load_stream(&l);
  yaml_parser_delete(&l.parser);
  free(l.seen);
  fclose(file);
  return good;
}

bool config_set(config_t *config, const char *assignment, char error[ConfigErrorSize]) {
  char quote[ShownSize], name[NameSize], what[ConfigErrorSize - 96];
  const char *equals = strchr(assignment, '=');
  size_t length = equals ? (size_t)(equals - assignment) : 0;
  shown(assignment, quote);
  if (length == 0) {
    snprintf(error, ConfigErrorSize, "--set %s: no %s, expected KEY=VALUE", quote,
             equals ? "key" : "'='");
    return false;
  }
  snprintf(name, sizeof name, "%.*s", (int)(length < NameSize ? length : NameSize - 1),
           assignment);
  entry_t *e = length < NameSize ? find(config, name) : NULL;
  bool good = false;
  if (e) {
    good = parse_value(e, equals + 1, false, what, sizeof what);
  } else if (is_section(config, name)) {
    snprintf(what, sizeof what, "%s is a section, expected one of its keys", name);
  } else {
    complain_unknown(config, name, what, sizeof what);
  }
  if (!good) {
    snprintf(error, ConfigErrorSize, "--set %s: %s", quote, what);
    return false;
  }
  snprintf(e->origin, sizeof e->origin, "--set");
  return true;
}

// --- reading

static config_value_t value_of(const entry_t *e, char text[TextSize]) {
  value_text(e, text);
  return (config_value_t){.key = &e->key, .name = e->name, .text = text,
                          .initial = e->initial, .origin = e->origin};
}

void config_visit(const config_t *config, void (*visit)(void *self, const config_value_t *value),
                  void *self) {
  for (size_t i = 0; i < config->count; i++) {
    char text[TextSize];
    config_value_t value = value_of(config->entries[i], text);
    visit(self, &value);
  }
}

bool config_get(const config_t *config, const char *name, config_value_t *value) {
  static _Thread_local char text[TextSize];
  const entry_t *e = find(config, name);
  if (e) {
    *value = value_of(e, text);
  }
  return e != NULL;
}

const char *config_origin(const config_t *config, const char *name) {
  const entry_t *e = find(config, name);
  return e ? e->origin : "default";
}

static void hash_value(void *self, const config_value_t *value) {
  if (!value->key->unhashed) {
    base_sha256_add(self, value->name, strlen(value->name));
    base_sha256_add(self, "=", 1);
    base_sha256_add(self, value->text, strlen(value->text));
    base_sha256_add(self, "\n", 1);
  }
}

void config_sha256(const config_t *config, char text[BaseSha256Text]) {
  base_sha256_t sha;
  base_sha256_begin(&sha);
  config_visit(config, hash_value, &sha);
  base_sha256_end(&sha, text);
}

// A cell of a Markdown table must not hold the character that ends it.
static void cell(FILE *file, const char *text) {
  fputs("| ", file);
  for (; *text; text++) {
    if (*text == '|') {
      fputc('\\', file);
    }
    fputc(*text, file);
  }
  fputc(' ', file);
}

static void document_section(const config_t *config, FILE *file, const char *section) {
  size_t length = strlen(section);
  fprintf(file, "\n## %s\n\n", *section ? section : "General");
  fputs("| key | default | range | unit | meaning | source |\n|---|---|---|---|---|---|\n", file);
  for (size_t i = 0; i < config->count; i++) {
    const entry_t *e = config->entries[i];
    const char *dot = strchr(e->name, '.');
    size_t own = dot ? (size_t)(dot - e->name) : 0;
    if (own != length || strncmp(e->name, section, length) != 0) {
      continue;
    }
    char range[TextSize], name[NameSize + 2], initial[TextSize + 2];
    describe_range(&e->key, range);
    snprintf(name, sizeof name, "`%s`", e->name);
    snprintf(initial, sizeof initial, *e->initial ? "`%s`" : "%s", e->initial);
    cell(file, name);
    cell(file, initial);
    cell(file, range);
    cell(file, e->key.unit);
    cell(file, e->key.meaning);
    cell(file, e->key.source);
    fputs("|\n", file);
  }
}

void config_document(const config_t *config, FILE *file) {
  char section[NameSize] = "";
  for (size_t i = 0; i < config->count; i++) {
    if (!strchr(config->entries[i]->name, '.')) {
      document_section(config, file, "");
      break;
    }
  }
  for (size_t i = 0; i < config->count; i++) {
    const char *name = config->entries[i]->name;
    const char *dot = strchr(name, '.');
    if (dot && (strncmp(section, name, (size_t)(dot - name)) != 0 ||
                section[dot - name] != 0)) {
      snprintf(section, sizeof section, "%.*s", (int)(dot - name), name);
      document_section(config, file, section);
    }
  }
}
