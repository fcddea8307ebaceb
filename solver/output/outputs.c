#include "output/outputs.h"

#include <stddef.h>

const swe_output swe_outputs[SWE_OUTPUTS] = {
#define OUTPUT_ROW(word, name, meaning, units, standard_name, flows, first, second, function)      \
    {SWE_WORD_##word,                                                                              \
     #name,                                                                                        \
     meaning,                                                                                      \
     units,                                                                                        \
     standard_name,                                                                                \
     flows,                                                                                        \
     {SWE_FROM_##first, SWE_FROM_##second}},
    SWE_OUTPUT_LIST(OUTPUT_ROW)
#undef OUTPUT_ROW
};

bool swe_outputs_need(unsigned chosen, swe_output_input input)
{
    bool need = false;
    for (int k = 0; k < SWE_OUTPUTS; k++) {
        const swe_output *o = &swe_outputs[k];
        need = need || ((chosen & 1u << o->word) != 0 && (o->in[0] == input || o->in[1] == input));
    }
    return need;
}

int swe_outputs_missing(unsigned chosen, swe_flow flow)
{
    unsigned found = 0;
    for (int k = 0; k < SWE_OUTPUTS; k++)
        if ((swe_outputs[k].flows & 1 << flow) != 0)
            found |= 1u << swe_outputs[k].word;
    for (int word = 0; chosen >> word != 0; word++)
        if ((chosen & ~found & 1u << word) != 0)
            return word;
    return -1;
}
