"""Runs over a Snowflake database whose role sees less than before."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.fakes import RecordingSink
from tests.fakes.application import with_run
from tests.fakes.snowflake import FakeSnowflake
from tests.fakes.snowflake.connecting import ROLE, USER, WAREHOUSE, private_key_pem, shop
from tests.sample_shop.documented import Shop
from tribal.adapters.snowflake.catalog import SnowflakeCatalog
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.errors import PlanError
from tribal.identity.locations import MANIFEST_FILE
from tribal.ports import Application, Provider
from tribal.runs.local import LocalRun
from tribal.settings.snowflake.target import SnowflakeTarget
from tribal_contracts import DatabaseEntry, DocumentationManifest, RunRecord

pytestmark = pytest.mark.slow

TABLES = {"CUSTOMERS", "ORDERS", "RECENT"}


@pytest.fixture
def app(snowflake: FakeSnowflake, tmp_path: Path) -> Application:
    """An application that documents the account's shop, without samples."""
    shop(snowflake)
    target = SnowflakeTarget(
        account=snowflake.account.name,
        database="SHOP",
        login="key_pair",
        user=USER,
        role=ROLE,
        warehouse=WAREHOUSE,
        host="127.0.0.1",
        port=snowflake.port,
        protocol="http",
        secret=SecretStr(private_key_pem()),
    )
    app, entry = Shop().app(), DatabaseEntry(name="shop", type="snowflake", sample_rows=0)
    options = Provider.of(replace(app.options(), databases=(entry,), configured=(entry,)))
    open_index = partial(SqliteIndex, tmp_path / "index.db")
    return with_run(
        replace(app, options=options, index=Provider(open_index)),
        open_reader=lambda _: SnowflakeCatalog(target),
        index_writer=open_index,
    )


def run(app: Application) -> RunRecord:
    with LocalRun(app, "run", RecordingSink()) as work:
        work.plan()
        work.document()
    return work.record


def documented(app: Application) -> set[str]:
    manifest = DocumentationManifest.from_json(app.store().get(MANIFEST_FILE).data)
    return {file.table for file in manifest.indexable_files if file.type == "table" and file.table}


@pytest.mark.parametrize("viewer", [True, False])
def test_no_table_is_retired_because_the_role_lost_its_schema(
    snowflake: FakeSnowflake, app: Application, viewer: bool
) -> None:
    if viewer:
        snowflake.administer(f"GRANT DATABASE ROLE SNOWFLAKE.OBJECT_VIEWER TO ROLE {ROLE}")
    run(app)
    assert documented(app) == TABLES
    other = snowflake.account.database("SHOP").schema("OTHER").table("LEFT_OVER", ["ID NUMBER"])
    snowflake.administer(
        f"GRANT USAGE ON SCHEMA SHOP.OTHER TO ROLE {ROLE}; "
        f"GRANT REFERENCES ON TABLE SHOP.OTHER.LEFT_OVER TO ROLE {ROLE}; "
        f"REVOKE USAGE ON SCHEMA SHOP.PUBLIC FROM ROLE {ROLE}"
    )
    run(app)
    assert documented(app) == TABLES | {other.name}
    snowflake.administer(f"REVOKE USAGE ON SCHEMA SHOP.OTHER FROM ROLE {ROLE}")
    with pytest.raises(PlanError, match="no table is readable"):
        run(app)
    assert documented(app) == TABLES | {other.name}


def test_a_dropped_table_is_retired_where_the_role_may_know_that_it_was_dropped(
    snowflake: FakeSnowflake, app: Application
) -> None:
    run(app)
    snowflake.administer("DROP TABLE SHOP.PUBLIC.CUSTOMERS")
    run(app)
    assert documented(app) == TABLES, "to this role it may as well be hidden"
    snowflake.administer(f"GRANT DATABASE ROLE SNOWFLAKE.OBJECT_VIEWER TO ROLE {ROLE}")
    run(app)
    assert documented(app) == TABLES - {"CUSTOMERS"}


def test_structure_costs_no_credit(snowflake: FakeSnowflake, app: Application) -> None:
    run(app)
    assert snowflake.warehouse_statements == []
