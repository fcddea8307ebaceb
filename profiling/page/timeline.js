// The timeline of the report: the whole window, or a zoomed section of it. Bars narrower than two pixels are merged
// with neighbours of the same colour, which bounds the size of the figure for any number of events.

const NARROW = 2; // px; narrower bars are merged
const HAIRLINE = 0.5;
const SHORTEST = 100; // ns; shortest time span in view
const ROW_TOP = 6;
const MAX_STREAMS = 64; // further streams share the last row

// ---- the document of timeline.json ----

const isKnown = (value) => isNumber(value) && Math.abs(value) <= 2 ** 60; // as every number of a profile
const isTime = (value) => isKnown(value) && Number.isInteger(value);
const isCount = (value) => isTime(value) && value >= 0;
const isDepth = (value) => isCount(value) && value < 1000;
const orNull = (isValue) => (value) => value === null || isValue(value);
const isOneOf = (...words) => (value) => words.includes(value);

// Whether the document is as timeline.schema.json says, and its indices are within their lists.
function isTimeline({duration_ns: duration, names, threads, spans, ops, memory, samples, sampled, omitted}) {
  const areTexts = (list) => Array.isArray(list) && list.every((text) => typeof text === 'string');
  const areRows = (rows, ...cells) => Array.isArray(rows)
    && rows.every((row) => Array.isArray(row) && cells.every((isCell, k) => isCell(row[k])));
  const isIndexOf = (list) => (value) => isCount(value) && value < list.length;
  const quantities = Array(6).fill(orNull(isKnown));
  return areTexts(names) && areTexts(threads) && [duration, omitted?.spans, omitted?.ops].every(isCount)
    && areRows(spans, isIndexOf(names), isOneOf('phase', 'step', 'part', 'stage', 'thread', 'launch', 'wait'), isTime, isCount,
      isTime, isDepth, isIndexOf(threads))
    && areRows(ops, isIndexOf(names), orNull(isIndexOf(names)), isOneOf('kernel', 'copy', 'fill'), isTime, isCount, isTime, isCount)
    && areRows(memory, isTime, isCount) && areRows(samples, isTime, ...quantities)
    && areRows(sampled, isTime, isCount, ...quantities);
}

// A window whose timeline is null if there is none or if it is damaged.
function withTimeline(w) {
  const isDamaged = w.timeline !== null && !isTimeline(w.timeline);
  return {...w, isDamaged, timeline: isDamaged ? null : w.timeline};
}

const damageNote = ({isDamaged}) => (isDamaged ? paragraph('The file timeline.json of this window is damaged.') : null);

// ---- rows of the figure ----

// Events in the order of their start; `reach` is the latest end so far, for searching the events in view.
const newRow = (kind, label) => ({kind, label, start: [], end: [], reach: [], events: []});

function addEvent(row, start, length, event) {
  row.start.push(start);
  row.end.push(start + length);
  row.reach.push(Math.max(start + length, row.reach.at(-1) ?? -Infinity));
  row.events.push(event);
}

// Depths of regions, then threads with work, then streams.
function timelineRows({names, threads, spans, ops}) {
  const known = new Map(); // events of one name share their texts
  const event = (name, stage, bytes) => {
    const key = `${name}\n${stage}\n${bytes}`;
    if (!known.has(key)) known.set(key, eventTexts(name, stage, bytes));
    return known.get(key);
  };
  const regions = spans.filter(([, kind]) => kind !== 'thread');
  const depths = regions.length > 0 ? d3.max(regions, (span) => span[5]) + 1 : 0;
  const streams = [...new Set(ops.map((op) => op[5]))].slice(0, MAX_STREAMS);
  const streamRows = new Map(streams.map((stream, k) =>
    [stream, newRow('stream', `stream ${stream}${k === MAX_STREAMS - 1 ? ' ...' : ''}`)]));
  const rows = [...d3.range(depths).map((depth) => newRow('regions', depth === 0 ? 'regions' : '')),
    ...(regions.length < spans.length ? threads : []).map((name) => newRow('thread', name)), ...streamRows.values()];
  for (const [name, kind, start, length, step, depth, thread] of spans) {
    addEvent(rows[kind === 'thread' ? depths + thread : depth], start, length,
      event(kind === 'step' ? `step ${step}` : names[name], '', null));
  }
  for (const [name, stage, kind, start, length, stream, bytes] of ops) {
    addEvent(streamRows.get(stream) ?? rows.at(-1), start, length,
      event(names[name], stage === null ? '' : names[stage], kind === 'kernel' ? null : bytes));
  }
  return rows;
}

// The name of a kernel without return type, template arguments and parameters.
const shortName = (name) => (/^step \d+$/.test(name) ? name : name.replace(/^void /, '').split(/[<(]/)[0]);

function eventTexts(name, stage, bytes) {
  const colour = bytes !== null ? 'transfer' : colourOf(stage || name);
  return {text: printable(shortName(name)), colour, full: printable(name), stage: printable(stage),
    size: bytes > 0 ? bytesText(bytes) : ''};
}

// Assigns positions to rows, with a gap between groups.
function layOutRows(rows) {
  const height = rows.length > 28 ? 9 : 17;
  let y = ROW_TOP;
  rows.forEach((row, k) => {
    if (k > 0 && row.kind !== rows[k - 1].kind) y += 9;
    row.y = y;
    y += height + 1;
  });
  return {rows, height, bottom: y + 2};
}

const barPath = (a, b, y, height) =>
  `M${a.toFixed(1)} ${y}H${Math.max(b, a + HAIRLINE).toFixed(1)}V${y + height}H${a.toFixed(1)}Z`;

// The paths of a row by colour, and labels of the bars that are wide enough.
function rowShapes(row, view) {
  const paths = new Map();
  const labels = [];
  const flush = (path) => {
    if (path.to > -Infinity) path.d += barPath(path.from, path.to, row.y, view.height);
    path.to = -Infinity;
  };
  const [first, last] = [d3.bisectRight(row.reach, view.from), d3.bisectRight(row.start, view.to)];
  for (let k = first; k < last; k++) {
    if (row.end[k] < view.from) continue;
    const {text, colour} = row.events[k];
    const [a, b] = [Math.max(view.x(row.start[k]), view.left), Math.min(view.x(row.end[k]), view.right)];
    if (!paths.has(colour)) paths.set(colour, {d: '', from: 0, to: -Infinity});
    const path = paths.get(colour);
    if (b - a < NARROW && a <= path.to + HAIRLINE) {
      path.to = Math.max(path.to, b);
      continue;
    }
    flush(path);
    if (b - a < NARROW) [path.from, path.to] = [a, b];
    else path.d += barPath(a, b - HAIRLINE, row.y, view.height);
    if (view.height > 12 && b - a > 6.5 * text.length + 6) labels.push({text, colour, x: (a + b) / 2});
  }
  for (const path of paths.values()) flush(path);
  return {paths, labels};
}

function drawRow(group, row, view) {
  const {paths, labels} = rowShapes(row, view);
  for (const [colour, {d}] of paths) group.append('path').attr('class', `area ${colour}`).attr('d', d);
  for (const {text, colour, x} of labels) {
    textAt(group.append('g').attr('class', colour), x, row.y + view.height - 5, 'on middle', text);
  }
}

const exactTime = (ns, figuresShown = 4) => {
  const {factor, unit} = scaleOf('time', ns);
  return `${Number((ns / factor).toPrecision(figuresShown))}${THIN}${unit}`;
};

// The innermost event at a point: the last event of the row that began before and has not ended.
function eventAt({rows, view}, x, y) {
  const row = rows.find((r) => y >= r.y && y <= r.y + view.height);
  if (row === undefined) return null;
  const slack = (view.to - view.from) / (view.right - view.left); // a pixel
  const time = view.x.invert(x);
  for (let k = d3.bisectRight(row.start, time + slack) - 1; k >= 0 && row.reach[k] >= time - slack; k--) {
    if (row.end[k] >= time - slack) return {row, k};
  }
  return null;
}

function eventText({row, k}) {
  const {text, full, stage, size} = row.events[k];
  return [full === text || stage === '' ? text : full, stage !== '' && stage !== text ? stage : '', size,
    exactTime(row.end[k] - row.start[k]), `at ${exactTime(row.start[k], 6)}`].filter((part) => part !== '').join(' · ');
}

const timelineIdle = 'Drag to zoom in, double-click to zoom out, point at a bar for its times.';

// A timeline: rows, the section in view, and its elements.
class Timeline {
  constructor(timeline) {
    const {duration_ns: duration} = timeline;
    Object.assign(this, layOutRows(timelineRows(timeline)), {duration});
    [this.from, this.to, this.anchor, this.isScheduled] = [0, duration, null, false];
    this.controls = element('div', {class: 'controls'});
    this.output = element('output', null, timelineIdle);
    this.actions = {
      in: ['Zoom in', () => this.zoom(0.5)],
      out: ['Zoom out', () => this.zoom(2)],
      earlier: ['←', () => this.pan(-0.3)],
      later: ['→', () => this.pan(0.3)],
      whole: ['Whole window', () => this.show(0, duration)],
    };
    this.buttons = {};
    for (const [key, [text, action]] of Object.entries(this.actions)) {
      this.buttons[key] = element('button', {type: 'button'}, text);
      this.buttons[key].addEventListener('click', action);
    }
    this.buttons.earlier.setAttribute('aria-label', 'Earlier');
    this.buttons.later.setAttribute('aria-label', 'Later');
    this.controls.append(...Object.values(this.buttons), this.output);
    this.figure = figure('timeline', 'The window from start to end',
      'Rows of bars over time: nested regions of the main thread, the work of each CPU thread in the stages, and operations '
      + `of the GPU by stream, over ${timeText(duration)}.`, this.bottom + 40,
        (svg, width) => this.drawWhole(svg, width));
    this.listen();
  }

  // Draws the frame, the row labels and the events.
  drawWhole(svg, width) {
    this.svg = svg;
    [this.left, this.right] = [isNarrow(width) ? 66 : 96, width - 8];
    this.axis = svg.append('g').attr('class', 'time-axis');
    this.picture = svg.append('g').attr('class', 'events');
    for (const row of this.rows) {
      if (row.label !== '') textAt(svg, this.left - 8, row.y + this.height - (this.height > 12 ? 5 : 1), 'label end',
        row.label);
    }
    this.mark = svg.append('rect').attr('class', 'mark').attr('height', this.height);
    this.selection = svg.append('rect').attr('class', 'selection').attr('y', ROW_TOP)
      .attr('height', this.bottom - ROW_TOP).attr('visibility', 'hidden');
    this.draw();
  }

  draw() {
    const x = d3.scaleLinear([this.from, this.to], [this.left, this.right]);
    this.view = {x, from: this.from, to: this.to, left: this.left, right: this.right, height: this.height};
    this.picture.selectAll('*').remove();
    for (const row of this.rows) drawRow(this.picture, row, this.view);
    this.axis.selectAll('*').remove();
    const isWhole = this.from <= 0 && this.to >= this.duration;
    const step = d3.tickStep(this.from, this.to, 8);
    const shown = Math.max(3, Math.ceil(Math.log10(this.to / step)) + 1);
    axisBelow(this.axis, x, {top: ROW_TOP, bottom: this.bottom,
      ...(isWhole ? {label: 'time', ...scaleOf('time', this.duration)}
      : {label: 'time since the start of the window', format: (time) => exactTime(time, shown)})});
    this.buttons.whole.disabled = isWhole;
    this.mark.attr('visibility', 'hidden');
  }

  // Redraws at most once per animation frame.
  show(begin, end) {
    const length = Math.min(Math.max(end - begin, SHORTEST), this.duration);
    this.from = Math.min(Math.max(begin, 0), this.duration - length);
    this.to = this.from + length;
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => {
      this.isScheduled = false;
      this.draw();
    });
  }

  zoom(factor, about = (this.from + this.to) / 2) {
    this.show(about - (about - this.from) * factor, about + (this.to - about) * factor);
  }

  pan(share) {
    this.show(this.from + share * (this.to - this.from), this.to + share * (this.to - this.from));
  }

  describe(found) {
    this.output.textContent = found === null ? timelineIdle : eventText(found);
    this.mark.attr('visibility', found === null ? 'hidden' : 'visible');
    if (found === null) return;
    const {row, k} = found;
    const [a, b] = [Math.max(this.view.x(row.start[k]), this.left), Math.min(this.view.x(row.end[k]), this.right)];
    this.mark.attr('x', a).attr('y', row.y).attr('width', Math.max(b - a, 1));
  }

  pointAt(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.node().getScreenCTM().inverse());
    return {x: Math.min(Math.max(point.x, this.left), this.right), y: point.y};
  }

  press(event) {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    this.anchor = this.pointAt(event).x;
    this.svg.node().setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  move(event) {
    const {x, y} = this.pointAt(event);
    if (this.anchor === null) {
      this.describe(eventAt(this, x, y));
      return;
    }
    const [low, high] = [Math.min(this.anchor, x), Math.max(this.anchor, x)];
    this.selection.attr('x', low).attr('width', high - low).attr('visibility', 'visible');
    this.output.textContent = `${exactTime(this.view.x.invert(high) - this.view.x.invert(low))} from ${exactTime(this.view.x.invert(low), 6)}`;
  }

  release(event) {
    if (this.anchor === null) return;
    const {x, y} = this.pointAt(event);
    const [low, high] = [Math.min(this.anchor, x), Math.max(this.anchor, x)];
    this.selection.attr('visibility', 'hidden');
    this.anchor = null;
    if (high - low > 4) this.show(this.view.x.invert(low), this.view.x.invert(high));
    else this.describe(eventAt(this, x, y));
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // the wheel alone scrolls the page
    event.preventDefault();
    this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.view.x.invert(this.pointAt(event).x));
  }

  listen() {
    const svg = this.svg.node();
    svg.addEventListener('pointerdown', (event) => this.press(event));
    svg.addEventListener('pointermove', (event) => this.move(event));
    svg.addEventListener('pointerup', (event) => this.release(event));
    svg.addEventListener('click', (event) => {
      const {x, y} = this.pointAt(event);
      this.describe(eventAt(this, x, y));
    });
    svg.addEventListener('dblclick', () => this.zoom(3));
    svg.addEventListener('wheel', (event) => this.wheel(event), {passive: false});
    const keys = {ArrowLeft: 'earlier', ArrowRight: 'later', '+': 'in', '-': 'out', 0: 'whole'};
    svg.closest('.scroll').addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
      this.actions[keys[event.key]][1]();
      event.preventDefault();
    });
  }
}

function timelineSection(r, w) {
  const events = w.timeline === null ? 0 : w.timeline.spans.length + w.timeline.ops.length;
  if (events === 0 || w.timeline.duration_ns === 0) {
    return damageNote(w) ?? paragraph('The profile has no timeline (timeline.json) of this window.');
  }
  const timeline = new Timeline(w.timeline);
  const {spans, ops} = w.timeline.omitted;
  const omitted = spans + ops > 0 ? ` The timeline omits the latest ${countText(spans)} regions and ${countText(ops)} operations.` : '';
  return [element('div', {id: 'timeline-view'}, timeline.controls, timeline.figure),
    note(`${countText(events)} events; bars narrower than two pixels are merged.${omitted}`)];
}
