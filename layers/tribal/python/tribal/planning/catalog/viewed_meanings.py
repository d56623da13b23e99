"""Meanings of values from CASE expressions of views, passed on through renamed columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from tribal.naming import split_identifier
from tribal_contracts import ValueMeaning, ViewReads

Meanings = dict[str, dict[str, ValueMeaning]]
"""By column and value."""
_Column = tuple[str, str]
"""Table and column."""


def meanings_by_views(views: Mapping[str, ViewReads]) -> dict[str, Meanings]:
    """Collect the meanings of values by table; a value that two views label differently has none."""
    passed_on = _passed_on(views)
    reached: dict[_Column, set[_Column]] = {}
    by_column: dict[_Column, dict[str, list[ValueMeaning]]] = defaultdict(lambda: defaultdict(list))
    for name in sorted(views):
        for start, said in _of_view(views[name]).items():
            if start not in reached:
                reached[start] = _reach(start, passed_on)
            for place in sorted(reached[start]):
                for value, meaning in said.items():
                    by_column[place][value].append(meaning)
    found: dict[str, Meanings] = defaultdict(dict)
    for (table, column), values in sorted(by_column.items()):
        agreed = {
            value: each[0]
            for value, each in values.items()
            if len({(*split_identifier(one.text),) for one in each}) == 1
        }
        if agreed:
            found[table][column] = dict(sorted(agreed.items(), key=lambda pair: _order(pair[0])))
    return dict(found)


def _of_view(view: ViewReads) -> dict[_Column, dict[str, ValueMeaning]]:
    """Collect the meanings in one view, by column."""
    found: dict[_Column, dict[str, ValueMeaning]] = defaultdict(dict)
    for each in view.labels or ():
        meaning = ValueMeaning(text=each.text, source="view", view=view.view)
        found[each.from_table, each.from_column][each.value] = meaning
    return found


def _passed_on(views: Mapping[str, ViewReads]) -> Mapping[_Column, set[_Column]]:
    """The columns of views and tables that hold the same values, in both directions."""
    same: dict[_Column, set[_Column]] = defaultdict(set)
    for name, view in views.items():
        sources: dict[str, list[tuple[_Column, bool]]] = defaultdict(list)
        for each in view.columns:
            if each.column is not None:
                sources[each.column].append(((each.from_table, each.from_column), each.via == "direct"))
        for column, origins in sources.items():
            if [is_direct for _, is_direct in origins] == [True]:
                same[name, column].add(origins[0][0])
                same[origins[0][0]].add((name, column))
    return same


def _reach(start: _Column, passed_on: Mapping[_Column, set[_Column]]) -> set[_Column]:
    found, waiting = {start}, [start]
    while waiting:
        new = passed_on.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _order(value: str) -> tuple[float, str]:
    return (float(value) if value.lstrip("-").isdecimal() else float("inf"), value)
