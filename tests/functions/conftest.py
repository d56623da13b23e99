"""What the tests of several functions share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.issuer import AUDIENCE
from tests.fakes.published_issuer import PublishedIssuer
from tests.functions.recorded_runs import SQL, Step, record_runs
from tests.plugins.postgres import new_database
from tribal_demo.server.postgres import EmbeddedServer


@pytest.fixture(scope="session")
def steps(postgres_server: EmbeddedServer) -> list[Step]:
    """What three documentation runs left in the bucket, step by step."""
    with new_database(postgres_server, SQL) as dsn:
        return record_runs(dsn)


@pytest.fixture
def issuer(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PublishedIssuer]:
    """An issuer that the authorizer trusts."""
    published = PublishedIssuer(certificate)
    for name, value in {
        "SSL_CERT_FILE": str(certificate),
        "TRIBAL_TOKEN_ISSUER": published.url,
        "TRIBAL_TOKEN_AUDIENCE": AUDIENCE,
        "TRIBAL_TOKEN_SCOPE_CLAIM": "databases",
        "POWERTOOLS_SERVICE_NAME": "test",
        "POWERTOOLS_METRICS_NAMESPACE": "Test",
        "POWERTOOLS_TRACE_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    yield published
    published.close()
