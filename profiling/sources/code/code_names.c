#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sources/code/code_parts.h"
#include "sources/sources.h"

#ifdef PROF_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

struct prof_code_names {
    Dwfl *dwfl;
    Dwarf_Die *unit; /* the last that had an address */
    Dwarf_Addr bias; /* of its module */
};

/* Line tables elsewhere than in the program are not looked for: that may ask servers. */
static int find_nothing(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word sum, char **found)
{
    (void)module, (void)data, (void)name, (void)base, (void)file, (void)link, (void)sum,
        (void)found;
    return -1;
}

prof_code_names *prof_code_names_open(void)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = find_nothing};
    prof_code_names *names = calloc(1, sizeof *names);
    if (names == NULL)
        return NULL;
    names->dwfl = dwfl_begin(&callbacks);
    if (names->dwfl == NULL || dwfl_linux_proc_report(names->dwfl, getpid()) != 0 ||
        dwfl_report_end(names->dwfl, NULL, NULL) != 0)
        prof_code_names_close(&names);
    return names;
}

/* Append the functions below an entry that have an address, those within others first. */
static void append_functions(Dwarf_Die *parent, Dwarf_Addr address, char *out, size_t size)
{
    Dwarf_Die die;
    for (int end = dwarf_child(parent, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
        if (dwarf_haspc(&die, address) <= 0)
            continue;
        append_functions(&die, address, out, size);
        const int tag = dwarf_tag(&die);
        const bool is_function = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram;
        const char *name = is_function ? dwarf_diename(&die) : NULL;
        if (name != NULL)
            code_append_name(name, out, size);
        return;
    }
}

static bool is_in_unit(const prof_code_names *names, uint64_t address)
{
    return names->unit != NULL && dwarf_haspc(names->unit, address - names->bias) > 0;
}

void prof_code_names_at(prof_code_names *names, uint64_t address, char *out, size_t size)
{
    out[0] = '\0';
    if (!is_in_unit(names, address)) {
        Dwfl_Module *module = dwfl_addrmodule(names->dwfl, address);
        names->unit = NULL;
        do
            names->unit = dwfl_module_nextcu(module, names->unit, &names->bias);
        while (names->unit != NULL && !is_in_unit(names, address));
    }
    if (names->unit != NULL)
        append_functions(names->unit, address - names->bias, out, size);
}

void prof_code_names_close(prof_code_names **pointer)
{
    prof_code_names *names = *pointer;
    if (names == NULL)
        return;
    dwfl_end(names->dwfl);
    free(names);
    *pointer = NULL;
}
#else
prof_code_names *prof_code_names_open(void)
{
    return NULL;
}

void prof_code_names_at(prof_code_names *names, uint64_t address, char *out, size_t size)
{
    (void)names, (void)address, (void)size;
    out[0] = '\0';
}

void prof_code_names_close(prof_code_names **names)
{
    (void)names;
}
#endif
