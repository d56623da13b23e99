"""A path along foreign keys as the steps and the SQL of a join."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from tribal.catalog.dialect import legible_identifier, legible_table
from tribal.catalog.graph import Hop
from tribal.catalog.identity import TableIdentity
from tribal_contracts import DatabaseType, JoinStep

ROW_LIMIT = 100
"""LIMIT of the generated SQL, so that pasting it does not fetch a large table. By judgement."""


def join_steps(path: Sequence[Hop], kind: DatabaseType) -> list[JoinStep]:
    """Number the steps of a path and choose their joins; the first table is `t0`, step n reaches `tn`.

    From child to parent over a NOT NULL key the join is INNER; any other step is LEFT, and so is every step after a
    LEFT, because an INNER one would drop the rows that the LEFT one kept.
    """
    steps: list[JoinStep] = []
    join_type: Literal["INNER", "LEFT"] = "INNER"
    for number, hop in enumerate(path, start=1):
        if not hop.to_parent or hop.key.nullable:
            join_type = "LEFT"
        here, there = f"t{number - 1}", f"t{number}"
        pairs = zip(hop.source_columns, hop.target_columns, strict=True)
        steps.append(
            JoinStep(
                step=number,
                from_table=hop.source,
                to_table=hop.target,
                join_type=join_type,
                on_clause=" AND ".join(
                    f"{here}.{legible_identifier(own, kind)} = {there}.{legible_identifier(other, kind)}"
                    for own, other in pairs
                ),
                from_alias=here,
                to_alias=there,
            )
        )
    return steps


def same_name(database: str) -> str:
    """The name of a database on its server, if the configuration uses the same."""
    return database


def join_sql(
    source: str, steps: Sequence[JoinStep], kind: DatabaseType, server_name: Callable[[str], str] = same_name
) -> str:
    """A SELECT over the table `source` and the steps that leave it; it runs as it stands.

    Raises:
        ValueError: when a table's name is not fully qualified.
    """

    def written(name: str) -> str:
        identity = TableIdentity.parse(name)
        return legible_table(server_name(identity.database), identity.schema, identity.table, kind)

    columns = ", ".join(f"t{number}.*" for number in range(len(steps) + 1))
    lines = [f"SELECT {columns}", f"FROM {written(source)} AS t0"]
    for step in steps:
        lines.append(f"{step.join_type} JOIN {written(step.to_table)} AS {step.to_alias}")
        lines.append(f"  ON {step.on_clause}")
    lines.append(f"LIMIT {ROW_LIMIT}")
    return "\n".join(lines)
