// The report's ranks of a computation over MPI: work and waits for messages, by stage and by rank.

const meanOf = (ranks, key) => d3.mean(ranks.each.map((rank) => rank[key]).filter(isNumber));
const rankName = ({rank, host}) => `rank ${rank}${host ? ` on ${host}` : ''}`;

// A bar for every rank: its waits stand on its work.
function drawRanks(svg, width, ranks) {
  const area = {left: 48, right: width - 12, top: 34, bottom: 180};
  const x = d3.scaleBand(ranks.each.map(({rank}) => rank), [area.left, area.right]).padding(ranks.count > 200 ? 0 : 0.2);
  const y = fromZero(d3.max(ranks.each, ({work_ns: work, exposed_ns: wait}) => work + wait), area.bottom, area.top);
  const ticks = d3.ticks(0, ranks.count - 1, Math.min(10, ticksFor(area.right - area.left, 40))).filter(Number.isInteger);
  axisAtLeft(svg, y, {...area, label: 'time of a step', ...scaleOf('time', y.domain()[1])});
  axisBelow(svg, x, {...area, top: area.bottom, label: 'rank', ticks, format: String});
  for (const rank of ranks.each.filter(({work_ns: work}) => isNumber(work))) {
    const text = `${rankName(rank)}: work ${timeText(rank.work_ns)}, waits ${timeText(rank.exposed_ns)}`;
    for (const [kind, from, to] of [['work', 0, rank.work_ns], ['wait', rank.work_ns, rank.work_ns + rank.exposed_ns]]) {
      hint(svg.append('rect').attr('class', `bar ${kind}`).attr('x', x(rank.rank)).attr('width', x.bandwidth())
        .attr('y', y(to)).attr('height', Math.max(y(from) - y(to), 0)), text);
    }
  }
  const mean = y(meanOf(ranks, 'work_ns'));
  svg.append('path').attr('class', 'median').attr('d', `M${area.left} ${mean}H${area.right}`);
}

function ranksFigure(ranks) {
  if (!ranks.each.some(({work_ns: work}) => isNumber(work))) return [];
  const least = d3.min(ranks.each, ({work_ns: work}) => work);
  const most = d3.max(ranks.each, ({work_ns: work}) => work);
  return [figure('ranks', 'Work and waits of every rank in a step; dashed: mean work',
    `Work of the ranks from ${timeText(least)} to ${timeText(most)}, mean ${timeText(meanOf(ranks, 'work_ns'))}.`, 224,
    (svg, width) => drawRanks(svg, width, ranks)),
  element('ul', {class: 'legend'}, [['work', 'work'], ['wait', 'waits for messages']]
    .map(([kind, text]) => element('li', null, swatch(kind), text)))];
}

function rankStagesTable({stages}) {
  const work = scaleFor('time', stages.map(({work_ns: over}) => over?.greatest));
  const wait = scaleFor('time', stages.map(({exposed_ns: over}) => over?.greatest));
  const bytes = scaleFor('bytes', stages.map(({received_bytes: received}) => received));
  return table('rank-stages', 'Stages over the ranks, medians of a step, the longest first',
    [textColumn('Stage'), column('Least', `${work.unit} of work`), column('Median', `${work.unit} of work`),
      column('Most', `${work.unit} of work`), column('Imbalance', 'most / mean', '1: balanced'),
      column('Slowest', 'rank'), column('Waits', `${wait.unit}, median`, 'for messages of other ranks'),
      column('Waits', `${wait.unit}, most`), column('Exchanges'),
      column('Messages', 'received', 'of the rank that receives most'),
      column('Received', bytes.unit, 'of the rank that receives most')],
    stages.map((s) => [stageHead(s.stage),
      ...['least', 'median', 'greatest'].map((key) => numberCell(work, s.work_ns?.[key])),
      numberCell(decimals(2), s.imbalance), countCell(s.slowest),
      ...['median', 'greatest'].map((key) => numberCell(wait, s.exposed_ns?.[key])),
      numberCell(decimals(1), s.exchanges), numberCell(decimals(1), s.messages), numberCell(bytes, s.received_bytes)]),
    true);
}

function ranksTable({each}) {
  const of = (quantity, key) => ({key, scale: scaleFor(quantity, each.map((rank) => rank[key]))});
  const columns = [['Step', of('time', 'step_ns'), 'median of a step'], ['Work', of('time', 'work_ns'), 'median of a step, of its stages'],
    ['Waits', of('time', 'exposed_ns'), 'median of a step, for messages of other ranks'],
    ['Messages', {key: 'messages', scale: decimals(1)}, 'received in a step'],
    ['Received', of('bytes', 'received_bytes'), 'in a step'], ['Sent', of('bytes', 'sent_bytes'), 'in a step'],
    ['Memory', of('bytes', 'memory_peak_bytes'), 'most device memory allocated at once'],
    ['Clock', of('time', 'clock_uncertainty_ns'), 'most by which times of the rank may be displaced in traces']];
  return element('details', {open: each.length <= 16 ? '' : null},
    element('summary', null, `Every rank (${countText(each.length)} rows)`),
    table('ranks', 'Every rank of the computation',
      [column('Rank'), textColumn('Host'), textColumn('Device'), column('Threads'), column('Share', 'of the vertices'),
        ...columns.map(([heading, {scale}, meaning]) => column(heading, scale.unit, meaning)),
        column('Dropped', null, 'records that were not kept')],
      each.map((rank) => [countCell(rank.rank), textCell(rank.host), textCell(rank.device), countCell(rank.threads),
        shareCell(rank.share), ...columns.map(([, {key, scale}]) => numberCell(scale, rank[key])),
        countCell(rank.dropped)]), true));
}

// Null: the computation has one rank.
function ranksSection(r, {ranks}) {
  if (!ranks) return null;
  const balance = isNumber(ranks.imbalance) ? `The slowest rank works ${digits(ranks.imbalance)} times the mean. ` : '';
  const waits = isNumber(ranks.exposed_share) ? `Ranks wait for messages in ${percent(ranks.exposed_share)} of their stages’ time. ` : '';
  return [paragraph(`${balance}${waits}All other sections show rank 0; the traces hold ${countText(ranks.traced)} of `
    + `${plural(ranks.count, 'rank')}.`),
  ...ranksFigure(ranks), rankStagesTable(ranks), ranksTable(ranks)];
}
