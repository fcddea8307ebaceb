#include "run/stirring.h"

#include <math.h>
#include <stdint.h>

#include "grid/geometry_point.h"
#include "run/tasks.h"
#include "state/host_fields.h"
#include "state/slabs.h"

enum { WAVES = 8 };

typedef struct wave {
    double pole[3], amplitude; /* of P_l'(r . pole) r x pole [m s-2] */
    int degree;
} wave;

typedef struct stirring_given {
    wave waves[WAVES];
    int fields;
} stirring_given;

/* The next of a sequence of random numbers in (0, 1) (splitmix64: Steele, Lea, Flood, 2014). */
static double next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 12) + 0.5) * 0x1p-52;
}

/* P_l has the mean square 1/(2 l + 1) over the sphere, and its gradient l (l + 1)/(2 l + 1)/a^2. */
static wave random_wave(const swe_config *config, uint64_t *random)
{
    const long least = config->forcing.stirring.least_degree,
               count = config->forcing.stirring.greatest_degree - least + 1;
    const double mean_square =
        2.0 * config->forcing.stirring.rate / config->forcing.stirring.interval / WAVES;
    wave w = {.degree = (int)(least + (long)(next_random(random) * (double)count))};
    const double up = 2.0 * next_random(random) - 1.0, out = sqrt(1.0 - up * up),
                 lon = 2.0 * SWE_PI * next_random(random);
    const double size = sqrt(-2.0 * log(next_random(random))),
                 normal = size * cos(2.0 * SWE_PI * next_random(random));
    w.pole[0] = out * cos(lon);
    w.pole[1] = out * sin(lon);
    w.pole[2] = up;
    w.amplitude = normal * sqrt(mean_square * (2.0 * w.degree + 1.0) / w.degree / (w.degree + 1.0));
    return w;
}

/* P_l'(c), by P_(k+1)' = P_(k-1)' + (2 k + 1) P_k. */
static double legendre_slope(int degree, double c)
{
    double before = 1.0, p = c, slope_before = 0.0, slope = 1.0;
    for (int k = 1; k < degree; k++) {
        const double inverse = 1.0 / (k + 1); /* not divided within the chain of results */
        const double next = inverse * ((2 * k + 1) * c * p - k * before);
        const double slope_next = slope_before + (2 * k + 1) * p;
        before = p;
        p = next;
        slope_before = slope;
        slope = slope_next;
    }
    return slope;
}

static void acceleration_at(const wave waves[WAVES], const real r[3], real f[3])
{
    f[0] = f[1] = f[2] = 0.0;
    for (int m = 0; m < WAVES; m++) {
        const double *p = waves[m].pole;
        const double scale =
            waves[m].amplitude *
            legendre_slope(waves[m].degree, r[0] * p[0] + r[1] * p[1] + r[2] * p[2]);
        for (int k = 0; k < 3; k++)
            f[k] += scale * (r[(k + 1) % 3] * p[(k + 2) % 3] - r[(k + 2) % 3] * p[(k + 1) % 3]);
    }
}

/* A row of the covariant component at v_k. */
static void stirring_row(const swe_grid *grid, const wave waves[WAVES], int k, int panel, int j,
                         double *out)
{
    const double y = k == SWE_FIELD_V2 ? grid->tan_cell[j] : grid->tan_vertex[j];
    const double *tan_x = k == SWE_FIELD_V1 ? grid->tan_cell : grid->tan_vertex;
    for (int i = 0; i < swe_field_columns(&swe_flow_fields.field[k], grid->layout.n); i++) {
        real r[3], f[3];
        geometry_position(panel, tan_x[i], y, r);
        acceleration_at(waves, r, f);
        out[i] = k == SWE_FIELD_V1 ? geometry_covariant1(grid->radius, panel, tan_x[i], y, f)
                                   : geometry_covariant2(grid->radius, panel, tan_x[i], y, f);
    }
}

static swe_status run_stir(swe_context *ctx, swe_model *model, void *given)
{
    const stirring_given *g = given;
    const swe_host_fields *fields = model->host[g->fields];
    swe_slab slab;
    SWE_TRY(swe_slab_create(ctx, fields, (swe_margin){0, 0}, &slab));
    for (int k = SWE_FIELD_V1; k <= SWE_FIELD_V2; k++) {
        swe_slab_turn(fields, k, &slab);
        for (int panel = 0; panel < SWE_PANELS; panel++) {
            const swe_range rows = swe_slab_own_rows(&slab, &swe_flow_fields.field[k], panel);
#pragma omp parallel for schedule(static) num_threads(model->execution.threads)
            for (int j = rows.first; j < rows.last; j++)
                stirring_row(model->grid, g->waves, k, panel, j, swe_slab_row(&slab, panel, j));
        }
        swe_slab_set(fields, k, &slab);
    }
    swe_slab_release(&slab);
    return SWE_OK;
}

SWE_TASK_DEFINE(stir, stirring_given);

swe_status swe_stir(swe_context *ctx, const swe_config *config, swe_model *model, long interval)
{
    stirring_given given = {.fields = 0};
    swe_host_fields *fields = NULL;
    uint64_t random = (uint64_t)config->forcing.stirring.seed;
    random = (uint64_t)(next_random(&random) * 0x1p53) + (uint64_t)interval * 0x632be59bd9b4e019u;
    for (int m = 0; m < WAVES; m++)
        given.waves[m] = random_wave(config, &random);
    SWE_TRY(swe_host_fields_create(ctx, model, SWE_FLOW_FIELDS, &fields));
    given.fields = swe_host_fields_number(fields);
    swe_status status = swe_task_run(ctx, model, SWE_TASK_STIR, &given);
    if (status == SWE_OK)
        status = swe_host_fields_set_constant(ctx, fields, SWE_STIRRING);
    swe_host_fields_destroy(&fields);
    return status;
}
