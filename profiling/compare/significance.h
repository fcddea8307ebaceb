/* Significance test: do two runs differ in one time, given the measured spread?
 *
 * Neighbouring samples of a window are correlated and a machine drifts, so a window counts once, by
 * its median. Windows drift together, too: neighbours are gathered to at most PROF_GROUPS_MAX
 * groups, a group counting by the median of its windows (batch means: with many windows little
 * correlation is left between groups), and the variance of their mean is doubled, as a correlation
 * of 1/3 between neighbours does. Interference by other programs is one-sided and comes in
 * bursts, so the groups' logarithms are compared by Yuen's test: Welch's t with a fifth of them
 * trimmed at either end. Its interval is widened, as independent errors add, by what runs of one
 * program differ and no window of theirs shows (where memory lies, clocks): PROF_RUN_FLOOR of the
 * time and PROF_RUN_FLOOR_US. Both were set with sixteen equal runs at n = 96, whose medians
 * varied by a standard deviation of 1.2 to 1.6 %, of a stage of 2 us by 2.6 %; validation/compare
 * tries them on others.
 *
 * With fewer than PROF_WINDOWS_MIN windows in one of the runs the spread between windows is not
 * known. A window's median is then used to be as uncertain as a single one of its samples, and
 * runs to differ by PROF_DRIFT_FLOOR. This is an assumption: a disturbance longer than a window
 * cannot be distinguished from a slower program. */
#ifndef PROFILING_COMPARE_SIGNIFICANCE_H
#define PROFILING_COMPARE_SIGNIFICANCE_H

#include <stdbool.h>

enum {
    PROF_GROUPS_MAX = 10,
    PROF_WINDOWS_MIN = 3, /* for a spread between windows */
    PROF_SAMPLES_MIN = 8  /* for one within a window */
};
#define PROF_VARIANCE_FACTOR 2.0
#define PROF_RUN_FLOOR       0.04
#define PROF_RUN_FLOOR_US    0.1
#define PROF_DRIFT_FLOOR     0.10

/* Medians of one time in one run. */
typedef struct prof_medians {
    double *median; /* of every window, in their order [us]; positive */
    int count;      /* of windows, at least 1 */
    double spread;  /* standard deviation of the logarithm of samples within a window, mean
                       over the windows */
    long samples;   /* in a window, the fewest */
} prof_medians;

typedef enum prof_verdict {
    PROF_NO_DIFFERENCE, /* none is significant */
    PROF_FASTER,
    PROF_SLOWER,
    PROF_NOT_JUDGED /* no spread is known, or one beyond all numbers */
} prof_verdict;

typedef struct prof_difference {
    double a, b;              /* medians of the windows, averaged as the test does [us] */
    double change, low, high; /* of b over a, less 1, and its interval; low and high are 0 where
                                 not judged */
    double detectable;        /* the least change round_up that is significant at this spread; 0
                                 where not judged */
    bool between_windows;     /* whether the interval is from the spread between windows */
    prof_verdict verdict;
} prof_difference;

/* Median of the windows, averaged as the test does [us]. */
double prof_middle_of(const prof_medians *run);

/* Compare two medians. If windows vary independently, the interval misses the true difference with
 * probability `tail`. */
prof_difference prof_difference_of(const prof_medians *a, const prof_medians *b, double tail);

/* Return the t that Student's |t| with `freedom` degrees of freedom (at least 1) exceeds with
 * probability `tail`. */
double prof_student_quantile(double tail, int freedom);

#endif
