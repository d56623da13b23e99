"""Whatever callers, layers and filters there are: answers agree with themselves, and no one sees another's items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes import MemoryStore
from tribal.capabilities.knowledge.check import CheckRequest, check_evidence, rules_of
from tribal.capabilities.knowledge.documented_tables import DocumentedTables
from tribal.capabilities.knowledge.items.places import Layout, SyncSelection
from tribal.capabilities.knowledge.policies.evidence import SourceFile
from tribal.capabilities.knowledge.query import query
from tribal.capabilities.knowledge.snapshots.publishing import publish
from tribal.capabilities.knowledge.snapshots.snapshot import load_manifest
from tribal.capabilities.knowledge.snapshots.visible_items import SnapshotReader, VisibleItems
from tribal.capabilities.knowledge.syncing.pointing import point
from tribal.identity.scope import EVERYTHING
from tribal.ports.derived import DerivedValues
from tribal.ports.remembering.identity import Identity
from tribal.ports.remembering.knowledge_source import SourceEntry, SourceTree
from tribal.scoping.bounds import OPEN
from tribal_contracts.knowledge import SEVERITIES, KnowledgeQueryInput

NOW = "2026-11-23T08:00:00Z"
OWNERS = {"company": ["acme"], "orgs": ["retail", "works"], "teams": ["web", "line"], "projects": ["shop", "plant"]}
LAYERS = {"company": "company", "orgs": "org", "teams": "team", "projects": "project"}
TYPES = {"adrs": "adr", "policies": "policy"}
places = st.sampled_from(
    [
        f"{folder}/{kind}" if folder == "company" else f"{folder}/{owner}/{kind}"
        for folder, owners in OWNERS.items()
        for owner in owners
        for kind in TYPES
    ]
)
items = st.fixed_dictionaries(
    {
        "place": places,
        "id": st.sampled_from(["one", "two", "three"]),
        "status": st.sampled_from(["draft", "accepted", "deprecated"]),
        "severity": st.sampled_from(SEVERITIES),
        "operator": st.sampled_from(["must_not_use", "must_use", "must_match", "must_not_match"]),
        "pattern": st.sampled_from(["alpha", "beta", ".*", "alpha|beta"]),
    }
)
identities = st.builds(
    Identity,
    user=st.just("ada"),
    projects=st.sampled_from([(), ("shop",), ("plant", "shop")]),
    teams=st.sampled_from([(), ("web",), ("line",)]),
    orgs=st.sampled_from([(), ("retail",)]),
    company=st.sampled_from([None, "acme"]),
)
filters = st.builds(
    SyncSelection,
    st.none() | st.frozensets(st.sampled_from(["adr", "policy"]), min_size=1),
    st.none() | st.frozensets(st.sampled_from(["company", "org", "team", "project"]), min_size=1),
    st.booleans(),
)


class Files:
    """A source of generated files."""

    location = "generated"

    def __init__(self, written: Sequence[dict[str, Any]]) -> None:
        self._files = {f"{each['place']}/{each['id']}.md": text(each) for each in written}

    def tree(self) -> SourceTree:
        entries = [SourceEntry(path, str(hash(data)), len(data), NOW) for path, data in sorted(self._files.items())]
        return SourceTree(None, entries)

    def read(self, entry: SourceEntry) -> bytes:
        return self._files[entry.path]

    def history(self, _: Any) -> dict[str, Any]:
        return {}


def text(item: dict[str, Any]) -> bytes:
    """A file of an item."""
    constraint = f"{{operator: {item['operator']}, target: dependency, pattern: '{item['pattern']}'}}"
    front = f"id: {item['id']}\nstatus: {item['status']}\nseverity: {item['severity']}\nconstraints: [{constraint}]"
    return f"---\n{front}\n---\n# {item['id']}\n\nSo.\n".encode()


def seen_by(identity: Identity, written: Sequence[dict[str, Any]]) -> tuple[VisibleItems, MemoryStore]:
    """What a caller sees of items that were published."""
    store = MemoryStore()
    publish(Files(written), Layout(company="acme"), store, NOW)
    return SnapshotReader(store, no_vectors, DerivedValues()).visible(identity, OPEN), store


def no_vectors() -> Any:
    from tribal.errors import EmbeddingFailed

    raise EmbeddingFailed("none here")


@given(written=st.lists(items, max_size=8), identity=identities)
def test_no_one_sees_an_item_of_a_layer_that_he_is_not_in(written: list[dict[str, Any]], identity: Identity) -> None:
    visible, _ = seen_by(identity, written)
    own = {
        (layer, value)
        for layer in LAYERS.values()
        for space in identity.spaces(layer)
        for _, value in space.identifiers
    }
    assert {(visible.item(each).layer, visible.item(each).owner) for each in visible.seen} <= own
    request = KnowledgeQueryInput.model_validate({"status": ["draft", "accepted", "deprecated"], "limit": 100})
    answer = query(request, visible, no_vectors)
    assert {(each.layer) for each in answer.items} <= {layer for layer, _ in own}
    assert answer.total_count == len(answer.items) == len({each.id for each in answer.items})


@given(
    written=st.lists(items, max_size=8),
    identity=identities,
    named=st.lists(st.sampled_from(["alpha", "beta", "gamma"]), max_size=3),
    complete=st.booleans(),
    least=st.sampled_from(SEVERITIES),
)
def test_what_passed_what_is_counted_and_what_is_reported_agree(
    written: list[dict[str, Any]], identity: Identity, named: list[str], complete: bool, least: Any
) -> None:
    visible, _ = seen_by(identity, written)
    rules = rules_of(visible, None)
    documented: Any = DocumentedTables(None, EVERYTHING)  # type: ignore[arg-type]  # no table is asked for
    asked = CheckRequest([SourceFile("a.py", "x = 1\n")], (), complete, least, named)
    answer = check_evidence(asked, rules, documented)
    counts = answer.summary
    assert answer.passed == (counts.block == 0)
    told = {each: sum(one.severity == each for one in answer.violations) for each in SEVERITIES}
    for severity in SEVERITIES:
        shown = SEVERITIES.index(severity) >= SEVERITIES.index(least)
        assert told[severity] == (getattr(counts, severity) if shown else 0)
    order = [SEVERITIES.index(each.severity) for each in answer.violations]
    assert order == sorted(order, reverse=True)
    # All are reported whatever the least severity is, but for their number.
    everything = check_evidence(CheckRequest(asked.files, (), complete, "info", named), rules, documented)
    assert (everything.passed, everything.summary) == (answer.passed, answer.summary)


@given(before=st.lists(items, max_size=6), after=st.lists(items, max_size=6), wanted=filters)
def test_a_sync_of_some_leaves_the_others_and_doubles_nothing(
    before: list[dict[str, Any]], after: list[dict[str, Any]], wanted: SyncSelection
) -> None:
    store = MemoryStore()
    first = publish(Files(before), Layout(company="acme"), store, NOW).manifest
    point(first, store, None, SyncSelection(), lambda: None)
    second = publish(Files(after), Layout(company="acme"), store, NOW, wanted).manifest
    counts = point(second, store, None, wanted, lambda: None)
    names = [(each.layer, each.owner, each.id) for each in second.items]
    assert len(names) == len(set(names))
    untouched = [each for each in first.items if not wanted.takes(each.layer, each.type)]
    assert [each for each in second.items if not wanted.takes(each.layer, each.type)] == untouched
    now = [each for each in second.items if wanted.takes(each.layer, each.type)]
    assert counts["added"] + counts["updated"] + counts["unchanged"] == len(now)
    again = point(second, store, None, SyncSelection(wanted.types, wanted.layers), lambda: None)
    assert (again["added"], again["updated"], again["deleted"]) == (0, 0, 0)
    assert load_manifest(store)[0] == second


def test_an_item_that_is_not_synced_keeps_its_id_and_another_one_that_has_it_is_reported() -> None:
    item = {"id": "one", "status": "accepted", "severity": "info", "operator": "must_use", "pattern": "alpha"}
    policy, adr = ({**item, "place": f"projects/plant/{kind}"} for kind in ("policies", "adrs"))
    store = MemoryStore()
    first = publish(Files([policy]), Layout(company="acme"), store, NOW).manifest
    decisions = SyncSelection(frozenset({"adr"}))
    second = publish(Files([policy, adr]), Layout(company="acme"), store, NOW, decisions).manifest
    assert second.items == first.items
    assert [(each.path, each.reason) for each in second.failures] == [
        ("projects/plant/adrs/one.md", "its id 'one' is already used by 'projects/plant/policies/one.md'")
    ]
