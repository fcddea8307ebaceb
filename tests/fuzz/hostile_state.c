#include "hostile_state.h"

#include <math.h>

#include "base/memory.h"
#include "files/input/input.h"
#include "support/panels.h"

static swe_grid *grid;

static void write_file(hostile *bytes, const char *path, void (*fill)(hostile *, hid_t))
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    FUZZ_CHECK(file >= 0);
    fill(bytes, file);
    FUZZ_CHECK(H5Fclose(file) >= 0);
}

/* Interpolate to whole fields in one memory, of which the first is number 0. */
static swe_status interpolate(swe_context *ctx, const void *to, const swe_gridded *gridded,
                              const char *name, int k)
{
    const whole_fields *whole = to;
    const int n = whole->layout.n;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= n; j++) {
            double *row = whole_panel(whole, k, panel) + swe_at(&whole->layout, 0, j, 0);
            double *next = row + whole->layout.field; /* of v2 */
            if (gridded->count == 1) {
                swe_gridded_scalar_row(gridded, grid, panel, j, row);
            } else {
                swe_gridded_v1_row(gridded, grid, panel, j, row);
                if (j < n)
                    swe_gridded_v2_row(gridded, grid, panel, j, next);
                SWE_TRY(swe_gridded_check_row(ctx, name, panel, j, n + 1, next));
            }
            SWE_TRY(swe_gridded_check_row(ctx, name, panel, j, n + 1, row));
        }
    return SWE_OK;
}

void hostile_state(const uint8_t *data, size_t size, void (*fill)(hostile *, hid_t))
{
    static char path[256];
    const swe_layout layout = swe_layout_of(HOSTILE_N);
    const swe_input_file file = {path, "", "", "", .time = "", .key = "initial.time"};
    swe_input_note note;
    hostile bytes = {data, size, false};
    swe_context ctx = {""};
    double *state = NULL;
    if (path[0] == '\0')
        fuzz_path("state.h5", path);
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    write_file(&bytes, path, fill);
    FUZZ_CHECK(grid != NULL ||
               swe_grid_create(&ctx, HOSTILE_N, &swe_points_equispaced, 1.0, &grid) == SWE_OK);
    FUZZ_CHECK(swe_memory_doubles(&ctx, 3 * (size_t)layout.field, &state) == SWE_OK);
    const long before = hostile_identifiers();
    whole_fields whole = {layout, state};
    const swe_panels panels = panels_of(&whole);
    const swe_input_fields to = {&panels, interpolate, &whole};
    const swe_status status = swe_input_state(&ctx, &file, grid, &to, &note);
    FUZZ_CHECK(hostile_identifiers() == before);
    FUZZ_CHECK(status == SWE_OK || (status == SWE_DATA && ctx.message[0] != '\0'));
    FUZZ_CHECK(bytes.is_changed || status == SWE_OK);
    for (ptrdiff_t k = 0; status == SWE_OK && k < 3 * layout.field; k++)
        FUZZ_CHECK(isfinite(state[k]));
    free(state);
}
