"""Writes the thesaurus that questions are read with, from the nouns of WordNet.

`python -m bench.thesaurus FOLDER` reads `data.noun` and `index.noun` of WordNet 3.0 (`wordnet-base` of Debian has them)
and writes `naming/thesaurus/nouns.txt` anew: a line for each noun of one word, with its synonyms in its most used
senses and what the first of them is a kind of.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tribal.naming.thesaurus import lookup

SENSES = 3
"""Senses, of WordNet's order by use, whose synonyms count: rarer ones are seldom meant."""
_HYPERNYM = "@"
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class _Synset:
    """One meaning: the words for it, and the places of what it is a kind of."""

    words: tuple[str, ...]
    broader: tuple[str, ...]


def main(arguments: Sequence[str]) -> int:
    """Write the file; returns the exit code."""
    if len(arguments) != 1:
        print("bench.thesaurus: name the folder with WordNet's data.noun and index.noun", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    lines = list(_lines(folder))
    file = Path(lookup.__file__).with_name(lookup.FILE)
    file.write_text("".join(lines), encoding="ascii")
    print(f"{len(lines):,} words in {file}")
    return 0


def _lines(folder: Path) -> Iterator[str]:
    """The lines of the file, sorted by word."""
    synsets = dict(_synsets(folder / "data.noun"))
    for fields in sorted(_records(folder / "index.noun")):
        word, senses, pointers = fields[0], int(fields[2]), int(fields[3])
        meant = [synsets[place] for place in fields[6 + pointers :][: min(senses, SENSES)]]
        # In lower case the index has proper names too.
        meant = [meaning for meaning in meant if word in meaning.words]
        if not meant:
            continue
        synonyms = dict.fromkeys(other for meaning in meant for other in meaning.words if _is_plain(other))
        broader = dict.fromkeys(
            other for place in meant[0].broader for other in synsets[place].words if _is_plain(other)
        )
        same = [other for other in synonyms if other != word]
        wider = [other for other in broader if other not in (word, *same)]
        if _is_plain(word) and (same or wider):
            yield f"{word}\t{' '.join(same)}\t{' '.join(wider)}\n"


def _synsets(file: Path) -> Iterator[tuple[str, _Synset]]:
    """Each meaning by its place in the file, as wndb(5WN) describes it."""
    for fields in _records(file):
        words = int(fields[3], 16)
        first = 4 + 2 * words
        pointers = [fields[first + 1 + 4 * number :][:2] for number in range(int(fields[first]))]
        broader = tuple(place for symbol, place in pointers if symbol == _HYPERNYM)
        yield fields[0], _Synset(tuple(fields[4:first:2]), broader)


def _records(file: Path) -> Iterator[list[str]]:
    """The fields of each line but those of the licence, which begin with a space."""
    for line in file.read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):
            yield line.partition(" | ")[0].split()


def _is_plain(word: str) -> bool:
    """Whether it is one word, and no name."""
    return len(word) >= _SHORTEST and word.isalpha() and word.islower()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
