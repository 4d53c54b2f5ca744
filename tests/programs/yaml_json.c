// SPDX-License-Identifier: Apache-2.0
// A YAML file as JSON, for jq: yaml_json FILE... writes one value per file.
// Plain scalars that are numbers or true or false are that; all others are strings. Other programs
// read these files, so this reader is not the project's own (csim/base/yaml_table.h).
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

static json_t *scalar(const yaml_node_t *node) {
  const char *text = (const char *)node->data.scalar.value;
  if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
    return json_string(text);
  }
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
    return json_boolean(text[0] == 't');
  }
  char *end;
  const long long number = strtoll(text, &end, 10);
  return *text && !*end ? json_integer(number) : json_string(text);
}

static json_t *value(yaml_document_t *document, int index) {
  const yaml_node_t *node = yaml_document_get_node(document, index);
  if (node->type == YAML_SCALAR_NODE) {
    return scalar(node);
  }
  if (node->type == YAML_SEQUENCE_NODE) {
    json_t *array = json_array();
    for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top;
         i++) {
      json_array_append_new(array, value(document, *i));
    }
    return array;
  }
  json_t *object = json_object();
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
       p++) {
    const yaml_node_t *key = yaml_document_get_node(document, p->key);
    json_object_set_new(object, (const char *)key->data.scalar.value, value(document, p->value));
  }
  return object;
}

static int put(const char *path) {
  FILE *file = fopen(path, "r");
  yaml_parser_t parser;
  yaml_document_t document;
  if (!file || !yaml_parser_initialize(&parser)) {
    fprintf(stderr, "%s: cannot be read\n", path);
    return 1;
  }
  yaml_parser_set_input_file(&parser, file);
  int failed = !yaml_parser_load(&parser, &document) || !yaml_document_get_root_node(&document);
  if (failed) {
    fprintf(stderr, "%s:%zu: %s\n", path, parser.problem_mark.line + 1,
            parser.problem ? parser.problem : "is empty");
  } else {
    json_t *root = value(&document, 1);
    json_dumpf(root, stdout, JSON_ENCODE_ANY | JSON_COMPACT);
    putchar('\n');
    json_decref(root);
    yaml_document_delete(&document);
  }
  yaml_parser_delete(&parser);
  fclose(file);
  return failed;
}

int main(int argc, char **argv) {
  int failed = 0;
  for (int i = 1; i < argc; i++) {
    failed |= put(argv[i]);
  }
  return failed;
}
