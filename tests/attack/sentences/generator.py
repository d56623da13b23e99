"""Fills the templates: one seed always gives the same sentences."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from tests.attack.sentences import values
from tests.attack.sentences.national_numbers import NUMBERS
from tests.attack.sentences.templates import SLOT, of_split, sections, words

_FORMS_AND_SENTENCES = ("forms", "english", "languages")
_SECRET_SLOTS = {"X": "password", "T": "token", "P": "pass phrase", "U": "url password", "N": "pin"}
"""Other slots of secrets have the name of their shape."""

_SHAPES = {
    "told": ("random", "word and digits", "leet", "hyphenated", "weak", "base64", "base64 url", "hex", "uuid"),
    "token": ("jwt", *values.VENDORS),
    "hash": ("bcrypt", "digest"),
}
_TRIES = 20
"""How often a sentence that was already generated is replaced by another before it is accepted."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One text, and the part of it that must not be shown; None if all of it may be."""

    kind: str
    text: str
    secret: str | None
    held_out: bool


@dataclass(frozen=True, slots=True)
class _Kind:
    """The templates of one kind, and what its slot `S` holds."""

    templates: tuple[str, ...]
    subject: str = ""


def _kinds() -> dict[str, _Kind]:
    found = {name: _Kind(lines) for file in _FORMS_AND_SENTENCES for name, lines in sections(file).items()}
    shapes = sections("shapes")
    for section, names in _SHAPES.items():
        found |= {f"shape/{name}": _Kind(shapes[section], name) for name in names}
    found["shape/pem"] = _Kind(shapes["block"], "pem")
    found["unlabelled/base64"] = _Kind(shapes["unlabelled"], "any base64")
    for name in NUMBERS:
        found[f"number/{name}"] = _Kind(sections("numbers")["told"], name)
        found[f"number/{name} without label"] = _Kind(sections("numbers")["bare"], name)
    return found | {name: _Kind(lines) for name, lines in sections("harmless").items()}


_KINDS = _kinds()
KINDS = tuple(_KINDS)
"""The names of all kinds: `form/…`, `sentence/…`, `shape/…`, `unlabelled/…`, `number/…` and `harmless/…`."""


def template_counts() -> dict[str, tuple[int, int]]:
    """The number of development and held-out templates of each kind."""
    return {
        name: (len(of_split(kind.templates, held_out=False)), len(of_split(kind.templates, held_out=True)))
        for name, kind in _KINDS.items()
    }


def generate(seed: int, per_class: int) -> list[Sentence]:
    """`per_class` sentences of every kind, development and held-out ones in turn.

    The sentences of a kind depend on the seed and its name alone: other kinds may be added without changing them.
    """
    return [sentence for name in KINDS for sentence in _of_kind(name, seed, per_class)]


def _of_kind(name: str, seed: int, count: int) -> Iterator[Sentence]:
    random = Random(f"{seed} {name}")
    kind = _KINDS[name]
    order = {split: _cycle(random, of_split(kind.templates, held_out=split)) for split in (False, True)}
    seen: set[str] = set()
    for index in range(count):
        held_out = index % 2 == 1
        for _ in range(_TRIES):
            filling = _Filling(random, kind.subject, held_out)
            text = SLOT.sub(filling.fill, next(order[held_out]))
            if text not in seen:
                break
        seen.add(text)
        yield Sentence(name, text, filling.secret, held_out)


def _cycle(random: Random, templates: tuple[str, ...]) -> Iterator[str]:
    """Every template once in a random order, then again in another."""
    while True:
        yield from random.sample(templates, len(templates))


class _Filling:
    """The values of one sentence; a word, such as a user's name, is the same wherever its slot recurs."""

    def __init__(self, random: Random, subject: str, held_out: bool) -> None:
        self.secret: str | None = None
        self._random = random
        self._subject = subject
        self._held_out = held_out
        self._words: dict[str, str] = {}

    def fill(self, match: re.Match[str]) -> str:
        """What takes the place of a slot that `SLOT` has matched."""
        slot = match[1]
        if slot in sections("words"):
            return self._words.setdefault(slot, self._random.choice(words(slot, held_out=self._held_out)))
        if slot in _HARMLESS:
            return _HARMLESS[slot](self._random)
        shapes = _shapes(self._held_out)
        if slot == "Y":
            return shapes["password"](self._random)
        if self._subject in NUMBERS:
            return self._of_number(slot)
        shape = self._subject if slot == "S" else _SECRET_SLOTS.get(slot, slot)
        self.secret = shapes[shape](self._random)
        if shape == "pem":
            return values.pem_block(self.secret, self._random)
        return self.secret

    def _of_number(self, slot: str) -> str:
        number = NUMBERS[self._subject]
        if slot == "label":
            return self._random.choice(number.labels)
        if slot == "who":
            return self._words.setdefault("who", self._random.choice(number.people))
        self.secret = number.write(number.generate(self._random), self._random)
        return self.secret


@cache
def _shapes(held_out: bool) -> dict[str, values.Shape]:
    return values.shapes(held_out=held_out)


def _digits(count: int) -> values.Shape:
    return lambda random: random.choice("123456789") + "".join(random.choices(string.digits, k=count - 1))


def _hex(length: int) -> values.Shape:
    return lambda random: "".join(random.choices("0123456789abcdef", k=length))


def _article_number(prefix: Callable[[Random], str]) -> values.Shape:
    """An EAN-13 or ISBN-13 with its check digit."""

    def generate(random: Random) -> str:
        stem = prefix(random)
        stem += "".join(random.choices(string.digits, k=12 - len(stem)))
        total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(stem))
        return stem + str(-total % 10)

    return generate


def _isbn(random: Random) -> str:
    whole = _article_number(lambda _: "978")(random)
    return f"{whole[:3]}-{whole[3]}-{whole[4:8]}-{whole[8:12]}-{whole[12]}"


def _date(random: Random) -> str:
    return f"{random.randint(2015, 2026)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"


_HARMLESS: dict[str, values.Shape] = {f"d{count}": _digits(count) for count in range(1, 11)} | {
    "hex7": _hex(7),
    "hex32": _hex(32),
    "sha1": _hex(40),
    "sha256": _hex(64),
    "date": _date,
    "isbn": _isbn,
    "ean": _article_number(lambda random: random.choice(("400", "401", "76", "50", "30"))),
    "small": lambda random: str(random.choice((6, 8, 10, 12, 14, 15, 16, 20, 24, 30, 45, 60, 90))),
    "few": lambda random: str(random.choice((6, 7, 8, 10, 12, 14, 16))),
    "lat": lambda random: f"{random.uniform(36, 60):.5f}",
    "lon": lambda random: f"{random.uniform(-9, 25):.5f}",
    "version": lambda random: f"{random.randint(0, 12)}.{random.randint(0, 30)}.{random.randint(0, 9)}",
    "thousands": lambda random: f"{random.randint(2, 999)},{random.randint(0, 999):03}",
    "sku": lambda random: f"{''.join(random.choices(string.ascii_uppercase, k=3))}-{random.randint(100, 99999)}",
    "invoice": lambda random: f"INV-{random.randint(2018, 2026)}-{random.randint(1, 99999):05}",
    "enum": lambda random: random.choice("ABCEHKMPRSTX") + random.choice("0123456789ACX") + random.choice("123456789"),
}
_HARMLESS["uuid of a row"] = values.uuid_secret
