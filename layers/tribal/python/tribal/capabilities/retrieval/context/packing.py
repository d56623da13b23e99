"""Fits the parts of a context into a number of tokens, always whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tribal.ports.tool import tokens_of
from tribal.rendering.markdown import fence


@dataclass(frozen=True, slots=True)
class Item:
    """A part that is shown whole or not at all."""

    name: str
    """What it is called where it did not fit."""
    text: str
    needs: frozenset[str] = frozenset()
    """Names of items without which it says nothing."""

    @property
    def tokens(self) -> int:
        """Its size, with the line break after it."""
        return tokens_of(len(self.text.encode()) + 1)


@dataclass(frozen=True, slots=True)
class Section:
    """Items under a heading, the most important first."""

    heading: str
    items: Sequence[Item]
    share: float
    """The share of all tokens that it may use before the other sections had theirs."""
    fence: str = ""
    """The language of the fenced block that the items are in."""
    always: bool = False
    """Whether its items are shown however small the limit is."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A text, and the names of what is in it and of what is not."""

    text: str
    shown: frozenset[str]
    omitted: Sequence[str]


def pack(sections: Sequence[Section], max_tokens: int) -> Packed:
    """Show as many items as fit: first each section within its share, then in order whatever still fits.

    The last items of a section are left out first.
    """
    chosen: list[list[Item]] = [list(section.items) if section.always else [] for section in sections]
    left = max_tokens - sum(_size(section, items) for section, items in zip(sections, chosen, strict=True))
    for within_share in (True, False):
        for section, items in zip(sections, chosen, strict=True):
            for item in section.items:
                if item in items or item.needs - _names(chosen):
                    continue
                size = _size(section, [*items, item])
                more = size - _size(section, items)
                if more > left or (within_share and size > section.share * max_tokens):
                    break
                items.append(item)
                left -= more
    shown = _names(chosen)
    omitted = [item.name for section in sections for item in section.items if item.name not in shown]
    blocks = [_block(section, items) for section, items in zip(sections, chosen, strict=True) if items]
    return Packed("\n\n".join(blocks), shown, omitted)


def _names(chosen: Sequence[Sequence[Item]]) -> frozenset[str]:
    return frozenset(item.name for items in chosen for item in items)


def _size(section: Section, items: Sequence[Item]) -> int:
    if not items:
        return 0
    around = len(section.heading.encode()) + (len(section.fence) + 10 if section.fence else 0) + 4
    return tokens_of(around) + sum(item.tokens for item in items)


def _block(section: Section, items: Sequence[Item]) -> str:
    text = "\n".join(item.text for item in items)
    body = fence(text, section.fence) if section.fence else text
    return f"{section.heading}\n{body}" if section.heading else body
