"""The field's words (solver/GLOSSARY.md): retired identifiers do not come back."""
import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

# Retired identifiers as patterns of whole names, and their replacements.
RETIRED = {
    r"PROF_PART|RK4_PARTS|fused_part\w*|(cpu_)?transport_part|h_of_part": "substep",
    r"turned[12]|\w*_turning|turn_row\w*|coriolis_turn": "pv_flux1, pv_flux2; rotational",
    r"\w*goes_back|swe_state_walks|turn_back": "none: steps overwrite the state in place",
    r"(swe_state_|params->)?swaps_buffers|is_swapped|captured_swapped": "none: steps overwrite the state in place",
    r"\w*two_substeps?\w*|pair_(arrays|parts|value)|calls_together": "march, fused_point",
    r"swe_state_streams": "swe_state_exceeds_cache",
    r"swe_stage_serves": "swe_stage_is_active",
    r"join_margin\w*|keep_margin": "edge_vorticity",
    r"(SWE_(STAGE|KERNEL)|swe)_join\w*|\w*_unite\b|unite_kernel": "flux_projection, average",
    r"SWE_NO_LANES|lanes_cpu|lanes_rows_cpu|transport_lanes\w*|FOR_LANES": "simd",
    r"tile_ahead|ahead_(add|ask|begin|end|lines)": "prefetch",
    r"swe_view|view_of|swe_workers": "swe_params, swe_execution",
    r"\w*[bB]udgets_\w+|\w+_budgets|BUDGETS_\w+": "integrals",
    r"\w+_ceilings?|ceilings?_\w+|CEILINGS?_\w+": "peaks",
    r"swe_(loads|chains)(_cpu|_cuda)?": "copy_benchmark, fma_benchmark",
    r"swe_sequence": "swe_graph",
    r"SWE_FLOW_STILL": "SWE_FLOW_NONROTATING",
    r"(LAUNCH|FUSED)_PAIR\w*|(last_)?pair_kernel": "march",
    r"fused_frame\w*|find_frame_tile": "strip",
    r"prof_tell\w*|\w+_tell|has_told|is_asked|\w+_told|tell_(of_)?\w+": "report, log, record; requested",
    r"transport_made|is_made|make_(fluxes|flux_tile|vertices|cross_terms)": "computed",
}
# Texts of other times, and names in files of earlier versions, which are still read.
EXCEPT = re.compile(r"CHANGELOG\.md|validation/|tools/lab/|tests/fuzz/corpus/|tests/cli/test_language\.py|.*former_names.*")
KINDS = {".c", ".h", ".cu", ".cpp", ".hpp", ".inc", ".py", ".js", ".cmake", ".txt", ".md"}


def test_retired_identifiers_do_not_come_back():
    tracked = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
    texts = {name: (REPOSITORY / name).read_text() for name in tracked.splitlines()
             if Path(name).suffix in KINDS and not EXCEPT.match(name) and (REPOSITORY / name).is_file()}
    assert len(texts) > 300
    found = [f"{name}: {match.group()}: {term}" for pattern, term in RETIRED.items()
             for name, text in texts.items() for match in re.finditer(rf"\b({pattern})\b", text)]
    assert not found, "\n".join(found)


def test_files_have_names_of_their_own():
    names = subprocess.run(["git", "ls-files", "solver", "profiling"], cwd=REPOSITORY, capture_output=True, text=True,
                           check=True).stdout.splitlines()
    assert not [name for name in names if Path(name).name in ("parts.h", "utils.h", "utils.c", "misc.c")]
