"""Section Ranks of a report: a figure and two tables; a computation of one rank has none."""
import copy
import json
import os
import pathlib
import subprocess

import jsonschema
import pytest

from parser import Page

SCHEMA = json.loads((pathlib.Path(__file__).parents[3] / 'profiling/report/report.schema.json').read_bytes())
HOSTILE = '</script><b onload="x">&'


def over(least, median, greatest):
    return {'least': least, 'median': median, 'greatest': greatest}


def rank_of(number, work, wait):
    return {'rank': number, 'host': f'node-{number // 2}', 'process': 40 + number, 'device': HOSTILE, 'threads': 2,
            'share': 0.25, 'clock_difference_ns': -7, 'clock_uncertainty_ns': 900 * number, 'step_ns': work + wait,
            'work_ns': work, 'exposed_ns': wait, 'messages': 32.5, 'received_bytes': 210e3, 'sent_bytes': 190e3,
            'memory_peak_bytes': 3e7, 'dropped': 0}


RANKS = {
    'count': 4, 'traced': 2, 'step_ns': over(11e6, 11e6, 15e6), 'imbalance': 1.25, 'exposed_share': 0.08,
    'each': [rank_of(0, 10e6, 1e6), rank_of(1, 10e6, 1e6), rank_of(2, 10e6, 1e6), rank_of(3, 14e6, 1e6)],
    'stages': [{'stage': 'rk4', 'time_ns': over(4e6, 4e6, 6e6), 'work_ns': over(3e6, 3e6, 5e6), 'exposed_ns': over(1e6, 1e6, 1e6),
                'rank_0_exposed_ns': 1e6, 'imbalance': 1.43, 'slowest': 3, 'exchanges': 4.0, 'messages': 16.0, 'received_bytes': 1e5},
               {'stage': 'sat', 'time_ns': over(1e6, 1e6, 1e6), 'work_ns': None, 'exposed_ns': None,
                'rank_0_exposed_ns': None, 'imbalance': None, 'slowest': 0, 'exchanges': 4.0, 'messages': 16.0, 'received_bytes': 11e4}]}


def many():
    """A thousand ranks, some of them without a time."""
    unknown = dict.fromkeys(['step_ns', 'work_ns', 'exposed_ns'])
    return {**RANKS, 'count': 1000, 'step_ns': None, 'imbalance': None, 'exposed_share': None,
            'each': [{**rank_of(k, 10e6 + 1e3 * k, 1e6), **(unknown if k % 7 == 3 else {})} for k in range(1000)]}


@pytest.fixture(scope='module')
def pages(page_of, tmp_path_factory):
    path = tmp_path_factory.mktemp('ranks') / 'cpu.html'
    subprocess.run([os.environ['WRITE_REPORT'], 'cpu', path], check=True)
    one = json.loads(path.with_suffix('.json').read_bytes())
    documents = {'one': one, 'four': copy.deepcopy(one), 'many': copy.deepcopy(one)}
    documents['four']['window']['ranks'] = RANKS
    documents['many']['window']['ranks'] = many()
    for document in documents.values():
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
    return {name: page_of(f'ranks-{name}', document) for name, document in documents.items()}


@pytest.fixture
def drawn(browser, pages):
    def draw(name):
        browser.open(pages[name])
        return Page('<!DOCTYPE html>' + browser.evaluate('document.documentElement.outerHTML'))
    return draw


@pytest.mark.parametrize('width', [1280, 390])
@pytest.mark.parametrize('mode', ['light', 'dark'])
@pytest.mark.parametrize('name', ['four', 'many'])
def test_silent_and_as_wide_as_its_window(browser, pages, name, mode, width):
    browser.open(pages[name], width=width, mode=mode)
    browser.evaluate('document.querySelectorAll("#ranks details").forEach((d) => { d.open = true; })')
    browser.evaluate('document.querySelectorAll("#ranks button").forEach((b) => b.click())')
    browser.settle()
    assert browser.console() == [] and browser.requests() == []
    assert browser.evaluate('document.documentElement.scrollWidth') <= width


def test_one_rank_has_no_section(drawn):
    page = drawn('one')
    assert 'ranks' not in page.sections and 'table-ranks' not in page.tables and 'threads' in page.sections


def test_the_head_names_the_ranks(browser, drawn):
    def subject(name):
        drawn(name)
        return browser.evaluate('document.querySelector(".subject").textContent')
    assert ', 4 ranks (times of rank 0 unless stated); ' in subject('four') and 'rank' not in subject('one')


@pytest.mark.parametrize('name', ['one', 'four'])
def test_rates_are_of_the_work(browser, drawn, name):
    page = drawn(name)
    html = browser.evaluate('document.querySelector("#table-stages").outerHTML')
    assert ('over the mean time of a call without its waits for messages' in html) == (name == 'four')


def test_tables(drawn):
    page = drawn('four')
    assert page.faults == []
    stages, ranks = page.tables['table-rank-stages'], page.tables['table-ranks']
    assert stages[1] == ['rk4', '3.00', '3.00', '5.00', '1.43', '3', '1.00', '1.00', '4.0', '16.0', '100']
    assert stages[2] == ['sat', '–', '–', '–', '–', '0', '–', '–', '4.0', '16.0', '110']
    assert ranks[4][:9] == ['3', 'node-1', HOSTILE, '2', '25.0\u202f%', '15.0', '14.0', '1.00', '32.5']
    assert ranks[4][9:] == ['210', '190', '30.0', '2.70', '0']
    text = page.text('ranks')
    assert 'medians of a step, the longest first' in text
    assert 'The slowest rank works 1.25 times the mean. Ranks wait for messages in 8.0\u202f% of' in text
    assert 'the traces hold 2 of 4 ranks.' in text


def bars(browser, kind):
    """Height of the bar of every rank."""
    return browser.evaluate(f'[...document.querySelectorAll("#plot-ranks .bar.{kind}")].map((b) => '
                            'Number(b.getAttribute("height")))')


def test_bars_are_work_and_waits(browser, drawn):
    drawn('four')
    work, wait = bars(browser, 'work'), bars(browser, 'wait')
    assert [height / work[0] for height in work] == pytest.approx([1, 1, 1, 1.4], rel=1e-3)
    assert [height / work[0] for height in wait] == pytest.approx(4 * [0.1], rel=1e-3)


def test_unknown_work_has_no_bar(browser, drawn):
    page = drawn('many')
    assert page.faults == []
    heights = bars(browser, 'work')
    assert len(heights) == 1000 - 143 and min(heights) > 0
    assert page.text('ranks').startswith('RanksAll other sections show rank 0')
