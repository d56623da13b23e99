"""Short words of database names, spelt out."""

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.naming import expand, is_acronym, likely_words, split_identifier
from tribal.naming.abbreviation_evidence import EVIDENCE
from tribal.naming.abbreviation_table import ABBREVIATIONS, ACRONYMS, ENGLISH_WORDS, USUAL


@each_case(
    ("token", "meaning"),
    [
        ("cust", "customer"), ("qty", "quantity"), ("amt", "amount"), ("num", "number"), ("desc", "description"),
        ("addr", "address"), ("acct", "account"), ("txn", "transaction"), ("whse", "warehouse"), ("dept", "department"),
        ("mgr", "manager"), ("mth", "month"), ("pct", "percent"), ("avg", "average"), ("max", "maximum"),
        ("seq", "sequence"), ("typ", "type"), ("usr", "user"), ("src", "source"), ("tgt", "target"), ("hrs", "hours"),
        ("cfg", "configuration"), ("bak", "backup"), ("evt", "event"), ("dob", "date of birth"),
    ],
)  # fmt: skip
def test_a_short_form_with_one_usual_meaning_is_spelt_out(token: str, meaning: str) -> None:
    assert expand(token) == meaning


@each_case("token", ["order", "id", "url", "sku", "iban", "xyzzy", "grösse", "42", "lens", "stats"])
def test_a_word_an_acronym_or_an_unknown_token_stays_as_it_is(token: str) -> None:
    assert expand(token) == token


@each_case("token", ["rev", "inv", "emp", "ref", "min", "stat", "pos", "temp", "spec", "mod", "nbr", "hist"])
def test_a_short_form_with_several_usual_meanings_is_not_spelt_out(token: str) -> None:
    assert expand(token) == token


@each_case("token", sorted(token for token in ABBREVIATIONS if len(token) == 2))
def test_two_letters_are_never_spelt_out(token: str) -> None:
    assert expand(token) == token
    assert expand(token + "s") in (token + "s", USUAL.get(token + "s"))


@each_case(
    ("token", "context", "meaning"),
    [
        ("dt", set(), "date"),
        ("rev", set(), "revenue"),
        ("inv", {"warehouse", "shelf"}, "inventory"),
        ("inv", {"payment", "due"}, "invoice"),
        ("inv", {"inventory"}, "inventory"),
        ("st", {"city", "zip", "house"}, "street"),
        ("min", {"hour", "second"}, "minute"),
        ("temp", {"sensor", "humidity"}, "temperature"),
        ("pos", {"stores", "cashier"}, "point of sale"),
        ("doc", {"patients", "hospital"}, "doctor"),
        ("emp", {"warehouse"}, "employee"),
        ("yrs", set(), "years"),
    ],
)
def test_where_people_search_the_words_around_decide_what_a_token_most_likely_means(
    token: str, context: set[str], meaning: str
) -> None:
    assert " ".join(likely_words([token], context)) == meaning


@each_case(("token", "context"), [("cat", {"cats"}), ("cat", {"cat"}), ("app", {"apps"}), ("sub", {"subs"})])
def test_a_token_used_elsewhere_as_an_english_word_is_left_alone(token: str, context: set[str]) -> None:
    assert likely_words([token], context) == [token]


def test_the_tokens_of_one_identifier_decide_for_each_other() -> None:
    assert likely_words(["inv", "qty"]) == ["inventory", "quantity"]
    assert likely_words(["inv", "due", "dt"]) == ["invoice", "due", "date"]


def test_a_meaning_of_several_words_gives_several_words() -> None:
    assert likely_words(["cust", "dob"]) == ["customer", "date", "of", "birth"]


@each_case(
    ("identifier", "words"),
    [
        ("order_no", "order number"),
        ("no_of_items", "number of items"),
        ("no_show", "no show"),
        ("is_no_show", "is no show"),
        ("no", "number"),
    ],
)
def test_no_is_searched_as_a_number_only_at_the_end_or_before_of(identifier: str, words: str) -> None:
    assert " ".join(likely_words(split_identifier(identifier))) == words


@each_case(
    ("token", "meaning"), [("qtys", "quantities"), ("accts", "accounts"), ("addrs", "addresses"), ("hrs", "hours")]
)
def test_the_plural_of_a_short_form_is_spelt_out_in_the_plural(token: str, meaning: str) -> None:
    assert expand(token) == meaning


def test_an_acronym_is_known_in_the_plural_too() -> None:
    assert is_acronym("uuid")
    assert is_acronym("skus")
    assert not is_acronym("order")


@given(st.text(max_size=30), st.frozensets(st.text(max_size=8), max_size=4))
def test_any_name_can_be_read_as_words(identifier: str, context: frozenset[str]) -> None:
    tokens = split_identifier(identifier)
    assert len(likely_words(tokens, context)) >= len(tokens)


@each_case("token", sorted(ABBREVIATIONS))
def test_every_entry_is_a_token_whose_meanings_differ_from_it_and_need_no_spelling_out(token: str) -> None:
    assert split_identifier(token) == [token]
    assert token not in ACRONYMS
    for meaning in ABBREVIATIONS[token]:
        words = meaning.split()
        assert meaning == token or not set(words) & set(ABBREVIATIONS) or token in ENGLISH_WORDS, meaning
    assert len(set(ABBREVIATIONS[token])) == len(ABBREVIATIONS[token])


def test_evidence_is_given_only_for_meanings_that_compete() -> None:
    competing = {meaning for meanings in ABBREVIATIONS.values() if len(meanings) > 1 for meaning in meanings}
    assert set(EVIDENCE) <= competing
    assert set(ABBREVIATIONS) >= ENGLISH_WORDS


def test_what_is_always_spelt_out_has_three_letters_and_is_no_word() -> None:
    assert min(map(len, USUAL)) > 2
    assert not set(USUAL) & ENGLISH_WORDS
