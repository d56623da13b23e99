"""Proposals of descriptions in a deployed environment."""

from __future__ import annotations

from tests.e2e.deployed.deciding import over_mcp
from tests.e2e.deployed_system import DeployedSystem

INVOICE = {"table": "company.billing.invoice", "description": "What a customer owes for an order."}


def propose_and_withdraw(system: DeployedSystem) -> None:
    """Propose a description over HTTPS, as over MCP, and withdraw it."""
    proposal = system.ask("propose_description", INVOICE)["id"]
    assert over_mcp(system, "propose_description", INVOICE)["id"] == proposal
    (listed,) = system.request("GET", "/v1/proposals").json()["proposals"]
    assert (listed["id"], listed["table"]) == (proposal, INVOICE["table"])
    assert listed["by"].endswith(f":user/caller-{system.environment.name}")
    path = f"/v1/proposals/{proposal}"
    assert system.request("DELETE", path).json() == {"id": proposal, "outcome": "withdrawn"}
    assert system.request("DELETE", path).status_code == 409
    assert system.request("GET", "/v1/proposals", sign=False).status_code == 403
