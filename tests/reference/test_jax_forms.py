"""The forms of the scheme that tools/peers/compare times give what the dense reference gives."""
import sys
from pathlib import Path

import numpy as np
import pytest

import reference as ref

pytest.importorskip("jax", reason="jax is not installed: its forms of the scheme are not run")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/peers"))
from jax_forms import FORMS, Stencil  # noqa: E402

KINDS = [("sliced", 2, "moved"), ("sliced", 4, "moved"), ("sliced", 4, "equispaced"), ("sliced", 4, "published"),
         ("sliced", 6, "moved"), ("sliced", 6, "equispaced"), ("derived", 4, "moved"), ("derived", 6, "equispaced"), ("seeds", 4, "moved"), ("seeds", 4, "equispaced")]


@pytest.mark.parametrize("form, order, closure", KINDS)
def test_a_form_agrees_with_the_reference(form, order, closure):
    arguments = dict(n=22, order=order, closure=closure, gravity=9.8, depth=3.0, radius=2.0)
    model = ref.Model(**arguments)
    h, v1, v2 = ref.random_state(model, seed=5)
    state = model.project(h), v1, v2
    expected = model.run_n_steps(*state, 0.004, 6)
    found = FORMS[form](**arguments).run_n_steps(*state, 0.004, 6)
    for x, y in zip(found, expected):
        assert np.asarray(x).dtype == np.float64
        assert np.abs(x - y).max() < 1e-13 * np.abs(y).max()


@pytest.mark.parametrize("order, closure", [(2, "moved"), (4, "moved"), (4, "equispaced"), (6, "moved"),
                                            (6, "equispaced")])
def test_a_stencil_is_the_matrix_and_has_no_matrix(order, closure):
    """Closure blocks stay small, whatever n is."""
    op, rng = ref.load_operators(24, order, closure), np.random.default_rng(3)
    for matrix in (op.dvc, op.dcv, op.pvc, op.pcv):
        stencil, field = Stencil(matrix), rng.standard_normal((2, matrix.shape[1], matrix.shape[1]))
        for axis, product in ((1, "ab,pbi->pai"), (2, "ab,pjb->pja")):
            expected = np.einsum(product, matrix, field)
            assert np.abs(stencil(field, axis) - expected).max() < 1e-13 * np.abs(expected).max()
        assert max(stencil.begin.shape) <= 2 * order and max(stencil.end.shape) <= 2 * order
