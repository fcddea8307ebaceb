/* THE OUTPUTS of field files, declared once: the words of output.fields, and the variables that
 * each word stands for. A new variable is a row here and a function in field_variables.c. */
#ifndef SWE_FIELDS_OUTPUTS_H
#define SWE_FIELDS_OUTPUTS_H

#include <stdbool.h>

#include "fields/fields.h"

/* clang-format off */
#define SWE_OUTPUT_WORD_LIST(WORD, AND)                                                            \
    WORD(h) AND()                                                                                  \
    WORD(wind) AND()                                                                               \
    WORD(native) AND()                                                                             \
    WORD(vorticity) AND()                                                                          \
    WORD(divergence) AND()                                                                         \
    WORD(surface) AND()                                                                            \
    WORD(potential_vorticity) AND()                                                                \
    WORD(kinetic_energy)
/* clang-format on */

/* The fields that a row of a variable is computed from. */
typedef enum swe_output_input {
    SWE_FROM_H,
    SWE_FROM_V1,
    SWE_FROM_V2,
    SWE_FROM_VORTICITY,
    SWE_FROM_DIVERGENCE,
    SWE_FROM_BOTTOM,
    SWE_FROM_NONE
} swe_output_input;

/*  OUTPUT(word, name, meaning, units, standard name, flows, first input, second input, function)
 *
 *  `function` computes a row (field_row). Files have the variables in this order. */
#define SWE_OUTPUT_LIST(OUTPUT)                                                                    \
    OUTPUT(h, h, "height perturbation", "m", NULL, SWE_IN_LINEAR, H, NONE, field_as_it_is)         \
    OUTPUT(h, h, "depth of the fluid", "m", NULL, SWE_IN_NONLINEAR, H, NONE, field_as_it_is)       \
    OUTPUT(surface, surface, "height of the surface", "m", NULL, SWE_IN_ALL_FLOWS, H, BOTTOM,      \
           surface_row)                                                                            \
    OUTPUT(surface, bottom, "height of the bottom", "m", NULL, SWE_IN_ALL_FLOWS, BOTTOM, NONE,     \
           field_as_it_is)                                                                         \
    OUTPUT(wind, u, "zonal wind", "m s-1", "eastward_wind", SWE_IN_ALL_FLOWS, V1, V2, zonal_row)   \
    OUTPUT(wind, v, "meridional wind", "m s-1", "northward_wind", SWE_IN_ALL_FLOWS, V1, V2,        \
           meridional_row)                                                                         \
    OUTPUT(native, v1, "", "", NULL, SWE_IN_ALL_FLOWS, V1, NONE, v1_row)                           \
    OUTPUT(native, v2, "", "", NULL, SWE_IN_ALL_FLOWS, V2, NONE, field_as_it_is)                   \
    OUTPUT(vorticity, vorticity, "relative vorticity", "s-1",                                      \
           "atmosphere_upward_relative_vorticity", SWE_IN_ALL_FLOWS, VORTICITY, NONE,              \
           field_as_it_is)                                                                         \
    OUTPUT(potential_vorticity, potential_vorticity,                                               \
           "potential vorticity: absolute vorticity over the depth", "m-1 s-1", NULL,              \
           SWE_IN_NONLINEAR, H, VORTICITY, potential_vorticity_row)                                \
    OUTPUT(divergence, divergence, "divergence of the wind", "s-1", "divergence_of_wind",          \
           SWE_IN_ALL_FLOWS, DIVERGENCE, NONE, field_as_it_is)                                     \
    OUTPUT(kinetic_energy, kinetic_energy, "kinetic energy per mass", "m2 s-2",                    \
           "specific_kinetic_energy_of_air", SWE_IN_ALL_FLOWS, V1, V2, kinetic_energy_row)

#define SWE_OUTPUT_MEANING                                                                         \
    "what a field file holds: h, zonal and meridional wind at vertices, staggered v1, v2, "        \
    "relative vorticity and divergence of the wind, the surface h + b with the bottom b, the "     \
    "potential vorticity (zeta + f)/h, which only the nonlinear equations have, and the kinetic "  \
    "energy per mass"

/* The words of the configuration, "h|wind|..."; word k of a choice is its bit k. */
#define SWE_OUTPUT_WORD_TEXT(word) #word
#define SWE_OUTPUT_WORD_BAR()      "|"
#define SWE_OUTPUT_WORDS           SWE_OUTPUT_WORD_LIST(SWE_OUTPUT_WORD_TEXT, SWE_OUTPUT_WORD_BAR)

enum {
#define SWE_OUTPUT_WORD_ENUM(word) SWE_WORD_##word
#define SWE_OUTPUT_WORD_COMMA()    ,
    SWE_OUTPUT_WORD_LIST(SWE_OUTPUT_WORD_ENUM, SWE_OUTPUT_WORD_COMMA)
#undef SWE_OUTPUT_WORD_ENUM
#undef SWE_OUTPUT_WORD_COMMA
};

enum {
#define SWE_OUTPUT_COUNT(...) +1
    SWE_OUTPUTS = SWE_OUTPUT_LIST(SWE_OUTPUT_COUNT)
#undef SWE_OUTPUT_COUNT
};

/* Compute row j of a panel (files/output/field_variables.h). */
struct field_rows;
typedef void field_row(const struct field_rows *from, int panel, int j, double *out);

/* A prognostic variable of the scheme (v1, v2) has the meaning, units and points of its field. */
typedef struct swe_output {
    int word;
    const char *of_word;                                /* its text */
    const char *name, *meaning, *units, *standard_name; /* standard_name: NULL: none */
    int flows;                                          /* bits SWE_IN_* (fields/fields.h) */
    swe_output_input in[2];
    field_row *row;
} swe_output;
extern const swe_output swe_outputs[SWE_OUTPUTS];

/* Whether a variable of the chosen words is computed from a field. */
bool swe_outputs_need(unsigned chosen, swe_output_input input);

/* A chosen word without a variable in a flow; NULL: none. */
const char *swe_outputs_missing(unsigned chosen, swe_flow flow);

#endif
