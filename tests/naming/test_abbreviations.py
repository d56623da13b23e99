"""Short words of database names, spelt out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tribal.naming import expand, expand_tokens, humanize, is_acronym, split_identifier
from tribal.naming.abbreviation_evidence import EVIDENCE
from tribal.naming.abbreviation_table import ABBREVIATIONS, ACRONYMS, ENGLISH_WORDS


@pytest.mark.parametrize(
    ("token", "meaning"),
    [
        ("cust", "customer"), ("qty", "quantity"), ("amt", "amount"), ("dlv", "delivery"), ("dt", "date"),
        ("cd", "code"), ("nbr", "number"), ("no", "number"), ("num", "number"), ("desc", "description"),
        ("addr", "address"), ("acct", "account"), ("txn", "transaction"), ("inv", "invoice"), ("whse", "warehouse"),
        ("emp", "employee"), ("dept", "department"), ("mgr", "manager"), ("yr", "year"), ("mth", "month"),
        ("ts", "timestamp"), ("pct", "percent"), ("avg", "average"), ("min", "minimum"), ("max", "maximum"),
        ("ref", "reference"), ("seq", "sequence"), ("stat", "status"), ("typ", "type"), ("usr", "user"),
        ("org", "organization"), ("prod", "product"), ("cat", "category"), ("src", "source"), ("tgt", "target"),
        ("cfg", "configuration"), ("hist", "history"), ("tmp", "temporary"), ("bak", "backup"), ("stg", "staging"),
        ("evt", "event"), ("dob", "date of birth"), ("uom", "unit of measure"),
    ],
)  # fmt: skip
def test_a_usual_short_form_is_spelt_out(token: str, meaning: str) -> None:
    assert expand(token) == meaning


@pytest.mark.parametrize("token", ["order", "id", "url", "sku", "iban", "xyzzy", "grösse", "42"])
def test_a_word_an_acronym_or_an_unknown_token_stays_as_it_is(token: str) -> None:
    assert expand(token) == token


@pytest.mark.parametrize(
    ("token", "context", "meaning"),
    [
        ("inv", {"warehouse", "shelf"}, "inventory"),
        ("inv", {"payment", "due"}, "invoice"),
        ("inv", {"inventory"}, "inventory"),
        ("st", {"city", "zip", "house"}, "street"),
        ("min", {"hour", "second"}, "minute"),
        ("temp", {"sensor", "humidity"}, "temperature"),
        ("pos", {"stores", "cashier"}, "point of sale"),
        ("doc", {"patients", "hospital"}, "doctor"),
        ("emp", {"warehouse"}, "employee"),
    ],
)
def test_the_words_around_decide_what_an_ambiguous_token_means(token: str, context: set[str], meaning: str) -> None:
    assert expand(token, context) == meaning


@pytest.mark.parametrize(
    ("token", "context"), [("cat", {"cats"}), ("cat", ["cat"]), ("app", {"apps"}), ("sub", {"subs"})]
)
def test_a_token_used_elsewhere_as_an_english_word_is_left_alone(token: str, context: set[str]) -> None:
    assert expand(token, context) == token


def test_the_order_and_kind_of_the_context_do_not_matter() -> None:
    words = ["warehouse", "stock", "payment"]
    assert {expand("inv", words), expand("inv", set(words)), expand("inv", tuple(reversed(words)))} == {"inventory"}


def test_the_tokens_of_one_identifier_decide_for_each_other() -> None:
    assert expand_tokens(["inv", "qty"]) == ["inventory", "quantity"]
    assert expand_tokens(["inv", "due", "dt"]) == ["invoice", "due", "date"]


def test_a_meaning_of_several_words_gives_several_words() -> None:
    assert expand_tokens(["cust", "dob"]) == ["customer", "date", "of", "birth"]


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("order_no", "order number"),
        ("no_of_items", "number of items"),
        ("no_show", "no show"),
        ("is_no_show", "is no show"),
        ("no", "number"),
    ],
)
def test_no_means_a_number_only_at_the_end_or_before_of(identifier: str, words: str) -> None:
    assert humanize(identifier) == words


@pytest.mark.parametrize(
    ("token", "meaning"), [("qtys", "quantities"), ("accts", "accounts"), ("addrs", "addresses"), ("hrs", "hours")]
)
def test_the_plural_of_a_short_form_is_spelt_out_in_the_plural(token: str, meaning: str) -> None:
    assert expand(token) == meaning


def test_an_identifier_is_written_as_words() -> None:
    assert humanize("cust_addr_id") == "customer address id"
    assert humanize("CustAddrID", acronyms=True) == "customer address ID"
    assert humanize("imgURLs", acronyms=True) == "image URLs"
    assert humanize("cat_id", {"cats"}) == "cat id"
    assert humanize("") == ""


def test_an_acronym_is_known_in_the_plural_too() -> None:
    assert is_acronym("uuid")
    assert is_acronym("skus")
    assert not is_acronym("order")


@given(st.text(max_size=30), st.frozensets(st.text(max_size=8), max_size=4))
def test_any_name_can_be_written_as_words(identifier: str, context: frozenset[str]) -> None:
    assert len(humanize(identifier, context).split()) >= len(split_identifier(identifier))


@pytest.mark.parametrize("token", sorted(ABBREVIATIONS))
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
