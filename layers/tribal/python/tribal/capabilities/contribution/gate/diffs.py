"""Unified diffs as git writes and applies them: exact, also where a file has no final newline or other line ends."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tribal.capabilities.contribution.errors import PatchInvalid
from tribal.capabilities.contribution.recipes.recipe import Files

_CONTEXT = 3
_NO_NEWLINE = "\\ No newline at end of file\n"
_HUNK = re.compile(r"@@ -(?P<old>\d+)(?:,(?P<old_count>\d+))? \+(?P<new>\d+)(?:,(?P<new_count>\d+))? @@")
_PLAIN = re.compile(r"[A-Za-z0-9_./@%+=:,~ -]+")


def unified_diff(path: str, before: str | None, after: str | None) -> str:
    """The diff of one file; `None` where it does not exist. Empty if nothing changes."""
    if before == after:
        return ""
    old_name, new_name = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    head = [f"diff --git {old_name} {new_name}\n"]
    if before is None:
        head.append("new file mode 100644\n")
    if after is None:
        head.append("deleted file mode 100644\n")
    hunks = list(_hunks(_lines(before or ""), _lines(after or "")))
    if hunks:
        head.append(f"--- {'/dev/null' if before is None else old_name}\n")
        head.append(f"+++ {'/dev/null' if after is None else new_name}\n")
    return "".join((*head, *hunks))


def apply_diff(diff: str, before: str | None) -> str:
    """The text of a file after a diff of it.

    Raises:
        PatchInvalid: when the diff is not one, or does not fit the text exactly.
    """
    old, new, position = _lines(before or ""), [], 0
    lines = _with_ends(diff)
    at = next((number for number, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
    while at < len(lines):
        found = _HUNK.match(lines[at])
        if found is None:
            raise PatchInvalid("a diff cannot be read; prepare the contribution again")
        old_count = int(found["old_count"] or "1")
        new_count = int(found["new_count"] or "1")
        start = int(found["old"]) - (1 if old_count else 0)
        new += old[position:start]
        position, at = start, at + 1
        while old_count or new_count:
            if at >= len(lines) or lines[at][:1] not in (" ", "+", "-"):
                raise PatchInvalid("a diff ends too early; prepare the contribution again")
            sign, text = lines[at][0], lines[at][1:]
            if sign in " -":
                if position >= len(old) or old[position] != text:
                    raise PatchInvalid("a diff does not fit its file; prepare the contribution again")
                position, old_count = position + 1, old_count - 1
            if sign in " +":
                new.append(text)
                new_count -= 1
            at += 1
    return "".join((*new, *old[position:]))


def added_lines(diff: str) -> list[str]:
    """The lines that a diff adds."""
    return [line[1:] for line in _body(diff) if line.startswith("+")]


def count_lines(diff: str) -> tuple[int, int]:
    """How many lines a diff adds and removes."""
    body = _body(diff)
    return sum(line.startswith("+") for line in body), sum(line.startswith("-") for line in body)


def changed_lines(diffs: Iterable[str]) -> int:
    """How many lines diffs add and remove altogether."""
    return sum(sum(count_lines(each)) for each in diffs)


def changed_files(files: Files, diffs: Mapping[str, str]) -> dict[str, bytes]:
    """The files that diffs change, as they are afterwards, by path.

    Args:
        files: as they are before.
        diffs: by path.

    Raises:
        PatchInvalid: when a diff does not fit its file.
    """
    return {
        path: apply_diff(diff, files.read(path).decode() if path in files.paths else None).encode()
        for path, diff in diffs.items()
    }


def _body(diff: str) -> list[str]:
    lines = diff.split("\n")
    start = next((number for number, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
    return lines[start:]


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                yield from (_line(" ", line) for line in old[old_start:old_end])
                continue
            yield from (_line("-", line) for line in old[old_start:old_end])
            yield from (_line("+", line) for line in new[new_start:new_end])


def _range(start: int, end: int) -> str:
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"


def _line(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n{_NO_NEWLINE}"


def _lines(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends one."""
    lines = text.split("\n")
    ends = [f"{line}\n" for line in lines[:-1]]
    return [*ends, lines[-1]] if lines[-1] else ends


def _with_ends(diff: str) -> list[str]:
    """The lines of a diff; one that a mark follows has no line feed."""
    lines: list[str] = []
    for line in _lines(diff):
        if line == _NO_NEWLINE and lines:
            lines[-1] = lines[-1].removesuffix("\n")
        else:
            lines.append(line)
    return lines


def _quoted(path: str) -> str:
    r"""A path as git writes it: in quotes, with escapes, if it has unusual characters."""
    if _PLAIN.fullmatch(path):
        return path
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else f"\\{byte:03o}" for byte in path.encode()
    )
    return f'"{escaped}"'
