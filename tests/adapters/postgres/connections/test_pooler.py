"""Reading through PgBouncer in transaction mode, where every transaction may be given another session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.pgbouncer import pooled
from servers.programs import ProgramMissing
from tests.edges.cli.tribal_command import contents, tribal
from tests.plugins.postgres import OpenCatalog, administer
from tests.plugins.skips import skip_or_fail
from tribal.errors import LoginRefused

EPOCH = "1767225600"
SESSION = "SELECT name || '=' || setting FROM pg_settings WHERE source = 'session' AND name <> 'application_name'"


@pytest.fixture(scope="module", name="pooled")
def pooled_fixture(company_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The sample company through a pooler with two sessions for everyone together."""
    try:
        with pooled(company_dsn, tmp_path_factory.mktemp("pooler")) as dsn:
            yield dsn
    except ProgramMissing as missing:
        skip_or_fail(str(missing))


def test_a_run_through_the_pooler_writes_what_a_run_next_to_it_writes(
    pooled: str, company_dsn: str, tmp_path: Path
) -> None:
    through, beside = tmp_path / "through", tmp_path / "beside"
    for folder, dsn in ((through, pooled), (beside, company_dsn)):
        folder.mkdir()
        ran = tribal("run", dsn, "--json", cwd=folder, SOURCE_DATE_EPOCH=EPOCH)
        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout)["tables_documented"] > 0
    assert contents(through / "docs") == contents(beside / "docs")
    assert contents(through / "catalog") == contents(beside / "catalog")


def test_nothing_that_a_read_sets_stays_in_the_sessions_of_the_pooler(pooled: str, open_catalog: OpenCatalog) -> None:
    catalog = open_catalog(pooled)
    before = administer(pooled, SESSION)
    contents_ = catalog.read()
    for table in contents_.tables[:5]:
        catalog.sample(table, 5)
    assert administer(pooled, SESSION) == before
    assert administer(pooled, "SELECT current_setting('statement_timeout')") == [["0"]]


def test_startup_options_that_the_pooler_refuses_are_named_with_what_to_do(
    pooled: str, open_catalog: OpenCatalog
) -> None:
    catalog = open_catalog(f"{pooled}?options=-c%20geqo%3Doff")
    with pytest.raises(LoginRefused) as refused:
        catalog.read()
    assert "options" in refused.value.message
    assert "ignore_startup_parameters" in refused.value.message
