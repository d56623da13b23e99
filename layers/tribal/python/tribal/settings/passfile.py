"""Passwords from `.pgpass`, by libpq's rules."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

_FIELD = re.compile(r"((?:[^:\\]|\\.)*)(?::|$)")
_OPEN_TO_OTHERS = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class PassfileAnswer:
    """The password of the first matching line, and a warning for the user."""

    password: SecretStr | None = None
    warnings: tuple[str, ...] = ()


def passfile_path(environment: Mapping[str, str]) -> Path | None:
    """Where the file should be: at `PGPASSFILE`, else in the home directory."""
    if named := environment.get("PGPASSFILE"):
        return Path(named)
    return Path(home) / ".pgpass" if (home := environment.get("HOME")) else None


def find_password(path: Path | None, host: str, port: int, database: str, user: str) -> PassfileAnswer:
    """Look up a password; as in libpq, a file that others can read is ignored with a warning."""
    if path is None:
        return PassfileAnswer()
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            return PassfileAnswer()
        if mode & _OPEN_TO_OTHERS:
            warning = f"The password file {str(path)!r} is open to others and was not used. Run: chmod 0600 {path}"
            return PassfileAnswer(warnings=(warning,))
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return PassfileAnswer()
    except OSError as error:
        return PassfileAnswer(warnings=(f"The password file {str(path)!r} cannot be read ({error.strerror}).",))
    asked = (host, str(port), database, user)
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        fields = _fields(line)
        if len(fields) >= 5 and all(field in ("*", want) for field, want in zip(fields, asked, strict=False)):
            return PassfileAnswer(SecretStr(fields[4]))
    return PassfileAnswer()


def _fields(line: str) -> list[str]:
    # The password is the last field and may contain unescaped colons.
    fields: list[str] = []
    position = 0
    while len(fields) < 4:
        found = _FIELD.match(line, position)
        if found is None or found.end() == len(line):
            return []
        fields.append(_unescape(found.group(1)))
        position = found.end()
    return [*fields, _unescape(line[position:])]


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
