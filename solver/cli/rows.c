#include "cli/rows.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST_ROW = 1024 };

/* Up to LONGEST_ROW bytes from `start`, terminated. */
static bool read_text(int file, long start, char text[LONGEST_ROW + 1])
{
    const ssize_t count = pread(file, text, LONGEST_ROW, start);
    text[count > 0 ? count : 0] = '\0';
    return count >= 0;
}

/* Commas of a whole line; -1: the line does not end. */
static int commas_of(const char *line)
{
    int count = 0;
    for (; *line != '\0' && *line != '\n'; line++)
        count += *line == ',';
    return *line == '\n' ? count : -1;
}

/* Step of a row; -1 for the head of the table. */
static long step_of(const char *row)
{
    char *end = NULL;
    const long step = strtol(row, &end, 10);
    return end != row && *end == ',' ? step : -1;
}

/* The row that ends before the terminating line feed of a text. */
static const char *last_row(char *text)
{
    text[strlen(text) - 1] = '\0';
    const char *feed = strrchr(text, '\n');
    return feed != NULL ? feed + 1 : text;
}

static bool rows_reach(int file, const swe_checkpoint_head *head)
{
    char before[LONGEST_ROW + 1], after[LONGEST_ROW + 1], first[LONGEST_ROW + 1];
    const long size = head->diagnostics_size, last = head->step - (head->is_before_output ? 1 : 0);
    const long start = size > LONGEST_ROW ? size - LONGEST_ROW : 0;
    if (!read_text(file, 0, first) || !read_text(file, start, before) ||
        !read_text(file, size, after) || (long)strlen(before) < size - start)
        return false;
    before[size - start] = '\0';
    if (size == 0)
        return true;
    if (before[size - start - 1] != '\n' || step_of(last_row(before)) > last)
        return false;
    /* a row that a killed run left unfinished tells nothing */
    return commas_of(after) != commas_of(first) || step_of(after) > last;
}

bool cli_rows_reach(const char *path, const swe_checkpoint_head *head)
{
    struct stat info;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool reach = fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                       info.st_size >= head->diagnostics_size && rows_reach(file, head);
    close(file);
    return reach;
}
