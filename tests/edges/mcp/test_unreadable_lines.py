"""The id of a request is found in lines that no parser takes."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.edges.mcp.request_ids import request_id, request_id_at_the_end

ids = st.integers(-(10**17), 10**17) | st.text(st.sampled_from("abc-19 _"), min_size=1, max_size=20)
values = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=10) | st.just('"id":7}') | st.just("\ud800\\"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.just("id"), inner, max_size=3),
    max_leaves=8,
)


@given(identity=ids, params=values, last=st.booleans(), indent=st.none() | st.just(0))
def test_the_id_is_found_wherever_it_stands_and_whatever_stands_next_to_it(
    identity: int | str, params: Any, last: bool, indent: int | None
) -> None:
    ends: list[tuple[str, Any]] = [("id", identity), ("params", params)]
    message = dict([("jsonrpc", "2.0"), ("method", "x"), *(reversed(ends) if last else ends)])
    line = json.dumps(message, indent=indent).encode()
    assert request_id(line) == identity
    if last:
        assert request_id_at_the_end(line) == identity


@given(params=values, cut=st.integers(1, 200))
def test_an_id_that_is_not_the_requests_own_is_never_taken(params: Any, cut: int) -> None:
    line = json.dumps({"method": "x", "params": [params], "more": {"id": 1}, "list": ["id", 2]}).encode()
    assert request_id(line[:cut]) is None
    assert request_id_at_the_end(line) is None


@each_case(
    "line",
    [b'{"x":"' + b'\\"' * 500_000, b'"' * 999_999, b"\\" * 999_999, b"{" * 999_999],
    ids=["escaped quotes", "quotes", "backslashes", "braces"],
)
def test_a_line_that_is_made_to_be_slow_is_read_once(line: bytes) -> None:
    assert request_id(line) is None


@given(st.binary(max_size=60))
def test_any_bytes_are_survived(line: bytes) -> None:
    request_id(line)
    request_id_at_the_end(line)


@each_case("identity", ["1.5", "true", "null", "{}", "[1]", '"\\u0041"', "9" * 40])
def test_an_id_that_we_never_send_is_left_out(identity: str) -> None:
    assert request_id(f'{{"id":{identity},"method":"x"}}'.encode()) is None
