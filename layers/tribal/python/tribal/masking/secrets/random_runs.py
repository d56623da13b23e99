"""Find keys and tokens without a label: runs of characters that look random."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tribal.masking.kinds import SensitiveKind

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LICENCE_KEY = re.compile(
    r"(?:[A-Z0-9]{4}-){3,}[A-Z0-9]{4}|(?:[A-Z0-9]{5}-){2,}[A-Z0-9]{5}|(?:[A-Z0-9]{6}-){2,}[A-Z0-9]{6}"
)
_PART = re.compile(r"[A-Za-z0-9]+")
_HEX = re.compile(r"(?:0?x)?([0-9a-f]+|[0-9A-F]+)")
_PIECES = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")

RANDOM_CHARS = 16
"""Shorter runs are too often words, codes and dates. A judgement, like the limit of 512 characters."""
_SCAN_CHARS = 512
_HEX_CHANGES = 2
"""Minimum number of changes between letters and digits in a hexadecimal run: `20240131abcdef` has one."""
_COMMON_PAIRS = frozenset(
    """
    th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne
    ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa
    ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp
    fe bl ab gh ty op wo sa ay ex ke ui fr oo ag if sp ap ck up br da ue ds od cr um do cu bi ru dr nu lu ub ob fa ga lt
    """.split()
)


def looks_random(run: str) -> bool:
    """Whether a run of letters, digits and `+/_-=`, or a long part of it, looks random and not built from words.

    A UUID is an identifier and does not count. Only the first 512 characters of each part are judged.
    """
    if _UUID.fullmatch(run):
        return False
    parts = _PART.findall(run[: 4 * _SCAN_CHARS])
    if any(len(part) >= RANDOM_CHARS and _is_random(part[:_SCAN_CHARS]) for part in parts):
        return True
    return _is_licence_key(run) or _is_base64(run[:_SCAN_CHARS], parts)


def _is_random(part: str) -> bool:
    hexadecimal = _HEX.fullmatch(part)
    if hexadecimal:
        return _changes(hexadecimal[1]) >= _HEX_CHANGES
    return _score(_PIECES.findall(part)) > 0


def _is_base64(run: str, parts: list[str]) -> bool:
    """Whether a run with `+`, `/`, `-` or `_` is a single value, not a path or a name."""
    body = run.rstrip("=")
    if len(body) < RANDOM_CHARS - 1 or not (any(map(str.isupper, body)) and any(map(str.islower, body))):
        return False
    return _score([piece for part in parts for piece in _PIECES.findall(part)]) > 0


def _is_licence_key(run: str) -> bool:
    if not _LICENCE_KEY.fullmatch(run):
        return False
    groups = run.split("-")
    return sum(_changes(group) > 0 for group in groups) >= (1 if len(groups) > 3 else 2)


def _changes(text: str) -> int:
    return sum(before.isdecimal() != now.isdecimal() for before, now in pairwise(text))


# Each weight is the rounded logarithm of how much more frequent a feature is in random runs than in names of catalogs.
# Features: a pair of letters that is rare or common in English, and a boundary between two pieces.
_RARE_PAIR = 1.1
_COMMON_PAIR = -1.2
_BOUNDARY = 0.7
_LONG_PIECE = -0.5
_DOUBT = 0.5
_DOUBT_OF_ONE_PIECE = 4.0
"""Penalty for letters of one case: names without vowels, common in old systems, look almost random."""
_LEAST_LETTERS = 4


def _score(pieces: list[str]) -> float:
    """Return how much more likely a run is random than built from words; above zero it counts as random."""
    score = 0.0
    for piece in pieces:
        if piece.isalpha():
            common = sum(before + now in _COMMON_PAIRS for before, now in pairwise(piece.lower()))
            score += common * _COMMON_PAIR + (len(piece) - 1 - common) * _RARE_PAIR
        elif len(piece) > 2:
            score += (len(piece) - 2) * _LONG_PIECE
    letters = sum(len(piece) for piece in pieces if piece.isalpha())
    if letters < _LEAST_LETTERS:
        return -1.0
    return score + (len(pieces) - 1) * _BOUNDARY - (_DOUBT if len(pieces) > 1 else _DOUBT_OF_ONE_PIECE)


_RUN = re.compile(rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{RANDOM_CHARS},}}={{0,2}}")
_DIGEST = re.compile(r"(?:[0-9a-f]{7,12}|[0-9a-f]{24}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})")
_OF_CONTENT = re.compile(
    r"(?:\b(?:commit|etag|checksum|revision|rev|blob|tree|sha|ref|trace|span|request|correlation|object|transaction|run|build"
    r"|row|record|event|message|content|file|image|git|cache|layer|snapshot|version|release)(?:[ _-]?(?:id|hash"
    r"|sha|key|digest|sum|no|number))?"
    r"|\bsha-?(?:1|256|512)(?:sum)?|\bmd5sum|\b(?:md5|sha-?\d{0,3}|crc\d{0,2}|digest|hash)(?:[ -]?(?:sum|hash))?"
    r" (?:of|for) (?:the |this |a |each )?(?:\w{1,12} )?(?:file|export|dump|image|archive|content|download"
    r"|release|build|row|record|line|page))"
    r"(?: (?:is|was))?[\s:=@\"'/(#]{1,4}\Z",
    re.IGNORECASE,
)
"""Words before the hash of a file or a commit, which is not a secret."""
_OF_SECRET = re.compile(r"pass|\bpw|pwd|secret|token|credential|hmac|signature|\buser|\blogin", re.IGNORECASE)
_CONTEXT_CHARS, _NEAR = 60, 300


@dataclass(frozen=True, slots=True)
class RandomRule:
    """Finds runs that look random, except hashes that are labelled as those of files and commits."""

    kind: SensitiveKind = SensitiveKind.SECRET
    required: tuple[str, ...] = ()
    min_digits: int = 0

    def find(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each part to hide, from left to right."""
        for run in _RUN.finditer(text):
            if looks_random(run.group()) and not _is_of_content(text, run):
                yield run.span()


def _is_of_content(text: str, run: re.Match[str]) -> bool:
    """Whether a run is, or ends in, the hash of a file or a commit."""
    parts = run.group().split("/")
    digests = [part for part in parts if _DIGEST.fullmatch(part)]
    if len(digests) != 1 or any(looks_random(part) for part in parts if part != digests[0]):
        return False
    start = run.start() + run.group().index(digests[0])
    before = text[max(0, start - _CONTEXT_CHARS) : start]
    return _OF_CONTENT.search(before) is not None and not _OF_SECRET.search(text, max(0, start - _NEAR), start + _NEAR)


RANDOM_RULES = (RandomRule(),)
