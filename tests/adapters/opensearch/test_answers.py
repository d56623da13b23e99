"""Answers of OpenSearch: ranked hits become columns, and everything else stays what JSON says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from opensearchpy.exceptions import SerializationError

from tests.cases import each_case
from tribal.adapters.opensearch.client import AnswerSerializer, RankedHits

PAGE = {"_id": "a", "sort": [7], "fields": {"id": [7]}}


def _read(*responses: dict[str, Any]) -> list[Any]:
    answer: dict[str, Any] = AnswerSerializer().loads(json.dumps({"responses": responses}))
    return [response["hits"]["hits"] for response in answer["responses"]]


def test_ranked_hits_become_columns_each_search_its_own() -> None:
    named = [{"sort": [2.5, 11], "matched_queries": ["0", "2"]}, {"sort": [1, 12], "matched_queries": ["2"]}]
    plain = [{"sort": [0.5, 9007199254740993, 3]}]
    words, empty, vectors, page = _read(
        *({"hits": {"total": {"value": 1}, "hits": hits}} for hits in (named, [], plain, [PAGE]))
    )
    assert isinstance(words, RankedHits)
    assert (words.column(0), words.column(1), words.names) == ([2.5, 1], [11, 12], ["0,2", "2"])
    assert isinstance(vectors, RankedHits)
    assert [vectors.column(number) for number in range(3)] == [[0.5], [9007199254740993], [3]]
    assert vectors.names == []
    assert (empty, page) == ([], [PAGE])


def test_other_answers_are_left_as_they_are() -> None:
    answers: list[Any] = [{"items": [{"index": {"status": 201}}]}, {"name-000001": {"aliases": {}}}, PAGE, 1, None]
    for answer in answers:
        assert AnswerSerializer().loads(json.dumps(answer)) == answer


@each_case("text", ["<html>busy</html>", '{"hits":', ""])
def test_what_is_no_answer_is_an_error_of_the_client(text: str) -> None:
    with pytest.raises(SerializationError):
        AnswerSerializer().loads(text)
