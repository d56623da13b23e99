"""A store with memories and decisions, written before capabilities had packages of their own, goes on working.

`tests/fixtures/store_2026_11.tar.gz` is that store; its database is the one of `store_0_1.sql`.
"""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from tests import ROOT
from tests.edges.cli.test_store_of_before import LOCKS, RECORDS, TABLES, UNREACHABLE, answer, shop
from tests.edges.cli.tribal_command import contents

__all__ = ["shop"]

SUM = "data/tribal-knowledge.db-sum"
"""Holds the identity of the index file on this machine."""
PAGE = "docs/index.html"
"""Holds the page's program, which changes from version to version."""
STORE = ROOT / "tests" / "fixtures" / "store_2026_11.tar.gz"
pytestmark = pytest.mark.xdist_group("store_of_before")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The store, unpacked."""
    with tarfile.open(STORE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


def test_questions_are_answered_once_the_indexes_are_of_this_version_and_change_nothing(store: Path) -> None:
    answer("index", cwd=store, **UNREACHABLE)
    # The first question about memories brings their index up to date.
    answer("recall", "revenue", cwd=store, **UNREACHABLE)
    before = contents(store, *LOCKS, SUM)
    found = answer("search", "unpaid invoices of a customer", cwd=store, **UNREACHABLE)
    assert {table["name"] for table in found["tables"]} == TABLES
    (memory,) = answer("recall", "revenue", cwd=store, **UNREACHABLE)["results"]
    assert memory["content"] == "Revenue leaves void invoices out."
    (decision,) = answer("knowledge", "net amounts", cwd=store, **UNREACHABLE)["items"]
    assert decision["id"] == "0001-net-amounts"
    assert answer("sync-status", cwd=store, **UNREACHABLE)["stats"]["totalItemsSynced"] == 2
    assert contents(store, *LOCKS, SUM) == before


def test_a_run_brings_its_documents_up_to_date_and_then_nothing_is_left_to_do(
    store: Path, shop: dict[str, str]
) -> None:
    first = answer("run", cwd=store, **shop)
    assert (first["tables_documented"] + first["tables_unchanged"], first["tables_failed"]) == (5, 0)
    before = contents(store, *RECORDS, *LOCKS, SUM, PAGE)
    ran = answer("run", cwd=store, **shop)
    assert (ran["tables_documented"], ran["tables_unchanged"], ran["tables_failed"]) == (0, 5, 0)
    assert contents(store, *RECORDS, *LOCKS, SUM, PAGE) == before
    result = answer("sync", cwd=store, **shop)["result"]
    assert (result["added"], result["updated"], result["deleted"], result["unchanged"]) == (0, 0, 0, 2)
    (memory,) = answer("recall", "revenue", cwd=store, **UNREACHABLE)["results"]
    assert memory["content"] == "Revenue leaves void invoices out."
