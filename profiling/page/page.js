// The page: draws its document; the document's `schema` selects the drawer.

const reportSections = [['findings', 'Findings', findingsSection], ['indicators', 'Indicators', indicatorsSection],
  ['steps', 'Time of a step', stepsSection], ['stages', 'Stages', stagesSection],
    ['timeline', 'Timeline', timelineSection],
  ['roofline', 'Roofline', rooflineSection], ['dataflow', 'Dataflow', dataflowSection],
    ['counters', 'Counters', countersSection],
    ['kernels', 'Kernels', kernelsSection],
  ['threads', 'CPU threads', threadsSection], ['ranks', 'Ranks', ranksSection], ['memory', 'Memory', memorySection],
    ['utilisation', 'Utilisation', utilisationSection],
  ['overhead', 'Host overhead and gaps', overheadSection], ['phases', 'Phases of the run', phasesSection],
  ['checklist', 'Checklist', checklistSection], ['warnings', 'Warnings and drops', warningsSection],
    ['method', 'Method', methodSection]];

function link(id, heading) {
  document.querySelector('nav ul').append(element('li', null, element('a', {href: `#${id}`}, heading)));
}

function addSection(id, heading, content) {
  link(id, heading);
  document.querySelector('main').append(element('section', {id, 'aria-labelledby': `${id}-heading`},
    element('h2', {id: `${id}-heading`}, heading), ...[content].flat()));
}

function drawReport(report) {
  const shown = withTimeline(report.window);
  stageNames = shown.stages.map(({name}) => name).sort((a, b) => (a < b ? -1 : 1));
  document.title = printable(`${report.case} on ${report.device.name}: profile`);
  link('headline', 'Overview');
  document.querySelector('main').append(reportHeader(report, shown));
  for (const [id, heading, draw] of reportSections) {
    const content = draw(report, shown);
    if (content !== null) addSection(id, heading, content);
  }
}

// Light, dark, or the system's setting.
function addThemeButton() {
  const modes = ['auto', 'light', 'dark'];
  let mode = 0;
  const button = element('button', {id: 'theme', type: 'button'});
  const show = () => {
    if (mode === 0) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = modes[mode];
    button.textContent = `Colours: ${modes[mode]}`;
  };
  button.addEventListener('click', () => {
    mode = (mode + 1) % modes.length;
    show();
  });
  show();
  document.querySelector('nav ul').append(element('li', null, button));
}

function redrawWhenResized() {
  let width = figureWidth();
  new ResizeObserver(() => {
    if (figureWidth() === width) return;
    width = figureWidth();
    redrawFigures();
  }).observe(document.querySelector('main'));
}

const drawers = {'cubeswe-report': drawReport, 'cubeswe-comparison': drawComparison,
  'cubeswe-convergence': drawConvergence, 'cubeswe-bench': drawBench};

function drawPage() {
  const content = JSON.parse(document.getElementById('document').textContent);
  const draw = drawers[content.schema];
  if (draw === undefined) throw new Error(`no page for documents of schema ${content.schema}`);
  draw(content);
  addThemeButton();
  redrawWhenResized();
}

drawPage();
