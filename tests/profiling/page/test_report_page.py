"""The page of a report: well formed, complete, without console messages or requests, and as wide as its window."""
import json
import os
import pathlib
import re
import subprocess
import time

import jsonschema
import pytest

from parser import Page

PROFILING = pathlib.Path(__file__).parents[3] / 'profiling'
SCHEMA = json.loads((PROFILING / 'report/report.schema.json').read_bytes())
TIMELINE_SCHEMA = json.loads((PROFILING / 'window/timeline/timeline.schema.json').read_bytes())
KINDS = ['cpu', 'gpu', 'bare', 'many', 'counters']
SECTIONS = ['findings', 'indicators', 'steps', 'stages', 'timeline', 'roofline',
            'dataflow', 'counters', 'kernels', 'threads', 'memory', 'utilisation', 'overhead', 'phases', 'checklist', 'warnings',
            'method']
AWKWARD = ['gauß "seed" & <b>möre</b>', '</script><script>x()</script>', "it's 100 % — 面 🌍"]


@pytest.fixture(scope='session')
def pages(tmp_path_factory):
    """Path of the page of every kind of report."""
    folder = tmp_path_factory.mktemp('pages')
    paths = {}
    for kind in KINDS:
        paths[kind] = folder / f'{kind}.html'
        subprocess.run([os.environ['WRITE_REPORT'], kind, paths[kind]], check=True)
    return paths


@pytest.fixture(scope='session')
def parsed(browser, pages):
    """The pages as their scripts draw them."""
    drawn = {}
    for kind, path in pages.items():
        browser.open(path)
        drawn[kind] = Page('<!DOCTYPE html>' + browser.evaluate('document.documentElement.outerHTML'))
    return drawn


@pytest.fixture(scope='session')
def documents(pages):
    """The JSON documents beside the pages."""
    return {kind: json.loads(path.with_suffix('.json').read_bytes()) for kind, path in pages.items()}


def test_the_parser_sees_faults():
    for text in ['<p>', '<p></b></p>', '<p id="a"></p><p id="a"></p>', '<a href="#b"></a>',
                 '<ul><p></p></ul>', '<p x="1" x="2"></p>', '<div/>']:
        assert Page(text).faults, text
    assert not Page('<!DOCTYPE html><html><body><p>a<b>c</b></p></body></html>').faults


@pytest.mark.parametrize('kind', KINDS)
def test_well_formed(pages, parsed, kind):
    assert Page(pages[kind].read_text(encoding='utf-8')).faults == []
    assert parsed[kind].faults == []


@pytest.mark.parametrize('kind', KINDS)
def test_documents_satisfy_their_schema(documents, kind):
    jsonschema.Draft202012Validator(SCHEMA).validate(documents[kind])
    timeline = documents[kind]['window']['timeline']
    assert (timeline is None) == (kind in ('bare', 'counters'))
    if kind == 'many':  # more events than a file has
        timeline = {**timeline, 'spans': timeline['spans'][:20000]}
    if timeline is not None:
        jsonschema.Draft202012Validator(TIMELINE_SCHEMA).validate(timeline)


@pytest.mark.parametrize('key, value', [('schema_version', 2), ('shown', -1), ('more', 1)])
def test_the_schema_sees_faults(documents, key, value):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**documents['cpu'], key: value}, SCHEMA)


@pytest.mark.parametrize('kind', KINDS)
def test_the_page_holds_its_document(pages, documents, kind):
    text, = re.findall('<script type="application/json" id="document">(.*?)</script>',
                       pages[kind].read_text(encoding='utf-8'), re.DOTALL)
    assert json.loads(text) == documents[kind]
    assert text.isascii() and not set(text) & set('<>&\n')


@pytest.mark.parametrize('kind', KINDS)
def test_every_section_says_something(parsed, kind):
    page = parsed[kind]
    assert list(page.sections) == SECTIONS
    headings = [tag for tag, _, _ in page.elements if tag in ('h1', 'h2')]
    assert headings == ['h1'] + ['h2'] * len(SECTIONS)
    for section in SECTIONS:
        assert len(page.text(section)) > 30, section
    assert not re.search(r'\b-?(nan|inf)\b|\(null\)', page.text(), re.IGNORECASE)
    for _, values, _ in page.elements:  # places in pictures
        for value in values.values():
            assert 'nan' not in (value or '').split() and not re.search(r'[MLHV]-?(nan|inf)',
                                                                       value or ''), value


def test_what_does_not_apply_is_a_sentence(parsed):
    for kind, sections in [('cpu', ['counters', 'kernels', 'utilisation', 'overhead']),
                           ('gpu', ['counters', 'threads']), ('bare', SECTIONS[:-1]),
                           ('counters', ['kernels', 'threads', 'utilisation', 'overhead'])]:
        for section in sections:
            assert parsed[kind].text(section).endswith('.'), (kind, section)
            assert parsed[kind].frames.get(section, 0) == 0, (kind, section)


def test_pictures_and_tables_have_names(parsed):
    for kind in ('cpu', 'gpu', 'many'):
        elements = parsed[kind].elements
        for tag, values, _ in elements:
            if tag == 'svg':
                assert values['role'] == 'img' and len(values['aria-labelledby'].split()) == 2
        count = {tag: sum(t == tag for t, _, _ in elements)
                 for tag in ('svg', 'desc', 'table', 'caption', 'figure', 'figcaption')}
        assert count['svg'] == count['desc'] == count['figure'] == count['figcaption'] >= 5
        assert count['table'] == count['caption'] >= 5
        assert all('scope' in values for tag, values, _ in elements if tag == 'th')


def test_numbers_of_the_report(parsed):
    """rk4: 812 us for 85 MB and 9.3 MFLOP below 180 GB/s, four times in 10.66 ms."""
    columns, first = parsed['cpu'].tables['table-stages'][:2]
    assert columns[3] == 'Callµs' and columns[7] == 'RateGB/s'
    assert first == ['rk4', '4', '30.5\u202f%', '812', '788 to 844', '85.0', '9.3', '105', '11.5',
                     '0.11', 'memory', '58.2\u202f%', 'memory']
    parts = parsed['cpu'].tables['table-parts']
    assert parts[1:] == [['rk4', 'update', '75.0\u202f%', '609', '600'],
                         ['rk4', '(other)', '25.0\u202f%', '203', '200']]
    assert 'table-parts' not in parsed['bare'].tables
    text = parsed['cpu'].text()
    assert '10.7\u202fms' in text and '4.01\u202fns' in text
    gpu = parsed['gpu'].tables['table-stages']
    assert gpu[0][2] == 'Shareof all stages' and gpu[0][5] == 'GPUms' and gpu[1][5] == '39.0'
    windows = parsed['gpu'].tables['table-windows']
    assert [row[0] for row in windows[1:]] == ['from step 10', 'from step 110 (shown)',
                                               'from step 210']


def test_counters_over_time_are_drawn_as_means(parsed):
    """2000 samples, four by four; the first 200 do not know the FP64 pipe."""
    lines = [line for line in parsed['gpu'].lines['plot-sampled'] if len(line) > 3000]
    assert [re.sub('[^A-Z]', '', line)[:2] for line in lines] == ['ML'] * 3
    assert [len(re.findall('[ML]', line)) for line in lines] == [500, 450, 500]
    rows = {row[0]: row[1:] for row in parsed['gpu'].tables['table-sampled']}
    assert rows['read from device memory'][:3] == ['GB/s', '40', '1500']
    assert rows['time with an active FP64 pipe'][0] == '%'
    assert not [name for name in rows if 'L2' in name]


def test_a_stage_without_operations_has_no_point(parsed):
    assert 'Without a point: projection (' in parsed['cpu'].text('roofline')


def test_counters_beside_the_formulas(parsed):
    """rk4: 85 MB and 9.3 MFLOP by its formulas; 1.00 and 1.31 of that were counted."""
    columns, first, second = parsed['counters'].tables['table-counters'][:3]
    assert columns[3:6] == ['MemoryMB', 'FormulaMB', 'Ratio'] and columns[-1] == 'Ratio'
    assert first == ['rk4', '4', '974', '85.0', '85.0', '1.00', '51.0', '34.0', '93.5', '–', '12.2',
                     '9.3', '1.31']
    assert second[5] == '0.46'
    off = [values for tag, values, _ in parsed['counters'].elements
           if tag == 'td' and values.get('class') == 'off']
    assert len(off) == 4  # 1.31, 0.46, 1.27, 1.66
    text = parsed['counters'].text('counters')
    assert '4 of 6 stages differs from the counters by more than 10 %' in text
    assert 'GH100' in text and AWKWARD[1] in text
    for kind, words in [('cpu', 'counted on GPUs only'), ('gpu', 'To count memory traffic')]:
        text = parsed[kind].text('counters')
        assert 'was not checked against counters in this run' in text and words in text


def test_the_roofline_has_the_caches_that_serve(parsed):
    text = parsed['cpu'].text('roofline')
    assert 'copy in L2 900\u202fGB/s' in text and 'copy 180\u202fGB/s, measured' in text and 'copy in L1' not in text
    assert 'L1 65.5\u202fkB, –; L2 2.00\u202fMB, 900\u202fGB/s' in text
    served = {row[0]: row[10] for row in parsed['cpu'].tables['table-stages'][1:]}
    assert served == dict.fromkeys(['rk4', 'contravariant', 'divergence', 'gradient'], 'memory') | {
        'sat': 'L2', 'projection': 'L2'}


def test_the_roofline_has_what_was_counted(parsed):
    """Points of five stages: the sixth does no operations."""
    for kind, discs, rings in [('counters', 5, 5), ('gpu', 5, 0)]:
        points = [values['class'].split() for tag, values, _ in parsed[kind].elements
                  if tag == 'circle' and 'point' in values.get('class', '')]
        assert [sum('counted' in point for point in points), len(points)] == [rings, discs + rings]
        assert ('Rings are values counted by the GPU' in parsed[kind].text('roofline')) == (rings > 0)
    assert 'rk4 as counted: 0.14 FLOP/B, 12.5\u202fGFLOP/s, 40.0\u202f% of its roofline' in \
        parsed['counters'].text('roofline')
    assert 'Without a point: projection (' in parsed['counters'].text('roofline')


def test_the_dataflow_has_every_access_of_a_step(parsed, documents):
    """All stages of the sample access the same three buffers; the timeline has their order."""
    page, window = parsed['cpu'], documents['cpu']['window']
    accesses = [values['class'].split()[1] for tag, values, _ in page.elements
                if tag == 'path' and values.get('class', '').startswith('access')]
    assert sorted(accesses) == 12 * ['read'] + 6 * ['written']
    text = page.text('dataflow')
    total = sum(stage['calls_per_step'] * buffer['bytes'] for stage in window['stages'] for buffer in stage['buffers'])
    assert f'100.0\u202f% of the {total / 1e6:.0f}\u202fMB of a step' in text
    assert 'rk4 writes 28.4\u202fMB of dh in a step' in text and 'projection reads 56.8\u202fMB of h in a step' in text
    names = window['timeline']['names']
    order = sorted((stage['name'] for stage in window['stages']),
                   key=lambda name: names.index(name) if name in names else len(names))
    assert re.findall(f'({"|".join(order)}) reads [^ ]+ of h', text) == order


def test_the_whole_run_stands_beside_the_window(parsed):
    ids = parsed['gpu'].ids
    assert {'plot-utilisation', 'plot-utilisation-run'} <= ids
    table = {row[0]: row[2:] for row in parsed['gpu'].tables['table-utilisation'][1:]}
    assert table['power'] == ['40', '380', '190', '456', '1000',
                              '400', '350', '450']
    assert table['clock of the multiprocessors'][4:] == ['–'] * 4
    windows = [values for tag, values, _ in parsed['gpu'].elements
               if tag == 'rect' and values.get('class') == 'bar window']
    assert len(windows) == 3 * 3  # of three windows, in three panels
    # 1000 samples from 56 to 948, the windows 1, 3 and 5 s after the first
    places = sorted({float(values['x']) for values in windows})
    assert places == pytest.approx([56 + 892 * s / 99.9 for s in (1, 3, 5)], abs=0.01)
    lines = parsed['gpu'].lines['plot-utilisation-run']
    assert max(len(re.findall('[ML]', line)) for line in lines) == 500  # means of two samples


def test_gaps(parsed):
    """A timeline of 288 kernels that follow each other 4 us apart, and a copy at the end."""
    table = {row[0]: row[1:] for row in parsed['gpu'].tables['table-gaps']}
    assert table['1 to 10 µs'][0] == '288'
    assert table['below 1 µs'] == ['0', '0\u202fns', '0\u202f%']


def test_awkward_texts(pages, parsed, documents):
    for text in AWKWARD:
        assert text in parsed['gpu'].text(), text
    raw = pages['gpu'].read_text(encoding='utf-8')
    assert raw.count('<script') == raw.count('</script>') == 3
    assert AWKWARD[1] in documents['gpu']['window']['timeline']['names']


@pytest.mark.parametrize('expression, text', [
    ('timeText(0)', '0_ns'), ('timeText(0.4123)', '0.41_ns'), ('timeText(999.4)', '999_ns'),
    ('timeText(999.7)', '1.00_µs'), ('timeText(1148183)', '1.15_ms'), ('timeText(99.96e6)', '100_ms'),
    ('timeText(3.6e12)', '3600_s'), ('bytesText(21344400)', '21.3_MB'),
    ('bandwidthText(3.35e12)', '3.35_TB/s'), ('flopRateText(6.7e13)', '67.0_TFLOP/s'),
    ('timeText(null)', '–'), ('bytesText(Infinity)', '–'), ('percent(0.3051)', '30.5_%'),
    ('percent(0)', '0_%'), ('percent(0.0001)', '< 0.1_%'), ('percent(null)', '–'),
    ('countText(1234)', '1234'), ('countText(2659590)', '2_659_590'), ('countText(-1)', '–'),
    ('scaleOf("time", 812000).unit', 'µs'), ('scaled(scaleOf("time", 812000), 31400)', '31'),
    ('scaled(scaleOf("time", 812000), null)', '–'), ('scaled(scaleOf("bytes", 85.2e6), 0.3e6)', '0.3'),
    ('scaleOf("time", null).unit', 'ns'), ('shellWord("output/a-b:1")', 'output/a-b:1'),
    ('shellWord("it\'s")', "'it'\\''s'")])
def test_numbers_as_text(browser, pages, expression, text):
    """The underscore stands for a narrow space that does not break."""
    if getattr(browser, 'address', None) != pages['bare'].resolve().as_uri():
        browser.open(pages['bare'])
    assert browser.evaluate(expression) == text.replace('_', '\u202f')


@pytest.mark.parametrize('expression, values', [
    ('fromZero(15.2, 100, 0).domain()', [0, 20]), ('fromZero(15.2, 100, 0)(0)', 100),
    ('fromZero(null, 0, 1).domain()', [0, 1]), ('powersOfTen(decades(0.11, 30, 0, 300), 8)', [0.1, 1, 10, 100]),
    ('decades(0.11, 30, 0, 300)(1)', 100), ('decades(10, 10, 0, 1).domain()', [10, 100]),
    ('powersOfTen(decades(1e-150, 1e150, 0, 1), 8).length <= 8', True)])
def test_axes(browser, pages, expression, values):
    if getattr(browser, 'address', None) != pages['bare'].resolve().as_uri():
        browser.open(pages['bare'])
    assert browser.evaluate(expression) == pytest.approx(values)


def test_policy(parsed):
    for kind in KINDS:
        policies = [values['content'] for tag, values, _ in parsed[kind].elements
                    if tag == 'meta' and values.get('http-equiv') == 'Content-Security-Policy']
        assert len(policies) == 1 and "default-src 'none'" in policies[0]
        for _, values, _ in parsed[kind].elements:
            for key in ('src', 'href', 'action', 'data', 'srcset', 'poster'):
                assert re.match(r'#|data:,$', values.get(key, '#')), values


@pytest.mark.parametrize('mode', ['light', 'dark'])
@pytest.mark.parametrize('kind', KINDS)
def test_silent_and_alone(browser, pages, kind, mode):
    browser.open(pages[kind], mode=mode)
    browser.evaluate('document.querySelectorAll("details").forEach((d) => { d.open = true; })')
    browser.evaluate('document.querySelectorAll("button").forEach((b) => b.click())')
    browser.settle()
    assert browser.console() == []
    assert browser.requests() == []


def test_the_browser_sees_faults(browser, tmp_path):
    page = tmp_path / 'bad.html'
    page.write_text('<!DOCTYPE html><title>x</title><img src="https://example.invalid/a.png">'
                    '<script>console.warn("warned"); missing();</script>')
    browser.open(page)
    assert any('warned' in text for text in browser.console())
    assert any('missing' in text for text in browser.console())
    assert browser.requests() == ['https://example.invalid/a.png']


def test_the_policy_holds(browser, pages, tmp_path):
    page = tmp_path / 'injected.html'
    page.write_text(pages['bare'].read_text().replace(
        '</main>', '<img alt="" src="https://example.invalid/a.png">'
        '<script>fetch("https://example.invalid/b")</script></main>'))
    browser.open(page)
    time.sleep(0.3)
    browser.settle()
    assert any('Content Security Policy' in text for text in browser.console())
    sent = [event for event in browser.events if event.get('method') == 'Network.loadingFinished']
    assert len(sent) <= 1  # the page itself


@pytest.mark.parametrize('width', [360, 400])
@pytest.mark.parametrize('kind', ['cpu', 'gpu'])
def test_on_a_phone(browser, pages, kind, width):
    """Grades are on the screen, rows of prose hold no blank height, and names of the dataflow do not collide."""
    browser.open(pages[kind], width=width)
    assert browser.evaluate("""[...document.querySelectorAll('table .grade')].every((grade) =>
        grade.getBoundingClientRect().right <= document.documentElement.clientWidth)""")
    assert browser.evaluate("""[...document.querySelectorAll('tr:has(.prose)')].every((row) => {
        const texts = [...row.querySelectorAll('*')].map((cell) => cell.getBoundingClientRect());
        return row.getBoundingClientRect().width <= innerWidth && row.clientHeight < 40 + 2.2 * Math.max(...texts.map((t) => t.height));
    })""")
    boxes = browser.evaluate("""[...document.querySelectorAll('#plot-dataflow text')].map((text) => {
        const {left, right, top, bottom} = text.getBoundingClientRect(); return [left, right, top, bottom]; })""")
    assert len(boxes) > 6
    for k, (left, right, top, bottom) in enumerate(boxes):
        assert not [other for other in boxes[:k] if other[0] < right and left < other[1] and other[2] < bottom and top < other[3]]


@pytest.mark.parametrize('width', [1280, 390])
@pytest.mark.parametrize('kind', KINDS)
def test_as_wide_as_its_window(browser, pages, kind, width):
    browser.open(pages[kind], width=width)
    browser.evaluate('document.querySelectorAll("details").forEach((d) => { d.open = true; })')
    assert browser.evaluate('document.documentElement.scrollWidth') <= width
    # what is wider is in a frame that scrolls
    outside = browser.evaluate('''[...document.querySelectorAll("main *")].filter((e) =>
        e.getBoundingClientRect().right > innerWidth + 1 && !e.parentElement.closest(".scroll"))
        .map((e) => e.outerHTML.slice(0, 80))''')
    assert outside == []


def test_printed(browser, pages):
    """On light paper without what only a screen can use, and as wide as the paper."""
    browser.open(pages['gpu'], width=740, mode='dark')
    browser.call('Emulation.setEmulatedMedia', media='print')
    browser.settle()
    assert browser.evaluate('getComputedStyle(document.body).backgroundColor') == 'rgb(255, 255, 255)'
    assert browser.evaluate("""[...document.querySelectorAll("nav, .controls")].map((e) =>
        getComputedStyle(e).display)""") == ['none', 'none']
    assert browser.evaluate('''[...document.querySelectorAll("svg")].every((e) =>
        e.getBoundingClientRect().right <= innerWidth)''')
    printed = browser.call('Page.printToPDF', printBackground=True)
    browser.call('Emulation.setEmulatedMedia', media='')
    assert len(printed['data']) > 50000 and browser.console() == []


LUMINANCE = '''(color) => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => {
    v /= 255;
    return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}'''
CONTRASTS = '''((luminance) => {
  const ratio = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const paper = getComputedStyle(document.body).backgroundColor;
  const low = new Map();
  for (const e of document.querySelectorAll("main *, nav *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    if (["SCRIPT", "STYLE", "title", "desc"].includes(e.tagName)) continue;
    const style = getComputedStyle(e);
    const svg = e instanceof SVGElement;
    let back = paper;
    if (svg && e.classList.contains("on")) { // what a bar of the same colour looks like
      const bar = document.createElement("i");
      bar.className = e.parentElement.className.baseVal;
      bar.style.color = "var(--colour)";
      document.body.append(bar);
      back = getComputedStyle(bar).color;
    }
    for (let p = e; !svg && p; p = p.parentElement) {
      const c = getComputedStyle(p).backgroundColor;
      if (c !== "rgba(0, 0, 0, 0)") { back = c; break; }
    }
    const value = ratio(svg ? style.fill : style.color, back);
    if (value < 4.5 && !(e.disabled)) low.set(e.className.baseVal ?? e.className, value);
  }
  return [...low];
})(LUMINANCE)'''.replace('LUMINANCE', LUMINANCE)


@pytest.mark.parametrize('mode', ['light', 'dark'])
@pytest.mark.parametrize('kind', ['cpu', 'gpu', 'counters'])
def test_contrast(browser, pages, kind, mode):
    browser.open(pages[kind], mode=mode)
    assert browser.evaluate(CONTRASTS) == []


@pytest.mark.parametrize('mode', ['light', 'dark'])
def test_modes(browser, pages, mode):
    def paper():
        return browser.evaluate('getComputedStyle(document.body).backgroundColor')
    browser.open(pages['cpu'], mode=mode)
    seen = [paper()]
    for _ in range(3):  # auto -> light -> dark -> auto
        browser.evaluate('document.getElementById("theme").click()')
        seen.append(paper())
    light, dark = 'rgb(255, 255, 255)', 'rgb(20, 23, 27)'
    own = light if mode == 'light' else dark
    assert seen == [own, light, dark, own]


def column(browser, table, index):
    return browser.evaluate(f'[...document.querySelectorAll("#table-{table} tbody tr")]'
                            f'.map((r) => r.cells[{index}].textContent)')


def test_sorting(browser, pages):
    browser.open(pages['gpu'])
    names = column(browser, 'stages', 0)
    click = 'document.querySelectorAll("#table-stages thead button")[{}].click()'
    browser.evaluate(click.format(0))
    assert column(browser, 'stages', 0) == sorted(names)
    browser.evaluate(click.format(3))  # time of a call, the longest first
    assert column(browser, 'stages', 3) == ['812', '640', '510', '480', '120', '31']
    browser.evaluate(click.format(3))
    assert column(browser, 'stages', 3) == ['31', '120', '480', '510', '640', '812']
    assert browser.evaluate('document.querySelectorAll("#table-stages th")[3].ariaSort') == \
        'ascending'
    # what is not known is last, either way
    for _ in range(2):
        browser.evaluate('[...document.querySelectorAll("#table-kernels thead button")].at(-1)'
                         '.click()')
        assert column(browser, 'kernels', 11)[-1] == '–'


def drag(browser, start, end, y):
    """Across the timeline, by shares of its width, at a place of its rows."""
    box = browser.evaluate('''(() => {
      const svg = document.getElementById("plot-timeline");
      svg.scrollIntoView({block: "center"});
      const m = svg.getScreenCTM();
      return [96 * m.a + m.e, (svg.viewBox.baseVal.width - 104) * m.a, m.d, m.f];
    })()''')
    xs = [box[0] + share * box[1] for share in (start, end)]
    at = y * box[2] + box[3]
    browser.mouse('mouseMoved', xs[0], at)
    if start == end:
        browser.settle()
        return
    browser.mouse('mousePressed', xs[0], at, button='left', clickCount=1)
    browser.mouse('mouseMoved', (xs[0] + xs[1]) / 2, at, button='left', buttons=1)
    browser.mouse('mouseMoved', xs[1], at, button='left', buttons=1)
    browser.mouse('mouseReleased', xs[1], at, button='left', clickCount=1)
    browser.settle()


def labels(browser):
    return browser.evaluate('[...document.querySelectorAll("#plot-timeline .events text")]'
                            '.map((t) => t.textContent)')


def test_timeline_zoom(browser, pages):
    browser.open(pages['cpu'])
    whole = browser.evaluate('document.querySelector("#plot-timeline .events").innerHTML')
    assert 'step 10' in labels(browser) and 'gradient' not in labels(browser)
    drag(browser, 0.016, 0.046, 12)  # in the first step
    seen = labels(browser)
    assert 'step 10' in seen and 'step 21' not in seen and 'gradient' in seen
    drag(browser, 0.5, 0.5, 30)
    assert re.match(r'step 10 · 10\.\d+\u202fms · at 2\u202fms',
                    browser.evaluate('document.querySelector("output").textContent'))
    assert browser.evaluate('document.querySelector(".mark").getAttribute("visibility")') == \
        'visible'
    browser.evaluate('[...document.querySelectorAll(".controls button")].at(-1).click()')
    browser.settle()
    assert browser.evaluate('document.querySelector("#plot-timeline .events").innerHTML') == whole
    browser.evaluate('document.querySelector("#figure-timeline .scroll").focus()')
    for key in ['+', '+', 'ArrowRight', '-', '0']:
        browser.call('Input.dispatchKeyEvent', type='keyDown', key=key)
        browser.settle()
    assert browser.evaluate('document.querySelector("#plot-timeline .events").innerHTML') == whole
    assert browser.console() == []


# of every path of the timeline its place and colour, and the length of what is drawn
PATHS = """[...document.querySelectorAll("#plot-timeline .events path")].map((p) =>
    [`${p.getBBox().y} ${p.getAttribute("class")}`, p.getTotalLength()]).sort()"""


@pytest.mark.parametrize('kind', ['cpu', 'gpu', 'many'])
def test_parts_of_the_timeline_are_drawn_as_the_whole(browser, pages, kind):
    browser.open(pages[kind])
    before = dict(browser.evaluate(PATHS))
    drag(browser, 0.0, 0.9988, 12)  # nearly the whole window: all bars
    after = dict(browser.evaluate(PATHS))
    assert sorted(after) == sorted(before)
    for path, length in before.items():
        assert abs(after[path] - length) <= 0.05 * length, path


def test_many_events(browser, pages, parsed):
    """Two hundred thousand events make a page that opens and zooms while one waits."""
    text = parsed['many'].text('timeline').replace('\u202f', '')
    assert '217001 events' in text
    assert pages['many'].stat().st_size < 12e6
    browser.open(pages['many'])
    for start, end in [(0.3, 0.9), (0.4, 0.5), (0.4, 0.5), (0.4, 0.5)]:
        assert browser.evaluate('document.querySelectorAll("#plot-timeline *").length') < 2000
        drag(browser, start, end, 12)
    assert 'gradient' in labels(browser)
    assert browser.console() == []
