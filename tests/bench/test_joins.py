"""Paths as people write them are read as the paths that they mean."""

from __future__ import annotations

from bench.joins import paths_in


def test_each_path_that_a_person_wrote_is_one_from_source_to_target() -> None:
    assert paths_in("a references b, or a -> m -> b", "b", "a") == [("b", "a"), ("b", "m", "a")]
    assert paths_in("a <- x or y -> b", "a", "b") == [("a", "x", "b"), ("a", "y", "b")]
    assert paths_in("a <- m -> n -> b, or link", "a", "b") == [("a", "m", "n", "b"), ("a", "link", "b")]
