"""Paths of the modules that inject faults: tests/faults/faults.py and the helpers of tests/cli."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
