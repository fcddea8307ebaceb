/* Loads gpu_log.csv: the GPU's state over the whole run, in the format of nvidia-smi dmon. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/input_file.h"
#include "report/internal.h"

enum { MAX_COLUMNS = 32, FIRST_COLUMN = 2 /* after date and time */ };

static const struct {
    const char *name;
    size_t sample, quantity; /* where it is kept */
    double unit;
} known[] = {
#define OFFSETS(member) offsetof(prof_gpu_sample, member), offsetof(prof_report_log, member)
    {"sm", OFFSETS(sm), 1.0},
    {"mem", OFFSETS(memory), 1.0},
    {"pclk", OFFSETS(sm_clock), 1.0},
    {"mclk", OFFSETS(memory_clock), 1.0},
    {"pwr", OFFSETS(power), 1.0},
    {"gtemp", OFFSETS(temperature), 1.0},
    {"fb", OFFSETS(memory_used), 1048576.0}
#undef OFFSETS
};
enum { KNOWN = sizeof known / sizeof known[0] };

/* Index of the known quantity of each column; -1: none. */
typedef struct columns {
    int of[MAX_COLUMNS], count;
} columns;

/* The next field of a line that ends in a line feed, without spaces before it; NULL at its end. */
static char *next_field(char **line)
{
    if (**line == '\0')
        return NULL;
    char *field = *line + strspn(*line, " ");
    char *end = field + strcspn(field, ",\n");
    *line = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return field;
}

static bool read_heading(char *line, columns *out)
{
    const char *const first[FIRST_COLUMN] = {"#Date", "Time"};
    out->count = 0;
    for (char *name; (name = next_field(&line)) != NULL; out->count++) {
        if (out->count == MAX_COLUMNS ||
            (out->count < FIRST_COLUMN && strcmp(name, first[out->count]) != 0))
            return false;
        out->of[out->count] = -1;
        for (int k = 0; k < KNOWN; k++)
            if (strcmp(name, known[k].name) == 0)
                out->of[out->count] = k;
    }
    return out->count > FIRST_COLUMN;
}

/* Convert the local time of the log to ns since the epoch. */
static bool read_time(const char *date, const char *time_of_day, double *ns)
{
    struct tm local = {.tm_isdst = -1};
    double seconds = 0.0;
    int date_end = 0, time_end = 0;
    if (date == NULL || time_of_day == NULL ||
        sscanf(date, "%4d%2d%2d%n", &local.tm_year, &local.tm_mon, &local.tm_mday, &date_end) !=
            3 ||
        sscanf(time_of_day, "%2d:%2d:%lf%n", &local.tm_hour, &local.tm_min, &seconds, &time_end) !=
            3 ||
        date[date_end] != '\0' || time_of_day[time_end] != '\0')
        return false;
    local.tm_year -= 1900;
    local.tm_mon--;
    const time_t minute = mktime(&local);
    *ns = 1e9 * ((double)minute + seconds);
    return minute > 0 && seconds >= 0.0 && *ns < 9e18; /* differences are of int64_t */
}

static bool read_row(char *line, const columns *columns, prof_gpu_sample *out, double *ns)
{
    *out = (prof_gpu_sample){0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    const char *date = next_field(&line), *time_of_day = next_field(&line);
    if (!read_time(date, time_of_day, ns))
        return false;
    for (int k = FIRST_COLUMN; k < columns->count; k++) {
        const char *field = next_field(&line);
        char *end = NULL;
        if (field == NULL)
            return false;
        const double value = strtod(field, &end);
        const bool is_known = strcmp(field, "-") != 0; /* "-": unknown to the driver */
        if (is_known && (end == field || *end != '\0' || !isfinite(value)))
            return false;
        if (is_known && columns->of[k] >= 0)
            *(double *)((char *)out + known[columns->of[k]].sample) =
                value * known[columns->of[k]].unit;
    }
    return next_field(&line) == NULL;
}

/* Append a sample. After the clock was set back, times stay constant until it has caught up. */
static bool add_sample(prof_report_log *log, int64_t *room, prof_gpu_sample sample, double ns)
{
    prof_gpu_sample *samples = prof_grow(log->samples, log->count, room, sizeof *samples);
    if (samples == NULL)
        return false;
    log->samples = samples;
    if (log->count == 0)
        log->start = ns;
    sample.time = (int64_t)(ns - log->start);
    if (log->count > 0 && sample.time < log->samples[log->count - 1].time)
        sample.time = log->samples[log->count - 1].time;
    log->samples[log->count++] = sample;
    return true;
}

/* Read and count all complete lines; NULL, or the reason of the failure. An incomplete last line is
 * still being written. */
static const char *read_lines(FILE *file, prof_report_log *log, int *lines)
{
    char line[SWE_LINE_SIZE];
    int64_t room = 0;
    const char *wrong = NULL, *why = NULL;
    columns columns = {.count = 0};
    while (wrong == NULL && swe_input_line(file, line, &why)) {
        prof_gpu_sample sample;
        double ns = 0.0;
        if (++*lines == 1)
            wrong = read_heading(line, &columns) ? NULL : "not the headings of such a log";
        else if (line[0] == '#')
            continue; /* units */
        else if (!read_row(line, &columns, &sample, &ns))
            wrong = "not a sample of what the headings name";
        else if (!add_sample(log, &room, sample, ns))
            wrong = "out of memory";
    }
    *lines += why != NULL; /* the line that could not be read */
    return wrong != NULL ? wrong : why;
}

static void compute_statistics(prof_report_log *log)
{
    for (int k = 0; k < KNOWN; k++) {
        prof_report_quantity *q = (prof_report_quantity *)((char *)log + known[k].quantity);
        *q = (prof_report_quantity){0, 0.0, INFINITY, -INFINITY};
        for (int64_t s = 0; s < log->count; s++) {
            const double value = *(double *)((char *)&log->samples[s] + known[k].sample);
            if (isnan(value))
                continue;
            q->mean += (value - q->mean) / (double)++q->count;
            q->min = fmin(q->min, value);
            q->max = fmax(q->max, value);
        }
    }
}

static void keep(pool *pool, prof_report_log *read, prof_report_log *out)
{
    prof_gpu_sample *samples = pool_array(pool, (size_t)read->count, sizeof *samples);
    if (samples == NULL)
        return;
    memcpy(samples, read->samples, (size_t)read->count * sizeof *samples);
    compute_statistics(read);
    *out = *read;
    out->samples = samples;
}

void load_log(const char *path, swe_log *log, pool *pool, prof_report_log *out)
{
    prof_report_log read = {.count = 0};
    int lines = 0;
    swe_load status;
    char why[SWE_WHY_SIZE];
    if (access(path, F_OK) != 0)
        return;
    FILE *file = swe_input_open(path, SIZE_MAX, &status, why);
    const char *wrong = file == NULL ? why : read_lines(file, &read, &lines);
    if (file != NULL)
        fclose(file);
    if (wrong != NULL)
        swe_warn(log, "%s: line %d: %s; the GPU's state over the whole run is left out", path,
                 lines, wrong);
    else if (read.samples != NULL)
        keep(pool, &read, out);
    free(read.samples);
}
