"""The stemmer: Porter's published examples, and what is asked of it beyond them."""

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.naming import porter, stem

_PUBLISHED = """
caresses caress, ponies poni, ties ti, caress caress, cats cat, feed feed, agreed agre, plastered plaster, bled bled,
motoring motor, sing sing, conflated conflat, troubled troubl, sized size, hopping hop, tanned tan, falling fall,
hissing hiss, fizzed fizz, failing fail, filing file, happy happi, sky sky, relational relat, conditional condit,
rational ration, valenci valenc, hesitanci hesit, digitizer digit, conformabli conform, radicalli radic,
differentli differ, vileli vile, analogousli analog, vietnamization vietnam, predication predic, operator oper,
feudalism feudal, decisiveness decis, hopefulness hope, callousness callous, formaliti formal, sensitiviti sensit,
sensibiliti sensibl, triplicate triplic, formative form, formalize formal, electriciti electr, electrical electr,
hopeful hope, goodness good, revival reviv, allowance allow, inference infer, airliner airlin, gyroscopic gyroscop,
adjustable adjust, defensible defens, irritant irrit, replacement replac, adjustment adjust, dependent depend,
adoption adopt, homologou homolog, communism commun, activate activ, angulariti angular, homologous homolog,
effective effect, bowdlerize bowdler, probate probat, rate rate, cease ceas, controll control, roll roll,
generalizations gener, oscillators oscil
"""


@each_case("pair", [pair.strip() for pair in _PUBLISHED.split(",")])
def test_the_published_examples_of_every_step_come_out_as_published(pair: str) -> None:
    word, expected = pair.split()
    assert porter(word) == expected


@each_case("word", ["a", "is", "by", "id"])
def test_words_of_one_or_two_letters_are_left_alone(word: str) -> None:
    assert porter(word) == word
    assert stem(word) == word


@each_case(
    "forms",
    [
        ("order", "orders", "ordered", "ordering"),
        ("customer", "customers"),
        ("category", "categories"),
        ("status", "statuses"),
        ("address", "addresses", "addressed"),
        ("person", "people", "persons"),
        ("child", "children"),
        ("analysis", "analyses"),
        ("index", "indices", "indexes", "indexing"),
        ("process", "processes", "processed", "processing"),
        ("employ", "employed", "employing"),
        ("payment", "payments"),
        ("delivery", "deliveries"),
        ("box", "boxes"),
    ],
)
def test_the_forms_of_a_word_share_one_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@each_case("pair", [("news", "new"), ("gps", "gp"), ("state", "status"), ("policy", "police"), ("user", "use")])
def test_words_that_differ_in_meaning_keep_different_stems(pair: tuple[str, str]) -> None:
    assert stem(pair[0]) != stem(pair[1])


@each_case("word", ["grösse", "заказы", "2024", "客户", ""])
def test_what_is_no_english_word_is_returned_unchanged(word: str) -> None:
    assert stem(word) == word


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=20))
def test_a_stem_is_never_empty_and_hardly_longer_than_its_word(word: str) -> None:
    assert 1 <= len(porter(word)) <= len(word)
    assert stem(word)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=20))
def test_stemming_keeps_the_beginning_of_a_word(word: str) -> None:
    assert porter(word)[:2] == word[:2] or porter(word) in (word[:1], word[:1] + "i")
