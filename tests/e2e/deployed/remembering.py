"""Memories of a deployed environment: asked by two processes at once, and half written."""

from __future__ import annotations

import json
import threading
from typing import Any

from tests.e2e.deployed_system import COMPANY, DeployedSystem
from tests.e2e.lambda_processes import Sandbox
from tribal.capabilities.memory.records import key_of, memory_id
from tribal.capabilities.memory.repository import PENDING
from tribal.ports.remembering.identity import Space
from tribal_contracts.memory import MemoryRecord


def in_two_processes(system: DeployedSystem, tool: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers of two processes, of which one is held until the other has answered."""
    reached, released, sandboxes = threading.Event(), threading.Event(), list[int]()
    answers: list[dict[str, Any]] = []

    def hold(function: str, event: Any, sandbox: Sandbox) -> None:
        if not function.endswith("-memory"):
            return
        sandboxes.append(id(sandbox))
        if len(sandboxes) == 1:
            reached.set()
            assert released.wait(300)

    system.account.processes.before = hold
    first = threading.Thread(target=lambda: answers.append(system.ask(tool, arguments)))
    first.start()
    assert reached.wait(300)
    answers.append(system.ask(tool, arguments))
    released.set()
    first.join(300)
    system.account.processes.before = None
    assert len({*sandboxes}) == 2
    return answers


def leave_half_written(system: DeployedSystem, content: str) -> str:
    """Leave a memory of the company as a function does that is killed between the object and the index; its id."""
    space, long_ago = Space("company", (("company", COMPANY),)), "2026-11-01T08:00:00Z"
    record = MemoryRecord(
        schema_version="1.0",
        memory_id=memory_id(space, content),
        layer="company",
        identifiers={"company": COMPANY},
        content=content,
        tags=[],
        metadata={},
        created_at=long_ago,
        author="bea",
        session=None,
        used_at=long_ago,
    )
    system.put(key_of(space, record.memory_id), record.to_json())
    told = {"layer": space.layer, "identifiers": [["company", COMPANY]], "names": [record.memory_id], "at": long_ago}
    system.put(f"{PENDING}killed.json", json.dumps(told).encode())
    return record.memory_id
