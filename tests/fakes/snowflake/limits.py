"""How much Snowflake gives at once, each settable so that tests can stand one below and one above."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Limits:
    """Of one account."""

    show_rows: int = 10_000
    """https://docs.snowflake.com/en/sql-reference/sql/show-tables, usage notes."""
    information_schema_rows: int = 150_000
    """That there is a limit is known, where it lies is not: by judgement."""
    inline_rows: int = 500
    """Rows of a result that its answer holds; the others come in chunks. By judgement."""
    chunk_rows: int = 10_000
    """By judgement."""
    partition_rows: int = 1_000
    """Rows of a micro-partition, which SAMPLE SYSTEM takes or leaves whole. By judgement."""
    session_seconds: int = 3_600
    """Until a session's token wants renewal: https://docs.snowflake.com/en/user-guide/session-policies"""
    master_seconds: int = 14_400
    """Until a session cannot be renewed."""
    answer_seconds: float = 45.0
    """After which a query that still runs is answered with where to ask for its result."""
    _drawn: Iterator[int] = field(default_factory=itertools.count, repr=False)

    def next_random(self) -> int:
        """For samples without a seed: another one each time."""
        return next(self._drawn)
