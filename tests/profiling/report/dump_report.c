/* dump_report DIR [text]: prints the report of a profile as JSON or as text. The exit
 * code is the status of loading it; warnings go to standard error. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "report/report.h"

static const char *const bounds[] = {"unknown", "memory", "compute", "latency"};

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *stages_of(const prof_report_window *w)
{
    json_t *all = json_object();
    for (int k = 0; k < w->stage_count; k++) {
        const prof_report_stage *s = &w->stages[k];
        json_object_set_new(
            all, s->name,
            json_pack("{s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:i}",
                      "calls_per_step", s->calls_per_step, "call", number(s->call), "share",
                      number(s->share), "bytes", number(s->bytes), "flops", number(s->flops),
                      "bandwidth", number(s->bandwidth), "flop_rate", number(s->flop_rate),
                      "intensity", number(s->intensity), "attainable", number(s->attainable),
                      "fraction", number(s->fraction), "bound", bounds[s->bound], "served_by",
                      s->served_by, "serving", number(s->serving), "buffers", s->buffer_count));
    }
    return all;
}

static json_t *pair_of(const prof_cost_check *pair)
{
    return json_pack("[o, o, o]", number(pair->formula), number(pair->counted),
                     number(pair->ratio));
}

static json_t *counted_of(const prof_stage_counters *s)
{
    json_t *kernels = json_object();
    for (int k = 0; k < s->kernel_count; k++)
        json_object_set_new(kernels, s->kernels[k].name,
                            json_integer((json_int_t)s->kernels[k].launches));
    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}",
                     "stage", s->stage, "calls", (json_int_t)s->calls, "kernels", kernels, "time",
                     number(s->time), "read", number(s->read_bytes), "written",
                     number(s->written_bytes), "l2", number(s->l2_bytes), "l1", number(s->l1_bytes),
                     "bytes", pair_of(&s->bytes), "flops", pair_of(&s->flops), "intensity",
                     number(s->intensity), "flop_rate", number(s->flop_rate), "bandwidth",
                     number(s->bandwidth), "fraction", number(s->fraction), "bound",
                     bounds[s->bound]);
}

static json_t *counters_of(const prof_report_counters *c)
{
    json_t *stages = json_array();
    for (int k = 0; k < c->stage_count; k++)
        json_array_append_new(stages, counted_of(&c->stages[k]));
    return json_pack("{s:s, s:I, s:I, s:o}", "chip", c->chip, "passes", (json_int_t)c->passes,
                     "first_step", (json_int_t)c->first_step, "stages", stages);
}

static json_t *indicators_of(const prof_report_window *w)
{
    json_t *all = json_object();
    for (int k = 0; k < w->indicator_count; k++) {
        const prof_indicator *i = &w->indicators[k];
        json_object_set_new(all, i->name,
                            json_pack("{s:o, s:s, s:s, s:s, s:s}", "value", number(i->value),
                                      "unit", i->unit, "grade", prof_grade_name(i->grade),
                                      "meaning", i->meaning, "why_unknown", i->why_unknown));
    }
    return all;
}

static json_t *findings_of(const prof_report_window *w)
{
    json_t *all = json_array();
    for (int k = 0; k < w->finding_count; k++) {
        const prof_finding *f = &w->findings[k];
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s, s:s}", "pattern", f->pattern,
                                             "severity", prof_grade_name(f->severity), "evidence",
                                             f->evidence, "cause", f->cause, "advice", f->advice));
    }
    return all;
}

static json_t *checks_of(const prof_report_window *w)
{
    json_t *all = json_array();
    for (int k = 0; k < w->check_count; k++) {
        const prof_check *c = &w->checks[k];
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:s}", "group", c->group, "question",
                                             c->question, "answer", c->answer, "grade",
                                             prof_grade_name(c->grade)));
    }
    return all;
}

static json_t *log_of(const prof_report_log *log)
{
    const struct {
        const char *name;
        const prof_report_quantity *of;
    } quantities[] = {{"sm", &log->sm},
                      {"memory", &log->memory},
                      {"memory_used", &log->memory_used},
                      {"sm_clock", &log->sm_clock},
                      {"memory_clock", &log->memory_clock},
                      {"power", &log->power},
                      {"temperature", &log->temperature}};
    json_t *times = json_array(), *quantity_lists = json_object();
    for (int64_t k = 0; k < log->count; k++)
        json_array_append_new(times, json_integer((json_int_t)log->samples[k].time));
    for (int k = 0; k < 7; k++) {
        const prof_report_quantity *q = quantities[k].of;
        if (q->count > 0)
            json_object_set_new(
                quantity_lists, quantities[k].name,
                json_pack("[I, f, f, f]", (json_int_t)q->count, q->mean, q->min, q->max));
    }
    return json_pack("{s:f, s:o, s:o}", "start", log->start, "times", times, "told",
                     quantity_lists);
}

static json_t *report_of(const prof_report *r)
{
    const prof_report_window *w = &r->windows[r->shown];
    json_t *folders = json_array();
    for (int k = 0; k < r->window_count; k++)
        json_array_append_new(folders, json_string(r->windows[k].folder));
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, "
                     "s:o, s:o, s:b}",
                     "case", r->case_name, "build", r->build, "backend", r->backend, "n",
                     (json_int_t)r->n, "order", (json_int_t)r->order, "unknowns",
                     number(r->unknowns), "folders", folders, "shown", r->shown, "date", w->date,
                     "step", number(w->step), "stages", stages_of(w), "counters",
                     counters_of(&w->counters), "indicators", indicators_of(w), "findings",
                     findings_of(w), "checks", checks_of(w), "timeline",
                     r->timeline != NULL ? json_incref(r->timeline) : json_null(), "log",
                     log_of(&r->log), "measured", w->peaks.bandwidth_is_measured);
}

static void warn(void *nobody, const char *line)
{
    (void)nobody;
    fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv)
{
    swe_log log = {.warn = warn};
    prof_report *report = NULL;
    if (argc < 2)
        return 64;
    const swe_load status = prof_report_load(argv[1], &log, &report);
    if (report != NULL && argc > 2) {
        prof_report_print(report, stdout, false);
    } else if (report != NULL) {
        json_t *json = report_of(report);
        json_dumpf(json, stdout, JSON_INDENT(1));
        json_decref(json);
    }
    prof_report_destroy(&report);
    return (int)status;
}
