"""Selecting what there is not is a mistake in the command line: nothing is started, and near misses are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import contents, tribal
from tests.plugins.postgres import new_database
from tribal.identity.locations import PLAN_FILE
from tribal_demo.server.postgres import EmbeddedServer

SHOP = """
CREATE SCHEMA sales; CREATE SCHEMA billing;
CREATE TABLE sales.orders (id int PRIMARY KEY);
CREATE TABLE billing.invoice (id int PRIMARY KEY);
"""


@pytest.fixture(scope="module")
def documented(postgres_server: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder in which a database has been documented, and the database's DSN."""
    folder = tmp_path_factory.mktemp("documented")
    with new_database(postgres_server, SHOP) as dsn:
        (folder / "databases.yaml").write_text(f"databases:\n  - {{name: shop, dsn: '{dsn}'}}\n")
        ran = tribal("run", cwd=folder)
        assert ran.returncode == 0, ran.stderr
    return folder, dsn


@each_case(
    ("command", "hint"),
    [
        (("document", "--work-unit", "shop_sale"), "no work unit 'shop_sale'; did you mean 'shop_sales'"),
        (("document", "--domain", "billling"), "no domain 'billling'; did you mean 'billing'?"),
        (("document", "--domain", "zzz"), "no domain 'zzz'; it has billing, sales"),
        (("index", "--work-unit", "shop_sale"), "the manifest has no work unit 'shop_sale'; did you mean 'shop_sales'"),
    ],
    ids=lambda value: "-".join(value[:2]) if isinstance(value, tuple) else "",
)
def test_a_misspelt_selection_is_a_usage_error_that_begins_nothing(
    documented: tuple[Path, str], command: tuple[str, ...], hint: str
) -> None:
    folder, _ = documented
    before = contents(folder)
    ran = tribal(*command, cwd=folder)
    assert (ran.returncode, hint in ran.stderr) == (2, True), ran.stderr
    assert contents(folder) == before


def test_a_domain_that_a_person_has_just_made_in_the_plan_may_be_selected(documented: tuple[Path, str]) -> None:
    folder, _ = documented
    plan = folder / PLAN_FILE
    made = plan.read_text()
    plan.write_text(made.replace('"billing": [', '"money": ['))
    try:
        refused = tribal("document", "--domain", "billing", cwd=folder)
        assert (refused.returncode, "no domain 'billing'" in refused.stderr) == (2, True), refused.stderr
        assert tribal("document", "--domain", "money", "--no-samples", cwd=folder).returncode == 0
    finally:
        plan.write_text(made)
