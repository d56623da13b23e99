"""Killed before or after any call of GitHub, or at any write: one pull request, one commit an approval, one reply."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.github.clients import client_of
from tests.capabilities.contribution.writing.issues import BODY, TITLE, Package, package_in
from tests.capabilities.contribution.writing.test_reviews import CHANGED
from tests.fakes.dying_store import DyingStore, Killed
from tests.fakes.github.server import READ_TOKEN, WRITE_TOKEN
from tests.plugins.verify import examples
from tribal.adapters.github.client import GitHubClient
from tribal.adapters.github.forge import GitHubForge
from tribal.adapters.github.repository import GitHubRepository
from tribal.errors import TribalError
from tribal_contracts.contribution.tools import PrepareContributionInput

_STEPS = 12


@dataclass
class Calls:
    """Kills the process before or after one of its calls of GitHub."""

    left: int
    after: bool

    def dying(self, client: GitHubClient) -> GitHubClient:
        transport, calls = client._transport, self

        class Dying:
            def send(self, *arguments: Any) -> Any:
                calls.left -= 1
                if calls.left < 0 and not calls.after:
                    raise Killed
                answer = transport.send(*arguments)
                if calls.left < 0:
                    raise Killed
                return answer

            def close(self) -> None:
                transport.close()

        client._transport = Dying()  # type: ignore[assignment]
        return client


def use(package: Package, calls: Calls) -> None:
    """Have the process of a package die at a call."""
    github = package.github
    package.parts = replace(
        package.parts,
        open_repository=lambda _: GitHubRepository(calls.dying(client_of(github, READ_TOKEN))),
        open_forge=lambda *_: GitHubForge(calls.dying(client_of(github, WRITE_TOKEN))),
    )


def go_on(package: Package, url: str) -> bool:
    """Run the next command that a person would; whether the review is answered."""
    service, [*pulls] = package.contributions(), package.github.pulls.found
    records = service.files.records()
    if not records or records[0].state == "preparing":
        service.prepare(PrepareContributionInput(issue=url))
        return False
    [record] = records
    if record.answered:
        return True
    if record.state == "following" and not pulls[0].line_comments:
        pulls[0].say("bea", "Please name the price in the message.", "pricing/prices.py", 7)
    if record.approvals and (record.state != "following" or record.follow_up is not None):
        service.follow()
    record = service.record(1)
    if record.state in ("waiting", "publishing") or record.follow_up is not None:
        review = service.review(1)
        service.approve(review, review.sha256[:8])
    elif record.state == "following":
        service.follow()
    return False


def killed(folder: Path, calls: Calls, writes: int = 1_000_000) -> bool:
    """Do an issue and answer its review, killed once; whether it was."""
    package = package_in(folder)
    package.mind.review = [CHANGED]
    url, store = package.ask(TITLE, BODY), package.store
    use(package, calls)
    package.store = DyingStore(store, writes)
    dies = False
    try:
        for _ in range(_STEPS):
            if go_on(package, url):
                break
    except Killed:
        dies = True
    package.store = store
    use(package, Calls(1_000_000, after=False))
    done = False
    for _ in range(_STEPS):
        with suppress(TribalError):
            done = done or go_on(package, url)
    assert done
    [pull] = package.github.pulls.found
    tip = package.github.objects.tip(pull.branch)
    compared = package.github.objects.compared(package.contributions().record(1).base_commit, tip or "")
    assert compared is not None
    assert compared["ahead_by"] == 2, "the change, and the answer to its review"
    assert [each["user"]["login"] for each in pull.line_comments] == ["bea", "tribal[bot]"]
    assert package.contributions().record(1).cycle == 1
    package.github.stop()
    return dies


def test_killed_at_drawn_moments_everything_exists_once(tmp_path: Path) -> None:
    draw = random.Random(66)
    for number in range(examples(4, 30)):
        if draw.random() < 0.5:
            killed(tmp_path / str(number), Calls(draw.randrange(60), after=draw.random() < 0.5))
        else:
            killed(tmp_path / str(number), Calls(1_000_000, after=False), draw.randrange(40))


@pytest.mark.verify
@pytest.mark.parametrize("after", [False, True])
def test_killed_before_and_after_each_call_everything_exists_once(after: bool, tmp_path: Path) -> None:
    count = 0
    while killed(tmp_path / str(count), Calls(count, after)):
        count += 1
    assert count >= 40
