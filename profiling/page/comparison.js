// The comparison of two runs: one row per quantity; the bar is the change, the whisker its interval.

const CHANGE_WIDTH = 260;
const signed = (share) => (isNumber(share) ? `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}${THIN}%` : NONE);
const verdictWords = {same: 'no clear difference', faster: 'faster', slower: 'slower',
  'not judged': 'too few windows'};
const isJudged = ({verdict: word}) => word !== 'not judged';

// Logarithm of the largest change that bars can show: all changes, and intervals up to 2.5 times the largest change.
function reachOf(rows) {
  const size = (share) => (isNumber(share) ? Math.abs(Math.log1p(share)) : 0);
  const judged = rows.filter(isJudged);
  const change = Math.max(0.05, ...judged.map((row) => size(row.change)));
  const interval = Math.max(0, ...judged.flatMap((row) => [size(row.low), size(row.high)]));
  return 1.1 * Math.max(change, Math.min(interval, 2.5 * change));
}

// The bar of a change; the line in the middle is no change.
function changeCell(row, reach) {
  const position = d3.scaleLinear([-reach, reach], [0, CHANGE_WIDTH]).clamp(true);
  const at = (share) => position(Math.log1p(share ?? 0));
  const cell = element('td');
  const svg = d3.select(cell).append('svg').attr('class', 'change').attr('viewBox', `0 0 ${CHANGE_WIDTH} 18`)
    .attr('role', 'img')
    .attr('aria-label', signed(row.change));
  svg.append('path').attr('class', 'zero').attr('d', `M${position(0)} 0v18`);
  if (!isJudged(row)) return cell;
  const [from, to] = [position(0), at(row.change)];
  svg.append('rect').attr('x', Math.min(from, to)).attr('y', 5).attr('width', Math.abs(to - from)).attr('height', 8);
  svg.append('path').attr('class', 'whisker')
    .attr('d', `M${at(row.low)} 9H${at(row.high)}M${at(row.low)} 6v6M${at(row.high)} 6v6`);
  return cell;
}

function comparisonRow(row, reach) {
  const interval = isJudged(row) ? `${signed(row.low)} to ${signed(row.high)}` : '';
  return [rowHead(row.label), numberCell(decimals(1), row.a_us), numberCell(decimals(1), row.b_us),
    shownCell(row.change, signed(row.change)),
    textCell(interval), changeCell(row, reach), textCell(verdictWords[row.verdict])];
}

function comparisonTable(c) {
  const reach = reachOf(c.rows);
  const created = table('comparison', 'Medians of both runs. The bar shows the change, the whisker its confidence interval.',
    [textColumn('Median of'), column('A', 'µs'), column('B', 'µs'), column('Change'),
      textColumn('Interval', `${(100 * c.confidence).toFixed(0)} % simultaneous`),
      textColumn('← faster · slower →', `to ±${(100 * Math.expm1(reach)).toFixed(0)} %`), textColumn('B is')],
    c.rows.map((row) => comparisonRow(row, reach)));
  [...created.querySelectorAll('tbody tr')].forEach((tr, k) => tr.setAttribute('class',
    c.rows[k].verdict.replace(' ', '-')));
  return created;
}

const onlyTable = (c) => table('only', 'Regions that one run contains, medians of a call.',
  [textColumn('In one run only'), column('A', 'µs'), column('B', 'µs'), column('In a step', 'µs')],
  c.only.map((row) => [rowHead(row.label), numberCell(decimals(1), row.run === 'A' ? row.us : null),
    numberCell(decimals(1), row.run === 'B' ? row.us : null), numberCell(decimals(1), row.us_per_step)]));

function comparisonRuns(c) {
  const run = (letter, path, windows) => paragraph(element('b', null, letter), ' ', code(path),
    windows > 0 ? element('span', {class: 'note'}, ` ${plural(windows, 'window')}`) : null);
  return element('div', {class: 'subject'}, run('A', c.a, c.a_windows), run('B', c.b, c.b_windows));
}

const gateGrades = {passed: 'good', slower: 'bad', inconclusive: 'warning'};

// The result of the gate if one was set, otherwise the clear differences.
function comparisonVerdict(c) {
  if (c.gate) {
    const grade = gateGrades[c.gate.verdict];
    return element('p', {class: `verdict ${grade}`}, gradeMark(grade), ' ', element('strong', null, 'Gate'),
      ` ${c.gate.text}`);
  }
  const of = (word) => c.rows.filter((row) => row.verdict === word).map(({label}) => label);
  const [slower, faster] = [of('slower'), of('faster')];
  const sentences = [slower.length > 0 ? `Slower in B: ${slower.join(', ')}.` : '',
    faster.length > 0 ? `Faster in B: ${faster.join(', ')}.` : ''].filter(Boolean);
  return element('p', {class: 'verdict'}, sentences.length > 0 ? sentences.join(' ') : 'No quantity differs clearly.');
}

const differences = (c) => (c.differs.length === 0 ? paragraph('The runs recorded no other differences.')
  : table('differences', 'Circumstances that differ between the runs',
    [textColumn('Circumstance'), textColumn('A'), textColumn('B')],
    c.differs.map(({name, a, b}) => [rowHead(name), wrapCell(a || 'unknown'), wrapCell(b || 'unknown')])));

function drawComparison(c) {
  document.title = 'cubeswe compare';
  link('headline', 'Overview');
  document.querySelector('main').append(element('header', {id: 'headline'},
    element('p', {class: 'kind'}, 'cubeswe comparison'),
    element('h1', null, 'Comparison of two runs'), comparisonRuns(c), comparisonVerdict(c)));
  addSection('times', 'Times', c.only.length > 0 ? [comparisonTable(c), onlyTable(c)] : comparisonTable(c));
  if (c.notes.length > 0) addSection('notes', 'Notes', c.notes.map((line) => paragraph(line)));
  addSection('differences', 'Differences besides time', differences(c));
}
