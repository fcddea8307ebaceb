"""Runs, studies and profiles by the program, in folders that keep their results and continue."""
from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._library import HERE, INPUT, SOURCES, Error, InputError
from ._case import Time, case_of, seconds, settings_of

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from ._model import Model

Case = str | Path | Mapping[str, Any]


def program() -> str:
    """The program in CUBESWE, beside this file, in the release build of a checkout, or on the PATH."""
    places = [Path(os.environ["CUBESWE"])] if "CUBESWE" in os.environ else \
        [HERE / "bin/cubeswe", SOURCES.parent / "build/release/cubeswe"]
    found = next((str(path) for path in places if path.exists()), None) or shutil.which("cubeswe")
    if found is None:
        raise ImportError("no program cubeswe: build it, or name it in the variable CUBESWE")
    return found


# Variables by which the launcher of this process, mpirun or srun, names it one of its ranks: the program is none of them.
OF_A_RANK = ("OMPI_COMM_WORLD_", "OMPI_MCA_ess", "OMPI_MCA_orte", "OMPI_UNIVERSE_SIZE", "PMIX_", "PMI_", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID")


def call_program(*arguments: str, accepted: tuple[int, ...] = (0,), ranks: int = 1) -> str:
    """Run the program; its standard output. Ctrl-C ends it with what it has."""
    launcher = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    own = {name: value for name, value in os.environ.items() if not name.startswith(OF_A_RANK)}
    with subprocess.Popen([*launcher, program(), *arguments], env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, failure = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGINT)  # it ends with a checkpoint
            process.communicate()
            raise
    if process.returncode in accepted:
        return out
    sentence = failure.strip().rpartition("cubeswe: ")[2] or f"ended with exit code {process.returncode}"
    raise (InputError if process.returncode in INPUT else Error)(sentence.replace("--overwrite", "overwrite=True"), process.returncode)


def execute(command: str, case: Case, out: str | Path, options: Iterable[str], overwrite: bool, *, ranks: int = 1,
            **of_case: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, settings = case_of(case, Path(folder), **of_case)
        if path is None:
            path = Path(folder) / "case.yaml"
            path.write_text("{}")
        words = [word for setting in settings for word in ("--set", setting)]
        call_program(command, str(path), "--output", str(out), "--quiet", *words, *options,
                     *(["--overwrite"] if overwrite else []), ranks=ranks)


def table(path: Path, rows: str) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(json.loads(path.read_text())[rows])


class Folder:
    """Results of the program."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def __repr__(self) -> str:
        return f"<cubeswe.{type(self).__name__} {self.folder}>"


class Run(Folder):
    """The folder of a run: what `cubeswe run` wrote, also of one that has not ended."""

    @property
    def summary(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "summary.json").read_text()))

    @property
    def diagnostics(self) -> pd.DataFrame:
        import pandas as pd

        return pd.read_csv(self.folder / "diagnostics.csv")

    @property
    def files(self) -> list[Path]:
        """The field files, by time."""
        return sorted(self.folder.glob("fields_*.nc"))

    def to_xarray(self) -> xr.Dataset:
        """All field files, one after the other in time."""
        import xarray as xr

        return xr.concat(map(xr.open_dataset, self.files), "time", data_vars="minimal", coords="minimal", compat="override", join="override",
                         combine_attrs="drop_conflicts")


def run(case: Case, out: str | Path, *, end: Time | None = None, save: Time | None = None, n: int | None = None,
        order: int | None = None, device: str = "auto", threads: int = 0, ranks: int = 1, overwrite: bool = False,
        **sections: Any) -> Run:
    """Run a case into a folder, as `cubeswe run`; a run that was stopped continues, a finished one is read.

    end, save   time.end and output.interval
    ranks       processes that mpirun starts, of a program that is built with MPI. The other arguments are the arguments of Model.
    """
    times = {key: {name: seconds(value)} for key, name, value in (("time", "end", end), ("output", "interval", save))
             if value is not None}
    options = ["--backend", device, "--threads", str(threads or "auto"), *([] if overwrite else ["--restart", "auto"])]
    execute("run", case, out, [*(word for text in settings_of(times) for word in ("--set", text)), *options], overwrite,
            ranks=ranks, n=n, order=order, **sections)
    return Run(out)


def run_from(model: Model, out: Path, end: float, save: Time | None, overwrite: bool) -> tuple[Run, str]:
    """Run the program from the state of a model, and its name: start.state in the configuration, so that no run from another state
    is continued."""
    with tempfile.TemporaryDirectory() as folder:
        case, checkpoint = Path(folder) / f"{model.name}.yaml", Path(folder) / "state"
        case.write_text(model.configuration)
        state = model.checkpoint(checkpoint)
        settings = [f"start.state={state}", f"time.end={end!r}", "checkpoint.final=yes"]
        settings += [f"time.dt={model.time_step!r}"] if model.steps > 0 else []
        settings += [] if save is None else [f"output.interval={seconds(save)!r}"]
        known = out / "configuration.yaml"
        has_end_or_checkpoint = (out / "summary.json").exists() or any((out / "checkpoints").glob("checkpoint_*.json"))
        if not overwrite and (state == "" or has_end_or_checkpoint):
            how = ["--restart", "auto", "--strict"]
        else:  # a run from this state that was killed before its first checkpoint is replaced
            was_killed = known.exists() and f"state: '{state}'" in known.read_text()
            how = ["--restart", str(checkpoint), *(["--overwrite"] if overwrite or was_killed else [])]
        call_program("run", str(case), "--output", str(out), "--quiet", *(word for setting in settings for word in ("--set", setting)),
                     "--backend", model._device, "--threads", str(model._info.threads), *how)
    return Run(out), state


class Study(Folder):
    """A convergence study: what `cubeswe converge` wrote."""

    @property
    def table(self) -> pd.DataFrame:
        """A row for each order and n: errors, rates, seconds."""
        return table(self.folder / "convergence.json", "rows")

    def work_precision(self, error: str = "l2") -> pd.DataFrame:
        """Seconds and evaluations of the right-hand side by error, the largest error first."""
        return self.table[["order", "n", error, "seconds", "evaluations"]].sort_values(error, ascending=False)


def study(case: Case, *, n: Iterable[int], order: Iterable[int] = (4,), out: str | Path | None = None, device: str = "auto",
          threads: int = 0, overwrite: bool = False, **sections: Any) -> Study:
    """A convergence study of a case with a reference solution, as `cubeswe converge`; it continues in its folder."""
    folder = tempfile.mkdtemp(prefix="cubeswe_study_") if out is None else out
    lists = ["--n", ",".join(map(str, n)), "--order", ",".join(map(str, order))]
    execute("converge", case, folder, [*lists, "--backend", device, "--threads", str(threads or "auto")], overwrite, **sections)
    return Study(folder)


class Profile(Folder):
    """Times of the stages of a step: what `cubeswe profile` wrote."""

    @property
    def stages(self) -> pd.DataFrame:
        """A row for each stage, the right-hand side and the step: calls, microseconds, share of the step."""
        return table(self.folder / "profile.json", "components").set_index("name")

    @property
    def parts(self) -> pd.DataFrame:
        """A row for each part of a sweep of a CPU, by samples."""
        return table(self.folder / "profile.json", "parts")

    def compare(self, other: Profile) -> str:
        """How a second profile differs from this one, as `cubeswe compare`."""
        return call_program("compare", str(self.folder / "profile.json"), str(other.folder / "profile.json"), accepted=(0, 1, 2))


def profile(case: Case, *, n: int | None = None, order: int | None = None, out: str | Path | None = None, device: str = "auto",
            threads: int = 0, overwrite: bool = False, **sections: Any) -> Profile:
    """Time the stages of a step of a case, as `cubeswe profile`."""
    folder = tempfile.mkdtemp(prefix="cubeswe_profile_") if out is None else out
    execute("profile", case, folder, ["--backend", device, "--threads", str(threads or "auto")], overwrite, n=n, order=order,
            **sections)
    return Profile(folder)


def main() -> None:
    """The command `cubeswe` of an installed package."""
    os.execv(program(), ["cubeswe", *sys.argv[1:]])
