"""The scripts of shells: each sends the line up to the cursor to `tribal completion SHELL --complete`.

A line goes to standard input, because arguments are shown in lists of processes and a line may have a password. Names
come from databases, so no shell evaluates them: each inserts them quoted.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_BASH = r"""
_tribal() {
    local reply
    COMPREPLY=()
    if reply=$(tribal completion bash --complete <<<"${COMP_LINE:0:COMP_POINT}" 2>/dev/null); then
        [[ -z $reply ]] || mapfile -t COMPREPLY <<<"$reply"
    else
        compopt -o default
    fi
}
complete -F _tribal tribal
"""
_ZSH = r"""#compdef tribal
_tribal() {
    local reply
    local -a found
    if reply=$(tribal completion zsh --complete <<<"${words[1,CURRENT-1]} $QIPREFIX$PREFIX" 2>/dev/null); then
        found=("${(@f)reply}")
        [[ -z $reply ]] || _describe tribal found
    else
        _files
    fi
}
if [[ $funcstack[1] == _tribal ]]; then
    _tribal "$@"
else
    compdef _tribal tribal
fi
"""
_FISH = r"""
function __tribal_complete
    if set -l found (commandline --cut-at-cursor --current-process | tribal completion fish --complete 2>/dev/null)
        string join \n -- $found
    else
        __fish_complete_path (commandline --current-token)
    end
end
complete --command tribal --no-files --arguments '(__tribal_complete)'
"""
_CURSOR = "\ue000"
"""Marks the end of the line, where a word may be empty. No one types this character: it means nothing."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A command line up to the cursor, without its quotes."""

    words: Sequence[str]
    """The words before the last one; the program is the first."""
    last: str
    """The word that is completed."""
    quote: str
    """The quotation mark around it that is not closed yet, if any."""


def split(line: str) -> Typed:
    """Split a line into words as a shell does."""
    lexer = shlex.shlex(line + _CURSOR, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    words, quote = list[str](), ""
    try:
        words.extend(lexer)
    except ValueError:
        quote = lexer.state or ""  # type: ignore[attr-defined]  # typeshed does not know it
        words.append(lexer.token)
    return Typed(words[:-1], words[-1].removesuffix(_CURSOR), quote)


def _in_bash(value: str, _: str, typed: Typed) -> str:
    """Quote a value: it replaces the last word, but only what follows an open quote or `=` in it."""
    if typed.quote == "'":
        return value.replace("'", r"'\''")
    return re.sub(r'["$`\\]' if typed.quote else r"[^\w.,/+@%-]", r"\\\g<0>", value)


def _in_zsh(value: str, text: str, typed: Typed) -> str:
    return ":".join(part.replace("\\", "\\\\").replace(":", "\\:") for part in (_option(typed) + value, text) if part)


def _in_fish(value: str, text: str, typed: Typed) -> str:
    return f"{_option(typed)}{value}\t{text}"


def _option(typed: Typed) -> str:
    """The option in front of a value in the same word, as in `--domain=billing`."""
    option, mark, _ = typed.last.partition("=")
    return option + mark if mark and option.startswith("-") else ""


SHELLS: Mapping[str, tuple[str, Callable[[str, str, Typed], str]]] = {
    "bash": (_BASH.lstrip(), _in_bash),
    "zsh": (_ZSH, _in_zsh),
    "fish": (_FISH.lstrip(), _in_fish),
}
"""The script of each shell, and what it reads for a value with its description."""
