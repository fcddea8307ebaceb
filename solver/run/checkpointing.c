#include "run/checkpointing.h"

#include <stddef.h>
#include <unistd.h>

/* A checkpoint holds these doubles. The other members of the integrals (other extremes, positions,
 * potential enstrophy) need no entry, because the next row of diagnostics computes them again. For
 * a new member, extend `tallies` and SWE_TALLIES if a restart must continue it. */
_Static_assert(sizeof(swe_integrals) == 6 * sizeof(double) + 3 * sizeof(swe_extreme),
               "budgets have other members than a checkpoint holds");
_Static_assert(sizeof(swe_errors) == 6 * sizeof(double) &&
                   sizeof(swe_velocity_errors) == 4 * sizeof(double),
               "errors have other members than a checkpoint holds");

#define TALLY(name, member)                                                                        \
    {                                                                                              \
        name, offsetof(swe_results, member), false                                                 \
    }

static const struct {
    const char *name;
    size_t offset;
    bool is_optional;
} tallies[SWE_TALLIES] = {
    TALLY("first_mass", first.mass),
    TALLY("first_mass_scale", first.mass_scale),
    TALLY("first_energy", first.energy),
    TALLY("first_circulation", first.circulation),
    TALLY("first_shear", first.shear),
    TALLY("first_max_h", first.highest.value),
    TALLY("last_mass", last.mass),
    TALLY("last_mass_scale", last.mass_scale),
    TALLY("last_energy", last.energy),
    TALLY("last_circulation", last.circulation),
    TALLY("last_shear", last.shear),
    TALLY("last_max_h", last.highest.value),
    TALLY("error_l1", errors.l1),
    TALLY("error_l2", errors.l2),
    TALLY("error_linf", errors.linf),
    TALLY("error_l2_abs", errors.l2_abs),
    TALLY("error_linf_abs", errors.linf_abs),
    TALLY("error_rms", errors.rms),
    TALLY("velocity_error_l1", velocity_errors.l1),
    TALLY("velocity_error_l2", velocity_errors.l2),
    TALLY("velocity_error_linf", velocity_errors.linf),
    TALLY("velocity_error_linf_abs", velocity_errors.linf_abs),
    TALLY("max_rms", max_rms),
    TALLY("max_linf_abs", max_linf_abs),
    TALLY("mass_drift", mass_drift),
    TALLY("energy_drift", energy_drift),
    TALLY("circulation_drift", circulation_drift),
    TALLY("seconds", seconds),
    {"maxima_since", offsetof(swe_results, maxima_since), true},
    {"v_lag", offsetof(swe_results, v_lag), true},
};

void swe_tallies_of(swe_results *results, swe_checkpoint_number out[SWE_TALLIES])
{
    for (int k = 0; k < SWE_TALLIES; k++)
        out[k] = (swe_checkpoint_number){tallies[k].name,
                                         (double *)(void *)((char *)results + tallies[k].offset),
                                         tallies[k].is_optional};
}

static void add_numbers(swe_results *results, swe_checkpoint_number out[SWE_TALLIES],
                        swe_checkpoint *checkpoint)
{
    swe_tallies_of(results, out);
    checkpoint->numbers = out;
    checkpoint->number_count = SWE_TALLIES;
}

swe_status swe_checkpointing_write(swe_context *ctx, swe_checkpoints *checkpoints,
                                   swe_checkpoint checkpoint, FILE *rows, swe_results *results)
{
    swe_checkpoint_number numbers[SWE_TALLIES];
    swe_context failure = {""};
    char path[64];
    add_numbers(results, numbers, &checkpoint);
    if (rows != NULL && (fflush(rows) != 0 || fsync(fileno(rows)) != 0))
        return swe_fail(ctx, SWE_IO, "diagnostics.csv cannot be written");
    if (rows != NULL) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(rows));
        const swe_status status = swe_digest_start(&failure, path, checkpoint.diagnostics_size,
                                                   checkpoint.diagnostics_sha256);
        if (status != SWE_OK)
            return swe_fail(ctx, status == SWE_DATA ? SWE_IO : status, "diagnostics.csv, as %s",
                            failure.message);
    }
    return swe_checkpoints_write(ctx, checkpoints, &checkpoint);
}

void swe_checkpointing_set_aside(swe_context *ctx, swe_checkpoints *checkpoints,
                                 swe_checkpoint checkpoint, swe_results *results)
{
    swe_checkpoint_number numbers[SWE_TALLIES];
    swe_context writing = {""};
    char path[4400];
    add_numbers(results, numbers, &checkpoint);
    const swe_context why = *ctx;
    if (swe_checkpoints_write_failed(&writing, checkpoints, &checkpoint, path, sizeof path) ==
        SWE_OK)
        swe_fail(ctx, SWE_INTERNAL, "%.500s; that state is in %.400s", why.message, path);
    else
        swe_fail(ctx, SWE_INTERNAL, "%.500s; that state is lost: %.400s", why.message,
                 writing.message);
}
