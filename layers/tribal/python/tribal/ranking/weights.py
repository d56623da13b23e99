"""The tuning parameters of ranking.

`letters`, `propagation` and `schema` were chosen on four public sets of questions (decisions 11 and 41). The others are
older: the effect of each was measured alone in November 2026, with ALL@10 at
.982 on bird_mini and .959 on defog.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the signals, the same for all catalogs.

    The signals' weights and those of keys and schemas were chosen among round numbers on four public sets of questions
    (docs/adr/0011, which also shows what is lost without each).
    """

    lexical: float = 1.0
    whole: float = 0.8
    column: float = 0.5
    name: float = 0.5
    letters: float = 0.2
    propagation: float = 2.0
    """Weight of the random walk from the best candidates; scaled by the share of tables that have a key."""
    propagation_seeds: int = 10
    """Tables that the walk starts from. With 5, ALL@10 is .978 on bird_mini; with 20, .980; defog stays the same."""
    damping: float = 0.85
    """Share of its weight that a table passes on along its keys.

    PageRank's usual value (Brin and Page 1998). Halved, ALL@10 is .976 on bird_mini; at .95, .974; defog stays the
    same.
    """
    rounds: int = 10
    """Steps of the walk. By judgement: with 5 or 20, ALL@10 is .980 on bird_mini; defog stays the same."""
    schema: float = 0.5
    """Weight of the mean score of the best tables in a table's schema."""
    schema_best: int = 3
    """Tables in that mean: a large schema must not win by its size, nor a small one by a single good table.

    With 1, ALL@10 is .980 on bird_mini and .965 on defog; with 6, .972 and .955.
    """
    unknown_word: float = 0.8
    """Weight of a word that no table contains, relative to one that a single table contains."""


WEIGHTS = Weights()
