// The report in words and tables: headline, findings, indicators, checklist, phases, warnings, method.

function tile(name, value, remark) {
  return element('div', null, element('dt', null, name),
    element('dd', null, element('strong', null, value), element('span', null, remark)));
}

function stepTile(r, w) {
  if (!isNumber(w.step_ns)) return null;
  const step = r.device.is_gpu && w.step_gpu_ns ? w.step_gpu_ns : w.step_host_ns;
  return tile('Time of a step', timeText(w.step_ns), step && step.count > 1
    ? `median of ${countText(step.count)}; middle half ${timeText(step.lower_quartile)} to ${timeText(step.upper_quartile)}`
    : 'one step');
}

function unknownTile(r, w) {
  if (!(w.step_ns / r.unknowns > 0) || !isNumber(r.unknowns)) return null;
  return tile('Per unknown and step', timeText(w.step_ns / r.unknowns),
    `${countText(r.unknowns)} unknowns; ${digits(1e9 / w.step_ns)} steps per second`);
}

function stageTile(r, w) {
  const largest = w.stages[0];
  return largest === undefined ? null : tile('Largest stage', largest.name,
    `${percent(largest.share)} of ${r.device.is_gpu ? 'all stages' : 'the step'}, ${timeText(largest.call_ns)} per call`);
}

function bandwidthTile(w) {
  const {serving_bytes_per_s: peak, ceilings: {bandwidth_is_measured: isMeasured}} = w;
  if (!(w.bandwidth_bytes_per_s > 0)) return null;
  return tile('Bandwidth of the stages', bandwidthText(w.bandwidth_bytes_per_s), peak > 0
    ? `${percent(w.bandwidth_share)} of ${bandwidthText(peak)} ${isMeasured ? 'measured for copies in the memories that serve them' : 'of the data sheet'}`
    : 'by the formulas of the stages');
}

function memoryTile(r, w) {
  const {peak_bytes: peak} = w.memory;
  if (!(peak > 0)) return null;
  return tile('Peak memory', bytesText(peak),
    r.device.memory_bytes > 0 ? `${percent(peak / r.device.memory_bytes)} of the device` : 'of the solver’s buffers');
}

// The diagnosis in one sentence: the most severe finding and the number of others.
function verdict(w) {
  const troubles = w.findings.filter(({severity}) => severity === 'warning' || severity === 'bad').length;
  const grade = troubles > 0 ? w.findings[0].severity : isNumber(w.step_ns) ? 'good' : 'unknown';
  const attributes = {class: `verdict ${grade}`};
  if (troubles === 0) {
    return element('p', attributes, gradeMark(grade), grade === 'good'
      ? ' No known performance problem was found.'
      : ' The window has no step time on the device that computed, so its speed is unknown.');
  }
  const more = troubles > 1 ? `And ${troubles - 1} more ${troubles === 2 ? 'finding' : 'findings'}. ` : '';
  return element('p', attributes, gradeMark(grade), ' ', element('strong', null, `${w.findings[0].pattern}.`),
    ` ${w.findings[0].evidence} ${more}`, element('a', {href: '#findings'}, 'What to try'));
}

// Size, device, threads, ranks, steps and date.
function reportSubject(r, w) {
  const grid = r.n > 0 ? `n = ${countText(r.n)}, order ${countText(r.order)}, ` : '';
  const threads = r.device.threads > 0 && !r.device.is_gpu ? `, ${plural(r.device.threads, 'thread')}` : '';
  const ranks = w.ranks ? `, ${plural(w.ranks.count, 'rank')} (times of rank 0 unless stated)` : '';
  const steps = w.steps > 0 ? `; steps ${countText(w.first_step)} to ${countText(w.first_step + w.steps - 1)}` : '';
  return element('p', {class: 'subject'}, `${grid}${r.backend === 'cuda' ? 'CUDA' : 'CPU'} on `,
    element('b', null, r.device.name), `${threads}${ranks}${steps}; ${w.date}`);
}

function reportHeader(r, w) {
  return element('header', {id: 'headline'}, element('p', {class: 'kind'}, `cubeswe ${r.version} profile`),
    element('h1', null, r.case), reportSubject(r, w), verdict(w),
    element('dl', {class: 'tiles'}, stepTile(r, w), unknownTile(r, w), stageTile(r, w), bandwidthTile(w),
      memoryTile(r, w)));
}

function findingArticle(finding) {
  return element('article', {class: `finding ${finding.severity}`},
    element('h3', null, `${finding.pattern} `, gradeMark(finding.severity)), paragraph(finding.evidence),
    finding.cause || finding.advice ? definitions(null,
      [['Cause', finding.cause], ['What to try', finding.advice]]) : null);
}

function findingsSection(r, w) {
  if (w.findings.length > 0) return w.findings.map(findingArticle);
  return paragraph(isNumber(w.step_ns)
    ? 'No known performance problem was found in this window.'
    : 'The window has no step time on the device that computed, so no problem can be diagnosed.');
}

function indicatorRow(indicator) {
  const {value, unit} = indicator;
  const shown = !isNumber(value) ? NONE : unit === '%' ? percent(value / 100) : digits(value) + THIN + unit;
  const why = indicator.grade === 'unknown' && indicator.why_unknown !== '';
  return [rowHead(indicator.name), shownCell(value, shown), textCell(gradeMark(indicator.grade)),
    textCell(indicator.good),
    textCell(indicator.warning), textCell(indicator.bad),
    proseCell(indicator.meaning, why ? element('em', null, `Unknown: ${indicator.why_unknown}`) : null)];
}

function indicatorsSection(r, w) {
  if (w.indicators.length === 0) return paragraph('The profile has no data for the indicators.');
  return table('indicators', 'Indicators with their grades and thresholds',
    [textColumn('Indicator'), column('Value'),
      ...['Grade', 'Good', 'Warning', 'Bad', 'Meaning'].map((name) => textColumn(name))],
    w.indicators.map(indicatorRow));
}

function checklistSection(r, w) {
  if (w.checks.length === 0) return paragraph('The profile has no data for the checklist.');
  const created = table('checklist', 'Questions to ask before optimising, answered from this profile',
    [textColumn('Question'), textColumn('Answer'), textColumn('Grade')], []);
  const whole = created.querySelector('table');
  whole.tBodies[0].remove();
  w.checks.forEach((check, k) => {
    if (k === 0 || check.group !== w.checks[k - 1].group) {
      whole.append(element('tbody', null,
        element('tr', {class: 'group'}, element('th', {colspan: 3, scope: 'rowgroup'}, check.group))));
    }
    whole.tBodies[whole.tBodies.length - 1].append(
      element('tr', null, rowHead(check.question), proseCell(check.answer), textCell(gradeMark(check.grade))));
  });
  return created;
}

function phasesSection(r, w) {
  if (w.phases.length === 0) return paragraph('The profile has no phases of the run.');
  return table('phases', 'From the start of the run to the end of the window',
    [textColumn('Phase'), column('Count'), column('Total'), column('Share', 'of all phases')],
    w.phases.map((phase) => [rowHead(phase.name), countCell(phase.count), timeCell(phase.total_ns),
      shareCell(phase.share)]));
}

const dropMeanings = {
  spans: 'regions and thread shares beyond the limit of a window',
  ops: 'GPU operations and calls beyond the limit of a window',
  records: 'records that CUPTI dropped because its buffers were full',
  rejected: 'records without times, or with an end before their start',
  unknown: 'records of unsupported kinds',
};

function warningsSection(r, w) {
  const drops = Object.entries(dropMeanings).filter(([key]) => w.drops[key] > 0)
    .map(([key, meaning]) => `Not recorded: ${countText(w.drops[key])} ${meaning}.`);
  const all = [...w.warnings, ...drops];
  if (all.length === 0) return paragraph('The profiler reported no warnings and dropped no records.');
  return element('ul', {class: 'warnings'}, all.map((line) => element('li', null, line)));
}

// A text as one word of a shell command, quoted if necessary.
const shellWord = (text) => (/^[\w.\/:=@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// How the steps of the window were launched, and what tracing cost.
function tracingFacts(w) {
  const t = w.tracing;
  const launch = `${t.launch}: graphs launched ${countText(t.launched_steps)} of ${plural(w.steps, 'step')}`;
  const cost = `${timeText(t.traced_step_ns)} a step, ${timeText(t.untraced_step_ns)} in the ${plural(t.untraced_strides, 'stride')} `
    + `before the first window: ratio ${digits(t.ratio)}`;
  return [...(t.launch === '' ? [] : [['launch', launch]]), ...(isNumber(t.ratio) ? [['tracing', cost]] : []),
    ...(isNumber(t.later_step_ns) ? [['after the window before', `${timeText(t.later_step_ns)} a step`]] : [])];
}

function methodSection(r, w) {
  const facts = definitions({class: 'facts'},
    [['case', r.case], ['device', r.device.name], ['host', r.host], ['version', r.version],
    ...r.facts.map(({name, text}) => [name, text]), ['mode', w.mode], ...tracingFacts(w), ['opened', w.date]]);
  const isGpu = r.device.is_gpu;
  return [facts,
    paragraph('The solver’s profiler measures regions on the clock of the host. CUPTI measures kernels and copies on the GPU, converted '
      + `to the same clock. The time of a step or stage ${isGpu ? 'is the time of its operations on the GPU' : 'runs from its begin to its end on the main thread'}. `
      + `Medians and quartiles are over all calls in the window; shares refer to ${isGpu ? 'the time of all stages on the GPU' : 'the time of all steps of the window'}. `
      + 'Bytes and operations follow the formulas of a stage and count each value once. Calls of one stage may differ in work '
      + `(the four of rk4), so rates are the mean work over the mean time${w.ranks ? ' without waits for messages' : ''}.`),
    paragraph('The files are in ', code(w.folder),
      ': summary.json has the numbers of all tables and timeline.json the events of the '
      + 'timeline; open trace.perfetto-trace in ui.perfetto.dev and plugins/ in TensorBoard.'),
    paragraph('Write this page again with ', code(`cubeswe report ${shellWord(r.directory)}`), '; record a new profile with ',
      code('cubeswe run CONFIG --profile', {class: 'command'}),
        '. report.json beside the page has all data of the page.')];
}
