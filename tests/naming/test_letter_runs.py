"""Words are distinguished from random letters, without a list of all words."""

from __future__ import annotations

from tests.cases import each_case
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.naming import reads_like_a_word


@each_case("word", ["cholesterol", "burglary", "bitcoin", "churned"])
def test_words_that_no_list_holds_are_words_of_people(word: str) -> None:
    assert reads_like_a_word(word)
    assert WordLlamaEmbedder().knows([word]) == [True]


@each_case("letters", ["vyhmumi", "mdggiia", "gloju", "nswz", "uncvcha", "quspr"])
def test_random_letters_are_not_a_word_although_some_are_in_words(letters: str) -> None:
    assert not reads_like_a_word(letters)
    assert WordLlamaEmbedder().knows([letters]) == [False]
