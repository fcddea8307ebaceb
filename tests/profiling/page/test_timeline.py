"""The timeline of a report: what the page lays out from the document of timeline.json, and documents that are damaged."""
import copy
import json
import os
import subprocess

import pytest

from parser import Page

DAMAGED = 'The file timeline.json of this window is damaged.'
SECTIONS = ['timeline', 'dataflow', 'memory', 'utilisation', 'overhead']  # which draw the timeline
TIMELINE = {
    'schema': 'cubeswe-timeline', 'schema_version': 1, 'start_ns': 1795190400123456789, 'duration_ns': 9000,
    'names': ['step', 'rk4', 'rk4_kernel', '[CUDA memset]'], 'threads': ['main', 'worker 1'],
    'spans': [[0, 'step', 100, 5000, 10, 0, 0], [1, 'stage', 200, 4000, 10, 1, 0], [1, 'thread', 300, 3500, 10, 2, 1]],
    'ops': [[2, 1, 'kernel', 900, 3000, 7, 0], [3, None, 'fill', 4000, 20, 7, 8192]],
    'memory': [[0, 1000], [9000, 1000]], 'samples': [[50, 95, 40, 1e9, 1980, 500, None]],
    'sampled': [[40, 20, 90, 55, 30, 1e12, 5e11, None], [60, 20, 80, 50, 20, 1e12, 4e11, None]],
    'omitted': {'spans': 0, 'ops': 0}}
NO_EVENTS = {**TIMELINE, 'names': [], 'spans': [], 'ops': []}


def changed(path, value):
    """TIMELINE with another value at a place."""
    document = copy.deepcopy(TIMELINE)
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = value
    return document


@pytest.fixture(scope='module')
def report(tmp_path_factory):
    """The document of a report on a GPU."""
    folder = tmp_path_factory.mktemp('report')
    subprocess.run([os.environ['WRITE_REPORT'], 'gpu', folder / 'gpu.html'], check=True)
    return json.loads((folder / 'gpu.json').read_bytes())


@pytest.fixture
def draw(browser, page_of, report):
    """The page of the report with another timeline, as its script draws it."""
    def run(name, timeline):
        document = {**report, 'window': {**report['window'], 'timeline': timeline}}
        browser.open(page_of(name, document))
        assert browser.console() == []
        page = Page('<!DOCTYPE html>' + browser.evaluate('document.documentElement.outerHTML'))
        assert page.faults == []
        return page
    return run


@pytest.fixture
def call(browser, page_of, report):
    """The value of a function of the page for arguments that are JSON."""
    def run(function, *arguments):
        if getattr(browser, 'address', None) != run.page.resolve().as_uri():
            browser.open(run.page)
        return browser.evaluate(f'({function})({", ".join(json.dumps(argument) for argument in arguments)})')
    run.page = page_of('functions', report)
    return run


# ---- documents that are damaged ----

WRONG = [
    (['duration_ns'], -1), (['duration_ns'], 2 ** 60 + 2 ** 10), (['duration_ns'], None), (['duration_ns'], '9000'),
    (['names'], None), (['names'], {}), (['names', 1], 7), (['names', 0], None), (['threads'], 2), (['threads', 0], None),
    (['spans'], None), (['spans'], {'0': [0]}), (['spans', 1], None), (['spans', 2], [1, 'thread']), (['spans', 1], {'length': 7}),
    (['spans', 0, 0], 4), (['spans', 0, 0], -1), (['spans', 0, 0], 0.5), (['spans', 0, 0], '0'), (['spans', 0, 0], None),
    (['spans', 1, 1], 'stages'), (['spans', 1, 1], 3), (['spans', 0, 2], -2 ** 63), (['spans', 0, 2], 1.5),
    (['spans', 0, 3], 2 ** 62), (['spans', 0, 3], -1), (['spans', 0, 4], None), (['spans', 0, 5], -1), (['spans', 0, 5], 2 ** 31),
    (['spans', 0, 5], 1000), (['spans', 2, 6], 2), (['spans', 2, 6], -1), (['ops'], 'none'), (['ops', 0], [2, 1, 'kernel']),
    (['ops', 0, 0], 4), (['ops', 1, 1], -1), (['ops', 1, 1], 4), (['ops', 1, 2], 'call'), (['ops', 0, 3], 1.5),
    (['ops', 0, 4], -1), (['ops', 0, 5], None), (['ops', 1, 6], -8192), (['ops', 1, 6], 'all'), (['memory'], None),
    (['memory', 0], 7), (['memory', 0], [0]), (['memory', 1, 0], None), (['memory', 1, 1], -1), (['memory', 1, 1], None),
    (['samples'], None), (['samples', 0], [50]), (['samples', 0, 0], None), (['samples', 0, 1], 'high'), (['samples', 0, 5], 2 ** 61),
    (['samples', 0, 6], [500]), (['sampled'], None), (['sampled', 0], [40]), (['sampled', 1, 1], -1), (['sampled', 1, 1], 2 ** 60 + 2 ** 10),
    (['sampled', 1, 4], 'low'), (['sampled', 1, 7], True), (['omitted'], None), (['omitted', 'spans'], None), (['omitted', 'ops'], -1)]


@pytest.mark.parametrize('path, wrong', WRONG)
def test_a_document_that_is_damaged_is_recognised(call, path, wrong):
    assert call('isTimeline', TIMELINE) and not call('isTimeline', changed(path, wrong))


@pytest.mark.parametrize('key', ['duration_ns', 'names', 'threads', 'spans', 'ops', 'memory', 'samples', 'sampled', 'omitted'])
def test_a_member_that_is_missing_is_recognised(call, key):
    assert not call('isTimeline', {name: value for name, value in TIMELINE.items() if name != key})


@pytest.mark.parametrize('damaged', [changed(['spans', 0, 0], 4), changed(['ops', 0, 4], -1), changed(['memory'], None),
                                     {'schema': 'cubeswe-timeline', 'schema_version': 1}, {}])
def test_a_page_says_that_its_timeline_is_damaged(draw, report, damaged):
    whole, page = draw('whole', report['window']['timeline']), draw('damaged', damaged)
    assert page.text('timeline') == f'Timeline{DAMAGED}'
    for section in whole.sections:
        assert page.text(section).count(DAMAGED) == (section in SECTIONS), section
        assert section in SECTIONS or page.text(section) == whole.text(section)
    assert whole.ids - page.ids >= {'plot-timeline', 'plot-memory', 'plot-sampled', 'plot-utilisation', 'table-gaps'}
    assert {'plot-dataflow', 'table-memory', 'table-sampled', 'table-utilisation', 'plot-utilisation-run', 'table-launches'} <= page.ids


def test_a_page_without_a_timeline(draw):
    page = draw('none', None)
    assert page.text('timeline').endswith('The profile has no timeline (timeline.json) of this window.')
    assert DAMAGED not in page.text() and not page.ids & {'plot-timeline', 'plot-memory', 'plot-sampled', 'table-gaps'}


@pytest.mark.parametrize('timeline', [NO_EVENTS, {**NO_EVENTS, 'memory': [], 'samples': [], 'sampled': []},
                                      {**TIMELINE, 'duration_ns': 0}])
def test_a_window_without_events_or_time_has_no_timeline(draw, timeline):
    page = draw('empty', timeline)
    assert page.text('timeline').endswith('The profile has no timeline (timeline.json) of this window.')
    assert DAMAGED not in page.text() and ('plot-memory' in page.ids) == (timeline['duration_ns'] > 0 and timeline['memory'] != [])


@pytest.mark.parametrize('path, value', [
    (['spans', 0, 2], -2 ** 60), (['spans', 0, 3], 2 ** 60), (['spans', 0, 5], 999), (['ops', 0, 3], -2 ** 60), (['ops', 0, 4], 2 ** 60),
    (['spans'], [[0, 'step', 5000, 10, 3, 0, 0], [0, 'step', 100, 20, 2, 0, 0]]), (['duration_ns'], 2 ** 60), (['duration_ns'], 1),
    (['memory'], [[2 ** 60, 2 ** 60], [-2 ** 60, 0]]), (['sampled', 1, 0], -2 ** 60), (['samples', 0, 0], 2 ** 60),
    (['samples', 0], [0, 2 ** 60, -2 ** 60, -1, -1, -1, -1]), (['names', 1], '\x1b\u2028</script><b>'), (['threads', 1], '')])
def test_extreme_documents_are_drawn(browser, draw, path, value):
    """Without a message of the console, places that are no numbers, or markup."""
    page = draw('extreme', changed(path, value))
    assert 'plot-timeline' in page.ids and DAMAGED not in page.text()
    for _, values, _ in page.elements:
        assert not [text for text in values.values() if 'NaN' in (text or '') or 'Infinity' in (text or '')]
    assert browser.evaluate('document.querySelectorAll("#timeline b, #timeline script").length') == 0
    browser.evaluate('document.querySelectorAll("#timeline button").forEach((b) => b.click())')
    browser.settle()
    assert browser.console() == []


def test_what_the_file_omits_is_said(draw):
    assert 'omits the latest 3 regions and 12\u202f345 operations' in draw('omitted', {
        **TIMELINE, 'omitted': {'spans': 3, 'ops': 12345}}).text('timeline')
    assert 'omits' not in draw('all', TIMELINE).text('timeline')


# ---- its layout ----

ROWS = """(timeline) => {
  stageNames = ["rk4"];
  return timelineRows(timeline).map(({kind, label, start, end, reach, events}) => [kind, label, ...events.map((event, k) =>
    [event.text, event.full, event.colour, event.stage, event.size, start[k], end[k], reach[k]])]);
}"""


def test_rows_of_events(call):
    step = ['step 10', 'step 10', 'other', '', '', 100, 5100, 5100]
    stage = ['rk4', 'rk4', 'c0', '', '']
    assert call(ROWS, TIMELINE) == [
        ['regions', 'regions', step], ['regions', '', [*stage, 200, 4200, 4200]], ['thread', 'main'],
        ['thread', 'worker 1', [*stage, 300, 3800, 3800]],
        ['stream', 'stream 7', ['rk4_kernel', 'rk4_kernel', 'c0', 'rk4', '', 900, 3900, 3900],
         ['[CUDA memset]', '[CUDA memset]', 'transfer', '', '8.19\u202fkB', 4000, 4020, 4020]]]


def test_rows_are_those_with_work(call):
    rows = call(ROWS, {**TIMELINE, 'spans': TIMELINE['spans'][:2]})
    assert [row[:2] for row in rows] == [['regions', 'regions'], ['regions', ''], ['stream', 'stream 7']]
    assert [row[:2] for row in call(ROWS, {**TIMELINE, 'spans': TIMELINE['spans'][2:], 'ops': []})] == [
        ['thread', 'main'], ['thread', 'worker 1']]
    assert call(ROWS, NO_EVENTS) == []


def test_the_last_row_is_of_all_further_streams(call):
    ops = [[2, 1, 'kernel', 10 * k, 5, 100 - k, 0] for k in range(70)]
    rows = call(ROWS, {**TIMELINE, 'spans': [], 'ops': ops})
    assert [row[1] for row in rows] == [*(f'stream {100 - k}' for k in range(63)), 'stream 37 ...']
    assert [len(row) - 2 for row in rows] == 63 * [1] + [7]
    assert [event[5] for event in rows[-1][2:]] == list(range(630, 700, 10))


def test_reach_is_the_latest_end(call):
    rows = call(ROWS, changed(['ops'], [[2, 1, 'kernel', 0, 100, 7, 0], [2, 1, 'kernel', 10, 20, 7, 0], [2, 1, 'kernel', 50, 60, 7, 0]]))
    assert [event[5:] for event in rows[-1][2:]] == [[0, 100, 100], [10, 30, 100], [50, 110, 110]]


def test_gaps_by_length(call):
    """A gap begins at the latest end so far; an overlap is no gap."""
    starts = [(0, 100), (50, 10), (100, 50), (1149, 1), (2150, 10), (12160, 100000), (212160, 5), (1212165, 1), (3212166, 1)]
    gaps = call('gapsOf', [[2, 1, 'kernel', start, length, 7, 0] for start, length in starts])
    assert [list(gap.values()) for gap in gaps] == [
        [0, 1e3, 1, 999], [1e3, 1e4, 1, 1000], [1e4, 1e5, 1, 10000], [1e5, 1e6, 1, 100000], [1e6, None, 2, 3000000]]
    assert sum(gap['count'] for gap in call('gapsOf', [])) == sum(gap['count'] for gap in call('gapsOf', TIMELINE['ops'][:1])) == 0


def test_lines_are_means_of_neighbours(call):
    assert call('lineOf', [], ['a']) == {'line': {'time_ns': [], 'a': []}, 'count': 0}
    few = call('lineOf', [[10, 1, None], [30, None, None]], ['a', 'b'])
    assert few == {'line': {'time_ns': [10, 30], 'a': [1, None], 'b': [None, None]}, 'count': 2}
    rows = [[k, 2 * k if k % 3 else None] for k in range(1250)]  # two and three by turns
    line, count = call('lineOf', rows, ['a']).values()
    assert count == 1250 and line['time_ns'][:4] == [0.5, 3, 5.5, 8] and len(line['time_ns']) == 500
    assert line['a'][:4] == [2, 6, 10, 15]
    spread = call('lineOf', [[100 * k, 10, k] for k in range(1000)], ['a'], True)['line']
    assert spread['time_ns'][:2] == [55, 255] and spread['a'][:2] == [0.5, 2.5]


def test_memory_is_drawn_as_steps(draw):
    """From the changes of the file to the end of the window."""
    page = draw('memory', changed(['memory'], [[0, 25500000], [4500, 51000000]]))
    path, = [values['d'] for _, values, _ in page.elements if values.get('class') == 'fill-memory']
    assert path.startswith('M60,103L506,103L506,52L952,52L')  # 25.5 MB and 51 MB of the axis to 60 MB
