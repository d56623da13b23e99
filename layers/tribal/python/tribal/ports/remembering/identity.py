"""The identity of a caller in the seven layers of memory, and the spaces that it opens.

Source: memory specification, section 3, layer; precedence: docs/contracts.md, Memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tribal.identity.hashing import object_hash
from tribal.identity.table_names import slug

LAYERS = ("agent", "user", "session", "project", "team", "org", "company")
"""In order of precedence, most specific first."""
SHARED_LAYERS = ("project", "team", "org", "company")
"""Layers that more than one person may read."""
WRITE_RIGHT = "memory:write"
"""The right to write to the caller's own layers."""
_SLUG_CHARS = 40
LONGEST_IDENTIFIER = 200
"""Characters."""


def right_to_write(layer: str) -> str:
    """The right that writing to a layer needs."""
    return f"{WRITE_RIGHT}:{layer}" if layer in SHARED_LAYERS else WRITE_RIGHT


WRITE_RIGHTS = tuple(dict.fromkeys(map(right_to_write, LAYERS)))
"""Every right to write memories."""


def is_identifier(text: str) -> bool:
    """Whether a text is a valid identifier: printable, without surrounding spaces."""
    return 0 < len(text) <= LONGEST_IDENTIFIER and text.isprintable() and text == text.strip()


@dataclass(frozen=True, slots=True)
class Space:
    """A layer with its identifiers; memories are stored in spaces and searched by space."""

    layer: str
    identifiers: tuple[tuple[str, str], ...]
    """Pairs of kind and value, such as `("user", "ada")`; for an agent or a session, the user comes first."""

    @property
    def name(self) -> str:
        """The unique name in keys and indexes: layer, readable words and a hash."""
        values = [value for _, value in self.identifiers]
        return (
            f"{self.layer}/{slug(' '.join(values))[:_SLUG_CHARS]}-{object_hash([self.layer, *self.identifiers])[:20]}"
        )

    def __str__(self) -> str:
        return f"{self.layer} {' '.join(value for _, value in self.identifiers)}"


@dataclass(frozen=True, slots=True)
class Identity:
    """The identifiers of a caller, from settings or verified claims and never from a tool's input."""

    user: str | None = None
    agent: str | None = None
    session: str | None = None
    projects: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    orgs: tuple[str, ...] = ()
    company: str | None = None
    chosen: tuple[tuple[str, str], ...] = ()
    """For layers with several identifiers, the one for new memories, as pairs of layer and identifier."""

    def spaces(self, layer: str) -> tuple[Space, ...]:
        """Every space of a layer that the caller belongs to."""
        user, session, agent = _pair("user", self.user), _pair("session", self.session), _pair("agent", self.agent)
        if layer in ("user", "session", "agent"):
            own = {"user": (user,), "session": (user, session), "agent": (user, agent)}[layer]
            return (Space(layer, tuple(pair for pair in own if pair)),) if all(own) else ()
        several = {"project": self.projects, "team": self.teams, "org": self.orgs}
        values: Iterable[str] = several.get(layer, (self.company,) if self.company is not None else ())
        return tuple(Space(layer, ((layer, value),)) for value in values)

    def spaces_to_write(self, layer: str) -> tuple[Space, ...]:
        """The spaces of a layer that a new memory may go to: only the chosen one, if any."""
        chosen = tuple(pair for pair in self.chosen if pair[0] == layer)
        spaces = self.spaces(layer)
        return tuple(each for each in spaces if each.identifiers == chosen) if chosen else spaces


UNIDENTIFIED = Identity()


def _pair(kind: str, value: str | None) -> tuple[str, str] | None:
    return None if value is None else (kind, value)
