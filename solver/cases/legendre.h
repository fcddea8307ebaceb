/* Legendre series and Gauss-Legendre quadrature, both by the three-term recursion
 *     (l + 1) P_(l+1) = (2 l + 1) x P_l - l P_(l-1). */
#ifndef SWE_CASES_LEGENDRE_H
#define SWE_CASES_LEGENDRE_H

/* Nodes (ascending) and weights of the Gauss-Legendre rule with `count` points on [-1, 1]: roots of
 * P_count by Newton's method, weights 2 / ((1 - x^2) P_count'(x)^2). */
void swe_legendre_rule(int count, double *nodes, double *weights);

/* out[i] = sum over l = 0..degrees of coefficients[l] P_l(x[i]), i < count. `out` may be `x`. */
void swe_legendre_series(int degrees, const double *coefficients, int count, const double *x,
                         double *out);

#endif
