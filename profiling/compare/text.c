/* A comparison on a terminal: at most 100 columns. */
#include <ctype.h>
#include <string.h>

#include "compare/compare.h"

enum { COLUMNS = 100, FIT = 128 };

/* The first `length` characters of a text in at most `width` columns: what does not print is '?',
 * what is too long loses its middle. */
static const char *fit_part(const char *text, size_t length, int width, char out[FIT])
{
    const size_t room = (size_t)width, tail = (room - 3) / 2, head = room - 3 - tail;
    if (length <= room) {
        memcpy(out, text, length);
        out[length] = '\0';
    } else {
        memcpy(out, text, head);
        memcpy(out + head, "...", 3);
        memcpy(out + head + 3, text + length - tail, tail);
        out[room] = '\0';
    }
    for (char *c = out; *c != '\0'; c++)
        if (!isprint((unsigned char)*c))
            *c = '?';
    return out;
}

static const char *fit(const char *text, int width, char out[FIT])
{
    return fit_part(text, strlen(text), width, out);
}

static void write_run(FILE *file, const char *name, const prof_measured *run)
{
    char path[FIT];
    fprintf(file, "%s  %s", name, fit(run->path, 70, path));
    if (run->windows > 0)
        fprintf(file, "  (%d window%s)", run->windows, run->windows == 1 ? "" : "s");
    fputc('\n', file);
}

static void write_changes(FILE *file, const prof_comparison *c)
{
    char name[FIT], a[FIT], b[FIT];
    if (c->change_count > 0)
        fprintf(file, "\n%-16s %-40s  %s\n", "differs", "A", "B");
    for (int k = 0; k < c->change_count; k++) {
        const prof_comparison_change *change = &c->changes[k];
        fprintf(file, "%-16s %-40s  %s\n", fit(change->name, 16, name),
                fit(change->a[0] != '\0' ? change->a : "not told", 40, a),
                fit(change->b[0] != '\0' ? change->b : "not told", 40, b));
    }
}

static void write_row(FILE *file, const prof_comparison_row *row)
{
    const prof_difference *d = &row->difference;
    char label[PROF_LABEL_SIZE], name[FIT], interval[48] = "";
    prof_comparison_label(row, label);
    if (d->verdict != PROF_NOT_JUDGED)
        snprintf(interval, sizeof interval, "%+.1f to %+.1f %%", 100.0 * d->low, 100.0 * d->high);
    fprintf(file, "%-20s %10.1f %10.1f %+8.1f %% %19s  %s\n", fit(label, 20, name), d->a, d->b,
            100.0 * d->change, interval, prof_verdict_text(d->verdict));
}

/* A note, broken between words. */
static void write_note(FILE *file, const char *note)
{
    int column = 0;
    while (*note != '\0') {
        char word[FIT];
        const size_t length = strcspn(note, " ");
        fit_part(note, length, COLUMNS, word);
        if (column > 0 && column + 1 + (int)strlen(word) > COLUMNS)
            column = 0, fputc('\n', file);
        column += fprintf(file, "%s%s", column > 0 ? " " : "", word);
        note += length + (note[length] == ' ');
    }
    fputc('\n', file);
}

void prof_comparison_write_text(const prof_comparison *comparison, FILE *file)
{
    const prof_comparison *c = comparison;
    char notes[PROF_NOTES][PROF_NOTE_SIZE], level[32];
    char gate[PROF_GATE_SIZE], line[PROF_GATE_SIZE + 8];
    snprintf(level, sizeof level, "%.0f %% interval", 100.0 * (1.0 - PROF_COMPARISON_TAIL));
    write_run(file, "A", c->a);
    write_run(file, "B", c->b);
    write_changes(file, c);
    fprintf(file, "\n%-20s %10s %10s %10s %19s  %s\n", "median of", "A [us]", "B [us]", "change",
            level, "B is");
    for (int k = 0; k < c->row_count; k++)
        write_row(file, &c->rows[k]);
    prof_gate_text(c, gate);
    if (gate[0] != '\0') {
        snprintf(line, sizeof line, "Gate: %s", gate);
        fputc('\n', file);
        write_note(file, line);
    }
    prof_comparison_notes(c, notes);
    for (int k = 0; notes[k][0] != '\0'; k++) {
        fputc('\n', file);
        write_note(file, notes[k]);
    }
}
