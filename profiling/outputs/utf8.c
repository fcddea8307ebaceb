#include "outputs/utf8.h"

#include <stdbool.h>

int prof_utf8_length(const char *begin)
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

void prof_make_utf8(char *text)
{
    while (*text != '\0') {
        const int length = prof_utf8_length(text);
        if (length == 0)
            *text = '?';
        text += length > 0 ? length : 1;
    }
}
