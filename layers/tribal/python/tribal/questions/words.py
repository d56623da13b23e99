"""The words of a question with their places, and which are about time, quantities or what is not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tribal.naming import STOP_WORDS, segment_all, split_identifier, stem

_RUN = re.compile(r"[^\W_]+(?:['\u2019](?=[^\W_])[^\W_]+)?(?:[._$]+[^\W_]+)*")
_SHORT = re.compile(r"(n['\u2019]t|['\u2019](?:s|ll|re|ve|d|m))$", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:.?!()]")
_NEGATIONS = frozenset(("not", "no", "never", "without", "neither", "nor", "cannot", "none"))
_SHORTENED_NEGATIONS = frozenset(
    "dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt cant couldnt wont wouldnt".split()
)
_ENDS_NEGATION = frozenset(("but", "and", "or", "because", "although", "if"))
_REACH = 4
"""How many words a negation may reach. By judgement."""
_TIME = frozenset(
    map(
        stem,
        """
        last next this past previous current currently recent recently day daily week weekly month monthly quarter
        quarterly year yearly today yesterday tomorrow tonight date time hour minute now ago since until
        january february march april june july august september october november december
        monday tuesday wednesday thursday friday saturday sunday
        """.split(),
    )
)
_QUANTITY = frozenset(
    map(
        stem,
        """
        amount average avg mean median minimum min maximum max sum total count number percent percentage share ratio
        proportion rank top bottom most least fewest fewer less more many much each every per all any distinct unique
        zero one two three four five six seven eight nine ten hundred thousand million twice once half
        """.split(),
    )
)
_SUPERLATIVE = re.compile(r"^[a-z]{2,}(?:est|iest)$")


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """One word of a question; an identifier is several."""

    text: str
    """In lower case."""
    stem: str
    start: int
    end: int
    """The place of the run of letters that it is in, in characters."""
    negated: bool = False

    @property
    def about_time(self) -> bool:
        """Whether it is about time."""
        return self.stem in _TIME or (self.text.isdecimal() and len(self.text) == 4 and self.text[:2] in ("19", "20"))

    @property
    def about_quantity(self) -> bool:
        """Whether it is a number, or says what to compute."""
        return self.text.isdecimal() or self.stem in _QUANTITY or _SUPERLATIVE.match(self.text) is not None


def question_words(question: str) -> list[QuestionWord]:
    """Return all words of a question, in order."""
    words: list[QuestionWord] = []
    reach = end = 0
    for run in _RUN.finditer(question):
        if _CLAUSE.search(question, end, run.start()):
            reach = 0
        end = run.end()
        short = _SHORT.search(run[0])
        tokens = segment_all(split_identifier(_SHORT.sub("", run[0])))
        for token in tokens:
            if token in _ENDS_NEGATION:
                reach = 0
            words.append(QuestionWord(token, stem(token), run.start(), run.end(), reach > 0))
            reach = max(0, reach - 1)
        whole = run[0].casefold()
        if (short and short[0].lower().startswith("n")) or whole in _NEGATIONS or whole in _SHORTENED_NEGATIONS:
            reach = _REACH
    return words


def stems(words: Sequence[QuestionWord]) -> tuple[str, ...]:
    """Return the stems of words, in order."""
    return tuple(word.stem for word in words)


_MEASURES = {
    "fast": ("speed", "velocity"),
    "slow": ("speed", "velocity"),
    "heavy": ("weight", "mass"),
    "long": ("length", "duration"),
    "tall": ("height",),
    "high": ("height", "level", "amount"),
    "deep": ("depth",),
    "wide": ("width",),
    "far": ("distance", "range"),
    "old": ("age", "birth"),
    "big": ("size",),
    "large": ("size",),
    "expensive": ("price", "cost"),
    "cheap": ("price", "cost"),
    "hot": ("temperature",),
    "often": ("frequency", "count", "attempts", "times"),
}
"""What people ask for by "how" and an adjective, as columns are called."""
_MANNER = re.compile(r"\bhow \w+ (?:an?|the|each|every) \w+ (?P<verb>\w+)\s*\??$", re.IGNORECASE)
"""How a question ends with a verb: "how fast a plane flies"."""
_SUPERLATIVES = {
    "fastest": "fast",
    "slowest": "slow",
    "heaviest": "heavy",
    "longest": "long",
    "shortest": "long",
    "tallest": "tall",
    "highest": "high",
    "lowest": "high",
    "deepest": "deep",
    "widest": "wide",
    "oldest": "old",
    "youngest": "old",
    "biggest": "big",
    "largest": "large",
    "smallest": "large",
    "cheapest": "cheap",
}
_ACRONYM = 0.75
"""How certain an acronym is: `vm` for "virtual machine". By judgement."""
_AUXILIARIES = frozenset("do does did can could may might must should will would".split())
_SUBJECT = 3
"""The most words from an auxiliary to the noun of its subject: "can a new airplane fly". By judgement."""
_BEFORE_VERBS = frozenset(
    """
    i we you they he she it who to do does did can could may might must shall should will would not never also already
    still just have has had been being be get gets got
    """.split()
)


def measured_by(question: str) -> dict[str, tuple[str, ...]]:
    """Return the adjectives after "how", and superlatives, each with the measures that it asks for."""
    words = question_words(question)
    asked = {
        after.text: _MEASURES[after.text]
        for before, after in pairwise(words)
        if before.text == "how" and after.text in _MEASURES
    }
    return asked | {word.text: _MEASURES[_SUPERLATIVES[word.text]] for word in words if word.text in _SUPERLATIVES}


_MOST_INITIALS = 4


def acronyms_of(question: str) -> dict[str, dict[str, float]]:
    """Return the words of a question that follow each other, each with the acronyms that they may be written as."""
    found: dict[str, dict[str, float]] = {}
    words = question_words(question)
    for first in range(len(words)):
        for last in range(first + 2, min(first + _MOST_INITIALS, len(words)) + 1):
            run = words[first:last]
            if any(word.text in STOP_WORDS for word in run):
                break
            initials = "".join(word.text[0] for word in run)
            for word in run:
                found.setdefault(word.text, {})[initials] = _ACRONYM
    return found


def is_participle(word: str) -> bool:
    """Whether a word may be a form of a verb, by its ending."""
    return len(word) > len("xing") and word.endswith(("ed", "ing"))


def counted_word(question: str) -> str:
    """Return the word that follows "how many" or "number of"; empty without one."""
    words = question_words(question)
    for place, (before, after) in enumerate(pairwise(words)):
        is_count = (before.text, after.text) == ("how", "many") or (before.stem, after.text) == ("number", "of")
        if is_count and place + 2 < len(words):
            return words[place + 2].text
    return ""


def verbs(question: str, is_thing: Callable[[str], bool]) -> frozenset[str]:
    """Return the words that a question uses as verbs: after a pronoun, an auxiliary or a thing, and no things."""
    found = set[str]()
    words = question_words(question)
    for before, word in pairwise(words):
        if (not is_thing(word.text) and (before.text in _BEFORE_VERBS or is_thing(before.text))) or word.text.endswith(
            ("ed", "ing")
        ):
            found.add(word.text)
    for place, word in enumerate(words):
        if word.text in _AUXILIARIES:
            subject = next((at for at in range(place + 1, len(words)) if is_thing(words[at].text)), len(words))
            found |= {each.text for each in words[subject + 1 : subject + 2] if subject - place <= _SUBJECT}
    if manner := _MANNER.search(question):
        found.add(manner["verb"].lower())
    return frozenset(found)
