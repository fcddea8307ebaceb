"""Pages of comparisons and studies: they draw their documents without console messages, as wide as their window."""
import json
import math
import pathlib
import re

import jsonschema
import pytest

from parser import Page

REPOSITORY = pathlib.Path(__file__).parents[3]
HOSTILE = '</script><script>x()</script><b onload="x">&'


def row(name, change, low, high, verdict, place='host'):
    return {'name': name, 'label': name, 'kind': 'stage', 'place': place, 'a_us': 100.0, 'b_us': 100 * (1 + change),
            'a_windows': 7, 'b_windows': 7, 'change': change, 'low': low, 'high': high,
            'detectable': None if low is None else 0.05, 'share': 0.2, 'verdict': verdict}


COMPARISON = {
    'schema': 'cubeswe-comparison', 'schema_version': 1, 'a': 'output/a', 'b': HOSTILE, 'a_windows': 7, 'b_windows': 1,
    'confidence': 0.99, 'between_windows': True,
    'gate': {'limit': 0.05, 'verdict': 'slower', 'name': 'gradient', 'place': 'host', 'detectable': 0.06,
             'text': 'gradient is 20.0 % slower in B than in A, more than 5 %'},
    'differs': [{'name': 'build', 'a': 'one', 'b': HOSTILE, 'is_task': False}],
    'rows': [row('step', 0.01, -0.04, 0.06, 'same'), row('gradient', 0.2, 0.1, 0.3, 'slower'),
             row('sat', -0.2, -0.3, -0.1, 'faster'), row('rk4', 0.5, None, None, 'not judged')],
    'only': [{'run': run, 'name': name, 'label': name, 'kind': kind, 'place': 'host', 'us': 21.6, 'us_per_step': step}
             for run, name, kind, step in [('A', 'fused', 'stage', 86.4), ('B', 'rk4 ' + HOSTILE, 'phase', None)]],
    'notes': ['B was profiled with 1 warning']}


def recorded(path, **more):
    """A stored result of the repository, with other values."""
    return {**json.loads((REPOSITORY / 'validation' / path).read_bytes()), **more}


SCHEMAS = {'comparison': 'profiling/compare/comparison.schema.json', 'bench': 'solver/cli/bench.schema.json'}
DOCUMENTS = {
    'comparison': COMPARISON, 'bench': recorded('bench/all_cores/bench.json'),
    'convergence': recorded('results/main_job/convergence.json', schema='cubeswe-convergence', finished=False),
    'hostile': recorded('results/main_job/convergence.json', schema='cubeswe-convergence', configuration=HOSTILE) | {'case': HOSTILE}}


@pytest.fixture(scope='module')
def pages(page_of):
    return {name: page_of(name, document) for name, document in DOCUMENTS.items()}


@pytest.fixture
def drawn(browser, pages):
    """The page of a document as its script draws it."""
    def draw(name):
        browser.open(pages[name])
        return Page('<!DOCTYPE html>' + browser.evaluate('document.documentElement.outerHTML'))
    return draw


@pytest.mark.parametrize('name', SCHEMAS)
def test_documents_satisfy_their_schema(name):
    schema = json.loads((REPOSITORY / SCHEMAS[name]).read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(DOCUMENTS[name], schema)


@pytest.mark.parametrize('name', DOCUMENTS)
def test_well_formed(drawn, name):
    page = drawn(name)
    assert page.faults == []
    assert not re.search(r'\b-?(nan|inf|null|undefined)\b', page.text(), re.IGNORECASE)


@pytest.mark.parametrize('width', [1280, 390])
@pytest.mark.parametrize('mode', ['light', 'dark'])
@pytest.mark.parametrize('name', DOCUMENTS)
def test_silent_alone_and_as_wide_as_its_window(browser, pages, name, mode, width):
    browser.open(pages[name], width=width, mode=mode)
    browser.evaluate('document.querySelectorAll("button").forEach((b) => b.click())')
    browser.settle()
    assert browser.console() == [] and browser.requests() == []
    assert browser.evaluate('document.documentElement.scrollWidth') <= width


def test_a_document_of_another_schema_is_an_error(browser, page_of):
    browser.open(page_of('other', {'schema': 'cubeswe-other'}))
    assert any('cubeswe-other' in text for text in browser.console())


def test_the_comparison(browser, drawn):
    page = drawn('comparison')
    table = {cells[0]: [cell.replace('\u202f', ' ') for cell in cells[1:]] for cells in page.tables['table-comparison'][1:]}
    assert table['gradient'] == ['100.0', '120.0', '+20.0 %', '+10.0 % to +30.0 %', '', 'slower']
    assert table['sat'][2:] == ['−20.0 %', '−30.0 % to −10.0 %', '', 'faster']
    assert table['rk4'][3:] == ['', '', 'too few windows']
    classes = browser.evaluate('[...document.querySelectorAll("#table-comparison tbody tr")].map((r) => r.className)')
    assert classes == ['same', 'slower', 'faster', 'not-judged']
    places = browser.evaluate('''[...document.querySelectorAll(".change")].map((svg) => {
        const bar = svg.querySelector("rect");
        return bar && [Number(bar.getAttribute("x")), Number(bar.getAttribute("width"))]; })''')
    assert places[3] is None and places[1][0] == 130 and places[2][0] + places[2][1] == pytest.approx(130)
    assert browser.evaluate('document.querySelectorAll(".change")[1].getAttribute("aria-label")') == '+20.0\u202f%'
    assert 'Gate gradient is 20.0 % slower' in page.text() and page.text().count(HOSTILE) == 3
    assert page.tables['table-only'][1:] == [['fused', '21.6', '–', '86.4'], ['rk4 ' + HOSTILE, '–', '21.6', '–']]
    assert page.text('notes').endswith('B was profiled with 1 warning')


def markers(browser, figure):
    """Every point of a figure: the class of its series, and its place."""
    return browser.evaluate(f'''[...document.querySelectorAll("#plot-{figure} .marker")].map((m) =>
        [m.getAttribute("class"), ...m.getAttribute("transform").match(/[0-9.]+/g).map(Number)])''')


def test_convergence(browser, drawn):
    page, document = drawn('convergence'), DOCUMENTS['convergence']
    rows = document['rows']
    found = markers(browser, 'errors')
    assert len(found) == len(rows) and len({kind for kind, _, _ in found}) == len({r['order'] for r in rows})
    # along y the picture is logarithmic: a decade is the distance of two ticks
    ticks = browser.evaluate('''[...document.querySelector("#plot-errors .grid-axis").querySelectorAll(".tick")]
        .map((t) => Number(t.getAttribute("transform").match(/[0-9.]+/g)[1]))''')
    assert (found[1][2] - found[0][2]) / (ticks[0] - ticks[1]) == pytest.approx(
        math.log10(rows[0]['l2'] / rows[1]['l2']), rel=0.01)
    line, = browser.evaluate('''[...document.querySelectorAll("#plot-errors .series:not(.guide)")].map((p) =>
        p.getAttribute("d").match(/[0-9.]+/g).map(Number))''')
    assert line == pytest.approx([at for _, x, y in found for at in (x, y)])
    table = page.tables['table-errors']
    assert [cells[:2] for cells in table[1:]] == [[str(r['order']), str(r['n'])] for r in rows]
    assert [float(cells[3]) for cells in table[1:]] == pytest.approx([r['l2'] for r in rows], rel=1e-3)
    assert 'not finished' in page.text() and 'velocity' not in page.sections


def test_convergence_with_hostile_texts(browser, drawn):
    page = drawn('hostile')
    assert page.faults == [] and page.text().count(HOSTILE) >= 2
    assert HOSTILE in browser.evaluate('document.title')


def test_bench(browser, drawn):
    page, document = drawn('bench'), DOCUMENTS['bench']
    rows = document['rows']
    assert len(markers(browser, 'rates')) == len(rows)
    table = page.tables['table-bench']
    assert [float(cells[6]) for cells in table[1:]] == pytest.approx([r['gdof_per_s'] for r in rows], abs=6e-4)
    guides = browser.evaluate('document.querySelectorAll("#plot-rates .guide").length')
    assert guides == sum(fit['rows'] > 1 for fit in document['fits'])
    assert document['command'] in page.text('method')
