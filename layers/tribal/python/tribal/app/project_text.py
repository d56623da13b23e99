"""What the text of `databases.yaml` says without its variables: lines, and the databases that are kept from models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import yaml

from tribal.identity.expansion import PLACE
from tribal.yaml_lines import compose_yaml, line_of, locate, value_at

_ANYTHING = re.compile(r"\$+\{[^}]*\}|" + re.escape(PLACE))
_GLOB = re.compile(r"[*?\[]|\$\{")


@dataclass(frozen=True)
class ProjectText:
    """The bytes of a `databases.yaml`.

    Raises, from every method: `ConfigurationError` when it is not YAML.
    """

    name: str
    """The file's name in messages."""
    data: bytes

    def line(self, location: Sequence[int | str]) -> int | None:
        """The line of a key or an item; of what should contain it, if it does not exist."""
        return None if self._root is None else line_of(locate(self._root, location))

    def keeps_from_models(self, database: str) -> bool:
        """Whether a database is of an entry with `describer: rules`.

        The values of variables are unknown: a name with one is that of any database that it fits.
        """
        return any(pattern.fullmatch(database) for pattern in self._kept)

    @property
    def keeps_any(self) -> bool:
        """Whether any entry has `describer: rules`."""
        return bool(self._kept)

    @cached_property
    def _root(self) -> yaml.Node | None:
        return compose_yaml(self.name, self.data)

    @cached_property
    def _kept(self) -> tuple[re.Pattern[str], ...]:
        listed = None if self._root is None else value_at(self._root, ("databases",))
        entries = listed.value if isinstance(listed, yaml.SequenceNode) else []
        return tuple(_names(entry) for entry in entries if any(map(_may_be_rules, _texts(entry, "describer"))))


def _may_be_rules(text: str) -> bool:
    return text == "rules" or "${" in text


def _names(entry: yaml.Node) -> re.Pattern[str]:
    """The names of the databases of an entry, which has one name for each if it is for several."""
    name = next(_texts(entry, "name"), "")
    parts = [re.escape(part) for part in _ANYTHING.split(name)]
    databases = value_at(entry, ("database",))
    is_several = isinstance(databases, yaml.SequenceNode) or any(map(_GLOB.search, _texts(entry, "database")))
    return re.compile(".*".join(parts) + ("(?:_.+)?" if is_several and PLACE not in name else ""), re.DOTALL)


def _texts(entry: yaml.Node, key: str) -> Iterator[str]:
    node = value_at(entry, (key,))
    if isinstance(node, yaml.ScalarNode):
        yield node.value
