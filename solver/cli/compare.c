#include "cli/cli.h"
#include "cli/results.h"
#include "compare/compare.h"
#include "page/page.h"

static swe_status read_run(swe_context *ctx, const char *path, swe_log *log, prof_run_times **out)
{
    char folder[SWE_PATH_SIZE];
    const swe_load load = prof_run_times_load(cli_folder_of_run(path, true, folder), log, out);
    return load == SWE_LOADED ? SWE_OK : cli_load_fails(ctx, load, log);
}

/* Refuse runs that did different work or share no measurement. */
static swe_status check_alike(swe_context *ctx, const prof_comparison *c, bool anyway)
{
    for (int k = 0; k < c->change_count && !anyway; k++) {
        const prof_comparison_change *change = &c->changes[k];
        if (change->is_task)
            return swe_fail(
                ctx, SWE_DATA,
                "%s is %s in A and %s in B: the runs did different work (--anyway compares them)",
                change->name, change->a[0] != '\0' ? change->a : "not known",
                change->b[0] != '\0' ? change->b : "not known");
    }
    return c->row_count > 0 ? SWE_OK
                            : swe_fail(ctx, SWE_DATA, "A and B have no measurement in common");
}

static swe_status gate_status(swe_context *ctx, const prof_comparison *c)
{
    char text[PROF_GATE_SIZE];
    prof_gate_text(c, text);
    if (c->gate.verdict == PROF_GATE_SLOWER)
        return swe_fail(ctx, SWE_SLOWER, "%s", text);
    if (c->gate.verdict == PROF_GATE_INCONCLUSIVE)
        return swe_fail(ctx, SWE_INCONCLUSIVE, "%s", text);
    return SWE_OK;
}

static swe_status report_comparison(swe_context *ctx, prof_comparison *c,
                                    const cli_options *options)
{
    SWE_TRY(check_alike(ctx, c, options->anyway));
    if (options->has_limit)
        prof_comparison_set_limit(c, options->limit_percent / 100.0);
    if (options->html != NULL) {
        swe_log log = {0};
        json_t *all = prof_comparison_json(c);
        const bool written = prof_page_write(options->html, all, &log) &&
                             prof_page_write_document(options->html, all, &log);
        json_decref(all);
        if (!written)
            return swe_fail(ctx, SWE_CANNOT_CREATE, "%.900s", log.line[0]);
    }
    if (options->json && !options->quiet)
        SWE_TRY(cli_json_print(ctx, prof_comparison_json(c), JSON_INDENT(1) | JSON_ENSURE_ASCII,
                               "the comparison"));
    else if (!options->quiet)
        prof_comparison_write_text(c, stdout);
    return gate_status(ctx, c);
}

static swe_status run(swe_context *ctx, const cli_options *options)
{
    prof_run_times *a = NULL, *b = NULL;
    prof_comparison *comparison = NULL;
    swe_log log = {0};
    swe_status status = read_run(ctx, options->case_file, &log, &a);
    if (status == SWE_OK)
        status = read_run(ctx, options->other, &log, &b);
    if (status == SWE_OK) {
        cli_print_warnings(&log);
        comparison = prof_compare(a, b);
        status = comparison != NULL
                     ? report_comparison(ctx, comparison, options)
                     : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the comparison");
    }
    prof_comparison_destroy(&comparison);
    prof_run_times_destroy(&a);
    prof_run_times_destroy(&b);
    return status;
}

const cli_command cli_compare = {
    .name = "compare",
    .operands = "A B",
    .summary = "show which stages of a profiled run B are slower than those of A",
    .text =
        "Show which stages of run B are faster or slower than those of run A, and what else "
        "differs. A and B are folders of results, of profiles (all windows in it), of a single "
        "window, or the results of cubeswe profile."
        "\v"
        "A window counts once, by its median; neighbours are gathered into at most ten groups. "
        "The interval is Yuen's (Welch's t on logarithms, a fifth trimmed at both ends, variance "
        "doubled because neighbours are correlated). It holds at 99 % for all quantities "
        "together and is widened by the 4 % and 0.1 us by which runs of one program may differ. "
        "With fewer than three windows, a median is as uncertain as a single call, and runs "
        "differ by 10 %: a gate needs windows all over its runs (profile.interval).",
    .least_operands = 2,
    .most_operands = 2,
    .needs = "two runs",
    .run = run,
    .options =
        {{.name = "fail-above",
          .text =
              "exit with code 1 if the step or a stage is slower in B by more than P %, and the "
              "interval leaves no doubt that it is slower; with code 2 (inconclusive) if the "
              "interval of the step, or of a stage of at least 5 % of it, still reaches above P "
              "%"},
         {.name = "html",
          .text = "write a page, too, and its data beside it as JSON; replaces existing files"},
         {.name = "json", .text = "print JSON instead"},
         {.name = "quiet"},
         {.name = "anyway", .text = "compare runs that did different work (n, order, case)"}},
};
