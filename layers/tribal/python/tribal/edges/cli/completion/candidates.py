"""Finds the values that may follow on a command line, by the parameters of its command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typer._click.shell_completion import ShellComplete

if TYPE_CHECKING:
    from typer._click.shell_completion import CompletionItem

    from tribal.edges.cli.completion.shells import Typed


def candidates(root: Any, typed: Typed) -> list[tuple[str, str]]:
    """Return the values that complete the last word, each with its description.

    Args:
        root: the Click command `tribal`.
        typed: the command line.

    Raises:
        NothingToComplete: when a name is typed, and no name fits.
    """
    found = _Completion(root, {}, "tribal", "").get_completions([*typed.words[1:]], typed.last)
    return [(str(item.value), " ".join((item.help or "").split())) for item in found]


class _Completion(ShellComplete):
    """Walks the command line. The scripts and the way to ask are in `shells`, so what a shell would need is unused."""

    name = source_template = ""

    def source_vars(self) -> dict[str, Any]:
        raise NotImplementedError

    def get_completion_args(self) -> tuple[list[str], str]:
        raise NotImplementedError

    def format_completion(self, item: CompletionItem) -> str:
        raise NotImplementedError
