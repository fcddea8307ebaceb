/* Device memory as two pprof profiles: blocks allocated when the window opened and when it closed.
 * `go tool pprof -base` shows their difference.
 *
 * Each allocation site is one sample. Its stack has two frames: the label of the memory ("state y")
 * as the leaf, called from the function that allocates. A list by function therefore shows the use
 * of memory, and a call tree also shows where it is allocated. */
#include <stdlib.h>

#include "outputs/output.h"
#include "pprof.pb-c.h"

enum { VALUES = 2, FRAMES = 2, LABELS = 3, TEXTS_OF_SITE = 3 };

/* Indices of the texts that every profile has in its string table. */
enum {
    TEXT_EMPTY,
    TEXT_ALLOCATIONS,
    TEXT_COUNT,
    TEXT_SPACE,
    TEXT_BYTES,
    TEXT_KIND,
    TEXT_BUFFER,
    TEXT_LABEL,
    TEXT_DEVICE,
    TEXT_DEVICE_NAME,
    FIXED_TEXTS
};

/* The sample of one allocation site, with the messages that it points to. */
typedef struct site_sample {
    Pprof__Sample sample;
    int64_t value[VALUES]; /* allocations, bytes */
    uint64_t stack[FRAMES];
    Pprof__Label site_label, *label[LABELS];
    struct {
        Pprof__Location location;
        Pprof__Line line, *lines;
        Pprof__Function function;
    } frame[FRAMES];
} site_sample;

/* A profile with the messages that it points to. */
typedef struct builder {
    Pprof__Profile profile;
    Pprof__ValueType type[VALUES], *types[VALUES];
    Pprof__Label kind, device;
    size_t labels; /* labels per sample: LABELS, or one less without a device name */
    site_sample *of_site;
} builder;

static Pprof__Label label_of(int64_t key, int64_t text)
{
    Pprof__Label label = PPROF__LABEL__INIT;
    label.key = key;
    label.str = text;
    return label;
}

static int64_t add_text(Pprof__Profile *profile, const char *text)
{
    profile->string_table[profile->n_string_table] = (char *)text;
    return (int64_t)profile->n_string_table++;
}

static void add_fixed_texts(Pprof__Profile *profile, const char *device)
{
    static const char *const texts[] = {
        [TEXT_EMPTY] = "",        [TEXT_ALLOCATIONS] = "allocations",
        [TEXT_COUNT] = "count",   [TEXT_SPACE] = "space",
        [TEXT_BYTES] = "bytes",   [TEXT_KIND] = "kind",
        [TEXT_BUFFER] = "buffer", [TEXT_LABEL] = "label",
        [TEXT_DEVICE] = "device"};
    for (int k = 0; k < TEXT_DEVICE_NAME; k++)
        add_text(profile, texts[k]);
    add_text(profile, device);
}

static void add_types(builder *b)
{
    static const int64_t type[VALUES] = {TEXT_ALLOCATIONS, TEXT_SPACE};
    static const int64_t unit[VALUES] = {TEXT_COUNT, TEXT_BYTES};
    for (int k = 0; k < VALUES; k++) {
        pprof__value_type__init(&b->type[k]);
        b->type[k].type = type[k];
        b->type[k].unit = unit[k];
        b->types[k] = &b->type[k];
    }
    b->profile.sample_type = b->types;
    b->profile.n_sample_type = VALUES;
    b->profile.default_sample_type = TEXT_SPACE;
}

/* Frame `f` of a site's stack; 0 is the leaf. */
static void add_frame(Pprof__Profile *profile, site_sample *s, int f, int64_t name, int64_t file,
                      int32_t line)
{
    const uint64_t id = profile->n_location + 1;
    s->stack[f] = id;
    Pprof__Function *function = &s->frame[f].function;
    pprof__function__init(function);
    function->id = id;
    function->name = name;
    function->filename = file;
    profile->function[profile->n_function++] = function;

    s->frame[f].lines = &s->frame[f].line;
    pprof__line__init(s->frame[f].lines);
    s->frame[f].line.function_id = id;
    s->frame[f].line.line = line;
    Pprof__Location *location = &s->frame[f].location;
    pprof__location__init(location);
    location->id = id;
    location->line = &s->frame[f].lines;
    location->n_line = 1;
    profile->location[profile->n_location++] = location;
}

static void add_site(builder *b, const prof_place *site, site_sample *s)
{
    Pprof__Profile *profile = &b->profile;
    const int64_t label = add_text(profile, site->label);
    const int64_t function = add_text(profile, site->function);
    const int64_t file = add_text(profile, site->file);
    add_frame(profile, s, 0, label, file, site->line);
    add_frame(profile, s, 1, function, file, site->line);

    s->site_label = label_of(TEXT_LABEL, label);
    s->label[0] = &b->kind;
    s->label[1] = &s->site_label;
    s->label[2] = &b->device;
    pprof__sample__init(&s->sample);
    s->sample.location_id = s->stack;
    s->sample.n_location_id = FRAMES;
    s->sample.value = s->value;
    s->sample.n_value = VALUES;
    s->sample.label = s->label;
    s->sample.n_label = b->labels;
    profile->sample[profile->n_sample++] = &s->sample;
}

static void release(builder *b)
{
    free(b->of_site);
    free(b->profile.sample);
    free(b->profile.location);
    free(b->profile.function);
    free(b->profile.string_table);
}

static bool allocate(builder *b, size_t sites)
{
    Pprof__Profile *profile = &b->profile;
    b->of_site = calloc(sites + 1, sizeof *b->of_site);
    profile->sample = calloc(sites + 1, sizeof(Pprof__Sample *));
    profile->location = calloc(FRAMES * sites + 1, sizeof(Pprof__Location *));
    profile->function = calloc(FRAMES * sites + 1, sizeof(Pprof__Function *));
    profile->string_table = calloc(FIXED_TEXTS + TEXTS_OF_SITE * sites, sizeof(char *));
    return b->of_site && profile->sample && profile->location && profile->function &&
           profile->string_table;
}

static void fill(builder *b, const prof_trace *trace, const prof_blocks *blocks)
{
    b->profile.time_nanos = blocks->time;
    add_fixed_texts(&b->profile, trace->device.name);
    add_types(b);
    b->kind = label_of(TEXT_KIND, TEXT_BUFFER);
    b->device = label_of(TEXT_DEVICE, TEXT_DEVICE_NAME);
    /* pprof reads a label with an empty text as a number */
    b->labels = trace->device.name[0] != '\0' ? LABELS : LABELS - 1;
    for (int32_t k = 0; k < blocks->count; k++) {
        int64_t *value = b->of_site[blocks->block[k].site].value;
        value[0]++;
        value[1] += blocks->block[k].bytes;
    }
    for (int32_t s = 0; s < trace->site_count; s++)
        if (b->of_site[s].value[0] > 0)
            add_site(b, &trace->sites[s], &b->of_site[s]);
}

/* The profile's bytes; free() them. NULL: out of memory. */
static uint8_t *pack(const prof_trace *trace, const prof_blocks *blocks, size_t *size)
{
    builder b = {.profile = PPROF__PROFILE__INIT};
    uint8_t *bytes = NULL;
    if (allocate(&b, (size_t)trace->site_count)) {
        fill(&b, trace, blocks);
        *size = pprof__profile__get_packed_size(&b.profile);
        bytes = malloc(*size);
        if (bytes != NULL)
            pprof__profile__pack(&b.profile, bytes);
    }
    release(&b);
    return bytes;
}

static bool write_blocks(const prof_trace *trace, const prof_blocks *blocks, const char *directory,
                         const char *name, swe_log *log)
{
    size_t size = 0;
    uint8_t *bytes = pack(trace, blocks, &size);
    if (bytes == NULL) {
        swe_warn(log, "%s/%s: cannot be written: out of memory", directory, name);
        return false;
    }
    const bool written = prof_file_write_gzip(directory, name, bytes, size, log);
    free(bytes);
    return written;
}

bool prof_write_memory(const prof_trace *trace, const char *directory, swe_log *log)
{
    return write_blocks(trace, &trace->before, directory, "memory_before.pprof.gz", log) &&
           write_blocks(trace, &trace->after, directory, "memory.pprof.gz", log);
}
