"""TensorBoard shows the sample trace, in a browser."""
import io
import pathlib
import shutil
import subprocess
import sys

import pytest
from PIL import Image

from reader import SampleTrace

SCRIPT = pathlib.Path(__file__).with_name('tensorboard_screenshot')

pytestmark = pytest.mark.skipif(shutil.which('chromium') is None, reason='there is no chromium')


def screenshot(*arguments):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True,
                          timeout=280)


def test_trace_viewer(tmp_path):
    sample, picture = SampleTrace('gpu', tmp_path), tmp_path / 'picture.png'
    done = screenshot(tmp_path, picture)
    assert done.returncode == 0, done.stderr
    run, _, tools = done.stdout.partition(': ')
    assert run == f'run {sample.path.parent.name}'
    assert {'trace_viewer@', 'overview_page', 'framework_op_stats', 'kernel_stats',
            'memory_profile'} <= set(tools.split())
    # bars in the colours of events, to the right of the lines' names and below the head
    area = Image.open(io.BytesIO(picture.read_bytes())).convert('HSV').crop((600, 250, 1500, 900))
    colours = [count for count, (_, saturation, _) in area.getcolors(area.width * area.height)
               if saturation > 60 and count > 100]
    assert len(colours) >= 5
    assert sum(colours) > 0.02 * area.width * area.height


def test_reasons(tmp_path):
    """Failures name the missing item."""
    done = screenshot(tmp_path, tmp_path / 'picture.png')
    assert done.returncode == 1 and 'no plugins/profile/' in done.stderr
    SampleTrace('cpu', tmp_path)
    done = screenshot(tmp_path, tmp_path / 'picture.png', 'kernel_stats')
    assert done.returncode == 1 and 'does not offer kernel_stats' in done.stderr
    assert not (tmp_path / 'picture.png').exists()
