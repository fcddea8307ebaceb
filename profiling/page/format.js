'use strict';
// Numbers as text: three significant digits and a unit. Unknown values (null) are an en dash.

const NONE = '–';
const THIN = '\u202f'; // narrow no-break space

// Units of a quantity by factor, ascending; smaller values use the first.
const prefixes = {
  time: [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']],
  bytes: [[1, 'B'], [1e3, 'kB'], [1e6, 'MB'], [1e9, 'GB'], [1e12, 'TB']],
  bandwidth: [[1, 'B/s'], [1e3, 'kB/s'], [1e6, 'MB/s'], [1e9, 'GB/s'], [1e12, 'TB/s']],
  flopRate: [[1, 'FLOP/s'], [1e6, 'MFLOP/s'], [1e9, 'GFLOP/s'], [1e12, 'TFLOP/s']],
  flops: [[1, 'FLOP'], [1e6, 'MFLOP'], [1e9, 'GFLOP'], [1e12, 'TFLOP']],
  count: [[1, ''], [1e3, 'thousand'], [1e6, 'million'], [1e9, 'billion']],
  plain: [[1, '']],
};

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

// Decimals that show three significant digits of a value.
function decimalsOf(value) {
  const size = Math.abs(value);
  if (size === 0 || size >= 99.95) return 0;
  if (size >= 0.1) return size >= 9.995 ? 1 : 2;
  return Math.min(9, 2 - Math.floor(Math.log10(size)));
}

// The scale of a table column or an axis: one unit for all numbers, decimals of the largest.
function scaleOf(quantity, most) {
  const value = isNumber(most) ? most : 0;
  const list = prefixes[quantity];
  const [factor, unit] = list.findLast(([size]) => Math.abs(value) >= 0.9995 * size) ?? list[0];
  return {factor, unit, decimals: decimalsOf(value / factor)};
}

// The scale of the largest of many values.
const scaleFor = (quantity, values) => scaleOf(quantity, Math.max(0, ...values.filter(isNumber)));

const scaled = (scale, value) => (isNumber(value) ? (value / scale.factor).toFixed(scale.decimals) : NONE);

function withUnit(quantity, value) {
  const scale = scaleOf(quantity, value);
  return isNumber(value) && scale.unit !== '' ? scaled(scale, value) + THIN + scale.unit : scaled(scale, value);
}

const timeText = (ns) => withUnit('time', ns);
const bytesText = (bytes) => withUnit('bytes', bytes);
const bandwidthText = (rate) => withUnit('bandwidth', rate);
const flopRateText = (rate) => withUnit('flopRate', rate);
const digits = (value) => withUnit('plain', value);

function percent(share) {
  if (!isNumber(share)) return NONE;
  if (share > 0 && share < 0.0005) return `< 0.1${THIN}%`;
  return (100 * share).toFixed(share === 0 ? 0 : 1) + THIN + '%';
}

// Thousands are separated from five digits on.
function countText(count) {
  if (!isNumber(count) || count < 0) return NONE;
  const text = count.toFixed(0);
  return text.length > 4 ? text.replace(/\B(?=(\d{3})+$)/g, THIN) : text;
}

const plural = (count, word) => `${countText(count)} ${word}${count === 1 ? '' : 's'}`;
