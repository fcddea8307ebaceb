/* The group of passive tracers: one field for each entry of section `tracers`, whose initial
 * concentration c is one of the shapes below or is read from a file. theta is the angle from the
 * centre, d = 2 sin(theta/2) the chord, A the amplitude, B the background, R the radius:
 *
 *     constant           A
 *     gaussian           B + A exp(-(d/R)^2)
 *     cosine_bell        B + A/2 (1 + cos(pi theta/R)), theta < R: case 1 of Williamson et al.,
 *                        J. Comput. Phys. 102 (1992) 211, equation 77
 *     slotted_cylinder   B + A, theta < R, not in the slot: Nair and Lauritzen, J. Comput. Phys.
 *                        229 (2010) 8868, equation 21
 *
 * `apart_lon` and `apart_lat` add the same shape about a second centre; its slot is open to the
 * south. Coordinates are geographic, so that a tracer may lie anywhere relative to the flow. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cases/frame.h"
#include "grid/geometry_point.h"
#include "run/start.h"
#include "run/start_file.h"
#include "run/tasks.h"
#include "state/slabs.h"

/* In the order of the words of tracers[].initial.kind. */
enum { CONSTANT, GAUSSIAN, COSINE_BELL, SLOTTED_CYLINDER, SHAPE_OF_FILE, SHAPES };

static const struct {
    const char *name, *keys; /* that it reads */
} shapes[SHAPES] = {
    {"constant", "amplitude"},
    {"gaussian", "lon, lat, apart_lon, apart_lat, radius, amplitude, background"},
    {"cosine_bell", "lon, lat, apart_lon, apart_lat, radius, amplitude, background"},
    {"slotted_cylinder", "lon, lat, apart_lon, apart_lat, radius, amplitude, background"},
    {"file", "path, variable, time"}};

static int count(const swe_config *config)
{
    return (int)config->tracers.count;
}

static swe_field field(const swe_config *config, int k)
{
    swe_field tracer = {.units = "1",
                        .location = SWE_AT_VERTICES,
                        .kind = SWE_ADVECTED,
                        .least = config->tracers.item[k].least,
                        .greatest = config->tracers.item[k].greatest,
                        .decay = config->tracers.item[k].decay,
                        .source = config->tracers.item[k].source};
    snprintf(tracer.name, sizeof tracer.name, "%s", config->tracers.item[k].name);
    snprintf(tracer.long_name, sizeof tracer.long_name, "concentration of the passive tracer %s",
             tracer.name);
    return tracer;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Whether field files or converted files have a variable or a dimension of this name. */
static bool is_variable(const char *name)
{
    static const char variables[] =
        " h_exact h_error area time nf Xdim Ydim XCdim YCdim Xcell Ycell lons lats corner_lons "
        "corner_lats cubed_sphere "
        "lon lat lon_bnds lat_bnds bnds mesh nNodes nFaces four face_nodes face_lon face_lat wind ";
    char word[SWE_FIELD_NAME + 2];
    snprintf(word, sizeof word, " %s ", name);
    bool is = strstr(variables, word) != NULL;
    for (int k = 0; k < SWE_OUTPUTS; k++)
        is = is || strcmp(swe_outputs[k].name, name) == 0;
    return is;
}

static swe_status check_name(const swe_checker *c, const swe_config *config, unsigned k)
{
    char path[64];
    const char *name = config->tracers.item[k].name;
    snprintf(path, sizeof path, "tracers[%u].name", k);
    if (name[0] == '\0')
        return swe_config_refuse(c, path, "each tracer needs a name");
    bool is_word = isalpha((unsigned char)name[0]) != 0;
    for (const char *at = name; *at != '\0'; at++)
        is_word = is_word && (isalnum((unsigned char)*at) || *at == '_');
    if (!is_word || strlen(name) >= SWE_FIELD_NAME)
        return swe_config_refuse(c, path,
                                 "'%.100s' is not a letter and at most %d letters, digits and _",
                                 name, SWE_FIELD_NAME - 2);
    if (is_variable(name))
        return swe_config_refuse(c, path,
                                 "field files or converted files have another variable '%s'", name);
    for (unsigned other = 0; other < k; other++)
        if (strcmp(name, config->tracers.item[other].name) == 0)
            return swe_config_refuse(c, path, "another tracer has the name '%s'", name);
    return SWE_OK;
}

static swe_status check_bounds(const swe_checker *c, const swe_config *config, unsigned k)
{
    char path[64];
    const struct swe_config_tracers *tracer = &config->tracers.item[k];
    const struct swe_config_tracers_initial *shape = &tracer->initial;
    const double background = shape->kind == CONSTANT ? shape->amplitude : shape->background;
    const double peak = shape->kind == CONSTANT ? background : background + shape->amplitude;
    const double least = fmin(background, peak), greatest = fmax(background, peak);
    const bool is_below = least < tracer->least, is_known = shape->kind != SHAPE_OF_FILE;
    snprintf(path, sizeof path, "tracers[%u].%s", k, is_below ? "least" : "greatest");
    if (tracer->least >= tracer->greatest)
        return swe_config_refuse(c, path, "least, %g, is not less than greatest, %g", tracer->least,
                                 tracer->greatest);
    if (is_known && config->scheme.limiter == SWE_LIMITER_BOUNDS &&
        (is_below || greatest > tracer->greatest))
        return swe_config_refuse(c, path, "the initial concentration is between %g and %g", least,
                                 greatest);
    snprintf(path, sizeof path, "tracers[%u].%s", k, tracer->decay != 0.0 ? "decay" : "source");
    if ((tracer->decay != 0.0 || tracer->source != 0.0) &&
        config->scheme.limiter != SWE_LIMITER_NONE)
        return swe_config_refuse(c, path, "scheme.limiter bounds the advection of tracers alone");
    return SWE_OK;
}

static swe_status check_shape(const swe_checker *c, const swe_config *config, unsigned k)
{
    char path[64];
    const struct swe_config_tracers_initial *shape = &config->tracers.item[k].initial;
    SWE_TRY(swe_config_check_unread(c, config, "tracers[].initial.kind", k,
                                    shapes[shape->kind].name, shapes[shape->kind].keys));
    snprintf(path, sizeof path, "tracers[%u].initial.path", k);
    if (shape->kind == SHAPE_OF_FILE && shape->path[0] == '\0')
        return swe_config_refuse(c, path, "kind 'file' needs a path");
    snprintf(path, sizeof path, "tracers[%u].initial.time", k);
    return swe_config_check_time(c, path, shape->time);
}

static swe_status check(const swe_checker *c, const swe_config *config)
{
    if (config->tracers.count > 0 && config->physics.model == SWE_LINEAR)
        return swe_config_refuse(c, "tracers",
                                 "the linear equations advect no tracers; physics.model nonlinear "
                                 "and prescribed do");
    if (config->tracers.count == 0 && config->scheme.limiter != SWE_LIMITER_NONE)
        return swe_config_refuse(c, "scheme.limiter", "there are no tracers");
    for (unsigned k = 0; k < config->tracers.count; k++) {
        SWE_TRY(check_name(c, config, k));
        SWE_TRY(check_shape(c, config, k));
        SWE_TRY(check_bounds(c, config, k));
    }
    return SWE_OK;
}

/* ---- initial concentrations ------------------------------------------------------------------ */

/* A centre of a shape: its place [degree] and its unit vector; 1 or -1 for a slot that is open to
 * the north or south. */
typedef struct centre {
    double lon, lat, axis[3], open;
} centre;

static centre centre_of(const struct swe_config_tracers_initial *shape, int number)
{
    centre c = {.lon = shape->lon + number * shape->apart_lon,
                .lat = shape->lat + number * shape->apart_lat,
                .open = 1 - 2 * number};
    memcpy(c.axis, swe_frame_about(c.lon, c.lat).axis, sizeof c.axis);
    return c;
}

/* Whether a point within the radius is in the slot. The slot is a third of the radius wide; its
 * other end is 5/12 of the radius from the centre. */
static bool is_in_slot(double radius, const centre *c, const double r[3])
{
    double lon = 0.0, lat = 0.0;
    geographic_of(r, &lon, &lat);
    const double east = swe_radians(remainder(lon - c->lon, 360.0));
    const double north = swe_radians(lat - c->lat);
    return fabs(east) < radius / 6.0 && c->open * north > -5.0 / 12.0 * radius;
}

/* The part of the amplitude that a shape has at a Cartesian unit vector r. */
static double part_at(const struct swe_config_tracers_initial *shape, const centre *c,
                      const double r[3])
{
    const double theta = swe_angle_between(c->axis, r), chord = 2.0 * sin(0.5 * theta);
    const double along = theta / shape->radius, across = chord / shape->radius;
    switch (shape->kind) {
    case GAUSSIAN:
        return exp(-across * across);
    case COSINE_BELL:
        return along < 1.0 ? 0.5 * (1.0 + cos(SWE_PI * along)) : 0.0;
    default:
        return along < 1.0 && !is_in_slot(shape->radius, c, r) ? 1.0 : 0.0;
    }
}

static double concentration_at(const struct swe_config_tracers_initial *shape,
                               const centre centres[2], const double r[3])
{
    if (shape->kind == CONSTANT)
        return shape->amplitude;
    const bool are_two = shape->apart_lon != 0.0 || shape->apart_lat != 0.0;
    const double part =
        part_at(shape, &centres[0], r) + (are_two ? part_at(shape, &centres[1], r) : 0.0);
    return shape->background + shape->amplitude * part;
}

/* Read c from a file: variable `variable` or, if it is not set, the name of the tracer. */
static swe_status read_shape(swe_context *ctx, const struct swe_config_tracers *tracer,
                             swe_model *model, int k, const swe_host_fields *state)
{
    static const swe_unit units[] = {{"1||kg kg-1|kg/kg|kg kg^-1|kg kg**-1", 1.0},
                                     {"g kg-1|g/kg", 1e-3},
                                     {"%|percent", 0.01},
                                     {NULL, 0.0}};
    const swe_quantity quantity = {"tracer", {tracer->name}, "", {""}, units, false};
    const swe_input_file file = {.path = tracer->initial.path,
                                 .h = tracer->initial.variable,
                                 .time = tracer->initial.time,
                                 .key = "tracers[].initial.time"};
    return swe_start_scalar_of_file(ctx, &file, &quantity, model, state, k);
}

/* The text pointers of the shape are valid on the root only. */
typedef struct tracer_given {
    struct swe_config_tracers_initial shape;
    int state, k; /* k: the tracer's field, which has the concentration of a file */
} tracer_given;

/* q = h c, with h of the flow, which starts the state. */
static void start_row(const tracer_given *g, const swe_grid *grid, const centre centres[2],
                      int panel, int j, const double *h, double *q)
{
    for (int i = 0; i <= grid->layout.n; i++) {
        double r[3];
        geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
        q[i] = h[i] *
               (g->shape.kind == SHAPE_OF_FILE ? q[i] : concentration_at(&g->shape, centres, r));
    }
}

static void start_rows(const tracer_given *g, const swe_model *model, const swe_slab *h,
                       const swe_slab *q)
{
    const centre centres[2] = {centre_of(&g->shape, 0), centre_of(&g->shape, 1)};
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const swe_range rows = swe_slab_rows_of_panel(q->n, q->own, panel);
#pragma omp parallel for schedule(static) num_threads(model->execution.threads)
        for (int j = rows.first; j < rows.last; j++)
            start_row(g, model->grid, centres, panel, j, swe_slab_row(h, panel, j),
                      swe_slab_row(q, panel, j));
    }
}

static swe_status run_start_tracer(swe_context *ctx, swe_model *model, void *given)
{
    const tracer_given *g = given;
    const swe_host_fields *state = model->host[g->state];
    swe_slab h, q = {.room = NULL};
    SWE_TRY(swe_slab_create(ctx, state, (swe_margin){0, 0}, &h));
    const swe_status status = swe_slab_create(ctx, state, (swe_margin){0, 0}, &q);
    if (status == SWE_OK) {
        swe_slab_get(state, SWE_FIELD_H, &h);
        swe_slab_get(state, g->k, &q);
        start_rows(g, model, &h, &q);
        swe_slab_set(state, g->k, &q);
    }
    swe_slab_release(&q);
    swe_slab_release(&h);
    return status;
}

SWE_TASK_DEFINE(start_tracer, tracer_given);

static swe_status start(swe_context *ctx, const swe_start *run, int first,
                        const swe_host_fields *state)
{
    for (int t = 0; t < (int)run->config->tracers.count; t++) {
        const struct swe_config_tracers *tracer = &run->config->tracers.item[t];
        tracer_given given = {tracer->initial, swe_host_fields_number(state), first + t};
        if (tracer->initial.kind == SHAPE_OF_FILE)
            SWE_TRY(read_shape(ctx, tracer, run->model, first + t, state));
        SWE_TRY(swe_task_run(ctx, run->model, SWE_TASK_START_TRACER, &given));
    }
    return SWE_OK;
}

const swe_field_group swe_group_tracers = {count, field, check, start};
