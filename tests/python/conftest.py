"""The package of the checkout, with the library and the program of the build under test."""
import os
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
# Open MPI: as root in a container, more ranks than cores, and ranks that wait give up the core.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_mpi_yield_when_idle": "1"}
sys.path.insert(0, str(REPOSITORY / "solver/python"))


@pytest.fixture(autouse=True)
def of_a_cpu(monkeypatch):
    """No GPU that happens to be there; threads that wait do not spin."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")


for variable in ("CUBESWE", "CUBESWE_LIBRARY"):
    if not os.path.exists(os.environ.get(variable, "")):
        pytest.exit(f"{variable} must name what is tested, and is '{os.environ.get(variable, '')}'", returncode=1)
