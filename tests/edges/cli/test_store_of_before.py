"""A store that version 0.1 wrote goes on working: its index, its plan, its annotations and its lease.

`tests/fixtures/store_0_1.tar.gz` is that store, `store_0_1.sql` the database `shop` that it documents.
"""

from __future__ import annotations

import json
import socket
import tarfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests import ROOT
from tests.edges.cli.tribal_command import Json, contents, tribal
from tests.plugins.postgres import administer
from tribal.errors import EXIT_NOT_READY
from tribal_demo.server.postgres import EmbeddedServer

STORE = ROOT / "tests" / "fixtures" / "store_0_1.tar.gz"
SQL = ROOT / "tests" / "fixtures" / "store_0_1.sql"
EPOCH = "1795000000"
"""`SOURCE_DATE_EPOCH` of the run that wrote the store."""
UNREACHABLE = {"SHOP_DSN": "postgresql://nobody@127.0.0.1:1/shop"}
RUN_ID = "20261122T030300Z-33193b"
CREATED_AT = "2026-11-22 03:02:59.723435+00"
"""What `now()` in the script was then."""
TABLES = {
    "shop.billing.invoice",
    "shop.billing.open_invoice",
    "shop.billing.payment",
    "shop.crm.contact",
    "shop.crm.customer",
}
COLUMNS = ["invoice_id", "customer_id", "net_cents", "currency", "due_on"]
RECORDS = ("progress/runs/", "progress/lease.json")
"""What a run that changes nothing writes: its record, and the lease that it held."""
LOCKS = (".tribal/",)
"""Where the lock files of the operating system lie."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The store, unpacked."""
    with tarfile.open(STORE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.fixture(scope="module")
def shop(postgres_server: EmbeddedServer) -> Iterator[dict[str, str]]:
    """The variables of a shell with which the database of the store is reached; only to be read.

    Its name is a part of what is documented, so that it cannot be a unique one.
    """
    postgres_server.create_database("shop")
    postgres_server.load("shop", SQL)
    postgres_server.load("shop", f"UPDATE crm.customer SET created_at = '{CREATED_AT}'")
    yield {"SHOP_DSN": postgres_server.dsn("shop"), "SOURCE_DATE_EPOCH": EPOCH}
    administer(postgres_server.dsn(), "DROP DATABASE shop WITH (FORCE)")


def answer(*arguments: object, cwd: Path, **environment: str) -> Json:
    """What a command that succeeds prints with `--json`."""
    ran = tribal(*arguments, "--json", cwd=cwd, **environment)
    assert ran.returncode == 0, ran.stderr
    told: Json = json.loads(ran.stdout)
    return told


def edit(file: Path, change: Callable[[Json], object]) -> None:
    """Change a JSON file by hand."""
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content, indent=2))


def hold_lease(store: Path, holder: str, seconds_left: float) -> None:
    """Make the run of before one that has not ended."""
    end = datetime.now(UTC) + timedelta(seconds=seconds_left)
    held = {"released": False, "holder": holder, "expires_at": end.strftime("%Y-%m-%dT%H:%M:%S.000Z")}
    edit(store / "progress" / "lease.json", lambda lease: lease.update(held))


def test_questions_are_answered_once_its_documents_are_indexed_again_as_the_error_says(store: Path) -> None:
    refused = tribal("search", "unpaid invoices of a customer", cwd=store, **UNREACHABLE)
    assert refused.returncode == EXIT_NOT_READY
    assert "another version" in refused.stderr
    assert "tribal index" in refused.stderr
    answer("index", cwd=store, **UNREACHABLE)
    before = contents(store, *LOCKS)
    found = answer("search", "unpaid invoices of a customer", cwd=store, **UNREACHABLE)
    assert {table["name"] for table in found["tables"]} == TABLES
    table = answer("table", "shop.billing.invoice", cwd=store, **UNREACHABLE)["schema"]
    assert [column["name"] for column in table["columns"]] == COLUMNS
    domains = answer("domains", cwd=store, **UNREACHABLE)["domains"]
    assert {domain["name"]: domain["table_count"] for domain in domains} == {"billing": 3, "crm": 2}
    assert contents(store, *LOCKS) == before


def test_a_run_over_the_same_database_documents_it_once_for_newer_rules_of_masking_and_then_nothing(
    store: Path, shop: dict[str, str]
) -> None:
    assert answer("run", cwd=store, **shop)["tables_documented"] == 5
    before = contents(store, *RECORDS, *LOCKS)
    planned = answer("plan", cwd=store, **shop)
    assert [unit["has_work"] for unit in planned["work_units"]] == [False, False]
    assert contents(store, *RECORDS, *LOCKS) == before
    ran = answer("run", cwd=store, **shop)
    assert (ran["tables_documented"], ran["tables_unchanged"], ran["tables_failed"]) == (0, 5, 0)
    assert contents(store, *RECORDS, *LOCKS) == before
    assert ran["run_id"] in {path.name for path in (store / "progress" / "runs").iterdir()}
    assert (store / "progress" / "runs" / RUN_ID / "run.json").is_file()


def test_what_a_person_changed_in_its_plan_is_taken_up(store: Path, shop: dict[str, str]) -> None:
    def move(plan: Json) -> None:
        domains = plan["databases"][0]["domains"]
        domains["billing"].remove("shop.billing.payment")
        domains["crm"].append("shop.billing.payment")

    edit(store / "progress" / "documentation-plan.json", move)
    documented = answer("document", cwd=store, **shop)
    assert documented["status"] == "completed"
    folders = {path.parent.name for path in (store / "docs").rglob("billing.payment.md")}
    assert folders == {"crm"}
    answer("run", cwd=store, **shop)
    assert answer("table", "shop.billing.payment", cwd=store, **shop)["schema"]["domain"] == "crm"


def test_its_annotations_stand_on_the_page_when_everything_is_documented_again(
    store: Path, shop: dict[str, str]
) -> None:
    annotations = (store / "annotations" / "shop.yaml").read_bytes()
    before = contents(store / "docs")
    ran = answer("run", "--force", cwd=store, **shop)
    assert ran["tables_documented"] == 5
    page = (store / "docs" / "shop" / "crm" / "crm.contact.md").read_text()
    assert "People to talk to at a customer." in page
    assert "What was agreed on the phone." in page
    assert contents(store / "docs").keys() == before.keys()
    assert (store / "annotations" / "shop.yaml").read_bytes() == annotations


@pytest.mark.parametrize(
    ("holder", "seconds_left"),
    [(f"{socket.gethostname()}/1", 3_600), ("another-host/1091", -60)],
    ids=["left behind by a process of this host that is dead", "expired, of another host"],
)
def test_a_lease_without_a_holder_is_taken_over(
    store: Path, shop: dict[str, str], holder: str, seconds_left: float
) -> None:
    hold_lease(store, holder, seconds_left)
    ran = answer("run", cwd=store, **shop)
    lease = json.loads((store / "progress" / "lease.json").read_text())
    assert (lease["run_id"], lease["fencing_token"], lease["released"]) == (ran["run_id"], 2, True)


def test_a_lease_that_is_held_is_respected(store: Path, shop: dict[str, str]) -> None:
    hold_lease(store, "another-host/1091", 3_600)
    before = contents(store)
    ran = tribal("run", cwd=store, **shop)
    assert ran.returncode != 0
    assert RUN_ID in ran.stderr
    assert "another-host" in ran.stderr
    assert contents(store, *LOCKS) == before
