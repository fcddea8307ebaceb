"""Fixtures: one browser for all tests, and pages of arbitrary documents."""
import json
import os
import subprocess

import pytest

from browser import Browser, Failure


@pytest.fixture(scope='session')
def browser():
    try:
        with Browser() as opened:
            yield opened
    except Failure as failure:
        if 'there is no chromium' in str(failure):
            pytest.skip(str(failure))
        raise


@pytest.fixture(scope='session')
def page_of(tmp_path_factory):
    """Write the page of a document: the page of a report with its document replaced."""
    folder = tmp_path_factory.mktemp('documents')
    template = folder / 'template.html'
    subprocess.run([os.environ['WRITE_REPORT'], 'bare', template], check=True)
    before, _, rest = template.read_text(encoding='utf-8').partition('id="document">')
    after = rest[rest.index('</script>'):]

    def write(name, document):
        path = folder / f'{name}.html'
        text = json.dumps(document).replace('<', '\\u003c')
        path.write_text(f'{before}id="document">{text}{after}', encoding='utf-8')
        return path
    return write
