/* A comparison's names and notes, as all ways to show it have them. */
#include <string.h>

#include "compare/compare.h"

void prof_comparison_label(const prof_comparison_row *row, char label[PROF_LABEL_SIZE])
{
    snprintf(label, PROF_LABEL_SIZE, "%s%s", row->a->name,
             row->a->on_gpu               ? " (GPU)"
             : row->a->kind == PROF_PHASE ? " (total)"
                                          : "");
}

const char *prof_verdict_text(prof_verdict verdict)
{
    static const char *const words[] = {"no clear difference", "faster", "slower",
                                        "too few to judge"};
    return words[verdict];
}

/* Quantities of one run that the other does not have; of phases, if those are compared. */
static void note_missing(const prof_measured *from, const prof_measured *in, const char *name,
                         char note[PROF_NOTE_SIZE])
{
    size_t length = 0;
    note[0] = '\0';
    for (int k = 0; k < from->quantity_count; k++) {
        const prof_quantity *q = &from->quantities[k];
        if (prof_measured_find(in, q->name, q->kind, q->on_gpu) != NULL ||
            (q->kind == PROF_PHASE && from->last_step != in->last_step))
            continue;
        length += (size_t)snprintf(note + length, PROF_NOTE_SIZE - length, "%s%.40s%s",
                                   length == 0 ? "" : ", ", q->name, q->on_gpu ? " (GPU)" : "");
        if (length > PROF_NOTE_SIZE - 100)
            break;
    }
    if (length > 0)
        snprintf(note + length, PROF_NOTE_SIZE - length, ": only in %s", name);
}

static void note_warnings(const prof_measured *run, const char *name, char note[PROF_NOTE_SIZE])
{
    note[0] = '\0';
    if (run->warnings > 0)
        snprintf(note, PROF_NOTE_SIZE, "%s was profiled with %d warning%s, the first: %s", name,
                 run->warnings, run->warnings == 1 ? "" : "s", run->warning);
}

static bool has_phases(const prof_measured *run)
{
    for (int k = 0; k < run->quantity_count; k++)
        if (run->quantities[k].kind == PROF_PHASE)
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
                     : "Fewer than %d windows in a run do not tell how much windows differ: "
                       "intervals are wide by intent, and still a guess. More windows: --set "
                       "profile.interval=STEPS.",
                 PROF_WINDOWS_LEAST);
    if (c->a->last_step != c->b->last_step && has_phases(c->a) && has_phases(c->b))
        snprintf(notes[count++], PROF_NOTE_SIZE,
                 "Phases are left out: the last windows end after %lld and %lld steps.",
                 c->a->last_step, c->b->last_step);
    note_missing(c->a, c->b, "A", notes[count]);
    count += notes[count][0] != '\0';
    note_missing(c->b, c->a, "B", notes[count]);
    count += notes[count][0] != '\0';
    note_warnings(c->a, "A", notes[count]);
    count += notes[count][0] != '\0';
    note_warnings(c->b, "B", notes[count]);
    count += notes[count][0] != '\0';
    notes[count][0] = '\0';
}
