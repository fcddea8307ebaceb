"""Passive tracers in cases, field files, diagnostics and checkpoints, and what is refused."""
import h5py
import netCDF4
import numpy as np
import pytest

from checkpoints import checkpoint_at
from program import assert_same_bits, field_files, final_fields, read_csv, read_fields, write_case, write_state

CONFIG = 78
N = 13
PHYSICS = {"model": "nonlinear", "gravity": 9.80616, "depth": 2998.0, "radius": 6371220.0, "rotation": 7.292e-5,
           "axis_lon": 180.0, "axis_lat": 45.0}
HILL = {"name": "hill", "initial": {"kind": "gaussian", "lon": 40.0, "lat": 10.0, "radius": 0.8, "amplitude": 2.0}}
ONE = {"name": "one", "initial": {"kind": "constant"}}


def flow_with(path, *tracers, **sections):
    return write_case(path, grid={"n": N}, tracers=list(tracers), **{
        "physics": PHYSICS, "initial": {"kind": "williamson2", "period": 1036800.0}, "time": {"end": 18000.0, "dt": 1800.0}, **sections}).name


def test_files_and_diagnostics_have_the_concentration(run, tmp_path):
    case = flow_with(tmp_path / "case.yaml", ONE, HILL, diagnostics={"every": 5}, output={"every": 5})
    out = run.solve(case, "out")
    first, rows = read_fields(field_files(out)[0]), read_csv(out / "diagnostics.csv")
    assert np.all(first["one"] == 1.0)
    assert 1.9 < first["hill"].max() <= 2.0
    for path, row in zip(field_files(out), rows):
        fields = read_fields(path)
        for name in ("one", "hill"):
            mass = (fields["area"] * fields["h"] * fields[name]).sum()
            assert row[f"{name}_mass"] == pytest.approx(mass, rel=1e-13)
            assert (row[f"{name}_min"], row[f"{name}_max"]) == (fields[name].min(), fields[name].max())
        np.testing.assert_allclose(fields["one"], 1.0, rtol=0, atol=1e-13)
    with h5py.File(field_files(out)[0]) as file:
        assert file["hill"].attrs["units"] == b"1" and b"tracer" in file["hill"].attrs["long_name"]
    columns = list(rows[0])
    assert columns[-6:] == ["one_mass", "one_min", "one_max", "hill_mass", "hill_min", "hill_max"]
    assert columns[:13] == list(read_csv(run.solve(case, "none", "--set", "tracers=[]") / "diagnostics.csv")[0])


DECAY, SOURCE = 2e-5, 3e-5


@pytest.mark.parametrize("sections", [
    {}, {"scheme": {"pipeline": "staged"}},
    {"physics": {"model": "prescribed", "depth": 1.0, "radius": 6371220.0}, "initial": {"kind": "deformation"}}],
                         ids=["fused", "staged", "prescribed"])
def test_tracers_decay_and_grow(run, run_emulated, tmp_path, sections):
    """A uniform one as c = s/lambda + (c(0) - s/lambda) exp(-lambda t), exact but for (lambda dt)^4; one that decays as one that does not."""
    tracers = [{**ONE, "decay": DECAY, "source": SOURCE}, HILL, {**HILL, "name": "decaying", "decay": DECAY}]
    case = flow_with(tmp_path / "case.yaml", *tracers, **{"checkpoint": {"every": 9}, "time": {"end": 36000.0, "dt": 1200.0}, **sections})
    fields = final_fields(run.solve(case, "out"))
    left = np.exp(-DECAY * 36000.0)
    np.testing.assert_allclose(fields["one"], SOURCE / DECAY * (1 - left) + left, rtol=1e-7)
    np.testing.assert_allclose(fields["decaying"], left * fields["hill"], rtol=0, atol=1e-6)
    run.solve(case, "parts", "--set", "time.end=12000")
    assert run("run", case, "--restart", "parts", "--output", "parts", "--quiet").code == 0
    assert_same_bits(final_fields(tmp_path / "parts"), fields)
    cpu = final_fields(run.solve(case, "cpu", "--set", "time.end=2400"))
    cuda = final_fields(run_emulated.solve(case, "cuda", "--set", "time.end=2400", backend="cuda"))
    for name in ("one", "decaying"):
        np.testing.assert_allclose(cuda[name], cpu[name], rtol=0, atol=1e-13)


def test_what_a_decay_needs(run, refuses, tmp_path):
    decaying = {**HILL, "greatest": 3.0, "decay": 2e-3}
    case = flow_with(tmp_path / "case.yaml", decaying, scheme={"limiter": "bounds"})
    refuses(CONFIG, ["tracers[0].decay", "limiter"], "run", case, "--output", "out")
    step = {"end": 18000.0, "dt": 1800.0}  # half of what waves allow; and a decay by 3.6 times itself, in which RK4 grows
    assert run("run", flow_with(tmp_path / "case.yaml", {**decaying, "decay": 0.0}, time=step), "--output", "out", "--quiet").code == 0
    refuses(CONFIG, ["unstable", "with its other terms allows"], "run", flow_with(tmp_path / "case.yaml", decaying, time=step), "--output", "no")


def test_checkpoints_have_h_times_the_concentration(run, tmp_path):
    case = flow_with(tmp_path / "case.yaml", HILL)
    out = run.solve(case, "out")
    with h5py.File(next((out / "checkpoints").glob("*.h5"))) as file:
        h, q = file["h"][()], file["hill"][()]
    assert (q / h).tobytes() == final_fields(out)["hill"].tobytes()


def test_the_configuration_of_a_run_is_its_case(run, tmp_path):
    out = run.solve(flow_with(tmp_path / "case.yaml", ONE, HILL), "out")
    (tmp_path / "again.yaml").write_bytes((out / "configuration.yaml").read_bytes())
    again = run.solve("again.yaml", "again")
    assert_same_bits(final_fields(again), final_fields(out))
    assert (again / "configuration.yaml").read_bytes() == (out / "configuration.yaml").read_bytes()


def test_a_configuration_of_many_keys_is_read_again(run, tmp_path):
    """A run with 400 tracers and 60000 sample times, which needs more than 1 MiB, was killed, and is extended."""
    times = [1800.0 * k / 60001 for k in range(60000)]
    case = write_case(tmp_path / "case.yaml", grid={"n": 13, "order": 4}, physics=PHYSICS, time={"end": 1800, "dt": 1800},
                      initial={"kind": "williamson2"}, diagnostics={"sample_times": times},
                      tracers=[{"name": f"t{k}"} for k in range(400)]).name
    out = run.solve(case, "out", "--set", "checkpoint.final=no")
    assert (out / "configuration.yaml").stat().st_size > 2 ** 20
    (out / "summary.json").unlink()
    run.solve(case, "out", "--restart", "auto")
    run.solve("out/configuration.yaml", "again", "--restart", "out", "--set", "time.end=3600")


def test_a_configuration_that_could_not_be_read_again_is_refused(refuses, tmp_path):
    """The case file has 6 MiB; written as 1000000000, its numbers need more than 16 MiB."""
    case = tmp_path / "case.yaml"
    case.write_text(f"grid: {{n: 9}}\ntime: {{end: 1e9}}\ndiagnostics: {{sample_times: [{1500000 * '1e9,'}]}}\n")
    refuses(CONFIG, ["case.yaml: a run could not read what it writes: configuration.yaml: larger than 16 MiB"],
            "run", case, "--backend", "cpu", "--output", "out")


def test_a_restart_needs_the_same_tracers(run, refuses, tmp_path):
    """Another shape is another case; so is another number of tracers."""
    out = run.solve(flow_with(tmp_path / "case.yaml", ONE, HILL), "out", "--set", "checkpoint.every=5")
    at = checkpoint_at(out / "checkpoints", 5)
    other = {**HILL, "initial": {**HILL["initial"], "radius": 0.7}}
    changed = flow_with(tmp_path / "changed.yaml", ONE, other)
    fewer = flow_with(tmp_path / "fewer.yaml", ONE)
    for case, words in ((changed, ["tracers[1].initial.radius is 0.8 there and 0.7 here"]), (fewer, ["tracers[1].name"])):
        refuses(CONFIG, words, "run", case, "--backend", "cpu", "--quiet", "--output", "new", "--restart", at, "--strict")


def test_a_tracer_comes_from_a_file(run, tmp_path):
    """From a field file of the same grid every value is copied; from latitudes and longitudes it is interpolated."""
    first = run.solve(flow_with(tmp_path / "case.yaml", HILL), "first")
    path = f"first/{field_files(first)[0].name}"
    copied = {"name": "other", "initial": {"kind": "file", "path": path, "variable": "hill"}}
    second = run.solve(flow_with(tmp_path / "copied.yaml", copied, output={"every": 10}), "second")
    found, expected = read_fields(field_files(second)[0])["other"], read_fields(field_files(first)[0])["hill"]
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    lat, lon = np.linspace(-88, 88, 45), np.arange(90) * 4.0
    values = 3.0 + np.sin(np.radians(lat))[:, None] + 0 * lon
    write_state(tmp_path / "map.h5", lat=lat, lon=lon, zonal=values)
    mapped = {"name": "zonal", "initial": {"kind": "file", "path": "map.h5"}}
    third = read_fields(field_files(run.solve(flow_with(tmp_path / "mapped.yaml", mapped, output={"every": 10}),
                                              "third"))[0])
    np.testing.assert_allclose(third["zonal"], 3.0 + np.sin(np.radians(third["lats"])), atol=1e-6)


def test_no_tracer_has_the_name_of_another_variable(run, tmp_path):
    """All variables and dimensions of field files and of converted ones, and the vector of VTK's files."""
    path = field_files(run.solve(flow_with(tmp_path / "a.yaml", {"name": "a"}, output={"every": 10}), "out"))[0]
    names = {"wind"}
    for to in (None, "latlon", "ugrid"):
        file = tmp_path / f"{to}.nc" if to else path
        assert to is None or run("convert", path, "--to", to, "--output", file).code == 0
        with netCDF4.Dataset(file) as data:
            names |= {*data.variables, *data.dimensions} - {"a"}
    assert {"lon", "lat", "lons", "nNodes", "face_lat"} <= names
    for name in names:
        done = run("run", flow_with(tmp_path / "b.yaml", {"name": name}), "--dry-run")
        assert done.code == CONFIG and f"another variable '{name}'" in done.err, (name, done.err)


@pytest.mark.parametrize("tracers, words", [
    ([{"name": "a"}, {"name": "a"}], ["tracers[1].name", "another tracer has the name 'a'"]),
    ([{"name": "v1"}], ["case.yaml:5", "tracers[0].name", "another variable 'v1'"]),
    ([{"name": "h"}], ["another variable 'h'"]),
    ([{}], ["tracers[0].name", "needs a name"]),
    ([{"name": "2nd"}], ["'2nd' is not a letter"]),
    ([{"name": "x" * 40}], ["at most"]),
    ([{"name": "a", "initial": {"kind": "bells"}}], ["tracers[0].initial.kind", "'bells' is not one of"]),
    ([{"name": "a", "initial": {"kind": "cosine_bel"}}], ["did you mean 'cosine_bell'"]),
    ([{"name": "a", "initial": {"width": 1}}], ["tracers[0].initial.width", "unknown key"]),
    ([{"name": "a", "shape": 1}], ["tracers[0].shape", "unknown key"]),
    ([{"name": "a", "initial": 3}], ["tracers[0].initial", "expected keys below it"]),
    ([{"name": "a", "initial": {"kind": "constant", "lon": 4}}], ["tracers[0].initial.lon", "does not read this key"]),
    ([{"name": "a", "initial": {"kind": "file"}}], ["needs a path"]),
    ([{"name": "a", "initial": {"kind": "gaussian", "radius": 0}}], ["0 is not in [0.001, 3.2]"]),
    ({"name": "a"}, ["tracers", "expected a list"]),
    ([3], ["tracers[0]", "expected keys below it"]),
])
def test_cases_that_are_refused(refuses, tmp_path, tracers, words):
    write_case(tmp_path / "case.yaml", grid={"n": N}, physics=PHYSICS, tracers=tracers)
    refuses(CONFIG, ["case.yaml", *words], "info", "case.yaml")


def test_linear_equations_have_no_tracers(refuses, tmp_path):
    write_case(tmp_path / "case.yaml", tracers=[ONE])
    refuses(CONFIG, ["tracers", "the linear equations advect no tracers"], "info", "case.yaml")


def test_lists_are_set(run, refuses, tmp_path):
    flow_with(tmp_path / "case.yaml", ONE)
    done = run("info", "case.yaml", "--set", "tracers=[{name: dye, initial: {kind: gaussian, lon: 7}}]")
    assert done.code == 0 and "  - name: 'dye'\n    least: 0\n    greatest: 1000000000000\n    decay: 0\n    source: 0\n    initial:\n      kind: gaussian\n      lon: 7\n" in done.out
    refuses(CONFIG, ["--set", "tracers[0].initial.lon", "'x' is not a number"], "info", "case.yaml", "--set",
            "tracers=[{name: dye, initial: {kind: gaussian, lon: x}}]")


def test_profiles_show_the_stage(run, tmp_path):
    out = run.solve(flow_with(tmp_path / "case.yaml", ONE, HILL), "out", "--profile=summary", "--set",
                    "profile.start_step=2", "--set", "profile.duration=3")
    (path,) = out.glob("profile/step_*/summary.json")
    text = path.read_text()
    assert '"tracer"' in text
