// SPDX-License-Identifier: Apache-2.0
#include "program_source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MostCalls = 64, FogOperations = 3 };  // functions within functions

typedef enum { TokenWord, TokenCall, TokenNumber, TokenOperator, TokenOther } token_e;

typedef struct {
  const char *at;
  uint32_t length, match;  // match: of a bracket the place of the other one
  uint8_t kind;
} token_t;

typedef struct {
  token_t *tokens;
  uint32_t count;
} source_t;

// The state of the maker of a skeleton.
typedef struct {
  program_t *program;
  const program_stages_t *stages;
  program_lost_t *lost;
  const source_t *source;
  bool *placed;    // of each token that begins a function's body
  uint32_t calls;  // functions that the place is in
  bool over;       // more than a skeleton may have
} maker_t;

// ---- Words

static bool one_of(const char *word, size_t length, const char *const *words) {
  for (; *words; words++) {
    if (strlen(*words) == length && strncmp(*words, word, length) == 0) {
      return true;
    }
  }
  return false;
}

// Words that stand before a parenthesis without being an operation.
static bool is_free(const token_t *t) {
  static const char *const words[] = {
      "if",    "for",   "while", "return",  "main",  "float", "int",     "uint", "bool",   "vec2",
      "vec3",  "vec4",  "ivec2", "ivec3",   "ivec4", "mat2",  "mat3",    "mat4", "layout", "half",
      "half2", "half3", "half4", "mediump", "highp", "lowp",  "defined", NULL};
  return one_of(t->at, t->length, words);
}

static bool is_special(const token_t *t) {
  static const char *const words[] = {
      "sin", "cos",  "tan",  "asin",        "acos",      "atan",   "pow",      "exp", "exp2",
      "log", "log2", "sqrt", "inversesqrt", "normalize", "length", "distance", NULL};
  return one_of(t->at, t->length, words);
}

static bool reads_texture(const token_t *t) {
  static const char *const no_reads[] = {"textureSize", "textureQueryLod", "textureQueryLevels",
                                         NULL};
  static const char *const starts[] = {"texture", "texelFetch", "shadow1D", "shadow2D",
                                       "shadowCube"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    if (t->length >= strlen(starts[i]) && strncmp(t->at, starts[i], strlen(starts[i])) == 0) {
      return !one_of(t->at, t->length, no_reads);
    }
  }
  return false;
}

// ---- Tokens

static const char *skip_comment(const char *s) {
  if (s[1] == '/') {
    return s + strcspn(s, "\n");
  }
  const char *end = strstr(s + 2, "*/");
  return end ? end + 2 : s + strlen(s);
}

static const char *word_end(const char *s) {
  while (isalnum((unsigned char)*s) || *s == '_') {
    s++;
  }
  return s;
}

static const char *number_end(const char *s) {
  for (char before = 0; isalnum((unsigned char)*s) || *s == '.' ||
                        ((*s == '-' || *s == '+') && (before == 'e' || before == 'E'));
       s++) {
    before = *s;
  }
  return s;
}

// One token, which does not begin with a blank; its end.
static const char *read_token(const char *s, token_t *t) {
  const char *end = s + 1;
  t->kind = TokenOther;
  if (isalpha((unsigned char)*s) || *s == '_') {
    end = word_end(s);
    t->kind = end[strspn(end, " \t")] == '(' ? TokenCall : TokenWord;
  } else if (isdigit((unsigned char)*s)) {
    end = number_end(s);
    t->kind = TokenNumber;
  } else if (strchr("+-*/%<>?&|^", *s)) {
    end += s[1] == *s || s[1] == '=';
    t->kind = TokenOperator;
  }
  t->at = s;
  t->length = (uint32_t)(end - s);
  return end;
}

static bool read_tokens(source_t *source, const char *s) {
  source->tokens = malloc((strlen(s) + 1) * sizeof *source->tokens);
  source->count = 0;
  while (source->tokens && *s) {
    if (s[0] == '/' && (s[1] == '/' || s[1] == '*')) {
      s = skip_comment(s);
    } else if (isspace((unsigned char)*s)) {
      s++;
    } else {
      s = read_token(s, &source->tokens[source->count++]);
    }
  }
  return source->tokens;
}

static bool is_char(const source_t *s, uint32_t i, char c) {
  return i < s->count && s->tokens[i].length == 1 && s->tokens[i].at[0] == c;
}

static bool is_word(const source_t *s, uint32_t i, const char *word) {
  return i < s->count && s->tokens[i].length == strlen(word) &&
         strncmp(s->tokens[i].at, word, s->tokens[i].length) == 0;
}

// False: a bracket without its counterpart.
static bool match_brackets(source_t *s) {
  uint32_t *open = malloc((s->count + 1) * sizeof *open), depth = 0;
  bool good = open;
  for (uint32_t i = 0; good && i < s->count; i++) {
    token_t *t = &s->tokens[i];
    if (t->length == 1 && strchr("([{", *t->at)) {
      open[depth++] = i;
    } else if (t->length == 1 && strchr(")]}", *t->at)) {
      const char wanted = *t->at == ')' ? '(' : *t->at == ']' ? '[' : '{';
      good = depth > 0 && is_char(s, open[depth - 1], wanted);
      if (good) {
        t->match = open[--depth];
        s->tokens[t->match].match = i;
      }
    }
  }
  free(open);
  return good && depth == 0;
}

uint32_t program_glsl_length(const char *text) {
  source_t source;
  uint32_t length = 0;
  int depth = 0;
  if (read_tokens(&source, text)) {
    for (uint32_t i = 0; i < source.count; i++) {
      const token_t *t = &source.tokens[i];
      depth += is_char(&source, i, '{') ? 1 : is_char(&source, i, '}') ? -1 : 0;
      length += depth > 0 && (t->kind == TokenOperator || (t->kind == TokenCall && !is_free(t)));
    }
  }
  free(source.tokens);
  return length ? length : 1;
}

// ---- Operations

static void put(maker_t *m, program_op_t op) {
  program_t *p = m->program;
  program_op_t *last = p->count ? &p->op[p->count - 1] : NULL;
  const bool counts = op.kind == ProgramAlu || op.kind == ProgramSfu;
  if (counts && last && last->kind == op.kind) {
    last->count++;
  } else if (p->count < ProgramMaxOps) {
    p->op[p->count++] = op;
  } else {
    m->over = true;
  }
}

static void put_kind(maker_t *m, program_kind_e kind) {
  const bool counts = kind == ProgramAlu || kind == ProgramSfu;
  put(m, (program_op_t){
             .kind = kind, .count = counts, .dependent = counts ? ProgramDependentUnknown : 0});
}

// A stage's read, or one of a texture that no stage has.
static void put_read(maker_t *m, int stage) {
  if (stage < 0) {
    m->lost->reads++;
    put_kind(m, ProgramAlu);
  } else {
    put(m, (program_op_t){.kind = ProgramTex, .stage = (uint8_t)stage});
  }
}

static int stage_of(const maker_t *m, const token_t *sampler) {
  for (int i = 0; i < ProgramStages; i++) {
    const char *name = m->stages->samplers[i];
    if (name && strlen(name) == sampler->length &&
        strncmp(name, sampler->at, sampler->length) == 0) {
      return i;
    }
  }
  return -1;
}

// ---- Bodies

static uint32_t put_statement(maker_t *m, uint32_t i, uint32_t end);

// The opening brace of the function's body, 0: the source has none.
static uint32_t body_of(const source_t *s, const char *name, uint32_t length) {
  for (uint32_t i = 0; i + 1 < s->count; i++) {
    const token_t *t = &s->tokens[i];
    if (is_char(s, i, '{')) {
      i = t->match;  // functions stand in no body
    } else if (t->kind == TokenCall && t->length == length && strncmp(t->at, name, length) == 0 &&
               is_char(s, s->tokens[i + 1].match + 1, '{')) {
      return s->tokens[i + 1].match + 1;
    }
  }
  return 0;
}

// A body that is somewhere already is called, which is all that its length counts.
static void put_call(maker_t *m, uint32_t i) {
  const token_t *t = &m->source->tokens[i];
  if (reads_texture(t)) {
    put_read(m, stage_of(m, &m->source->tokens[i + 2 < m->source->count ? i + 2 : i]));
    return;
  }
  put_kind(m, is_special(t) ? ProgramSfu : ProgramAlu);
  const uint32_t body = body_of(m->source, t->at, t->length);
  if (body && !m->placed[body] && m->calls < MostCalls) {
    m->placed[body] = true;
    m->calls++;
    put_statement(m, body, m->source->count);
    m->calls--;
  }
}

// Arguments before the call, all else in the order of the source.
static void put_expression(maker_t *m, uint32_t i, uint32_t end) {
  const source_t *s = m->source;
  while (i < end) {
    const token_t *t = &s->tokens[i];
    if (t->kind == TokenCall && !is_free(t) && i + 1 < end) {
      put_expression(m, i + 2, s->tokens[i + 1].match);
      put_call(m, i);
      i = s->tokens[i + 1].match + 1;
      continue;
    }
    if (t->kind == TokenOperator) {
      const bool constant = i + 1 < end && s->tokens[i + 1].kind == TokenNumber;
      put_kind(m, *t->at == '/' && !constant ? ProgramSfu : ProgramAlu);
    }
    i++;
  }
}

// `discard;`, with braces or without.
static bool only_discards(const source_t *s, uint32_t i) {
  const bool braced = is_char(s, i, '{');
  i += braced;
  return is_word(s, i, "discard") && is_char(s, i + 1, ';') && (!braced || is_char(s, i + 2, '}'));
}

static uint32_t put_if(maker_t *m, uint32_t i, uint32_t end) {
  const source_t *s = m->source;
  const uint32_t body = s->tokens[i + 1].match + 1;
  put_expression(m, i + 2, body - 1);
  if (only_discards(s, body)) {
    put_kind(m, ProgramKill);
    return is_char(s, body, '{') ? body + 3 : body + 2;
  }
  m->lost->branches++;
  put(m, (program_op_t){.kind = ProgramIf, .predicate = ProgramOnHash, .side = 1});
  uint32_t next = put_statement(m, body, end);
  if (is_word(s, next, "else")) {
    put_kind(m, ProgramElse);
    next = put_statement(m, next + 1, end);
  }
  put_kind(m, ProgramEndif);
  return next;
}

// One statement; the place after it.
static uint32_t put_statement(maker_t *m, uint32_t i, uint32_t end) {
  const source_t *s = m->source;
  const token_t *t = &s->tokens[i];
  if (i >= end) {
    return end;
  }
  if (is_char(s, i, '{')) {
    for (uint32_t next = i + 1; next < t->match;) {
      next = put_statement(m, next, t->match);
    }
    return t->match + 1;
  }
  if (t->kind == TokenCall && is_word(s, i, "if")) {
    return put_if(m, i, end);
  }
  if (t->kind == TokenCall && (is_word(s, i, "for") || is_word(s, i, "while"))) {
    put_expression(m, i + 2, s->tokens[i + 1].match);
    return put_statement(m, s->tokens[i + 1].match + 1, end);
  }
  if (is_word(s, i, "do") || is_word(s, i, "else")) {
    return put_statement(m, i + 1, end);
  }
  uint32_t last = i;
  while (last < end && !is_char(s, last, ';') && !is_char(s, last, '{')) {
    const bool opens = is_char(s, last, '(') || is_char(s, last, '[');
    last = opens ? s->tokens[last].match + 1 : last + 1;
  }
  if (is_word(s, i, "discard")) {
    put_kind(m, ProgramKill);
  }
  put_expression(m, i, last);
  return is_char(s, last, '{') ? last : last + 1;
}

// Appends the end that every skeleton has.
static bool finish(maker_t *m) {
  bool kills = false;
  for (uint32_t i = 0; i < m->program->count; i++) {
    kills |= m->program->op[i].kind == ProgramKill;
  }
  if (m->stages->alpha_test && !kills) {
    put_kind(m, ProgramKill);
  }
  if (m->program->count == 0) {
    put_kind(m, ProgramAlu);
  }
  return !m->over && program_check(m->program, NULL);
}

bool program_from_glsl(program_t *program, const char *text, const program_stages_t *stages,
                       program_lost_t *lost) {
  source_t source;
  maker_t m = {.program = program, .stages = stages, .lost = lost, .source = &source};
  *lost = (program_lost_t){0};
  memset(program, 0, sizeof *program);
  bool good = read_tokens(&source, text) && match_brackets(&source);
  m.placed = calloc((size_t)(good ? source.count : 0) + 1, sizeof *m.placed);
  const uint32_t body = good && m.placed ? body_of(&source, "main", 4) : 0;
  if (body) {
    m.placed[body] = true;
    put_statement(&m, body, source.count);
  }
  free(m.placed);
  free(source.tokens);
  return body && finish(&m);
}

// ---- ARB programs

static int unit_stage(const program_stages_t *stages, const char *line, size_t length) {
  const char *at = line;
  while (at + 8 <= line + length && strncmp(at, "texture[", 8) != 0) {
    at++;
  }
  const int unit = at + 8 <= line + length ? atoi(at + 8) : 0;  // `texture` is texture[0]
  for (int i = 0; i < ProgramStages; i++) {
    if (stages->units[i] == unit) {
      return i;
    }
  }
  return -1;
}

static void put_instruction(maker_t *m, const char *line, size_t length) {
  static const char *const none[] = {"TEMP",  "PARAM",  "ATTRIB",  "OUTPUT",
                                     "ALIAS", "OPTION", "ADDRESS", NULL};
  static const char *const special[] = {"RCP", "RSQ", "EX2", "LG2", "POW",
                                        "SIN", "COS", "SCS", NULL};
  static const char *const reads[] = {"TEX", "TXP", "TXB", NULL};
  size_t word = 0;
  while (word < length && isalnum((unsigned char)line[word])) {  // a suffix follows: _SAT
    word++;
  }
  if (word == 0 || one_of(line, word, none)) {
    return;
  }
  if (one_of(line, word, reads)) {
    put_read(m, unit_stage(m->stages, line, length));
  } else if (word == 3 && strncmp(line, "KIL", 3) == 0) {
    put_kind(m, ProgramKill);
  } else {
    put_kind(m, one_of(line, word, special) ? ProgramSfu : ProgramAlu);
  }
}

bool program_from_arb(program_t *program, const char *s, const program_stages_t *stages,
                      program_lost_t *lost) {
  maker_t m = {.program = program, .stages = stages, .lost = lost};
  *lost = (program_lost_t){0};
  memset(program, 0, sizeof *program);
  if (strncmp(s, "!!ARBfp", 7) != 0) {
    return false;
  }
  s += strcspn(s, "\n");
  while (*s && strncmp(s, "END", 3) != 0) {
    if (*s == '#') {
      s += strcspn(s, "\n");
    } else if (isspace((unsigned char)*s) || *s == ';') {
      s++;
    } else {
      const size_t length = strcspn(s, ";");
      put_instruction(&m, s, length);
      s += length;
    }
  }
  return finish(&m);
}

void program_from_fixed(program_t *program, uint32_t stages, bool fog, bool alpha_test) {
  const program_stages_t none = {.alpha_test = alpha_test};
  maker_t m = {.program = program, .stages = &none};
  memset(program, 0, sizeof *program);
  for (uint32_t i = 0; i < stages && i < ProgramStages; i++) {
    put_read(&m, (int)i);
    put_kind(&m, ProgramAlu);
  }
  for (uint32_t i = 0; i < 1 + (fog ? FogOperations : 0u); i++) {
    put_kind(&m, ProgramAlu);
  }
  finish(&m);
}
