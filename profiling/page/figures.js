// Figures: D3 graphics with a title, a description in words, and axes with units.
//
// A figure is as wide as its container, so that its text keeps its size. It is redrawn when the width changes.

const figures = []; // {svg, draw, height}

const figureWidth = () => {
  const style = getComputedStyle(document.querySelector('main'));
  const room = document.querySelector('main').clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return Math.round(Math.min(Math.max(room, 320), 960));
};

function drawFigure({svg, name, title, describe, height, draw}) {
  const width = figureWidth();
  svg.selectAll('*').remove();
  svg.attr('viewBox', `0 0 ${width} ${height}`);
  svg.append('title').attr('id', `${name}-title`).text(printable(title));
  svg.append('desc').attr('id', `${name}-desc`).text(printable(describe));
  draw(svg, width);
}

// `describe` is the description in words; `draw` receives the selection of the svg and its width.
function figure(name, title, describe, height, draw) {
  const created = element('figure', {id: `figure-${name}`}, element('figcaption', null, title));
  const frame = element('div', {class: 'scroll', tabindex: 0});
  const svg = d3.select(frame).append('svg').attr('id', `plot-${name}`).attr('role', 'img')
    .attr('aria-labelledby', `${name}-title ${name}-desc`);
  created.append(frame);
  const drawn = {svg, name, title, describe, height, draw};
  figures.push(drawn);
  drawFigure(drawn);
  return created;
}

function redrawFigures() {
  for (const drawn of figures) drawFigure(drawn);
}

// ---- scales and axes ----

const isNarrow = (width) => width < 640;
const ticksFor = (length, room) => Math.max(2, Math.floor(length / room));

// A linear scale from zero to a round number at or above `most`.
const fromZero = (most, from, to) => d3.scaleLinear([0, most > 0 ? most : 1], [from, to]).nice(5);

// A logarithmic scale between powers of ten that contain the positive values `low` to `high`.
function decades(low, high, from, to) {
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.max(Math.ceil(Math.log10(high) - 1e-9), first + 1);
  return d3.scaleLog([10 ** first, 10 ** last], [from, to]);
}

const tickText = (factor) => (value) => String(Number((value / factor).toPrecision(6)));

// Logarithmic axes have ticks at powers of ten; very small and large ones are in exponential notation.
function decadeText(factor) {
  return (value) => {
    const shown = value / factor;
    return shown > 0.9e-3 && shown < 1.1e4 ? String(Number(shown.toPrecision(3))) : `1e${Math.round(Math.log10(shown))}`;
  };
}

function powersOfTen(scale, most) {
  const [first, last] = scale.domain().map((value) => Math.round(Math.log10(value)));
  return d3.range(first, last + 1, Math.ceil((last - first + 1) / most)).map((power) => 10 ** power);
}

const axisTitle = (label, unit) => (unit ? `${label} [${unit}]` : label);

function textAt(svg, x, y, kind, text) {
  return svg.append('text').attr('x', x.toFixed(1)).attr('y', y.toFixed(1)).attr('class', kind).text(printable(text));
}

function finishAxis(axis) {
  axis.select('.domain').remove();
  axis.attr('font-size', null).attr('font-family', null).classed('grid-axis', true);
  axis.selectAll('text').attr('class', 'tick-text');
  return axis;
}

// The x axis; grid lines reach `top`; tick labels are values over `factor`.
function axisBelow(svg, scale, {top, bottom, label, unit, factor = 1, ticks, format}) {
  const length = Math.abs(scale.range()[1] - scale.range()[0]);
  const axis = d3.axisBottom(scale).tickSizeInner(top - bottom).tickSizeOuter(0).tickPadding(8)
    .tickFormat(format ?? tickText(factor));
  if (ticks) axis.tickValues(ticks);
  else axis.ticks(Math.min(10, ticksFor(length, 64)));
  finishAxis(svg.append('g').attr('transform', `translate(0 ${bottom})`).call(axis));
  textAt(svg, Math.max(...scale.range()), bottom + 34, 'axis end', axisTitle(label, unit));
}

function axisAtLeft(svg, scale, {left, right, label, unit, factor = 1, ticks, format, count = 5}) {
  const axis = d3.axisLeft(scale).tickSizeInner(left - right).tickSizeOuter(0).tickPadding(6)
    .tickFormat(format ?? tickText(factor));
  if (ticks) axis.tickValues(ticks);
  else axis.ticks(count);
  finishAxis(svg.append('g').attr('transform', `translate(${left} 0)`).call(axis));
  textAt(svg, 0, Math.min(...scale.range()) - 12, 'axis', axisTitle(label, unit));
}

// A line through points; null in `y` leaves a gap.
function lineThrough(svg, kind, xs, ys, x, y) {
  const line = d3.line().defined((value) => isNumber(value)).x((_, k) => x(xs[k])).y((value) => y(value));
  return svg.append('path').attr('class', `line ${kind}`).attr('d', line(ys) ?? '');
}

// Entries of [class, text] from `x` on; marks are lines of that class.
function lineLegend(svg, x, y, entries) {
  let at = x;
  for (const [kind, text] of entries) {
    svg.append('path').attr('class', `line ${kind}`).attr('d', `M${at} ${y - 4}h22`);
    textAt(svg, at + 28, y, 'legend', text);
    at += 46 + 6.6 * text.length;
  }
}

const hint = (selection, text) => selection.append('title').text(printable(text));
