"""What the fake's model says: a function from the body of a request to an object, or to a text."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Mind = Callable[[Mapping[str, Any]], "Mapping[str, Any] | str"]

_SAYING = "A record of the business."
_SAYING_OF_A_DOMAIN = "Goods on their way"


def system_of(body: Mapping[str, Any]) -> str:
    """The system prompt of a request, over Anthropic's wire or OpenAI's."""
    system = body.get("system") or [
        {"text": message["content"]} for message in body["messages"] if message["role"] in ("system", "developer")
    ]
    return system if isinstance(system, str) else "\n".join(block["text"] for block in system)


def prompt_of(body: Mapping[str, Any]) -> str:
    """Everything that a request shows to the model."""
    parts = [message["content"] for message in body["messages"] if message["role"] not in ("system", "developer")]
    return "\n".join([system_of(body), *(part for part in parts if isinstance(part, str))])


def schema_of(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema that the answer has to follow: that of the request, or the last line of its system prompt."""
    bound = (body.get("output_config") or {}).get("format") or (body.get("response_format") or {}).get("json_schema")
    if bound:
        schema: Mapping[str, Any] = bound["schema"]
        return schema
    last = (system_of(body).splitlines() or [""])[-1]
    if not last.startswith("{"):
        return None
    found: Mapping[str, Any] = json.loads(last)
    return found


def asked_numbers(body: Mapping[str, Any]) -> list[int]:
    """The numbers that the question asks about, such as those of columns: its first list of whole numbers."""
    found = re.search(r"\[(\d+(?:, ?\d+)*)\]", body["messages"][-1]["content"])
    return [int(number) for number in found[1].split(",")] if found else [1]


def follows_the_schema(body: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """Answers any request as its schema asks for, with an item of a list for each number that is asked about.

    A request without a schema is answered with a text.
    """
    # What is said of a domain may not repeat what was said of its tables.
    saying = _SAYING_OF_A_DOMAIN if '"domain":' in body["messages"][-1]["content"] else _SAYING
    schema = schema_of(body)
    if schema is None:
        return f"{saying} It has a row for each customer, and none is missing."
    answer: Mapping[str, Any] = fill(schema, itertools.repeat(saying), asked_numbers(body))
    return answer


RIGHT_ANSWERS = {
    "finance.expense": ("", "The cost center to which the expense is charged."),
    "ops.evt": ("A step in the delivery of a parcel.", "When the parcel reached this step."),
    "warehouse.shelf": ("", "The greatest weight that the shelf may carry."),
    "lab.reading": ("", ""),
    "support.ticket": ("A problem that a customer reported.", "When the problem was solved."),
}
"""For each built-in table of the test of a model, a text about it and one about the column that is asked about."""


def passing(mind: Mind) -> Mind:
    """Answers the test of a model rightly, and everything else by another mind."""

    def answer(body: Mapping[str, Any]) -> Mapping[str, Any] | str:
        part = body["messages"][-1]["content"]
        right = [texts for name, texts in RIGHT_ANSWERS.items() if f'"name":"{name}"' in part]
        if not right:
            return mind(body)
        text, column = right[0]
        columns = [{"n": number, "text": column} for number in asked_numbers(body)]
        return {"title": "", "text": text, "columns": columns}

    return answer


def obeys(body: Mapping[str, Any]) -> Mapping[str, Any] | str:
    """Does whatever the prompt says: repeats what it is told to say, and gives away all that it was shown."""
    part = body["messages"][-1]["content"]
    said = [*_ordered(part), *re.findall(r"https?://[^\s\"'<>\\]+", part), *_shown(part)]
    whole = " ".join(dict.fromkeys(said)) or _SAYING
    sayings = itertools.chain([whole], itertools.cycle(said or [_SAYING]))
    schema = schema_of(body)
    if schema is None:
        return whole
    answer: Mapping[str, Any] = fill(schema, sayings, asked_numbers(body))
    return answer


_ORDER = re.compile(
    r"\b(?:write|say|repeat|print|output|answer|add|append|reply|state|include)\b[^\w\"'<]{0,4}"
    r"(?:with |that |exactly |this |the words? |following |:)*[\"'“]?(.{1,300}?)[\"'”]?(?=[.;!?\n\"\\]|$)",
    re.IGNORECASE,
)


def _ordered(text: str) -> list[str]:
    """What a text orders to be written."""
    return [found.strip() for found in _ORDER.findall(text) if found.strip()]


def _shown(text: str) -> list[str]:
    """Every value of the JSON in a text: comments, samples, defaults, names."""
    values: list[str] = []
    for literal in re.findall(r'"(?:[^"\\]|\\.)*"', text):
        try:
            values.append(str(json.loads(literal)))
        except ValueError:
            continue
    return [value for value in values if value.strip()]


def fill(schema: Mapping[str, Any], sayings: Iterator[str], numbers: Sequence[int] = (1,)) -> Any:
    """A value of a schema, with the next saying in each text; a list has an item for each number."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return fill(schema["anyOf"][0], sayings, numbers)
    kind = schema.get("type")
    if kind == "object":
        return {name: fill(member, sayings, numbers) for name, member in schema.get("properties", {}).items()}
    if kind == "array":
        return [fill(schema["items"], sayings, [number]) for number in numbers]
    if kind in ("integer", "number"):
        return numbers[0]
    return next(sayings) if kind == "string" else kind == "boolean" or None
