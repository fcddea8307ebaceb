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

/* Indices of the texts that every profile has in its string table. The texts of site k, its label,
 * function and file, follow from FIXED_TEXTS + TEXTS_OF_SITE * k on. */
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

/* The sample of one allocation site. */
typedef struct site_sample {
    const prof_place *site;
    int64_t value[VALUES]; /* allocations, bytes */
} site_sample;

/* The samples of the sites with blocks; free() them. NULL: out of memory. */
static site_sample *samples_of(const prof_trace *trace, const prof_blocks *blocks, int32_t *count)
{
    site_sample *samples = calloc((size_t)trace->site_count + 1, sizeof *samples);
    *count = 0;
    if (samples == NULL)
        return NULL;
    for (int32_t k = 0; k < blocks->count; k++) {
        int64_t *value = samples[blocks->block[k].site].value;
        value[0]++;
        value[1] += blocks->block[k].bytes;
    }
    for (int32_t s = 0; s < trace->site_count; s++)
        if (samples[s].value[0] > 0) {
            samples[*count] = samples[s];
            samples[(*count)++].site = &trace->sites[s];
        }
    return samples;
}

static int64_t first_text(int32_t k)
{
    return FIXED_TEXTS + TEXTS_OF_SITE * (int64_t)k;
}

/* The number of the location and the function of a frame of site k; frame 0 is the leaf. */
static uint64_t frame_id(int32_t k, int frame)
{
    return FRAMES * (uint64_t)k + (uint64_t)frame + 1;
}

/* Append some fields of the profile: a message is the concatenation of its fields. */
static void append(FILE *file, Pprof__Profile piece)
{
    prof_file_pack(file, &piece.base);
}
#define PIECE .base = PROTOBUF_C_MESSAGE_INIT(&pprof__profile__descriptor)

static void write_type(FILE *file, int64_t type, int64_t unit)
{
    Pprof__ValueType value = PPROF__VALUE_TYPE__INIT, *values = &value;
    value.type = type;
    value.unit = unit;
    append(file, (Pprof__Profile){PIECE, .n_sample_type = 1, .sample_type = &values});
}

static Pprof__Label label_of(int64_t key, int64_t text)
{
    Pprof__Label label = PPROF__LABEL__INIT;
    label.key = key;
    label.str = text;
    return label;
}

/* pprof reads a label with an empty text as a number: without a device name there is none. */
static void write_sample(FILE *file, site_sample *s, int32_t k, bool has_device_name)
{
    uint64_t stack[FRAMES] = {frame_id(k, 0), frame_id(k, 1)};
    Pprof__Label label[LABELS] = {label_of(TEXT_KIND, TEXT_BUFFER),
                                  label_of(TEXT_LABEL, first_text(k)),
                                  label_of(TEXT_DEVICE, TEXT_DEVICE_NAME)};
    Pprof__Label *labels[LABELS] = {&label[0], &label[1], &label[2]};
    Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
    sample.location_id = stack;
    sample.n_location_id = FRAMES;
    sample.value = s->value;
    sample.n_value = VALUES;
    sample.label = labels;
    sample.n_label = has_device_name ? LABELS : LABELS - 1;
    append(file, (Pprof__Profile){PIECE, .n_sample = 1, .sample = &samples});
}

static void write_location(FILE *file, uint64_t id, int32_t number)
{
    Pprof__Line line = PPROF__LINE__INIT, *lines = &line;
    Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;
    line.function_id = location.id = id;
    line.line = number;
    location.line = &lines;
    location.n_line = 1;
    append(file, (Pprof__Profile){PIECE, .n_location = 1, .location = &locations});
}

static void write_function(FILE *file, uint64_t id, int64_t name, int64_t path)
{
    Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;
    function.id = id;
    function.name = name;
    function.filename = path;
    append(file, (Pprof__Profile){PIECE, .n_function = 1, .function = &functions});
}

static void write_texts(FILE *file, const char *const *texts, size_t count)
{
    append(file, (Pprof__Profile){PIECE, .n_string_table = count, .string_table = (char **)texts});
}

static void write_profile(FILE *file, const prof_trace *trace, int64_t time, site_sample *samples,
                          int32_t count)
{
    const char *const fixed[FIXED_TEXTS] = {
        [TEXT_EMPTY] = "",        [TEXT_ALLOCATIONS] = "allocations",
        [TEXT_COUNT] = "count",   [TEXT_SPACE] = "space",
        [TEXT_BYTES] = "bytes",   [TEXT_KIND] = "kind",
        [TEXT_BUFFER] = "buffer", [TEXT_LABEL] = "label",
        [TEXT_DEVICE] = "device", [TEXT_DEVICE_NAME] = trace->device.name};
    write_type(file, TEXT_ALLOCATIONS, TEXT_COUNT);
    write_type(file, TEXT_SPACE, TEXT_BYTES);
    for (int32_t k = 0; k < count; k++)
        write_sample(file, &samples[k], k, trace->device.name[0] != '\0');
    for (int32_t k = 0; k < FRAMES * count; k++)
        write_location(file, frame_id(k / FRAMES, k % FRAMES), samples[k / FRAMES].site->line);
    for (int32_t k = 0; k < FRAMES * count; k++) {
        const int64_t text = first_text(k / FRAMES);
        write_function(file, frame_id(k / FRAMES, k % FRAMES), text + k % FRAMES, text + FRAMES);
    }
    write_texts(file, fixed, FIXED_TEXTS);
    for (int32_t k = 0; k < count; k++) {
        const prof_place *site = samples[k].site;
        write_texts(file, (const char *[]){site->label, site->function, site->file}, TEXTS_OF_SITE);
    }
    append(file, (Pprof__Profile){PIECE, .time_nanos = time, .default_sample_type = TEXT_SPACE});
}

/* The profile's bytes; free() them. NULL: out of memory. */
static char *pack(const prof_trace *trace, const prof_blocks *blocks, size_t *size)
{
    char *bytes = NULL;
    int32_t count = 0;
    site_sample *samples = samples_of(trace, blocks, &count);
    FILE *file = samples != NULL ? open_memstream(&bytes, size) : NULL;
    bool packed = file != NULL;
    if (packed) {
        write_profile(file, trace, blocks->time, samples, count);
        packed = ferror(file) == 0;
        packed = fclose(file) == 0 && packed;
    }
    free(samples);
    if (packed)
        return bytes;
    free(bytes);
    return NULL;
}

static bool write_blocks(const prof_trace *trace, const prof_blocks *blocks, const char *directory,
                         const char *name, swe_log *log)
{
    size_t size = 0;
    char *bytes = pack(trace, blocks, &size);
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
