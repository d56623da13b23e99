"""What questions join by and what schemas declare decides about inferred keys, and about no others."""

from __future__ import annotations

from bench.known_keys import Key, decided, evident
from tests.key_inference.outlines import outline


def _pair(one: str, other: str) -> frozenset[str]:
    return frozenset((f"s.{one}", f"s.{other}"))


def test_what_joins_imply_or_a_schema_declares_is_known_and_only_joined_tables_are_decidable() -> None:
    joined = [_pair("a.x", "b.x"), _pair("b.x", "c.x"), _pair("d.y", "c.x"), _pair("e.id", "f.e_id")]
    inferred = [
        _pair("a.x", "b.x"),
        _pair("a.x", "d.y"),  # implied
        _pair("e.id", "f.second_e_id"),  # not by these columns
        _pair("g.id", "h.g_id"),  # declared
        _pair("g.id", "i.g_id"),  # unknown
    ]
    known = decided(inferred, joined, [_pair("g.id", "h.g_id"), _pair("a.x", "b.x")])
    assert (known.pairs, known.joined, known.implied, known.declared) == (5, 1, 1, 1)
    assert (known.decidable, known.decided_right) == (2, 1)
    assert (known.strict, known.known, known.decidable_precision) == (0.2, 0.6, 0.5)


def _key(child: str, columns: dict[str, str], parent: str) -> Key:
    return f"db.s.{child}", f"db.s.{parent}", frozenset(columns.items())


def test_a_column_of_the_same_name_and_type_and_a_key_that_holds_the_pair_speak_for_an_undeclared_key() -> None:
    tables = [
        outline("team", "id org_id", key="id", unique=["org_id id"]),
        outline("badge", "team_id"),
        outline("visit", "Team_id"),
        outline("log", "team_id:t"),
        outline("member", "org_id the_team"),
    ]
    declared = [
        _key("badge", {"team_id": "id"}, "team"),
        _key("member", {"org_id": "org_id", "the_team": "id"}, "team"),
    ]
    sister, part = _key("visit", {"Team_id": "id"}, "team"), _key("member", {"the_team": "id"}, "team")
    other_type, other_column = _key("log", {"team_id": "id"}, "team"), _key("visit", {"Team_id": "org_id"}, "team")
    assert evident([*declared, sister, part, other_type, other_column], declared, tables) == {sister, part}
