// The timeline of the report: the whole window, or a zoomed section of it. Bars narrower than two pixels are merged
// with neighbours of the same colour, which bounds the size of the figure for any number of events.

const NARROW = 2; // px; narrower bars are merged
const HAIRLINE = 0.5;
const SHORTEST = 100; // ns; shortest time span in view
const ROW_TOP = 6;

// The events of a row with absolute times; `reach` is the latest end so far, for searching the events in view.
function unpackRow({kind, label, events}) {
  const count = events.length / 3;
  const [start, end, reach] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  const name = new Int32Array(count);
  for (let k = 0, time = 0, latest = 0; k < count; k++) {
    time += events[3 * k];
    start[k] = time;
    end[k] = time + events[3 * k + 1];
    name[k] = events[3 * k + 2];
    latest = Math.max(latest, end[k]);
    reach[k] = latest;
  }
  return {kind, label, count, start, end, reach, name};
}

// The name of a kernel without return type, template arguments and parameters.
const shortName = (name) => (/^step \d+$/.test(name) ? name : name.replace(/^void /, '').split(/[<(]/)[0]);

function eventName({name, stage, bytes}) {
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
function rowShapes(row, view, names) {
  const paths = new Map();
  const labels = [];
  const flush = (path) => {
    if (path.to > -Infinity) path.d += barPath(path.from, path.to, row.y, view.height);
    path.to = -Infinity;
  };
  const [first, last] = [d3.bisectRight(row.reach, view.from), d3.bisectRight(row.start, view.to)];
  for (let k = first; k < last; k++) {
    if (row.end[k] < view.from) continue;
    const {text, colour} = names[row.name[k]];
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

function drawRow(group, row, view, names) {
  const {paths, labels} = rowShapes(row, view, names);
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

function eventText({row, k}, names) {
  const {text, full, stage, size} = names[row.name[k]];
  return [full === text || stage === '' ? text : full, stage !== '' && stage !== text ? stage : '', size,
    exactTime(row.end[k] - row.start[k]), `at ${exactTime(row.start[k], 6)}`].filter((part) => part !== '').join(' · ');
}

const timelineIdle = 'Drag to zoom in, double-click to zoom out, point at a bar for its times.';

// A timeline: rows, names, the section in view, and its elements.
class Timeline {
  constructor({duration_ns: duration, names, rows}) {
    Object.assign(this, layOutRows(rows.map(unpackRow)), {duration, names: names.map(eventName)});
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
    for (const row of this.rows) drawRow(this.picture, row, this.view, this.names);
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
    this.output.textContent = found === null ? timelineIdle : eventText(found, this.names);
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
  if (w.timeline === null) return paragraph('The profile has no timeline (timeline.json) of this window.');
  const timeline = new Timeline(w.timeline);
  const events = d3.sum(timeline.rows, ({count}) => count);
  const {omitted_spans: spans, omitted_ops: ops} = w.timeline;
  const omitted = spans + ops > 0 ? ` The timeline omits the latest ${countText(spans)} regions and ${countText(ops)} operations.` : '';
  return [element('div', {id: 'timeline-view'}, timeline.controls, timeline.figure),
    note(`${countText(events)} events; bars narrower than two pixels are merged.${omitted}`)];
}
