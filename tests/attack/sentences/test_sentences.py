"""The generator of sentences: a wrong sentence would make every measurement wrong."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.attack.sentences import KINDS, Sentence, generate, template_counts
from tests.attack.sentences.national_numbers import NUMBERS
from tests.attack.sentences.templates import SLOT, sections, words
from tests.cases import each_case

SEED = 20261122
PER_CLASS = 100

PUBLISHED = {
    "aadhaar": ("23412341234", "6"),
    "canadian sin": ("04645428", "6"),
    "australian tfn": ("12345678", "2"),
    "spanish dni": ("12345678", "Z"),
    "spanish nie": ("X1234567", "L"),
    "french nir": ("2550814168025", "38"),
    "german steuer-id": ("8609574271", "9"),
    "italian codice fiscale": ("RSSMRA85T10A562", "S"),
    "brazilian cpf": ("529982247", "25"),
    "polish pesel": ("4405140135", "9"),
    "dutch bsn": ("11122233", "3"),
    "swedish personnummer": ("811218987", "6"),
    "chinese id": ("11010519491231002", "X"),
    "payment card": ("411111111111111", "1"),
    "amex card": ("37828224631000", "5"),
    "iban": ("GBWEST12345698765432", "82"),
}
"""Example numbers that the issuers or standards publish: all but the check characters, and these."""


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    return generate(SEED, PER_CLASS)


def test_a_seed_always_gives_the_same_sentences_and_another_seed_gives_others() -> None:
    assert generate(1, 4) == generate(1, 4)
    assert generate(1, 4) != generate(2, 4)


def test_every_kind_has_sentences_in_both_splits(sentences: list[Sentence]) -> None:
    counts = Counter((sentence.kind, sentence.held_out) for sentence in sentences)

    assert counts == {(kind, held_out): PER_CLASS // 2 for kind in KINDS for held_out in (False, True)}


def test_every_kind_has_at_least_five_templates_in_each_split() -> None:
    assert {kind: counts for kind, counts in template_counts().items() if min(counts) < 5} == {}


def test_every_list_of_words_has_at_least_three_in_each_split() -> None:
    assert [name for name in sections("words") for split in (False, True) if len(words(name, held_out=split)) < 3] == []


def test_a_secret_occurs_once_in_its_text_and_harmless_texts_have_none(sentences: list[Sentence]) -> None:
    wrong = [
        sentence
        for sentence in sentences
        if (sentence.secret is None) != sentence.kind.startswith("harmless/")
        or (sentence.secret is not None and (not sentence.secret or sentence.text.count(sentence.secret) != 1))
    ]

    assert wrong == []


def test_hardly_any_sentence_occurs_twice(sentences: list[Sentence]) -> None:
    distinct = Counter(kind for kind, _ in {(sentence.kind, sentence.text) for sentence in sentences})

    assert {kind: count for kind, count in distinct.items() if count < 0.9 * PER_CLASS} == {}


def test_no_slot_is_left_unfilled(sentences: list[Sentence]) -> None:
    assert [sentence.text for sentence in sentences if SLOT.search(sentence.text)] == []


@each_case("name", PUBLISHED)
def test_the_check_of_a_number_agrees_with_a_published_example(name: str) -> None:
    stem, check = PUBLISHED[name]

    assert NUMBERS[name].check(stem) == check


def test_numbers_in_sentences_have_valid_check_characters(sentences: list[Sentence]) -> None:
    wrong = []
    for sentence in sentences:
        if sentence.kind.startswith("number/") and sentence.secret:
            name = sentence.kind.removeprefix("number/").removesuffix(" without label")
            whole = "".join(c for c in sentence.secret if c.isalnum())
            if not NUMBERS[name].is_valid(whole[-10:] if name == "swedish personnummer" else whole):
                wrong.append(sentence)

    assert wrong == []


def test_a_wrong_check_character_is_noticed() -> None:
    assert NUMBERS["aadhaar"].is_valid("234123412346")
    assert not NUMBERS["aadhaar"].is_valid("234123412345")
    assert not NUMBERS["iban"].is_valid("GB83WEST12345698765432")
