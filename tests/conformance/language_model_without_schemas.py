"""What is true of every `LanguageModel` whose endpoint binds no answer to a schema, next to `language_model`."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.conformance.language_model import PLANTED, REQUEST, SCHEMA, answered, failed, told, used
from tests.fakes.claude import FakeClaude, failures
from tribal.models.known_models import KNOWN_MODELS
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


def test_the_schema_is_asked_for_in_words_within_what_is_cached(claude: FakeClaude, model: LanguageModel) -> None:
    model.ask(REQUEST)
    body = claude.calls[0].body
    assert "output_config" not in body
    first, second = body["system"]
    assert first == {"type": "text", "text": REQUEST.prefix}
    assert second == {"type": "text", "text": REQUEST.schema_in_words, "cache_control": {"type": "ephemeral"}}
    assert json.loads(second["text"].splitlines()[-1]) == SCHEMA


def test_the_bytes_of_the_schema_are_in_the_worst_price(claude: FakeClaude, model: LanguageModel) -> None:
    model.ask(REQUEST)
    body = claude.calls[0].body
    shown = [*(block["text"] for block in body["system"]), body["messages"][0]["content"]]
    assert REQUEST.size_bytes == sum(len(text.encode()) for text in shown)
    facts = KNOWN_MODELS[0]
    assert facts.worst_price(REQUEST) > facts.worst_price(replace(REQUEST, schema={}))


@pytest.mark.parametrize("said", FOUND.values(), ids=list(FOUND))
def test_one_object_is_found_with_words_or_a_fence_around_it(
    claude: FakeClaude, model: LanguageModel, said: str
) -> None:
    claude.mind = lambda _: said
    answer = answered(model.ask(REQUEST))
    assert answer.value == VALUE
    assert told(answer.usage) == used(claude)


@pytest.mark.parametrize("said", NOT_FOUND.values(), ids=list(NOT_FOUND))
def test_anything_else_is_no_answer(claude: FakeClaude, model: LanguageModel, said: str) -> None:
    claude.mind = lambda _: said
    outcome = failed(model.ask(REQUEST))
    assert (outcome.kind, outcome.unseen) == ("malformed", False)
    assert told(outcome.usage) == used(claude)
    assert PLANTED not in outcome.message


def test_extra_text_of_the_model_is_passed_over(claude: FakeClaude, model: LanguageModel) -> None:
    claude.fail(failures.EXTRA_TEXT)
    assert set(answered(model.ask(REQUEST)).value) == {"table", "columns"}
