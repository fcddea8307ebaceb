/* A comparison for programs. */
#include "compare/compare.h"
#include "page/page.h"

static const char *kind_name(prof_kind kind)
{
    static const char *const names[] = {"phase", "step", "part", "stage"};
    return names[kind];
}

static json_t *row_json(const prof_comparison_row *row)
{
    static const char *const verdicts[] = {"same", "faster", "slower", "not judged"};
    const prof_difference *d = &row->difference;
    const bool judged = d->verdict != PROF_NOT_JUDGED;
    char label[PROF_LABEL_SIZE];
    prof_comparison_label(row, label);
    return json_pack("{s:o, s:o, s:s, s:s, s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:s}",
                     "name", prof_json_text(row->a->name), "label", prof_json_text(label), "kind",
                     kind_name(row->a->kind), "place", row->a->on_gpu ? "gpu" : "host", "a_us",
                     prof_json_real(d->a), "b_us", prof_json_real(d->b), "a_windows",
                     row->a->sampled.count, "b_windows", row->b->sampled.count, "change",
                     prof_json_real(d->change), "low",
                     judged ? prof_json_real(d->low) : json_null(), "high",
                     judged ? prof_json_real(d->high) : json_null(), "detectable",
                     judged ? prof_json_real(d->detectable) : json_null(), "share",
                     prof_json_real(row->a->share), "verdict", verdicts[d->verdict]);
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
    return json_pack("{s:f, s:s, s:o*, s:s*, s:o, s:o}", "limit", gate->limit, "verdict",
                     prof_gate_name(gate->verdict), "name",
                     row != NULL ? prof_json_text(row->a->name) : NULL, "place",
                     row == NULL      ? NULL
                     : row->a->on_gpu ? "gpu"
                                      : "host",
                     "detectable", prof_json_real(gate->detectable), "text", prof_json_text(text));
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
        json_t *change =
            json_pack("{s:o, s:o, s:o, s:b}", "name", prof_json_text(d->name), "a",
                      prof_json_text(d->a), "b", prof_json_text(d->b), "is_task", d->is_task);
        whole = json_array_append_new(changes, change) == 0;
    }
    prof_comparison_notes(c, note);
    for (int k = 0; whole && note[k][0] != '\0'; k++)
        whole = json_array_append_new(notes, prof_json_text(note[k])) == 0;
    json_t *all = json_pack("{s:s, s:i, s:o, s:o, s:i, s:i, s:f, s:b, s:o, s:o, s:o, s:o}",
                            "schema", "cubeswe-comparison", "schema_version", 1, "a",
                            prof_json_text(c->a->path), "b", prof_json_text(c->b->path),
                            "a_windows", c->a->windows, "b_windows", c->b->windows, "confidence",
                            1.0 - PROF_COMPARISON_TAIL, "between_windows", c->between_windows,
                            "gate", gate_json(c), "differs", changes, "rows", rows, "notes", notes);
    if (!whole) {
        json_decref(all);
        return NULL;
    }
    return all;
}
