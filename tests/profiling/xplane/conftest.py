"""The sample traces, each written once."""
import pytest

from reader import SampleTrace


@pytest.fixture(scope='session')
def gpu(tmp_path_factory):
    return SampleTrace('gpu', tmp_path_factory.mktemp('gpu'))


@pytest.fixture(scope='session')
def cpu(tmp_path_factory):
    return SampleTrace('cpu', tmp_path_factory.mktemp('cpu'))


@pytest.fixture(scope='session', params=['gpu', 'cpu'])
def either(request):
    return request.getfixturevalue(request.param)
