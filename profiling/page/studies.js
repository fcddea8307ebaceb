// Studies over the number of cells n: convergence and bench. Both axes of their figures are logarithmic.

const seriesColours = ['c0', 'c4', 'c2', 'c3', 'c1', 'c5', 'c7', 'other'];
const seriesSymbols = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross,
  d3.symbolStar, d3.symbolWye, d3.symbolCircle];

const isPositive = (value) => isNumber(value) && value > 0;
const marker = (group, k, x, y) => group.append('path').attr('class', `marker ${seriesColours[k % 8]}`)
  .attr('transform', `translate(${x} ${y})`).attr('d', d3.symbol().type(seriesSymbols[k % 8]).size(56)());

// Ticks at the computed sizes, as far as their labels do not overlap.
function sizeTicks(series, x) {
  const sizes = [...new Set(series.flatMap(({points}) => points.map(([n]) => n)))].sort((a, b) => a - b);
  const kept = [];
  for (const n of sizes) if (kept.length === 0 || x(n) - x(kept.at(-1)) > 30) kept.push(n);
  return kept;
}

function drawSeries(svg, {points, guide, unit}, k, x, y, across) {
  const colour = seriesColours[k % 8];
  const line = d3.line().x(([n]) => x(n)).y(([, value]) => y(value));
  svg.append('path').attr('class', `series ${colour}`).attr('d', line(points));
  if (guide) svg.append('path').attr('class', `series guide ${colour}`)
    .attr('clip-path', `url(#${svg.attr('id')}-area)`).attr('d', line(guide));
  for (const [n, value] of points) hint(marker(svg, k, x(n), y(value)),
    `${across.name} = ${across.format(n)}: ${value.toPrecision(3)}${unit ? ` ${unit}` : ''}`);
}

function drawStudy(svg, width, series, label, unit, across) {
  const area = {left: 60, right: width - 14, top: 34, bottom: 340};
  const values = series.flatMap(({points, guide, spansGuide}) => [...points,
    ...(spansGuide && guide ? guide : [])].map(([, value]) => value));
  const sizes = series.flatMap(({points}) => points.map(([n]) => n));
  const x = d3.scaleLog([d3.min(sizes) / 1.15, d3.max(sizes) * 1.15], [area.left, area.right]);
  const y = decades(d3.min(values), d3.max(values), area.bottom, area.top);
  svg.append('clipPath').attr('id', `${svg.attr('id')}-area`).append('rect').attr('x', area.left).attr('y', area.top)
    .attr('width', area.right - area.left).attr('height', area.bottom - area.top);
  axisAtLeft(svg, y, {...area, label, unit, ticks: powersOfTen(y, 9), format: decadeText(1)});
  axisBelow(svg, x, {...area, label: across.label, ticks: sizeTicks(series, x), format: across.format});
  series.forEach((one, k) => drawSeries(svg, one, k, x, y, across));
}

const seriesLegend = (series) => element('ul', {class: 'legend'}, series.map(({label}, k) => {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  marker(d3.select(svg).attr('class', 'marker-legend').attr('viewBox', '-7 -7 14 14').attr('aria-hidden', 'true'), k,
    0, 0);
  return element('li', null, svg, label);
}));

const acrossSizes = {name: 'n', label: 'cells along a panel side, n', format: String};

// A series has a label, points [n, value] and an optional dashed guide line.
function studyFigure(name, title, described, series, label, unit, across = acrossSizes) {
  const drawn = series.map((one) => ({...one,
    points: one.points.filter(([n, value]) => isPositive(n) && isPositive(value))}))
    .filter(({points}) => points.length > 0);
  if (drawn.length === 0) return [paragraph('No row has a positive value for the logarithmic axis.')];
  return [figure(name, title, described, 384, (svg, width) => drawStudy(svg, width, drawn, label, unit, across)),
    seriesLegend(drawn)];
}

function studyHeader(kind, title, d, ...rest) {
  document.title = printable(`${title}: ${kind}`);
  link('headline', 'Overview');
  const unfinished = d.finished === false ? element('p', {class: 'verdict warning'}, gradeMark('warning'),
    ' The study is not finished: the same command continues it.') : null;
  return element('header', {id: 'headline'}, element('p', {class: 'kind'}, `cubeswe ${d.version ?? ''} ${kind}`),
    element('h1', null, title),
    element('p', {class: 'subject'}, `${d.backend === 'cuda' ? 'CUDA' : 'CPU'} on `,
      element('b', null, d.device ?? 'an unknown device'), ...rest), unfinished);
}

const machineFacts = (machine) => Object.entries(machine ?? {}).filter(([, value]) => value !== null)
  .map(([key, value]) => [key.replace(/_/g, ' ').replace(/ bytes$/, ''), key.endsWith('_bytes') ? bytesText(value) : String(value)]);

const configurationDetails = (d) => (d.configuration ? element('details', null,
  element('summary', null, 'Configuration with all its defaults'),
  element('pre', {class: 'scroll', tabindex: 0}, d.configuration)) : null);

// ---- convergence ----

const ordersOf = (rows) => [...new Set(rows.map(({order}) => order))];

// One series per order; the dashed guide has the expected slope and passes through the last point.
function errorSeries(c, key, expected) {
  return ordersOf(c.rows).map((order) => {
    const points = c.rows.filter((row) => row.order === order).map((row) => [row.n, row[key]])
      .filter(([, value]) => isPositive(value));
    const slope = c.fits.find((fit) => fit.order === order)?.[expected];
    const [first, last] = [points[0], points.at(-1)];
    const hasGuide = points.length > 1 && isNumber(slope);
    return {label: `order ${order}${hasGuide ? ` (dashed: slope ${slope})` : ''}`, points,
      guide: hasGuide ? [[first[0], last[1] * (last[0] / first[0]) ** slope], last] : null};
  });
}

// Error over what it costs, one series per order; work of a row that is not known is left out.
const workSeries = (c, work) => ordersOf(c.rows).map((order) => ({label: `order ${order}`,
  points: c.rows.filter((row) => row.order === order).map((row) => [work(row), row.l2])}));
const workFigure = (c, name, label, work) => studyFigure(name, `Error over ${label}`,
  `Relative l2 error of h over ${label}, one line per order.`, workSeries(c, work), 'relative l2 error of h', '',
  {name, label, format: (value) => Number(value.toPrecision(2)).toString()});

const scientific = (value) => shownCell(value, isNumber(value) ? value.toExponential(3) : NONE);
const rateCell = (value) => numberCell(decimals(2), value);

function errorsTable(c, name, caption, keys, rates) {
  return table(name, caption, [column('Order'), column('n'), ...keys.map(([heading]) => column(heading)),
    ...rates.map(([heading]) => column('Rate', heading))],
    c.rows.map((row) => [countCell(row.order), countCell(row.n), ...keys.map(([, key]) => scientific(row[key])),
      ...rates.map(([, key]) => rateCell(row[key]))]), true);
}

function convergenceRuns(c) {
  return table('runs', 'Runs and the conservation of their integrals',
    [column('Order'), column('n'), column('dt', 's of model time'), column('Steps'), column('Threads'),
      column('Step', 'µs, median'), column('Run', 's'),
      column('Mass', 'relative drift'), column('Energy', 'relative drift'), column('Circulation', 'drift')],
    c.rows.map((row) => [countCell(row.order), countCell(row.n),
      shownCell(row.dt, String(Number(row.dt.toPrecision(4)))), countCell(row.steps), countCell(row.threads),
      ...[[1, row.step_us?.median], [2, row.seconds]].map(([places, value]) =>
        (row.not_reliable_because ? shownCell(null, NONE) : numberCell(decimals(places), value))),
        ...['mass', 'energy', 'circulation'].map((key) => scientific(row[`${key}_drift`]))]), true);
}

function fitsTable(c) {
  const keys = [['l2', 'l2'], ['linf', 'l∞'], ['velocity_l2', 'velocity l2'], ['velocity_linf', 'velocity l∞'],
    ['max_rms', 'largest rms'], ['max_linf_abs', 'largest l∞']]
    .filter(([key]) => c.fits.some((fit) => isNumber(fit[key])));
  return table('fits', 'Convergence rate of each order, by least squares over all rows',
    [column('Order'), ...keys.map(([, heading]) => column(heading)), column('Expected', 'l2'),
      column('Expected', 'velocity l2')],
    c.fits.map((fit) => [countCell(fit.order), ...keys.map(([key]) => rateCell(fit[key])),
      rateCell(fit.expected_rate), rateCell(fit.expected_velocity_rate)]));
}

function drawConvergence(c) {
  document.querySelector('main').append(studyHeader('convergence', `Convergence of ${c.case}`, c,
    `; orders ${ordersOf(c.rows).join(', ')}, n = ${d3.min(c.rows, ({n}) => n)} to ${d3.max(c.rows, ({n}) => n)}`));
  const heights = [['l1', 'l1'], ['l2', 'l2'], ['l∞', 'linf']];
  addSection('errors', 'Errors of the height', [
    ...studyFigure('errors', 'Relative l2 error of h', 'Error over n, one line per order.',
      errorSeries(c, 'l2', 'expected_rate'), 'relative l2 error of h', ''),
    ...workFigure(c, 'seconds', 'seconds of the run', (row) => (row.not_reliable_because ? null : row.seconds)),
    ...workFigure(c, 'evaluations', 'evaluations of the tendency of an unknown', (row) => row.evaluations),
    errorsTable(c, 'errors', 'Errors relative to the exact solution; each rate refers to the previous row',
      heights, [['l2', 'rate_l2'], ['l∞', 'rate_linf']]),
    fitsTable(c)]);
  if (c.rows.some((row) => isNumber(row.velocity_l2))) {
    addSection('velocity', 'Errors of the velocity', [
      ...studyFigure('velocity', 'Relative l2 error of the velocity',
        'Error over n, one line per order.', errorSeries(c, 'velocity_l2', 'expected_velocity_rate'),
        'relative l2 error of the velocity', ''),
      errorsTable(c, 'velocity', 'Errors relative to the exact velocity',
        heights.map(([heading, key]) => [heading, `velocity_${key}`]),
        [['l2', 'rate_velocity_l2'], ['l∞', 'rate_velocity_linf']])]);
  }
  addSection('runs', 'Runs', [convergenceRuns(c), configurationDetails(c)]);
}

// ---- bench ----

const variantOf = ({pipeline, precision, order}) => `${pipeline}, ${precision}, order ${order}`;

// One series per variant; the guide is the rate of a step that is limited by copy bandwidth alone.
function rateSeries(b) {
  return d3.nest().key(variantOf).entries(b.rows).map(({key, values}) => {
    const limit = (row) => [row.n, 1e-9 * b.ceilings.copy_bandwidth_bytes_per_s * row.dof / row.bytes_per_step];
    return {label: key, points: values.map((row) => [row.n, row.gdof_per_s]), unit: '1e9 DoF/s', spansGuide: true,
      guide: values.length > 1 && !b.ceilings.not_reliable_because ? values.map(limit).filter(([, value]) => isPositive(value)) : null};
  });
}

function benchRow(row) {
  const {median, low_quartile: low, high_quartile: high} = row.us_per_step;
  return [rowHead(variantOf(row)), countCell(row.n), countCell(row.threads), numberCell(decimals(1), median),
    textCell(`${low.toFixed(1)} to ${high.toFixed(1)}`),
    numberCell(decimals(3), row.ns_per_dof_and_stage), numberCell(decimals(3), row.gdof_per_s),
      numberCell(decimals(1), row.words),
    shownCell(row.bandwidth_bytes_per_s, bandwidthText(row.bandwidth_bytes_per_s)), shareCell(row.bandwidth_share),
    shownCell(row.flops_per_s, flopRateText(row.flops_per_s)), shareCell(row.flops_share), shareCell(row.host_share),
      bytesCell(row.memory_bytes)];
}

function benchTable(b) {
  return table('bench', `Time of a step; ${countText(b.repeats)} interleaved samples of every size`,
    [textColumn('Pipeline, precision, order'), column('n'), column('Threads'), column('Step', 'µs, median'),
      textColumn('Quartiles', 'µs'),
      column('Time', 'ns per DoF and stage', b.definitions.stage), column('Rate', 'GDoF/s', b.definitions.dof),
        column('Words', 'per DoF', b.definitions.words), column('Moved', 'per second', b.definitions.bytes_per_step),
      column('Reached', 'of a copy', b.definitions.bandwidth_share), column('Computed', 'per second'),
        column('Reached', 'of the peak'),
      column('Host', 'of the step', b.definitions.host_us_per_step), column('Memory')], b.rows.map(benchRow), true);
}

function benchFits(b) {
  const fits = b.fits.filter(({rows}) => rows > 1);
  return fits.length === 0 ? null : table('fits', 'Fit of the time of a step: T = a + V / b, with V degrees of freedom',
    [textColumn('Pipeline, precision, order'), column('a', 'µs', 'latency'), column('b', 'GDoF/s', 'throughput'),
      column('Deviation', 'at most')],
    fits.map((fit) => [rowHead(variantOf(fit)), numberCell(decimals(2), fit.latency_us),
      numberCell(decimals(3), fit.throughput_gdof_per_s),
      shownCell(fit.worst_deviation, percent(fit.worst_deviation))]));
}

function benchTiles(b) {
  const best = d3.max(b.rows, ({gdof_per_s: rate}) => rate);
  const fastest = b.rows.find(({gdof_per_s: rate}) => rate === best);
  const {copy_bandwidth_bytes_per_s: copy, fp64_flops_per_s: fp64, fp32_flops_per_s: fp32, threads} = b.ceilings;
  const measured = threads ? `measured with ${plural(threads, 'thread')}` : 'measured';
  return element('dl', {class: 'tiles'},
    tile('Highest rate', `${digits(best)}${THIN}GDoF/s`, `${variantOf(fastest)}, n = ${fastest.n}`),
    tile('Bandwidth of a copy', bandwidthText(copy), `bytes read and written, ${measured}`),
    tile('FP64', flopRateText(fp64), `multiply-adds, ${measured}`),
      tile('FP32', flopRateText(fp32), `multiply-adds, ${measured}`));
}

function drawBench(b) {
  const header = studyHeader('bench', `Time of a step: ${b.case}`, b, `; ${b.started}`);
  header.append(benchTiles(b));
  document.querySelector('main').append(header);
  addSection('rates', 'Rates', [
    ...studyFigure('rates', 'Degrees of freedom per second; dashed: limit by copy bandwidth',
      'Rate over n, one line per pipeline, precision and order.',
      rateSeries(b), 'rate', '1e9 DoF/s'), benchTable(b), benchFits(b),
        b.stopped ? note(`No larger size: ${b.stopped}.`) : null]);
  addSection('method', 'Method', [
    definitions({class: 'facts'}, [['version', b.version], ['build', b.build], ['command', b.command],
      ...machineFacts(b.machine)]),
    definitions({class: 'facts'}, Object.entries(b.definitions).map(([key, text]) => [key.replace(/_/g, ' '), text])), configurationDetails(b)]);
}
