/* A comparison as text and as JSON. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "compare/compare.h"
#include "page/page.h"
#include "window/trace.h"

/* ---- labels and notes, shared by all outputs ---- */

void prof_comparison_label(const prof_timed_region *region, char label[PROF_LABEL_SIZE])
{
    snprintf(label, PROF_LABEL_SIZE, "%s%s", region->name,
             region->on_gpu               ? " (GPU)"
             : region->kind == PROF_PHASE ? " (total)"
                                          : "");
}

const char *prof_verdict_text(prof_verdict verdict)
{
    static const char *const words[] = {"no clear difference", "faster", "slower",
                                        "too few to judge"};
    return words[verdict];
}

/* Stages that one pipeline has and the other not compute the same; a GPU's host only launches. */
static void note_replaced(const prof_comparison *c, char note[PROF_NOTE_SIZE])
{
    const bool on_gpu = c->row_count > 0 && c->rows[0].a->on_gpu; /* these rows come first */
    char names[2][PROF_NOTE_SIZE / 3] = {"", ""};
    double us[2] = {0.0, 0.0};
    bool differ = false;
    for (int k = 0; k < c->change_count; k++)
        differ |= strcmp(c->changes[k].name, "pipeline") == 0;
    for (int k = 0; k < c->lone_count; k++) {
        const prof_comparison_lone *lone = &c->lone[k];
        char *list = names[lone->in_b];
        const size_t length = strlen(list);
        if (lone->region->kind != PROF_STAGE || lone->region->on_gpu != on_gpu)
            continue;
        snprintf(list + length, sizeof names[0] - length, "%s%s", length > 0 ? ", " : "",
                 lone->region->name);
        us[lone->in_b] += lone->step_us;
    }
    note[0] = '\0';
    if (differ && names[0][0] != '\0' && names[1][0] != '\0' && isfinite(us[0] + us[1]))
        snprintf(
            note, PROF_NOTE_SIZE,
            "In a step A spends %.1f us in %s. B spends %.1f us in %s, which compute the same.",
            us[0], names[0], us[1], names[1]);
}

static void note_warnings(const prof_run_times *run, const char *name, char note[PROF_NOTE_SIZE])
{
    note[0] = '\0';
    if (run->warnings > 0)
        snprintf(note, PROF_NOTE_SIZE, "%s was profiled with %d warning%s, the first: %s", name,
                 run->warnings, run->warnings == 1 ? "" : "s", run->warning);
}

static bool has_phases(const prof_run_times *run)
{
    for (int k = 0; k < run->region_count; k++)
        if (run->regions[k].kind == PROF_PHASE)
            return true;
    return false;
}

void prof_comparison_notes(const prof_comparison *comparison,
                           char notes[PROF_NOTES][PROF_NOTE_SIZE])
{
    const prof_comparison *c = comparison;
    int count = 0;
    if (!c->between_windows)
        snprintf(notes[count++], PROF_NOTE_SIZE,
                 c->a->windows == 0
                     ? "How much such studies differ from one another is not known: intervals are "
                       "wide by intent, and still a guess."
                     : "Fewer than %d windows in a run do not show how much windows differ: "
                       "intervals are wide by intent, and still a guess. More windows: --set "
                       "profile.interval=STEPS.",
                 PROF_WINDOWS_MIN);
    if (c->a->last_step != c->b->last_step && has_phases(c->a) && has_phases(c->b))
        snprintf(notes[count++], PROF_NOTE_SIZE,
                 "Phases are left out: the last windows end after %lld and %lld steps.",
                 c->a->last_step, c->b->last_step);
    if (c->a->ranks > 1 || c->b->ranks > 1)
        snprintf(notes[count++], PROF_NOTE_SIZE,
                 "Times of a run on several ranks are rank 0's; ranks: step is the median of all "
                 "ranks, ranks: waits their mean of the median wait for messages in a step.");
    note_replaced(c, notes[count]);
    count += notes[count][0] != '\0';
    note_warnings(c->a, "A", notes[count]);
    count += notes[count][0] != '\0';
    note_warnings(c->b, "B", notes[count]);
    count += notes[count][0] != '\0';
    notes[count][0] = '\0';
}

/* ---- text ---- */

enum { COLUMNS = 100, FIT = 128 };

/* The first `length` characters of a text in at most `width` columns: unprintable ones become '?',
 * and the middle of a longer text becomes "...". */
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

static void write_run(FILE *file, const char *name, const prof_run_times *run)
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
                fit(change->a[0] != '\0' ? change->a : "not recorded", 40, a),
                fit(change->b[0] != '\0' ? change->b : "not recorded", 40, b));
    }
}

static void write_row(FILE *file, const prof_comparison_row *row)
{
    const prof_difference *d = &row->difference;
    char label[PROF_LABEL_SIZE], name[FIT], interval[48] = "";
    prof_comparison_label(row->a, label);
    if (d->verdict != PROF_NOT_JUDGED)
        snprintf(interval, sizeof interval, "%+.1f to %+.1f %%", 100.0 * d->low, 100.0 * d->high);
    fprintf(file, "%-20s %10.1f %10.1f %+8.1f %% %19s  %s\n", fit(label, 20, name), d->a, d->b,
            100.0 * d->change, interval, prof_verdict_text(d->verdict));
}

static void write_lone(FILE *file, const prof_comparison *c)
{
    if (c->lone_count > 0)
        fprintf(file, "\n%-20s %10s %10s %10s\n", "in one run only", "A [us]", "B [us]",
                "[us/step]");
    for (int k = 0; k < c->lone_count; k++) {
        const prof_comparison_lone *lone = &c->lone[k];
        char label[PROF_LABEL_SIZE], name[FIT], step[32] = "";
        prof_comparison_label(lone->region, label);
        if (isfinite(lone->step_us))
            snprintf(step, sizeof step, "%10.1f", lone->step_us);
        fprintf(file, "%-20s%*.1f %*s\n", fit(label, 20, name), lone->in_b ? 22 : 11, lone->us,
                lone->in_b ? 10 : 21, step);
    }
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
    write_lone(file, c);
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

/* ---- JSON ---- */

static json_t *row_json(const prof_comparison_row *row)
{
    static const char *const verdicts[] = {"same", "faster", "slower", "not judged"};
    const prof_difference *d = &row->difference;
    const bool judged = d->verdict != PROF_NOT_JUDGED;
    char label[PROF_LABEL_SIZE];
    prof_comparison_label(row->a, label);
    return json_pack("{s:o, s:o, s:s, s:s, s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:s}",
                     "name", swe_json_text(row->a->name), "label", swe_json_text(label), "kind",
                     prof_kind_names[row->a->kind], "place", row->a->on_gpu ? "gpu" : "host",
                     "a_us", swe_json_real(d->a), "b_us", swe_json_real(d->b), "a_windows",
                     row->a->medians.count, "b_windows", row->b->medians.count, "change",
                     swe_json_real(d->change), "low", judged ? swe_json_real(d->low) : json_null(),
                     "high", judged ? swe_json_real(d->high) : json_null(), "detectable",
                     judged ? swe_json_real(d->detectable) : json_null(), "share",
                     swe_json_real(row->a->share), "verdict", verdicts[d->verdict]);
}

static json_t *lone_json(const prof_comparison_lone *lone)
{
    char label[PROF_LABEL_SIZE];
    prof_comparison_label(lone->region, label);
    return json_pack("{s:s, s:o, s:o, s:s, s:s, s:o, s:o}", "run", lone->in_b ? "B" : "A", "name",
                     swe_json_text(lone->region->name), "label", swe_json_text(label), "kind",
                     prof_kind_names[lone->region->kind], "place",
                     lone->region->on_gpu ? "gpu" : "host", "us", swe_json_real(lone->us),
                     "us_per_step", swe_json_real(lone->step_us));
}

/* The decision of the gate; null without a limit. */
static json_t *gate_json(const prof_comparison *c)
{
    const prof_gate *gate = &c->gate;
    const prof_comparison_row *row = gate->row >= 0 ? &c->rows[gate->row] : NULL;
    char text[PROF_GATE_SIZE];
    if (gate->verdict == PROF_GATE_OFF)
        return json_null();
    prof_gate_text(c, text);
    return json_pack("{s:o, s:s, s:o*, s:s*, s:o, s:o}", "limit", swe_json_real(gate->limit),
                     "verdict", prof_gate_name(gate->verdict), "name",
                     row != NULL ? swe_json_text(row->a->name) : NULL, "place",
                     row == NULL      ? NULL
                     : row->a->on_gpu ? "gpu"
                                      : "host",
                     "detectable", swe_json_real(gate->detectable), "text", swe_json_text(text));
}

json_t *prof_comparison_json(const prof_comparison *comparison)
{
    const prof_comparison *c = comparison;
    char note[PROF_NOTES][PROF_NOTE_SIZE];
    json_t *rows = json_array(), *lone = json_array(), *changes = json_array(),
           *notes = json_array();
    for (int k = 0; k < c->row_count; k++)
        swe_json_append(&rows, row_json(&c->rows[k]));
    for (int k = 0; k < c->lone_count; k++)
        swe_json_append(&lone, lone_json(&c->lone[k]));
    for (int k = 0; k < c->change_count; k++) {
        const prof_comparison_change *d = &c->changes[k];
        swe_json_append(&changes, json_pack("{s:o, s:o, s:o, s:b}", "name", swe_json_text(d->name),
                                            "a", swe_json_text(d->a), "b", swe_json_text(d->b),
                                            "is_task", d->is_task));
    }
    prof_comparison_notes(c, note);
    for (int k = 0; note[k][0] != '\0'; k++)
        swe_json_append(&notes, swe_json_text(note[k]));
    return json_pack("{s:s, s:i, s:o, s:o, s:i, s:i, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "schema",
                     "cubeswe-comparison", "schema_version", 1, "a", swe_json_text(c->a->path), "b",
                     swe_json_text(c->b->path), "a_windows", c->a->windows, "b_windows",
                     c->b->windows, "confidence", swe_json_real(1.0 - PROF_COMPARISON_TAIL),
                     "between_windows", c->between_windows, "gate", gate_json(c), "differs",
                     changes, "rows", rows, "only", lone, "notes", notes);
}
