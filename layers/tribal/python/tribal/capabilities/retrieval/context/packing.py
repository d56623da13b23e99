"""Fits the parts of a context into a number of tokens, always whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
    brief: str = ""
    """A shorter text that is shown rather than nothing; empty if it has none."""
    needed: bool = False
    """Whether it is shown before anything else."""

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
    """Show as many items as fit: what is needed, in brief; then whole within a section's share; then what still fits.

    The last items of a section are left out first.
    """
    chosen: list[list[Item]] = [list(section.items) if section.always else [] for section in sections]
    left = max_tokens - sum(_size(section, items) for section, items in zip(sections, chosen, strict=True))
    left = _show_needed(sections, chosen, left)
    for shares in ([section.share * max_tokens for section in sections], [float(max_tokens)] * len(sections)):
        left = _show_whole(sections, chosen, shares, left)
        for section, items, share in zip(sections, chosen, shares, strict=True):
            for item in section.items:
                if item.name in _names([items]) or item.needs - _names(chosen):
                    continue
                size = _size(section, [*items, item])
                more = size - _size(section, items)
                if more > left or size > share:
                    break
                items.append(item)
                left -= more
    shown = _names(chosen)
    omitted = [item.name for section in sections for item in section.items if item.name not in shown]
    blocks = [_block(section, items) for section, items in zip(sections, chosen, strict=True) if items]
    return Packed("\n\n".join(blocks), shown, omitted)


def _show_needed(sections: Sequence[Section], chosen: Sequence[list[Item]], left: int) -> int:
    """Add the needed items in their brief text; return the tokens that are left."""
    for section, items in zip(sections, chosen, strict=True):
        for item in section.items:
            shorter = replace(item, text=item.brief or item.text)
            more = _size(section, [*items, shorter]) - _size(section, items)
            if item.needed and more <= left and not item.needs - _names(chosen):
                items.append(shorter)
                left -= more
    return left


def _show_whole(sections: Sequence[Section], chosen: Sequence[list[Item]], shares: Sequence[float], left: int) -> int:
    """Give the items in brief their whole text, the first ones first; return the tokens that are left."""
    for section, items, share in zip(sections, chosen, shares, strict=True):
        whole = {item.name: item for item in section.items}
        for place, item in enumerate(items):
            more = whole[item.name].tokens - item.tokens
            if more <= left and _size(section, items) + more <= share:
                items[place] = whole[item.name]
                left -= more
    return left


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
