#include "outputs/xplane/op_name.h"

#include <ctype.h>

enum { MOST = 120 }; /* characters of one name */

/* Append a name without the characters that separate names; as a type, in lower-case letters,
 * digits and '_', since XProf does not count operations with other types. */
static size_t append_name(char *text, size_t at, const char *name, bool is_type)
{
    if (is_type && !isalpha((unsigned char)name[0]))
        text[at++] = '_';
    for (int k = 0; k < MOST && name[k] != '\0'; k++) {
        const unsigned char c = (unsigned char)name[k];
        if (is_type)
            text[at++] = isalnum(c) ? (char)tolower(c) : '_';
        else
            text[at++] = c == '/' || c == ':' ? '_' : (char)c;
    }
    return at;
}

static size_t append_scopes(const prof_trace *trace, int32_t span, char *text)
{
    if (span < 0 || trace->spans[span].kind == PROF_STEP || trace->spans[span].kind == PROF_PHASE)
        return 0;
    size_t at = append_scopes(trace, trace->spans[span].parent, text);
    if (at + 3 * (MOST + 2) >= XPLANE_OP_NAME_SIZE)
        return at; /* deeper than there is room for: the outer ones */
    at = append_name(text, at, trace->spans[span].name, false);
    text[at++] = '/';
    return at;
}

void xplane_op_name(const prof_trace *trace, int32_t span, const char *stage,
                    char text[XPLANE_OP_NAME_SIZE])
{
    size_t at = span >= 0 ? append_scopes(trace, trace->spans[span].parent, text) : 0;
    at = append_name(text, at, stage, false);
    text[at++] = ':';
    at = append_name(text, at, stage, true);
    text[at] = '\0';
}
