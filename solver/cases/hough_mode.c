#include "cases/hough_mode.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* The chain of A and B after elimination of C at a given sigma. */
typedef struct chain {
    double gamma;
    int wavenumber, first, count;
    int divergent; /* 0 or 1: positions i of the chain with i % 2 == divergent hold a B */
} chain;

static double root_of(double degree)
{
    return degree * (degree + 1.0);
}

/* e_l in the recursion sin(lat) P_l = e_(l+1) P_(l+1) + e_l P_(l-1). */
static double step_of(int wavenumber, double l)
{
    return sqrt((l - wavenumber) * (l + wavenumber) / (4.0 * l * l - 1.0));
}

/* Coupling p_l of position i of the chain to position i - 1. */
static double coupling(const chain *c, int i)
{
    const double l = c->first + i;
    return i == 0 ? 0.0 : step_of(c->wavenumber, l) * sqrt((l - 1.0) * (l + 1.0)) / l;
}

/* Diagonal element at position i of the matrix minus sigma. */
static double diagonal(const chain *c, int i, double sigma)
{
    const double cl = root_of(c->first + i);
    return -c->wavenumber / cl - sigma + (i % 2 == c->divergent ? c->gamma * cl / sigma : 0.0);
}

/* Number of eigenvalues below sigma, sigma not 0: the number of negative pivots of the matrix minus
 * sigma, including the pivots of the C, which are -sigma. */
static int count_below(const chain *c, double sigma)
{
    int below = 0;
    double pivot = 1.0;
    for (int i = 0; i < c->count; i++) {
        const double e = coupling(c, i);
        pivot = diagonal(c, i, sigma) - e * e / pivot;
        if (pivot == 0.0)
            pivot = 1e-300;
        below += (pivot < 0.0) + (i % 2 == c->divergent && sigma > 0.0);
    }
    return below;
}

/* The eigenvalue with exactly `rank` eigenvalues below it. */
static double bisect(const chain *c, int rank)
{
    const double last = root_of(c->first + c->count);
    double low = -3.0 - sqrt(c->gamma * last), high = 3.1 + sqrt(c->gamma * last);
    for (;;) {
        const double middle = 0.5 * (low + high);
        if (!(middle > low && middle < high) || middle == 0.0)
            return middle;
        if (count_below(c, middle) > rank)
            high = middle;
        else
            low = middle;
    }
}

/* Rank of a mode by frequency. The modes are, in ascending order of frequency: westward gravity
 * waves, fastest first, one for each B; Rossby waves, fastest first, one for each A; eastward
 * gravity waves, slowest first. `index` counts the modes of the type. */
static int rank_of(const chain *c, swe_wave_type type, int index)
{
    const int gravity = (c->count + (c->divergent == 0)) / 2, rossby = c->count - gravity;
    switch (type) {
    case SWE_WAVE_WESTWARD:
        return gravity - 1 - index;
    case SWE_WAVE_ROSSBY:
        return gravity + index;
    case SWE_WAVE_EASTWARD:
        break;
    }
    return gravity + rossby + index;
}

/* Eigenvector (A, B) by twisted factorisation: elimination from both ends meets where the remaining
 * pivot is smallest, and substitution from there to both sides loses no digits. `room` is scratch
 * for 2 count numbers. */
static void eigenvector(const chain *c, double sigma, double *room, double *x)
{
    const int n = c->count;
    double *down = room, *up = room + n;
    for (int i = 0; i < n; i++) {
        const double e = coupling(c, i);
        down[i] = diagonal(c, i, sigma) - (i > 0 ? e * e / down[i - 1] : 0.0);
    }
    for (int i = n - 1; i >= 0; i--) {
        const double e = i + 1 < n ? coupling(c, i + 1) : 0.0;
        up[i] = diagonal(c, i, sigma) - (i + 1 < n ? e * e / up[i + 1] : 0.0);
    }
    int meet = 0;
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        const double left = fabs(down[i] + up[i] - diagonal(c, i, sigma));
        if (left < least) {
            least = left;
            meet = i;
        }
    }
    x[meet] = 1.0;
    for (int i = meet; i > 0; i--)
        x[i - 1] = -coupling(c, i) * x[i] / down[i - 1];
    for (int i = meet; i + 1 < n; i++)
        x[i + 1] = -coupling(c, i + 1) * x[i] / up[i + 1];
}

/* Coefficients of psi, chi and h from the eigenvector. */
static void fill_mode(const chain *c, double sigma, const double *x, hough_mode *out)
{
    out->wavenumber = c->wavenumber;
    out->first = c->first;
    out->count = c->count;
    out->sigma = sigma;
    for (int i = 0; i < c->count; i++) {
        const double cl = root_of(c->first + i);
        const int divergent = i % 2 == c->divergent;
        out->psi[i] = divergent ? 0.0 : x[i] / sqrt(cl);
        out->chi[i] = divergent ? x[i] / sqrt(cl) : 0.0;
        out->height[i] = divergent ? -sqrt(cl) * x[i] / sigma : 0.0;
    }
}

/* Whether the last coefficients are negligible relative to the largest. */
static bool is_resolved(const hough_mode *mode)
{
    double largest = 0.0, last = 0.0;
    for (int i = 0; i < mode->count; i++) {
        const double l = mode->first + i;
        const double size = l * (fabs(mode->psi[i]) + fabs(mode->chi[i])) + fabs(mode->height[i]);
        largest = fmax(largest, size);
        last = i >= mode->count - 4 ? fmax(last, size) : last;
    }
    return last < 1e-18 * largest;
}

swe_status hough_mode_find(swe_context *ctx, double gamma, int wavenumber, swe_wave_type type,
                           int index, hough_mode *out)
{
    double *room = NULL;
    SWE_TRY(swe_memory_doubles(ctx, 3 * (size_t)HOUGH_MOST_DEGREES, &room));
    chain c = {.gamma = gamma, .wavenumber = wavenumber, .first = wavenumber > 0 ? wavenumber : 1};
    /* Gravity waves of even index have an even h, Rossby waves of even index an odd h. If h is
     * even, the B are at degrees s, s + 2, ... */
    const int odd = type == SWE_WAVE_ROSSBY ? 1 - index % 2 : index % 2;
    c.divergent = (odd + c.first - wavenumber) % 2;
    bool resolved = false;
    for (c.count = 40 + 2 * index; !resolved && c.count <= HOUGH_MOST_DEGREES; c.count *= 2) {
        const double sigma = bisect(&c, rank_of(&c, type, index / 2));
        eigenvector(&c, sigma, room, room + 2 * (ptrdiff_t)HOUGH_MOST_DEGREES);
        fill_mode(&c, sigma, room + 2 * (ptrdiff_t)HOUGH_MOST_DEGREES, out);
        resolved = is_resolved(out);
    }
    free(room);
    return resolved ? SWE_OK
                    : swe_fail(ctx, SWE_CONFIG,
                               "this Hough mode needs more than %d degrees: the depth is too small "
                               "for the rate of rotation",
                               HOUGH_MOST_DEGREES);
}

/* Fields at a latitude, with P_l = cos(lat)^s Q_l and ' for d/dsin(lat):
 *
 *     cos(lat) u = -(s chi + cos(lat)^2 psi') cos(phase)
 *     cos(lat) v = -(s psi + cos(lat)^2 chi') sin(phase)
 *     cos(lat)^2 P_l' = -l e_(l+1) P_(l+1) + (l + 1) e_l P_(l-1) */
hough_profile hough_mode_at(const hough_mode *mode, double sin_lat, double cos_lat)
{
    const int s = mode->wavenumber;
    double value = sqrt(0.5), before = 0.0; /* Q_s: its square is 1/2 (2 s + 1)!! / (2 s)!! */
    for (int k = 1; k <= s; k++)
        value *= sqrt((2.0 * k + 1.0) / (2.0 * k));
    hough_profile sum = {0.0, 0.0, 0.0};
    for (int l = s; l < mode->first + mode->count; l++) {
        const double e = step_of(s, l), e_next = step_of(s, l + 1.0);
        const double next = (sin_lat * value - e * before) / e_next;
        if (l >= mode->first) {
            const int i = l - mode->first;
            const double slope = -l * e_next * next + (l + 1.0) * e * before;
            sum.height += mode->height[i] * value;
            sum.zonal -= s * mode->chi[i] * value + mode->psi[i] * slope;
            sum.meridional -= s * mode->psi[i] * value + mode->chi[i] * slope;
        }
        before = value;
        value = next;
    }
    sum.height *= pow(cos_lat, s);
    /* for wavenumber 0 both velocities vanish at the poles */
    const double scale = s > 0 || cos_lat > 0.0 ? pow(cos_lat, s - 1.0) : 0.0;
    sum.zonal *= scale;
    sum.meridional *= scale;
    return sum;
}
