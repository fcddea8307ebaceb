"""The documentation agrees with the program."""
import json
import re
import subprocess

import pytest

from program import REPOSITORY

MANUALS = ["README.md", "config/README.md", "solver/files/checkpoint/README.md", "tools/README.md"]
FOLDERS = ["solver", "profiling", "config", "tests", "validation", "tools"]
PAGES = sorted({*MANUALS, *(str(path.relative_to(REPOSITORY)) for pattern in
                            ["*.md", *(f"{folder}/**/*.md" for folder in FOLDERS)]
                            for path in REPOSITORY.glob(pattern))})
CASES = sorted((REPOSITORY / "config").glob("*.yaml"))


def text_of(page):
    path = REPOSITORY / page
    assert path.is_file(), f"{page} is not there"
    return path.read_text()


def code_of(page):
    """Code blocks and code spans of a page, one string each."""
    text = text_of(page)
    blocks = re.findall(r"^(```|~~~)[^\n]*\n(.*?)^\1", text, re.MULTILINE | re.DOTALL)
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^(```|~~~).*?^\1", "", text,
                                              flags=re.MULTILINE | re.DOTALL))
    return [code for _, code in blocks] + spans


def calls_of(page):
    """Calls of the program in the code of a page: the words after its name."""
    lines = [line for code in code_of(page) for line in code.replace("\\\n", " ").splitlines()]
    commands = [re.split(r" *(?:[|>&;]|# )", line)[0] for line in lines]
    calls = [re.search(r"(?:^|[\s/])cubeswe((?: .*)?)$", command) for command in commands]
    return [call.group(1).split() for call in calls if call]


def test_every_key_is_described(run):
    keys = run("info", "--keys")
    assert keys.code == 0 and keys.out.count("\n| `") > 20
    assert keys.out in text_of("config/README.md"), \
        "config/README.md needs the table that `cubeswe info --keys` prints"


def test_keys_are_those_of_a_configuration(run, case):
    keys = re.findall(r"^\| `(\w+(?:\.\w+)+)`", run("info", "--keys").out, re.MULTILINE)
    text = run("run", case(), "--dry-run", "--backend", "cpu").out
    path, found = [], []
    for line in text.splitlines():
        if match := re.fullmatch(r"( *)(\w+):(.*)", line):
            path = path[:len(match.group(1)) // 2] + [match.group(2)]
            found += [".".join(path)] if match.group(3) and len(path) > 1 else []
    assert found == keys


def test_cases_exist():
    assert CASES


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_every_case_is_sound(run, path):
    done = run("run", path, "--dry-run", "--backend", "cpu")
    assert done.code == 0, done.err


def test_every_case_is_mentioned():
    pages = text_of("config/README.md") + text_of("README.md")
    assert [path.name for path in CASES if path.name not in pages] == []


def test_the_readme_is_short():
    assert len(text_of("README.md").split()) <= 900


def test_the_citation_has_the_version_and_the_licence():
    citation = dict(re.findall(r"^([\w-]+): *\"?(.*?)\"?$", text_of("CITATION.cff"), re.MULTILINE))
    version = re.search(r"project\(cubeswe VERSION ([\d.]+)", text_of("CMakeLists.txt")).group(1)
    assert (citation["title"], citation["type"], citation["version"], citation["license"]) == ("cubeswe", "software", version, "Apache-2.0")
    of_catalogues = json.loads(text_of("codemeta.json"))
    assert (of_catalogues["name"], of_catalogues["version"]) == ("cubeswe", version) and of_catalogues["license"].endswith("/Apache-2.0")
    for recipe in ("recipe.yaml", "spack_repo/cubeswe/packages/cubeswe/package.py"):
        assert re.search(r'version(?:: |\()"(.*?)"', text_of(f"tools/packaging/{recipe}")).group(1) == version
    assert of_catalogues["description"] == citation["abstract"] and f"  - {of_catalogues['keywords'][-1]}\n" in text_of("CITATION.cff")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    text = text_of(page)
    links = re.findall(r"\]\(<?([^)>\s]+)>?[^)]*\)|^\[[^]]+\]: *(\S+)", text, re.MULTILINE)
    targets = [(a or b).split("#")[0] for a, b in links]
    relative = [x for x in targets if x and not re.match(r"[a-z]+:", x)]
    assert [x for x in relative if not (REPOSITORY / page).parent.joinpath(x).exists()] == []


@pytest.mark.parametrize("page", MANUALS)
def test_calls_use_commands_and_options_that_exist(run, page):
    text_of(page)
    known = set(re.findall(r"^  (\w+) ", run("--help").out, re.MULTILINE))
    for words in calls_of(page):
        commands = [word for word in words[:1] if re.fullmatch(r"[a-z]+", word)]
        assert set(commands) <= known, words
        options = {word.split("=")[0] for word in words if word.startswith("--")}
        text = run(*commands, "--help").out
        assert options <= set(re.findall(r"--[a-z-]+", text)) | {"--help", "--version"}, words


def test_the_page_of_commands_shows_every_command(run):
    used = {words[0] for words in calls_of("tools/README.md") if words}
    known = set(re.findall(r"^  (\w+) ", run("--help").out, re.MULTILINE))
    assert len(known) == 9 and known <= used


@pytest.mark.parametrize("page", ["README.md", "tools/README.md"])
def test_a_page_names_cases_that_exist(page):
    paths = re.findall(r"\bconfig/[\w.-]+\.yaml", text_of(page))
    assert paths and [path for path in paths if not (REPOSITORY / path).is_file()] == []


TIME = r"\d[ \xa0]?(ms|us|ns|milliseconds|microseconds)\b|\d(th)? of a second|(tenth|twentieth|hundredth) of a second"
PROCESSOR = "EPYC|Xeon|Ryzen|Core i|Neoverse|NVIDIA H100"


# In these pages each row of a table and each paragraph that quotes a computing time names the processor.
PAGES_WITH_TIMES = ["README.md", "validation/README.md", "tools/README.md", "solver/files/checkpoint/README.md"]


def test_times_name_their_processor():
    """In PAGES_WITH_TIMES each row of a table or paragraph that quotes a computing time, in validation each page."""
    texts = [re.sub(r"^```.*?^```", "", text_of(page), flags=re.MULTILINE | re.DOTALL) for page in PAGES_WITH_TIMES]
    rows = [row for text in texts for row in re.split(r"\n\n|\n(?=\|)", text)]
    pages = [page for page in PAGES if page.startswith("validation/") and page.endswith("README.md")]
    quoting = [text for text in [*rows, *map(text_of, pages)] if re.search(TIME, text)]
    assert len(quoting) > 4
    assert [text[:300] for text in quoting if not re.search(PROCESSOR, text)] == []


@pytest.mark.parametrize("page, record", [("validation/README.md", "results/main_job/convergence.md"), ("tools/peers/README.md", "bench/peers/peers.md")])
def test_a_page_shows_what_is_on_record(page, record):
    """A page shows the first table of a record."""
    rows = [line for line in text_of(f"validation/{record}").split("| order | fit")[0].splitlines() if line.startswith("|")]
    assert len(rows) > 5 and [row for row in rows if row not in text_of(page)] == []


@pytest.mark.parametrize("study", ["gaussian_pulse", "standing_wave", "published_pulse"])
def test_the_page_of_a_study_shows_its_results(study):
    table = subprocess.run(["/usr/bin/python3", REPOSITORY / "validation/table", study],
                           capture_output=True, check=True, text=True).stdout
    assert len(table.splitlines()) > 4 and table in text_of(f"validation/{study}/README.md")


def test_the_page_of_the_nonlinear_cases_shows_its_results():
    """The page shows the part of each convergence study before its fits."""
    page, results = text_of("validation/nonlinear/README.md"), REPOSITORY / "validation/nonlinear/results"
    tables = sorted(results.glob("**/*.md"))
    assert len(tables) > 5
    for path in tables:
        rows = [line for line in path.read_text().split("| order | fit")[0].splitlines() if line.startswith("|")]
        assert len(rows) > 3 and [row for row in rows if row not in page] == [], path
