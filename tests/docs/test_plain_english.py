"""A closed list of phrases that read as translated, each with plain words to use instead.

The product and its documentation are checked completely; tests only in names, comments and the first lines of
docstrings, since test data may say anything. Samples, prompts and word lists are left out. Phrases such as "is no X",
which are often sound English, are left to the reviewer.
"""

from __future__ import annotations

import re
import subprocess

from tests import ROOT

BETTER = {
    r"(?:is|are|was|were|be|been|being|not) told(?! (?:apart|to)\b)": "is reported, is shown, gets",
    r"anew": "again; rebuild, rewrite",
    r"(?<![\"'`])nobody(?![\"'`@])": "no one",
    r"(?:some|any|every)body": "someone, anyone, everyone; another process",
    r"whoever": "the caller, anyone who",
    r"beside": "next to, besides, in addition to",
    r"stands? for": "means, replaces",
    r"stands in(?!-)": "is in, replaces",
    r"as ever": "as before; or leave it out",
    r"carr(?:y|ies|ied|ying) on": "resume, continue",
    r"g(?:o|oes|one|oing) on with": "resume, continue",
    r"under way": "in progress",
    r"of (?:ours|yours)": "our, your",
    r"there (?:is|are) (?-i:none)": "it does not exist; is missing, is empty",
    r"g(?:ive|ives|ave|iving) way": "make room for, rank below",
    r"amiss": "wrong; a problem",
    r"any more": "no longer",
    r"slips? of the (?:finger|pen)": "typos",
    r"strangers?": "unauthenticated callers; unknown files",
    r"the likes of": "such as",
    r"(?:is|are) made of": "consists of",
    r"lets? go": "releases",
    r"by hand of": "by",
    r"one (?!or )\w+ more": "one more",
    r"in a while": "in 30 s",
    r"which is all that": "only",
}
FOLDERS = ("layers", "functions", "infra", "contracts", "servers", "demo", "bench", "docs", "tests")
FILES = ("README.md", "CHANGELOG.md", "Makefile")
SUFFIXES = (".py", ".js", ".ts", ".md", ".yaml", "Makefile")
LEFT_OUT = re.compile(
    r"/prompts/|^docs/samples|^tests/(?:golden|fixtures|attack/sentences)/|/english_words|/test_plain_english"
)
# A phrase may continue on the next line. Underscores become spaces before the search, for names.
PHRASES = re.compile(
    r"(?i)\b(?:" + "|".join(f"(?P<p{n}>{phrase})" for n, phrase in enumerate(BETTER)).replace(" ", r"\s") + r")\b"
)
NAME_OR_COMMENT = re.compile(r'^ *(?:(?:async )?def [^(]*|class [^(:]*|#.*|""".*)', re.MULTILINE)


def problems(path: str, text: str) -> list[str]:
    """One line for each phrase: the file, the line, the phrase and what to write instead."""
    text = text.replace("_", " ")
    pieces = [(0, text)]
    if path.startswith("tests/"):
        pieces = [(found.start(), found[0]) for found in NAME_OR_COMMENT.finditer(text)]
    better = list(BETTER.values())
    return [
        f"{path}:{text.count(chr(10), 0, start + found.start()) + 1}: {found[0]!r}; "
        f"write: {better[found.lastindex - 1]}"
        for start, piece in pieces
        for found in PHRASES.finditer(piece)
        if found.lastindex
    ]


def test_texts_use_plain_words() -> None:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *FOLDERS, *FILES]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found = [
        problem
        for path in listed.stdout.splitlines()
        if path.endswith(SUFFIXES) and not LEFT_OUT.search(path) and (ROOT / path).is_file()
        for problem in problems(path, (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_a_phrase_is_reported_with_its_place_and_a_better_one() -> None:
    assert problems("layers/a.py", "x = 1\n# Nobody reads it.\n") == ["layers/a.py:2: 'Nobody'; write: no one"]
    assert problems("docs/a.md", "A file is\ntold.\n") == [
        "docs/a.md:1: 'is\\ntold'; write: is reported, is shown, gets"
    ]
    assert problems("tests/a.py", 'text = "nobody"\n\n\ndef test_it_is_built_anew() -> None:\n') == [
        "tests/a.py:4: 'anew'; write: again; rebuild, rewrite"
    ]
    assert problems("layers/a.py", "key = here or there is None\nuser = 'nobody'\none or more\n") == []
