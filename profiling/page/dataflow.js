// The report's dataflow: which stage reads and writes which buffer, and how much.

const LEAST_SHARE = 0.005; // of the bytes of a step; buffers below it are not drawn

// The names of a timeline are in the order of their first events.
const namesInTime = (w) => w.timeline?.names ?? [];

// Stages with costs in the order of their first call.
function stagesInTime(w) {
  const place = ({name}) => (namesInTime(w).indexOf(name) + 1) || Infinity;
  return d3.sort(w.stages.filter(({buffers, calls_per_step: calls}) => buffers.length > 0 && calls > 0),
    (a, b) => d3.ascending(place(a), place(b)));
}

// Buffers in the order of their first access, with the bytes of a step of each stage.
function buffersOf(stages) {
  const found = new Map();
  stages.forEach(({buffers, calls_per_step: calls}, stage) => {
    for (const {name, bytes, writes} of buffers) {
      if (!found.has(name)) found.set(name, {name, bytes: 0, accesses: []});
      found.get(name).bytes += calls * bytes;
      found.get(name).accesses.push({stage, writes, bytes: calls * bytes});
    }
  });
  return [...found.values()];
}

// A half disc: the left half of a circle, or the right one.
const halfDisc = (x, y, radius, isRight) =>
  `M${x.toFixed(1)} ${(y - radius).toFixed(1)}a${radius.toFixed(2)} ${radius.toFixed(2)} 0 0 ${isRight ? 1 : 0} 0 ${(2 * radius).toFixed(2)}Z`;

const DATAFLOW_ROW = 20; // px
const DATAFLOW_TOP = 112; // px, for the names of the stages

function drawDataflow(svg, width, stages, buffers) {
  const [left, right] = [96, width - 70];
  const narrow = isNarrow(width); // names stand upright, without shares
  const x = d3.scalePoint(d3.range(stages.length), [left + (narrow ? 8 : 20), right - (narrow ? 0 : 70)]).padding(0.3);
  const y = (row) => DATAFLOW_TOP + (row + 0.5) * DATAFLOW_ROW;
  const most = d3.max(buffers, ({accesses}) => d3.max(accesses, ({bytes}) => bytes));
  stages.forEach(({name, share}, k) => {
    svg.append('path').attr('class', 'wire faint').attr('d', `M${x(k)} ${DATAFLOW_TOP - 6}V${y(buffers.length - 0.5)}`);
    const label = svg.append('g').attr('transform', `translate(${x(k) + 4} ${DATAFLOW_TOP - 12}) rotate(${narrow ? -90 : -35})`);
    textAt(label, 0, 0, 'legend', narrow ? name : `${name} ${percent(share)}`);
  });
  buffers.forEach(({name, bytes, accesses}, row) => {
    textAt(svg, left, y(row) + 4, 'legend end', name);
    textAt(svg, width, y(row) + 4, 'label end', bytesText(bytes));
    svg.append('path').attr('class', 'wire')
      .attr('d', `M${x(d3.min(accesses, ({stage}) => stage))} ${y(row)}H${x(d3.max(accesses, ({stage}) => stage))}`);
    for (const {stage, writes, bytes: moved} of accesses) {
      const radius = Math.max(1, (DATAFLOW_ROW / 2 - 0.5) * Math.sqrt(moved / most));
      hint(svg.append('path').attr('class', `access ${writes ? 'written' : 'read'}`).attr('d', halfDisc(x(stage), y(row), radius, writes)),
        `${stages[stage].name} ${writes ? 'writes' : 'reads'} ${bytesText(moved)} of ${name} in a step`);
    }
  });
}

function dataflowSection(r, w) {
  const stages = stagesInTime(w);
  if (stages.length === 0) {
    return paragraph('The dataflow needs costs and calls of the stages, which the profile does not have.');
  }
  const all = buffersOf(stages);
  const total = d3.sum(all, ({bytes}) => bytes);
  const buffers = all.filter(({bytes}) => bytes >= LEAST_SHARE * total);
  const height = DATAFLOW_TOP + DATAFLOW_ROW * buffers.length + 8;
  return [figure('dataflow', 'Bytes that each stage reads (left half of a disc) and writes (right half) in a step',
    `${plural(stages.length, 'stage')} from left to right, ${namesInTime(w).length === 0 ? 'the largest share first' : 'in the order of their first call'}, ${plural(buffers.length, 'buffer')} from the top `
    + 'in the order of their first access.', height, (svg, width) => drawDataflow(svg, width, stages, buffers)), damageNote(w),
  note(`The area of a disc is in proportion to its bytes; the wire of a buffer reaches from its first stage to its last. The buffers shown have ${
    percent(d3.sum(buffers, ({bytes}) => bytes) / total)} of the ${bytesText(total)} of a step, by the formulas. dataflow.json has every `
    + 'access, dataflow.dot is the graph, step.mlir is the program of a step.')];
}
