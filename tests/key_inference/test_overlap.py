"""What values in live data say of keys: contained ones raise a guess, absent ones end it."""

from __future__ import annotations

from tests.cases import each_case
from tests.key_inference.outlines import likely, outline
from tribal.key_inference import LIKELY, MOST_PAIRS, KeyPair, Overlap, candidate_pairs, infer_keys
from tribal_contracts import KeyEvidence

WRITES = outline("writes", "aid pid")
AUTHOR = outline("author", "aid name:t")
PAIR = KeyPair("db.s.writes", ("aid",), "db.s.author", ("aid",))
BACK = KeyPair("db.s.author", ("aid",), "db.s.writes", ("aid",))
SALE, CAR = outline("sale", "id car_id", key="id"), outline("car", "id", key="id")
NAMED = KeyPair("db.s.sale", ("car_id",), "db.s.car", ("id",))


def test_contained_values_raise_a_guess_in_the_direction_that_they_show() -> None:
    overlaps = {PAIR: Overlap(9, 9, unique=True), BACK: Overlap(12, 9, unique=False)}
    assert likely(WRITES, AUTHOR) == set()
    assert likely(WRITES, AUTHOR, overlaps=overlaps) == {"writes(aid) -> author(aid)"}
    (key,) = infer_keys([WRITES, AUTHOR], overlaps)
    assert key.evidence[-1] == KeyEvidence(kind="values", of="db.s.author.aid", compared=9, found=9)


@each_case(
    "overlap",
    [
        Overlap(9, 9, unique=False),
        Overlap(9, 9, unique=None),
        Overlap(9, 8, unique=True),
        Overlap(2, 2, unique=True),
        Overlap(0, 0, unique=True),
    ],
)
def test_values_that_are_few_missing_or_not_known_to_be_unique_raise_nothing(overlap: Overlap) -> None:
    assert likely(WRITES, AUTHOR, overlaps={PAIR: overlap}) == set()


def test_absent_values_end_even_a_key_of_which_the_name_is_certain() -> None:
    assert likely(SALE, CAR, overlaps={NAMED: Overlap(100, 97)}) == {"sale(car_id) -> car(id)"}
    assert likely(SALE, CAR, overlaps={NAMED: Overlap(100, 60)}) == set()
    assert [key for key in infer_keys([SALE, CAR], {NAMED: Overlap(100, 60)}) if key.confidence < LIKELY]
    assert infer_keys([SALE, CAR], {NAMED: Overlap(100, 10)}) == []


def test_one_value_that_occurs_twice_in_what_is_referenced_ends_a_likely_key_however_few_were_compared() -> None:
    assert likely(SALE, CAR, overlaps={NAMED: Overlap(2, 2, unique=True)}) == {"sale(car_id) -> car(id)"}
    assert likely(SALE, CAR, overlaps={NAMED: Overlap(2, 1, unique=False)}) == set()
    assert likely(SALE, CAR, overlaps={NAMED: Overlap(1, 1, unique=False)}) == set()


def test_of_two_directions_by_the_same_columns_only_the_surer_is_a_key() -> None:
    flight, leg = outline("flight", "flight_id!"), outline("flight_leg", "flight_id leg_number")
    pairs = candidate_pairs([flight, leg])
    assert {pair.from_table for pair in pairs} == {"db.s.flight", "db.s.flight_leg"}
    # In a few rows every flight has one leg, so that values fit both ways.
    compared = dict.fromkeys(pairs, Overlap(10, 10, unique=True))
    assert likely(flight, leg, overlaps=compared) == {"flight_leg(flight_id) -> flight(flight_id)"}


def test_what_a_declared_key_references_is_not_compared_with_it_the_other_way_round() -> None:
    flight = outline("flight", "flight_id!")
    leg = outline("flight_leg", "flight_id leg_number", references={"flight_id": "flight flight_id"})
    other = outline("flight_leg", "flight_id leg_number", references={"leg_number": "flight flight_id"})
    back = KeyPair("db.s.flight", ("flight_id",), "db.s.flight_leg", ("flight_id",))
    assert back in candidate_pairs([flight, other])
    assert back not in candidate_pairs([flight, leg])


def test_contained_values_without_any_likeness_of_names_are_no_key() -> None:
    tables = [outline("sale", "id amount", key="id"), CAR]
    pair = KeyPair("db.s.sale", ("amount",), "db.s.car", ("id",))
    assert infer_keys(tables, {pair: Overlap(100, 100, unique=True)}) == []


def test_the_table_that_keeps_more_than_keys_is_the_one_that_is_referenced() -> None:
    bridge = outline("author_prize", "aid prize_id")
    pairs = candidate_pairs([WRITES, AUTHOR, bridge])
    assert PAIR in pairs
    same = Overlap(9, 9, unique=True)
    found = likely(WRITES, AUTHOR, bridge, overlaps=dict.fromkeys(pairs, same))
    assert {"writes(aid) -> author(aid)", "author_prize(aid) -> author(aid)"} <= found
    other = KeyPair("db.s.writes", ("aid",), "db.s.author_prize", ("aid",))
    assert likely(WRITES, AUTHOR, bridge, overlaps={PAIR: same, other: same}) == {"writes(aid) -> author(aid)"}


def test_a_key_without_a_word_for_it_is_found_by_its_values() -> None:
    state, city = outline("state", "capital:t state_name:t"), outline("city", "city_name:t state_name:t")
    pair = KeyPair("db.s.city", ("state_name",), "db.s.state", ("state_name",))
    assert pair in candidate_pairs([state, city])
    assert likely(state, city) == set()
    assert likely(state, city, overlaps={pair: Overlap(9, 9, unique=True)}) == {"city(state_name) -> state(state_name)"}


def test_the_most_promising_pairs_are_compared_first_and_no_views() -> None:
    view = outline("sale_view", "car_id", kind="view")
    pairs = candidate_pairs([WRITES, AUTHOR, SALE, CAR, view])
    assert pairs[0] == NAMED
    assert {PAIR, BACK} <= set(pairs)
    assert not any("view" in pair.from_table + pair.to_table for pair in pairs)
    many = [outline(f"p{place}x", " ".join(f"p{other}x_id" for other in range(90))) for place in range(90)]
    assert len(candidate_pairs(many)) <= MOST_PAIRS


def test_a_column_that_declares_a_key_is_not_inferred_to_reference_another_table() -> None:
    server = outline("server", "id", key="id")
    cache = outline("needed_cache", "server_id x", references={"server_id": "server id"})
    client = outline("push_client", "id server_id", key="id", unique=["server_id"])
    overlaps = dict.fromkeys(candidate_pairs([server, cache, client]), Overlap(90, 90, unique=True))
    assert not any(
        "needed_cache(" in key.partition(" ->")[0] for key in likely(server, cache, client, overlaps=overlaps)
    )


def test_equal_numbers_of_rows_are_no_reference_even_without_a_sequence() -> None:
    for kind in ("n", "i"):
        tables = [outline(name, f"record_id:{kind} id:t", key="record_id") for name in ("account", "payment")]
        pairs = {
            KeyPair(f"db.s.{one}", ("record_id",), f"db.s.{other}", ("record_id",))
            for one, other in (("account", "payment"), ("payment", "account"))
        }
        assert infer_keys(tables, dict.fromkeys(pairs, Overlap(200, 200, unique=True))) == []


def test_what_the_database_fills_in_and_names_of_one_letter_reference_nothing() -> None:
    assert infer_keys([outline("car", "id", key="id"), outline("sale", "id car_id:n", key="id")]) == []
    assert infer_keys([outline("n", "n", key="n"), outline("sale", "id n", key="id")]) == []


def test_that_keys_are_numbered_alike_makes_an_extension_of_a_table_no_surer() -> None:
    tables = [outline("member", "member_id", key="member_id"), outline("member_profile", "member_id", key="member_id")]
    pair = KeyPair("db.s.member_profile", ("member_id",), "db.s.member", ("member_id",))
    (named,) = infer_keys(tables)
    assert infer_keys(tables, {pair: Overlap(90, 90, unique=True)}) == [named]
