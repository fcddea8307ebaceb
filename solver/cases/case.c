#include "cases/case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cases/kind.h"
#include "grid/geometry_point.h"

static const swe_case_kind *const kinds[SWE_INITIAL_KINDS] = {
#define CASE_ROW(NAME, name) [SWE_INITIAL_##NAME] = &swe_case_##name,
    SWE_CASE_LIST(CASE_ROW)
#undef CASE_ROW
};

static const swe_case_kind *kind_of(const swe_initial *initial)
{
    return kinds[initial->kind];
}

const char *swe_initial_name(swe_initial_kind kind)
{
    return kind == SWE_INITIAL_FILE ? "file" : kinds[kind]->name;
}

const char *swe_initial_keys(const char *name)
{
    for (int k = 0; k < SWE_INITIAL_KINDS; k++)
        if (strcmp(name, swe_initial_name((swe_initial_kind)k)) == 0)
            return k == SWE_INITIAL_FILE ? "path, variable_h, variable_u, variable_v, time"
                                         : kinds[k]->keys;
    return NULL;
}

bool swe_initial_reads(const char *name, const char *key)
{
    const char *keys = swe_initial_keys(name);
    return keys == NULL || strcmp(key, "kind") == 0 || swe_is_listed(keys, ", ", key);
}

swe_reference swe_case_reference(const swe_initial *initial, const swe_physics *physics)
{
    const swe_case_kind *kind = kind_of(initial);
    return kind != NULL && !initial->bottom_from_file && !swe_physics_is_forced(physics)
               ? kind->reference(initial, physics)
               : SWE_REFERENCE_NONE;
}

const char *swe_case_convergence(const swe_initial *initial, const swe_physics *physics)
{
    const swe_case_kind *kind = kind_of(initial);
    if (kind == NULL)
        return "the solution that starts from the fields of a file is not known; converge a case "
               "that has one (config/README.md)";
    if (initial->bottom_from_file)
        return "over the bottom of a file there is no exact solution; leave bottom.path out";
    if (physics->is_prescribed)
        return "its velocity is prescribed; errors of its tracers: validation/deformation";
    if (swe_physics_is_forced(physics))
        return "no exact solution is forced; leave section forcing out";
    return swe_case_reference(initial, physics) == SWE_REFERENCE_EXACT ? kind->caution
                                                                       : kind->why_inexact;
}

int swe_case_resolved_n(const swe_initial *initial, const swe_physics *physics)
{
    const bool is_shown_alone = swe_case_reference(initial, physics) == SWE_REFERENCE_NONE;
    return kind_of(initial) != NULL && is_shown_alone ? kind_of(initial)->resolved_n : 0;
}

bool swe_case_has_velocity(const swe_initial *initial)
{
    const swe_case_kind *kind = kind_of(initial);
    return kind != NULL && (kind->velocity != NULL || kind->wind != NULL);
}

swe_wind swe_case_wind(const swe_initial *initial, const swe_physics *physics)
{
    const swe_case_kind *kind = kind_of(initial);
    return kind != NULL && kind->wind != NULL ? kind->wind(initial, physics)
                                              : (swe_wind){.terms = 0};
}

/* Check that the wavenumber and the mode exist. */
static swe_status check_wave(swe_context *ctx, const swe_initial *initial, const char **key)
{
    const bool has_modes =
        initial->kind == SWE_INITIAL_HOUGH || initial->kind == SWE_INITIAL_MATSUNO;
    const int least =
        initial->kind == SWE_INITIAL_HOUGH && initial->wave != SWE_WAVE_ROSSBY ? 0 : 1;
    *key = "initial.wavenumber";
    if ((has_modes || initial->kind == SWE_INITIAL_WILLIAMSON6) && initial->wavenumber < least)
        return swe_fail(ctx, SWE_CONFIG, "%d: no wave has this wavenumber", initial->wavenumber);
    *key = "initial.mode";
    if (initial->kind == SWE_INITIAL_MATSUNO && initial->mode < 1)
        return swe_fail(ctx, SWE_CONFIG, "%d: case 'matsuno' has modes from 1 on", initial->mode);
    if (initial->kind == SWE_INITIAL_DEFORMATION && (initial->mode < 1 || initial->mode > 4))
        return swe_fail(ctx, SWE_CONFIG, "%d: case 'deformation' has flows 1 to 4", initial->mode);
    return SWE_OK;
}

static const char *equations_of(int equations)
{
    return equations == SWE_FOR_LINEAR       ? "the linear equations"
           : equations == SWE_FOR_PRESCRIBED ? "a prescribed velocity, physics.model=prescribed"
           : equations == SWE_FOR_NONLINEAR  ? "the nonlinear equations"
                                             : "the linear and the nonlinear equations";
}

swe_status swe_case_check(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                          const char **key)
{
    const swe_case_kind *kind = kind_of(initial);
    *key = "bottom.path";
    if (initial->bottom_from_file && physics->equations == SWE_LINEAR)
        return swe_fail(ctx, SWE_CONFIG, "the linear equations have no bottom");
    if (kind == NULL && physics->is_prescribed) {
        *key = "physics.model";
        return swe_fail(ctx, SWE_CONFIG,
                        "the fields of a file prescribe no velocity in time; cases williamson1 and "
                        "deformation do");
    }
    if (kind == NULL)
        return SWE_OK;
    if (initial->bottom_from_file && kind->bottom != NULL)
        return swe_fail(ctx, SWE_CONFIG, "case '%s' has its own bottom", kind->name);
    *key = "physics.model";
    const int equations = physics->is_prescribed ? SWE_FOR_PRESCRIBED : 1 << physics->equations;
    if ((kind->equations & equations) == 0)
        return swe_fail(ctx, SWE_CONFIG, "case '%s' is one of %s", kind->name,
                        equations_of(kind->equations));
    *key = "physics.rotation";
    if (kind->needs_rotation && !(physics->rotation > 0.0))
        return swe_fail(ctx, SWE_CONFIG, "case '%s' needs a positive rate of rotation", kind->name);
    return check_wave(ctx, initial, key);
}

swe_reference swe_reference_exact(const swe_initial *initial, const swe_physics *physics)
{
    (void)initial;
    (void)physics;
    return SWE_REFERENCE_EXACT;
}

swe_reference swe_reference_none(const swe_initial *initial, const swe_physics *physics)
{
    (void)initial;
    (void)physics;
    return SWE_REFERENCE_NONE;
}

swe_reference swe_reference_at_rest(const swe_initial *initial, const swe_physics *physics)
{
    (void)initial;
    return physics->equations == SWE_LINEAR && physics->rotation == 0.0 ? SWE_REFERENCE_EXACT
                                                                        : SWE_REFERENCE_NONE;
}

swe_status swe_case_of_kind(swe_context *ctx, const swe_case_kind *kind, swe_case **out)
{
    *out = calloc(1, sizeof **out);
    void *d = kind->derived_size > 0 ? calloc(1, kind->derived_size) : NULL;
    if (*out == NULL || (d == NULL && kind->derived_size > 0)) {
        free(*out);
        free(d);
        *out = NULL;
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the case");
    }
    (*out)->kind = kind;
    (*out)->term = -1;
    (*out)->derived = d;
    return SWE_OK;
}

swe_status swe_case_create(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                           swe_case **out)
{
    *out = NULL;
    const swe_case_kind *kind = kind_of(initial);
    const char *key = NULL;
    if (kind == NULL)
        return swe_fail(ctx, SWE_INTERNAL, "the fields of a file are not a case");
    SWE_TRY(swe_case_check(ctx, initial, physics, &key));
    swe_status status = swe_case_of_kind(ctx, kind, out);
    if (*out == NULL)
        return status;
    (*out)->initial = *initial;
    (*out)->physics = *physics;
    (*out)->frame = swe_frame_of_rotation(physics);
    (*out)->rest = kind->above_rest && physics->equations == SWE_NONLINEAR ? physics->depth : 0.0;
    status = kind->prepare != NULL ? kind->prepare(ctx, *out) : SWE_OK;
    if (status != SWE_OK)
        swe_case_destroy(out);
    return status;
}

void swe_case_destroy(swe_case **test_case)
{
    if (*test_case != NULL)
        free((*test_case)->derived);
    free(*test_case);
    *test_case = NULL;
}

static void heights_at(const swe_case *c, double t, int count, const double (*r)[3], double *h)
{
    if (c->kind->heights != NULL)
        c->kind->heights(c, t, count, r, h);
    else
        for (int i = 0; i < count; i++)
            h[i] = c->kind->height(c, t, r[i]);
    for (int i = 0; i < count; i++)
        h[i] += c->rest;
}

double swe_case_height_at(const swe_case *test_case, double t, const double r[3])
{
    const double point[1][3] = {{r[0], r[1], r[2]}};
    double h = 0.0;
    heights_at(test_case, t, 1, point, &h);
    return h;
}

double swe_constant_depth(const swe_case *c, double t, const double r[3])
{
    (void)t;
    (void)r;
    return c->physics.depth;
}

void swe_case_select_term(swe_case *test_case, int m)
{
    test_case->term = m;
}

double swe_case_stream_at(const swe_case *test_case, const double r[3])
{
    return test_case->kind->stream(test_case, test_case->term, r);
}

/* The sum of the terms of a prescribed velocity. */
static void prescribed_velocity(const swe_case *c, double t, const double r[3], double u[3])
{
    const swe_wind wind = c->kind->wind(&c->initial, &c->physics);
    double factors[SWE_WIND_TERMS];
    swe_wind_factors_at(&wind, t, factors);
    u[0] = u[1] = u[2] = 0.0;
    for (int m = 0; m < wind.terms; m++) {
        double of[3];
        c->kind->wind_term(c, m, r, of);
        for (int k = 0; k < 3; k++)
            u[k] += factors[m] * of[k];
    }
}

void swe_case_velocity_at(const swe_case *test_case, double t, const double r[3], double u[3])
{
    if (test_case->term >= 0)
        test_case->kind->wind_term(test_case, test_case->term, r, u);
    else if (test_case->kind->wind != NULL)
        prescribed_velocity(test_case, t, r, u);
    else if (test_case->kind->velocity != NULL)
        test_case->kind->velocity(test_case, t, r, u);
    else
        u[0] = u[1] = u[2] = t == 0.0 ? 0.0 : NAN;
}

double swe_case_bottom_at(const swe_case *test_case, const double r[3])
{
    return test_case->kind->bottom != NULL ? test_case->kind->bottom(test_case, r) : 0.0;
}

double swe_case_frequency(const swe_case *test_case)
{
    return test_case->kind->frequency != NULL ? test_case->kind->frequency(test_case) : NAN;
}

bool swe_case_has_bottom(const swe_case *test_case)
{
    return test_case->kind->bottom != NULL;
}

enum { BATCH = 64 }; /* points of a row that are evaluated together */

void swe_case_height_row(const swe_case *test_case, const swe_grid *grid, double t, int panel,
                         int j, double *h)
{
    const int side = grid->layout.n + 1;
    for (int start = 0; start < side; start += BATCH) {
        double r[BATCH][3];
        const int count = side - start < BATCH ? side - start : BATCH;
        for (int i = 0; i < count; i++)
            geometry_position(panel, grid->tan_vertex[start + i], grid->tan_vertex[j], r[i]);
        heights_at(test_case, t, count, (const double(*)[3])r, h + start);
    }
}

void swe_case_v1_row(const swe_case *test_case, const swe_grid *grid, double t, int panel, int j,
                     double *v1)
{
    for (int i = 0; i < grid->layout.n; i++) {
        const double x = grid->tan_cell[i], y = grid->tan_vertex[j];
        double r[3], u[3];
        geometry_position(panel, x, y, r);
        swe_case_velocity_at(test_case, t, r, u);
        v1[i] = geometry_covariant1(grid->radius, panel, x, y, u);
    }
}

void swe_case_v2_row(const swe_case *test_case, const swe_grid *grid, double t, int panel, int j,
                     double *v2)
{
    for (int i = 0; i <= grid->layout.n; i++) {
        const double x = grid->tan_vertex[i], y = grid->tan_cell[j];
        double r[3], u[3];
        geometry_position(panel, x, y, r);
        swe_case_velocity_at(test_case, t, r, u);
        v2[i] = geometry_covariant2(grid->radius, panel, x, y, u);
    }
}

void swe_case_speed_row(const swe_case *test_case, const swe_grid *grid, double t, int panel, int j,
                        double *speed)
{
    for (int i = 0; i <= grid->layout.n; i++) {
        double r[3], u[3];
        geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
        swe_case_velocity_at(test_case, t, r, u);
        speed[i] = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
}

void swe_case_bottom_row(const swe_case *test_case, const swe_grid *grid, int panel, int j,
                         double *b)
{
    for (int i = 0; i <= grid->layout.n; i++) {
        double r[3];
        geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
        b[i] = swe_case_bottom_at(test_case, r);
    }
}
