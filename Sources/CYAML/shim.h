// libyaml's events without its unions: nullability and text lengths end here.
#ifndef HOMEWARD_CYAML_H
#define HOMEWARD_CYAML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#pragma clang assume_nonnull begin

/// Text that belongs to the parser, without a terminator that counts.
typedef struct {
  const uint8_t *_Nullable bytes;
  size_t count;
} cyaml_text;

/// One event. Its texts are valid until the next call with the same parser.
typedef struct {
  yaml_event_type_t kind;
  /// Where it begins; lines and columns count from 0, columns in characters.
  yaml_mark_t mark;
  cyaml_text value;
  cyaml_text tag;
  bool has_anchor;
  /// Whether a scalar stands there without quotes.
  bool is_plain;
} cyaml_event;

/// Why the parser stopped. The texts are static; both are NULL when memory ran out.
typedef struct {
  cyaml_text problem;
  yaml_mark_t mark;
  /// What was being read, and where that began.
  cyaml_text context;
  yaml_mark_t context_mark;
  /// The byte the parser stands on; 0 at the end.
  uint8_t byte;
} cyaml_failure;

typedef struct {
  yaml_parser_t yaml;
  yaml_event_t event;
  uint8_t source[];
} cyaml_parser;

/// A parser with its own copy of `bytes`; NULL when memory ran out.
static inline cyaml_parser *_Nullable cyaml_open(const uint8_t *_Nullable bytes, size_t count) {
  cyaml_parser *parser = calloc(1, sizeof *parser + count);
  if (!parser) return NULL;
  if (!yaml_parser_initialize(&parser->yaml)) {
    free(parser);
    return NULL;
  }
  if (count) memcpy(parser->source, bytes, count);
  yaml_parser_set_input_string(&parser->yaml, parser->source, count);
  return parser;
}

static inline void cyaml_close(cyaml_parser *parser) {
  yaml_event_delete(&parser->event);
  yaml_parser_delete(&parser->yaml);
  free(parser);
}

static inline cyaml_text cyaml_make_text(const void *_Nullable string) {
  return (cyaml_text){string, string ? strlen(string) : 0};
}

/// Moves on to the next event; false when the text is not YAML (see `cyaml_failure_of`).
/// Not to be called again after false.
static inline bool cyaml_next(cyaml_parser *parser, cyaml_event *event) {
  yaml_event_t *found = &parser->event;
  yaml_event_delete(found);
  if (!yaml_parser_parse(&parser->yaml, found)) return false;
  *event = (cyaml_event){.kind = found->type, .mark = found->start_mark};
  switch (found->type) {
    case YAML_SCALAR_EVENT:
      event->value = (cyaml_text){found->data.scalar.value, found->data.scalar.length};
      event->tag = cyaml_make_text(found->data.scalar.tag);
      event->has_anchor = found->data.scalar.anchor != NULL;
      event->is_plain = found->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
      break;
    case YAML_SEQUENCE_START_EVENT:
      event->tag = cyaml_make_text(found->data.sequence_start.tag);
      event->has_anchor = found->data.sequence_start.anchor != NULL;
      break;
    case YAML_MAPPING_START_EVENT:
      event->tag = cyaml_make_text(found->data.mapping_start.tag);
      event->has_anchor = found->data.mapping_start.anchor != NULL;
      break;
    default:
      break;
  }
  return true;
}

static inline cyaml_failure cyaml_failure_of(const cyaml_parser *parser) {
  const yaml_parser_t *yaml = &parser->yaml;
  bool has_rest = yaml->buffer.pointer && yaml->buffer.pointer < yaml->buffer.last;
  return (cyaml_failure){
      .problem = cyaml_make_text(yaml->problem),
      .mark = yaml->problem_mark,
      .context = cyaml_make_text(yaml->context),
      .context_mark = yaml->context_mark,
      .byte = has_rest ? *yaml->buffer.pointer : 0,
  };
}

#pragma clang assume_nonnull end
#endif
