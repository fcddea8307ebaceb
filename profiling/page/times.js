// The report's times: steps, stages, kernels, CPU threads, host overhead.

// ---- steps ----

function stepBand(svg, spread, left, right, y) {
  const height = Math.max(y(spread.lower_quartile) - y(spread.upper_quartile), 1);
  svg.append('rect').attr('class', 'band').attr('x', left).attr('y', y(spread.upper_quartile))
    .attr('width', right - left).attr('height', height);
  svg.append('path').attr('class', 'median').attr('d', `M${left} ${y(spread.median)}H${right}`);
  textAt(svg, right + 8, y(spread.median) + 4, '', timeText(spread.median));
}

function stepDots(svg, kind, steps, times, x, y) {
  if (steps.length > 400) return;
  steps.forEach((step, k) => {
    if (!isNumber(times[k])) return;
    hint(svg.append('circle').attr('class', `dot ${kind}`).attr('cx', x(step)).attr('cy', y(times[k])).attr('r', 3),
      `step ${step}: ${timeText(times[k])}`);
  });
}

function drawSteps(svg, width, w, spread) {
  const [left, right, top, bottom] = [48, width - 70, 34, 180];
  const steps = w.each.map(({step}) => step);
  const host = w.each.map(({host_ns: time}) => time);
  const gpu = w.each.map(({gpu_ns: time}) => time);
  const x = d3.scaleLinear([steps[0] - 0.5, steps.at(-1) + 0.5], [left, right]);
  const y = fromZero(d3.max([...host, ...gpu]), bottom, top);
  const {factor, unit} = scaleOf('time', y.domain()[1]);
  axisAtLeft(svg, y, {left, right, label: 'time', unit, factor});
  axisBelow(svg, x, {top: bottom, bottom, label: 'step', ticks: x.ticks(Math.min(10, ticksFor(right - left, 64)))
    .filter(Number.isInteger)});
  if (spread) stepBand(svg, spread, left, right, y);
  const hasGpu = gpu.some(isNumber);
  for (const [kind, times] of [['host', host], ...(hasGpu ? [['gpu', gpu]] : [])]) {
    lineThrough(svg, kind, steps, times, x, y);
    stepDots(svg, kind, steps, times, x, y);
  }
  if (hasGpu) lineLegend(svg, right - 150, top - 12, [['host', 'host'], ['gpu', 'GPU']]);
}

function stepsFigure(r, w) {
  const spread = r.device.is_gpu && w.step_gpu_ns ? w.step_gpu_ns : w.step_host_ns;
  const summary = spread
    ? `; median ${timeText(spread.median)}, middle half from ${timeText(spread.lower_quartile)} to ${timeText(spread.upper_quartile)}` : '';
  return figure('steps', 'Time of every step of the window',
    `Steps ${w.each[0].step} to ${w.each.at(-1).step}${summary}.`, 224,
    (svg, width) => drawSteps(svg, width, w, spread));
}

// The segments of one bar. Names of narrow segments are in the legend below, which breaks into lines.
function drawBreakdown(svg, width, segments, all) {
  let [x, at, line] = [0, 0, 0];
  for (const {name, share, colour} of segments) {
    const size = share / all * width;
    hint(svg.append('rect').attr('class', `bar ${colour}`).attr('x', x).attr('y', 1).attr('width', size)
      .attr('height', 36), `${name}: ${percent(share)}`);
    const group = svg.append('g').attr('class', colour);
    if (size > Math.max(7.5 * name.length + 8, 48)) {
      textAt(group, x + size / 2, 16, 'on middle', name);
      textAt(group, x + size / 2, 31, 'on middle', percent(share));
    } else {
      const room = 7.5 * (name.length + 6) + 26;
      if (at > 0 && at + room > width) [at, line] = [0, line + 1];
      group.append('rect').attr('class', 'bar').attr('x', at).attr('y', 46 + 16 * line).attr('width', 10)
        .attr('height', 10);
      textAt(group, at + 14, 55 + 16 * line, '', `${name} ${percent(share)}`);
      at += room;
    }
    x += size;
  }
  svg.attr('viewBox', `0 0 ${width} ${Math.max(62 + 16 * line, 60)}`);
}

function breakdownFigure(r, w) {
  const segments = w.stages.filter(({share}) => share > 0).map(({name, share}) => ({name, share, colour: colourOf(name)}));
  if (w.other_share > 0) segments.push({name: 'outside of stages', share: w.other_share, colour: 'other'});
  const all = Math.max(1, d3.sum(segments, ({share}) => share)); // never wider than the figure
  if (segments.length === 0) return null;
  return figure('breakdown', r.device.is_gpu ? 'Time of the stages on the GPU' : 'Time of a step by stage',
    `Shares of the stages, largest first; ${segments[0].name} has ${percent(segments[0].share)}.`, 60,
    (svg, width) => drawBreakdown(svg, width, segments, all));
}

function windowsTable(r) {
  return table('windows', 'All windows of the run. This page shows the window with the median step time.',
    [textColumn('Window'), column('Steps'), column('Step', null, 'median on the device that computed'),
      textColumn('Quartiles'), textColumn('Opened')],
    r.windows.map((w, k) => {
      const spread = r.device.is_gpu && w.step_gpu_ns ? w.step_gpu_ns : w.step_host_ns;
      return [rowHead(`from step ${countText(w.first_step)}${k === r.shown ? ' (shown)' : ''}`), countCell(w.steps),
        timeCell(w.step_ns),
        textCell(`${timeText(spread?.lower_quartile)} to ${timeText(spread?.upper_quartile)}`), textCell(w.date)];
    }), true);
}

function stepsSection(r, w) {
  return [w.each.length > 0 ? stepsFigure(r, w) : paragraph('The window has no times of single steps.'),
    w.stages.length > 0 ? breakdownFigure(r, w) : null, r.windows.length > 1 ? windowsTable(r) : null];
}

// ---- stages ----

function stageScales(stages) {
  const of = (quantity, key) => scaleFor(quantity, stages.map((stage) => stage[key]));
  return {call: of('time', 'call_ns'), gpu: scaleFor('time', stages.map(({gpu_ns: gpu}) => gpu?.total)),
    bytes: of('bytes', 'bytes'),
    flops: of('flops', 'flops'), bandwidth: of('bandwidth', 'bandwidth_bytes_per_s'),
      rate: of('flopRate', 'flops_per_s')};
}

function stageColumns(r, w, s, hasGpu, hasCost) {
  const time = `the mean time of a call${w.ranks ? ' without its waits for messages' : ''}`;
  return [textColumn('Stage'), column('Calls', 'per step'),
    column('Share', r.device.is_gpu ? 'of all stages' : 'of the step'),
    column('Call', s.call.unit, 'mean time of a call on the device that computed'),
    textColumn('Quartiles', s.call.unit, hasGpu ? 'of its operations on the GPU' : 'of its calls'),
    ...(hasGpu ? [column('GPU', s.gpu.unit, 'total of its operations in the window')] : []),
    ...(hasCost ? [
      column('Bytes', s.bytes.unit, 'bytes that one call must move, each value read or written once'),
      column('FLOPs', s.flops.unit, 'operations of one call, by its formulas'),
      column('Rate', s.bandwidth.unit, `bytes over ${time}`),
      column('Rate', s.rate.unit, `operations over ${time}`),
      column('Intensity', 'FLOP/B', 'operations per byte moved'),
      textColumn('Served', 'by',
        'the smallest cache that holds what a step touches between two accesses of the stage’s data'),
      column('Reached', 'of roofline', 'rate over the attainable rate at the stage’s intensity'),
      textColumn('Bound by', null, 'the limiting peak; latency if the roofline time is less than 5 µs and less than half of the time of a call')] : [])];
}

function stageRow(stage, s, hasGpu, hasCost) {
  const spread = hasGpu ? stage.gpu_ns : stage.host_ns;
  return [stageHead(stage.name), numberCell(decimals(Number.isInteger(stage.calls_per_step) ? 0 : 1),
    stage.calls_per_step),
    shareCell(stage.share), numberCell(s.call, stage.call_ns),
    textCell(`${scaled(s.call, spread?.lower_quartile)} to ${scaled(s.call, spread?.upper_quartile)}`),
    ...(hasGpu ? [numberCell(s.gpu, stage.gpu_ns?.total)] : []),
    ...(hasCost ? [numberCell(s.bytes, stage.bytes), numberCell(s.flops, stage.flops),
      numberCell(s.bandwidth, stage.bandwidth_bytes_per_s),
      numberCell(s.rate, stage.flops_per_s), numberCell(decimals(2), stage.intensity),
        textCell(stage.served_by || NONE),
        shareCell(stage.fraction),
        textCell(stage.bound ?? NONE)] : [])];
}

function buffersTable(w) {
  const buffers = (stage, writes) => proseCell(stage.buffers.filter((buffer) => buffer.writes === writes)
    .map(({name, bytes}) => `${name} ${bytesText(bytes)}`).join(', '));
  return element('details', null, element('summary', null, 'Buffers that each stage reads and writes'),
    table('buffers', 'Buffers of each stage, with the bytes of one call',
      [textColumn('Stage'), textColumn('Reads', 'in one call'), textColumn('Writes', 'in one call'),
        textColumn('Reach', null, 'bytes that a step touches between two accesses of the stage’s data')],
      w.stages.map((stage) => [stageHead(stage.name), buffers(stage, false), buffers(stage, true),
        textCell(bytesText(stage.reach_bytes))])));
}

// Samples of the code that ran, by part of its stage.
function partsTable(w) {
  const callOf = ({stage, share_of_stage: share}) => {
    const call = w.stages.find(({name}) => name === stage)?.call_ns;
    return isNumber(call) ? share * call : null;
  };
  const call = scaleFor('time', w.parts.map(callOf));
  return table('parts', 'Parts of the stages, by samples of the code that ran',
    [textColumn('Stage'), textColumn('Part'), column('Share', 'of the stage'), column('Time', `${call.unit} a call`),
      column('Samples', null, 'of all threads, or multiprocessors')],
    w.parts.map((part) => [stageHead(part.stage), textCell(part.part || '(other)'), shareCell(part.share_of_stage),
      numberCell(call, callOf(part)), countCell(part.samples)]), true);
}

function stagesSection(r, w) {
  if (w.stages.length === 0) return paragraph('No stage ran in this window.');
  const hasGpu = w.stages.some(({gpu_ns: gpu}) => gpu?.total > 0);
  const hasCost = w.stages.some(({bytes, flops}) => bytes > 0 || flops > 0);
  const s = stageScales(w.stages);
  return [table('stages', 'Stages of a step, the largest share first', stageColumns(r, w, s, hasGpu, hasCost),
    w.stages.map((stage) => stageRow(stage, s, hasGpu, hasCost)), true),
  hasCost ? null : note('The profile has no costs of the stages, and therefore no bytes, operations and rates.'),
  w.stages.some(({fraction}) => fraction > 1)
    ? note('More than 100 % of the roofline: a faster memory than the one in column Served delivered values.') : null,
  w.parts.length > 0 ? partsTable(w) : null,
  w.stages.some(({buffers}) => buffers.length > 0) ? buffersTable(w) : null];
}

// ---- kernels ----

const sizesCell = (sizes) => element('td', null, sizes.join('×'));

function kernelsSection(r, w) {
  if (w.kernels.length === 0) {
    return paragraph(r.device.is_gpu ? 'The profile has no kernels: CUPTI recorded none in this window.'
      : 'The run has no kernels: no GPU computed.');
  }
  const total = scaleFor('time', w.kernels.map(({time_ns: time}) => time?.total));
  const call = scaleFor('time', w.kernels.map(({time_ns: time}) => time?.median));
  return table('kernels', 'Kernels by stage and launch, the largest total first',
    [textColumn('Kernel'), textColumn('Stage'), column('Runs', null, 'launches in the window'),
      column('Share', 'of kernels'),
      column('Total', total.unit), column('Median', call.unit), column('Grid', 'blocks'), column('Block', 'threads'),
      column('Regs', null, 'registers of a thread'), column('Shared', 'B', 'of a block, static and dynamic'),
      column('Local', 'B', 'of a thread: spills and stack'), column('Occupancy', 'theoretical')],
    w.kernels.map((k) => [rowHead(swatch(colourOf(k.stage)), code(k.name, {title: k.name})), textCell(k.stage || NONE),
      countCell(k.time_ns?.count), shareCell(k.share), numberCell(total, k.time_ns?.total),
        numberCell(call, k.time_ns?.median),
      sizesCell(k.grid), sizesCell(k.block), countCell(k.registers),
        countCell(k.static_shared_bytes + k.dynamic_shared_bytes),
      countCell(k.local_bytes), shareCell(isNumber(k.occupancy_percent) ? k.occupancy_percent / 100 : null)]), true);
}

// ---- CPU threads ----

function teamsTable(w) {
  const teams = d3.nest().key(({stage}) => stage).entries(w.threads);
  const scale = scaleFor('time', w.threads.map(({time_ns: time}) => time?.total));
  return table('teams', 'Load balance of the threads in each stage',
    [textColumn('Stage'), column('Threads'),
      column('Least', scale.unit, 'shortest time of a thread in the window'),
      column('Mean', scale.unit), column('Most', scale.unit),
        column('Imbalance', 'most / mean', '1: balanced'),
      column('Waiting', 'of the threads’ time', 'time that a balanced load would save')],
    teams.map(({key, values}) => {
      const totals = values.map(({time_ns: time}) => time?.total);
      return [stageHead(key), countCell(values.length), numberCell(scale, d3.min(totals)),
        numberCell(scale, d3.mean(totals)),
        numberCell(scale, d3.max(totals)), numberCell(decimals(2), values[0].imbalance),
          shareCell(1 - 1 / values[0].imbalance)];
    }), true);
}

const counterHeadings = {task_clock: 'On a core', context_switches: 'Switches', instructions: 'Instructions',
  cycles: 'Cycles', cache_misses: 'Cache misses'};

function threadsTable(w) {
  const total = scaleFor('time', w.threads.map(({time_ns: time}) => time?.total));
  const call = scaleFor('time', w.threads.map(({time_ns: time}) => time?.median));
  const counters = Object.keys(counterHeadings).filter((key) => w.threads.some((thread) => isNumber(thread[key])))
    .map((key) => ({key, scale: key === 'task_clock' ? total : scaleFor('count',
      w.threads.map((thread) => thread[key]))}));
  const hasIpc = w.threads.some(({instructions_per_cycle: ipc}) => isNumber(ipc));
  const rows = w.threads.map((t) => [stageHead(t.stage), textCell(t.thread), countCell(t.time_ns?.count),
    numberCell(total, t.time_ns?.total),
    numberCell(call, t.time_ns?.median), shareCell(t.share_of_stage),
      ...counters.map(({key, scale}) => numberCell(scale, t[key])),
    ...(hasIpc ? [numberCell(decimals(2), t.instructions_per_cycle)] : [])]);
  return element('details', {open: w.threads.length <= 16 ? '' : null},
    element('summary', null, `Every thread of every stage (${countText(w.threads.length)} rows)`),
    table('threads', 'Work of each thread in each stage',
      [textColumn('Stage'), textColumn('Thread'), column('Shares', null, 'number of times that the thread worked on the stage'),
        column('Total', total.unit),
        column('Median', call.unit), column('Share', 'of the stage', 'of the time of the stage on the main thread'),
        ...counters.map(({key, scale}) => column(counterHeadings[key], scale.unit)),
        ...(hasIpc ? [column('IPC', null, 'instructions per cycle')] : [])], rows, true));
}

function threadsSection(r, w) {
  if (w.threads.length === 0) {
    return paragraph(r.device.is_gpu ? 'The stages have no CPU threads: a GPU computed.'
      : 'The profile has no times of single threads.');
  }
  const hasCounters = w.threads.some(({instructions, cycles, cache_misses: misses, context_switches: switches}) =>
    [instructions, cycles, misses, switches].some(isNumber));
  return [teamsTable(w), threadsTable(w), hasCounters ? null
    : note('Counters of the cores (instructions, cycles, cache misses) were not measured. Set profile.counters to request them; the system must permit it.')];
}

// ---- host overhead ----

// Gaps between the operations of the GPU, by length.
function gapsOf(ops) {
  const edges = [0, 1e3, 1e4, 1e5, 1e6]; // ns
  const gaps = edges.map((from, k) => ({from, to: edges[k + 1] ?? null, count: 0, total: 0}));
  let end = ops[0]?.[3]; // no gap before the first
  for (const [, , , start, length] of ops) {
    const gap = start - end;
    if (gap > 0) {
      const bin = gaps.findLast(({from}) => gap >= from);
      bin.count++;
      bin.total += gap;
    }
    end = Math.max(end, start + length);
  }
  return gaps;
}

function gapsTable(ops) {
  const gaps = gapsOf(ops);
  const all = d3.sum(gaps, ({total}) => total);
  if (!(all > 0)) return null;
  const edge = (ns) => `${ns >= 1e5 ? ns / 1e6 : ns / 1e3} ${ns >= 1e5 ? 'ms' : 'µs'}`;
  const name = ({from, to}) => (from === 0 ? `below ${edge(to)}` : to === null ? `${edge(from)} and more`
    : to <= 1e5 ? `${from / 1e3} to ${to / 1e3} µs` : `${from / 1e6} to ${to / 1e6} ms`);
  return table('gaps', 'Gaps without GPU work, by length',
    [textColumn('Gap'), column('Number'), column('Total'), column('Share', 'of all gaps')],
    gaps.map((gap) => [rowHead(name(gap)), countCell(gap.count), timeCell(gap.total), shareCell(gap.total / all)]));
}

function launchesTable(w) {
  const rows = [['from the start of the call to the start of the operation', w.gpu.launch_latency_ns],
    ['from the end of the call to the start of the operation', w.gpu.queue_ns]]
    .filter(([, spread]) => spread)
    .map(([name, s]) => [rowHead(name), countCell(s.count),
      ...[s.min, s.lower_quartile, s.median, s.upper_quartile, s.max].map(timeCell)]);
  return rows.length === 0 ? null : table('launches', 'Time between a launch and its operation',
    [textColumn('Interval'),
      ...['Launches', 'Least', 'Quartile', 'Median', 'Quartile', 'Most'].map((name) => column(name))], rows);
}

function callsTable(w) {
  if (w.calls.length === 0) return null;
  const total = scaleFor('time', w.calls.map(({time_ns: time}) => time?.total));
  const call = scaleFor('time', w.calls.map(({time_ns: time}) => time?.median));
  return table('calls', 'CUDA calls of the host, the largest total first',
    [textColumn('Call'), textColumn('Kind'), column('Calls'), column('Total', total.unit), column('Median', call.unit),
      column('Failed')],
    w.calls.map((c) => [codeCell(c.name), textCell(c.kind), countCell(c.time_ns?.count),
      numberCell(total, c.time_ns?.total),
      numberCell(call, c.time_ns?.median), countCell(c.failed)]), true);
}

function copiesTable(w) {
  if (w.copies.length === 0) return paragraph('The window has no copies or fills.');
  return table('copies', 'Copies and fills on the GPU',
    [textColumn('Operation'), column('Number'), column('Bytes', 'total'), column('Bytes', 'median'),
      column('Time', 'total'), column('Rate')],
    w.copies.map((c) => [codeCell(c.operation), countCell(c.time_ns?.count), bytesCell(c.bytes?.total),
      bytesCell(c.bytes?.median),
      timeCell(c.time_ns?.total), shownCell(c.bandwidth_bytes_per_s, bandwidthText(c.bandwidth_bytes_per_s))]), true);
}

function overheadSection(r, w) {
  const other = isNumber(w.other_share)
    ? paragraph(`A step spends ${percent(w.other_share)} of its time outside of all stages: in calls and in the profiler.`) : null;
  if (!w.has_gpu) {
    return [other, paragraph(r.device.is_gpu
      ? 'The profile has no operations of the GPU, and therefore no gaps and no launch latencies.'
      : 'Launch latencies and gaps exist only on GPUs; none computed in this run.')];
  }
  return [other, paragraph(`The GPU ran ${countText(w.gpu.ops)} operations. It was busy for ${timeText(w.gpu.busy_ns)} of the window’s `
    + `${timeText(w.duration_ns)} and idle for ${percent(w.gpu.idle_share)} of it.`),
  w.timeline === null ? damageNote(w) : gapsTable(w.timeline.ops), launchesTable(w), callsTable(w), copiesTable(w)];
}
