"""Measures which words of a dictionary the splitter of names cuts, and writes down those that it must not cut.

`python -m bench.dictionary LIST...` prints, for each file of words, the share that is split, and how names made of two
words at random are read. `python -m bench.dictionary write LIST...` writes `closed_compounds.py` anew from the files;
`WORD_LISTS.txt` beside it says which they were, and nothing that is measured here may be among them.
"""

from __future__ import annotations

import random
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tribal.naming import closed_compounds, segment, singular
from tribal.naming.english_words import WORDS

_LONGEST = 14
_PAIRS = 5_000
_SEED = 13
_START, _END = '    """\n', '    """.split()\n'


def main(arguments: Sequence[str]) -> int:
    """Measure, or write; returns the exit code."""
    writes = arguments[:1] == ["write"]
    files = [Path(name) for name in arguments[writes:]]
    if not files:
        print("bench.dictionary: name files of words, one word a line", file=sys.stderr)
        return 2
    if writes:
        _write(word for file in files for word in _words(file))
        return 0
    print(f"{'words that are split':<28}{'words':>9}{'split':>7}{'share':>9}")
    for file in files:
        words = {word for word in _words(file) if len(word) <= _LONGEST}
        split = sorted(word for word in words if len(segment(word)) > 1)
        print(f"{file.name:<28}{len(words):>9,}{len(split):>7,}{len(split) / len(words):>9.3%}")
        for word in random.Random(_SEED).sample(split, min(len(split), 5)):
            print(f"    {' '.join(segment(word))}")
    print("two words as one:", ", ".join(f"{how} {count / _PAIRS:.1%}" for how, count in _pairs().most_common()))
    return 0


def _words(file: Path) -> list[str]:
    words = file.read_text(encoding="utf-8", errors="replace").split()
    return [word.lower() for word in words if word.isascii() and word.isalpha() and word[1:].islower()]


def _pairs() -> Counter[str]:
    choose = random.Random(_SEED)
    words = sorted(word for word in WORDS if len(word) > 3)
    found: Counter[str] = Counter()
    for _ in range(_PAIRS):
        pair = (choose.choice(words), choose.choice(words))
        read = segment("".join(pair))
        found["as they were" if read == pair else "left alone" if len(read) == 1 else "otherwise"] += 1
    return found


def _write(words: Iterable[str]) -> None:
    file = Path(closed_compounds.__file__)
    if closed_compounds.CLOSED_COMPOUNDS:
        # What is listed now must not keep the splitter from showing what it would do without the list.
        file.write_text(_emptied(file.read_text(encoding="utf-8")), encoding="utf-8")
        subprocess.run([sys.executable, "-m", "bench.dictionary", *sys.argv[1:]], check=True)
        return
    split = {word for word in words if len(segment(word)) > 1}
    kept = {one if len(segment(one := singular(word))) > 1 else word for word in split}
    lines = textwrap.fill(" ".join(sorted(kept)), 120, initial_indent="    ", subsequent_indent="    ")
    emptied = _emptied(file.read_text(encoding="utf-8"))
    file.write_text(emptied.replace(_START, f"{_START}{lines}\n", 1), encoding="utf-8")


def _emptied(module: str) -> str:
    before, start, rest = module.partition(_START)
    _, end, after = rest.partition(_END)
    return before + start + end + after


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
