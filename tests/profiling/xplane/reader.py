"""The files of the tests, and the output of XProf for them."""
import json
import os
import subprocess

from xprof.convert import raw_to_tool_data

PHASE, STEP, PART, STAGE, THREAD = range(5)  # kinds of spans
KERNEL, COPY, FILL = range(3)  # kinds of operations
RUNTIME, DRIVER, SYNCHRONIZE, OVERHEAD = range(4)  # kinds of calls


class Sample:
    """The only file below a folder."""

    def __init__(self, folder):
        self.logdir = folder
        self.path, = (path for path in (folder / 'plugins').rglob('*') if path.is_file())


class SampleTrace(Sample):
    """The sample trace as WRITE_SAMPLE describes it, and the file that it writes."""

    def __init__(self, kind, folder):
        subprocess.run([os.environ['WRITE_SAMPLE'], 'xplane', kind, folder], check=True)
        with open(folder / 'sample.json') as file:
            self.trace = json.load(file)
        super().__init__(folder)

    def of(self, *kinds):
        return [span for span in self.trace['spans'] if span['kind'] in kinds]

    def above(self, index):
        """A span and its enclosing spans, the innermost first."""
        while index >= 0:
            yield self.trace['spans'][index]
            index = self.trace['spans'][index]['parent']

    def scope(self, op):
        """The scope of an operation launched in a span, such as 'rhs/gradient'."""
        if op['span'] < 0:
            return op['stage']
        names = [span['name'] for span in self.above(op['span'])]
        kinds = [span['kind'] for span in self.above(op['span'])]
        inner = [name for name, kind in zip(names[1:], kinds[1:]) if kind in (PART, STAGE)]
        return '/'.join(inner[::-1] + names[:1])

    def step_ops(self):
        """The operations of every step, by its number."""
        steps = {}
        for op in self.trace['ops']:
            for span in self.above(op['span']):
                if span['kind'] == STEP:
                    steps.setdefault(span['step'], []).append(op)
        return steps

    def us(self, time):
        return (time - self.trace['start']) / 1e3


def tool(sample, name, **options):
    data, _ = raw_to_tool_data.xspace_to_tool_data(
        [str(sample.path)], name, {'use_saved_result': False, **options})
    assert data, f'{name} gives nothing'
    return json.loads(data)


def rows(table):
    """A table of Google Charts as dictionaries."""
    names = [column['id'] for column in table['cols']]
    return [dict(zip(names, (cell['v'] for cell in row['c']))) for row in table['rows']]


def viewer(sample):
    """Events as (process, thread, name, start, duration) [us], with the whole event."""
    page = tool(sample, 'trace_viewer@', trace_viewer_options={'resolution': str(10**9)})
    names, events = {}, []
    for event in page['traceEvents']:
        if event['ph'] == 'M' and event['name'] == 'process_name':
            names[event['pid']] = event['args']['name']
        elif event['ph'] == 'M' and event['name'] == 'thread_name':
            names[event['pid'], event['tid']] = event['args']['name']
    for event in page['traceEvents']:
        if event['ph'] == 'X':
            events.append(((names[event['pid']], names[event['pid'], event['tid']], event['name'],
                            round(event['ts'], 4), round(event['dur'], 4)), event))
    return events
