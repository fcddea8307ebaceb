// Elements of the page: text, grades, sortable tables.

// Replaces control characters. Text is only ever set as text, never parsed as markup.
const printable = (text) => String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '\ufffd');

function element(name, attributes, ...children) {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value !== null && value !== undefined) created.setAttribute(key, printable(value));
  }
  created.append(...children.flat().filter((child) => child !== null)
    .map((child) => (child instanceof Node ? child : printable(child))));
  return created;
}

const paragraph = (...children) => element('p', null, ...children);
const note = (...children) => element('p', {class: 'note'}, ...children);
const code = (text, attributes) => element('code', attributes, text);

const gradeMarks = {good: '●', warning: '▲', bad: '■', unknown: '○'};

// A grade has a mark and a word: it is readable without its colour.
function gradeMark(grade) {
  return element('span', {class: `grade ${grade}`}, element('span', {'aria-hidden': 'true'}, gradeMarks[grade]),
    ` ${grade}`);
}

// The colour of a stage follows from the order of names: equal in all runs of one solver.
let stageNames = [];
const colourOf = (stage) => (stageNames.includes(stage) ? `c${stageNames.indexOf(stage) % 8}` : 'other');
const swatch = (colour) => element('i', {class: `swatch ${colour}`});

// ---- cells ----

const rowHead = (...children) => element('th', {scope: 'row', class: 'text'}, ...children);
const stageHead = (stage) => rowHead(swatch(colourOf(stage)), stage);
const textCell = (...children) => element('td', {class: 'text'}, ...children);
const proseCell = (...children) => element('td', {class: 'text prose'}, ...children);
const wrapCell = (...children) => element('td', {class: 'text wrap'}, ...children);
const codeCell = (text) => textCell(code(text, {title: text}));
const shownCell = (value, text) => element('td', {'data-value': isNumber(value) ? value : null}, text);
const numberCell = (scale, value) => shownCell(value, scaled(scale, value));
const countCell = (count) => shownCell(count, countText(count));
const timeCell = (ns) => shownCell(ns, timeText(ns));
const bytesCell = (bytes) => shownCell(bytes, bytesText(bytes));
const decimals = (number) => ({factor: 1, unit: '', decimals: number});

// A share of a whole, with a bar behind the number.
function shareCell(share) {
  if (!isNumber(share)) return shownCell(null, NONE);
  const width = Math.min(Math.max(share, 0), 1);
  return element('td', {class: 'share', style: `--share:${width.toFixed(4)}`, 'data-value': share}, percent(share));
}

// ---- tables ----

// A column: heading, unit below it, hint; isText aligns it to the left.
const textColumn = (heading, unit, hint) => ({heading, unit, hint, isText: true});
const column = (heading, unit, hint) => ({heading, unit, hint, isText: false});

function columnHead({heading, unit, hint, isText}) {
  return element('th', {scope: 'col', class: isText ? 'text' : null, title: hint},
    element('span', null, heading), unit ? element('small', null, unit) : null);
}

// A table with a caption in a scrollable frame that the keyboard can focus. Rows are lists of cells.
function table(name, caption, columns, rows, isSortable = false) {
  const body = element('tbody', null, rows.map((cells) => element('tr', null, ...cells)));
  const created = element('table', {id: `table-${name}`, class: isSortable ? 'sortable' : null},
    element('caption', {id: `caption-${name}`}, element('span', null, caption)),
    element('thead', null, element('tr', null, columns.map(columnHead))), body);
  if (isSortable) makeSortable(created);
  return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-labelledby': `caption-${name}`}, created);
}

const valueOf = (cell) => (cell.dataset.value === undefined ? null : Number(cell.dataset.value));

// Numbers by value; unknown ones come last in both directions.
function compareCells(x, y, sign) {
  if (x.classList.contains('text')) return sign * x.textContent.localeCompare(y.textContent);
  const [p, q] = [valueOf(x), valueOf(y)];
  if (p === null || q === null) return (p === null) - (q === null);
  return sign * (p - q);
}

function sortTable(created, heading) {
  const index = heading.cellIndex;
  const now = heading.getAttribute('aria-sort');
  const isDescending = now === null ? !heading.classList.contains('text') : now === 'ascending';
  for (const other of created.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  heading.setAttribute('aria-sort', isDescending ? 'descending' : 'ascending');
  const rows = [...created.tBodies[0].rows];
  created.tBodies[0].append(...rows.sort((a, b) => compareCells(a.cells[index], b.cells[index], isDescending ? -1 : 1)));
}

function makeSortable(created) {
  for (const heading of created.tHead.rows[0].cells) {
    const button = element('button', {type: 'button'});
    button.append(heading.firstElementChild);
    button.addEventListener('click', () => sortTable(created, heading));
    heading.prepend(button);
  }
}

// ---- definitions ----

const definitions = (attributes, entries) => element('dl', attributes,
  entries.filter(([, text]) => text !== '' && text !== null)
    .map(([name, text]) => [element('dt', null, name), element('dd', null, text)]).flat());
