#include "cli/profile_parts.h"

#include <math.h>
#include <string.h>

#include "cli/profiler_options.h"

/* ---- times ----------------------------------------------------------------------------------- */

/* Seconds of a stage in a step of its pipeline; NAN: not reliable, or no step calls it. */
static double stage_seconds(const swe_components *c, const char *stage, size_t length)
{
    for (int row = 0; row < SWE_STAGE_COUNT; row++) {
        const char *name = swe_stage_name(row);
        if (strlen(name) == length && memcmp(name, stage, length) == 0 &&
            c->row[row].name != NULL && c->row[row].calls_per_step > 0 &&
            swe_component_doubt(c, row) == NULL)
            return c->row[row].calls_per_step * c->row[row].seconds.median;
    }
    return NAN;
}

static double share_of(const swe_components *c, const prof_part_samples *part)
{
    return (double)part->samples / (double)prof_samples_of(c->part, c->part_count, part->stage);
}

static double part_seconds(const swe_components *c, const prof_part_samples *part)
{
    return share_of(c, part) * stage_seconds(c, part->stage, strlen(part->stage));
}

/* ---- measuring ------------------------------------------------------------------------------- */

swe_status cli_parts_sample(swe_context *ctx, const swe_config *config, swe_model *model, double dt,
                            const swe_components_keeper *keeper, swe_components *out)
{
    const prof_options options = cli_sampler_options(config);
    prof_profiler *sampler = prof_create(&options);
    if (sampler == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for samples of code");
    const swe_status status = swe_components_sample(ctx, model, dt, sampler, keeper, out);
    prof_destroy(&sampler);
    return status;
}

/* ---- the record ------------------------------------------------------------------------------ */

json_t *cli_parts_json(const swe_components *c)
{
    json_t *rows = json_array();
    for (int k = 0; k < c->part_count; k++)
        json_array_append_new(
            rows, json_pack("{s:s, s:s?, s:I, s:o, s:o}", "stage", c->part[k].stage, "part",
                            c->part[k].name, "samples", (json_int_t)c->part[k].samples,
                            "share_of_stage", swe_json_real(share_of(c, &c->part[k])),
                            "us_per_step", swe_json_real(1e6 * part_seconds(c, &c->part[k]))));
    return rows;
}

void cli_parts_read(reader *r, const node *record, swe_components *out)
{
    typedef struct row {
        const char *stage, *part;
        int64_t samples;
    } row;
    static const field fields[] = {{"stage", FIELD_TEXT, offsetof(row, stage)},
                                   {"part", FIELD_TEXT, offsetof(row, part)},
                                   {"samples", FIELD_COUNT, offsetof(row, samples)}};
    const node rows = read_array(r, record, "parts");
    for (size_t k = 0; k < read_size(&rows) && r->status == SWE_LOADED; k++) {
        const node item = read_item(&rows, k);
        row of = {"", "", 0};
        read_fields(r, &item, FIELDS(fields), &of);
        if (of.samples == 0 || !swe_components_add_samples(of.stage, of.part, of.samples, out))
            reader_refuse(
                r, &item,
                "is not a part of this program's stages, has no samples, or is a duplicate");
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

/* A time, or "-" if it is not known. */
static void print_us(FILE *file, double seconds, int width)
{
    if (isfinite(seconds))
        fprintf(file, "%*.1f", width, 1e6 * seconds);
    else
        fprintf(file, "%*s", width, "-");
}

/* The stages of a list, each with its time in a step. */
static void print_staged(FILE *file, const swe_components *c, const char *stages)
{
    if (*stages == '\0')
        fputc('-', file);
    while (*stages != '\0') {
        const size_t length = strcspn(stages, " ");
        fprintf(file, "%.*s ", (int)length, stages);
        print_us(file, stage_seconds(c, stages, length), 0);
        stages += length;
        stages += strspn(stages, " ");
        fputs(*stages != '\0' ? ", " : "", file);
    }
}

static const char *staged_of(const prof_part_samples *part)
{
    for (int k = 0; k < SWE_PART_COUNT; k++)
        if (part->name != NULL && strcmp(swe_parts[k].stage, part->stage) == 0 &&
            strcmp(swe_parts[k].name, part->name) == 0)
            return swe_part_stages[k];
    return "";
}

/* Print what fusing saves. The model's pipeline is the fused one: its stages alone have parts. */
static void print_saving(FILE *file, const swe_components *c, bool leaps)
{
    const double ratio = swe_component_ratio(c, SWE_COMPONENT_LOOP, SWE_COMPONENT_OTHER_LOOP);
    if (isfinite(ratio))
        fprintf(
            file, "\nA %s step in a loop takes %.1f us, a staged one %s%.1f us: %s %s %.0f %%.\n",
            leaps ? "leapfrog" : "fused", 1e6 * c->row[SWE_COMPONENT_LOOP].seconds.median,
            leaps ? "of RK4 " : "", 1e6 * c->row[SWE_COMPONENT_OTHER_LOOP].seconds.median,
            leaps ? "it" : "fusing", ratio < 1.0 ? "saves" : "costs", 100.0 * fabs(1.0 - ratio));
    else
        fputs("\nThe gain of fusing is not reliable: its loops of steps are not.\n", file);
}

void cli_parts_print(FILE *file, const swe_components *c, bool leaps)
{
    long long samples = 0;
    if (c->part_count == 0)
        return;
    fputs("\n| stage     | part                    | share of the stage | us a step | staged, us a "
          "step\n"
          "|-----------|-------------------------|-------------------:|----------:|----------------"
          "---"
          "\n",
          file);
    for (int k = 0; k < c->part_count; k++) {
        const prof_part_samples *part = &c->part[k];
        samples += part->samples;
        fprintf(file, "| %-9s | %-23s | %16.1f %% | ", part->stage,
                part->name != NULL ? part->name : "(other)", 100.0 * share_of(c, part));
        print_us(file, part_seconds(c, part), 9);
        fputs(" | ", file);
        print_staged(file, c, staged_of(part));
        fputc('\n', file);
    }
    fprintf(file,
            "\nParts of a stage: %lld samples of the code that threads ran. A part's time is its "
            "share of the samples times the time of its stage called alone. A stage of the staged "
            "pipeline may stand beside several parts.\n",
            samples);
    print_saving(file, c, leaps);
}
