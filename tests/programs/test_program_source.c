// SPDX-License-Identifier: Apache-2.0
// Skeletons of GLSL sources, ARB programs and the fixed function: order, counts, what is left out.
#include <stdio.h>

#include "csim/frame/program_source.h"
#include "tests/programs/test.h"

static const program_stages_t Stages = {.samplers = {"base", "light"}, .units = {1, 0}};

// As text: A3 three ALU operations, S SFU, T0 a read of stage 0, K KILL, ( IF, | ELSE, ) ENDIF.
static const char *shown(const program_t *p) {
  static char text[1024];
  size_t used = 0;
  text[0] = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    const program_op_t *op = &p->op[i];
    const bool counts = op->kind == ProgramAlu || op->kind == ProgramSfu;
    used += (size_t)snprintf(text + used, sizeof text - used, "%c", "ASTK(|)"[op->kind]);
    if (counts || op->kind == ProgramTex) {
      used +=
          (size_t)snprintf(text + used, sizeof text - used, "%u", counts ? op->count : op->stage);
    }
  }
  return text;
}

static void glsl(const char *source, const char *want, uint32_t reads, uint32_t branches) {
  program_t p;
  program_lost_t lost;
  assert_true(program_from_glsl(&p, source, &Stages, &lost));
  assert_string_equal(shown(&p), want);
  assert_int_equal(lost.reads, reads);
  assert_int_equal(lost.branches, branches);
}

static void no_glsl(const char *source) {
  program_t p;
  program_lost_t lost;
  assert_false(program_from_glsl(&p, source, &Stages, &lost));
}

TEST(test_order) {
  glsl("void main() { gl_FragColor = texture2D(base, uv) * color; }", "T0A1", 0, 0);
  glsl("void main(void)\n{ vec4 c = texture2D(light, uv * 2.0 + p) / 4.0; c = c / w; }", "A2T1A1S1",
       0, 0);
  // Arguments come first, calls of other functions count one; a vector is none.
  glsl("void main() { a = pow(dot(n, l), 2.0e-5) + mix(vec3(1.0), b, t); }", "A1S1A2", 0, 0);
  // Functions stand where they are called first.
  glsl(
      "vec4 f(vec4 x) { return sqrt(x) * texture2D(base, x.xy); }\n"
      "float never(float x) { return x * x * x; }\n"
      "void main() { c = a + b; c = f(a); c = f(b); }",
      "A2S1A1T0A1", 0, 0);
  glsl("void main() { for (int i = 0; i < 4; i++) { c += texture2D(base, uv); } c *= 2.0; }",
       "A3T0A1", 0, 0);
  glsl("void main() { do c = c - a; while (c > b); /* x + y */ } // z * z", "A2", 0, 0);
  glsl("void main() { gl_FragColor = color; }", "A1", 0, 0);
  glsl("void main() { c = texture2D(bump, uv) + textureSize(base, 0) + shadow2D(light, p); }",
       "A4T1", 1, 0);
}

TEST(test_branches) {
  glsl("void main() { if (c.a < 0.5) discard; c = a * b; }", "A1KA1", 0, 0);
  glsl("void main() { if (c.a < 0.5) { discard; } else_ = a * b; }", "A1KA1", 0, 0);
  glsl("void main() { if (a < b) c = a * b; else { c = sin(a); if (b > c) c = d + d; } c = -c; }",
       "A1(A1|S1A1(A1))A1", 0, 2);
  glsl("void main() { if (a < b) { c = a * b; discard; } }", "A1(A1K)", 0, 1);
}

TEST(test_refused) {
  no_glsl("");
  no_glsl("void other() { c = a + b; }");
  no_glsl("void main() { c = (a + b; }");
  no_glsl("void main() { c = a + b; ");
  no_glsl("void main() ) { }");
  char deep[1024] = "void main() { ";
  for (int i = 0; i < 17; i++) {
    strcat(deep, "if (a < b) { c = a; ");
  }
  for (int i = 0; i < 18; i++) {
    strcat(deep, "}");
  }
  no_glsl(deep);
  static char many[8000] = "void main() { ";
  for (int i = 0; i < 140; i++) {
    strcat(many, "c = a * b; c = a / b; ");
  }
  no_glsl(strcat(many, "}"));
  // Functions that call each other end, too.
  glsl(
      "float f(float x) { return g(x) + x; } float g(float x) { return f(x) * x; }\n"
      "void main() { c = f(a); }",
      "A5", 0, 0);
}

TEST(test_length) {
  assert_int_equal(program_glsl_length(""), 1);
  assert_int_equal(program_glsl_length("uniform vec4 a = b * c; void main() { d = -a * b; }"), 2);
  assert_int_equal(program_glsl_length("float f(float x) { return x << 2 <= 1.5e-3 ? x : y; }"
                                       "void main() { if (f(a) == b && c) d += f (vec2(1)); }"),
                   7);
}

TEST(test_arb) {
  program_t p;
  program_lost_t lost;
  assert_true(program_from_arb(&p,
                               "!!ARBfp1.0\nOPTION ARB_fog_exp;\nTEMP a, b;\n# MUL a, b;\n"
                               "TEX a, fragment.texcoord[0], texture[1], 2D;\n"
                               "MUL_SAT b, a, fragment.color;\nRSQ b.x, b.x; ADD a, a, b;\n"
                               "KIL a;\nTXP b, a, texture, 2D;\nTEX b, a, texture[3], 2D;\n"
                               "MOV result.color, b;\nEND\n MUL a, a, a;",
                               &Stages, &lost));
  assert_string_equal(shown(&p), "T0A1S1A1KT1A2");
  assert_int_equal(lost.reads, 1);
  assert_false(program_from_arb(&p, "!!ARBvp1.0\nEND", &Stages, &lost));
}

TEST(test_fixed) {
  program_t p;
  program_from_fixed(&p, 2, true, true);
  assert_string_equal(shown(&p), "T0A1T1A5K");
  assert_int_equal(program_operations(&p), 1 + 2 * 2 + 3);
  program_from_fixed(&p, 0, false, false);
  assert_string_equal(shown(&p), "A1");
}

// A KILL stands at the end only if the program has none of its own.
TEST(test_alpha_test) {
  program_stages_t stages = Stages;
  program_t p;
  program_lost_t lost;
  stages.alpha_test = true;
  assert_true(program_from_glsl(&p, "void main() { c = a * b; }", &stages, &lost));
  assert_string_equal(shown(&p), "A1K");
  assert_true(
      program_from_glsl(&p, "void main() { if (a < b) discard; c = a * b; }", &stages, &lost));
  assert_string_equal(shown(&p), "A1KA1");
}

int main(void) { return run_all_tests(NULL, NULL); }
