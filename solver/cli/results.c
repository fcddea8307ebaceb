#include "cli/results.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

bool cli_ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

const char *cli_path(char out[CLI_PATH_SIZE], const char *directory, const char *name)
{
    snprintf(out, CLI_PATH_SIZE, "%s/%s", directory, name);
    return out;
}

swe_status cli_result_open(swe_context *ctx, const char *directory, const char *name,
                           swe_output_file *out)
{
    return swe_durable_stream(ctx, CLI_PATH(directory, name), out);
}

bool cli_result_has(const char *directory, const char *name, const char *text)
{
    const char *path = CLI_PATH(directory, name);
    const size_t length = strlen(text);
    struct stat info;
    const int file = swe_output_open(path, O_RDONLY);
    bool is_same = file >= 0 && fstat(file, &info) == 0 && (size_t)info.st_size == length;
    FILE *stream = is_same ? fdopen(file, "r") : NULL;
    for (size_t k = 0; stream != NULL && is_same && k < length; k++)
        is_same = getc(stream) == (unsigned char)text[k];
    is_same = is_same && stream != NULL && swe_output_list(path, file);
    if (stream != NULL)
        fclose(stream);
    else if (file >= 0)
        close(file);
    return is_same;
}

swe_status cli_result_write(swe_context *ctx, const char *directory, const char *name,
                            const char *text)
{
    swe_output_file out;
    if (cli_result_has(directory, name, text))
        return SWE_OK;
    SWE_TRY(cli_result_open(ctx, directory, name, &out));
    fputs(text, out.stream); /* a failure is reported when the stream is closed */
    return swe_durable_end(ctx, &out);
}

swe_status cli_check_results(swe_context *ctx, swe_status status)
{
    swe_context found = {""};
    if ((status != SWE_OK && status != SWE_STOPPED) || swe_durable_check(&found) == SWE_OK)
        return status;
    return swe_fail(ctx, SWE_IO, "%s", found.message);
}

/* ---- JSON, Markdown -------------------------------------------------------------------------- */

swe_status cli_json_write(swe_context *ctx, const char *directory, const char *name, json_t *value)
{
    char *json = value != NULL ? json_dumps(value, JSON_INDENT(1)) : NULL;
    const size_t size = json != NULL ? strlen(json) + 2 : 0;
    char *text = json != NULL ? malloc(size) : NULL;
    swe_status status = SWE_OK;
    json_decref(value);
    if (text != NULL) {
        snprintf(text, size, "%s\n", json);
        status = cli_result_write(ctx, directory, name, text);
    } else {
        status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", name);
    }
    free(json);
    free(text);
    return status;
}

swe_status cli_json_print(swe_context *ctx, json_t *value, size_t flags, const char *what)
{
    char *text = value != NULL ? json_dumps(value, flags) : NULL;
    json_decref(value);
    if (text == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for %s", what);
    puts(text);
    free(text);
    return SWE_OK;
}

const char *cli_markdown(char *out, size_t size, const char *text)
{
    char shown[1100];
    size_t used = 0;
    swe_copy_printable(shown, sizeof shown, text);
    for (const char *c = shown; *c != '\0' && used + 2 < size; c++) {
        if (strchr("\\`*[]<>|&", *c) != NULL)
            out[used++] = '\\';
        out[used++] = *c;
    }
    out[used] = '\0';
    return out;
}

swe_status cli_output_flush(swe_context *ctx, bool *is_read)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    const bool has_failed = fflush(stdout) != 0 || ferror(stdout) != 0;
    *is_read = !has_failed;
    /* a reader may have closed its pipe or socket, as `head` does */
    return !has_failed || (poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0)
               ? SWE_OK
               : swe_fail(ctx, SWE_IO, "standard output cannot be written");
}
