"""Whatever fails at whichever agent, a cycle ends or waits, and its files are as specified."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.capabilities.contribution.shop_with_clone import ShopWithClone
from tests.plugins.verify import examples
from tribal.capabilities.contribution.errors import AgentTimedOut, CheckFailed
from tribal.capabilities.contribution.offers.sources import AGENT_SECONDS, open_source
from tribal.errors import RepositoryUnreadable, RepositoryUnusable
from tribal.ports.repositories import Repository
from tribal_contracts.contribution.settings import RepositoryEntry

ERRORS: list[Exception | None] = [
    None,
    AgentTimedOut("it took too long"),
    RepositoryUnreadable("it cannot be read"),
    RepositoryUnusable("it does not allow it"),
    CheckFailed("a check failed"),
    RuntimeError("a bug"),
]
BEFORE_AGENTS = 2
"""How often a repository is opened to select what to contribute."""


def failing(shop: ShopWithClone, errors: list[Exception | None]) -> None:
    """Have the agents fail in turn when they open the repository."""
    opened, numbers = shop.parts.open_repository, count()

    def open_repository(entry: RepositoryEntry) -> Repository:
        number = next(numbers) - BEFORE_AGENTS
        error = errors[number] if 0 <= number < len(errors) else None
        if error is not None:
            raise error
        return opened(entry)

    shop.parts = replace(shop.parts, open_repository=open_repository)


@pytest.mark.slow
@given(st.lists(st.sampled_from(ERRORS), max_size=12))
@settings(max_examples=examples(25, 300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_cycle_ends_completed_failed_or_waiting(
    tmp_path_factory: pytest.TempPathFactory, errors: list[Exception | None]
) -> None:
    shop = ShopWithClone(tmp_path_factory.mktemp("shop"))
    failing(shop, errors)
    record = shop.prepare("sales.customer")
    assert record is not None
    assert (record.state, record.outcome) in {("waiting", None), ("ended", "failed"), ("ended", "blocked")}
    status = shop.contributions().files.status()
    assert status is not None
    assert {each.status for each in status.agents.values()} <= {"idle", "completed", "failed", "waiting"}


def test_an_error_that_may_pass_is_tried_again_twice(tmp_path: Path) -> None:
    shop = ShopWithClone(tmp_path)
    late = AgentTimedOut("it took too long")
    failing(shop, [late, late])
    record = shop.prepared("sales.customer")
    assert record.retries == {"agent-1-scout": 2}
    failing(shop, [late, late, late])
    ended = shop.prepare("billing.invoice")
    assert ended is not None
    assert (ended.outcome, ended.stopped_by, ended.error and ended.error.code) == (
        "failed",
        "agent-1-scout",
        "CON_AGENT_TIMEOUT",
    )


def test_an_agent_that_reads_for_too_long_is_stopped(tmp_path: Path) -> None:
    shop = ShopWithClone(tmp_path)
    [entry] = shop.parts.settings.repositories
    with open_source(shop.parts, entry, shop.clock) as source:
        files = source.files()
        assert files.read("db/V1__sales.sql")
        shop.clock.advance(AGENT_SECONDS + 1)
        with pytest.raises(AgentTimedOut):
            files.read("db/V2__billing.sql")
