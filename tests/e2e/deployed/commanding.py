"""The command line, which works with a deployed environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.e2e.deployed.chatting import COLLECTION
from tests.e2e.deployed_system import DeployedSystem

Tribal = Callable[..., str]
_PLANNER = "planner-default"


def run_and_ask(system: DeployedSystem, tribal: Tribal) -> None:
    """Run, and ask in every way."""
    assert "billing.invoice" in tribal("search", "unpaid invoices")
    assert "JOIN" in tribal("join", "crm.customer", "billing.payment")
    executions = len(system.calls_of(_PLANNER))
    tribal("run", "--follow")
    assert len(system.calls_of(_PLANNER)) > executions
    assert "completed" in tribal("status")
    assert "invoice" in tribal("chat", "Which table has the unpaid invoices?")
    assert "\nsession " in tribal("interrogate", "How many invoices has each customer not paid?")
    _propose_and_withdraw(tribal)


def upload_and_remove(tribal: Tribal, folder: Path) -> None:
    """Upload a file that is too large for a gateway, and remove it."""
    page = folder / "handover.html"
    page.write_text(f"<p>Shifts are handed over at noon.</p><!-- {'x' * 5_000_000} -->", encoding="utf-8")
    assert "1 of 1 file indexed" in tribal("upload", page.name, "--collection", COLLECTION)
    assert page.name in tribal("collections", "show", COLLECTION)
    assert "is removed" in tribal("collections", "remove", COLLECTION, page.name)
    assert "removal of handover.html" in tribal("jobs")


def _propose_and_withdraw(tribal: Tribal) -> None:
    """Propose a description, find it in the list, and withdraw it."""
    assert "It waits" in tribal("propose", "billing.invoice", "One bill for each order.")
    listed = tribal("proposals")
    assert "after:  One bill for each order." in listed
    assert "waiting: 1 proposal" in tribal("status")
    assert "is withdrawn" in tribal("proposals", "reject", listed.split()[0])
    assert "No proposal" in tribal("proposals")
