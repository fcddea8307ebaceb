/* The keys of section `initial` that a kind declares are those that change its fields. */
#include "support/case.h"

#include <string.h>

#include "config/keys.h"

enum { POINTS = 6, VALUES = 5 };

/* Change the value of a key; false for an unknown key. */
static bool change(swe_initial *initial, const char *key)
{
    const swe_initial before = *initial;
    struct {
        const char *name;
        double *number;
        int *whole;
    } members[] = {{"lon", &initial->lon, NULL},
                   {"lat", &initial->lat, NULL},
                   {"amplitude", &initial->amplitude, NULL},
                   {"width", &initial->width, NULL},
                   {"degree", NULL, &initial->degree},
                   {"angle", &initial->angle, NULL},
                   {"period", &initial->period, NULL},
                   {"wavenumber", NULL, &initial->wavenumber},
                   {"mode", NULL, &initial->mode}};
    for (size_t k = 0; k < sizeof members / sizeof members[0]; k++)
        if (strcmp(key, members[k].name) == 0) {
            if (members[k].number != NULL)
                *members[k].number *= 1.25;
            else
                *members[k].whole += 1;
            return true;
        }
    if (strcmp(key, "wave") == 0)
        initial->wave = SWE_WAVE_EASTWARD;
    else if (strcmp(key, "perturbation") == 0)
        initial->perturbed = !before.perturbed;
    else
        return false;
    return true;
}

/* h, velocity and bottom at points without symmetry. */
static void sample(const swe_initial *initial, const swe_physics *physics, double *values)
{
    random_source random = {17};
    swe_case *c = case_of(initial, physics);
    for (int k = 0; k < POINTS; k++, values += VALUES) {
        double r[3];
        if (k == 0)
            case_point(3.0, 44.0, r); /* in the perturbation of the jet */
        else
            case_random_point(&random, r);
        values[0] = swe_case_height_at(c, 0.0, r);
        swe_case_velocity_at(c, 0.0, r, values + 1);
        values[4] = swe_case_bottom_at(c, r);
    }
    swe_case_destroy(&c);
}

static bool has_effect(const swe_initial *initial, const swe_physics *physics, const char *key)
{
    double before[POINTS * VALUES], after[POINTS * VALUES];
    swe_initial changed = *initial;
    if (!change(&changed, key))
        fail_msg("this test does not know the key '%s'", key);
    sample(initial, physics, before);
    sample(&changed, physics, after);
    return memcmp(before, after, sizeof before) != 0;
}

static void a_kind_declares_the_keys_that_it_reads(void **state)
{
    (void)state;
    int read = 0;
    for (int kind = 0; kind < SWE_INITIAL_FILE; kind++) {
        const swe_initial initial = {.kind = (swe_initial_kind)kind,
                                     .lon = 20.0,
                                     .lat = 30.0,
                                     .amplitude = 1.0,
                                     .width = 0.1,
                                     .degree = 3,
                                     .angle = 40.0,
                                     .period = 1036800.0,
                                     .wavenumber = 3,
                                     .mode = 2,
                                     .perturbed = true};
        const char *name = swe_initial_name(initial.kind);
        const bool is_linear = kind <= SWE_INITIAL_MATSUNO;
        swe_physics physics =
            case_physics(is_linear ? SWE_LINEAR : SWE_NONLINEAR, 9000.0, 30.0, 40.0);
        physics.is_prescribed = kind == SWE_INITIAL_WILLIAMSON1 || kind == SWE_INITIAL_DEFORMATION;
        for (const swe_key *key = swe_keys; key->path != NULL; key++) {
            const char *word = swe_key_name(key);
            if (strncmp(key->path, "initial.", 8) != 0 || strcmp(word, "kind") == 0 ||
                swe_initial_reads("file", word))
                continue;
            if (swe_initial_reads(name, word) != has_effect(&initial, &physics, word))
                fail_msg("%s: '%s' is declared and has no effect, or the reverse", name, word);
            read += swe_initial_reads(name, word);
        }
    }
    assert_int_equal(read, 30);
}

static void names_are_those_of_the_key(void **state)
{
    (void)state;
    assert_string_equal(swe_initial_name(SWE_INITIAL_GAUSSIAN), "gaussian");
    assert_string_equal(swe_initial_name(SWE_INITIAL_FILE), "file");
    assert_null(swe_initial_keys("vortex"));
    assert_true(swe_initial_reads("vortex", "lon"));
    assert_true(swe_initial_reads("file", "path") && !swe_initial_reads("file", "lon"));
    assert_false(swe_initial_reads("gaussian", "lo") || swe_initial_reads("gaussian", "long"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_kind_declares_the_keys_that_it_reads),
                                       cmocka_unit_test(names_are_those_of_the_key)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
