"""What every test may use."""

from __future__ import annotations

import gc
import signal
from collections.abc import Generator, Iterator

import pytest

# A shell that starts the tests in the background lets them ignore Ctrl-C, and so the programs that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

for _body in (
    "catalog_reader",
    "describer",
    "embedder",
    "language_model",
    "object_store",
    "repository",
    "search_index",
    "secrets",
):
    # The bodies are no test modules themselves, so that pytest would not explain their asserts.
    pytest.register_assert_rewrite(f"tests.conformance.{_body}")

pytest_plugins = [
    "tests.plugins.aws",
    "tests.plugins.chat_vendors",
    "tests.plugins.claude",
    "tests.plugins.costs",
    "tests.plugins.deployments",
    "tests.plugins.snowflake",
    "tests.plugins.loaded_once",
    "tests.plugins.postgres",
    "tests.plugins.relay",
    "tests.plugins.replica",
    "tests.plugins.verify",
    "tests.plugins.without_servers",
    "tests.rendering.web.browser",
]


@pytest.fixture(scope="session", autouse=True)
def own_state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what commands remember of the user, such as the last answer, out of the real home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without garbage collection, which takes as long again and finds little: the tests stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
