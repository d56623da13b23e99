"""A console that is safe for untrusted names and texts from databases."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from tribal.rendering.markdown import show_invisible


class SafeConsole(Console):
    """Escapes control characters and bidirectional formatting, as in `\\u001B`, in table cells too."""

    def render_str(self, text: str, **options: Any) -> Text:
        """The text with markup rendered and invisible characters escaped, except for line breaks."""
        return super().render_str(show_invisible(text, keep="\n"), **options)
