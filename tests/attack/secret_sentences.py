"""Sentences with secrets in comments and memories: how many secrets stay readable, and how much that is harmless goes.

The rates are those of held-out sentences. `python -m tests.attack.secret_sentences` measures the development ones and
prints what fails, which the attack does not.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from tests.attack.outcome import Attack, Outcome
from tests.attack.sentences import Sentence, generate
from tribal.capabilities.memory.content import masked_content
from tribal.capabilities.memory.errors import MemoryContentRefused
from tribal.planning.catalog.contents import redact_contents
from tribal.ports import CatalogContents
from tribal_contracts import CatalogSchema

PER_KIND = 400
"""Sentences of a kind, half of which are held out."""
_PIECE_CHARS = 8
"""A shorter piece of a secret reveals little; that many characters in a row count as shown."""

GOALS: dict[str, float] = {
    "form/key value": 0.005,
    "sentence/word before": 0.03,
    "sentence/word after": 0.04,
    "sentence/login": 0.11,
    "sentence/change": 0.09,
    "sentence/chat": 0.08,
    "sentence/line break": 0.10,
    "sentence/pass phrase": 0.26,
    "sentence/german": 0.09,
    "sentence/spanish": 0.06,
    "sentence/portuguese": 0.03,
    "sentence/italian": 0.03,
    "sentence/polish": 0.03,
    "shape/random": 0.08,
    "shape/word and digits": 0.08,
    "shape/leet": 0.09,
    "shape/hyphenated": 0.14,
    "shape/weak": 0.29,
    "shape/uuid": 0.08,
    "harmless/about secrets": 0.08,
    "harmless/ids and numbers": 0.11,
    "harmless/code and paths": 0.13,
    "harmless/languages": 0.04,
}
"""The highest rate of six seeds, rounded up, and one point for other seeds: it must not get worse.

The aims are 0 for forms, 3 % for other secrets and national numbers, and 1 % for harmless texts. More than half of the
altered harmless paths hold an address of a machine or of mail, which is hidden on purpose.
"""
_CHANCE = 0.01
"""The goal of every kind that is not listed and is no form: one sentence may be missed by chance."""


def attack_comments(attack: Attack) -> Iterator[Outcome]:
    """Comments, as planning redacts them before it stores any."""
    yield from _outcomes(attack, published_comment)


def attack_memories(attack: Attack) -> Iterator[Outcome]:
    """Memories of a layer that others read, as they are checked before they are stored."""
    yield from _outcomes(attack, kept_memory)


def published_comment(text: str) -> str:
    """What remains of a comment after redaction."""
    schema = CatalogSchema(name="public", comment=text)
    return redact_contents(CatalogContents("shop", "16", (schema,), (), (), {}), "postgres").schemas[0].comment or ""


def kept_memory(text: str) -> str:
    """What is kept of a memory: nothing if it is refused."""
    try:
        return masked_content(text, "project")[0]
    except MemoryContentRefused:
        return ""


def fails(sentence: Sentence, shown: str) -> bool:
    """Whether any long piece of the secret is shown, or a harmless text is not shown as it is."""
    if sentence.secret is None:
        return shown != sentence.text
    length = min(_PIECE_CHARS, len(sentence.secret))
    around = sentence.text.replace(sentence.secret, "\0")
    pieces = (sentence.secret[at : at + length] for at in range(len(sentence.secret) - length + 1))
    return any(piece in shown and piece not in around for piece in pieces)


def _outcomes(attack: Attack, show: Callable[[str], str]) -> Iterator[Outcome]:
    count = attack.times(PER_KIND, least=200)
    for kind, sentences in _by_kind(attack.seed, count, held_out=True).items():
        failed = sum(fails(sentence, show(sentence.text)) for sentence in sentences)
        yield Outcome(kind, len(sentences), failed, GOALS.get(kind, 0.0 if kind.startswith("form/") else _CHANCE))


def _by_kind(seed: int, count: int, *, held_out: bool) -> dict[str, list[Sentence]]:
    kinds: dict[str, list[Sentence]] = defaultdict(list)
    for sentence in generate(seed, count):
        if sentence.held_out == held_out:
            kinds[sentence.kind].append(sentence)
    return kinds


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the rates of development sentences, and with `--examples` some that fail."""
    parser = argparse.ArgumentParser(prog="python -m tests.attack.secret_sentences", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-kind", type=int, default=PER_KIND)
    parser.add_argument("--kind", default="", help="only kinds that begin so")
    parser.add_argument("--examples", type=int, default=0, help="failures of each kind to print")
    options = parser.parse_args(arguments)
    for kind, sentences in _by_kind(options.seed, options.per_kind, held_out=False).items():
        if not kind.startswith(options.kind):
            continue
        failures = [
            [each for each in sentences if fails(each, show(each.text))] for show in (published_comment, kept_memory)
        ]
        counts = "  ".join(f"{len(each):4} ({len(each) / len(sentences):4.0%})" for each in failures)
        print(f"{kind:45} {len(sentences):4} sentences, in comments and memories: {counts}")
        for name, failed in zip(("comment", "memory"), failures, strict=True):
            for each in failed[: options.examples]:
                print(f"    {name}: {each.text!r}  secret {each.secret!r}")


if __name__ == "__main__":
    main()
