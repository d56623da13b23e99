"""The keys of stored text: what a table declares, however a prompt shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tribal.describing.model.questions.prompting import Prompting
from tribal.describing.model.questions.table_data import TableData
from tribal.describing.model.questions.table_handles import OWN

# A question may show more without asking for what was written before: only these members are keyed.
_TABLE = frozenset(
    "name kind said columns primary_key unique referred_by likely_refers likely_referred_by checks definition".split()
)
_COLUMN = frozenset("said values refers default generated".split())


def table_key(data: TableData, numbers: Sequence[int], prompting: Prompting, *, text: bool) -> str:
    """SHA-256 over what a table declares, the prompts, model, language and terms.

    Samples, counts, the domain and texts about other tables are left out.
    """
    return prompting.key(_keyed(data, numbers, text=text, others=None, with_comments=False))


def earlier_table_key(data: TableData, numbers: Sequence[int], prompting: Prompting, *, text: bool) -> str:
    """The key of earlier versions, which comments on other tables are a part of."""
    return prompting.key(_keyed(data, numbers, text=text, others=None, with_comments=True))


def part_key(data: TableData, numbers: Sequence[int], prompting: Prompting, *, text: bool, others: int) -> str:
    """SHA-256 over a question about a part of a table, unlike any `table_key`."""
    return prompting.key(["slice", _keyed(data, numbers, text=text, others=others, with_comments=True)])


def _keyed(
    data: TableData, numbers: Sequence[int], *, text: bool, others: int | None, with_comments: bool
) -> dict[str, Any]:
    bare = TableData(replace(data.context, published={}), with_samples=False)
    shown = bare.asking(numbers, text=text, others=others)
    own = {name: value for name, value in shown[OWN].items() if name in _TABLE}
    if "columns" in own:
        own["columns"] = {handle: _column(entry) for handle, entry in own["columns"].items()}
    entries = {name: entry for name, entry in shown.items() if name not in ("ask", OWN)}
    return {
        "ask": shown["ask"],
        OWN: own,
        **{name: _without_gaps(entry[: 1 + with_comments]) for name, entry in entries.items()},
    }


def _column(entry: Sequence[Any]) -> list[Any]:
    facts: Mapping[str, Any] = entry[2] if len(entry) > 2 else {}
    keyed = {name: value for name, value in facts.items() if name in _COLUMN}
    return [*entry[:2], *([keyed] if keyed else [])]


def _without_gaps(entry: Sequence[Any]) -> list[Any]:
    return [part for part in entry if part]
