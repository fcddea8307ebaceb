#include "sources/code/code_cubin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

static void copy_text(const char *text, size_t length, char *out, size_t size)
{
    const size_t shown = length < size ? length : size - 1;
    memcpy(out, text, shown);
    out[shown] = '\0';
}

/* Names of a mangled one follow each other, each behind its length. The first that is not the scope
 * of a file is the function's. */
void code_plain_name(const char *mangled, char *out, size_t size)
{
    static const char prefix[] = "_Z", file_scope[] = "_INTERNAL_";
    if (strncmp(mangled, prefix, sizeof prefix - 1) != 0) { /* of C */
        copy_text(mangled, strlen(mangled), out, size);
        return;
    }
    const char *at = mangled + sizeof prefix - 1;
    at += strspn(at, "ZNLK");
    out[0] = '\0';
    while (isdigit((unsigned char)*at)) {
        char *name = NULL;
        const size_t length = strtoul(at, &name, 10), rest = strlen(name);
        at = name + (length < rest ? length : rest);
        if (strncmp(name, file_scope, sizeof file_scope - 1) != 0) {
            copy_text(name, (size_t)(at - name), out, size);
            return;
        }
    }
}

#ifdef PROF_HAVE_LIBDW
#include <dwarf.h>
#include <gelf.h>

#include "sources/code/code_parts.h"
#include "window/trace.h"

enum { NVIDIA_INLINED_CALL = 0x90, MOST_DEPTH = 64 };

/* A row of a line table: from its address on, code is of this line. */
typedef struct code_row {
    uint64_t address;
    uint32_t file, line;
    uint32_t function; /* place of its name among the texts, where it is inlined */
    uint32_t caller;   /* row of its kernel that calls it, counted from 1; 0: it is not inlined */
} code_row;

/* The rows of a kernel. */
typedef struct code_kernel {
    const char *name;
    int64_t first, count;
} code_kernel;

struct code_cubin {
    uint8_t *program; /* a copy, which names and texts are in */
    const char *texts;
    size_t text_size;
    code_row *rows;
    int64_t row_count, row_room;
    code_kernel *kernels;
    int64_t kernel_count, kernel_room;
    const char **files; /* of all units, one after the other */
    int64_t file_count, file_room;
};

/* ---- bytes: a reader stays behind the end after a failure ------------------------------------ */

typedef struct code_reader {
    const uint8_t *at, *end;
    bool failed;
} code_reader;

static uint64_t read_bytes(code_reader *r, int count)
{
    uint64_t value = 0;
    if (r->end - r->at < count) {
        r->failed = true;
        return 0;
    }
    for (int k = 0; k < count; k++)
        value |= (uint64_t)r->at[k] << (8 * k);
    r->at += count;
    return value;
}

static uint64_t read_leb(code_reader *r, bool is_signed)
{
    uint64_t value = 0, byte = 0x80;
    int shift = 0;
    while ((byte & 0x80) != 0 && !r->failed && shift < 64) {
        byte = read_bytes(r, 1);
        value |= (byte & 0x7f) << shift;
        shift += 7;
    }
    if (is_signed && (byte & 0x40) != 0 && shift < 64)
        value |= ~(uint64_t)0 << shift;
    return value;
}

static const char *read_text(code_reader *r)
{
    const uint8_t *end = memchr(r->at, '\0', (size_t)(r->end - r->at));
    const char *text = (const char *)r->at;
    if (end == NULL) {
        r->failed = true;
        return "";
    }
    r->at = end + 1;
    return text;
}

/* ---- the line table -------------------------------------------------------------------------- */

/* A unit of the line table, and the state of its machine. */
typedef struct code_unit {
    code_cubin *cubin;
    Elf_Data *relocations, *symbols;
    size_t names; /* section of the symbols' names */
    Elf *elf;
    const uint8_t *start; /* of the section */
    int64_t first_file;
    uint64_t least_length, opcode_base, line_range;
    int64_t line_base;
    const uint8_t *lengths; /* of standard operations: their operands */
    code_row row;
    code_kernel kernel; /* name NULL: before its address is set */
} code_unit;

/* The symbol that a relocation puts at an offset of the section; NULL: none. */
static const char *symbol_at(const code_unit *u, uint64_t offset)
{
    GElf_Rela relocation;
    GElf_Sym symbol;
    for (int k = 0; u->relocations != NULL && gelf_getrela(u->relocations, k, &relocation) != NULL;
         k++)
        if (relocation.r_offset == offset &&
            gelf_getsym(u->symbols, (int)GELF_R_SYM(relocation.r_info), &symbol) != NULL)
            return elf_strptr(u->elf, u->names, symbol.st_name);
    return NULL;
}

static bool add_row(code_unit *u)
{
    code_cubin *c = u->cubin;
    code_row *rows = prof_grow(c->rows, c->row_count, &c->row_room, sizeof *rows);
    if (rows == NULL)
        return false;
    c->rows = rows;
    code_row row = u->row;
    row.file += (uint32_t)u->first_file - 1; /* files of a unit are counted from 1 */
    c->rows[c->row_count++] = row;
    u->kernel.count++;
    return true;
}

static bool end_kernel(code_unit *u)
{
    code_cubin *c = u->cubin;
    if (u->kernel.name != NULL) {
        code_kernel *kernels =
            prof_grow(c->kernels, c->kernel_count, &c->kernel_room, sizeof *kernels);
        if (kernels == NULL)
            return false;
        c->kernels = kernels;
        c->kernels[c->kernel_count++] = u->kernel;
    }
    u->row = (code_row){.file = 1, .line = 1};
    u->kernel = (code_kernel){.first = c->row_count};
    return true;
}

static bool do_extended(code_unit *u, code_reader *r)
{
    const uint64_t length = read_leb(r, false);
    if (length == 0 || length > (uint64_t)(r->end - r->at))
        return false;
    code_reader own = {r->at, r->at + length, false};
    r->at += length;
    switch (read_bytes(&own, 1)) {
    case DW_LNE_end_sequence:
        return end_kernel(u);
    case DW_LNE_set_address:
        u->kernel.name = symbol_at(u, (uint64_t)(own.at - u->start));
        u->row.address = read_bytes(&own, 8);
        break;
    case NVIDIA_INLINED_CALL:
        u->row.caller = (uint32_t)read_leb(&own, false);
        u->row.function = (uint32_t)read_leb(&own, false);
        break;
    default:
        break;
    }
    return !own.failed;
}

static bool do_operation(code_unit *u, code_reader *r)
{
    const uint64_t operation = read_bytes(r, 1);
    if (operation >= u->opcode_base) {
        const uint64_t step = operation - u->opcode_base;
        u->row.address += step / u->line_range * u->least_length;
        u->row.line += (uint32_t)(u->line_base + (int64_t)(step % u->line_range));
        return add_row(u);
    }
    switch (operation) {
    case 0:
        return do_extended(u, r);
    case DW_LNS_copy:
        return add_row(u);
    case DW_LNS_advance_pc:
        u->row.address += read_leb(r, false) * u->least_length;
        break;
    case DW_LNS_advance_line:
        u->row.line += (uint32_t)read_leb(r, true);
        break;
    case DW_LNS_set_file:
        u->row.file = (uint32_t)read_leb(r, false);
        break;
    case DW_LNS_const_add_pc:
        u->row.address += (255 - u->opcode_base) / u->line_range * u->least_length;
        break;
    case DW_LNS_fixed_advance_pc:
        u->row.address += read_bytes(r, 2);
        break;
    default:
        for (int k = 0; k < u->lengths[operation - 1]; k++)
            read_leb(r, false);
    }
    return true;
}

static bool read_files(code_unit *u, code_reader *r)
{
    code_cubin *c = u->cubin;
    while (!r->failed && *read_text(r) != '\0') /* folders */
        ;
    for (const char *name; !r->failed && *(name = read_text(r)) != '\0';) {
        for (int k = 0; k < 3; k++) /* folder, time and size */
            read_leb(r, false);
        const char **files = prof_grow(c->files, c->file_count, &c->file_room, sizeof *files);
        if (files == NULL)
            return false;
        c->files = files;
        c->files[c->file_count++] = name;
    }
    return !r->failed;
}

/* Read the unit at the reader, and move the reader behind it. */
static bool read_unit(code_unit *u, code_reader *r)
{
    const uint64_t length = read_bytes(r, 4);
    if (r->failed || length > (uint64_t)(r->end - r->at))
        return false;
    code_reader own = {r->at, r->at + length, false};
    r->at += length;
    const uint64_t version = read_bytes(&own, 2), header = read_bytes(&own, 4);
    if (version != 2 || header > (uint64_t)(own.end - own.at))
        return false;
    const uint8_t *operations = own.at + header;
    u->least_length = read_bytes(&own, 1);
    read_bytes(&own, 1); /* whether rows begin statements */
    const int base = (int)read_bytes(&own, 1);
    u->line_base = base < 128 ? base : base - 256; /* a signed byte */
    u->line_range = read_bytes(&own, 1);
    u->opcode_base = read_bytes(&own, 1);
    u->lengths = own.at;
    if (u->line_range == 0 || u->opcode_base == 0 ||
        u->opcode_base - 1 > (uint64_t)(own.end - own.at))
        return false;
    own.at += u->opcode_base - 1;
    u->first_file = u->cubin->file_count;
    if (!read_files(u, &own))
        return false;
    own.at = operations;
    u->kernel.name = NULL;
    if (!end_kernel(u))
        return false;
    while (own.at < own.end && !own.failed)
        if (!do_operation(u, &own))
            return false;
    return !own.failed;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* A section by its name, and its number; NULL: there is none. */
static Elf_Data *find_section(Elf *elf, const char *wanted, GElf_Shdr *header)
{
    size_t names = 0;
    Elf_Scn *section = NULL;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        const char *name =
            gelf_getshdr(section, header) != NULL ? elf_strptr(elf, names, header->sh_name) : NULL;
        if (name != NULL && strcmp(name, wanted) == 0)
            return elf_getdata(section, NULL);
    }
    return NULL;
}

static bool read_tables(code_cubin *c, Elf *elf)
{
    GElf_Shdr header = {.sh_link = 0};
    code_unit u = {.cubin = c, .elf = elf};
    const Elf_Data *lines = find_section(elf, ".debug_line", &header);
    const Elf_Data *texts = find_section(elf, ".debug_str", &header);
    u.relocations = find_section(elf, ".rela.debug_line", &header);
    u.symbols = find_section(elf, ".symtab", &header);
    u.names = header.sh_link;
    if (lines == NULL || lines->d_buf == NULL || u.symbols == NULL)
        return false;
    if (texts != NULL && texts->d_buf != NULL && texts->d_size > 0) {
        c->texts = texts->d_buf;
        c->text_size = texts->d_size;
    }
    u.start = lines->d_buf;
    code_reader r = {u.start, u.start + lines->d_size, false};
    while (r.at < r.end)
        if (!read_unit(&u, &r))
            return false;
    return c->kernel_count > 0;
}

bool code_cubin_is_readable(void)
{
    return true;
}

code_cubin *code_cubin_open(const void *program, size_t size)
{
    code_cubin *c = calloc(1, sizeof *c);
    elf_version(EV_CURRENT);
    if (c == NULL || (c->program = malloc(size)) == NULL) {
        free(c);
        return NULL;
    }
    memcpy(c->program, program, size);
    Elf *elf = elf_memory((char *)c->program, size);
    if (elf == NULL || !read_tables(c, elf))
        code_cubin_close(&c);
    if (elf != NULL)
        elf_end(elf); /* the data of its sections are in the program */
    return c;
}

void code_cubin_close(code_cubin **pointer)
{
    code_cubin *c = *pointer;
    if (c == NULL)
        return;
    free(c->program);
    free(c->rows);
    free(c->kernels);
    free(c->files);
    free(c);
    *pointer = NULL;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* The last row of a kernel whose address is not behind the offset; NULL: none. */
static const code_row *find_row(const code_cubin *c, const code_kernel *kernel, uint64_t offset)
{
    const code_row *found = NULL;
    for (int64_t k = 0; k < kernel->count; k++) {
        const code_row *row = &c->rows[kernel->first + k];
        if (row->address <= offset && (found == NULL || row->address >= found->address))
            found = row;
    }
    return found;
}

/* Append the plain name of a mangled one. */
static void append(const char *mangled, char *out, size_t size)
{
    char name[256];
    code_plain_name(mangled, name, sizeof name);
    if (name[0] != '\0')
        code_append_name(name, out, size);
}

static bool is_text(const code_cubin *c, uint32_t place)
{
    return place < c->text_size && memchr(c->texts + place, '\0', c->text_size - place) != NULL;
}

code_line code_cubin_at(const code_cubin *c, const char *name, uint64_t offset, char *around,
                        size_t size)
{
    const code_line unknown = {NULL, 0};
    const code_kernel *kernel = NULL;
    for (int64_t k = 0; k < c->kernel_count && kernel == NULL; k++)
        if (strcmp(c->kernels[k].name, name) == 0)
            kernel = &c->kernels[k];
    const code_row *row = kernel != NULL ? find_row(c, kernel, offset) : NULL;
    around[0] = '\0';
    if (row == NULL)
        return unknown;
    const code_line line = {row->file < c->file_count ? c->files[row->file] : NULL, (int)row->line};
    for (int depth = 0; depth < MOST_DEPTH && row->caller > 0 && row->caller <= kernel->count;
         depth++) {
        if (is_text(c, row->function))
            append(c->texts + row->function, around, size);
        row = &c->rows[kernel->first + row->caller - 1];
    }
    append(name, around, size);
    return line;
}
#else
bool code_cubin_is_readable(void)
{
    return false;
}

code_cubin *code_cubin_open(const void *program, size_t size)
{
    (void)program, (void)size;
    return NULL;
}

void code_cubin_close(code_cubin **cubin)
{
    (void)cubin;
}

code_line code_cubin_at(const code_cubin *cubin, const char *kernel, uint64_t offset, char *around,
                        size_t size)
{
    (void)cubin, (void)kernel, (void)offset, (void)size;
    around[0] = '\0';
    return (code_line){NULL, 0};
}
#endif
