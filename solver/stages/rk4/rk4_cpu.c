#include "stages/rk4/rk4_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_CLONES
static void row(int part, real weight, ptrdiff_t count, const real *k, const rk4_arrays *a)
{
    rk4_row(part, weight, count, k, *a);
}

void swe_rk4_cpu(const swe_view *view, int part, real weight, const real *k, real *y, real *next)
{
    const ptrdiff_t pitch = view->layout.pitch, field = view->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(view, part, y, next);
    thread_begin(view);
    for (int m = 0; m < 3; m++) /* h, v1 and v2 */
        FOR_OWN_ROWS(view, place, j, {
            const ptrdiff_t at = m * field + place * pitch;
            const rk4_arrays at_row = rk4_arrays_at(arrays, at);
            row(part, weight, pitch, k + at, &at_row);
        });
    thread_end(view);
    threads_wait(view);
}
