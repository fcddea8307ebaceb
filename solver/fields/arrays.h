/* Arrays of the fields (fields.h) in the backend's memory, in one precision (base/real.h). */
#ifndef SWE_FIELDS_ARRAYS_H
#define SWE_FIELDS_ARRAYS_H

#include "base/real.h"
#include "fields/fields.h"

/* A state or a tendency: h, v1, v2 one after the other. */
typedef struct swe_fields {
    real *h, *v1, *v2;
} swe_fields;

/* h, v1, v2 of a state that starts at `base`. */
SWE_POINT swe_fields swe_fields_at(const swe_layout *layout, real *base)
{
    const swe_fields fields = {base, base + layout->field, base + 2 * layout->field};
    return fields;
}

/* Work arrays; NULL where neither flow nor pipeline of the model needs them. */
typedef struct swe_work {
#define SWE_WORK_MEMBER(name, long_name, units, location, flows, pipelines) real *name;
    SWE_WORK_LIST(SWE_WORK_MEMBER)
#undef SWE_WORK_MEMBER
} swe_work;

/* All arrays of a time step. */
typedef struct swe_step_fields {
    swe_fields y; /* the state */
    swe_fields
        next; /* Y1, first of the states at which later tendencies are taken; view->next apart */
    swe_fields k; /* a tendency; NULL where only the fused pipeline runs */
    swe_work work;
} swe_step_fields;

#endif
