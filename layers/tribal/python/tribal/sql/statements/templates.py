"""Reads templates of SQL as dbt has them, without running them.

`ref` and `source` become the tables that they name. Of an `{% if %}` each branch is read. Any other expression becomes
a placeholder, which is unknown unless it is within a literal: there it is a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tribal.sql.dialect import quote_identifier
from tribal.sql.references import UnreadStatement

_MOST_TEXTS = 20
"""Combinations of branches that are read."""
_MOST_LEVELS = 20
_SHOWN_CHARS = 60
_OPENING = re.compile(r"\{[{%#]")
_CLOSING = {"{{": "}}", "{%": "%}", "{#": "#}"}
_LITERAL = r"""(?:'([^'"{}]*)'|"([^'"{}]*)")"""
_REF = re.compile(rf"\bref\(\s*{_LITERAL}(?:\s*,\s*{_LITERAL})?(?:\s*,\s*v(?:ersion)?\s*=\s*[\w'\".]+)?\s*\)")
_SOURCE = re.compile(rf"\bsource\(\s*{_LITERAL}\s*,\s*{_LITERAL}\s*\)")
_CONFIG = re.compile(r"config\s*\(.*\)", re.DOTALL)
_THIS = re.compile(r"this(?:\.\w+)?")
_WITHOUT_TABLES = (
    re.compile(r"set\s+\w+(?:\s*,\s*\w+)*\s*=[^(]*"),
    re.compile(r"snapshot\s.*", re.DOTALL),
    re.compile(r"end\w+"),
)
"""Tags that can be ignored: a variable is unknown only where it is used, and an end only if its beginning is."""
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*")
PLACEHOLDER = re.compile(r"_jinja_(\d+)_", re.IGNORECASE)


@dataclass(slots=True)
class Template:
    """A text, and what it is made from.

    Attributes:
        texts: SQL; several, if branches have to be read one by one.
        dialect: of the SQL, which decides how dbt writes names.
        tables: those that are named outside of the SQL, each with its line.
        unknown: tags that only dbt understands, each with its line.
        placeholders: for each placeholder in the SQL its expression; `None` if it names no other table.
    """

    texts: list[str] = field(default_factory=list)
    dialect: str = "postgres"
    tables: list[tuple[tuple[str, ...], int]] = field(default_factory=list)
    unknown: list[tuple[int, str]] = field(default_factory=list)
    placeholders: list[tuple[int, str] | None] = field(default_factory=list)

    def is_placeholder(self, name: str) -> bool:
        """Whether a name has a placeholder in it."""
        return bool(self.placeholders) and PLACEHOLDER.search(name) is not None

    def look_at(self, text: str) -> None:
        """Note a placeholder in a part of a statement."""
        if self.placeholders and (found := PLACEHOLDER.search(text)):
            number = int(found[1])
            if number < len(self.placeholders) and (expression := self.placeholders[number]) is not None:
                self.unknown.append(expression)

    @property
    def unread(self) -> list[UnreadStatement]:
        """What cannot be read, as one: compiling the template is the remedy for all of it."""
        if not self.unknown:
            return []
        (line, tag), *others = sorted(set(self.unknown))
        more = f" and {len(others):,} more" if others else ""
        return [UnreadStatement(f"only dbt can resolve {tag}{more}; check the SQL that `dbt compile` writes", line)]


@dataclass(slots=True, eq=False)
class _Choice:
    """An `{% if %}`, and which of its branches have been read."""

    branches: list[list[_Node]] = field(default_factory=lambda: [[]])
    is_exhaustive: bool = False
    read: set[int] = field(default_factory=set)

    @property
    def is_done(self) -> bool:
        return len(self.read) == len(self.branches)


_Node = str | _Choice


def read_template(text: str, dialect: str) -> Template:
    """The SQL of a text, which need not be a template."""
    if _OPENING.search(text) is None:
        return Template([text])
    template = Template(dialect=dialect)
    nodes = _nodes(text, template)
    while True:
        template.texts.append("".join(_rendered(nodes)))
        if all(node.is_done for node in nodes if isinstance(node, _Choice)):
            return template
        if len(template.texts) == _MOST_TEXTS:
            template.unknown.append((1, f"more than {_MOST_TEXTS} combinations of {{% if %}}"))
            return template


def _rendered(nodes: Sequence[_Node]) -> Iterator[str]:
    """The text of some nodes, with branches that are not done yet wherever there are any."""
    for node in nodes:
        if isinstance(node, str):
            yield node
            continue
        chosen = next((number for number in range(len(node.branches)) if number not in node.read), 0)
        # Lines of branches that are not chosen count too.
        yield "\n" * sum(map(_breaks, node.branches[:chosen]))
        yield from _rendered(node.branches[chosen])
        yield "\n" * sum(map(_breaks, node.branches[chosen + 1 :]))
        if all(inner.is_done for inner in node.branches[chosen] if isinstance(inner, _Choice)):
            node.read.add(chosen)


def _breaks(nodes: Sequence[_Node]) -> int:
    return sum(node.count("\n") if isinstance(node, str) else sum(map(_breaks, node.branches)) for node in nodes)


def _nodes(text: str, template: Template) -> list[_Node]:
    root: list[_Node] = []
    open_: list[_Choice] = []
    line, position = 1, 0
    for start, end in _tags(text):
        nodes = open_[-1].branches[-1] if open_ else root
        line += text.count("\n", position, start)
        nodes.append(text[position:start])
        tag, position = text[start:end], end
        body = tag[2:-2].strip("+-").strip()
        if tag[1] == "{":
            nodes.append(_expression(body, line, template))
        elif tag[1] == "%" and not _branched(body, nodes, open_):
            if not any(pattern.fullmatch(body) for pattern in _WITHOUT_TABLES):
                template.unknown.append((line, "{% " + _shown(body) + " %}"))
            template.tables += ((table, line) for table in _tables(body))
        # The lines of a tag count.
        breaks = tag.count("\n")
        (open_[-1].branches[-1] if open_ else root).append("\n" * breaks)
        line += breaks
    if open_:
        template.unknown.append((line, "an {% if %} without an end"))
    (open_[-1].branches[-1] if open_ else root).append(text[position:])
    return root


def _tags(text: str) -> Iterator[tuple[int, int]]:
    """Where tags begin and end."""
    position = 0
    unclosed: set[str] = set()
    while (found := _OPENING.search(text, position)) is not None:
        end = -1 if found[0] in unclosed else text.find(_CLOSING[found[0]], found.end())
        if end < 0:
            unclosed.add(found[0])
            position = found.end()
        else:
            position = end + 2
            yield found.start(), position


def _branched(body: str, nodes: list[_Node], open_: list[_Choice]) -> bool:
    """Follow the tags of an `{% if %}`; `False` for other tags."""
    name = body.split(None, 1)[0] if body else ""
    if name == "if" and len(open_) < _MOST_LEVELS:
        open_.append(_Choice())
        nodes.append(open_[-1])
    elif name in ("elif", "else") and open_ and not open_[-1].is_exhaustive:
        open_[-1].branches.append([])
        open_[-1].is_exhaustive = name == "else"
    elif name == "endif" and open_:
        choice = open_.pop()
        if not choice.is_exhaustive:
            choice.branches.append([])
    else:
        return False
    return True


def _expression(body: str, line: int, template: Template) -> str:
    """What replaces an expression in SQL."""
    if found := _REF.fullmatch(body) or _SOURCE.fullmatch(body):
        return ".".join(_quoted(name, template.dialect) for name in _table(found))
    if _CONFIG.fullmatch(body):
        return ""
    is_known = _THIS.fullmatch(body) is not None
    template.placeholders.append(None if is_known else (line, "{{ " + _shown(body) + " }}"))
    template.tables += ((table, line) for table in _tables(body))
    return f"_jinja_{len(template.placeholders) - 1}_"


def _tables(body: str) -> Iterator[tuple[str, ...]]:
    """The tables that an expression names somewhere."""
    for pattern in (_REF, _SOURCE):
        yield from map(_table, pattern.finditer(body))


def _table(found: re.Match[str]) -> tuple[str, ...]:
    names = tuple(name for name in found.groups() if name is not None)
    return names if found.re is _SOURCE else names[-1:]


def _quoted(name: str, dialect: str) -> str:
    """A name as dbt writes it: in quotes, except for Snowflake, where only a name that needs them has them."""
    is_plain = _PLAIN_NAME.fullmatch(name) and quote_identifier(name.upper(), "snowflake") == name.upper()
    return name if dialect == "snowflake" and is_plain else '"' + name.replace('"', '""') + '"'


def _shown(body: str) -> str:
    text = " ".join(body.split())
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}..."
