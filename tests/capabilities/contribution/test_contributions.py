"""Descriptions are offered, prepared, approved, merged, and then no longer offered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.adapters.git.clones import clone_with
from tests.capabilities.contribution.records import INTERFACES
from tests.capabilities.contribution.shop_with_clone import FILES, ShopWithClone
from tribal.capabilities.contribution.cycles.files import LEASE
from tribal.capabilities.contribution.cycles.status import swarm_status
from tribal.capabilities.contribution.errors import (
    ApprovalMissing,
    ApprovalStale,
    CycleLocked,
    CycleUnknown,
    CycleUnsuitable,
    LimitExceeded,
    RepositoryNotAllowed,
)
from tribal.capabilities.contribution.gate.screening import problem_of as problem_of_text
from tribal.capabilities.contribution.views import problem_of
from tribal.errors import RepositoryUnusable
from tribal.identity.scope import Scope
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile
from tribal.store import put_record
from tribal_contracts import TableDocument


@pytest.fixture(name="shop")
def shop_fixture(tmp_path: Path) -> ShopWithClone:
    return ShopWithClone(tmp_path)


def states(shop: ShopWithClone) -> dict[str, str]:
    """The state of each offer by its name."""
    return {each.name: each.state for batch in shop.contributions().offers() for each in batch.offers}


def test_what_the_repository_lacks_is_offered_and_what_it_says_otherwise_is_a_conflict(shop: ShopWithClone) -> None:
    assert states(shop) == {
        "shop.billing.invoice": "open",
        "shop.billing.invoice.net_cents": "conflict",
        "shop.sales.customer.status": "open",
        "shop.audit.change_log": "not_offered",
    }
    [reason] = [each.reason for b in shop.contributions().offers() for each in b.offers if each.reason]
    assert "not created here" in reason


def test_a_description_goes_from_the_annotation_to_a_merged_migration(shop: ShopWithClone) -> None:
    record = shop.prepared()
    assert shop.branches() == {}
    published = shop.approve()
    [branch] = shop.branches()
    files = shop.files_of(branch)
    assert {path: files[path] for path in FILES} == FILES
    [new] = files.keys() - FILES.keys()
    assert new.startswith("db/V3__describe_")
    assert files[new].decode() == (
        "COMMENT ON TABLE billing.invoice IS 'An invoice as it was sent.';\n"
        "COMMENT ON COLUMN sales.customer.status IS 'open, closed or ''gone''';\n"
    )
    assert (published.state, published.published_commit) == ("following", shop.branches()[branch])
    assert {*states(shop).values()} == {"proposed", "conflict", "not_offered"}
    assert [each.state for each in shop.contributions().follow()] == ["following"]
    shop.merge()
    [merged] = shop.contributions().follow()
    assert (merged.state, merged.outcome) == ("ended", "merged")
    assert {*states(shop).values()} == {"merged", "conflict", "not_offered"}
    assert shop.prepare() is None
    shop.require_specified()
    status = shop.contributions().status()
    assert (status.current_phase, status.stats.prs_created, status.stats.prs_merged) == ("idle", 1, 1)
    assert status.stats.issues_contributed == [record.issue_url]


def test_the_commit_says_what_made_it_and_who_approved_it(shop: ShopWithClone) -> None:
    record = shop.prepared()
    shop.approve()
    [commit] = shop.branches().values()
    message = shop.commit(commit).message.decode()
    assert message.splitlines()[2] == "Prepared by Tribal Knowledge, approved by ada@here."
    assert message.endswith(f"\n\nTribal-Cycle: {record.swarm_id}:1\n")


def test_an_identifier_that_looks_like_a_number_of_a_person_is_no_personal_data(shop: ShopWithClone) -> None:
    swarm = "7ed6e803-f4ce-49c8-86b1-991949741311"
    assert problem_of_text(swarm) is not None
    status = swarm_status([], {}, swarm)
    shop.contributions().files.put_status(status)
    assert shop.prepared().swarm_id == swarm


def test_a_squashed_contribution_counts_as_merged(shop: ShopWithClone) -> None:
    shop.prepared()
    shop.approve()
    [branch] = shop.branches()
    shop.change(shop.files_of(branch), "Squashed")
    assert [each.outcome for each in shop.contributions().follow()] == ["merged"]


def test_a_branch_that_was_deleted_is_declined_and_offered_again_only_if_asked(shop: ShopWithClone) -> None:
    shop.prepared()
    shop.approve()
    [branch] = shop.branches()
    del shop.clone.refs[f"refs/heads/tribal/{branch}".encode()]  # type: ignore[arg-type]
    assert [each.outcome for each in shop.contributions().follow()] == ["declined"]
    assert shop.prepare() is None
    assert shop.prepared(again=True).cycle == 2


def test_only_a_named_table_is_contributed(shop: ShopWithClone) -> None:
    record = shop.prepared("sales.customer")
    assert [(each.table, each.column) for each in record.descriptions] == [("customer", "status")]
    assert shop.prepared().descriptions[0].table == "invoice"


def test_names_that_cannot_be_contributed_are_errors_that_say_why(shop: ShopWithClone) -> None:
    with pytest.raises(RepositoryNotAllowed, match=r"'sales\.basket' is not a table with a description"):
        shop.prepare("sales.basket")
    with pytest.raises(RepositoryNotAllowed, match="repository 'other' is not configured"):
        shop.prepare(repository="other")
    with pytest.raises(RepositoryUnusable, match=r"shop\.audit\.change_log: .*not created here"):
        shop.prepare("audit.change_log")


def test_a_rule_against_machine_made_changes_stops_the_contribution_and_is_quoted(tmp_path: Path) -> None:
    rule = "We do not accept pull requests that were generated by AI."
    shop = ShopWithClone(tmp_path, files={**FILES, "CONTRIBUTING.md": f"# Rules\n\n{rule}\n".encode()})
    record = shop.prepare()
    assert record is not None
    assert (record.state, record.outcome, record.stopped_by) == ("ended", "blocked", "agent-3-explorer")
    assert f"CONTRIBUTING.md, line 3, seems to forbid changes that a machine made: {rule!r}" in record.blockers[0]
    problem = problem_of(record)
    assert problem is not None
    assert (problem.code, problem.exit_code) == ("CON_ISSUE_UNSUITABLE", 2)
    key = record.blockers[0].partition("add '")[2][:8]
    shop.entry = {"acknowledged": [key]}
    del shop.parts
    assert shop.prepared().cycle == 2


def test_where_nothing_was_named_the_next_repository_is_tried(tmp_path: Path) -> None:
    rule = b"We do not accept pull requests that were generated by AI.\n"
    shop = ShopWithClone(tmp_path, files={**FILES, "CONTRIBUTING.md": rule})
    clone_with(tmp_path / "second", FILES).close()
    [strict] = shop.parts.settings.repositories
    both = [strict, strict.model_copy(update={"name": "second", "path": "second"})]
    shop.parts = replace(shop.parts, settings=shop.parts.settings.model_copy(update={"repositories": both}))
    record = shop.prepared()
    assert (record.cycle, record.repository) == (2, "second")
    assert [each.outcome for each in shop.contributions().records()] == ["blocked", None]


def test_a_text_by_a_model_is_offered_only_if_asked_for_and_marked(shop: ShopWithClone) -> None:
    key = next(each for each in shop.store.keys("docs/") if each.endswith("sales.orders.json"))
    document = TableDocument.from_json(shop.store.get(key).data)
    said = document.description.model_copy(update={"text": "Orders of customers.", "source": "model"})
    put_record(shop.store, key, document.model_copy(update={"description": said}))
    assert "shop.sales.orders" not in states(shop)
    record = shop.prepared("sales.orders", model_prose=True)
    assert record.publication is not None
    assert "A language model wrote these texts: sales.orders." in record.publication.body


def test_a_sign_off_is_added_with_the_name_of_the_person_who_approves(tmp_path: Path) -> None:
    rules = b"Every commit must be signed off (DCO).\n"
    shop = ShopWithClone(tmp_path, files={**FILES, "CONTRIBUTING.md": rules})
    config = shop.clone.get_config()
    config.set((b"user",), b"name", b"Ada")
    config.set((b"user",), b"email", b"ada@example.com")
    config.write_to_path()
    shop.prepared()
    assert shop.contributions().review(1).sign_off == "Ada <ada@example.com>"
    shop.approve()
    [commit] = shop.branches().values()
    message = shop.commit(commit).message.decode()
    assert message.endswith("\nSigned-off-by: Ada <ada@example.com>\n")


def test_a_batch_is_cut_so_that_it_fits_the_limits(tmp_path: Path) -> None:
    shop = ShopWithClone(tmp_path, settings={"limits": {"lines": 1}})
    assert len(shop.prepared().descriptions) == 1
    assert len(shop.prepared().descriptions) == 1
    assert shop.prepare() is None


def test_no_more_are_open_than_the_limit_allows(tmp_path: Path) -> None:
    shop = ShopWithClone(tmp_path, settings={"limits": {"lines": 1, "open": 1}})
    shop.prepared()
    shop.approve()
    with pytest.raises(LimitExceeded, match=r"contribution\.limits\.open is 1"):
        shop.prepare()


def test_two_contributions_do_not_take_the_same_number(tmp_path: Path) -> None:
    shop = ShopWithClone(tmp_path, settings={"limits": {"lines": 1}})
    shop.prepared()
    shop.prepared()
    shop.approve(1)
    shop.approve(2)
    new = {path for branch in shop.branches() for path in shop.files_of(branch)} - FILES.keys()
    assert sorted(path[:6] for path in new) == ["db/V3_", "db/V4_"]


def test_one_process_works_on_contributions_at_a_time_and_documentation_may_run_meanwhile(shop: ShopWithClone) -> None:
    documentation = RunLease(LeaseFile(shop.app.store(), shop.clock), "run", holder="elsewhere:2")
    with RunLease(LeaseFile(shop.app.store(), shop.clock, LEASE), "other", holder="elsewhere:1"), documentation:
        with pytest.raises(CycleLocked, match="another process prepares or publishes"):
            shop.prepare()
        assert shop.contributions().records() == []
    with documentation:
        shop.prepared()


def test_what_was_typed_must_be_the_start_of_the_hash(shop: ShopWithClone) -> None:
    shop.prepared()
    service = shop.contributions()
    with pytest.raises(ApprovalMissing):
        service.approve(service.review(1), "00000000")
    assert shop.branches() == {}


def test_an_aborted_contribution_is_not_published_and_its_texts_are_offered_again(shop: ShopWithClone) -> None:
    shop.prepared()
    assert shop.contributions().abort(1).outcome == "aborted"
    with pytest.raises(CycleUnsuitable, match="contribution 1 is aborted"):
        shop.contributions().review(1)
    assert shop.prepared().cycle == 2


def test_a_caller_sees_only_contributions_to_tables_in_its_scope(shop: ShopWithClone) -> None:
    shop.prepared()
    service = shop.contributions(scope=Scope(schemas=frozenset({("shop", "sales")})))
    assert {each.name for batch in service.offers() for each in batch.offers} == {"shop.sales.customer.status"}
    assert service.records() == []
    with pytest.raises(CycleUnknown):
        service.record(1)


def test_a_new_contribution_replaces_the_files_of_the_one_before(shop: ShopWithClone) -> None:
    shop.prepared("sales.customer")
    shop.approve()
    shop.prepared("billing.invoice")
    keys = {key.removeprefix("contribution/") for key in shop.store.keys("contribution/")}
    running = {key for key in keys if "/" not in key}
    assert running == {
        "swarm-status.json",
        *(f"{name}.json" for name in ("current-issue", "issue-analysis", "codebase-map")),
        *(f"{name}.json" for name in ("code-changes", "test-changes", "docs-changes")),
    }
    assert {"cycles/1/pr-created.json", "cycles/1/patch.diff", "cycles/1/approvals/1.json"} <= keys
    assert len(INTERFACES) == 8


def test_a_stale_approval_publishes_nothing_and_the_contribution_can_be_approved_again(shop: ShopWithClone) -> None:
    shop.prepared()
    service = shop.contributions()
    review = service.review(1)
    shop.clock.advance(1)
    shop.change({"db/V3__other.sql": b"SELECT 1;\n"})
    with pytest.raises(ApprovalStale, match="prepare it again"):
        service.approve(review, review.sha256[:8])
    assert shop.branches() == {}
