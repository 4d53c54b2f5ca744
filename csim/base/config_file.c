// SPDX-License-Identifier: Apache-2.0
// Machine files and the files of sets: YAML.
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "config_internal.h"
#include "place.h"

typedef struct {
  char name[NameSize];
  size_t line;
} seen_t;

typedef struct {
  config_t *config;
  entry_t *set;  // whose entries the file has; NULL: a file of keys
  const char *path;
  err_t *err;
  FILE *file;
  yaml_parser_t parser;
  seen_t *seen;  // keys and sections so far, for duplicates
  size_t seen_count, seen_room;
} loader_t;

static bool complain(loader_t *l, yaml_mark_t mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool complain(loader_t *l, yaml_mark_t mark, const char *format, ...) {
  text_t what = {0};
  va_list args;
  va_start(args, format);
  text_vformat(&what, format, args);
  va_end(args);
  err_set(l->err, ErrInput, "%s:%zu:%zu: %s", l->path, mark.line + 1, mark.column + 1,
          text_string(&what));
  text_free(&what);
  return false;
}

// Complains with a text and frees it.
static bool complain_text(loader_t *l, yaml_mark_t mark, text_t *what) {
  complain(l, mark, "%s", text_string(what));
  text_free(what);
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

// The text of a value that is one; NULL: complained.
static const char *scalar(loader_t *l, const entry_t *e, const yaml_event_t *event, bool *quoted) {
  char range[TextSize];
  config_describe_range(e, range);
  if (event->type != YAML_SCALAR_EVENT) {
    complain(l, event->start_mark, "%s is %s, expected %s", e->name, event_name(event->type),
             range);
    return NULL;
  }
  const char *text = (const char *)event->data.scalar.value;
  if (strlen(text) != event->data.scalar.length) {
    complain(l, event->start_mark, "%s holds a zero byte, expected %s", e->name, range);
    return NULL;
  }
  *quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  if (!*text && !*quoted) {
    complain(l, event->start_mark, "%s is empty, expected %s", e->name, range);
    return NULL;
  }
  return text;
}

static bool load_value(loader_t *l, const char *name, yaml_mark_t at, const yaml_event_t *event) {
  entry_t *e = config_find(l->config, name);
  text_t what = {0};
  bool section = config_is_section(l->config, name);
  e = config_is_key(e) ? e : NULL;
  if (!e && !section) {
    config_refuse_name(l->config, name, &what);
    return complain_text(l, at, &what);
  }
  if (!note_seen(l, name, at)) {
    return false;
  }
  if (event->type == YAML_MAPPING_START_EVENT && section) {
    return load_mapping(l, name);
  }
  if (!e) {
    bool empty = event->type == YAML_SCALAR_EVENT && event->data.scalar.length == 0;
    return complain(l, event->start_mark, "%s is %s, expected a mapping of its keys", name,
                    empty ? "empty" : event_name(event->type));
  }
  bool quoted;
  const char *text = scalar(l, e, event, &quoted);
  if (!text) {
    return false;
  }
  if (!(e->set ? config_load_set(l->config, e, text, &what, l->err)
               : config_parse_value(e, text, quoted, &what))) {
    return what.length && complain_text(l, event->start_mark, &what);
  }
  text_free(&what);
  return config_set_origin(e, text_make("%s:%zu:%zu", l->path, event->start_mark.line + 1,
                                        event->start_mark.column + 1)) ||
         err_memory(l->err, l->path);
}

// An entry of a set, or where its numbers come from.
static bool load_entry(loader_t *l, const char *name, yaml_mark_t at, const yaml_event_t *event) {
  char full[NameSize];
  text_t what = {0};
  int length = snprintf(full, sizeof full, "%s.%s", l->set->set->prefix, name);
  entry_t source = {.key = {.kind = ConfigString, .size = TextSize, .unit = ""},
                    .name = "source",
                    .field = l->set->from};
  entry_t *e = length < NameSize ? config_find(l->config, full) : NULL;
  e = strcmp(name, "source") == 0 ? &source : e && e->member_of == l->set ? e : NULL;
  if (!e) {
    config_refuse_entry(l->config, l->set, name, &what);
    return complain_text(l, at, &what);
  }
  bool quoted;
  const char *text = note_seen(l, name, at) ? scalar(l, e, event, &quoted) : NULL;
  const bool ok = text && (config_parse_value(e, text, quoted, &what) ||
                           complain_text(l, event->start_mark, &what));
  text_free(&what);
  return ok;
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
               config_shown(own, quote), NameSize);
      yaml_event_delete(&key);
      return false;
    }
    yaml_event_delete(&key);
    if (!next(l, &value)) {
      return false;
    }
    bool good = l->set ? load_entry(l, name, at, &value) : load_value(l, name, at, &value);
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

static bool was_seen(const loader_t *l, const char *name) {
  for (size_t i = 0; i < l->seen_count; i++) {
    if (strcmp(l->seen[i].name, name) == 0) {
      return true;
    }
  }
  return false;
}

// Every entry of a set must be there: none has a default.
static bool is_complete(loader_t *l) {
  yaml_mark_t end = l->parser.mark;
  if (!was_seen(l, "source")) {
    return complain(l, end, "no entry 'source', expected where the set's numbers come from");
  }
  for (size_t i = 0; i < l->config->count; i++) {
    const entry_t *e = l->config->entries[i];
    const char *own = strrchr(e->name, '.');
    if (e->member_of == l->set && !was_seen(l, own + 1)) {
      char range[TextSize];
      config_describe_range(e, range);
      return complain(l, end, "no entry '%s', expected %s%s%s (%s)", own + 1, range,
                      *e->key.unit ? " " : "", e->key.unit, e->key.meaning);
    }
  }
  return true;
}

// NULL: what is wrong is in errno. A directory opens but does not read.
static FILE *open_text(const char *path) {
  FILE *file = place_open(path);
  int first = file ? fgetc(file) : EOF;
  if (file && ferror(file)) {
    int reason = errno;
    fclose(file);
    errno = reason;
    return NULL;
  }
  if (first != EOF) {
    ungetc(first, file);
  }
  return file;
}

// Closes the file.
static bool load(config_t *config, entry_t *set, FILE *file, const char *path, err_t *err) {
  loader_t l = {.config = config, .set = set, .path = path, .err = err, .file = file};
  bool good = yaml_parser_initialize(&l.parser);
  if (!good) {
    err_set(err, ErrMachine, "%s: cannot be read: out of memory", path);
  } else {
    yaml_parser_set_input_file(&l.parser, file);
    good = load_stream(&l) && (!set || is_complete(&l));
    yaml_parser_delete(&l.parser);
  }
  free(l.seen);
  fclose(file);
  return good;
}

bool config_load_file(config_t *config, const char *path, err_t *err) {
  FILE *file = open_text(path);
  if (!file) {
    err_set(err, ErrInput, "%s: cannot be read: %s, expected a YAML file", path, strerror(errno));
    return false;
  }
  return load(config, NULL, file, path, err);
}

bool config_load_set(config_t *config, entry_t *set, const char *text, text_t *what, err_t *err) {
  size_t length = strlen(text);
  bool is_path = length > 5 && strcmp(text + length - 5, ".yaml") == 0;
  char range[TextSize], quote[ShownSize];
  text_cut(what, 0);
  config_describe_range(set, range);
  bool fits = !strpbrk(text, "\r\n") && (is_path || !strchr(text, '/'));
  if (!fits || !*text) {
    text_format(what, "%s is '%s', expected %s", set->name, config_shown(text, quote), range);
    return false;
  }
  char *path = is_path ? strdup(text) : text_make(CONFIG_SETS "/%s/%s.yaml", set->name, text);
  char *name = strdup(text);
  FILE *file = path && name ? open_text(path) : NULL;
  if (!file) {
    text_format(what, "%s is '%s', and %s cannot be read: %s, expected %s", set->name,
                config_shown(text, quote), path ? path : "", strerror(errno), range);
  }
  const bool ok = file && load(config, set, file, path, err);
  if (ok) {
    free(set->field);
    set->field = name;
  } else {
    free(name);
  }
  free(path);
  return ok;
}

bool config_add_set(config_t *config, const config_set_t *set, void *base, err_t *err) {
  // The entries say what a set is; its name is for people.
  config_key_t key = {.name = set->key,
                      .kind = ConfigString,
                      .size = TextSize,
                      .initial = set->initial,
                      .source = set->source,
                      .meaning = set->meaning,
                      .unhashed = true};
  char *name = calloc(1, TextSize);
  entry_t *e = name ? config_add_entry(config, "", &key, name, NULL, err) : NULL;
  if (!e) {
    if (!name) {
      err_set(err, ErrMachine, "configuration: out of memory");
    }
    free(name);
    return false;
  }
  e->set = set;
  for (size_t i = 0; i < set->count; i++) {
    if (!config_add_entry(config, set->prefix, &set->entries[i], base, e, err)) {
      return false;
    }
  }
  text_t what = {0};
  const bool ok = config_load_set(config, e, set->initial, &what, err) ||
                  (what.length && err_set(err, ErrInput, "%s", text_string(&what)));
  text_free(&what);
  return ok;
}

bool config_set(config_t *config, const char *assignment, err_t *err) {
  char quote[ShownSize], name[NameSize + 1];
  text_t what = {0};
  const char *equals = strchr(assignment, '=');
  size_t length = equals ? (size_t)(equals - assignment) : 0;
  config_shown(assignment, quote);
  if (length == 0) {
    err_set(err, ErrInput, "--set %s: no %s, expected KEY=VALUE", quote, equals ? "key" : "'='");
    return false;
  }
  snprintf(name, sizeof name, "%.*s", (int)(length < NameSize ? length : NameSize), assignment);
  entry_t *e = length < NameSize ? config_find(config, name) : NULL;
  bool good = false;
  if (!config_is_key(e)) {
    config_refuse_name(config, name, &what);
  } else if (e->set) {
    good = config_load_set(config, e, equals + 1, &what, err);
  } else {
    good = config_parse_value(e, equals + 1, false, &what);
  }
  if (what.length) {
    err_set(err, ErrInput, "--set %s: %s", quote, text_string(&what));
  }
  text_free(&what);
  return good && (config_set_origin(e, text_make("--set")) || err_memory(err, "configuration"));
}

bool config_defaults(bool (*add)(config_t *config, void *params, err_t *err), void *params,
                     const char *assignment, err_t *err) {
  config_t *config = config_create();
  err_set(err, ErrMachine, "configuration: out of memory");
  bool ok =
      config && add(config, params, err) && (!assignment || config_set(config, assignment, err));
  config_destroy(config);
  return ok;
}
