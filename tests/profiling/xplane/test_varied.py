"""XProf reads the rare cases of write_varied.c."""
import os
import subprocess

import pytest
from xprof.profile_data import ProfileData

from reader import Sample, rows, tool, viewer


@pytest.fixture(scope='module')
def varied(tmp_path_factory):
    folder = tmp_path_factory.mktemp('varied')
    subprocess.run([os.environ['WRITE_VARIED'], folder], check=True)
    return Sample(folder)


def test_texts(varied):
    assert varied.path.name == 'node___2.xplane.pb'
    warnings = [row['message'] for row in rows(tool(varied, 'overview_page')[-1])]
    assert 'cut in a character: ??' in warnings


def test_devices(varied):
    assert tool(varied, 'overview_page')[2]['p']['device_core_count'] == '2'
    assert {key[0].split()[-1] for key, _ in viewer(varied)} == {
        '/device:GPU:0', '/device:GPU:1', '/host:CPU'}


def test_steps(varied):
    """Work belongs to the step that launched it or, if the launch is unknown, in which it started."""
    groups = {}
    for key, event in viewer(varied):
        groups.setdefault(key[2], set()).add(event['args'].get('group_id'))
    step, window = groups['step 10'], groups['outside of steps, window 10']
    assert len(step) == len(window) == 1 and step != window
    assert groups['timed_kernel()'] == groups['late_kernel()'] == step
    assert groups['[CUDA memcpy Unified]'] == window
    assert len(rows(tool(varied, 'overview_page')[1])) == 2


def test_lines(varied):
    names = {key[1]: key[2] for key, _ in viewer(varied)}
    assert names['thread 7777'] == 'cuLaunchKernel'
    assert 'Stream #21(Compute,Memcpy)' in names


def test_regions_that_start_together(varied):
    """The outer region comes first: readers nest in this order."""
    host, = (p for p in ProfileData.from_file(str(varied.path)).planes if p.name == '/host:CPU')
    main, = (line for line in host.lines if line.name == 'main')
    assert [(event.name, event.start_ns) for event in main.events][:3] == [
        ('steps', 0.0), ('step', 0.0), ('rhs', 0.0)]


def test_many_blocks(varied):
    """XProf keeps the order of blocks, and counts other memory in use from the start."""
    profile, = tool(varied, 'memory_profile')['memoryProfilePerAllocator'].values()
    used = [int(shot['aggregationStats']['heapAllocatedBytes'])
            for shot in profile['sampledTimelineSnapshots']]
    sizes = [21344400, 1185800, 1185800] + 100 * [1]
    assert used[:103] == [1000 + sum(sizes[:k + 1]) for k in range(103)]
