"""An AWS account that is none, and a real node of OpenSearch, for every test, by way of `tests/conftest.py`."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator

import pytest
from opensearchpy import OpenSearch

from servers.java_packages import PackagesUnavailable
from servers.opensearch import VARIABLE, OpenSearchNode
from tests.plugins.skips import skip_or_fail
from tribal.adapters.opensearch.client import opensearch_client

_numbers = itertools.count()


@pytest.fixture
def aws_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that no service would take, and nothing of the account that runs the tests."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture(scope="session")
def opensearch_address() -> Iterator[str]:
    """The cluster that `OPENSEARCH_URL` names, else a node that is started once a session."""
    if address := os.environ.get(VARIABLE):
        yield address
        return
    try:
        node = OpenSearchNode.start(briefly=True)
    except PackagesUnavailable as unavailable:
        skip_or_fail(str(unavailable))
    yield node.address
    node.stop()


@pytest.fixture(scope="session")
def opensearch(opensearch_address: str) -> Iterator[OpenSearch]:
    """A client of the cluster."""
    client = opensearch_client(opensearch_address)
    yield client
    client.close()


@pytest.fixture
def index_name(opensearch: OpenSearch) -> Iterator[str]:
    """The name of an index that no one else uses; its generations are removed after the test."""
    name = f"test-{os.getpid()}-{next(_numbers)}"
    yield name
    for generation in opensearch.indices.get_alias(index=f"{name}-*", params={"allow_no_indices": "true"}):
        opensearch.indices.delete(index=generation)
