"""Whole databases and single schemas stand next to each other in a scope."""

from __future__ import annotations

from tests.cases import each_case
from tribal.identity.scope import EVERYTHING, Scope

BESIDE = Scope(frozenset({"web"}), frozenset({("shop", "hr")}))


@each_case(
    ("scope", "seen"),
    [
        (EVERYTHING, {"web", "web.public", "shop", "shop.hr", "shop.sales"}),
        (BESIDE, {"web", "web.public", "shop", "shop.hr"}),
        (Scope(databases=frozenset({"web"})), {"web", "web.public"}),
        (Scope(schemas=frozenset({("shop", "hr")})), {"shop", "shop.hr"}),
        (Scope(databases=frozenset()), set()),
        (Scope(schemas=frozenset()), set()),
    ],
)
def test_a_caller_sees_the_databases_and_next_to_them_the_schemas(scope: Scope, seen: set[str]) -> None:
    places = [("web", None), ("web", "public"), ("shop", None), ("shop", "hr"), ("shop", "sales")]
    assert {".".join(filter(None, place)) for place in places if scope.allows(*place)} == seen


def test_a_schema_is_not_its_whole_database() -> None:
    assert [BESIDE.allows_all_of(name) for name in ("web", "shop", "other")] == [True, False, False]
    assert EVERYTHING.allows_all_of("other")
