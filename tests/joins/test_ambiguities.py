"""A path says what makes it doubtful, and each alternative what sets it apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.joins.test_graph_and_joins import anything, hub, key
from tribal.joins.ambiguities import alternatives_to, ambiguities_of, fans_out, reasons_for
from tribal.joins.graph import JoinGraph, Step
from tribal.joins.paths import Keys, Path, Start, cheapest_paths
from tribal_contracts import KeyEdge, KeyIdentifies


def never(_: str, __: Sequence[str]) -> bool:
    return False


class FoundPaths:
    """The paths from `a` to `t`."""

    def __init__(self, keys: list[KeyEdge], role_words: Callable[[KeyEdge], int] = lambda _: 0) -> None:
        self.graph = JoinGraph.of(keys, role_words)
        paths = list(cheapest_paths(Keys(self.graph, anything), Start({"db.s.a"}), "db.s.t", 3))
        self.best: Path = paths[0]
        self.others = paths[1:]

    def ambiguities(self) -> list[str]:
        return ambiguities_of(self.best, self.others, self.graph)

    def alternatives(self) -> list[list[str]]:
        return [[table[5:] for table in path.tables] for path in alternatives_to(self.best, self.others)]

    def reasons(self) -> list[list[str]]:
        others = alternatives_to(self.best, self.others)
        return [reasons_for(other, self.best, self.graph) for other in others]


def through(*bridges: str, nullable: bool = False) -> list[KeyEdge]:
    return [key(bridge, end, nullable=nullable) for bridge in bridges for end in ("a", "t")]


def by(column: str, edge: KeyEdge) -> KeyEdge:
    return edge.model_copy(update={"from_columns": [column], "name": column})


def identifying(how: KeyIdentifies, edge: KeyEdge) -> KeyEdge:
    return edge.model_copy(update={"identifies": how})


def test_a_single_path_and_one_that_is_clearly_better_are_not_doubted() -> None:
    assert FoundPaths(through("link")).ambiguities() == []
    assert FoundPaths([*through("link"), *through("other", nullable=True)]).ambiguities() == []


def test_of_two_paths_that_are_as_good_each_is_doubted_because_of_the_other() -> None:
    found = FoundPaths(through("likes", "owns"))
    (doubt,) = found.ambiguities()
    assert "through s.owns" in doubt
    assert found.alternatives() == [["a", "owns", "t"]]
    assert found.reasons() == [["through s.owns"]]


def test_two_keys_in_different_roles_are_alternatives_with_the_same_tables() -> None:
    found = FoundPaths([by("winner_id", key("a", "t")), by("loser_id", key("a", "t"))])
    assert found.alternatives() == [["a", "t"]]
    assert found.reasons() == [["by s.a.winner_id"]]
    assert "by s.a.winner_id" in found.ambiguities()[0]


def test_a_table_that_nearly_every_table_references_makes_a_path_doubtful() -> None:
    passes, _ = FoundPaths([key("a", "hub"), key("t", "hub"), *hub(20)]).ambiguities()
    assert "passes s.hub, which 22 tables reference, 100% of its schema" in passes
    assert not any("passes" in each for each in FoundPaths([key("a", "hub"), key("t", "hub")]).ambiguities())


def test_many_to_many_by_a_shared_parent_is_always_doubted() -> None:
    shared = [key("a", "p"), key("t", "p")]
    around = [key("x", "a", nullable=True), key("y", "x", nullable=True), key("y", "t", nullable=True)]
    found = FoundPaths([*shared, *around])
    assert "shared parent s.p" in found.ambiguities()[0]
    assert found.reasons() == [
        [
            "through s.x, s.y",
            "1 join more",
            "no shared parent",
            "many to many by the shared child s.y",
            "may be null: s.x.a_0, s.y.x_0, s.y.t_0",
        ]
    ]
    (doubt,) = FoundPaths(shared).ambiguities()
    assert doubt == (
        "it joins many to many by the shared parent s.p: every row of one side meets every row of the other"
    )
    assert FoundPaths([identifying("alone", shared[0]), shared[1]]).ambiguities() == []


def test_a_path_through_a_table_that_links_two_others_is_preferred_to_a_shared_attribute() -> None:
    shared = [key("element", "combo"), key("t", "combo")]
    link = [identifying("with_another", key("member", end)) for end in ("element", "t")]
    found = FoundPaths([key("a", "element"), *shared, *link, key("member", "combo")])
    assert [table[5:] for table in found.best.tables] == ["a", "element", "member", "t"]
    assert found.ambiguities() == []


def test_a_path_that_keeps_the_rows_is_preferred_to_a_table_that_links_both() -> None:
    links = [identifying("with_another", key("pinned", end)) for end in ("a", "t")]
    extension = identifying("alone", key("dynamic", "a"))
    found = FoundPaths([*links, extension, by("run_on", key("dynamic", "t", nullable=True))])
    assert [table[5:] for table in found.best.tables] == ["a", "dynamic", "t"]
    assert found.alternatives() == [["a", "pinned", "t"]]


def test_rows_of_a_table_and_its_extension_have_the_same_parents_and_children() -> None:
    extension = identifying("alone", key("more", "p"))
    (doubt,) = FoundPaths([key("a", "p"), extension, key("t", "more")]).ambiguities()
    assert "shared parent s.more" in doubt


def test_many_to_many_by_a_shared_child_is_doubted_if_a_path_without_one_is_little_dearer() -> None:
    bridge = through("request")
    straight = [key("a", "b"), key("b", "c"), key("c", "t")]
    found = FoundPaths([*bridge, *straight])
    (doubt,) = found.ambiguities()
    assert "many to many by the shared child s.request, and a path through s.b, s.c does not" in doubt
    assert found.reasons() == [["through s.b, s.c", "1 join more", "no shared child"]]
    dearer = [key("a", "b", nullable=True), key("b", "c", nullable=True), *straight[2:]]
    assert FoundPaths([*bridge, *dearer]).ambiguities() == []


def test_two_bridges_are_doubted_if_one_has_no_more_than_a_column_that_may_be_null() -> None:
    link, other = through("link"), through("other")
    alike = FoundPaths([*link, other[0], key("other", "t", nullable=True)])
    assert alike.ambiguities() == ["a path through s.other joins many to many as well"]
    assert FoundPaths([*link, *through("other", nullable=True)]).ambiguities() == []


def test_a_path_of_single_rows_is_doubted_because_of_a_bridge_that_is_no_longer() -> None:
    single = [key("a", "b", nullable=True), key("b", "t", nullable=True)]
    bridge = through("link", nullable=True)
    fact = [key("link", "x")]
    found = FoundPaths([*single, *bridge, *fact])
    assert found.ambiguities() == ["a path through s.link joins many to many, and this one does not"]
    assert found.reasons() == [["through s.link", "many to many by the shared child s.link"]]
    assert FoundPaths([key("a", "t"), *bridge]).ambiguities() == []


def test_a_key_that_names_a_role_is_doubted_because_of_a_path_by_plainer_ones() -> None:
    last = by("last_use_a", key("t", "a"))
    found = FoundPaths([last, *through("link")], role_words=lambda edge: 2 * (edge.name == "last_use_a"))
    (doubt,) = found.ambiguities()
    assert "names a role (s.t.last_use_a), and a path through s.link a plainer one" in doubt
    assert FoundPaths([last, *through("link")]).ambiguities() == []


def test_no_more_than_three_alternatives_are_given_and_each_has_other_tables() -> None:
    found = FoundPaths([*through("link"), *through("b", "c", "d", "e", nullable=True), by("second", key("b", "a"))])
    assert [path[1] for path in found.alternatives()] == ["b", "c", "d"]


def test_a_key_that_is_declared_twice_is_no_alternative_to_itself() -> None:
    twice = [key("a", "t", name="one"), key("a", "t", name="two")]
    assert (FoundPaths(twice).alternatives(), FoundPaths(twice).ambiguities()) == ([], [])


def test_one_row_meets_several_where_the_columns_reached_are_not_unique() -> None:
    declared, inferred = key("c", "p"), key("c", "p").model_copy(update={"source": "inferred"})
    assert fans_out(Step(declared, True), never) is False
    assert fans_out(Step(declared, False), never) is True
    assert fans_out(Step(declared, False), lambda *_: True) is False
    assert fans_out(Step(declared, False), lambda *_: None) is None
    assert fans_out(Step(inferred, True), never) is True
