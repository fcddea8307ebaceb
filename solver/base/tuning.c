#include "base/tuning.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "CUBESWE_TUNING";

const swe_knob swe_knobs[SWE_TUNING_COUNT] = {
#define KNOB_ROW(name, standard, least, most, meaning) {#name, standard, least, most, meaning},
    SWE_TUNING_LIST(KNOB_ROW)
#undef KNOB_ROW
};

static int values[SWE_TUNING_COUNT] = {
#define KNOB_VALUE(name, standard, least, most, meaning) standard,
    SWE_TUNING_LIST(KNOB_VALUE)
#undef KNOB_VALUE
};

int swe_tuning(int knob)
{
    return values[knob];
}

double swe_tuning_patience(double seconds)
{
    return seconds * values[SWE_TUNING_patience] / 100.0;
}

static swe_status refuse_name(swe_context *ctx, const char *name, size_t length)
{
    char names[512] = "";
    size_t used = 0;
    for (int k = 0; k < SWE_TUNING_COUNT && used < sizeof names; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", k > 0 ? ", " : "",
                                 swe_knobs[k].name);
    return swe_fail(ctx, SWE_CONFIG, "%s: '%.*s' is not a knob (%s)", variable,
                    (int)(length < 100 ? length : 100), name, names);
}

/* Set the knob of "name=value", `length` characters. */
static swe_status set(swe_context *ctx, const char *text, size_t length)
{
    const char *const equals = memchr(text, '=', length);
    const size_t name = equals != NULL ? (size_t)(equals - text) : length;
    int k = 0;
    while (k < SWE_TUNING_COUNT &&
           (strlen(swe_knobs[k].name) != name || strncmp(swe_knobs[k].name, text, name) != 0))
        k++;
    if (k == SWE_TUNING_COUNT)
        return refuse_name(ctx, text, name);
    const swe_knob *knob = &swe_knobs[k];
    char number[24], *end = number;
    snprintf(number, sizeof number, "%.*s",
             equals != NULL ? (int)(length - name - 1 < 21 ? length - name - 1 : 21) : 0,
             text + name + 1);
    errno = 0;
    const long value = strtol(number, &end, 10);
    if (end == number || *end != '\0' || strlen(number) > 20 || errno != 0 || value < knob->least ||
        value > knob->most)
        return swe_fail(ctx, SWE_CONFIG, "%s: %s: '%s' is not a number from %d to %d", variable,
                        knob->name, number, knob->least, knob->most);
    if (k == SWE_TUNING_graph_steps && value % 2 != 0)
        return swe_fail(ctx, SWE_CONFIG, "%s: %s: %ld is odd", variable, knob->name, value);
    values[k] = (int)value;
    return SWE_OK;
}

static void reset(void)
{
    for (int k = 0; k < SWE_TUNING_COUNT; k++)
        values[k] = swe_knobs[k].standard;
}

swe_status swe_tuning_load(swe_context *ctx)
{
    reset();
    const char *text = getenv(variable);
    while (text != NULL && *text != '\0') {
        const size_t length = strcspn(text, ",");
        const swe_status status = set(ctx, text, length);
        if (status != SWE_OK) {
            reset();
            return status;
        }
        text += length + (text[length] == ',');
    }
    return SWE_OK;
}

void swe_tuning_text(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < SWE_TUNING_COUNT && used < size; k++)
        if (values[k] != swe_knobs[k].standard)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%d", used > 0 ? "," : "",
                                     swe_knobs[k].name, values[k]);
}

void swe_tuning_write_reference(FILE *file)
{
    fprintf(file, "| knob of `%s` | default | range | meaning |\n|---|---|---|---|\n", variable);
    for (const swe_knob *knob = swe_knobs; knob < swe_knobs + SWE_TUNING_COUNT; knob++)
        fprintf(file, "| `%s` | %d | %d to %d | %s |\n", knob->name, knob->standard, knob->least,
                knob->most, knob->meaning);
}
