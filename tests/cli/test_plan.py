"""`cubeswe info CASE --plan`: the calls of a step, beside a list of them that is independent of the program."""
import re
from collections import Counter

import pytest

from pipelines import FLOW_CALLS
from program import write_case

USAGE, CONFIG = 64, 78
FLOWS = {"non-rotating": {}, "rotating": {"rotation": 0.7}, "nonlinear": {"model": "nonlinear", "rotation": 0.7}}


@pytest.fixture
def plan(run, tmp_path):
    def of(**sections):
        done = run("info", write_case(tmp_path / "case.yaml", grid={"n": 24}, **sections).name, "--plan")
        assert done.code == 0, done.err
        return done.out
    return of


def calls(text):
    return re.findall(r"^    (\w+)\((.*)\)$", text, re.M)


@pytest.mark.parametrize("flow", FLOWS)
@pytest.mark.parametrize("pipeline", ["fused", "staged"])
def test_the_calls_are_those_of_a_step(plan, flow, pipeline):
    text = plan(physics={"gravity": 1.0, "depth": 1.0, "radius": 1.0, **FLOWS[flow]}, scheme={"pipeline": pipeline})
    assert Counter(name for name, _ in calls(text)) == FLOW_CALLS[flow][pipeline]
    assert f"({flow} flow, {pipeline} pipeline)" in text and "s->" not in text


@pytest.mark.parametrize("scheme,physics,form,weights", [
    ({}, {}, "RK4 by derivatives of h", ["dt", "dt"]),
    ({"time": "leapfrog4"}, {}, "leapfrog of order 4", ["dt^2/12", "dt"]),
    ({}, {"rotation": 0.7}, "RK4 in Horner's form", ["dt/4", "dt/3", "dt/2", "dt"]),
    ({"pipeline": "staged"}, {"rotation": 0.7}, "classical RK4", ["dt/2", "dt/2", "dt", "dt/6"]),
    ({}, {"model": "nonlinear"}, "classical RK4", ["dt/2", "dt/2", "dt", "dt/6"])])
def test_the_form_of_the_step_and_its_weights(plan, scheme, physics, form, weights):
    text = plan(physics={"gravity": 1.0, "depth": 1.0, "radius": 1.0, **physics}, scheme=scheme)
    last = [given.split(", ")[1] for name, given in calls(text) if name in ("fused", "momentum", "rk4")]
    assert text.startswith(f"A step of {form}") and last == weights


def test_tracers_have_their_calls(plan):
    text = plan(physics={"gravity": 1.0, "depth": 1.0, "radius": 1.0, "model": "nonlinear"}, scheme={"pipeline": "staged"},
                tracers=[{"name": "one"}, {"name": "two"}])
    assert [given.split(",")[0] for name, given in calls(text) if name == "tracer"] == 4 * ["one", "two"]
    assert text.count("projection(next.one)") == text.count("projection(next.two)") == 4


def test_mistakes_are_refused(run, tmp_path):
    assert run("info", "--plan").code == USAGE
    assert run("info", write_case(tmp_path / "case.yaml", scheme={"time": "leapfrog"}).name, "--plan").code == CONFIG
