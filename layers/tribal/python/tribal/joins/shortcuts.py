"""Removes tables that only pass a value on from a path."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.joins.costs import confidence_of
from tribal.joins.graph import Step
from tribal_contracts import KeyEdge


def without_pass_through(steps: Sequence[Step]) -> list[Step]:
    """The steps of a path, with two merged into one where an inferred key only passes a value through a table.

    `a.x = p.k` and `p.k = b.y` make `a.x` equal to `b.y`. If both keys hold, joining without `p` gives the same rows.
    If an inferred key does not hold for every row, joining `p` loses rows. Declared keys lose none, so two declared
    keys stay. A child of both tables stays too, because it says which of their rows belong together.
    """
    found: list[Step] = []
    for step in steps:
        shorter = _across(found[-1], step) if found else None
        if shorter is None:
            found.append(step)
        else:
            found[-1] = shorter
    return found


def _across(before: Step, after: Step) -> Step | None:
    """One step in place of two, if it joins the same rows."""
    keys = before.key, after.key
    is_child_of_both = not before.to_parent and after.to_parent
    if is_child_of_both or all(key.source == "declared" for key in keys):
        return None
    left = dict(zip(after.source_columns, after.target_columns, strict=True))
    if left.keys() != set(before.target_columns) or len(left) < len(before.target_columns):
        return None
    columns = [left[column] for column in before.target_columns]
    key = KeyEdge(
        name=f"{', '.join(before.source_columns)} = {', '.join(columns)}",
        from_table=before.source,
        from_columns=before.source_columns,
        to_table=after.target,
        to_columns=columns,
        nullable=True,
        source="inferred",
        confidence=min(map(confidence_of, keys)),
        evidence=list(dict.fromkeys(one for key in keys for one in key.evidence or ())) or None,
    )
    return Step(key, to_parent=True)
