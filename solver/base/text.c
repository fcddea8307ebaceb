#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int swe_utf8_length(const char *begin)
{
    const unsigned char *text = (const unsigned char *)begin;
    const int length = text[0] < 0x80                       ? 1
                       : text[0] >= 0xc2 && text[0] <= 0xdf ? 2
                       : text[0] >= 0xe0 && text[0] <= 0xef ? 3
                       : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                            : 0;
    for (int k = 1; k < length; k++)
        if ((text[k] & 0xc0) != 0x80)
            return 0;
    const bool overlong =
        (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    const bool surrogate = text[0] == 0xed && text[1] > 0x9f;
    const bool beyond = text[0] == 0xf4 && text[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

void swe_to_utf8(char *text)
{
    while (*text != '\0') {
        const int length = swe_utf8_length(text);
        if (length == 0)
            *text = '?';
        text += length > 0 ? length : 1;
    }
}

bool swe_is_listed(const char *list, const char *separators, const char *word)
{
    for (const size_t length = strlen(word);; list++) {
        const size_t size = strcspn(list, separators);
        if (size == length && memcmp(list, word, length) == 0)
            return true;
        list += size;
        if (*list == '\0')
            return false;
    }
}

int swe_unsafe_length(const char *text)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     /* control characters */
        {0x61c, 0x61c},   {0x200e, 0x200f}, /* marks of direction */
        {0x2028, 0x202e},                   /* separators, embeddings and overrides */
        {0x2066, 0x2069},                   /* isolates */
        {0xfeff, 0xfeff}, {0xfffe, 0xffff}};
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07}; /* its bits, by length */
    const int length = swe_utf8_length(text);
    if (length == 0)
        return 1;
    uint32_t point = (unsigned char)text[0] & first[length];
    for (int k = 1; k < length; k++)
        point = point << 6 | ((unsigned char)text[k] & 0x3f);
    for (unsigned k = 0; k < sizeof ranges / sizeof *ranges; k++)
        if (point >= ranges[k][0] && point <= ranges[k][1])
            return length;
    return 0;
}

void swe_to_printable(char *text)
{
    swe_copy_printable(text, strlen(text) + 1, text);
}

const char *swe_copy_printable(char *out, size_t size, const char *text)
{
    size_t used = 0;
    while (text != NULL && *text != '\0') {
        const int unsafe = swe_unsafe_length(text);
        const size_t bytes = (size_t)(unsafe > 0 ? unsafe : swe_utf8_length(text));
        const size_t length = unsafe > 0 ? 1 : bytes;
        if (used + length >= size)
            break;
        memmove(out + used, unsafe > 0 ? "?" : text, length);
        used += length;
        text += bytes;
    }
    out[used] = '\0';
    return out;
}

/* ---- times ----------------------------------------------------------------------------------- */

static bool read_clock(const char *text, double *seconds)
{
    static const char marks[] = "-::"; /* behind days, hours, minutes; the end behind seconds */
    double part[4] = {0.0};
    const int first = strchr(text, '-') != NULL ? 0 : 1;
    for (int k = first; k < 4; k++) {
        const size_t digits = strspn(text, "0123456789");
        if (digits == 0 || digits > (k == first ? 6u : 2u) || text[digits] != marks[k])
            return false;
        part[k] = strtod(text, NULL);
        text += digits + (k < 3);
    }
    *seconds = 86400.0 * part[0] + 3600.0 * part[1] + 60.0 * part[2] + part[3];
    return (first == 1 || part[1] < 24.0) && part[2] < 60.0 && part[3] < 60.0;
}

static bool read_units(const char *text, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"d", 86400.0}, {"h", 3600.0}, {"min", 60.0}, {"s", 1.0}};
    size_t k = 0;
    for (*seconds = 0.0; *text != '\0'; k++) {
        char *end = NULL;
        const double number = strtod(text, &end);
        const size_t letters = strspn(end, "dhimns");
        while (k < 4 &&
               (strlen(units[k].name) != letters || strncmp(end, units[k].name, letters) != 0))
            k++;
        if (end == text || k == 4 || isspace((unsigned char)*text))
            return false;
        *seconds += number * units[k].seconds;
        text = end + letters;
    }
    return true;
}

bool swe_text_time(const char *text, double *seconds)
{
    char *end = NULL;
    *seconds = strtod(text, &end);
    if (end == text || isspace((unsigned char)*text) || strpbrk(text, "xX") != NULL)
        return false;
    return *end == '\0' ||
           (strchr(text, ':') != NULL ? read_clock(text, seconds) : read_units(text, seconds));
}
