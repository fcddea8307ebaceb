#!/usr/bin/python3
"""Derive the staggered summation-by-parts operators exactly and write their tables.

Conditions (inner spacing 1, left boundary at vertex 0; equispaced closures: vertices at v, cells at c + 1/2; moved
closures: the first points lie elsewhere, MOVED):

    Hv Dcv + (Hc Dvc)^T = e_N r^T - e_0 l^T        Hc Pvc = (Hv Pcv)^T
    Dvc, Dcv, l, r exact to degree p;  Pvc, Pcv to degree p - 1;  interior order 2 p

They are linear in the unknown weights, so exact rational linear algebra solves them. Weights that stay
free are fixed by least error: the squared error in the H norms of the first degree that is not exact is
minimised, then of the next degree while freedom is left. For the interpolations it is the sum of the errors
of Pvc and Pcv. The norm ||Pvc|| in the H norms must then be 1, which is certified here for many N; with the
errors so weighed it needs no further constraint, at orders 4 and 6. Moved closures have given weights in place of
least error: MOVED has them, found by a search for the least error of flows (validation/closures).

The tables are solver/operators/sbp_tables.inc and tests/reference/operators.json.
"""

import argparse
import json
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import sympy as sp
from sympy import Rational

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "solver/operators/sbp_tables.inc"
REFERENCE = ROOT / "tests/reference/operators.json"

# order: (degree p, modified vertex norms, modified cell norms, length of the extrapolation l)
SIZES = {2: (1, 1, 2, 2), 4: (2, 4, 3, 3), 6: (3, 6, 5, 4)}

# Shashkin, Goyman, Tretyak, arXiv 2501.07323: the two free interpolation weights of their order-4 closure
PUBLISHED = {(0, 2): Rational("0.1264926207034815"), (0, 3): Rational("-0.029892648949074313")}


# Order: sizes as above; the first vertices and cells, then the spacing is 1; free weights: Hv, l, rows of Q and of R
MOVED = {
    4: {
        "sizes": (2, 5, 4, 4),
        "vertices": ("0", "0.7951", "1.9691"),
        "cells": ("0.2845", "1.2969"),
        "hv": ("0.25000719", "1.14931081"),
        "l": ("1.58541087",),
        "q": (("-0.57517685",), ("-1.10054088",)),
        "r": (("0.3724626", "0.39037951", "-0.05354437"), ("-0.18078381", "0.95124866", "0.46935278")),
    },
    6: {
        "sizes": (3, 7, 6, 5),
        "vertices": ("0", "0.8279", "2.0399", "2.6609"),
        "cells": ("0.3166", "1.2705", "2.0570"),
        "hv": ("0.25001505", "1.24155899"),
        "l": ("1.90523173",),
        "q": (("-0.86091499", "2.16754134"), ("-1.13448619", "0.7728958"), ("0.08420177", "-0.84116874")),
        "r": (
            ("0.39318646", "0.42034235", "-0.00180478", "-0.03703533"),
            ("-0.17846379", "0.90704172", "0.04043905", "0.09175906"),
            ("-0.01337976", "0.0433936", "0.76498040", "0.21639084"),
        ),
    },
}

# Degree of the differences that dissipation squares: order, moved
DEGREES = {(2, False): 2, (4, False): 3, (6, False): 4, (4, True): 5, (6, True): 5}




def power(x, k):
    """x**k with 0**0 = 1."""
    return Rational(1) if k == 0 else sp.sympify(x) ** k


def interior_stencils(p):
    """Right halves of the derivative (antisymmetric) and interpolation (symmetric) of order 2p."""
    w = sp.symbols(f"w0:{p}")
    x = [Rational(2 * k + 1, 2) for k in range(p)]
    moment = lambda power_of: [
        sum(2 * w[k] * x[k] ** power_of(m) for k in range(p)) - (1 if m == 0 else 0) for m in range(p)
    ]
    derivative = list(sp.linsolve(moment(lambda m: 2 * m + 1), w))[0]
    interpolation = list(sp.linsolve(moment(lambda m: 2 * m), w))[0]
    return list(derivative), list(interpolation)


def stencil_entry(half, sign, v, c):
    """Entry (vertex v, cell c) of an interior stencil with the given right half."""
    k = c - v
    if 0 <= k < len(half):
        return half[k]
    return sign * half[-k - 1] if -len(half) <= k < 0 else Rational(0)


def least_error(block, errors_of_degree, first_degree):
    """Fix the free symbols of block by least squares, one degree after the other."""
    degree = first_degree
    while True:
        free = sorted(set().union(*[sp.sympify(e).free_symbols for e in block]), key=str)
        if not free:
            return block
        total = sp.expand(errors_of_degree(block, degree))
        chosen = list(sp.linsolve([sp.diff(total, f) for f in free], free))[0]
        block = [sp.expand(sp.sympify(e).subs(dict(zip(free, chosen)))) for e in block]
        degree += 1


class Operators:
    """Closure of one order: norms Hv, Hc, extrapolation l, blocks Q = Hv Dcv and R = Hc Pvc."""

    def __init__(self, order, moved=None):
        self.order, self.moved = order, moved
        self.p, self.nv, self.nc, self.nl = moved["sizes"] if moved else SIZES[order]
        self.vertices = [Rational(x) for x in (moved["vertices"] if moved else ["0"])]
        self.cells = [Rational(x) for x in (moved["cells"] if moved else [])]
        self.shift = self.vertices[-1] - (len(self.vertices) - 1)
        self.derivative, self.interpolation = interior_stencils(self.p)
        self.width = self.nc + self.p
        self._solve_derivatives()
        self._solve_interpolation(fixed={})

    def vertex(self, v):
        """Coordinate of vertex v."""
        return self.vertices[v] if v < len(self.vertices) else v + self.shift

    def cell(self, c):
        """Coordinate of cell c."""
        return self.cells[c] if c < len(self.cells) else c + Rational(1, 2) + self.shift

    def solve(self, conditions, unknowns, given):
        """Solution of linear conditions; the first unknowns stay free, of a moved closure they have `given` values."""
        found = dict(zip(reversed(unknowns), list(sp.linsolve(conditions, unknowns[::-1]))[0]))
        if not self.moved:
            return [found[u] for u in unknowns]
        values = {unknowns[k]: Rational(value) for k, value in given.items()}
        assert all(sp.sympify(found[u]).free_symbols <= set(values) for u in unknowns)
        return [sp.sympify(found[u]).subs(values) for u in unknowns]

    def q(self, block, v, c):
        """Entry of Q anywhere near the left boundary."""
        inside = v < self.nv and c < self.nc
        return block[v * self.nc + c] if inside else stencil_entry(self.derivative, -1, v, c)

    def r(self, block, c, v):
        """Entry of R = Hc Pvc anywhere near the left boundary."""
        inside = v < self.nv and c < self.nc
        return block[c * self.nv + v] if inside else stencil_entry(self.interpolation, 1, v, c)

    def _solve_derivatives(self):
        p, nv, nc, nl = self.p, self.nv, self.nc, self.nl
        hv, hc, l = sp.symbols(f"hv0:{nv}"), sp.symbols(f"hc0:{nc}"), sp.symbols(f"l0:{nl}")
        q = sp.symbols(f"q0:{nv * nc}")
        span = max(nv, nc) + p + 1
        edge = lambda c: l[c] if c < nl else 0
        slope = lambda x, k: k * power(x, k - 1) if k else 0
        conditions = []
        for k in range(p + 1):
            for v in range(nv):
                row = sum(self.q(q, v, c) * power(self.cell(c), k) for c in range(span))
                conditions.append(row - hv[v] * slope(self.vertex(v), k))
            for c in range(nc):
                row = -sum(self.q(q, v, c) * power(self.vertex(v), k) for v in range(span)) - edge(c) * power(0, k)
                conditions.append(row - hc[c] * slope(self.cell(c), k))
            conditions.append(sum(l[c] * power(self.cell(c), k) for c in range(nl)) - power(0, k))
        if self.order == 2:  # the cells of the second-order scheme all weigh 1 (its usual form)
            conditions += [h - 1 for h in hc]
        unknowns = list(hv) + list(hc) + list(l) + list(q)
        given = {}
        if self.moved:
            given = {at + k: w for at, name in ((0, "hv"), (nv + nc, "l")) for k, w in enumerate(self.moved[name])}
            q_weights = ((v * nc + c, w) for v, row in enumerate(self.moved["q"]) for c, w in enumerate(row))
            given.update({nv + nc + nl + at: w for at, w in q_weights})
        solved = self.solve(conditions, unknowns, given)
        self.Hv, self.Hc = list(solved[:nv]), list(solved[nv : nv + nc])
        self.l = list(solved[nv + nc : nv + nc + nl])

        def error(block, k):
            dcv = [
                sum(self.q(block, v, c) * power(self.cell(c), k) for c in range(span)) / self.Hv[v] - slope(self.vertex(v), k)
                for v in range(nv)
            ]
            dvc = [
                -sum(self.q(block, v, c) * power(self.vertex(v), k) for v in range(span)) / self.Hc[c] - slope(self.cell(c), k)
                for c in range(nc)
            ]
            return self._weigh(dcv, dvc)

        self.Q = least_error(list(solved[nv + nc + nl :]), error, p + 1)

    def _weigh(self, at_vertices, at_cells):
        return sum(h * e**2 for h, e in zip(self.Hv, at_vertices)) + sum(
            h * e**2 for h, e in zip(self.Hc, at_cells)
        )

    def _solve_interpolation(self, fixed):
        p, nv, nc = self.p, self.nv, self.nc
        r = sp.symbols(f"r0:{nv * nc}")
        span = max(nv, nc) + p + 1
        conditions = [r[c * nv + v] - self.Hc[c] * weight for (c, v), weight in fixed.items()]
        for k in range(p):
            for c in range(nc):
                row = sum(self.r(r, c, v) * power(self.vertex(v), k) for v in range(span))
                conditions.append(row - self.Hc[c] * power(self.cell(c), k))
            for v in range(nv):
                row = sum(self.r(r, c, v) * power(self.cell(c), k) for c in range(span))
                conditions.append(row - self.Hv[v] * power(self.vertex(v), k))
        rows = self.moved["r"] if self.moved else ()
        solved = self.solve(conditions, list(r), {c * nv + v: w for c, row in enumerate(rows) for v, w in enumerate(row)})

        def error(block, k):
            pcv = [
                sum(self.r(block, c, v) * power(self.cell(c), k) for c in range(span)) / self.Hv[v] - power(self.vertex(v), k)
                for v in range(nv)
            ]
            pvc = [
                sum(self.r(block, c, v) * power(self.vertex(v), k) for v in range(span)) / self.Hc[c] - power(self.cell(c), k)
                for c in range(nc)
            ]
            return self._weigh(pcv, pvc)

        self.R = least_error(solved, error, p)

    def published(self):
        """The same operators with the published order-4 interpolation."""
        self._solve_interpolation(PUBLISHED)
        return self

    def norm(self, n):
        """||Pvc|| in the H norms for n cells."""
        hv, hc = np.ones(n + 1), np.ones(n)
        hv[: self.nv] = hv[n + 1 - self.nv :][::-1] = [float(h) for h in self.Hv]
        hc[: self.nc] = hc[n - self.nc :][::-1] = [float(h) for h in self.Hc]
        r = np.array([[float(stencil_entry(self.interpolation, 1, v, c)) for v in range(n + 1)] for c in range(n)])
        block = np.array([float(e) for e in self.R]).reshape(self.nc, self.nv)
        r[: self.nc, : self.nv] = block
        r[n - self.nc :, n + 1 - self.nv :] = block[::-1, ::-1]
        return np.linalg.norm(r / np.sqrt(hc)[:, None] / np.sqrt(hv)[None, :], 2)

    def smallest_n(self):
        """Least number of cells so that the closures of the two ends do not overlap."""
        return max(2 * self.nc, 2 * self.nv - 1)

    def smallest_n_spread(self):
        """The same for the dissipation."""
        return max(self.smallest_n(), 2 * len(self.spread()) - 1)

    def rows(self):
        """Closure rows of the operators between vertices and cells, with the rows and columns of the order's
        widest closure; rows and columns beyond this closure are interior."""
        nv, nc = padded(self.order)
        cols = range(nc + self.p)
        hv, hc = self.Hv + [1] * (nv - self.nv), self.Hc + [1] * (nc - self.nc)
        edge = lambda v, c: self.l[c] if v == 0 and c < self.nl else 0
        return {
            "dcv": [[self.q(self.Q, v, c) / hv[v] for c in cols] for v in range(nv)],
            "dvc": [[(-self.q(self.Q, v, c) - edge(v, c)) / hc[c] for v in cols] for c in range(nc)],
            "pcv": [[self.r(self.R, c, v) / hv[v] for c in cols] for v in range(nv)],
            "pvc": [[self.r(self.R, c, v) / hc[c] for v in cols] for c in range(nc)],
        }

    def weak(self, dcv):
        """-Hv^-1 Dvc^T Hc: dcv, and at vertex 0 what it takes for the flux through the end."""
        first = [d + (self.l[c] / self.Hv[0] if c < self.nl else 0) for c, d in enumerate(dcv[0])]
        return [first, *dcv[1:]]

    @property
    def degree(self):
        """p of the p-th differences that dissipation squares."""
        return DEGREES[self.order, self.moved is not None]

    def differences(self, rows):
        """p-th divided differences of neighbouring vertices times p!, their squares at most as large as inside."""
        p = self.degree
        most = sum(sp.binomial(p, k) ** 2 for k in range(p + 1))
        for first in range(rows):
            x = [self.vertex(first + k) for k in range(p + 1)]
            weights = [sp.factorial(p) / sp.prod(x[k] - y for y in x if y != x[k]) for k in range(p + 1)]
            scale = min(Rational(1), most / sum(w**2 for w in weights))
            yield [0] * first + weights, scale

    def spread(self):
        """Rows of Hv^-1 B^T B / 4^p of the first vertices, B the p-th differences within a long line."""
        p = self.degree
        rows = max(p + len(self.vertices) - 1, self.nv)
        b = [(row + [0] * (rows + p - len(row)), scale) for row, scale in self.differences(rows)]
        norm = lambda v: self.Hv[v] if v < self.nv else 1
        square = lambda v, c: sum(scale * row[v] * row[c] for row, scale in b)
        return [[square(v, c) / (sp.Integer(4) ** p * norm(v)) for c in range(rows + p)] for v in range(rows)]


def c_list(values, indent):
    """Doubles nearest to the rationals, as a C initialiser."""
    text = ", ".join(repr(float(Fraction(int(v.p), int(v.q)))) for v in map(sp.Rational, values))
    return f"{' ' * indent}{{{text}}}"


def padded(order):
    """Rows of vertices and cells that tables of an order have."""
    sizes = [SIZES[order]] + [moved["sizes"] for key, moved in MOVED.items() if key == order]
    return max(size[1] for size in sizes), max(size[2] for size in sizes)


def c_table(name, ops):
    """One entry of the tables of sbp.c."""
    nv, nc = padded(ops.order)
    lines = [f"/* {name} */", "{", f"    .closure = SWE_CLOSURE_{(name.partition('-')[2] or 'equispaced').upper()},"]
    lines.append(
        f"    .points = {{{len(ops.vertices)}, {len(ops.cells)}, {c_list(ops.vertices, 0)}, {c_list(ops.cells or [0], 0)}}},"
    )
    lines += [f"    .sbp.order = {ops.order},", f"    .sbp.degree = {ops.degree},"]
    lines += [f"    .sbp.smallest_n = {ops.smallest_n()},", f"    .sbp.smallest_spread_n = {ops.smallest_n_spread()},"]
    lines += [f"    .sbp.vertex_rows = {ops.nv},", f"    .sbp.cell_rows = {ops.nc},"]
    hv, hc = ops.Hv + [1] * (nv - ops.nv), ops.Hc + [1] * (nc - ops.nc)
    for field, values in (("hv", hv), ("hc", hc), ("edge", ops.l)):
        lines.append(f"    .sbp.{field} = {c_list(values, 0)},")
    closures = ops.rows()
    dcv = closures.pop("dcv")
    lines.append(f"    .sbp.end = {c_list(dcv[0], 0)},")
    for field, rows in {"weak": ops.weak(dcv), **closures, "spread": ops.spread()}.items():
        lines.append(f"    .sbp.{field} = {{")
        lines += [c_list(column, 8) + "," for column in zip(*rows)]
        lines.append("    },")
    lines.append("},")
    return "\n".join(lines)


def json_entry(ops):
    """Everything that fixes the operators, as exact rationals, for the independent reference."""
    text = lambda values: [str(v) for v in values]
    block = lambda values, cols: [text(values[i : i + cols]) for i in range(0, len(values), cols)]
    pvc = [self_r / ops.Hc[i // ops.nv] for i, self_r in enumerate(ops.R)]
    points = {"vertices": text(ops.vertices), "cells": text(ops.cells), "degree": ops.degree} if ops.moved else {}
    return {
        "p": ops.p,
        **points,
        "Hv": text(ops.Hv),
        "Hc": text(ops.Hc),
        "l": text(ops.l),
        "Q": block(ops.Q, ops.nc),
        "Pvc": block(pvc, ops.nv),
        "derivative": text(ops.derivative),
        "interpolation": text(ops.interpolation),
    }


def certify(name, ops, bound):
    """Stop if the interpolation norm exceeds the bound for any of many N."""
    worst = max(ops.norm(n) for n in [*range(ops.smallest_n(), 40), 64, 96, 192, 384])
    if worst > bound:
        sys.exit(f"derive_operators: closure {name} has interpolation norm {worst!r}, more than {bound}")
    print(f"closure {name}: smallest n {ops.smallest_n()}, interpolation norm {worst:.15f}")


def main():
    """Derive, certify, then write or compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the committed files differ")
    options = parser.parse_args()
    closures = {"2": Operators(2), "4": Operators(4), "6": Operators(6), "4-published": Operators(4).published()}
    closures |= {f"{order}-moved": Operators(order, moved) for order, moved in MOVED.items()}
    for name, ops in closures.items():
        certify(name, ops, 1.11 if name == "4-published" else 1 + 1e-14)
    header = (
        "/* Written by tools/derive_operators.py from exact rationals: change that, not this.\n"
        " * Rows of the left closure, [column][row]; the right one mirrors them. Inner spacing 1. */\n"
    )
    files = {
        TABLES: header + "\n".join(c_table(name, ops) for name, ops in closures.items()) + "\n",
        REFERENCE: json.dumps({name: json_entry(ops) for name, ops in closures.items()}, indent=1) + "\n",
    }
    if options.check:
        stale = [str(path.relative_to(ROOT)) for path, text in files.items() if path.read_text() != text]
        if stale:
            sys.exit(f"derive_operators: differs from what is derived: {', '.join(stale)}")
        print("the committed tables are what is derived")
        return
    for path, text in files.items():
        path.write_text(text)
        print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
