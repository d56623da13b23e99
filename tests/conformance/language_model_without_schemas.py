"""What is true of every `LanguageModel` whose endpoint binds no answer to a schema, next to `language_model`."""

from __future__ import annotations

import json
from typing import Any

from tests.cases import each_case
from tests.conformance.language_model import PLANTED, REQUEST, answered, failed, told, used
from tests.fakes.model_servers import minds
from tests.fakes.model_servers.server import ModelServer
from tribal.ports import LanguageModel

VALUE = {"table": "A } of { an order.", "columns": [{"number": 1, "text": "```"}]}
TEXT = json.dumps(VALUE)

FOUND = {
    "alone": TEXT,
    "words around it": f"Here it is:\n{TEXT}\nI hope this helps.",
    "a fence": f"```json\n{TEXT}\n```",
    "a fence and words": f"Sure [as asked], the answer is\n\n```\n{TEXT}\n```\n",
    "lines": json.dumps(VALUE, indent=2),
}
NOT_FOUND = {
    "no object": "I cannot answer that.",
    "nothing": "",
    "two objects": f"{TEXT}\n{TEXT}",
    "an object in a list": f"```json\n[{TEXT}]\n```",
    "one of a list": f"The answers: [1, {TEXT}, 2]",
    "cut": f"```json\n{TEXT[:-2]}",
    "cut after an object in it": 'Here: {"table": "x", "columns": [{"number": 1, "text": "PLANTED"}, ',
    "braces before it": f"As {{asked}}: {TEXT}",
    "a number that JSON lacks": '{"table": NaN}',
    "a text": '"PLANTED"',
}


def test_the_bytes_of_the_schema_are_in_the_worst_price(server: ModelServer[Any], model: LanguageModel) -> None:
    model.ask(REQUEST)
    shown = [REQUEST.prefix, REQUEST.schema_in_words, REQUEST.part]
    assert REQUEST.size_bytes == sum(len(text.encode()) for text in shown)
    assert all(text in minds.prompt_of(server.calls[0].body) for text in shown)


@each_case("said", list(FOUND.values()), ids=list(FOUND))
def test_one_object_is_found_with_words_or_a_fence_around_it(
    server: ModelServer[Any], model: LanguageModel, said: str
) -> None:
    server.mind = lambda _: said
    answer = answered(model.ask(REQUEST))
    assert answer.value == VALUE
    assert told(answer.usage) == used(server)


@each_case("said", list(NOT_FOUND.values()), ids=list(NOT_FOUND))
def test_anything_else_is_no_answer(server: ModelServer[Any], model: LanguageModel, said: str) -> None:
    server.mind = lambda _: said
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen) == ("malformed", False)
    assert told(outcome.usage) == used(server)
    assert PLANTED not in outcome.message
