"""Four forms of the linear scheme in JAX, which tools/peers/compare times.

All solve the same equations with the operators and the geometry of the dense reference (tests/reference/reference.py),
in double precision, compiled by jit, with the Runge-Kutta steps in a fori_loop:

derived the operators of `sliced`, in the algebra of cubeswe's fused pipeline: derivatives of h, twice A and twice A B.
sliced  stencils as sums of slices with small closure blocks at panel edges, the weak divergence (its projection equals
        the projection of divergence and SAT), one gather and one scatter for all shared points.
seeds   dense matrices; arrays [panel][i][j], the contravariant flux by vmap, shared points and SAT edge after edge.
dense   JaxModel of the reference: dense matrices, arrays [panel][j][i], likewise edge after edge.

States are h (6, n+1, n+1), v1 (6, n+1, n), v2 (6, n, n+1), index order [panel][j][i]; h is continuous. Each form takes
the arguments of reference.Model and has run_n_steps(h, v1, v2, dt, steps).
"""

import jax
import jax.numpy as jnp
import numpy as np
import reference

jax.config.update("jax_enable_x64", True)


def rk4_step(rhs, state, dt):
    """One classical Runge-Kutta step of dt seconds."""
    def advance(k, factor):
        return tuple(a + factor * b for a, b in zip(state, k))

    k1 = rhs(*state)
    k2 = rhs(*advance(k1, 0.5 * dt))
    k3 = rhs(*advance(k2, 0.5 * dt))
    k4 = rhs(*advance(k3, dt))
    return tuple(y + dt / 6 * (a + 2 * b + 2 * c + d) for y, a, b, c, d in zip(state, k1, k2, k3, k4))


class Stencil:
    """A banded matrix: the same row everywhere except in a closure block at either end."""

    def __init__(self, matrix):
        rows = len(matrix)
        middle = rows // 2
        reach = np.flatnonzero(matrix[middle])
        self.offsets, self.weights = reach - middle, matrix[middle, reach]
        odd = np.array([row for row in range(rows) if not self.is_regular(matrix, row)], dtype=int)
        self.first = 1 + odd[odd < middle].max(initial=-1)             # regular rows: first to last - 1
        self.last = odd[odd > middle].min(initial=rows)
        self.begin = self.trimmed(matrix[:self.first])
        self.end = self.trimmed(matrix[self.last:, ::-1])[:, ::-1]

    def is_regular(self, matrix, row):
        columns = row + self.offsets
        if columns[0] < 0 or columns[-1] >= matrix.shape[1]:
            return False
        expected = np.zeros(matrix.shape[1])
        expected[columns] = self.weights
        return np.allclose(matrix[row], expected, rtol=0, atol=1e-14 * np.abs(self.weights).max())

    @staticmethod
    def trimmed(block):
        """The block without the columns of zeros at its right."""
        return block[:, :np.max(np.flatnonzero(block.any(axis=0)), initial=-1) + 1]

    def __call__(self, field, axis):
        """The product along an axis of a (panel, j, i) field."""
        def take(start, stop):
            return jax.lax.slice_in_dim(field, start, stop, axis=axis)

        def block(weights, values):
            return jnp.moveaxis(jnp.tensordot(weights, values, (1, axis)), 0, axis)

        size = field.shape[axis]
        inside = sum(w * take(self.first + k, self.last + k) for w, k in zip(self.weights, self.offsets))
        return jnp.concatenate([block(self.begin, take(0, self.begin.shape[1])), inside,
                                block(self.end, take(size - self.end.shape[1], size))], axis=axis)


class Sliced:
    """Slices, closure blocks, one gather and one scatter: the form of a programmer who knows JAX."""

    def __init__(self, *arguments, **options):
        model = reference.Model(*arguments, **options)
        op = model.op
        weak = -(op.hc[:, None] * op.dvc).T / op.hv[:, None]
        self.gradient, self.weak_divergence = Stencil(-model.gravity * op.dvc), Stencil(weak)
        self.to_cells, self.to_vertices = Stencil(op.pvc), Stencil(op.pcv)
        # The metric is the same on all panels.
        self.g11, self.g22 = model.at_v1.Jg[0, 0, :1], model.at_v2.Jg[1, 1, :1]
        self.g12, self.scale = model.at_h.Jg[0, 1, :1], -model.depth / model.at_h.J[:1]
        self.copies, self.shares = shared_points(model)
        self.run_n_steps = jax.jit(self.run_n_steps)

    def project(self, h):
        """The mean of the copies of every shared point, in all of them."""
        flat = h.reshape(-1)
        mean = (self.shares * flat[self.copies]).sum(axis=1, keepdims=True)
        return flat.at[self.copies].set(jnp.broadcast_to(mean, self.copies.shape)).reshape(h.shape)

    def rhs(self, h, v1, v2):
        """Tendencies of a state whose h is continuous."""
        f1 = self.g11 * v1 + self.to_cells(self.g12 * self.to_vertices(v2, 1), 2)
        f2 = self.g22 * v2 + self.to_cells(self.g12 * self.to_vertices(v1, 2), 1)
        div = self.weak_divergence(f1, 2) + self.weak_divergence(f2, 1)
        return self.project(self.scale * div), self.gradient(h, 2), self.gradient(h, 1)

    def run_n_steps(self, h, v1, v2, dt, steps):
        return jax.lax.fori_loop(0, steps, lambda _, state: rk4_step(self.rhs, state, dt), (self.project(h), v1, v2))


class Derived(Sliced):
    """A step as a polynomial of its operator: h' and the mean of h over the step from the derivatives of h in time."""

    def slope(self, h):
        return self.gradient(h, 2), self.gradient(h, 1)

    def run_n_steps(self, h, v1, v2, dt, steps):
        def divergence(v1, v2):
            return self.rhs(h, v1, v2)[0]

        def step(_, state):
            h, v1, v2 = state
            h1, h2 = divergence(v1, v2), divergence(*self.slope(h))
            h3, h4 = divergence(*self.slope(h1)), divergence(*self.slope(h2))
            mean = h + dt / 2 * (h1 + dt / 3 * (h2 + dt / 4 * h3))
            dv1, dv2 = self.slope(mean)
            return h + dt * (h1 + dt / 2 * (h2 + dt / 3 * (h3 + dt / 4 * h4))), v1 + dt * dv1, v2 + dt * dv2

        return jax.lax.fori_loop(0, steps, step, (self.project(h), v1, v2))


def shared_points(model):
    """Flat indices (points, 3) of the copies of every shared point, and their shares of its mean.

    A point on an edge has two copies; its third is the first again, with share 0.
    """
    size = model.n + 1
    index = np.arange(6 * size * size).reshape(6, size, size)
    groups = [np.stack([index[reference.side_index(s)][1:-1], index[reference.side_index(t)][::step][1:-1]], axis=1)
              for s, t, step in model.edges]
    edges = np.concatenate(groups)
    corners = np.stack([index[copies] for copies in model.corners])
    copies = np.concatenate([np.column_stack([edges, edges[:, 0]]), corners])
    weights = model.weight_h.reshape(-1)[copies]
    weights[:len(edges), 2] = 0
    return copies, weights / weights.sum(axis=1, keepdims=True)


class Seeds:
    """Dense matrices, with arrays [panel][i][j] within the loop: the form that research codes have today."""

    def __init__(self, *arguments, **options):
        model = reference.Model(*arguments, **options)
        self.edges, self.corners, self.gravity, self.depth = model.edges, model.corners, model.gravity, model.depth
        op = {name: jnp.asarray(matrix) for name, matrix in vars(model.op).items()}
        self.dvc, self.dcv, self.pvc, self.pcv, self.hv = (op[name] for name in ("dvc", "dcv", "pvc", "pcv", "hv"))
        self.rows = {0: op["l"], -1: op["r"]}                          # extrapolation to the ends
        self.g11, self.g22, self.g12, self.J, self.weight = map(exchanged, (
            model.at_v1.Jg[0, 0], model.at_v2.Jg[1, 1], model.at_h.Jg[0, 1], model.at_h.J, model.weight_h))
        self.b = jnp.swapaxes(jnp.asarray(model.at_h.b), 2, 3)         # contravariant basis (2, 6, i, j, 3)
        self.contravariant = jax.vmap(self.panel_flux)
        self.run_n_steps = jax.jit(self.run_n_steps)

    @staticmethod
    def index(side, along=slice(None)):
        """Index of the vertices of a side in a (panel, i, j) array."""
        panel, normal, end = side
        return (panel, end, along) if normal == 0 else (panel, along, end)

    def project(self, h):
        """The mean of the copies of shared points, weighted, one edge and one corner after another."""
        w = self.weight
        for s, t, step in self.edges:
            s, t = self.index(s, slice(1, -1)), self.index(t, slice(1, -1))
            mean = (w[s] * h[s] + (w[t] * h[t])[::step]) / (w[s] + w[t][::step])
            h = h.at[s].set(mean).at[t].set(mean[::step])
        for panel, j, i in self.corners:
            copies = panel, i, j
            h = h.at[copies].set((w[copies] * h[copies]).sum() / w[copies].sum())
        return h

    def panel_flux(self, g11, g22, g12, v1, v2):
        """Fluxes J g^{kl} v_l of one panel."""
        return (g11 * v1 + self.pvc @ (g12 * (v2 @ self.pcv.T)),
                g22 * v2 + (g12 * (self.pcv @ v1)) @ self.pvc.T)

    def trace(self, side, f1, f2):
        """The normal component at the vertices of a side."""
        panel, normal, end = side
        return self.rows[end] @ f1[panel] if normal == 0 else f2[panel] @ self.rows[end]

    def edge_velocity(self, side, v1, v2):
        """Cartesian velocity (n+1, 3) at the vertices of a side."""
        normal, at = side[1], self.index(side)
        across, along = self.trace(side, v1, v2), self.pcv @ (v2 if normal == 0 else v1)[at]
        return across[:, None] * self.b[normal][at] + along[:, None] * self.b[1 - normal][at]

    def add_sat(self, div, f1, f2, v1, v2):
        """Replace each side's own flux by the flux of the mean velocity, one edge after another."""
        for s, t, step in self.edges:
            mean = 0.5 * (self.edge_velocity(s, v1, v2) + self.edge_velocity(t, v1, v2)[::step])
            for side, velocity in ((s, mean), (t, mean[::step])):
                normal, end, at = side[1], side[2], self.index(side)
                flux = self.J[at] * (velocity * self.b[normal][at]).sum(-1)
                penalty = (flux - self.trace(side, f1, f2)) / self.hv[end]
                div = div.at[at].add(-penalty if end == 0 else penalty)
        return div

    def rhs(self, h, v1, v2):
        """Tendencies, stage by stage."""
        h = self.project(h)
        dv1 = -self.gravity * jnp.einsum("ij,pjk->pik", self.dvc, h)
        dv2 = -self.gravity * jnp.einsum("pij,kj->pik", h, self.dvc)
        f1, f2 = self.contravariant(self.g11, self.g22, self.g12, v1, v2)
        div = jnp.einsum("ij,pjk->pik", self.dcv, f1) + jnp.einsum("pij,kj->pik", f2, self.dcv)
        div = self.add_sat(div, f1, f2, v1, v2)
        return self.project(-self.depth * div / self.J), dv1, dv2

    def run_n_steps(self, h, v1, v2, dt, steps):
        start = tuple(map(exchanged, (h, v1, v2)))
        end = jax.lax.fori_loop(0, steps, lambda _, state: rk4_step(self.rhs, state, dt), start)
        return tuple(map(exchanged, end))


def exchanged(field):
    """A field (panel, j, i) as (panel, i, j), or back."""
    return jnp.swapaxes(jnp.asarray(field), 1, 2)


FORMS = {"derived": Derived, "sliced": Sliced, "seeds": Seeds, "dense": reference.JaxModel}
