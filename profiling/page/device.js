// The report's device: roofline, counters, memory, utilisation.

// ---- roofline ----

const isDrawn = ({intensity, rate}) => intensity > 0 && rate > 0 && isNumber(intensity) && isNumber(rate);

// Points of the stages by their formulas, then by the counters of the GPU. A window of counters has only times measured
// while counting, which are too long for a fraction of the roofline.
function rooflinePoints(w) {
  const countedOf = (name) => w.counters.stages.find(({stage}) => stage === name);
  const formula = w.stages.map(({name: stage, intensity, flops_per_s: rate, fraction, call_ns: call, flops}) => {
    const counted = countedOf(stage);
    return isNumber(call) || !counted ? {stage, intensity, rate, fraction} : {stage, intensity,
      rate: 1e9 * flops / counted.time_ns, fraction: null};
  });
  const counted = w.counters.stages.map(({stage, intensity, flops_per_s: rate, fraction}) => ({stage, intensity, rate,
    fraction, isCounted: true}));
  return [...formula, ...counted].filter(isDrawn);
}

// Bandwidths of the memory and of the caches that serve a stage, the fastest first.
function roofsOf(w) {
  const {bandwidth_bytes_per_s: bandwidth, bandwidth_is_measured: isMeasured, caches} = w.ceilings;
  const serves = (name) => w.stages.some(({served_by: by}) => by === name);
  const found = caches.filter(({name, bandwidth_bytes_per_s: rate}) => rate > 0 && serves(name))
    .map(({name, bandwidth_bytes_per_s: rate}) => ({rate, label: `copy in ${name} ${bandwidthText(rate)}`}));
  if (bandwidth > 0) found.push({rate: bandwidth, label: `copy ${bandwidthText(bandwidth)}, ${sourceOf(isMeasured)}`});
  return d3.sort(found, (a, b) => d3.descending(a.rate, b.rate));
}

const sourceOf = (isMeasured) => (isMeasured ? 'measured' : 'of the data sheet');

function rooflineScales(points, {flops_per_s: flops, ridge}, {left, right, top, bottom}) {
  const intensities = [0.1, 10, ...points.map(({intensity}) => intensity), ...(ridge > 0 ? [2 * ridge] : [])];
  const rates = [...points.map(({rate}) => rate), ...(flops > 0 ? [1.2 * flops] : [])];
  return {x: decades(d3.min(intensities), d3.max(intensities), left, right),
    y: decades(d3.min(rates), d3.max(rates), bottom, top), flops};
}

// `place` of the label: 0 at the lower end, 1 at the upper end.
function drawBandwidth(svg, {x, y, flops}, {rate, label}, place, isAbove) {
  const [[lowX, highX], [lowY, highY]] = [x.domain(), y.domain()];
  const from = Math.max(lowX, lowY / rate);
  const to = Math.min(flops > 0 ? flops / rate : highX, highX, highY / rate);
  if (!(to > from)) return;
  const [x0, y0, x1, y1] = [x(from), y(from * rate), x(to), y(to * rate)];
  svg.append('path').attr('class', 'roof').attr('d', `M${x0} ${y0}L${x1} ${y1}`);
  const group = svg.append('g')
    .attr('transform', `translate(${x0 + place * (x1 - x0)} ${y0 + place * (y1 - y0)}) rotate(${Math.atan2(y1 - y0, x1 - x0) * 180 / Math.PI})`);
  textAt(group, 0, isAbove ? -7 : 15, 'roof-label middle', label);
}

function drawPeaks(svg, scales, w, right, narrow) {
  const {x, y, flops} = scales;
  const roofs = roofsOf(w);
  roofs.forEach((roof, k) => drawBandwidth(svg, scales, roof, narrow ? 0.5 : (k + 1) / (roofs.length + 1), k % 2 === 0));
  if (flops > 0) {
    const from = roofs.length > 0 ? Math.max(flops / roofs[0].rate, x.domain()[0]) : x.domain()[0];
    svg.append('path').attr('class', 'roof').attr('d', `M${x(from)} ${y(flops)}H${right}`);
    textAt(svg, right, y(flops) - 7, 'roof-label end',
      `${w.ceilings.flops_of} ${flopRateText(flops)}, ${sourceOf(w.ceilings.flops_are_measured)}`);
  }
}

// Positions of labels from the top down, without overlap and within the figure.
function placeLabels(points, y, top, bottom, height) {
  const placed = [...points].sort((a, b) => b.rate - a.rate).map((point) => ({...point, label: y(point.rate)}));
  let next = top;
  for (const point of placed) next = (point.label = Math.max(point.label, next)) + height;
  let most = bottom;
  for (const point of placed.reverse()) most = (point.label = Math.min(point.label, most)) - height;
  return placed.reverse();
}

function pointHint({stage, isCounted, intensity, rate, fraction}) {
  const share = isNumber(fraction) ? `, ${percent(fraction)} of its roofline` : '';
  return `${stage}${isCounted ? ' as counted' : ''}: ${digits(intensity)} FLOP/B, ${flopRateText(rate)}${share}`;
}

const pointLabel = ({stage, isCounted, fraction}) =>
  `${stage}${isCounted ? ', counted' : ''}${isNumber(fraction) ? ` ${percent(fraction)}` : ''}`;

function drawRoofline(svg, width, points, w) {
  const narrow = isNarrow(width);
  const area = {left: 60, right: narrow ? width - 8 : width - 230, top: 30, bottom: 350};
  const scales = rooflineScales(points, w.ceilings, area);
  const {x, y} = scales;
  axisAtLeft(svg, y, {...area, label: 'rate', unit: 'GFLOP/s', ticks: powersOfTen(y, 8), format: decadeText(1e9)});
  axisBelow(svg, x, {...area, label: 'intensity', unit: 'FLOP/B', ticks: powersOfTen(x, 8), format: decadeText(1)});
  drawPeaks(svg, scales, w, area.right, narrow);
  for (const point of placeLabels(points, y, area.top, area.bottom, 17)) {
    const at = `M${x(point.intensity)} ${y(point.rate)}L${area.right + 14} ${point.label}h9`;
    if (!narrow) svg.append('path').attr('class', 'leader').attr('d', at);
    hint(svg.append('circle').attr('class', `point ${colourOf(point.stage)}${point.isCounted ? ' counted' : ''}`)
      .attr('cx', x(point.intensity)).attr('cy', y(point.rate)).attr('r', 6), pointHint(point));
    if (!narrow) textAt(svg, area.right + 28, point.label + 4, 'legend', pointLabel(point));
  }
}

// The legend of narrow figures, which have no room for labels; hidden on wide ones.
const rooflineLegend = (points) => element('ul', {class: 'legend-narrow'},
  [...points].sort((a, b) => b.rate - a.rate)
    .map((point) => element('li', null, swatch(colourOf(point.stage)), pointLabel(point))));

function peaksNote({bandwidth_bytes_per_s: bandwidth, flops_per_s: flops, flops_of: precision, ridge, caches}) {
  if (!(bandwidth > 0) && !(flops > 0)) {
    return note('The peaks of the device are unknown: the run measured none, and no data sheet is available. The points show rates only.');
  }
  if (!(bandwidth > 0)) return note('The memory bandwidth of the device is unknown.');
  if (!(flops > 0)) return note(`The ${precision} peak of the device is unknown.`);
  const sizes = caches.map(({name, bytes, bandwidth_bytes_per_s: rate}) => `${name} ${bytesText(bytes)}, ${bandwidthText(rate)}`);
  return note(`Left of the ridge point at ${digits(ridge)} FLOP/B the memory is the limit of the stages that it serves. Percentages refer to the roofline at a stage’s `
    + 'intensity. Bytes and operations follow the formulas and count each value once.'
    + (sizes.length === 0 ? '' : ` A stage is under the smallest cache that holds what a step touches between two accesses of the stage’s data `
      + `(its reach, in the table of buffers). Copies within the caches, measured: ${sizes.join('; ')}.`));
}

function rooflineSection(r, w) {
  const points = rooflinePoints(w);
  if (points.length === 0) {
    return paragraph('The roofline needs costs and times of the stages, which the profile does not have.');
  }
  const missing = w.stages.map(({name}) => name)
    .filter((name) => !points.some(({stage, isCounted}) => stage === name && !isCounted));
  return [figure('roofline', 'Rate of each stage over its arithmetic intensity',
    `${plural(points.length, 'point')}, below the roofline of the device: bandwidth ${bandwidthText(w.ceilings.bandwidth_bytes_per_s)}, `
    + `${w.ceilings.flops_of} ${flopRateText(w.ceilings.flops_per_s)}.`, 394,
      (svg, width) => drawRoofline(svg, width, points, w)),
  rooflineLegend(points), peaksNote(w.ceilings),
  w.counters.stages.length > 0
    ? note('Rings are values counted by the GPU: FP64 operations over device memory traffic, at the rate measured while counting, which is '
      + `slower than a run${isNumber(w.step_ns) ? '' : '; discs follow the formulas, over the same time'}.`) : null,
  missing.length > 0 ? note(`Without a point: ${missing.join(', ')} (no operations or no time counted).`) : null];
}

// ---- counters ----

const isOff = ({ratio}) => isNumber(ratio) && Math.abs(ratio - 1) > 0.1;
const ratioCell = (pair) => (isOff(pair) ? element('td', {class: 'off', 'data-value': pair.ratio},
  digits(pair.ratio)) : numberCell(decimals(2), pair.ratio));
const pairCells = (scale, pair) => [numberCell(scale, pair.counted), numberCell(scale, pair.formula), ratioCell(pair)];

function countersTable(stages) {
  const time = scaleFor('time', stages.map(({time_ns: ns}) => ns));
  const bytes = scaleFor('bytes', stages.flatMap(({bytes: pair}) => [pair.counted, pair.formula]));
  const flops = scaleFor('flops', stages.flatMap(({flops: pair}) => [pair.counted, pair.formula]));
  return table('counters', 'One call of each stage: counted values and formulas',
    [textColumn('Stage'), column('Calls', 'per step'),
      column('Call', time.unit, 'time on the GPU without concurrent work, including the overhead of counting'),
      column('Memory', bytes.unit, 'bytes read from and written to device memory, counted'),
        column('Formula', bytes.unit, 'bytes by the formulas, each value once'),
      column('Ratio', null, 'counted over formula'), column('Read', bytes.unit, 'from device memory, counted'),
      column('Written', bytes.unit, 'to device memory, counted'),
        column('L2', bytes.unit, 'bytes requested from the L2 cache, counted'),
      column('L1', bytes.unit, 'bytes requested from the L1 caches, counted'),
        column('FLOPs', flops.unit, 'FP64 operations counted; a multiply-add counts as two'),
      column('Formula', flops.unit, 'operations by the formulas'), column('Ratio', null, 'counted over formula')],
    stages.map((s) => [stageHead(s.stage), countCell(s.calls), numberCell(time, s.time_ns),
      ...pairCells(bytes, s.bytes),
      numberCell(bytes, s.read_bytes), numberCell(bytes, s.written_bytes), numberCell(bytes, s.l2_bytes),
        numberCell(bytes, s.l1_bytes),
      ...pairCells(flops, s.flops)]), true);
}

function countersSection(r, w) {
  const {stages, chip, passes, first_step: first} = w.counters;
  if (stages.length === 0) return paragraph(w.counters_verdict);
  return [paragraph(w.counters_verdict), countersTable(stages),
    note(`Counted by ${chip} in ${countText(passes)} passes, one step each from step ${countText(first)} on; all steps launch the same `
      + 'kernels with the same sizes. An en dash: the chip cannot count the value, or its formula is unknown.'),
    table('counted-kernels', 'Counted kernels of each stage',
      [textColumn('Stage'), textColumn('Kernel'), column('Launches', 'per step')],
      stages.flatMap((s) => s.kernels.map((k) => [stageHead(s.stage), codeCell(k.kernel), countCell(k.launches)])))];
}

// ---- memory ----

function drawMemory(svg, width, w) {
  const area = {left: 60, right: width - 8, top: 34, bottom: 154};
  const {memory: changes, duration_ns: duration} = w.timeline;
  const x = d3.scaleLinear([0, duration], [area.left, area.right]);
  const y = fromZero(Math.max(w.memory.peak_bytes, d3.max(changes, ([, bytes]) => bytes)), area.bottom, area.top);
  axisAtLeft(svg, y, {...area, label: 'in use', ...scaleOf('bytes', y.domain()[1])});
  axisBelow(svg, x, {...area, top: area.bottom, label: 'time', ...scaleOf('time', duration)});
  const filled = d3.area().x(([time]) => x(time)).y0(y(0)).y1(([, bytes]) => y(bytes)).curve(d3.curveStepAfter);
  svg.append('path').attr('class', 'fill-memory').attr('d', filled([...changes, [duration, changes.at(-1)[1]]]));
  if (!(w.memory.peak_bytes > 0)) return;
  const peak = y(w.memory.peak_bytes);
  svg.append('path').attr('class', 'median').attr('d', `M${area.left} ${peak}H${area.right}`);
  textAt(svg, area.right, peak - 5, 'end', `peak ${bytesText(w.memory.peak_bytes)}`);
}

function sitesTable(sites) {
  const all = d3.sum(sites, ({after}) => after.bytes);
  const scale = scaleFor('bytes', sites.flatMap(({before, after}) => [before.bytes, after.bytes]));
  return table('memory', 'Buffers, the largest first',
    [textColumn('Buffer'), column('At start', scale.unit), column('At end', scale.unit),
      column('Share', 'at end'), column('Blocks'), textColumn('Allocated in')],
    sites.map((s) => [rowHead(s.label), numberCell(scale, s.before.bytes), numberCell(scale, s.after.bytes),
      shareCell(all > 0 ? s.after.bytes / all : null),
      countCell(s.after.blocks), textCell(code(`${s.function}, ${s.file}:${s.line}`))]), true);
}

function memorySection(r, w) {
  const m = w.memory;
  if (!(m.peak_bytes > 0)) return paragraph('The profile has no allocations of device memory.');
  const changed = m.allocated.blocks + m.released.blocks === 0 ? 'The window has no allocations or releases.'
    : `Within the window ${bytesText(m.allocated.bytes)} (blocks: ${countText(m.allocated.blocks)}) were allocated and `
      + `${bytesText(m.released.bytes)} (blocks: ${countText(m.released.blocks)}) were released.`;
  const others = m.untracked.blocks > 0 ? ` CUDA and libraries allocated ${bytesText(m.untracked.bytes)} (blocks: ${countText(m.untracked.blocks)}).` : '';
  return [paragraph(`Peak use since the start of the run: ${bytesText(m.peak_bytes)}. ${changed}${others}`),
    w.timeline?.memory.length > 0 && w.timeline.duration_ns > 0
      ? figure('memory', 'Memory in use during the window',
        `From ${bytesText(m.before_bytes)} at the start of the window to ${bytesText(m.after_bytes)} at its `
        + `end; peak since the start of the run ${bytesText(m.peak_bytes)}.`, 198,
          (svg, width) => drawMemory(svg, width, w)) : damageNote(w),
    m.sites.length > 0 ? sitesTable(m.sites) : null];
}

// ---- utilisation ----

// A line of at most 500 points by key; a point of more samples is the mean of neighbours. A sample has its time first, then a
// length if `hasLength`, and the values in the order of the keys.
function lineOf(samples, keys, hasLength = false) {
  const count = samples.length;
  const points = Math.min(count, 500);
  const groups = d3.range(points).map((p) => samples.slice(Math.floor(p * count / points), Math.floor((p + 1) * count / points)));
  const line = {time_ns: groups.map((group) => (group[0][0] + group.at(-1)[0] + (hasLength ? group.at(-1)[1] : 0)) / 2)};
  keys.forEach((key, k) => {
    line[key] = groups.map((group) => d3.mean(group, (sample) => sample[(hasLength ? 2 : 1) + k]) ?? null);
  });
  return {line, count};
}

// The keys of the samples of timeline.json in their order.
const stateKeys = ['sm_percent', 'memory_percent', 'memory_used_bytes', 'sm_clock_mhz', 'power_watts', 'temperature_celsius'];

// Stacked panels, one unit each; lines are [key, class, name in the legend].
const statePanels = [
  {label: 'used', unit: '%', most: 100,
    lines: [['sm_percent', 'sm', 'kernels'], ['memory_percent', 'memory', 'memory']]},
  {label: 'power', unit: 'W', lines: [['power_watts', 'sm', '']]},
  {label: 'clock', unit: 'MHz', lines: [['sm_clock_mhz', 'sm', 'multiprocessors'],
    ['memory_clock_mhz', 'memory', 'memory']]}];
const PANEL = 84;
const PANEL_ROW = PANEL + 66; // with its axis

function drawPanel(svg, width, panel, line, duration, top, windows) {
  const area = {left: 56, right: width - 12, top, bottom: top + PANEL};
  const x = d3.scaleLinear([0, duration], [area.left, area.right]).clamp(true);
  const lines = panel.lines.filter(([key]) => line[key]?.some(isNumber));
  const y = panel.most ? d3.scaleLinear([0, panel.most], [area.bottom, area.top])
    : fromZero(d3.max(lines, ([key]) => d3.max(line[key])), area.bottom, area.top);
  for (const [from, to, first] of windows) {
    if (to < 0 || from > duration) continue;
    hint(svg.append('rect').attr('class', 'bar window').attr('x', x(from)).attr('y', top).attr('height', PANEL)
      .attr('width', Math.max(x(to) - x(from), 2)), `window from step ${first}`);
  }
  axisAtLeft(svg, y, {...area, label: panel.label, unit: panel.unit, count: 4});
  axisBelow(svg, x, {...area, top: area.bottom, label: 'time', ...scaleOf('time', duration)});
  for (const [key, kind] of lines) lineThrough(svg, kind, line.time_ns, line[key], x, y);
  lineLegend(svg, area.left + (isNarrow(width) ? 28 : 84), top - 10, lines.filter(([, , name]) => name).map(([, kind, name]) => [kind, name]));
}

function stateFigure(name, title, {line, count}, duration, windows = []) {
  const panels = statePanels.filter(({lines}) => lines.some(([key]) => line[key]?.some(isNumber)));
  if (panels.length === 0 || count < 2 || !(duration > 0)) return null;
  return figure(name, title, `${countText(count)} samples in ${timeText(duration)}: the shares of time with a running kernel and with memory use, `
    + 'power and clocks, as far as they are known, in stacked panels.', 34 + panels.length * PANEL_ROW,
  (svg, width) => panels.forEach((panel, k) => drawPanel(svg, width, panel, line, duration, 34 + k * PANEL_ROW,
    windows)));
}

const stateQuantities = [['time with a running kernel', '%', 1, 'sm_percent'],
  ['time with memory reads or writes', '%', 1, 'memory_percent'],
  ['memory in use by all processes', 'GB', 1e9, 'memory_used_bytes'], ['clock of the multiprocessors', 'MHz', 1, 'sm_clock_mhz'],
  ['clock of the memory', 'MHz', 1, 'memory_clock_mhz'], ['power', 'W', 1, 'power_watts'],
    ['temperature', '°C', 1, 'temperature_celsius']];

const quantityCells = (q, factor) => [countCell(q?.count), ...[q?.mean, q?.min, q?.max]
  .map((value) => element('td', null, digits(isNumber(value) ? value / factor : null)))];

function stateTable(state, log) {
  const headings = ['Samples', 'Mean', 'Least', 'Most'];
  return table('utilisation', 'State of the GPU during the window, and from the first step to the end of the run',
    [textColumn('Quantity'), textColumn('Unit'), ...headings.map((name) => column(name, 'window')),
      ...headings.map((name) => column(name, 'whole run'))],
    stateQuantities.filter(([, , , key]) => state[key] || log?.[key])
      .map(([name, unit, factor, key]) => [rowHead(name), textCell(unit), ...quantityCells(state[key], factor),
        ...quantityCells(log?.[key], factor)]));
}

// In the order of timeline.json.
const sampledQuantities = [['sm_active_percent', '%', 1, 'time with a warp on a multiprocessor'],
  ['warps_active_percent', '%', 1, 'resident warps, of the maximum'],
    ['fp64_active_percent', '%', 1, 'time with an active FP64 pipe'],
  ['dram_read_bytes_per_s', 'GB/s', 1e9, 'read from device memory'],
    ['dram_written_bytes_per_s', 'GB/s', 1e9, 'written to device memory'],
  ['l2_hit_percent', '%', 1, 'L2 hit rate']];

// Device memory traffic in percent of the bandwidth. Pure reads can exceed a copy; the axis ends at 100 %.
function sampledLines(line, bandwidth) {
  const traffic = line.dram_read_bytes_per_s.map((read, k) => {
    const written = line.dram_written_bytes_per_s[k];
    return bandwidth > 0 && isNumber(read) && isNumber(written) ? Math.min(100,
      100 * (read + written) / bandwidth) : null;
  });
  return [['sm', 'SMs active', line.sm_active_percent], ['fp64', 'FP64 pipe active', line.fp64_active_percent],
    ['memory', 'DRAM traffic, of its peak', traffic]];
}

function drawSampled(svg, width, w, line) {
  const area = {left: 56, right: width - 12, top: isNarrow(width) ? 52 : 34, bottom: 174};
  const x = d3.scaleLinear([0, w.duration_ns], [area.left, area.right]);
  const y = d3.scaleLinear([0, 100], [area.bottom, area.top]);
  axisAtLeft(svg, y, {...area, label: 'of the maximum', unit: '%'});
  axisBelow(svg, x, {...area, top: area.bottom, label: 'time', ...scaleOf('time', w.duration_ns)});
  const lines = sampledLines(line, w.ceilings.bandwidth_bytes_per_s);
  for (const [kind, , values] of lines) lineThrough(svg, kind, line.time_ns, values, x, y);
  const legend = lines.map(([kind, name]) => [kind, isNarrow(width) ? name.split(/ active| traffic/)[0] : name]);
  if (isNarrow(width)) lineLegend(svg, 0, 12, legend);
  else lineLegend(svg, width - 560, area.top - 12, legend);
}

function sampledParts(w) {
  const {sampled} = w.gpu;
  const {line, count} = lineOf(w.timeline?.sampled ?? [], sampledQuantities.map(([key]) => key), true);
  const known = sampledQuantities.filter(([key]) => sampled[key]);
  return [count > 1 ? figure('sampled', 'Counters of the GPU over time',
    `${countText(count)} samples; multiprocessors active on average `
    + `${digits(sampled.sm_active_percent?.mean)} %, FP64 pipe ${digits(sampled.fp64_active_percent?.mean)} %.`, 218,
      (svg, width) => drawSampled(svg, width, w, line)) : damageNote(w),
  known.length === 0 ? null : table('sampled', 'Counters of the GPU during the window',
    [textColumn('Quantity'), textColumn('Unit'), ...['Samples', 'Mean', 'Least', 'Most'].map((name) => column(name))],
    known.map(([key, unit, factor, meaning]) => [rowHead(meaning), textCell(unit),
      ...quantityCells(sampled[key], factor)]))];
}

function utilisationSection(r, w) {
  if (!r.device.is_gpu) {
    return paragraph('Utilisation is sampled on GPUs only; none computed in this run. See CPU threads for the load of the CPU.');
  }
  const {state} = w.gpu;
  const hasSamples = w.has_gpu && stateQuantities.some(([, , , key]) => state[key]);
  const parts = sampledParts(w); // counters may exist without samples of the state
  if (!hasSamples) {
    parts.push(paragraph('This window has no samples of the GPU’s state: NVML was not available or not used (mode counters), '
      + `or the window (${timeText(w.duration_ns)}) ended before the first sample.`));
  }
  if (!hasSamples && !r.log) return parts;
  const windows = r.windows.map(({start_ns: start, duration_ns: duration, first_step: first}) =>
    [start - r.log?.start_ns, start - r.log?.start_ns + duration, first]);
  return [...parts, stateFigure('utilisation', 'Utilisation, power and clock of the GPU in the window',
    lineOf(w.timeline?.samples ?? [], stateKeys), w.duration_ns),
    r.log ? stateFigure('utilisation-run', 'Utilisation, power and clock of the GPU over the whole run, with its windows',
      r.log, r.log.duration_ns, windows) : null,
    r.log && r.log.count > r.log.line.time_ns.length
      ? note(`Each point of the lines is the mean of about ${Math.ceil(r.log.count / r.log.line.time_ns.length)} of the run’s ${countText(r.log.count)} samples.`) : null,
    stateTable(state, r.log)];
}
