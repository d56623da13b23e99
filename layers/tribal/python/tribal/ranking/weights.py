"""The numbers that ranking is tuned by, in one place.

Where a docstring names what other values do, `python -m bench.retrieval` measured it in November 2026, one number
changed at a time. As they stand, ALL@10 is .982 on bird_mini and .959 on defog; the AUC, which says how well
`relevance_score` tells defog's questions from those that nothing in it answers, is .785.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each signal counts: one set for all catalogs.

    The signals' weights and those of keys and schemas were chosen among round numbers on four public sets of questions
    (docs/adr/0011); docs/performance.md says what is lost without each.
    """

    lexical: float = 1.0
    whole: float = 0.8
    column: float = 0.5
    name: float = 0.5
    propagation: float = 1.5
    """Of a table's standing among the neighbours of the best; scaled by the share of tables that have a key."""
    propagation_seeds: int = 10
    """Tables that the walk starts from. With 5 ALL@10 is .978 on bird_mini, with 20 it is .980; defog stays."""
    damping: float = 0.85
    """Share of a table's standing that it passes on along its keys.

    PageRank's usual value (Brin and Page 1998). Halved, ALL@10 is .976 on bird_mini, at .95 it is .974; defog stays.
    """
    rounds: int = 10
    """Steps of the walk. By judgement: with 5 or 20 ALL@10 is .980 on bird_mini; defog stays."""
    schema: float = 0.7
    """Of the mean score of the best tables of a table's schema."""
    schema_best: int = 3
    """How many of them speak for a schema: a large one must not win by its size, nor a small one by one good table.

    With 1, ALL@10 is .980 on bird_mini and .965 on defog; with 6, .972 and .955.
    """
    covered: float = 0.8
    """Certainty that a table is meant when it holds every word of the question.

    By judgement, like all that follow: they make `relevance_score` and never change the order, so ALL@10 does not
    depend on them. Halved, the AUC is .766; at 1, .788.
    """
    alike: float = 0.6
    """The same when its vector is as near as `cosine_ceiling`. Halved, the AUC is .794; at 1, .766."""
    cosine_floor: float = 0.1
    """Cosine similarity up to which a vector is no evidence. Halved, the AUC stays; doubled, it is .783."""
    cosine_ceiling: float = 0.8
    """Cosine similarity from which on it is full evidence. Halved, the AUC is .786; at 1, .789."""
    unknown_word: float = 0.8
    """Weight of a word that no table holds, relative to one that a single table holds.

    Without it, the AUC is .574; halved, .768; doubled, .788.
    """


WEIGHTS = Weights()
