"""A console that is safe for untrusted names and texts from databases."""

from __future__ import annotations

from typing import Any

from rich import markup
from rich.console import Console
from rich.text import Text

from tribal.rendering.markdown import show_invisible


def escape(text: str) -> str:
    """Text in which nothing is markup, also when markup follows it; for `SafeConsole` only."""
    bare = text.rstrip("\\")
    return markup.escape(bare) + "\\\\" * (len(text) - len(bare))


class SafeConsole(Console):
    """Escapes control characters and bidirectional formatting, as in `\\u001B`, in table cells too."""

    def render_str(self, text: str, **options: Any) -> Text:
        """The text with markup rendered and invisible characters escaped, except for line breaks."""
        # Backslashes before markup are read in pairs, but not those at the end.
        bare = text.rstrip("\\")
        text = bare + "\\" * ((len(text) - len(bare) + 1) // 2)
        return super().render_str(show_invisible(text, keep="\n"), **options)
