/* A comparison for programs. */
#include <math.h>

#include "compare/compare.h"

static const char *kind_name(prof_kind kind)
{
    static const char *const names[] = {"phase", "step", "part", "stage"};
    return names[kind];
}

/* JSON has no number for what is beyond all of them, as in a damaged file. */
static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *row_json(const prof_comparison_row *row)
{
    static const char *const verdicts[] = {"same", "faster", "slower", "not judged"};
    const prof_difference *d = &row->difference;
    const bool judged = d->verdict != PROF_NOT_JUDGED;
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:s}", "name",
                     row->a->name, "kind", kind_name(row->a->kind), "place",
                     row->a->on_gpu ? "gpu" : "host", "a_us", real(d->a), "b_us", real(d->b),
                     "a_windows", row->a->sampled.count, "b_windows", row->b->sampled.count,
                     "change", real(d->change), "low", judged ? real(d->low) : json_null(), "high",
                     judged ? real(d->high) : json_null(), "detectable",
                     judged ? real(d->detectable) : json_null(), "share", real(row->a->share),
                     "verdict", verdicts[d->verdict]);
}

/* What the gate decided; null where no limit was set. */
static json_t *gate_json(const prof_comparison *c)
{
    const prof_gate *gate = &c->gate;
    const prof_comparison_row *row = gate->row >= 0 ? &c->rows[gate->row] : NULL;
    char text[PROF_GATE_SIZE];
    if (gate->verdict == PROF_GATE_OFF)
        return json_null();
    prof_gate_text(c, text);
    return json_pack("{s:f, s:s, s:s*, s:s*, s:o, s:s}", "limit", gate->limit, "verdict",
                     prof_gate_name(gate->verdict), "name", row != NULL ? row->a->name : NULL,
                     "place",
                     row == NULL      ? NULL
                     : row->a->on_gpu ? "gpu"
                                      : "host",
                     "detectable", real(gate->detectable), "text", text);
}

json_t *prof_comparison_json(const prof_comparison *comparison)
{
    const prof_comparison *c = comparison;
    char note[PROF_NOTES][PROF_NOTE_SIZE];
    json_t *rows = json_array(), *changes = json_array(), *notes = json_array();
    bool whole = rows != NULL && changes != NULL && notes != NULL;
    for (int k = 0; whole && k < c->row_count; k++)
        whole = json_array_append_new(rows, row_json(&c->rows[k])) == 0;
    for (int k = 0; whole && k < c->change_count; k++) {
        const prof_comparison_change *d = &c->changes[k];
        json_t *change = json_pack("{s:s, s:s, s:s, s:b}", "name", d->name, "a", d->a, "b", d->b,
                                   "is_task", d->is_task);
        whole = json_array_append_new(changes, change) == 0;
    }
    prof_comparison_notes(c, note);
    for (int k = 0; whole && note[k][0] != '\0'; k++)
        whole = json_array_append_new(notes, json_string(note[k])) == 0;
    json_t *all =
        json_pack("{s:s, s:s, s:i, s:i, s:f, s:b, s:o, s:o, s:o, s:o}", "a", c->a->path, "b",
                  c->b->path, "a_windows", c->a->windows, "b_windows", c->b->windows, "confidence",
                  1.0 - PROF_COMPARISON_TAIL, "between_windows", c->between_windows, "gate",
                  gate_json(c), "differs", changes, "rows", rows, "notes", notes);
    if (!whole) {
        json_decref(all);
        return NULL;
    }
    return all;
}
