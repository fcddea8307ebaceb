/* Names of the functions around instructions of a GPU's program, from its line tables. nvcc writes
 * them with -lineinfo: DWARF 2, extended by NVIDIA's operation 0x90, which names the function that
 * a row is inlined from, and the row of its caller. */
#ifndef PROFILING_SOURCES_CODE_CODE_CUBIN_H
#define PROFILING_SOURCES_CODE_CODE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct code_cubin code_cubin;

/* Whether this build can; it needs libelf. */
bool code_cubin_is_readable(void);

/* Read the tables of a program in memory (ELF), which may be released afterwards. NULL: it has
 * none, they are damaged, or there is no memory. */
code_cubin *code_cubin_open(const void *program, size_t size);
void code_cubin_close(code_cubin **cubin);

/* An instruction: its innermost source line. */
typedef struct code_line {
    const char *file; /* NULL: unknown; owned by the cubin */
    int line;
} code_line;

/* Find the instruction at an offset in a kernel, by the kernel's mangled name. Write the names of
 * the functions around it, innermost first, the kernel last, separated by blanks; those that do not
 * fit are left out. */
code_line code_cubin_at(const code_cubin *cubin, const char *kernel, uint64_t offset, char *around,
                        size_t size);

/* Write the plain name of a mangled function, without scopes and arguments: "update". A lambda is
 * named after the function that contains it. */
void code_plain_name(const char *mangled, char *out, size_t size);

#endif
