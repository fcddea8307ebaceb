#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *swe_input_open(const char *path, size_t most, swe_load *status, char why[SWE_WHY_SIZE])
{
    struct stat info;
    const int file = open(path, O_RDONLY | O_NONBLOCK); /* a pipe must not be waited for */
    *status = SWE_LOADED;
    why[0] = '\0';
    const bool is_known = file >= 0 && fstat(file, &info) == 0;
    const bool is_file = is_known && S_ISREG(info.st_mode);
    FILE *stream = is_file && (size_t)info.st_size <= most ? fdopen(file, "rb") : NULL;
    if (stream != NULL)
        return stream;
    *status = SWE_LOAD_BAD;
    if (is_known && !is_file) {
        snprintf(why, SWE_WHY_SIZE, "no regular file");
    } else if (is_file && (size_t)info.st_size > most) {
        snprintf(why, SWE_WHY_SIZE, "larger than %zu bytes", most);
    } else {
        snprintf(why, SWE_WHY_SIZE, "%s", strerror(errno));
        *status = SWE_LOAD_MISSING;
    }
    if (file >= 0)
        close(file);
    return NULL;
}

bool swe_input_line(FILE *file, char line[SWE_LINE_SIZE], const char **why)
{
    int c;
    *why = NULL;
    for (size_t length = 0; (c = getc(file)) != EOF;) {
        if (c == '\0' || length == SWE_LINE_SIZE - 1) {
            *why = c == '\0' ? "a NUL character" : "longer than a line of such a file can be";
            return false;
        }
        line[length++] = (char)c;
        line[length] = '\0';
        if (c == '\n')
            return true;
    }
    if (ferror(file))
        *why = strerror(errno);
    return false;
}

json_t *swe_input_json(const char *path, size_t most, swe_load *status, char why[SWE_WHY_SIZE])
{
    json_error_t error;
    FILE *stream = swe_input_open(path, most, status, why);
    if (stream == NULL)
        return NULL;
    json_t *root = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
    fclose(stream);
    if (root != NULL)
        return root;
    *status = SWE_LOAD_BAD;
    snprintf(why, SWE_WHY_SIZE, "no JSON: line %d: %s", error.line, error.text);
    return NULL;
}
