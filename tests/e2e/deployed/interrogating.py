"""Questions to the documentation of a deployed environment."""

from __future__ import annotations

from tests.e2e.deployed.deciding import over_mcp
from tests.e2e.deployed_system import DeployedSystem


def ask_and_mark(system: DeployedSystem, question: str, table: str) -> None:
    """Ask a question whose answer is about a table, mark the answer as wrong, and close the mark over MCP."""
    assert table in system.ask("ask", {"question": question})["main_tables"]
    marked = system.ask("mark_answer", {"question": question, "why": "A credit note is paid.", "tables": [table]})
    assert marked["tables"] == [table]
    mark = {"mark": marked["mark"]}
    assert over_mcp(system, "close_mark", mark)["mark"] == marked["mark"]
    again = system.request("POST", "/v1/tools/close_mark", mark)
    assert (again.status_code, again.json()["error"]["code"]) == (404, "INT_SESSION_NOT_FOUND")


def interrogate(system: DeployedSystem, hypothesis: str) -> None:
    """Start an interrogation by rules, and look at it in every way."""
    started = system.ask("start_interrogation", {"hypothesis": hypothesis})
    assert started["status"] in ("completed", "limit-reached")
    session = {"sessionId": started["sessionId"]}
    shown = system.ask("get_interrogation", session)
    assert shown["session"]["owner"].endswith(f":user/caller-{system.environment.name}")
    assert shown["total"] > 0
    for answer in (system.ask("list_interrogations", {}), over_mcp(system, "list_interrogations")):
        (listed,) = answer["sessions"]
        assert (listed["id"], listed["status"]) == (started["sessionId"], started["status"])
    assert system.ask("stop_interrogation", session)["stopping"] is False
