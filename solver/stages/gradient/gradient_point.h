/* Gradient at one point: dv_k = -g Dvc_k h. `h` points at the panel's first value. */
#ifndef SWE_STAGES_GRADIENT_POINT_H
#define SWE_STAGES_GRADIENT_POINT_H

#include "operators/sbp_point.h"
#include "stages/view.h"

/* At (c,v): cell i along xi1, vertex row j. */
SWE_POINT double gradient_point1(int order, sbp_region where, const swe_view *view,
                                 const double *SWE_RESTRICT h, int j, int i)
{
    return -view->gravity * view->inverse_spacing *
           sbp_dvc(order, where, &view->sbp, view->layout.n, i, h + j * view->layout.pitch, 1);
}

/* At (v,c): vertex i along xi1, cell row j. */
SWE_POINT double gradient_point2(int order, sbp_region where, const swe_view *view,
                                 const double *SWE_RESTRICT h, int j, int i)
{
    return -view->gravity * view->inverse_spacing *
           sbp_dvc(order, where, &view->sbp, view->layout.n, j, h + i, view->layout.pitch);
}

#endif
