"""The tuning parameters of ranking.

Effects of other values were measured with `python -m bench.retrieval` in November 2026, changing one parameter at a
time. With the values below, ALL@10 is .982 on bird_mini and .959 on defog; the AUC, which says how well
`relevance_score` separates defog's questions from unanswerable ones, is .785.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the signals, the same for all catalogs.

    The signals' weights and those of keys and schemas were chosen among round numbers on four public sets of questions
    (docs/adr/0011); docs/performance.md shows what is lost without each.
    """

    lexical: float = 1.0
    whole: float = 0.8
    column: float = 0.5
    name: float = 0.5
    propagation: float = 1.5
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
    schema: float = 0.7
    """Weight of the mean score of the best tables in a table's schema."""
    schema_best: int = 3
    """Tables in that mean: a large schema must not win by its size, nor a small one by a single good table.

    With 1, ALL@10 is .980 on bird_mini and .965 on defog; with 6, .972 and .955.
    """
    covered: float = 0.8
    """Certainty that a table is relevant if it contains every word of the question.

    By judgement, like all that follow: they only affect `relevance_score` and never the order, so ALL@10 does not
    depend on them. Halved, the AUC is .766; at 1, .788.
    """
    alike: float = 0.6
    """Certainty if the similarity of its vector reaches `cosine_ceiling`. Halved, the AUC is .794; at 1, .766."""
    cosine_floor: float = 0.1
    """Cosine similarity up to which a vector is no evidence. Halved, the AUC stays the same; doubled, it is .783."""
    cosine_ceiling: float = 0.8
    """Cosine similarity from which it is full evidence. Halved, the AUC is .786; at 1, .789."""
    unknown_word: float = 0.8
    """Weight of a word that no table contains, relative to one that a single table contains.

    Without it, the AUC is .574; halved, .768; doubled, .788.
    """


WEIGHTS = Weights()
