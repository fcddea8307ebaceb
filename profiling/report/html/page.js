'use strict';
// The page works without this: here are the choice of light or dark, sorting of tables, and zoom
// into the timeline.

(() => {
  const modes = ['auto', 'light', 'dark'];
  const item = document.createElement('li');
  const button = document.createElement('button');
  let mode = 0;
  const show = () => {
    if (mode === 0) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = modes[mode];
    button.textContent = `Colours: ${modes[mode]}`;
  };
  button.id = 'theme';
  button.type = 'button';
  button.addEventListener('click', () => {
    mode = (mode + 1) % modes.length;
    show();
  });
  show();
  item.append(button);
  document.querySelector('nav ul').append(item);
})();

// Sort by a column: numbers by their values, the largest first; what is not known is last.
(() => {
  const valueOf = (cell) => (cell.dataset.value === undefined ? null : Number(cell.dataset.value));

  const compare = (a, b, index, sign) => {
    const x = a.cells[index];
    const y = b.cells[index];
    const isText = x.classList.contains('text');
    if (isText) return sign * x.textContent.localeCompare(y.textContent);
    const [p, q] = [valueOf(x), valueOf(y)];
    if (p === null || q === null) return (p === null) - (q === null);
    return sign * (p - q);
  };

  const sort = (table, heading) => {
    const index = heading.cellIndex;
    const isText = heading.classList.contains('text');
    const now = heading.getAttribute('aria-sort');
    const descending = now === null ? !isText : now === 'ascending';
    for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
    heading.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort((a, b) => compare(a, b, index, descending ? -1 : 1)));
  };

  for (const table of document.querySelectorAll('table.sortable')) {
    for (const heading of table.tHead.rows[0].cells) {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(heading.firstElementChild);
      button.addEventListener('click', () => sort(table, heading));
      heading.prepend(button);
    }
  }
})();

// Zoom into the timeline. The picture of the whole window stands in the page; parts of it are drawn
// by the same rules from the events: what is narrower than a few pixels joins its neighbours.
(() => {
  const source = document.getElementById('timeline-data');
  if (source === null) return;
  const data = JSON.parse(source.textContent);
  const svg = document.getElementById('plot-timeline');
  const picture = svg.querySelector('.events');
  const axis = svg.querySelector('.time-axis');
  const whole = [picture.innerHTML, axis.innerHTML];
  const [left, right, height] = [data.left, data.right, data.height];
  const bottom = Number(axis.dataset.bottom);
  const narrow = 2;
  const hairline = 0.5;
  const shortest = 100; // ns across the picture
  let [from, to] = [0, data.duration];

  // Events with absolute times; of each row the latest end so far, to find what is in view.
  const rows = data.rows.map((row) => {
    const count = row.events.length / 3;
    const start = new Float64Array(count);
    const end = new Float64Array(count);
    const reach = new Float64Array(count);
    const name = new Int32Array(count);
    let time = 0;
    let latest = 0;
    for (let k = 0; k < count; k++) {
      time += row.events[3 * k];
      start[k] = time;
      end[k] = time + row.events[3 * k + 1];
      name[k] = row.events[3 * k + 2];
      latest = Math.max(latest, end[k]);
      reach[k] = latest;
    }
    return {y: row.y, count, start, end, reach, name};
  });

  // The first index whose value is above a limit; values ascend.
  const firstAbove = (values, limit) => {
    let low = 0;
    let high = values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[middle] > limit) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  const place = (time) => left + ((time - from) / (to - from)) * (right - left);
  const timeAt = (x) => from + ((x - left) / (right - left)) * (to - from);
  const bar = (a, b, y) => `M${a.toFixed(1)} ${y}H${Math.max(b, a + hairline).toFixed(1)}V${y + height}H${a.toFixed(1)}Z`;

  const escapes = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'};
  const escaped = (text) => text.replace(/[&<>"']/g, (c) => escapes[c]);

  const drawRow = (row) => {
    const paths = new Map(); // by colour: the path, and the narrow bars that are joined so far
    const names = [];
    const flush = (path) => {
      if (path.to > -Infinity) path.d += bar(path.from, path.to, row.y);
      path.to = -Infinity;
    };
    const last = firstAbove(row.start, to);
    for (let k = firstAbove(row.reach, from); k < last; k++) {
      if (row.end[k] < from) continue;
      const [text, colour] = data.names[row.name[k]];
      const a = Math.max(place(row.start[k]), left);
      const b = Math.min(place(row.end[k]), right);
      if (!paths.has(colour)) paths.set(colour, {d: '', from: 0, to: -Infinity});
      const path = paths.get(colour);
      if (b - a < narrow && a <= path.to + hairline) {
        path.to = Math.max(path.to, b);
        continue;
      }
      flush(path);
      if (b - a < narrow) {
        path.from = a;
        path.to = b;
      } else {
        path.d += bar(a, b - hairline, row.y);
      }
      if (height > 12 && b - a > 6.5 * text.length + 6) {
        names.push(`<g class="${colour}"><text class="on middle" x="${((a + b) / 2).toFixed(1)}" y="${row.y + height - 5}">${escaped(text)}</text></g>`);
      }
    }
    let markup = '';
    for (const [colour, path] of paths) {
      flush(path);
      markup += `<path class="area ${colour}" d="${path.d}"/>`;
    }
    return markup + names.join('');
  };

  const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
  const timeText = (ns, digits = 4) => {
    const [factor, unit] = units.find((u) => Math.abs(ns) >= u[0]) ?? units[3];
    return `${Number((ns / factor).toPrecision(digits))}\u202f${unit}`;
  };

  const drawAxis = () => {
    const rough = (to - from) / 8;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
    let lines = '';
    let texts = '';
    const digits = Math.max(3, Math.ceil(Math.log10(to / step)) + 1);
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
      const x = place(time).toFixed(1);
      lines += `M${x} 6V${bottom}`;
      texts += `<text class="tick middle" x="${x}" y="${bottom + 16}">${timeText(time, digits)}</text>`;
    }
    return `<path class="grid" d="${lines}"/>${texts}<text class="axis end" x="${right}" y="${bottom + 34}">time since the window opened</text>`;
  };

  const draw = () => {
    const isWhole = from <= 0 && to >= data.duration;
    picture.innerHTML = isWhole ? whole[0] : rows.map(drawRow).join('');
    axis.innerHTML = isWhole ? whole[1] : drawAxis();
    buttons.whole.disabled = isWhole;
    mark.setAttribute('visibility', 'hidden');
  };

  // At most one picture a frame, however many events of the mouse.
  let wanted = false;
  const view = (begin, end) => {
    const length = Math.min(Math.max(end - begin, shortest), data.duration);
    from = Math.min(Math.max(begin, 0), data.duration - length);
    to = from + length;
    if (wanted) return;
    wanted = true;
    requestAnimationFrame(() => {
      wanted = false;
      draw();
    });
  };
  const zoom = (factor, about = (from + to) / 2) => view(about - (about - from) * factor, about + (to - about) * factor);
  const pan = (share) => view(from + share * (to - from), to + share * (to - from));

  const make = (parent, name, attributes) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent.append(element);
    return element;
  };
  const mark = make(svg, 'rect', {class: 'mark', height, visibility: 'hidden'});
  const selection = make(svg, 'rect', {class: 'selection', y: 6, height: bottom - 6, visibility: 'hidden'});

  const controls = document.createElement('div');
  controls.className = 'controls';
  const buttons = {};
  const actions = {
    in: ['Zoom in', () => zoom(0.5)],
    out: ['Zoom out', () => zoom(2)],
    earlier: ['←', () => pan(-0.3)],
    later: ['→', () => pan(0.3)],
    whole: ['Whole window', () => view(0, data.duration)],
  };
  for (const [key, [text, action]] of Object.entries(actions)) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = text;
    button.addEventListener('click', action);
    controls.append(button);
    buttons[key] = button;
  }
  buttons.earlier.setAttribute('aria-label', 'Earlier');
  buttons.later.setAttribute('aria-label', 'Later');
  const told = document.createElement('output');
  const idle = 'Drag across to zoom in, double-click to zoom out; point at a bar for its times.';
  told.textContent = idle;
  controls.append(told);
  document.getElementById('timeline-view').prepend(controls);

  // The innermost event at a place: of a row, the last one that began before and has not ended.
  const eventAt = (x, y) => {
    const row = rows.find((r) => y >= r.y && y <= r.y + height);
    if (row === undefined) return null;
    const slack = (to - from) / (right - left); // a pixel
    const time = timeAt(x);
    for (let k = firstAbove(row.start, time + slack) - 1; k >= 0 && row.reach[k] >= time - slack; k--) {
      if (row.end[k] >= time - slack) return {row, k};
    }
    return null;
  };

  const tell = (found) => {
    if (found === null) {
      told.textContent = idle;
      mark.setAttribute('visibility', 'hidden');
      return;
    }
    const {row, k} = found;
    const [text, , full, stage, size] = data.names[row.name[k]];
    const parts = [full === text || stage === '' ? text : full];
    if (stage !== '' && stage !== text) parts.push(stage);
    if (size !== '') parts.push(size);
    parts.push(timeText(row.end[k] - row.start[k]), `at ${timeText(row.start[k], 6)}`);
    told.textContent = parts.join(' · ');
    const a = Math.max(place(row.start[k]), left);
    const b = Math.min(place(row.end[k]), right);
    mark.setAttribute('x', a);
    mark.setAttribute('y', row.y);
    mark.setAttribute('width', Math.max(b - a, 1));
    mark.setAttribute('visibility', 'visible');
  };

  const pointAt = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return {x: Math.min(Math.max(point.x, left), right), y: point.y};
  };
  let anchor = null;
  svg.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.pointerType === 'touch') return;
    anchor = pointAt(event).x;
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  svg.addEventListener('pointermove', (event) => {
    const {x, y} = pointAt(event);
    if (anchor === null) {
      tell(eventAt(x, y));
      return;
    }
    selection.setAttribute('x', Math.min(anchor, x));
    selection.setAttribute('width', Math.abs(x - anchor));
    selection.setAttribute('visibility', 'visible');
    told.textContent = `${timeText(Math.abs(timeAt(x) - timeAt(anchor)))} from ${timeText(timeAt(Math.min(anchor, x)), 6)}`;
  });
  svg.addEventListener('pointerup', (event) => {
    if (anchor === null) return;
    const {x, y} = pointAt(event);
    selection.setAttribute('visibility', 'hidden');
    if (Math.abs(x - anchor) > 4) view(timeAt(Math.min(anchor, x)), timeAt(Math.max(anchor, x)));
    else tell(eventAt(x, y));
    anchor = null;
  });
  svg.addEventListener('click', (event) => tell(eventAt(pointAt(event).x, pointAt(event).y)));
  svg.addEventListener('dblclick', () => zoom(3));
  svg.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the wheel alone scrolls the page
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(pointAt(event).x));
  }, {passive: false});
  const keys = {ArrowLeft: actions.earlier[1], ArrowRight: actions.later[1], '+': actions.in[1], '-': actions.out[1], 0: actions.whole[1]};
  svg.closest('.scroll').addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    keys[event.key]();
    event.preventDefault();
  });
  buttons.whole.disabled = true;
})();
