"""What every test may use."""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator

import pytest
from hypothesis import settings

# A slow machine is no failure: speed is measured in bench/, never asserted.
settings.register_profile("without a deadline", deadline=None)
settings.load_profile("without a deadline")

# A shell that starts the tests in the background lets them ignore Ctrl-C, and so the programs that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

for _body in ("catalog_reader", "describer", "embedder", "language_model", "object_store", "search_index", "secrets"):
    # The bodies are no test modules themselves, so that pytest would not explain their asserts.
    pytest.register_assert_rewrite(f"tests.conformance.{_body}")

pytest_plugins = [
    "tests.infra.state_machines",
    "tests.infra.synthesis",
    "tests.plugins.aws",
    "tests.plugins.claude",
    "tests.plugins.snowflake",
    "tests.plugins.postgres",
    "tests.plugins.relay",
    "tests.plugins.replica",
    "tests.plugins.without_servers",
]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without a look for garbage: what is collected stays, and to look through it takes as long again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()
