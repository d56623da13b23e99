"""What a question names, what it wants, and what explains its words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.questions.intents import intent_of
from tribal.questions.mentions import Name, Names
from tribal.questions.ordinary import is_ordinary
from tribal.questions.reading import Vocabulary, is_telling, read
from tribal.questions.words import question_words

NAMES = Names(
    [
        Name("table", "air.s.flights", ("flights", "s.flights")),
        Name("column", "air.s.seats.fare_conditions", ("fare_conditions", "seats.fare_conditions")),
        Name("column", "air.s.flights.status", ("status",)),
        Name("value", "air.s.seats.fare_conditions = Comfort", ("Comfort",)),
        Name("column", "air.s.routes.departure_airport", ("departure_airport",)),
        Name("column", "air.s.flights.time", ("time",)),
        Name("domain", "baggage", ("baggage",)),
    ]
)


def named(question: str) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in read(question, Vocabulary(NAMES)).mentions]


@each_case(
    ("question", "mentions"),
    [
        ("What does fare_conditions mean?", [("column", "fare_conditions")]),
        ("what are the Fare Conditions", [("column", "Fare Conditions")]),
        ("which fare condition is it", [("column", "fare condition")]),
        ("seats.fare_conditions?", [("column", "seats.fare_conditions")]),
        ("fareConditions", [("column", "fareConditions")]),
        ("the departure airport of a flight", [("column", "departure airport"), ("table", "flight")]),
        ("what does comfort stand for", [("value", "comfort")]),
        ("fare rules and other conditions", []),
        ("my_fare_conditions_old", []),
        ("", []),
    ],
)
def test_a_name_is_found_in_any_spelling_and_never_within_another_one(
    question: str, mentions: list[tuple[str, str]]
) -> None:
    assert named(question) == mentions


def test_a_mention_says_where_it_is_and_whether_it_is_exact() -> None:
    exact, other = read("fare_conditions of Flights", Vocabulary(NAMES)).mentions
    assert (exact.start, exact.exact) == (0, True)
    assert (other.start, other.exact, other.name) == (19, True, "air.s.flights")


@each_case(
    ("question", "intent"),
    [
        ("What does outbound mean?", "meaning"),
        ("what is redaction_id in nodes", "meaning"),
        ("In what unit is the length of a pipe?", "meaning"),
        ("Which states can a parcel have?", "values"),
        ("what can the colour of a label be", "values"),
        ("what columns does parcel have", "columns"),
        ("List all fields of the parcel table.", "columns"),
        ("how do I join parcels with depots", "join"),
        ("How do I get the city that a parcel leaves from?", "join"),
        ("where do we keep the weight of a parcel", "where"),
        ("Which column has the weight?", "where"),
        ("how many parcels were sent", "amount"),
        ("Who sent the most parcels?", "amount"),
        ("difference between parcel and shipment", "difference"),
        ("parcel vs shipment, whats the diffrence", "difference"),
        ("Can a parcel arrive without a courier?", "rule"),
        ("can two couriers have the same van at the same time?", "rule"),
        ("what is in here?", "inventory"),
        ("which tables are there", "inventory"),
        ("hello", "other"),
    ],
)
def test_the_words_around_say_what_a_question_wants(question: str, intent: str) -> None:
    assert intent_of(question).kind == intent


@each_case(
    ("question", "denied"),
    [
        ("which customers have not paid", ["paid"]),
        ("invoices that haven't been paid", ["paid"]),
        ("customers without an order in May", ["order", "may"]),
        ("not cancelled, but late", ["cancelled"]),
        ("which customers have paid", []),
        ("no refunds. late parcels", ["refunds"]),
    ],
)
def test_what_a_question_denies_is_marked(question: str, denied: list[str]) -> None:
    words = read(question, Vocabulary(Names([]))).words
    assert [each.word for each in words if each.negated] == denied


@each_case(
    ("question", "unexplained"),
    [
        ("What is the difference between the columns of seats and flights?", ["seats"]),
        ("what does outbound stand for", ["outbound"]),
        ("how many flights were there per month in 2024, on average?", []),
        ("the cheapest three flights of last week", []),
        ("how much baggage may a passenger take?", ["passenger"]),
        ("is it in euros or dollars?", ["euros", "dollars"]),
    ],
)
def test_only_words_that_carry_the_question_need_an_explanation(question: str, unexplained: list[str]) -> None:
    words = read(question, Vocabulary(NAMES)).words
    assert [each.word for each in words if each.explained_by is None] == unexplained


def test_what_explains_a_word_is_the_strongest_place_that_has_it() -> None:
    vocabulary = Vocabulary(NAMES, {"weight": "column", "courier": "text"}, {"van"}.__contains__)
    found = {each.word: each.explained_by for each in read("weight of a van by courier of flights", vocabulary).words}
    assert found == {"weight": "column", "van": "synonym", "courier": "text", "flights": "name"}


@each_case(
    ("question", "telling"),
    [("fare_conditions", True), ("the fare conditions", True), ("time", False), ("Comfort", True), ("baggage", True)],
)
def test_an_everyday_word_that_is_a_name_does_not_put_a_question_in_scope(question: str, telling: bool) -> None:
    assert any(map(is_telling, read(question, Vocabulary(NAMES)).mentions)) is telling


@each_case(
    ("word", "ordinary"),
    [
        ("between", True),
        ("number", True),
        ("currently", True),
        ("weather", False),
        ("invoice", False),
        ("spaghetti", False),
    ],
)
def test_how_ordinary_a_word_is_comes_from_how_often_people_write_it(word: str, ordinary: bool) -> None:
    assert is_ordinary(word) is ordinary


@given(st.text(max_size=200))
def test_any_text_is_read_the_same_way_twice(question: str) -> None:
    vocabulary = Vocabulary(NAMES)
    first = read(question, vocabulary)
    assert first == read(question, vocabulary)
    assert all(question[each.start :].startswith(each.text) for each in first.mentions)
    assert all(0 <= word.start < word.end <= len(question) for word in question_words(question))
