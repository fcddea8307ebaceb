/* Rules of the diagnosis for several ranks: imbalance, messages, clocks. */
#include <math.h>

#include "report/diagnosis.h"

/* Time of a step by which the slowest rank of a stage exceeds the mean, ns. */
static double excess_of(const prof_report_rank_stage *s)
{
    return s->work.greatest * (1.0 - 1.0 / s->imbalance);
}

/* The stage of the largest excess, of those in which the rank is the slowest; NULL: none. */
static const prof_report_rank_stage *slowest_stage(const prof_report_ranks *ranks, int64_t rank)
{
    const prof_report_rank_stage *worst = NULL;
    for (int k = 0; k < ranks->stage_count; k++) {
        const prof_report_rank_stage *s = &ranks->stages[k];
        if (s->slowest == rank && isfinite(excess_of(s)) &&
            (worst == NULL || excess_of(s) > excess_of(worst)))
            worst = s;
    }
    return worst;
}

bool find_rank_imbalance(diagnosis *c)
{
    const prof_report_ranks *ranks = &c->window->ranks;
    const prof_rank *slowest = measure_slowest_rank(c);
    const double excess = measure_rank_imbalance(c);
    if (slowest == NULL || !(excess > limit_rank_imbalance))
        return false;
    double sum = 0.0;
    for (int k = 0; k < ranks->each_count; k++)
        sum += ranks->each[k].share;
    const double vertices = slowest->share * (double)ranks->count / sum; /* over the ranks' mean */
    const prof_report_rank_stage *s = slowest_stage(ranks, slowest->rank);
    const char *evidence =
        s == NULL ? ""
                  : pool_text(c->pool,
                              "; it loses most in stage %s, %.1f us a step and %.2f times the "
                              "mean there",
                              s->stage, 1e-3 * s->work.greatest, s->imbalance);
    const bool is_uneven = vertices - 1.0 >= limit_uneven_blocks * excess;
    return found(
        c, pattern_rank_imbalance, severity_of(excess, limit_rank_imbalance_bad),
        is_uneven
            ? "The rank has larger blocks than the others, which wait for it."
            : "The device of the rank is slower than the others, or other work uses the cores "
              "of its machine. The other ranks wait for it.",
        is_uneven ? "Choose a number of ranks that divides the panels evenly (cubeswe info CASE "
                    "--ranks R), or set parallel.blocks_1 and parallel.blocks_2."
                  : "Pin ranks to cores of their own, and use machines of one kind "
                    "(config/batch/README.md). Compare the rank with others on the same machine.",
        "Rank %lld on %s works %.1f us a step, %.2f times the mean of %lld ranks, on %.2f "
        "times the mean of the vertices%s.",
        (long long)slowest->rank, slowest->host, 1e-3 * slowest->work, 1.0 + excess,
        (long long)ranks->count, vertices, evidence);
}

/* Messages of a step: exchanges, and the most that a rank receives. */
typedef struct traffic {
    double exchanges, messages, received;
} traffic;

static traffic traffic_of(const prof_report_ranks *ranks)
{
    traffic most = {0.0, 0.0, 0.0};
    for (int k = 0; k < ranks->stage_count; k++)
        most.exchanges += ranks->stages[k].exchanges;
    for (int k = 0; k < ranks->each_count; k++) {
        most.messages = fmax(most.messages, ranks->each[k].messages);
        most.received = fmax(most.received, ranks->each[k].received);
    }
    return most;
}

bool find_exposed(diagnosis *c)
{
    const double share = measure_exposed(c);
    /* ranks wait at least for the slowest: messages do not cause that share */
    const double imbalance = finding_exists(c->window, pattern_rank_imbalance)
                                 ? 1.0 - 1.0 / (1.0 + measure_rank_imbalance(c))
                                 : 0.0;
    const double others = share - imbalance;
    if (!(others > limit_exposed))
        return false;
    const traffic most = traffic_of(&c->window->ranks);
    return found(
        c, pattern_exposed, severity_of(others, limit_exposed_bad),
        "Messages take longer than the work that a rank does meanwhile: its blocks are small, the "
        "network is slow, or ranks are interrupted on their cores.",
        "Use fewer ranks or a larger grid.n, and threads in a rank in place of ranks. Pin "
        "the ranks (config/batch/README.md). Between GPUs, compare the values of "
        "parallel.transport.",
        "Ranks wait for messages in %.0f %% of their stages' time. A step has %.0f exchanges; in "
        "these a rank receives %.0f messages and %.1f kB at most.",
        100.0 * share, most.exchanges, most.messages, 1e-3 * most.received);
}

bool find_clocks(diagnosis *c)
{
    const prof_report_ranks *ranks = &c->window->ranks;
    const prof_rank *worst = NULL;
    for (int k = 0; k < ranks->each_count; k++)
        if (worst == NULL || ranks->each[k].clock_uncertainty > worst->clock_uncertainty)
            worst = &ranks->each[k];
    if (worst == NULL || !(ranks->step.median > 0.0) ||
        !(worst->clock_uncertainty > limit_clock * ranks->step.median))
        return false;
    return found(
        c, pattern_clocks, PROF_GRADE_WARNING,
        "Messages took long while the clocks of the ranks were compared, as the window opened.",
        "In the traces, events of different ranks may be misplaced by as much: messages may "
        "seem to arrive before they are sent. Times of one rank are right.",
        "The clock of rank %lld on %s was corrected by %.1f us; this is uncertain by %.1f us, "
        "%.0f %% of a step.",
        (long long)worst->rank, worst->host, 1e-3 * worst->clock_difference,
        1e-3 * worst->clock_uncertainty, 100.0 * worst->clock_uncertainty / ranks->step.median);
}
