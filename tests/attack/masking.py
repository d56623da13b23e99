"""Secrets in texts and people's data in samples: how many are shown, and how much that is harmless is hidden."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from random import Random
from urllib.parse import unquote, urlsplit

from pg8000.native import Connection

from tests.attack import made_people
from tests.attack.made_secrets import PASSWORD_CLASSES, password, told
from tests.attack.outcome import Attack, Outcome
from tests.fakes.catalogs import column, table
from tribal.masking import mask_lookup, mask_samples, redact_text
from tribal_demo.server.postgres import EmbeddedServer

TEXTS = 1_000
COLUMNS = 100
_NEUTRAL = (
    "value",
    "info",
    "data",
    "entry",
    "x1",
    "attribute",
    "field_7",
    "extra",
    "ref_code",
    "category",
    "kind",
    "result",
)


def attack(attack: Attack) -> Iterator[Outcome]:
    """What needs no server: every class of made texts and samples."""
    for name, (templates, make) in PASSWORD_CLASSES.items():
        yield _told(attack, name, templates, make)
    for name, make in made_people.WITH_A_FORM.items():
        yield _sampled(attack, f"samples: {name}", make, goal=0.0)
    for name, make in made_people.NAMES.items():
        yield _sampled(attack, f"samples: {name}", make, goal=0.05)
    yield _looked_up(attack)
    yield _harmless_codes(attack)


def attack_harmless_texts(attack: Attack) -> Iterator[Outcome]:
    """What a server says of itself: its descriptions and views, which tell no secret."""
    with EmbeddedServer.start(attack.scratch / "postgres") as server:
        parts = urlsplit(server.dsn())
        login = {"password": unquote(parts.password or ""), "host": parts.hostname, "port": parts.port}
        with closing(Connection(unquote(parts.username or ""), database="postgres", **login)) as connection:
            rows = connection.run(
                "SELECT DISTINCT description FROM pg_description UNION SELECT definition FROM pg_views"
            )
            codes = connection.run("SELECT name, enumvals FROM pg_settings WHERE enumvals IS NOT NULL")
    texts = sorted(row[0] for row in rows)
    changed = [text for text in texts if redact_text(text) != text]
    yield Outcome("harmless texts of PostgreSQL hidden", len(texts), len(changed), 0.01, "; ".join(changed)[:200])
    yield _hidden_codes("values of PostgreSQL's settings hidden", [values for _, values in codes])


def _told(attack: Attack, name: str, templates: Sequence[str], make: Callable[[Random], str]) -> Outcome:
    random = attack.random(name)
    tried = attack.times(TEXTS, least=200)
    leaked = []
    for number in range(tried):
        secret = make(random)
        text = told(templates[number % len(templates)], random, secret)
        if secret in redact_text(text):
            leaked.append(text)
    return Outcome(f"texts: {name}", tried, len(leaked), 0.02, leaked[0][:80] if leaked else "")


def _sampled(attack: Attack, name: str, make: Callable[[Random], str], *, goal: float) -> Outcome:
    """Columns of neutral names in which two to eight values repeat."""
    random = attack.random(name)
    tried = attack.times(COLUMNS, least=40) * len(_NEUTRAL)
    leaked: list[str] = []
    failed = 0
    for number in range(tried):
        named = _NEUTRAL[number % len(_NEUTRAL)]
        values = [make(random) for _ in range(random.randint(2, 8))] * random.randint(2, 5)
        shown = mask_samples(named, "thing", values, type_name="text", is_key=False).values
        failed += bool(shown)
        leaked.extend(f"{named}: {value}" for value in shown)
    return Outcome(name, tried, failed, goal, leaked[0] if leaked else "")


def _looked_up(attack: Attack) -> Outcome:
    """Look-up tables of neutral names whose texts are people's, or passwords."""
    random = attack.random("look-up tables")
    leaked: list[str] = []
    makers = [*made_people.WITH_A_FORM.values(), *made_people.NAMES.values(), password]
    tried = attack.times(COLUMNS, least=40) * len(makers)
    for number in range(tried):
        texts = sorted({makers[number % len(makers)](random) for _ in range(random.randint(3, 12))})
        made = table("s.thing", column(_NEUTRAL[number % len(_NEUTRAL)], "text"))
        codes = [str(place) for place in range(len(texts))]
        if mask_lookup(made, made.columns[0], codes, made.columns[1].name, texts).codes:
            leaked += texts
    return Outcome("look-up tables: people and passwords", tried, len(leaked), 0.01, ", ".join(leaked[:3]))


def _harmless_codes(attack: Attack) -> Outcome:
    """Codes that are made by a rule: grades, levels, sizes, small numbers, percentages, flags, quarters."""
    random = attack.random("codes")
    columns: list[list[str]] = []
    for _ in range(attack.times(COLUMNS, least=40)):
        letter = random.choice(string.ascii_uppercase)
        count = random.randint(2, 6)
        columns += [
            list(string.ascii_uppercase[:count]),
            [f"{letter}{number}" for number in range(1, count + 1)],
            [str(number) for number in random.sample(range(100), count)],
            [f"{number}.{random.randrange(10)}" for number in random.sample(range(30), count)],
            random.choice([["Y", "N"], ["true", "false"], ["0", "1"], ["J", "N"], ["T", "F"]]),
            [f"{number}%" for number in random.sample(range(5, 100, 5), count)],
        ]
    return _hidden_codes("samples: harmless codes hidden", columns)


def _hidden_codes(name: str, columns: Sequence[Sequence[str]]) -> Outcome:
    values = [
        (list(each), mask_samples("setting", "thing", [*each] * 4, type_name="text", is_key=False)) for each in columns
    ]
    tried = sum(len(each) for each, _ in values)
    hidden = [value for each, masked in values for value in each if value not in masked.values]
    return Outcome(name, tried, len(hidden), 0.4, ", ".join(hidden[:10]))
