/* Structure-aware mutation for libFuzzer: whole subtrees of a valid file are repeated, dropped,
 * exchanged, replaced by one another or by values of another type.
 *
 * A text that starts with { or [ is JSON: its entries are members and items. Any other text is
 * lines: a line with the more deeply indented lines below it is an entry, and so are the parts
 * between its commas. Other inputs are mutated byte by byte, as libFuzzer does. */
#include "mutate.h"

#include <stdbool.h>
#include <string.h>

enum { MOST_ENTRIES = 4096, MOST_OPEN = 256, MOST_TEXT = 1 << 20 };

/* The bytes of a member or an item, and of its value. */
typedef struct entry {
    size_t start, value, end;
} entry;

typedef struct tree {
    entry entries[MOST_ENTRIES];
    size_t count;
    char separator; /* between two entries of JSON, or 0 */
} tree;

static uint64_t state;

/* A number less than `count`. */
static size_t draw(size_t count)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = (state ^ (state >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return count > 0 ? (size_t)(z ^ (z >> 31)) % count : 0;
}

static void add(tree *t, size_t start, size_t value, size_t end)
{
    if (t->count < MOST_ENTRIES && start <= value && value < end)
        t->entries[t->count++] = (entry){start, value, end};
}

/* The place behind a string that starts at `at`. */
static size_t skip_string(const char *text, size_t size, size_t at)
{
    for (at++; at < size && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at < size ? at + 1 : size;
}

/* Entries of JSON, except the whole; a truncated text gives the entries that are complete. */
static void scan_json(const char *text, size_t size, tree *t)
{
    struct {
        size_t start, value;
    } open[MOST_OPEN];
    size_t depth = 0, start = 0, value = 0, end = 0; /* of the entry that is being read */
    bool is_empty = true;
    for (size_t at = 0; at < size;) {
        const char c = text[at];
        const bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
        if (is_empty && strchr(" \n\t\r,:}]", c) == NULL) {
            start = value = at;
            is_empty = false;
        }
        if (opens && depth < MOST_OPEN) {
            open[depth].start = start;
            open[depth++].value = value;
            is_empty = true;
        } else if (c == ':') {
            value = at + 1;
        } else if (c == ',' || closes) {
            if (!is_empty && depth > 0)
                add(t, start, value, end);
            is_empty = true;
            if (closes && depth > 0) {
                start = open[--depth].start;
                value = open[depth].value;
                is_empty = false;
            }
        }
        at = c == '"' ? skip_string(text, size, at) : at + 1;
        if (strchr(" \n\t\r,:", c) == NULL)
            end = at;
    }
}

static size_t line_end(const char *text, size_t size, size_t at)
{
    while (at < size && text[at] != '\n' && text[at] != '\0')
        at++;
    return at < size ? at + 1 : size;
}

static size_t indent_of(const char *text, size_t size, size_t at)
{
    size_t indent = 0;
    while (at + indent < size && text[at + indent] == ' ')
        indent++;
    return indent;
}

/* The fields of a line: between commas, and behind a colon or an equals sign. */
static void scan_fields(const char *text, size_t start, size_t end, tree *t)
{
    size_t field = start;
    for (size_t at = start; at < end; at++) {
        const bool ends = strchr(",]}\n", text[at]) != NULL;
        if (ends && at > field)
            add(t, field, field, at);
        if (ends || strchr("[{:=", text[at]) != NULL)
            field = at + 1;
    }
}

static void scan_lines(const char *text, size_t size, tree *t)
{
    for (size_t at = 0, next; at < size; at = next) {
        next = line_end(text, size, at);
        size_t last = next;
        while (last < size && indent_of(text, size, last) > indent_of(text, size, at))
            last = line_end(text, size, last);
        add(t, at, at, last);
        scan_fields(text, at, next, t);
    }
}

static void scan(const char *text, size_t size, tree *t)
{
    t->count = 0;
    const bool is_json = size > 0 && (text[0] == '{' || text[0] == '[');
    t->separator = is_json ? ',' : '\0';
    (is_json ? scan_json : scan_lines)(text, size, t);
}

/* Replace the bytes [start, end) by others; the new size, the old one if there is no room. */
static size_t replace(char *text, size_t size, size_t most, size_t start, size_t end,
                      const char *by, size_t length)
{
    if (size - (end - start) + length > most)
        return size;
    memmove(text + start + length, text + end, size - end);
    memcpy(text + start, by, length);
    return size - (end - start) + length;
}

static size_t repeat(char *text, size_t size, size_t most, entry e, char separator)
{
    static char copy[MOST_TEXT];
    const size_t length = e.end - e.start, times = draw(8) == 0 ? 1 + draw(40) : 1;
    size_t used = 0;
    for (size_t k = 0; k < times && used + length + 1 < sizeof copy; k++) {
        if (separator != '\0')
            copy[used++] = separator;
        memcpy(copy + used, text + e.start, length);
        used += length;
    }
    return replace(text, size, most, e.end, e.end, copy, used);
}

/* Including the separator behind it, or else the one before it. */
static size_t drop(char *text, size_t size, entry e, char separator)
{
    size_t before = e.start;
    while (before > 0 && strchr(" \n", text[before - 1]) != NULL)
        before--;
    if (separator != '\0' && e.end < size && text[e.end] == separator)
        e.end++;
    else if (separator != '\0' && before > 0 && text[before - 1] == separator)
        e.start = before - 1;
    return replace(text, size, size, e.start, e.end, "", 0);
}

/* Exchange two entries that do not overlap; for a member and an item, their values. */
static size_t exchange(char *text, size_t size, size_t most, entry a, entry b)
{
    static char copy[MOST_TEXT];
    if (b.start < a.start)
        return exchange(text, size, most, b, a);
    if ((a.start == a.value) != (b.start == b.value)) {
        a.start = a.value;
        b.start = b.value;
    }
    const size_t length = a.end - a.start;
    if (a.end > b.start || length > sizeof copy)
        return size;
    memcpy(copy, text + a.start, length);
    static char other[MOST_TEXT];
    const size_t other_length = b.end - b.start;
    memcpy(other, text + b.start, other_length);
    size = replace(text, size, most, b.start, b.end, copy, length);
    return replace(text, size, most, a.start, a.end, other, other_length);
}

static size_t retype(char *text, size_t size, size_t most, entry e, bool is_json)
{
    enum { NOT_OF_JSON = 4 }; /* the last ones */
    static const char *const values[] = {"null",
                                         "true",
                                         "false",
                                         "0",
                                         "-1",
                                         "1",
                                         "2",
                                         "0.5",
                                         "1e308",
                                         "-1e308",
                                         "1e-320",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "1152921504606846976",
                                         "4294967296",
                                         "\"\"",
                                         "\"x\"",
                                         "\"\\u202e\\u001b\"",
                                         "[]",
                                         "{}",
                                         "[[]]",
                                         "[null]",
                                         "{\"a\":1}",
                                         "-",
                                         "nan",
                                         "inf",
                                         "~"};
    const size_t count = sizeof values / sizeof *values - (is_json ? NOT_OF_JSON : 0);
    const char *by = values[draw(count)];
    return replace(text, size, most, e.value, e.end, by, strlen(by));
}

/* Replace the value of an entry by the value of another entry. */
static size_t transplant(char *text, size_t size, size_t most, entry to, const char *from, entry e)
{
    static char copy[MOST_TEXT];
    const size_t length = e.end - e.value;
    if (length > sizeof copy)
        return size;
    memcpy(copy, from + e.value, length);
    return replace(text, size, most, to.value, to.end, copy, length);
}

static size_t change(char *text, size_t size, size_t most, const tree *t)
{
    const entry a = t->entries[draw(t->count)], b = t->entries[draw(t->count)];
    switch (draw(6)) {
    case 0:
    case 1:
        return repeat(text, size, most, a, t->separator);
    case 2:
        return drop(text, size, a, t->separator);
    case 3:
        return exchange(text, size, most, a, b);
    case 4:
        return transplant(text, size, most, a, text, b);
    default:
        return retype(text, size, most, a, t->separator != '\0');
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static tree t;
    state = seed;
    if (size > MOST_TEXT || draw(8) == 0)
        return LLVMFuzzerMutate(data, size, most);
    for (size_t k = 1 + draw(3); k > 0; k--) {
        scan((const char *)data, size, &t);
        if (t.count == 0)
            return LLVMFuzzerMutate(data, size, most);
        size = change((char *)data, size, most, &t);
    }
    return size;
}

/* Replace a subtree of one input by a subtree of the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t most, unsigned seed)
{
    static tree to, from;
    state = seed;
    const size_t size = a_size < most ? a_size : most;
    memcpy(out, a, size);
    scan((const char *)out, size, &to);
    scan((const char *)b, b_size, &from);
    if (to.count == 0 || from.count == 0)
        return size;
    return transplant((char *)out, size, most, to.entries[draw(to.count)], (const char *)b,
                      from.entries[draw(from.count)]);
}
