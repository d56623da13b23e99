"""SEARCH and CYCLE of recursive queries, of which the parser knows only the simplest form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tribal.sql.parsing import Token, TokenType

_NAMES = frozenset((TokenType.VAR, TokenType.IDENTIFIER))


@dataclass(slots=True)
class Tracking:
    """The SEARCH and CYCLE clauses of one recursive query.

    Attributes:
        by: columns that they name.
        added: columns that they add.
    """

    by: list[Token] = field(default_factory=list)
    added: list[Token] = field(default_factory=list)


def take_tracking(tokens: Sequence[Token]) -> tuple[list[Token], dict[int, Tracking]]:
    """The tokens without SEARCH and CYCLE, and these clauses by the offset of the name of their query."""
    left: list[Token] = []
    found: dict[int, Tracking] = {}
    place = 0
    while place < len(tokens):
        is_behind_query = bool(left) and left[-1].token_type is TokenType.R_PAREN
        clause = _read_clause(tokens[place:]) if is_behind_query else None
        owner = _name_before(left) if clause is not None else None
        if clause is None or owner is None:
            left.append(tokens[place])
            place += 1
            continue
        length, tracking = clause
        known = found.setdefault(int(owner.start), Tracking())
        known.by += tracking.by
        known.added += tracking.added
        place += length
    return left, found


def _read_clause(tokens: Sequence[Token]) -> tuple[int, Tracking] | None:
    """The length of the clause that the tokens begin with, and its columns."""
    words = [token.text.upper() for token in tokens[:4]]
    if words[:1] == ["SEARCH"] and words[1:2] in (["DEPTH"], ["BREADTH"]) and words[2:] == ["FIRST", "BY"]:
        place = 4
    elif words[:1] == ["CYCLE"]:
        place = 1
    else:
        return None
    tracking = Tracking()
    while place + 2 < len(tokens):
        tracking.by.append(tokens[place])
        place += 2
        if tokens[place - 1].token_type is not TokenType.COMMA:
            break
    if tokens[place - 1].text.upper() != "SET" or place >= len(tokens):
        return None
    tracking.added.append(tokens[place])
    place += 1
    if words[0] == "CYCLE":
        using = next((n for n in range(place, min(place + 8, len(tokens))) if tokens[n].text.upper() == "USING"), None)
        if using is None or using + 1 >= len(tokens):
            return None
        tracking.added.append(tokens[using + 1])
        place = using + 2
    return place, tracking


def _name_before(tokens: Sequence[Token]) -> Token | None:
    """The name that WITH gives to the query in parentheses that the tokens end with."""
    place = _opening(tokens, len(tokens) - 1) - 1
    while place > 0 and tokens[place].text.upper() in ("AS", "NOT", "MATERIALIZED"):
        place -= 1
    if place > 0 and tokens[place].token_type is TokenType.R_PAREN:
        place = _opening(tokens, place) - 1
    return tokens[place] if place >= 0 and tokens[place].token_type in _NAMES else None


def _opening(tokens: Sequence[Token], place: int) -> int:
    """Where the parenthesis opens that closes at a place."""
    depth = 0
    while place >= 0:
        kind = tokens[place].token_type
        depth += (kind is TokenType.R_PAREN) - (kind is TokenType.L_PAREN)
        if not depth:
            break
        place -= 1
    return place
