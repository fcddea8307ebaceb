/* Legendre polynomials and Gauss-Legendre quadrature. */
#ifndef SWE_CASES_LEGENDRE_H
#define SWE_CASES_LEGENDRE_H

/* Nodes (ascending) and weights of the Gauss-Legendre rule of `count` points on [-1, 1]. */
void swe_legendre_rule(int count, double *nodes, double *weights);

/* out[i] = sum over l = 0..degrees of coefficients[l] P_l(x[i]), i < count. */
void swe_legendre_series(int degrees, const double *coefficients, int count, const double *x,
                         double *out);

#endif
