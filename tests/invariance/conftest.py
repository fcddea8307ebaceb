"""The marker of tests that need a build without fused multiply-adds."""


def pytest_configure(config):
    config.addinivalue_line("markers", "without_fma: the build has no fused multiply-adds")
