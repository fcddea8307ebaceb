#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sources/sources.h"

#ifdef PROF_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

struct prof_code_names {
    Dwfl *dwfl;
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

/* Append a name and a blank before it. */
static void append(const char *name, char *out, size_t size)
{
    const size_t length = strlen(out), more = strlen(name) + (length > 0 ? 1 : 0);
    if (length + more >= size)
        return;
    if (length > 0)
        out[length] = ' ';
    memcpy(out + length + (length > 0 ? 1 : 0), name, strlen(name) + 1);
}

static void append_functions(const Dwarf_Die *scopes, int count, char *out, size_t size)
{
    for (int k = 0; k < count; k++) {
        Dwarf_Die scope = scopes[k];
        const int tag = dwarf_tag(&scope);
        const char *name = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram
                               ? dwarf_diename(&scope)
                               : NULL;
        if (name != NULL)
            append(name, out, size);
    }
}

void prof_code_names_at(prof_code_names *names, uint64_t address, char *out, size_t size)
{
    Dwarf_Addr bias = 0;
    Dwarf_Die *innermost = NULL, *scopes = NULL;
    out[0] = '\0';
    Dwarf_Die *unit = dwfl_addrdie(names->dwfl, address, &bias);
    /* the scopes of the definition, of which the first is also where it is inlined */
    if (unit == NULL || dwarf_getscopes(unit, address - bias, &innermost) <= 0)
        return;
    const int count = dwarf_getscopes_die(&innermost[0], &scopes);
    append_functions(scopes, count, out, size);
    free(scopes);
    free(innermost);
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
