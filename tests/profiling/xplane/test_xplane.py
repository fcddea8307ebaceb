"""XProf reads the sample trace back: its tools show the numbers of the sample."""
import collections
import datetime
import json

import pytest
from xprof.convert import raw_to_tool_data
from xprof.profile_data import ProfileData

from reader import (COPY, DRIVER, FILL, KERNEL, OVERHEAD, PART, RUNTIME, STAGE, STEP, SYNCHRONIZE,
                    THREAD, rows, tool, viewer)


def near(value):
    return pytest.approx(value, rel=1e-9, abs=1e-9)


def nanoseconds_of(ops):
    return sum(op['end'] - op['start'] for op in ops)


def test_path(either):
    start = datetime.datetime.fromtimestamp(either.trace['start'] // 10**9, datetime.timezone.utc)
    assert either.path.relative_to(either.logdir).parts == (
        'plugins', 'profile', f'{start:%Y_%m_%d_%H_%M_%S}', f'{either.trace["host"]}.xplane.pb')


def test_tools(gpu, cpu):
    wanted = {'trace_viewer@', 'overview_page', 'framework_op_stats', 'memory_profile'}
    names = set(raw_to_tool_data.xspace_to_tool_names([str(cpu.path)]))
    assert wanted <= names
    names = set(raw_to_tool_data.xspace_to_tool_names([str(gpu.path)]))
    assert wanted | {'kernel_stats'} <= names


# The pages of the overview: operations, steps, environment; the last one has the warnings.

def test_overview_gpu(gpu):
    """A step lasts from the start of its first operation to the end of its last."""
    page = tool(gpu, 'overview_page')
    steps = gpu.step_ops()
    assert len(steps) == gpu.trace['steps']
    shown = rows(page[1])
    assert len(shown) == len(steps)
    for row, (_, ops) in zip(shown, sorted(steps.items())):
        start, end = min(op['start'] for op in ops), max(op['end'] for op in ops)
        assert row['stepTimeMs'] == near((end - start) / 1e6)
        # no two of the sample's kernels overlap
        assert row['deviceComputeTimeMs'] == near(nanoseconds_of(ops) / 1e6)
    assert page[1]['p']['hardware_type'] == 'GPU'
    assert page[2]['p']['device_type'] == 'Nvidia GPU (Hopper)'
    assert page[2]['p']['device_core_count'] == '1'


def test_overview_cpu(cpu):
    page = tool(cpu, 'overview_page')
    shown = rows(page[1])
    steps = cpu.of(STEP)
    assert [row['stepnum'] for row in shown] == [f'step {step["step"]}' for step in steps]
    assert [row['stepTimeMs'] for row in shown] == [
        near((step['end'] - step['start']) / 1e6) for step in steps]
    for row, step in zip(shown, steps):
        inner = [s for s in cpu.of(PART, STAGE) if s['step'] == step['step'] and s['depth'] == 2]
        assert row['hostComputeTimeMs'] == near(nanoseconds_of(inner) / 1e6)
    assert page[1]['p']['hardware_type'] == 'CPU_ONLY'


def test_overview_warnings(either):
    warnings = sorted(row['message'] for row in rows(tool(either, 'overview_page')[-1]))
    assert len(warnings) == 2
    assert warnings[0] == '3 records were dropped, "full" buffers'
    for part in ('not in this trace:', '1 regions', '2 GPU operations', '3 records that CUPTI',
                 '4 records without', '5 records of unsupported kinds'):
        assert part in warnings[1]


def test_kernel_stats(gpu):
    groups = collections.defaultdict(list)
    for op in gpu.trace['ops']:
        if op['kind'] == KERNEL:
            groups[op['name'], gpu.scope(op)].append(op)
    shown = {(row['kernel_name'], row['op_name']): row for row in rows(tool(gpu, 'kernel_stats'))}
    assert shown.keys() == groups.keys() and len(shown) == 5
    for key, ops in groups.items():
        row, op = shown[key], ops[0]
        times = [(o['end'] - o['start']) / 1e3 for o in ops]
        assert row['occurrences'] == len(ops)
        assert row['registers_per_thread'] == op['registers']
        assert row['shmem_bytes'] == op['static_shared'] + op['dynamic_shared']
        assert row['grid_dim'] == ','.join(map(str, op['grid']))
        assert row['block_dim'] == ','.join(map(str, op['block']))
        assert row['occupancy_pct'] == near(max(op['occupancy'], 0.0))  # 0: not known
        assert row['total_duration_us'] == near(sum(times))
        assert row['avg_duration_us'] == near(sum(times) / len(times))
        assert row['min_duration_us'] == near(min(times))
        assert row['max_duration_us'] == near(max(times))


def op_stats(sample, place):
    table = tool(sample, 'framework_op_stats')[0]
    return {row['operation']: row for row in rows(table)
            if row['host_or_device'] == place and row['operation'] != 'IDLE'}


def test_device_op_stats(gpu):
    """Operations by stage, including those whose stage only the node of a graph gives."""
    groups = collections.defaultdict(list)
    for op in gpu.trace['ops']:
        groups[gpu.scope(op)].append(op)
    shown = op_stats(gpu, 'Device')
    assert shown.keys() == groups.keys()
    assert {'rhs/gradient', 'rk4', 'sat', 'output'} <= shown.keys()
    for scope, ops in groups.items():
        assert shown[scope]['type'] == scope.split('/')[-1]
        assert shown[scope]['total_time'] == near(nanoseconds_of(ops) / 1e3)
    assert shown['rhs/gradient']['occurrences'] == len(groups['rhs/gradient'])


def test_host_op_stats(either):
    """Regions of the main thread; allocations are not operations."""
    groups = collections.defaultdict(list)
    for index, span in enumerate(either.trace['spans']):
        if span['kind'] in (PART, STAGE):
            groups[either.scope({'span': index})].append(span)
    shown = op_stats(either, 'Host')
    assert shown.keys() == groups.keys()
    for scope, spans in groups.items():
        assert shown[scope]['occurrences'] == len(spans)
        assert shown[scope]['total_time'] == near(nanoseconds_of(spans) / 1e3)


def test_memory_profile(either):
    trace = either.trace
    profiles = tool(either, 'memory_profile')['memoryProfilePerAllocator']
    assert list(profiles) == ['GPU:0' if trace['ops'] else 'CPU']
    profile, = profiles.values()
    expected, in_use = [], 0
    for block in trace['before']['blocks']:
        in_use += block['bytes']
        expected.append((block['address'], block['bytes'], in_use, trace['before']['peak']))
    assert in_use == trace['before']['in_use']
    for event in trace['memory_events']:
        expected.append((event['address'], event['bytes'], event['in_use'], event['peak']))
    shown = []
    for shot in profile['sampledTimelineSnapshots']:
        stats, what = shot['aggregationStats'], shot['activityMetadata']
        sign = {'ALLOCATION': 1, 'DEALLOCATION': -1}[what['memoryActivity']]
        assert what['requestedBytes'] == what['allocationBytes']
        shown.append((int(what['address']), sign * int(what['allocationBytes']),
                     int(stats['heapAllocatedBytes']), int(stats['peakBytesInUse'])))
    assert shown == expected
    assert shown[-1][2] == trace['after']['in_use']
    times = [int(shot['timeOffsetPs']) for shot in profile['sampledTimelineSnapshots']]
    assert times[-2:] == [1000 * (e['time'] - trace['start']) for e in trace['memory_events']]


def test_memory_peak(either):
    trace = either.trace
    profile, = tool(either, 'memory_profile')['memoryProfilePerAllocator'].values()
    summary = profile['profileSummary']
    peak = max(event['peak'] for event in trace['memory_events'])
    assert int(summary['peakStats']['peakBytesInUse']) == peak
    assert int(summary['peakBytesUsageLifetime']) == peak
    if trace['ops']:
        assert int(summary['memoryCapacity']) == 150_000_000_000
    # the blocks at the peak, with what they are for and where they are from
    held = collections.Counter()
    for active in profile['activeAllocations']:
        what = profile['memoryProfileSnapshots'][int(active['snapshotIndex'])]['activityMetadata']
        held[what['tfOpName'], what['regionType'], what['tensorShape'],
             int(what['allocationBytes'])] += int(active['numOccurrences'])
    fresh = [block for block in trace['after']['blocks'] if block['label'] == 'scratch']
    assert held == collections.Counter(
        (block['label'], block['function'], f'{block["file"]}:{block["line"]}', block['bytes'])
        for block in trace['before']['blocks'] + fresh)
    assert profile['specialAllocations'] == []


# The trace viewer.

def expected_host(sample):
    trace = sample.trace
    process, threads = f'{trace["host"]} /host:CPU', trace['threads']
    lines = {thread['id']: thread['name'] for thread in threads}
    events = []
    for span in trace['spans']:
        name = f'step {span["step"]}' if span['kind'] == STEP else span['name']
        events.append((threads[span['thread']]['name'], name, span))
    for call in trace['calls']:
        line = 'CUPTI overhead' if call['kind'] == OVERHEAD else lines[call['thread_id']]
        events.append((line, call['name'], call))
    if trace['ops']:
        events.append(('window', f'outside of steps, window {trace["first_step"]}', trace))
    return collections.Counter(
        (process, line, name, round(sample.us(what['start']), 4),
         round((what['end'] - what['start']) / 1e3, 4)) for line, name, what in events)


def expected_streams(sample):
    process = f'{sample.trace["host"]} /device:GPU:0'
    lines = {7: 'Stream #7(Compute,MemcpyD2H,Memset)', 14: 'Stream #14(Compute)'}
    return collections.Counter(
        (process, lines[op['stream']], op['name'], round(sample.us(op['start']), 4),
         round((op['end'] - op['start']) / 1e3, 4)) for op in sample.trace['ops'])


def test_trace_viewer(either):
    shown = collections.Counter(key for key, _ in viewer(either))
    host = {key: n for key, n in shown.items() if key[0].endswith('/host:CPU')}
    assert host == expected_host(either)
    streams = {key: n for key, n in shown.items() if key[1].startswith('Stream')}
    assert streams == expected_streams(either)


def test_trace_viewer_steps(gpu):
    """XProf ties work to its step, and work outside of steps to none."""
    shown = {key[2]: key[3:] for key, _ in viewer(gpu) if key[1] == 'Steps'}
    groups = {f'step {number}': ops for number, ops in gpu.step_ops().items()}
    inside = [op for ops in groups.values() for op in ops]
    outside = [op for op in gpu.trace['ops'] if op not in inside]
    assert len(outside) == 3
    groups[f'outside of steps, window {gpu.trace["first_step"]}'] = outside
    assert shown == {
        name: (round(gpu.us(min(op['start'] for op in ops)), 4),
               round((max(op['end'] for op in ops) - min(op['start'] for op in ops)) / 1e3, 4))
        for name, ops in groups.items()}


def test_trace_viewer_arrows(gpu):
    """An arrow goes from each launch in a step to its operation."""
    arrows = {}
    for (_, _, name, start, _), event in viewer(gpu):
        if event.get('cat') == 'gpu_launch':
            arrows.setdefault(event['bind_id'], {})[event.get('flow_in', False)] = (name, start)
    launches = {call['correlation']: call for call in gpu.trace['calls']
                if call['kind'] in (RUNTIME, DRIVER)}
    whole = [pair for pair in arrows.values() if len(pair) == 2]
    assert sorted((pair[False], pair[True]) for pair in whole) == sorted(
        ((launch['name'], round(gpu.us(launch['start']), 4)),
         (op['name'], round(gpu.us(op['start']), 4)))
        for ops in gpu.step_ops().values() for op in ops
        for launch in [launches[op['correlation']]])


# Data that no tool shows.

@pytest.fixture(scope='session')
def planes(gpu):
    return {plane.name: plane for plane in ProfileData.from_file(str(gpu.path)).planes}


def test_planes(gpu, cpu, planes):
    assert planes.keys() == {'/device:GPU:0', '/host:CPU', '/host:metadata', 'Task Environment'}
    assert dict(planes['Task Environment'].stats) == {
        'profile_start_time': str(gpu.trace['start']), 'profile_stop_time': str(gpu.trace['end'])}
    names = [plane.name for plane in ProfileData.from_file(str(cpu.path)).planes]
    assert names == ['/host:CPU', 'Task Environment']


def test_device_stats(planes):
    stats = dict(planes['/device:GPU:0'].stats)
    assert {name: float(stats[name]) for name in stats if not name.endswith(('vendor', 'name'))} == {
        'clock_rate': 1.98e6, 'core_count': 132, 'memory_bandwidth': 4.8e12, 'memory_size': 150e9,
        'compute_cap_major': 9, 'compute_cap_minor': 0, 'peak_teraflops_per_second': 33.5}
    assert {'device_vendor', 'gpu_device_name'} <= stats.keys()


def test_order(planes):
    """Events of a line are sorted by start, the longer first; otherwise XProf nests them wrongly."""
    for plane in planes.values():
        for line in plane.lines:
            keys = [(event.start_ns, -event.duration_ns) for event in line.events]
            assert keys == sorted(keys) and keys


def test_counters(gpu, planes):
    """The measured counters of the thread shares, and no others."""
    worker, = (line for line in planes['/host:CPU'].lines if line.name == 'worker 1')
    parts = [span for span in gpu.of(THREAD) if span['thread'] == 1]
    assert [dict(event.stats) for event in worker.events] == [
        {name: str(count) for name, count in part['counts'].items() if count >= 0}
        for part in parts]
    assert parts and all(part['counts']['task_clock'] > 0 for part in parts)


def test_correlations(gpu, planes):
    """Only calls that may launch have a correlation_id that XProf looks for."""
    main, = (line for line in planes['/host:CPU'].lines if line.name == 'main')
    shown = collections.Counter(dict(event.stats)['correlation_id'] for event in main.events
                               if 'correlation_id' in dict(event.stats))
    calls = [call for call in gpu.trace['calls'] if call['kind'] in (RUNTIME, DRIVER)]
    assert shown == collections.Counter(str(call['correlation']) for call in calls)
    assert any(call['kind'] == SYNCHRONIZE for call in gpu.trace['calls'])


def test_transfers(gpu):
    """The details of copies and fills, as the trace viewer shows them for an event."""
    details = {}
    for (_, line, name, _, _), event in viewer(gpu):
        if line.startswith('Stream') and name.startswith('[CUDA'):
            details[name] = tool(gpu, 'trace_viewer@', trace_viewer_options={
                'event_name': name, 'start_time_ms': str(event['ts'] / 1e3),
                'duration_ms': str(event['dur'] / 1e3), 'unique_id': str(event['args']['uid'])})
    copy, = (op for op in gpu.trace['ops'] if op['kind'] == COPY)
    fill, = (op for op in gpu.trace['ops'] if op['kind'] == FILL)
    assert (f'kind_src:device kind_dst:pageable size:{copy["bytes"]} dest:0 async:1'
            in json.dumps(details[copy['name']]))
    assert f'kind:device size:{fill["bytes"]} dest:0 async:1' in json.dumps(details[fill['name']])


def test_jax_reads_the_same(gpu):
    """jax.profiler.ProfileData, where JAX is installed."""
    jax = pytest.importorskip("jax")
    told = [[(plane.name, line.name, event.name, round(event.start_ns), round(event.duration_ns))
             for plane in reader.from_file(str(gpu.path)).planes for line in plane.lines for event in line.events]
            for reader in (jax.profiler.ProfileData, ProfileData)]
    assert told[0] == told[1] and len(told[0]) > 100
