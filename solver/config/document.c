#include "config/document.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input_file.h"
#include "config/yaml.h"

enum { MOST_OVERRIDES = 256, MOST_PATH = 128, ROOT = 1 }; /* libyaml numbers the root first */

/* A key that was set after loading, and its origin. */
typedef struct override {
    char path[MOST_PATH], origin[64];
} override;

struct swe_document {
    yaml_document_t yaml;
    bool loaded;
    override overrides[MOST_OVERRIDES];
    int override_count;
    char file[];
};

static swe_status open_regular(swe_context *ctx, const char *path, FILE **out, size_t *size)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return swe_fail(ctx, SWE_NO_INPUT, "%s: no such file", path);
    if (!S_ISREG(info.st_mode))
        return swe_fail(ctx, SWE_NO_INPUT, "%s: not a regular file", path);
    *size = (size_t)info.st_size;
    *out = fopen(path, "rb");
    if (*out == NULL)
        return swe_fail(ctx, SWE_NO_INPUT, "%s: cannot be read", path);
    return SWE_OK;
}

static swe_status open_text(swe_context *ctx, const char *text, FILE **out, size_t *size)
{
    *size = strlen(text);
    *out = fmemopen((char *)text, *size, "r");
    return *out != NULL ? SWE_OK : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a case");
}

/* Turn sections without keys into mappings: YAML reads "grid:" as an empty text. */
static bool open_empty_sections(yaml_document_t *yaml)
{
    for (int k = 0;; k++) {
        yaml_node_t *root = yaml_document_get_root_node(yaml);
        if (root->data.mapping.pairs.start + k >= root->data.mapping.pairs.top)
            return true;
        const yaml_node_t *value =
            yaml_document_get_node(yaml, root->data.mapping.pairs.start[k].value);
        if (value->type != YAML_SCALAR_NODE || value->data.scalar.length > 0 ||
            value->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
            continue;
        const int mapping = yaml_document_add_mapping(yaml, NULL, YAML_FLOW_MAPPING_STYLE);
        if (mapping == 0)
            return false;
        root = yaml_document_get_root_node(yaml); /* adding a node may move the others */
        root->data.mapping.pairs.start[k].value = mapping;
    }
}

/* Whether a line of a file, counted from 0, is indented with a tab. */
static bool is_tab_indented(FILE *file, size_t line)
{
    int c = 0;
    rewind(file);
    while (line > 0 && (c = fgetc(file)) != EOF)
        line -= c == '\n';
    while ((c = fgetc(file)) == ' ')
        continue;
    return c == '\t';
}

static swe_status not_yaml(swe_context *ctx, const swe_document *document,
                           const yaml_parser_t *parser, FILE *file)
{
    const char *problem = parser->problem != NULL ? parser->problem : "not valid YAML";
    const size_t line = parser->problem_mark.line;
    const bool is_of_characters = strstr(problem, "cannot start any token") != NULL ||
                                  strstr(problem, "tab character") != NULL;
    if (is_of_characters && is_tab_indented(file, line))
        problem = "a tab; YAML indents with spaces";
    return swe_fail(ctx, SWE_CONFIG, "%s:%zu: %s", document->file, line + 1, problem);
}

static swe_status check_depth(swe_context *ctx, const swe_document *document, FILE *file)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the YAML parser");
    yaml_parser_set_input_file(&parser, file);
    const size_t line = swe_yaml_too_deep(&parser);
    yaml_parser_delete(&parser);
    rewind(file);
    return line == 0 ? SWE_OK
                     : swe_fail(ctx, SWE_CONFIG, "%s:%zu: nested more deeply than %d levels",
                                document->file, line, SWE_YAML_DEPTH);
}

/* Nothing may follow the one document of a file. */
static swe_status parse_end(swe_context *ctx, swe_document *document, yaml_parser_t *parser,
                            FILE *file)
{
    yaml_document_t next;
    if (!yaml_parser_load(parser, &next))
        return not_yaml(ctx, document, parser, file);
    const yaml_node_t *root = yaml_document_get_root_node(&next);
    const swe_status status = root == NULL
                                  ? SWE_OK
                                  : swe_fail(ctx, SWE_CONFIG, "%s:%zu: a second YAML document",
                                             document->file, root->start_mark.line + 1);
    yaml_document_delete(&next);
    return status;
}

static swe_status parse(swe_context *ctx, swe_document *document, FILE *file)
{
    yaml_parser_t parser;
    SWE_TRY(check_depth(ctx, document, file));
    if (!yaml_parser_initialize(&parser))
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the YAML parser");
    yaml_parser_set_input_file(&parser, file);
    document->loaded = yaml_parser_load(&parser, &document->yaml) != 0;
    swe_status status = SWE_OK;
    if (!document->loaded)
        status = not_yaml(ctx, document, &parser, file);
    else if (yaml_document_get_root_node(&document->yaml) != NULL)
        status = parse_end(ctx, document, &parser, file);
    yaml_parser_delete(&parser);
    SWE_TRY(status);
    const yaml_node_t *root = yaml_document_get_root_node(&document->yaml);
    if (root == NULL)
        return swe_fail(ctx, SWE_CONFIG, "%s:1: the file is empty", document->file);
    if (root->type != YAML_MAPPING_NODE)
        return swe_fail(ctx, SWE_CONFIG, "%s:%zu: expected sections such as 'grid:'",
                        document->file, root->start_mark.line + 1);
    const yaml_node_t *cut = swe_yaml_cut_text(&document->yaml);
    if (cut != NULL)
        return swe_fail(ctx, SWE_CONFIG, "%s:%zu: a text with a NUL character", document->file,
                        cut->start_mark.line + 1);
    if (!swe_yaml_is_bounded(&document->yaml, SWE_YAML_NODES))
        return swe_fail(ctx, SWE_CONFIG, "%s: nested too deeply, or more than %d nodes",
                        document->file, SWE_YAML_NODES);
    return open_empty_sections(&document->yaml)
               ? SWE_OK
               : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", document->file);
}

swe_status swe_document_load(swe_context *ctx, const char *path, const char *text,
                             swe_document **out)
{
    *out = NULL;
    FILE *file = NULL;
    size_t size = 0;
    SWE_TRY(text != NULL ? open_text(ctx, text, &file, &size)
                         : open_regular(ctx, path, &file, &size));
    swe_document *document = calloc(1, sizeof *document + strlen(path) + 1);
    swe_status status = SWE_OK;
    if (document == NULL) {
        status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a case");
    } else if (size > SWE_CONFIG_MOST) {
        status = swe_fail(ctx, SWE_CONFIG, "%s: larger than %d MiB, not a configuration", path,
                          SWE_CONFIG_MOST >> 20);
    } else {
        memcpy(document->file, path, strlen(path) + 1);
        status = parse(ctx, document, file);
    }
    fclose(file);
    if (status != SWE_OK)
        swe_document_destroy(&document);
    *out = document;
    return status;
}

void swe_document_destroy(swe_document **document)
{
    if (*document == NULL)
        return;
    if ((*document)->loaded)
        yaml_document_delete(&(*document)->yaml);
    free(*document);
    *document = NULL;
}

/* Last pair of a mapping with a given key; NULL if there is none. */
static yaml_node_pair_t *find_pair(yaml_document_t *yaml, int mapping, const char *key)
{
    yaml_node_t *node = yaml_document_get_node(yaml, mapping);
    if (node == NULL || node->type != YAML_MAPPING_NODE)
        return NULL;
    yaml_node_pair_t *found = NULL;
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = yaml_document_get_node(yaml, pair->key);
        if (name != NULL && name->type == YAML_SCALAR_NODE &&
            strcmp((const char *)name->data.scalar.value, key) == 0)
            found = pair;
    }
    return found;
}

static int add_scalar(yaml_document_t *yaml, const char *text)
{
    return yaml_document_add_scalar(yaml, NULL, (const yaml_char_t *)text, -1,
                                    YAML_PLAIN_SCALAR_STYLE);
}

/* Set or add a key of a map. */
static bool set_key(yaml_document_t *yaml, int section, const char *name, int value)
{
    yaml_node_pair_t *pair = find_pair(yaml, section, name);
    if (pair != NULL) {
        pair->value = value;
        return true;
    }
    const int key = add_scalar(yaml, name);
    return key != 0 && yaml_document_append_mapping_pair(yaml, section, key, value);
}

/* Node of the map that a key belongs to, forcing.drag of forcing.drag.rate, created where it is
 * missing, and the key's `name` in it; 0 on failure. Behind a value the whole rest of the path is
 * the name: no map has a key of that name. */
static int map_of(yaml_document_t *yaml, const char *path, const char **name)
{
    int node = ROOT;
    *name = path;
    for (const char *dot = NULL; (dot = strchr(*name, '.')) != NULL; *name = dot + 1) {
        char part[MOST_PATH];
        snprintf(part, sizeof part, "%.*s", (int)(dot - *name), *name);
        const yaml_node_pair_t *pair = find_pair(yaml, node, part);
        const int next = pair != NULL
                             ? pair->value
                             : yaml_document_add_mapping(yaml, NULL, YAML_BLOCK_MAPPING_STYLE);
        if (next == 0 || (pair == NULL && !set_key(yaml, node, part, next)))
            return 0;
        if (yaml_document_get_node(yaml, next)->type != YAML_MAPPING_NODE)
            return node == ROOT ? next : node;
        node = next;
    }
    return node;
}

/* Keys that exclude each other: setting one clears the others. */
static const char *const exclusive[][3] = {{"time.dt", "time.dt_times_n", "time.courant"},
                                           {"output.every", "output.interval"},
                                           {"diagnostics.every", "diagnostics.interval"},
                                           {"checkpoint.every", "checkpoint.interval"}};
enum { EXCLUSIVE = sizeof exclusive / sizeof exclusive[0], ROW = 3 };

/* Clear the keys of a section that are excluded by the key `path`, set to `value`. */
static bool clear_others(yaml_document_t *yaml, int section, const char *path, const char *value)
{
    bool is_done = true;
    char *end = NULL;
    /* 0 switches a key off */
    const bool is_zero = strtod(value, &end) == 0.0 && end != value && *end == '\0';
    for (int k = 0; k < EXCLUSIVE * ROW && !is_zero; k++) {
        const char *set = exclusive[k / ROW][k % ROW];
        for (int i = 0; i < ROW && set != NULL && strcmp(set, path) == 0; i++) {
            const char *other = exclusive[k / ROW][i];
            if (other == NULL || other == set)
                continue;
            other = strchr(other, '.') + 1;
            if (find_pair(yaml, section, other) != NULL)
                is_done = set_key(yaml, section, other, add_scalar(yaml, "0")) && is_done;
        }
    }
    return is_done;
}

swe_status swe_document_set(swe_context *ctx, swe_document *document, const char *origin,
                            const char *assignment, bool is_yaml)
{
    yaml_document_t *yaml = &document->yaml;
    const char *equals = strchr(assignment, '='), *dot = strchr(assignment, '.'), *name = NULL;
    const size_t length = equals != NULL ? (size_t)(equals - assignment) : 0;
    const bool has_dot = equals != NULL && dot != NULL && dot < equals;
    const bool is_list = length > 0 && equals[1] == '[' && !has_dot; /* a section that is a list */
    const bool fits = length < MOST_PATH && document->override_count < MOST_OVERRIDES;
    if (!is_list && (!has_dot || dot == assignment || dot + 1 == equals || !fits))
        return swe_fail(ctx, SWE_CONFIG, "%s %s: expected section.key=value", origin, assignment);
    override *set = &document->overrides[document->override_count];
    int section = 0, value = 0;
    if (fits) {
        snprintf(set->origin, sizeof set->origin, "%s", origin);
        snprintf(set->path, sizeof set->path, "%.*s", (int)length, assignment);
        section = map_of(yaml, set->path, &name);
        value = is_yaml ? swe_yaml_add(yaml, equals + 1) : add_scalar(yaml, equals + 1);
    }
    const yaml_node_t *node = yaml_document_get_node(yaml, section);
    if (node == NULL || node->type != YAML_MAPPING_NODE || value == 0 ||
        !set_key(yaml, section, name, value))
        return swe_fail(ctx, SWE_CONFIG, "%s %.300s: not a value that can be set", origin,
                        assignment);
    if (!clear_others(yaml, section, set->path, equals + 1))
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s %s", origin, assignment);
    document->override_count++;
    return SWE_OK;
}

/* Origin of the last override of a key, or of a key of a section; NULL if there is none. */
static const char *origin_of(const swe_document *document, const char *path, size_t length)
{
    for (int i = document->override_count - 1; i >= 0; i--) {
        const char *set = document->overrides[i].path;
        if (strncmp(set, path, length) == 0 && (set[length] == '\0' || set[length] == '.'))
            return document->overrides[i].origin;
    }
    return NULL;
}

/* Length of the name in a part of a path such as "tracers[0]", and the index; -1: it has none. */
static size_t split_part(const char *part, size_t length, long *index)
{
    const char *bracket = memchr(part, '[', length);
    char *end = NULL;
    *index = -1;
    if (bracket == NULL || bracket[1] < '0' || bracket[1] > '9')
        return length;
    const long number = strtol(bracket + 1, &end, 10);
    if (*end != ']' || end + 1 != part + length)
        return length;
    *index = number;
    return (size_t)(bracket - part);
}

/* A place in the document on the way along a path. */
typedef struct place {
    int node;               /* 0: the path leads nowhere */
    const yaml_node_t *key; /* of the last part: its key, or the entry of a list */
    const char *rest;       /* of the path */
    size_t named;           /* length of the path up to the last part's name */
} place;

/* Go along the next part of a path: a key, or a key and the index of an entry of its list. */
static place next_place(yaml_document_t *yaml, const char *path, place at)
{
    char name[MOST_PATH];
    long index = -1;
    const char *part = at.rest;
    const size_t whole = strcspn(part, "."), length = split_part(part, whole, &index);
    const place nowhere = {.rest = part};
    if (length >= sizeof name)
        return nowhere;
    memcpy(name, part, length);
    name[length] = '\0';
    const yaml_node_pair_t *pair = find_pair(yaml, at.node, name);
    if (pair == NULL)
        return nowhere;
    place next = {.node = pair->value,
                  .key = yaml_document_get_node(yaml, pair->key),
                  .rest = part + whole + (part[whole] == '.'),
                  .named = (size_t)(part - path) + length};
    if (index < 0)
        return next;
    const yaml_node_t *list = yaml_document_get_node(yaml, pair->value);
    if (list == NULL || list->type != YAML_SEQUENCE_NODE ||
        index >= list->data.sequence.items.top - list->data.sequence.items.start)
        return nowhere;
    next.node = list->data.sequence.items.start[index];
    next.key = yaml_document_get_node(yaml, next.node);
    return next;
}

static const yaml_node_t *find_value(swe_document *document, const char *path)
{
    place at = {.node = ROOT, .rest = path};
    while (at.node != 0 && *at.rest != '\0')
        at = next_place(&document->yaml, path, at);
    return yaml_document_get_node(&document->yaml, at.node);
}

const char *swe_document_value(swe_document *document, const char *path)
{
    const yaml_node_t *value = find_value(document, path);
    return value != NULL && value->type == YAML_SCALAR_NODE ? (const char *)value->data.scalar.value
                                                            : NULL;
}

const yaml_node_t *swe_document_list(swe_document *document, const char *path)
{
    const yaml_node_t *value = find_value(document, path);
    return value != NULL && value->type == YAML_SEQUENCE_NODE ? value : NULL;
}

yaml_document_t *swe_document_yaml(swe_document *document)
{
    return &document->yaml;
}

void swe_document_locate(swe_document *document, const char *path, char *text, size_t size)
{
    const char *origin = origin_of(document, path, strlen(path));
    size_t line = 0;
    place at = {.node = ROOT, .rest = path};
    while (origin == NULL && *at.rest != '\0') {
        at = next_place(&document->yaml, path, at);
        if (at.node == 0)
            break;
        if (at.key->end_mark.index == 0) /* not from the file: an override added it */
            origin = origin_of(document, path, at.named);
        else
            line = at.key->start_mark.line + 1;
    }
    if (origin != NULL)
        snprintf(text, size, "%s", origin);
    else if (line > 0)
        snprintf(text, size, "%s:%zu", document->file, line);
    else
        snprintf(text, size, "%s", document->file);
}
