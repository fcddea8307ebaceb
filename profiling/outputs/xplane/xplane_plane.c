/* Packing planes: lines, events and stats. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>

#include "base/text.h"
#include "outputs/xplane/internal.h"

static void bytes_open(xplane_bytes *bytes)
{
    *bytes = (xplane_bytes){NULL, NULL, 0};
    bytes->file = open_memstream(&bytes->bytes, &bytes->size);
}

/* Complete the bytes; false: out of memory. */
static bool bytes_close(xplane_bytes *bytes)
{
    if (bytes->file == NULL)
        return false;
    const bool complete = ferror(bytes->file) == 0;
    const bool closed = fclose(bytes->file) == 0;
    bytes->file = NULL;
    return complete && closed && bytes->bytes != NULL;
}

void xplane_begin(xplane_plane *plane, int64_t id, const char *name, int64_t zero)
{
    *plane = (xplane_plane){.zero = zero};
    bytes_open(&plane->body);
    ProfXplane__Plane head = PROF_XPLANE__PLANE__INIT;
    head.id = id;
    head.name = (char *)name;
    prof_file_pack(plane->body.file, &head.base);
}

void xplane_line_begin(xplane_plane *plane, int64_t id, const char *name)
{
    bytes_open(&plane->line);
    ProfXplane__Line head = PROF_XPLANE__LINE__INIT;
    head.id = id;
    head.name = (char *)name;
    prof_file_pack(plane->line.file, &head.base);
}

void xplane_line_end(xplane_plane *plane)
{
    if (bytes_close(&plane->line)) {
        ProtobufCBinaryData line = {plane->line.size, (uint8_t *)plane->line.bytes};
        ProfXplane__Plane piece = PROF_XPLANE__PLANE__INIT;
        piece.n_lines = 1;
        piece.lines = &line;
        prof_file_pack(plane->body.file, &piece.base);
    } else
        plane->failed = true;
    free(plane->line.bytes);
    plane->line.bytes = NULL;
}

int64_t xplane_offset(const xplane_plane *plane, int64_t time)
{
    return time > plane->zero ? 1000 * (time - plane->zero) : 0;
}

/* The number of a text; its first use determines the name that is displayed. */
static int64_t number_of(xplane_plane *plane, prof_texts *names, const char *text,
                         const char *display)
{
    const int64_t known = names->count;
    prof_text *name = prof_texts_find(names, text);
    if (name == NULL) {
        plane->failed = true;
        return 0;
    }
    if (names->count > known)
        name->display = display;
    return name->number;
}

/* The array of pointers that protobuf-c needs. */
static size_t point_at(xplane_stats *stats, ProfXplane__Stat *pointer[XPLANE_MOST_STATS])
{
    for (int k = 0; k < stats->count; k++)
        pointer[k] = &stats->stat[k];
    return (size_t)stats->count;
}

void xplane_event(xplane_stats *stats, const char *name, const char *display, int64_t offset,
                  int64_t end_offset)
{
    xplane_plane *plane = stats->plane;
    ProfXplane__Stat *pointer[XPLANE_MOST_STATS];
    ProfXplane__Event event = PROF_XPLANE__EVENT__INIT, *events = &event;
    event.name_id = number_of(plane, &plane->event_names, name, display);
    event.offset_ps = offset;
    event.duration_ps = end_offset > offset ? end_offset - offset : 0;
    event.n_stats = point_at(stats, pointer);
    event.stats = pointer;
    ProfXplane__Line piece = PROF_XPLANE__LINE__INIT;
    piece.n_events = 1;
    piece.events = &events;
    prof_file_pack(plane->line.file, &piece.base);
}

void xplane_plane_stats(xplane_stats *stats)
{
    ProfXplane__Stat *pointer[XPLANE_MOST_STATS];
    ProfXplane__Plane piece = PROF_XPLANE__PLANE__INIT;
    piece.n_stats = point_at(stats, pointer);
    piece.stats = pointer;
    prof_file_pack(stats->plane->body.file, &piece.base);
}

static ProfXplane__Stat *next(xplane_stats *stats, const char *name)
{
    assert(stats->count < XPLANE_MOST_STATS);
    ProfXplane__Stat *stat = &stats->stat[stats->count++];
    prof_xplane__stat__init(stat);
    stat->name_id = number_of(stats->plane, &stats->plane->stat_names, name, NULL);
    return stat;
}

void xplane_stat_integer(xplane_stats *stats, const char *name, int64_t value)
{
    ProfXplane__Stat *stat = next(stats, name);
    stat->value_case = PROF_XPLANE__STAT__VALUE_INTEGER;
    stat->integer = value;
}

void xplane_stat_natural(xplane_stats *stats, const char *name, uint64_t value)
{
    ProfXplane__Stat *stat = next(stats, name);
    stat->value_case = PROF_XPLANE__STAT__VALUE_NATURAL;
    stat->natural = value;
}

void xplane_stat_real(xplane_stats *stats, const char *name, double value)
{
    ProfXplane__Stat *stat = next(stats, name);
    stat->value_case = PROF_XPLANE__STAT__VALUE_REAL;
    stat->real = value;
}

void xplane_stat_text(xplane_stats *stats, const char *name, const char *value)
{
    ProfXplane__Stat *stat = next(stats, name);
    stat->value_case = PROF_XPLANE__STAT__VALUE_TEXT_ID;
    stat->text_id = (uint64_t)number_of(stats->plane, &stats->plane->stat_names, value, NULL);
}

void xplane_stat_blob(xplane_stats *stats, const char *name, ProtobufCBinaryData value)
{
    ProfXplane__Stat *stat = next(stats, name);
    stat->value_case = PROF_XPLANE__STAT__VALUE_BLOB;
    stat->blob = value;
}

static void pack_name(xplane_plane *plane, ProfXplane__Name *name, bool is_of_event)
{
    ProfXplane__NameEntry entry = PROF_XPLANE__NAME_ENTRY__INIT, *entries = &entry;
    ProfXplane__Plane piece = PROF_XPLANE__PLANE__INIT;
    entry.key = name->id;
    entry.value = name;
    *(is_of_event ? &piece.n_event_names : &piece.n_stat_names) = 1;
    *(is_of_event ? &piece.event_names : &piece.stat_names) = &entries;
    prof_file_pack(plane->body.file, &piece.base);
}

static void pack_names(xplane_plane *plane, const prof_texts *names, bool are_of_events)
{
    for (int64_t k = 0; k < names->count; k++) {
        prof_text *text = names->item[k];
        swe_to_utf8(text->text);
        ProfXplane__Name name = PROF_XPLANE__NAME__INIT;
        name.id = text->number;
        name.name = text->text;
        if (text->display != NULL)
            name.display_name = (char *)text->display;
        pack_name(plane, &name, are_of_events);
    }
}

void xplane_event_name(xplane_stats *stats, int64_t id, const char *text)
{
    ProfXplane__Stat *pointer[XPLANE_MOST_STATS];
    ProfXplane__Name name = PROF_XPLANE__NAME__INIT;
    name.id = id;
    name.name = (char *)text;
    name.n_stats = point_at(stats, pointer);
    name.stats = pointer;
    pack_name(stats->plane, &name, true);
}

bool xplane_end(xplane_plane *plane, FILE *space)
{
    pack_names(plane, &plane->event_names, true);
    pack_names(plane, &plane->stat_names, false);
    const bool complete = bytes_close(&plane->body) && !plane->failed;
    if (complete) {
        ProtobufCBinaryData body = {plane->body.size, (uint8_t *)plane->body.bytes};
        ProfXplane__Space piece = PROF_XPLANE__SPACE__INIT;
        piece.n_planes = 1;
        piece.planes = &body;
        prof_file_pack(space, &piece.base);
    }
    free(plane->body.bytes);
    prof_texts_destroy(&plane->event_names);
    prof_texts_destroy(&plane->stat_names);
    return complete;
}

/* ---- names of operations ---- */

enum { NAME_LENGTH = 120 }; /* longest part of one name */

/* Append a name without the separators '/' and ':'. A type has only lower-case letters, digits and
 * '_': XProf does not count operations with other types. */
static size_t append_name(char *text, size_t at, const char *name, bool is_type)
{
    if (is_type && !isalpha((unsigned char)name[0]))
        text[at++] = '_';
    for (int k = 0; k < NAME_LENGTH && name[k] != '\0'; k++) {
        const unsigned char c = (unsigned char)name[k];
        if (is_type)
            text[at++] = isalnum(c) ? (char)tolower(c) : '_';
        else
            text[at++] = c == '/' || c == ':' ? '_' : (char)c;
    }
    return at;
}

static size_t append_scopes(const prof_trace *trace, int32_t span, char *text)
{
    if (span < 0 || trace->spans[span].kind == PROF_STEP || trace->spans[span].kind == PROF_PHASE)
        return 0;
    size_t at = append_scopes(trace, trace->spans[span].parent, text);
    if (at + 3 * (NAME_LENGTH + 2) >= XPLANE_OP_NAME_SIZE)
        return at; /* no room for deeper scopes: keep the outer ones */
    at = append_name(text, at, trace->spans[span].name, false);
    text[at++] = '/';
    return at;
}

void xplane_op_name(const prof_trace *trace, int32_t span, const char *stage,
                    char text[XPLANE_OP_NAME_SIZE])
{
    size_t at = span >= 0 ? append_scopes(trace, trace->spans[span].parent, text) : 0;
    at = append_name(text, at, stage, false);
    text[at++] = ':';
    at = append_name(text, at, stage, true);
    text[at] = '\0';
}
