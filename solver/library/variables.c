#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hint.h"
#include "base/memory.h"
#include "files/conversion/interpolation.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "library/internal.h"
#include "run/start_file.h"

/* ---- the list -------------------------------------------------------------------------------- */

static bool has_output(const cubeswe_model *m, const swe_output *o)
{
    return (o->flows & 1 << swe_physics_flow(&m->model->physics)) != 0;
}

static bool is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && strncmp(word, text, length) == 0;
}

/* The word of output.fields that a text names, or that a variable of this name has, as a set; none
 * for other texts. */
static unsigned word_of(const cubeswe_model *m, const char *text, size_t length)
{
    for (const swe_output *o = swe_outputs; o < swe_outputs + SWE_OUTPUTS; o++)
        if (has_output(m, o) &&
            (is_word(o->of_word, text, length) || is_word(o->name, text, length)))
            return 1u << o->word;
    return 0u;
}

/* The present state as a snapshot with the variables of some words, and the exact h. */
static swe_status take(swe_context *ctx, cubeswe_model *m, unsigned chosen, swe_snapshot *out)
{
    if (swe_outputs_need(chosen, SWE_FROM_VORTICITY) ||
        swe_outputs_need(chosen, SWE_FROM_DIVERGENCE))
        SWE_TRY(library_check_between_steps(ctx, m));
    SWE_TRY(swe_simulation_take_snapshot(ctx, m->simulation, m->fields, chosen, m->steps, out));
    out->time = out->exact_time = cubeswe_time(m);
    return SWE_OK;
}

static const swe_case *exact_of(const cubeswe_model *m)
{
    return m->simulation->reference != SWE_REFERENCE_NONE ? m->simulation->test_case : NULL;
}

swe_status library_list_variables(swe_context *ctx, cubeswe_model *m)
{
    unsigned words = 0u;
    swe_snapshot all;
    for (const swe_output *o = swe_outputs; o < swe_outputs + SWE_OUTPUTS; o++)
        words |= has_output(m, o) ? 1u << o->word : 0u;
    SWE_TRY(take(ctx, m, words, &all));
    all.exact = exact_of(m);
    return field_variables_list(ctx, &all, &m->count, &m->variable);
}

/* Number of a prognostic field; -1: the variable is none. */
static int prognostic(const cubeswe_model *m, const char *name)
{
    for (int k = 0; k < m->model->fields.count; k++)
        if (strcmp(m->model->fields.field[k].name, name) == 0)
            return k;
    return -1;
}

/* Whether a variable is a bottom that may have any shape. */
static bool is_bottom(const cubeswe_model *m, const char *name)
{
    return strcmp(name, "bottom") == 0 && m->model->physics.equations == SWE_NONLINEAR;
}

/* Only tracers can be set where h and the velocity are prescribed. */
static bool can_be_set(const cubeswe_model *m, const char *name)
{
    return m->model->physics.is_prescribed ? prognostic(m, name) >= SWE_FLOW_FIELDS
                                           : prognostic(m, name) >= 0 || is_bottom(m, name);
}

static swe_status check_flow_is_free(swe_context *ctx, const cubeswe_model *m, const char *what)
{
    return m->model->physics.is_prescribed
               ? swe_fail(ctx, SWE_USAGE,
                          "%.100s: the velocity of this flow is prescribed, and its h stays", what)
               : SWE_OK;
}

int cubeswe_get_variable(const cubeswe_model *m, int k, cubeswe_variable *out)
{
    if (k < 0 || k >= m->count)
        return 0;
    const field_variable *v = &m->variable[k];
    *out = (cubeswe_variable){.name = v->name,
                              .units = v->units,
                              .meaning = v->meaning,
                              .standard_name = v->standard_name,
                              .dimensions = v->dimensions,
                              .rows = v->rows,
                              .columns = v->columns,
                              .can_be_set = can_be_set(m, v->name)};
    return 1;
}

static const field_variable *find(int count, const field_variable *list, const char *name)
{
    for (int k = 0; k < count; k++)
        if (strcmp(list[k].name, name) == 0)
            return &list[k];
    return NULL;
}

static swe_status refuse_name(swe_context *ctx, const cubeswe_model *m, const char *name)
{
    swe_hint hint;
    swe_hint_start(&hint, name);
    for (int k = 0; k < m->count; k++)
        swe_hint_offer(&hint, m->variable[k].name, NULL);
    return swe_fail(ctx, SWE_USAGE, "'%.100s' is no variable of this flow%s", name,
                    swe_hint_text(&hint));
}

static size_t values_of(const field_variable *v)
{
    return SWE_PANELS * (size_t)v->rows * (size_t)v->columns;
}

/* A variable whose arrays have `count` values. */
static swe_status find_sized(swe_context *ctx, const cubeswe_model *m, const char *name,
                             size_t count, const field_variable **out)
{
    *out = find(m->count, m->variable, name);
    if (*out == NULL)
        return refuse_name(ctx, m, name);
    return count == values_of(*out)
               ? SWE_OK
               : swe_fail(ctx, SWE_USAGE, "%s: %zu values, where it has 6 x %d x %d", name, count,
                          (*out)->rows, (*out)->columns);
}

/* ---- reading --------------------------------------------------------------------------------- */

static swe_status get(swe_context *ctx, cubeswe_model *m, const char *name, double *values,
                      size_t count)
{
    const field_variable *known = NULL;
    SWE_TRY(find_sized(ctx, m, name, count, &known));
    swe_snapshot now;
    SWE_TRY(take(ctx, m, word_of(m, name, strlen(name)), &now));
    now.exact = exact_of(m);
    return swe_simulation_compute(ctx, m->simulation, &now, name, values);
}

cubeswe_status cubeswe_get(cubeswe_model *m, const char *name, double *values, size_t count,
                           cubeswe_error *error)
{
    LIBRARY_CALL(m, false, error, get(&ctx, m, name, values, count));
}

/* Copy field number k of host fields to an array without padding. */
static swe_status copy_field(swe_context *ctx, const cubeswe_model *m,
                             const swe_host_fields *fields, int k, const field_variable *v,
                             double *values)
{
    const swe_layout *layout = &m->model->grid->layout;
    double *room = NULL;
    SWE_TRY(swe_memory_doubles(ctx, (size_t)layout->panel, &room));
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const double *from = swe_panels_get(swe_host_fields_panels(fields), k, panel, room);
        for (int j = 0; j < v->rows; j++, values += v->columns)
            memcpy(values, from + swe_at(layout, 0, j, 0), (size_t)v->columns * sizeof *values);
    }
    free(room);
    return SWE_OK;
}

/* Number of a prognostic field. Errors: SWE_USAGE (the variable is none). */
static swe_status find_prognostic(swe_context *ctx, const cubeswe_model *m, const char *name,
                                  int *out)
{
    *out = prognostic(m, name);
    return *out >= 0
               ? SWE_OK
               : swe_fail(ctx, SWE_USAGE,
                          "%s: follows from the state, which is h, v1, v2 and the tracers", name);
}

static swe_status get_tendency(swe_context *ctx, cubeswe_model *m, const char *name, double *values,
                               size_t count)
{
    int k = 0;
    const field_variable *v = NULL;
    SWE_TRY(find_sized(ctx, m, name, count, &v));
    SWE_TRY(find_prognostic(ctx, m, name, &k));
    SWE_TRY(check_flow_is_free(ctx, m, "tendency"));
    SWE_TRY(library_check_between_steps(ctx, m));
    SWE_TRY(library_force(ctx, m, cubeswe_time(m)));
    SWE_TRY(swe_host_fields_get_tendency(ctx, m->fields));
    return copy_field(ctx, m, m->fields, k, v, values);
}

cubeswe_status cubeswe_tendency(cubeswe_model *m, const char *name, double *values, size_t count,
                                cubeswe_error *error)
{
    LIBRARY_CALL(m, false, error, get_tendency(&ctx, m, name, values, count));
}

static swe_status get_view(swe_context *ctx, cubeswe_model *m, const char *name, cubeswe_view *out)
{
    int k = 0;
    const swe_layout *layout = &m->model->grid->layout;
    const field_variable *v = find(m->count, m->variable, name);
    if (v == NULL)
        return refuse_name(ctx, m, name);
    SWE_TRY(find_prognostic(ctx, m, name, &k));
    if (k >= SWE_FLOW_FIELDS)
        return swe_fail(ctx, SWE_USAGE, "%s: only h, v1 and v2 have views", name);
    const void *state = NULL;
    SWE_TRY(swe_model_view(ctx, m->model, &state));
    if (state == NULL)
        return swe_fail(
            ctx, SWE_USAGE,
            "a model of several blocks a panel, or of several ranks, has no views: "
            "copy the variable, or set parallel.blocks_1 and blocks_2 to 1 on one rank");
    const bool is_single = m->model->precision == SWE_PRECISION_SINGLE;
    const size_t size = is_single ? sizeof(float) : sizeof(double);
    *out = (cubeswe_view){.values = (const char *)state + (size_t)k * (size_t)layout->field * size,
                          .rows = v->rows,
                          .columns = v->columns,
                          .panel_stride = (size_t)layout->panel,
                          .row_stride = (size_t)layout->pitch,
                          .is_single = is_single,
                          .is_on_gpu = m->model->backend->has_own_memory};
    return SWE_OK;
}

cubeswe_status cubeswe_get_view(cubeswe_model *m, const char *name, cubeswe_view *out,
                                cubeswe_error *error)
{
    LIBRARY_CALL(m, false, error, get_view(&ctx, m, name, out));
}

/* ---- setting --------------------------------------------------------------------------------- */

/* Note that a call has changed the state. */
static swe_status changed(cubeswe_model *m, swe_status status)
{
    m->has_own_start = m->has_own_start || status == SWE_OK;
    return status;
}

/* Check that values of a variable are finite, in the precision of the state, and depths positive.
 */
static swe_status check_values(swe_context *ctx, const cubeswe_model *m, const char *name,
                               const double *values, size_t count)
{
    const bool is_single = m->model->precision == SWE_PRECISION_SINGLE;
    const bool is_depth = m->model->physics.equations == SWE_NONLINEAR && strcmp(name, "h") == 0;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(is_single ? (double)(float)values[k] : values[k]))
            return swe_fail(ctx, SWE_USAGE, "%s: value %zu is not finite", name, k);
        if (is_depth && !(values[k] > 0.0))
            return swe_fail(ctx, SWE_USAGE, "%s: value %zu is %g, and nonlinear flow needs a depth",
                            name, k, values[k]);
    }
    return SWE_OK;
}

swe_status library_set_field(swe_context *ctx, const cubeswe_model *m,
                             const swe_host_fields *fields, int k, int factor, int rows,
                             int columns, const double *values)
{
    const swe_layout *layout = &m->model->grid->layout;
    const swe_panels *panels = swe_host_fields_panels(fields);
    const size_t size = (size_t)layout->panel;
    double *room = NULL;
    SWE_TRY(swe_memory_doubles(ctx, 2 * size, &room));
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const double *h = factor >= 0 ? swe_panels_get(panels, factor, panel, room + size) : NULL;
        for (int j = 0; j < rows; j++)
            for (int i = 0; i < columns; i++) {
                const ptrdiff_t at = swe_at(layout, 0, j, i);
                room[at] = *values++ * (h != NULL ? h[at] : 1.0);
            }
        swe_panels_set(panels, k, panel, room);
    }
    free(room);
    return SWE_OK;
}

/* Replace copies of shared points of values at vertices by their means, as of h: the state takes
 * them for a moment. */
static swe_status average(swe_context *ctx, cubeswe_model *m, const field_variable *v,
                          const double *values, double *out)
{
    const size_t count = values_of(v);
    swe_host_fields *state = m->simulation->host;
    double *h = NULL;
    SWE_TRY(swe_memory_doubles(ctx, count, &h));
    m->simulation->host_step = -1;
    swe_status status = swe_host_fields_get_state(ctx, state, NULL);
    if (status == SWE_OK)
        status = copy_field(ctx, m, state, SWE_FIELD_H, v, h);
    if (status == SWE_OK)
        status = library_set_field(ctx, m, state, SWE_FIELD_H, -1, v->rows, v->columns, values);
    if (status == SWE_OK)
        status = swe_host_fields_set_state(ctx, state, 0.0);
    if (status == SWE_OK)
        status = swe_host_fields_get_state(ctx, m->fields, NULL);
    if (status == SWE_OK)
        status = copy_field(ctx, m, m->fields, SWE_FIELD_H, v, out);
    if (status == SWE_OK)
        status = library_set_field(ctx, m, state, SWE_FIELD_H, -1, v->rows, v->columns, h);
    if (status == SWE_OK)
        status = swe_host_fields_set_state(ctx, state, 0.0);
    free(h);
    return status;
}

static swe_status set_bottom(swe_context *ctx, cubeswe_model *m, const field_variable *v,
                             const double *values)
{
    double *means = NULL;
    SWE_TRY(swe_memory_doubles(ctx, values_of(v), &means));
    swe_host_fields *bottom = m->simulation->bottom;
    swe_status status = average(ctx, m, v, values, means);
    if (status == SWE_OK)
        status = library_set_field(ctx, m, bottom, 0, -1, v->rows, v->columns, means);
    if (status == SWE_OK)
        status = swe_host_fields_set_constant(ctx, bottom, SWE_BOTTOM);
    m->has_own_bottom = m->has_own_bottom || status == SWE_OK;
    free(means);
    return status;
}

/* The concentrations of all tracers, one after the other, and the state with them. */
static swe_status get_tracers(swe_context *ctx, cubeswe_model *m, double **out)
{
    const swe_field_set *fields = &m->model->fields;
    const size_t count = values_of(find(m->count, m->variable, "h"));
    SWE_TRY(swe_memory_doubles(ctx, count * (size_t)(fields->count - SWE_FLOW_FIELDS + 1), out));
    for (int k = SWE_FLOW_FIELDS; k < fields->count; k++)
        SWE_TRY(get(ctx, m, fields->field[k].name, *out + (size_t)(k - SWE_FLOW_FIELDS) * count,
                    count));
    return SWE_OK;
}

static swe_status put_state(swe_context *ctx, cubeswe_model *m, const double *tracers)
{
    const int side = m->model->grid->layout.n + 1;
    swe_host_fields *state = m->simulation->host;
    for (int k = SWE_FLOW_FIELDS; k < m->model->fields.count; k++)
        SWE_TRY(library_set_field(ctx, m, state, k, SWE_FIELD_H, side, side,
                                  tracers + (size_t)(k - SWE_FLOW_FIELDS) * SWE_PANELS *
                                                (size_t)side * (size_t)side));
    return swe_host_fields_set_state(ctx, state, 0.0);
}

/* Set a field of the flow; the concentrations of tracers stay. */
static swe_status set_flow(swe_context *ctx, cubeswe_model *m, int k, const field_variable *v,
                           const double *values)
{
    swe_host_fields *state = m->simulation->host;
    double *tracers = NULL;
    swe_status status = get_tracers(ctx, m, &tracers);
    m->simulation->host_step = -1;
    if (status == SWE_OK)
        status = swe_host_fields_get_state(ctx, state, NULL);
    if (status == SWE_OK)
        status = library_set_field(ctx, m, state, k, -1, v->rows, v->columns, values);
    if (status == SWE_OK)
        status = put_state(ctx, m, tracers);
    free(tracers);
    return status;
}

static swe_status set(swe_context *ctx, cubeswe_model *m, const char *name, const double *values,
                      size_t count)
{
    const field_variable *v = NULL;
    SWE_TRY(library_check_between_steps(ctx, m));
    SWE_TRY(find_sized(ctx, m, name, count, &v));
    if (!can_be_set(m, name))
        SWE_TRY(check_flow_is_free(ctx, m, name));
    SWE_TRY(check_values(ctx, m, name, values, count));
    if (is_bottom(m, name))
        return set_bottom(ctx, m, v, values);
    int k = 0;
    SWE_TRY(find_prognostic(ctx, m, name, &k));
    if (k < SWE_FLOW_FIELDS)
        return set_flow(ctx, m, k, v, values);
    swe_host_fields *state = m->simulation->host;
    m->simulation->host_step = -1;
    SWE_TRY(swe_host_fields_get_state(ctx, state, NULL));
    SWE_TRY(library_set_field(ctx, m, state, k, SWE_FIELD_H, v->rows, v->columns, values));
    return swe_host_fields_set_state(ctx, state, 0.0);
}

cubeswe_status cubeswe_set(cubeswe_model *m, const char *name, const double *values, size_t count,
                           cubeswe_error *error)
{
    LIBRARY_CALL(m, true, error, changed(m, set(&ctx, m, name, values, count)));
}

/* The tangents of a point of a variable. */
typedef struct point {
    int panel;
    double x, y;
} point;

static point point_of(const cubeswe_model *m, const field_variable *v, size_t k)
{
    const swe_grid *grid = m->model->grid;
    const size_t columns = (size_t)v->columns, rows = (size_t)v->rows;
    const size_t i = k % columns, j = k / columns % rows;
    return (point){(int)(k / columns / rows),
                   (v->columns == grid->layout.n ? grid->tan_cell : grid->tan_vertex)[i],
                   (v->rows == grid->layout.n ? grid->tan_cell : grid->tan_vertex)[j]};
}

static swe_status get_points(swe_context *ctx, const cubeswe_model *m, const char *name,
                             double *lon, double *lat, size_t count)
{
    const field_variable *v = NULL;
    SWE_TRY(find_sized(ctx, m, name, count, &v));
    if (v->rows > m->model->grid->layout.n + 1)
        return swe_fail(ctx, SWE_USAGE, "%s: its values are the positions", name);
    for (size_t k = 0; k < count; k++) {
        const point at = point_of(m, v, k);
        double r[3];
        geometry_position(at.panel, at.x, at.y, r);
        geographic_of(r, &lon[k], &lat[k]);
    }
    return SWE_OK;
}

cubeswe_status cubeswe_get_points(const cubeswe_model *m, const char *name, double *lon,
                                  double *lat, size_t count, cubeswe_error *error)
{
    swe_context ctx = {""};
    return library_end(get_points(&ctx, m, name, lon, lat, count), &ctx, error);
}

void library_covariants(const cubeswe_model *m, int panel, double x, double y, double zonal,
                        double meridional, double out[2])
{
    double r[3], wind[3] = {zonal, meridional, 0.0}, lon = 0.0, lat = 0.0;
    geometry_position(panel, x, y, r);
    geographic_of(r, &lon, &lat);
    swe_vector_to_cartesian(lon, lat, (double *const[]){&wind[0], &wind[1], &wind[2]}, 0);
    out[0] = geometry_covariant1(m->model->grid->radius, panel, x, y, wind);
    out[1] = geometry_covariant2(m->model->grid->radius, panel, x, y, wind);
}

static swe_status set_wind(swe_context *ctx, cubeswe_model *m, const char *name,
                           const double *zonal, const double *meridional, size_t count)
{
    const bool is_first = strcmp(name, "v1") == 0;
    const field_variable *v = NULL;
    double *component = NULL;
    if (!is_first && strcmp(name, "v2") != 0)
        return swe_fail(ctx, SWE_USAGE, "%.100s: a wind sets v1 or v2", name);
    SWE_TRY(find_sized(ctx, m, name, count, &v));
    SWE_TRY(swe_memory_doubles(ctx, count, &component));
    for (size_t k = 0; k < count; k++) {
        const point at = point_of(m, v, k);
        double of[2];
        library_covariants(m, at.panel, at.x, at.y, zonal[k], meridional[k], of);
        component[k] = of[is_first ? 0 : 1];
    }
    const swe_status status = set(ctx, m, name, component, count);
    free(component);
    return status;
}

cubeswe_status cubeswe_set_wind(cubeswe_model *m, const char *name, const double *zonal,
                                const double *meridional, size_t count, cubeswe_error *error)
{
    LIBRARY_CALL(m, true, error, changed(m, set_wind(&ctx, m, name, zonal, meridional, count)));
}

/* ---- files ----------------------------------------------------------------------------------- */

static swe_status read(swe_context *ctx, cubeswe_model *m, const char *path, char note[1024])
{
    swe_input_note remark = {.text = ""};
    const bool is_depth = m->model->physics.equations == SWE_NONLINEAR;
    const swe_input_file file = {.path = path,
                                 .h = "",
                                 .u = "",
                                 .v = "",
                                 .time = "",
                                 .key = "initial.time",
                                 .config = m->config,
                                 .is_depth = is_depth};
    swe_host_fields *state = m->simulation->host;
    const field_variable *of[SWE_FLOW_FIELDS];
    double *tracers = NULL, *values = NULL;
    SWE_TRY(check_flow_is_free(ctx, m, path));
    SWE_TRY(library_check_between_steps(ctx, m));
    for (int k = 0; k < SWE_FLOW_FIELDS; k++)
        of[k] = find(m->count, m->variable, swe_flow_fields.field[k].name);
    swe_status status = swe_memory_doubles(ctx, values_of(of[SWE_FIELD_H]), &values);
    if (status == SWE_OK)
        status = get_tracers(ctx, m, &tracers);
    m->simulation->host_step = -1;
    for (int k = SWE_FIELD_V1; k <= SWE_FIELD_V2 && status == SWE_OK;
         k++) /* without a wind: rest */
        status = library_set_field(ctx, m, state, k, -1, of[k]->rows, of[k]->columns, values);
    if (status == SWE_OK)
        status = swe_start_state_of_file(ctx, &file, m->model, state, &remark);
    if (note != NULL)
        snprintf(note, 1024, "%s", remark.text);
    if (status == SWE_OK)
        status = copy_field(ctx, m, state, SWE_FIELD_H, of[SWE_FIELD_H], values);
    if (status == SWE_OK)
        status = check_values(ctx, m, "h", values, values_of(of[SWE_FIELD_H]));
    if (status == SWE_OK)
        status = put_state(ctx, m, tracers);
    free(values);
    free(tracers);
    return status;
}

cubeswe_status cubeswe_read(cubeswe_model *m, const char *path, char note[1024],
                            cubeswe_error *error)
{
    if (note != NULL)
        note[0] = '\0';
    LIBRARY_CALL_OF_FILES(m, true, error, changed(m, read(&ctx, m, path, note)));
}

/* The set of the words in a text, separated by blanks or commas: words of output.fields, or names
 * of their variables. */
static swe_status words_of(swe_context *ctx, const cubeswe_model *m, const char *text,
                           unsigned *out)
{
    const char *const separators = " ,";
    *out = 0u;
    for (text += strspn(text, separators); *text != '\0'; text += strspn(text, separators)) {
        const size_t length = strcspn(text, separators);
        const unsigned word = word_of(m, text, length);
        if (word == 0u)
            return swe_fail(ctx, SWE_USAGE, "'%.*s' is no word of output.fields for this flow: %s",
                            (int)(length < 100 ? length : 100), text, SWE_OUTPUT_WORDS);
        *out |= word;
        text += length;
    }
    return SWE_OK;
}

static swe_status write(swe_context *ctx, cubeswe_model *m, const char *path, const char *words)
{
    unsigned chosen = m->config->output.fields.chosen;
    swe_snapshot now;
    if (words != NULL)
        SWE_TRY(words_of(ctx, m, words, &chosen));
    SWE_TRY(take(ctx, m, chosen, &now));
    if (!swe_outputs_need(chosen, SWE_FROM_BOTTOM))
        now.bottom = NULL;
    return swe_simulation_write_fields(ctx, m->simulation, path, &now);
}

cubeswe_status cubeswe_write(cubeswe_model *m, const char *path, const char *words,
                             cubeswe_error *error)
{
    LIBRARY_CALL_OF_FILES(m, false, error, write(&ctx, m, path, words));
}
