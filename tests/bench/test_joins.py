"""Paths as people write them are read as the paths that they mean."""

from __future__ import annotations

from bench.joins import paths_along, paths_in


def test_each_path_that_a_person_wrote_is_one_from_source_to_target() -> None:
    assert paths_in("a references b, or a -> m -> b", "b", "a") == [("b", "a"), ("b", "m", "a")]
    assert paths_in("a <- x or y -> b", "a", "b") == [("a", "x", "b"), ("a", "y", "b")]
    assert paths_in("a <- m -> n -> b, or link", "a", "b") == [("a", "m", "n", "b"), ("a", "link", "b")]


def test_a_path_written_as_conditions_reaches_one_table_after_another() -> None:
    assert paths_along("m.a_id=a.id; m.b_id=b.id || a.b_id=b.id", "a") == [("a", "m", "b"), ("a", "b")]
    assert paths_along("m.x=a.x (or via p); m.b=b.id", "a") == [("a", "m", "b"), ("a", "p", "m", "b")]
    assert paths_along("a.id=m.a_id; b.m_id=...", "a") == [("a", "m", "b")]
