"""Ids, times and addresses, which differ from what a page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_JOB = r"\d{8}[Tt]\d{6,9}[Zz]-[0-9a-f]{6,12}"
"""The id of a run or a job."""
_HASH = r"(?<![0-9A-Za-z])(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,64}(?![0-9A-Za-z])"
"""A hash, the start of one, or an id behind its prefix: digits and letters."""
_DAY = r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z| \d\d:\d\d)?"
_DURATION = r"\d+(?:\.\d+)? (?:ms|s|min)\b"


class Names:
    """What names of a page are on this machine.

    Addresses are given. An id is learned from the output that shows it: from then on the page's id means the
    id of this run, in commands, in files and in output. Times are never compared.
    """

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def learn(self, shown: str, actual: str) -> None:
        """Say what a page's name is on this machine."""
        self._known[shown] = actual

    def actual(self, text: str) -> str:
        """Replace the names of a page by those of this machine."""
        return re.sub(self._any_known(), lambda found: self._known[found[0]], text)

    def match(self, shown: str, printed: str) -> bool:
        """Compare what a page shows with what a command printed, and learn the ids.

        In what is shown, a line `...` means any lines, and `...` in a line any text.
        """
        learned: dict[str, str] = {}
        lines = "".join(self._line(line, learned) for line in shown.rstrip().splitlines())
        found = re.fullmatch(lines + r"\s*", f"{printed.rstrip()}\n")
        if found is not None:
            self._known |= {token: found[group] for token, group in learned.items()}
        return found is not None

    def _line(self, shown: str, learned: dict[str, str]) -> str:
        if shown.strip() == "...":
            return r"(?:.*\n)*?"
        return "".join(self._parts(shown.rstrip(), learned)) + r" *\n"

    def _parts(self, shown: str, learned: dict[str, str]) -> Iterator[str]:
        varying = (
            rf"(?P<known>{self._any_known()})|(?P<id>{_UUID}|{_JOB}|{_HASH})"
            rf"|(?P<day>{_DAY})|(?P<duration>{_DURATION})|(?P<left_out>\.\.\.)"
        )
        end = 0
        for found in re.finditer(varying, shown):
            yield re.escape(shown[end : found.start()])
            end = found.end()
            if found["known"]:
                yield re.escape(self._known[found["known"]])
            elif found["day"]:
                yield _DAY
            elif found["duration"]:
                yield _DURATION
            elif found["left_out"]:
                yield ".*"
            elif found["id"] in learned:
                yield f"(?P={learned[found['id']]})"
            else:
                learned[found["id"]] = f"id{len(learned)}"
                yield f"(?P<{learned[found['id']]}>{_like(found['id'])})"
        yield re.escape(shown[end:])

    def _any_known(self) -> str:
        """Return the pattern of the names that are known; the longest one wins."""
        return "|".join(re.escape(name) for name in sorted(self._known, key=len, reverse=True)) or "(?!)"


def _like(token: str) -> str:
    """Return the pattern of ids that look like this one."""
    return re.sub(r"[0-9a-f]+", lambda run: rf"[0-9a-f]{{{len(run[0])}}}", token)
