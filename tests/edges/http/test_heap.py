"""Settings of the C library's allocator, where there is one that takes them."""

from __future__ import annotations

import ctypes

import pytest

from tribal.edges.http.asgi.tuning import release_free_memory, share_one_arena


class Library:
    """Notes what it is asked."""

    def __init__(self) -> None:
        self.called: list[str] = []

    def mallopt(self, parameter: int, value: int) -> None:
        self.called.append(f"mallopt {parameter} {value}")

    def malloc_trim(self, spare: int) -> None:
        self.called.append(f"malloc_trim {spare}")


def test_they_reach_the_library_and_are_left_out_where_it_lacks_them(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    share_one_arena()
    release_free_memory()
    assert library.called == ["mallopt -8 1", "mallopt -3 4194304", "mallopt -1 33554432", "malloc_trim 0"]
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    share_one_arena()
    release_free_memory()
