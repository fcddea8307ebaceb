"""SIGKILL at random moments: every scenario of validation/kill once; the checks detect a loss."""
import shutil

import pytest

from checkpoints import checkpoints
from kills import SCENARIOS, WINDOWS, Kills, check_end, check_kill, look
from program import path_of, write_case


@pytest.fixture(name="kills", scope="module")
def fixture_kills(tmp_path_factory):
    return Kills(path_of("CUBESWE"), tmp_path_factory.mktemp("kills"))


@pytest.mark.parametrize("number", range(len(SCENARIOS)), ids=lambda k: SCENARIOS[k].name)
def test_nothing_is_lost_and_the_end_is_the_same(kills, number):
    outcome = kills.trial("test", number, most_kills=1)
    assert not outcome.wrong, (outcome.wrong, outcome.events)
    assert outcome.kills == 1


def cut(path):
    path.write_bytes(path.read_bytes()[:-9])


def newest(out):
    return checkpoints(out / "checkpoints")[-1]


LOSSES = {
    "a checkpoint is cut": (lambda out: cut(newest(out)), "not what its manifest says"),
    "a checkpoint is gone": (lambda out: newest(out).with_suffix(".json").unlink(), "is lost"),
    "no configuration": (lambda out: (out / "configuration.yaml").unlink(), "neither the old nor the new"),
    "half a configuration": (lambda out: cut(out / "configuration.yaml"), "neither the old nor the new"),
    "no summary": (lambda out: (out / "summary.json").unlink(), "summary.json is lost"),
    "half a summary": (lambda out: cut(out / "summary.json"), "summary.json is not whole"),
    "a field file of another run": (lambda out: shutil.copy(out.parent / "other/fields_00000015.nc", out),
                                    "fields_00000015.nc has other values"),
    "half a window": (lambda out: cut(out / "profile/step_00000004/timeline.json"), "window step_00000004"),
    "no window": (lambda out: shutil.rmtree(out / "profile/step_00000004"), "step_00000004 is lost")}


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_found(kills, name):
    damage, word = LOSSES[name]
    out, scenario = kills.folder / "damaged", next(s for s in SCENARIOS if s.name == "profile windows")
    shutil.copytree(kills.folder / "windows", out)
    try:
        before = look(out)
        assert not check_kill(before, out, [kills.folder / "windows"], scenario)
        damage(out)
        assert any(word in wrong for wrong in check_kill(before, out, [kills.folder / "windows"], scenario))
    finally:
        shutil.rmtree(out)


def test_a_replaced_result_that_is_lost_is_found(kills):
    """As long as the configuration is the old one, the new run has not begun."""
    out, scenario = kills.folder / "damaged", next(s for s in SCENARIOS if s.replaces)
    references = [kills.folder / "whole", kills.folder / "other"]
    shutil.copytree(references[1], out)
    before = look(out)
    (out / "fields_00000015.nc").unlink()
    newest(out).unlink()
    wrong = [f"{name} is lost before the new run has begun"
             for name in ("fields_00000015.nc", newest(references[1]).relative_to(references[1]))]
    assert set(wrong) < set(check_kill(before, out, references, scenario))
    shutil.copy(references[0] / "configuration.yaml", out)
    assert not set(wrong) & set(check_kill(before, out, references, scenario))
    shutil.rmtree(out)


def test_a_lost_row_is_found(kills):
    out, scenario = kills.folder / "damaged", next(s for s in SCENARIOS if s.is_study)
    shutil.copytree(kills.folder / "study", out)
    before = look(out)
    text = (out / "convergence.json").read_text()
    (out / "convergence.json").write_text(text.replace('"n": 12', '"n": 13'))
    wrong = check_kill(before, out, [kills.folder / "study"], scenario)
    assert wrong == ["row 2, 12 is lost", "row 4, 12 is lost"]
    assert "rows differ" in check_end(out, kills.folder / "study", scenario)
    shutil.rmtree(out)


def test_a_window_that_a_killed_run_left_goes(run, tmp_path):
    """The window is removed unless it holds other files."""
    write_case(tmp_path / "case.yaml", time={"end": 0.2, "dt": 0.01})
    out = run.solve("case.yaml", "out", *WINDOWS)
    names = [".step_00000016.99.partial", ".step_00000017.99.partial"]
    for name, file in zip(names, ("summary.json", "mine.txt")):
        (out / "profile" / name).mkdir()
        (out / "profile" / name / file).write_text("half")
    run.solve("case.yaml", "out", *WINDOWS, "--restart", "out")
    assert [path.name for path in (out / "profile").glob(".*")] == names[1:]
    assert (out / "profile/step_00000004/summary.json").exists()
