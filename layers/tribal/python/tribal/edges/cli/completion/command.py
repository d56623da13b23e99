"""`tribal completion`: prints the script of a shell, and answers what that script asks."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from typing import Annotated, Literal

import typer

_OFFER_FILES = 1
"""Exit code where this program completes nothing; the script then completes names of files."""


def completion(
    context: typer.Context,
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(help="The shell.", show_default=False)],
    asks: Annotated[bool, typer.Option("--complete", hidden=True)] = False,
) -> None:
    """Print a script that completes commands, options and names.

    \b
    bash: echo 'source <(tribal completion bash)' >> ~/.bashrc
    zsh:  echo 'source <(tribal completion zsh)' >> ~/.zshrc
    fish: tribal completion fish > ~/.config/fish/completions/tribal.fish

    Then start a new shell. Names of tables, domains and databases are completed where there is an index.
    """
    from tribal.edges.cli.completion.candidates import candidates
    from tribal.edges.cli.completion.shells import SHELLS, split

    script, as_line = SHELLS[shell]
    if not asks:
        typer.echo(script, nl=False)
        return
    typed = split(sys.stdin.read().removesuffix("\n"))
    try:
        # What a command prints while it refuses its arguments is no completion.
        with redirect_stdout(io.StringIO()):
            found = candidates(context.find_root().command, typed)
    except Exception:  # noqa: BLE001 - a message would appear in the line that is being typed
        return
    if not found:
        raise typer.Exit(_OFFER_FILES)
    for value, text in found:
        if value.isprintable():
            typer.echo(as_line(value, text, typed))
