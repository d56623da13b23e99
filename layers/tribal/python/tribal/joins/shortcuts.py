"""Paths without the tables that only pass a value on."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.joins.costs import confidence_of
from tribal.joins.graph import Hop
from tribal_contracts import KeyEdge


def without_passed_on(hops: Sequence[Hop]) -> list[Hop]:
    """The hops of a path, two of them made one where an inferred key leads through a table that is left as it was met.

    `a.x = p.k` and `p.k = b.y` make `a.x` equal to `b.y`. If both keys hold, that joins the same rows without `p`; if
    an inferred one does not hold for every row, `p` loses those that it does not have. Declared keys lose none, so two
    of them stay, and so does a child of both tables, which says what rows of them belong together.
    """
    found: list[Hop] = []
    for hop in hops:
        shorter = _across(found[-1], hop) if found else None
        if shorter is None:
            found.append(hop)
        else:
            found[-1] = shorter
    return found


def _across(before: Hop, after: Hop) -> Hop | None:
    """One hop for two, if it joins the same."""
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
    return Hop(key, to_parent=True)
