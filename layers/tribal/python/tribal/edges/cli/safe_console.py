"""A terminal that shows what a database's names and texts hold, and never obeys it."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from tribal.rendering.markdown import show_invisible


class SafeConsole(Console):
    """Writes control characters, escape sequences and marks of direction as `\\u001B`, in cells of tables too."""

    def render_str(self, text: str, **options: Any) -> Text:
        """The text with markup read and what is invisible shown; line breaks stay."""
        return super().render_str(show_invisible(text, keep="\n"), **options)
