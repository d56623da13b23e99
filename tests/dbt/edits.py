"""An edit of a properties file, written as a diff with all its lines."""

from __future__ import annotations

from typing import NamedTuple

from tribal.dbt.splicing import Change


class Style(NamedTuple):
    """An edit: lines start with a space, or with `-` before it and `+` after it."""

    diff: str
    changes: list[Change]

    @property
    def before(self) -> str:
        """The file as it was."""
        return self._lines(" -")

    @property
    def after(self) -> str:
        """The file as it is to be."""
        return self._lines(" +")

    @property
    def unchanged(self) -> str:
        """The lines that stay."""
        return self._lines(" ")

    def _lines(self, marks: str) -> str:
        lines = (line if line != "\n" else " \n" for line in self.diff.splitlines(keepends=True))
        return "".join(line[1:] for line in lines if line[0] in marks)


def model(text: str, column: str | None = None, name: str = "orders") -> Change:
    """A description of a model or its column."""
    return Change("models", name, text, column)


def table(text: str, column: str | None = None, name: str = "orders") -> Change:
    """A description of a table in the source `shop`, or of its column."""
    return Change("sources", name, text, column, source="shop")
