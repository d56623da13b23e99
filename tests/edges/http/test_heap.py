"""Settings of the C library's allocator, where there is one that takes them."""

from __future__ import annotations

import ctypes
from unittest.mock import Mock

import pytest

from tribal.edges.http.asgi.heap import give_back, share_one_arena


def test_they_reach_the_library_and_are_left_out_where_it_lacks_them(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Mock()
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    share_one_arena()
    give_back()
    assert (library.mallopt.call_count, library.malloc_trim.call_count) == (3, 1)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    share_one_arena()
    give_back()
