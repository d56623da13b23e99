"""An approval publishes exactly what its hash covers, once."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.capabilities.contribution.shop_with_clone import FILES, SECOND, ShopWithClone
from tests.cases import each_case
from tests.fakes import MemoryStore
from tests.fakes.dying_store import DyingStore, Killed
from tests.plugins.verify import examples
from tribal.capabilities.contribution.errors import ApprovalStale, HandoffInvalid
from tribal.capabilities.contribution.publishing.publication import patch_of
from tribal.errors import PreconditionFailed, RepositoryUnusable, TribalError
from tribal.store.sealing import sealed
from tribal_contracts.contribution.changes import CodeChanges
from tribal_contracts.contribution.cycles import CycleRecord
from tribal_contracts.contribution.tools import PrepareContributionInput

CODE = "contribution/cycles/1/code-changes.json"
RECORD = "contribution/cycles/1/cycle.json"


def change_code(shop: ShopWithClone, change: Callable[[CodeChanges], CodeChanges]) -> None:
    """Change the hand-off of the coder, with a checksum that fits."""
    changed = change(CodeChanges.from_json(shop.store.get(CODE).data))
    shop.store.put(CODE, sealed(CODE, changed.to_json()))


def change_diff(shop: ShopWithClone) -> None:
    def changed(code: CodeChanges) -> CodeChanges:
        [only] = code.changes
        return code.model_copy(
            update={"changes": [only.model_copy(update={"diff": only.diff.replace("sent", "made")})]}
        )

    change_code(shop, changed)


def change_branch(shop: ShopWithClone) -> None:
    change_code(shop, lambda code: code.model_copy(update={"branch": "tribal/another"}))


def change_message(shop: ShopWithClone) -> None:
    change_code(shop, lambda code: code.model_copy(update={"suggested_commit_message": "Another\n"}))


def change_notes(shop: ShopWithClone) -> None:
    change_code(shop, lambda code: code.model_copy(update={"notes": ["another text"]}))


def change_title(shop: ShopWithClone) -> None:
    record = CycleRecord.from_json(shop.store.get(RECORD).data)
    first, *others = record.descriptions
    changed = record.model_copy(update={"descriptions": [first.model_copy(update={"table": "customer"}), *others]})
    shop.store.put(RECORD, sealed(RECORD, changed.to_json()))


def change_base_file(shop: ShopWithClone) -> None:
    said = f"{SECOND}COMMENT ON TABLE billing.invoice IS 'Something else.';\n"
    shop.change({"db/V2__billing.sql": said.encode()})


def take_number(shop: ShopWithClone) -> None:
    shop.change({"db/V3__other.sql": b"SELECT 1;\n"})


def change_target(shop: ShopWithClone) -> None:
    config = shop.clone.get_config()
    config.set((b"remote", b"origin"), b"url", b"https://example.com/another.git")
    config.write_to_path()


def change_author(shop: ShopWithClone) -> None:
    config = shop.clone.get_config()
    config.set((b"user",), b"name", b"Another")
    config.set((b"user",), b"email", b"another@example.com")
    config.write_to_path()


def expire(shop: ShopWithClone) -> None:
    shop.clock.advance(24 * 3600)


CHANGES = (
    change_diff,
    change_branch,
    change_message,
    change_notes,
    change_title,
    change_base_file,
    take_number,
    change_target,
    change_author,
    expire,
)


class Interrupted(Exception):
    """What happens between approval and publishing."""


@each_case("change", CHANGES)
def test_an_approval_of_one_hash_never_publishes_another(
    change: Callable[[ShopWithClone], None], tmp_path: Path
) -> None:
    shop = ShopWithClone(tmp_path / change.__name__)
    shop.prepared()
    # The process dies once the approval is written.
    for writes in range(20):
        with suppress(Killed):
            shop.approve(store=DyingStore(shop.store, writes))
        if shop.store.head("contribution/cycles/1/approval.json") is not None:
            break
    assert shop.branches() == {}
    change(shop)
    with suppress(TribalError):
        shop.contributions().follow(1)
    assert shop.branches() == {}


@each_case("change", CHANGES[:-1])
def test_what_changes_while_a_person_reads_is_not_published(
    change: Callable[[ShopWithClone], None], tmp_path: Path
) -> None:
    shop = ShopWithClone(tmp_path / change.__name__)
    shop.prepared()
    service = shop.contributions()
    review = service.review(1)
    change(shop)
    with pytest.raises((ApprovalStale, RepositoryUnusable)):
        service.approve(review, review.sha256[:8])
    assert shop.branches() == {}


def test_a_damaged_hand_off_is_refused(tmp_path: Path) -> None:
    shop = ShopWithClone(tmp_path)
    shop.prepared()
    shop.store.put(CODE, shop.store.get(CODE).data.replace(b"sent", b"made"))
    with pytest.raises(HandoffInvalid, match=r"code-changes\.json cannot be used: it is damaged"):
        shop.approve()
    assert shop.branches() == {}


def test_a_hand_off_of_another_cycle_is_refused(tmp_path: Path) -> None:
    shop = ShopWithClone(tmp_path)
    shop.prepared()
    change_code(shop, lambda code: code.model_copy(update={"cycle": 7}))
    with pytest.raises(HandoffInvalid, match="it belongs to cycle 7"):
        shop.approve()


def test_a_branch_of_that_name_that_is_not_ours_stays_and_ends_the_contribution(tmp_path: Path) -> None:
    shop = ShopWithClone(tmp_path)
    record = shop.prepared()
    assert record.publication is not None
    tip = shop.clone.refs[b"refs/heads/main"]  # type: ignore[index]
    shop.clone.refs[f"refs/heads/{record.publication.branch}".encode()] = tip  # type: ignore[index]
    ended = shop.approve()
    assert (ended.state, ended.outcome) == ("ended", "blocked")
    assert "exists already and is not of this contribution" in ended.blockers[0]
    assert [*shop.branches().values()] == [tip.decode()]


def copy_of(store: MemoryStore) -> MemoryStore:
    copied = MemoryStore()
    copied._objects = dict(store._objects)
    return copied


def finished(shop: ShopWithClone) -> CycleRecord:
    """Run the commands that a person would after a kill, until there is nothing left to do."""
    service = shop.contributions()
    record = service.record(1)
    if record.state == "waiting" and not record.approvals:
        return shop.approve()
    with suppress(TribalError):
        service.follow()
    record = service.record(1)
    return shop.approve() if record.state in ("waiting", "publishing") else record


@pytest.mark.slow
def test_killed_at_any_write_and_run_again_there_is_one_branch_with_one_commit(tmp_path: Path) -> None:
    whole = ShopWithClone(tmp_path / "whole")
    whole.prepared()
    before = copy_of(whole.store)  # type: ignore[arg-type]
    kills = 0
    for writes in range(100):
        shop = whole
        shop.store = copy_of(before)
        for name in shop.branches():
            del shop.clone.refs[f"refs/heads/tribal/{name}".encode()]  # type: ignore[arg-type]
        try:
            shop.approve(store=DyingStore(shop.store, writes))
        except Killed:
            kills += 1
        else:
            break
        record = finished(shop)
        assert record.state == "following", writes
        [tip] = shop.branches().values()
        assert record.published_commit == tip
        commit = shop.clone[tip.encode()]
        assert commit.parents == [shop.clone.refs[b"refs/heads/main"]]  # type: ignore[attr-defined,index]
        shop.require_specified()
    assert kills >= 8


@pytest.mark.slow
def test_preparing_that_is_killed_at_any_write_ends_as_if_undisturbed(tmp_path: Path) -> None:
    shop = ShopWithClone(tmp_path)
    before = copy_of(shop.store)  # type: ignore[arg-type]
    kills = 0
    diffs = set()
    for writes in range(200):
        shop.store = copy_of(before)
        try:
            shop.contributions(DyingStore(shop.store, writes)).prepare(PrepareContributionInput())
        except Killed:
            kills += 1
        else:
            break
        record = shop.prepare() or shop.contributions().record(1)
        assert (record.cycle, record.state) == (1, "waiting")
        diffs.add(patch_of(shop.contributions().files.handoffs(record.cycle)))
    assert kills >= 15
    assert len(diffs) == 1


@pytest.mark.slow
def test_killed_while_the_base_branch_moves_nothing_or_the_approved_commit_is_published(tmp_path: Path) -> None:
    drawn = random.Random(65)
    outcomes = set()
    for number in range(examples(8, 30)):
        shop = ShopWithClone(tmp_path / str(number))
        approved = shop.prepared().base_commit
        move = drawn.choice([None, take_number, lambda each: each.change({"README.md": b"Another file."})])
        with suppress(Killed, PreconditionFailed):
            shop.approve(store=DyingStore(shop.store, drawn.randrange(14)))
        if move is not None:
            move(shop)
        with suppress(ApprovalStale):
            finished(shop)
        tips = list(shop.branches().values())
        outcomes.add(len(tips))
        for tip in tips:
            assert shop.commit(tip).parents == [approved.encode()]
        assert len(tips) <= 1
        assert set(shop.files) >= set(FILES)
    assert outcomes == {0, 1}
