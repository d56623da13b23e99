"""What a search finds: thousands of candidates a question, kept as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NOTHING: frozenset[str] = frozenset()


class Candidate(NamedTuple):
    """A record that matches, with the score of one signal; higher is better."""

    record_id: int
    score: float
    table_id: int | None = None
    """Id of the table record that a table or column record belongs to."""
    matched: frozenset[str] = frozenset()
    """Of a lexical candidate, the terms that it shares."""


class Candidates(Sequence[Candidate]):
    """The answer to one question, best first; a `Candidate` is made when one is looked at.

    Args:
        ids: N record ids, int64.
        scores: N, float64.
        table_ids: N ids of table records, int64; 0 stands for none.
        matched: of a lexical answer, the terms that each shares.
    """

    __slots__ = ("_matched", "ids", "scores", "table_ids")

    def __init__(
        self,
        ids: NDArray[Any],
        scores: NDArray[Any],
        table_ids: NDArray[Any],
        matched: Sequence[frozenset[str]] | None = None,
    ) -> None:
        self.ids = ids
        self.scores = scores
        self.table_ids = table_ids
        self._matched = matched

    @classmethod
    def of(cls, candidates: Iterable[Candidate]) -> Candidates:
        """The same as columns."""
        import numpy as np  # asked for where something is searched, and not by those who only look up

        listed = list(candidates)
        return cls(
            np.array([one.record_id for one in listed], np.int64),
            np.array([one.score for one in listed], np.float64),
            np.array([one.table_id or 0 for one in listed], np.int64),
            [one.matched for one in listed],
        )

    def matched(self, position: int) -> frozenset[str]:
        """The terms that one shares."""
        return _NOTHING if self._matched is None else self._matched[position]

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, position: int) -> Candidate: ...

    @overload
    def __getitem__(self, position: slice) -> Candidates: ...

    def __getitem__(self, position: int | slice) -> Candidate | Candidates:
        if isinstance(position, slice):
            matched = None if self._matched is None else self._matched[position]
            return Candidates(self.ids[position], self.scores[position], self.table_ids[position], matched)
        return Candidate(
            int(self.ids[position]),
            float(self.scores[position]),
            int(self.table_ids[position]) or None,
            self.matched(position),
        )

    def __iter__(self) -> Iterator[Candidate]:
        return (self[position] for position in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # equal to any sequence of the same candidates

    def __repr__(self) -> str:
        return f"Candidates({list(self)!r})"
