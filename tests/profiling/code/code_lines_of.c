/* code_lines_of PROGRAM KERNEL OFFSET: print the functions around an instruction and its line.
 * code_lines_of PROGRAM KERNEL: read the program cut at every byte, and with every byte changed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources/code/code_cubin.h"

static void ask(const void *program, size_t size, const char *kernel, uint64_t offset)
{
    char around[256];
    code_cubin *cubin = code_cubin_open(program, size);
    if (cubin == NULL)
        return;
    const code_line line = code_cubin_at(cubin, kernel, offset, around, sizeof around);
    printf("%s %s %d\n", around, line.file != NULL ? line.file : "-", line.line);
    code_cubin_close(&cubin);
}

/* A copy of its own size, so that a sanitizer sees what is read beyond. */
static void ask_for_part(const uint8_t *program, size_t size, const char *kernel)
{
    uint8_t *part = malloc(size + 1);
    if (part == NULL)
        abort();
    memcpy(part, program, size);
    ask(part, size, kernel, 0x20);
    free(part);
}

int main(int count, char **argument)
{
    static uint8_t program[1 << 16];
    FILE *file = count > 2 ? fopen(argument[1], "rb") : NULL;
    if (file == NULL)
        return 64;
    const size_t size = fread(program, 1, sizeof program, file);
    fclose(file);
    if (count > 3) {
        ask(program, size, argument[2], strtoull(argument[3], NULL, 0));
        return 0;
    }
    for (size_t part = 0; part < size; part++)
        ask_for_part(program, part, argument[2]);
    for (size_t k = 0; k < size; k++)
        for (int bit = 0; bit < 8; bit += 3) {
            program[k] ^= (uint8_t)(1 << bit);
            ask_for_part(program, size, argument[2]);
            program[k] ^= (uint8_t)(1 << bit);
        }
    return 0;
}
