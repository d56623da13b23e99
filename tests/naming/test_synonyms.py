"""The thesaurus that widens a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribal.naming import stem, synonym_terms, synonyms
from tribal.naming.synonym_table import GROUPS


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("client", "customer"), ("purchase", "order"), ("staff", "employee"), ("item", "product"),
        ("revenue", "sales"), ("bill", "invoice"), ("vendor", "supplier"), ("shop", "store"), ("wage", "salary"),
        ("zip", "postcode"), ("film", "movie"), ("doctor", "physician"),
    ],
)  # fmt: skip
def test_what_people_say_leads_to_what_tables_are_called_and_back(asked: str, meant: str) -> None:
    assert meant in synonyms(asked)
    assert asked in synonyms(meant)


@given(st.sampled_from(sorted({word for group in GROUPS for word in group})))
def test_a_word_its_plural_and_its_stem_have_the_same_synonyms(word: str) -> None:
    assert synonyms(stem(word)) == synonyms(word)
    assert synonyms(word.upper()) == synonyms(word)


@given(st.sampled_from(GROUPS), st.data())
def test_words_of_a_group_are_synonyms_of_each_other_and_none_of_itself(
    group: tuple[str, ...], data: st.DataObject
) -> None:
    one, other = (data.draw(st.sampled_from(group)) for _ in range(2))
    if stem(one) != stem(other):
        assert other in synonyms(one)
    assert one not in synonyms(one)


def test_synonym_terms_are_the_stems_of_the_synonyms_without_repetition() -> None:
    terms = synonym_terms("clients")
    assert "custom" in terms
    assert len(set(terms)) == len(terms)
    assert "client" not in terms


@given(st.text(max_size=20))
def test_a_word_that_the_thesaurus_lacks_has_no_synonyms(word: str) -> None:
    assert synonyms(f"zq{word}zq") == ()


def test_the_thesaurus_holds_lower_case_words_in_groups_of_two_and_more() -> None:
    assert len(GROUPS) >= 120
    for group in GROUPS:
        assert len(set(group)) == len(group) >= 2
        assert all(word == word.lower().strip() and word for word in group)
