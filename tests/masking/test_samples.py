"""Which sample values may be shown."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.masking.made_columns import CODES, PERSONAL
from tribal.masking import SensitiveKind, detect, mask_samples


def shown(
    column: str, values: Sequence[str | None], *, type_name: str = "text", table: str = "thing"
) -> tuple[str, ...]:
    return mask_samples(column, table, values, type_name=type_name, is_key=False).values


@each_case(
    ("column", "type_name", "values"),
    [
        ("status", "text", ["open", "closed"]),
        ("channel", "character varying(6)", ["web", "phone"]),
        ("currency_cd", "character(3)", ["EUR", "CHF"]),
        ("is_active", "boolean", ["true", "false"]),
        ("level", "smallint", ["1", "2", "3"]),
        ("rate", "numeric(4,1)", ["7.0", "19.0"]),
        ("anything", "text", ["EUR", "CHF"]),
        ("anything", "text", ["in progress", "NotStarted", "partially_shipped"]),
        ("anything", "text", ["level 1", "level 2", "Q3"]),
    ],
)
def test_codes_flags_and_small_numbers_that_repeat_are_shown(column: str, type_name: str, values: list[str]) -> None:
    assert set(shown(column, values * 4, type_name=type_name)) == set(values)


@each_case(
    ("column", "values"),
    [
        ("first_name", ["Maria", "Ahmed"]),
        ("contact", ["Maria", "Ahmed"]),
        ("note", ["call back", "ask again"]),
        ("city", ["Schneider", "Maria"]),
        ("anything", ["dark blue", "olive green"]),
        ("anything", ["Lyon", "Graz"]),
        ("status", ["waiting for her son", "no reply as we moved the house twice"]),
        ("physician", ["Graz", "triage"]),
        ("assigned_to", ["team north", "triage"]),
        ("closed_by", ["importer", "system"]),
        ("ethnicity", ["white", "black"]),
        ("religion", ["none", "other"]),
        ("diagnosis_code", ["asthma", "flu"]),
        ("street", ["Main St 1", "Elm St 2"]),
        ("salary", ["4000", "5000"]),
        ("birth_date", ["1980-01-01", "1990-02-02"]),
        ("email", ["a@example.com", "b@example.com"]),
        ("password", ["hunter2", "letmein"]),
        ("anything", ["a@example.com", "web"]),
        ("anything", ["4111 1111 1111 1111", "web"]),
        ("who", ["Maria", "Ahmed"]),
        ("anything", ["2024-01-01", "2024-02-01"]),
        ("due_on", ["1980-02", "1990-03"]),
        ("anything", ["1980", "1990"]),
        ("anything", ["4711", "0815"]),
        ("anything", ["52000", "48000"]),
        ("anything", ["1520.50", "1610.00"]),
        ("anything", ["MK", "JS"]),
        ("category", ["Oskarsdottir", "Vik"]),
        ("region_code", ["Lee", "Ng"]),
        ("anything", ["Return label missing", "Wrong colour delivered"]),
        ("anything", ["CAT 123", "OLD 45"]),
        ("anything", ["open late order", "new late order"]),
    ],
)
def test_personal_and_secret_values_are_hidden_even_where_they_repeat(column: str, values: list[str]) -> None:
    assert shown(column, [*values, *values, *values]) == ()


def test_codes_in_no_list_are_shown_from_the_third_time_on() -> None:
    values = [*["wont_fix"] * 3, *["needs_id"] * 2, *["open"] * 2]
    masked = mask_samples("resolution", "thing", values, type_name="text", is_key=False)
    assert (masked.values, masked.masked) == (("wont_fix", "open"), True)


def test_codes_are_shown_of_a_column_with_at_most_fifty_different_values() -> None:
    rare = [f"{letter}{other}zz" for letter in "abcdefg" for other in "abcdefg"]
    assert shown("resolution", [*["wont_fix"] * 3, *rare]) == ("wont_fix",)
    assert shown("resolution", [*["wont_fix"] * 3, *rare, "azzz"]) == ()


def shares_shown(columns: dict[str, tuple[str, ...]]) -> float:
    of_columns = [(set(values), shown(column, [*values] * 3)) for column, values in columns.items()]
    return sum(len(those) for _, those in of_columns) / sum(len(values) for values, _ in of_columns)


def test_nearly_all_codes_are_shown_and_nearly_no_names_and_sentences() -> None:
    # Measured: 151 of 161 codes, 1 of 115 personal values, a weak password.
    assert shares_shown(CODES) >= 0.93
    assert shares_shown(PERSONAL) <= 0.01


def test_a_column_with_common_names_of_people_shows_no_word_that_may_be_one_too() -> None:
    words = ["Plot", "Bishop", "Dolphin"]
    assert set(shown("anything", words * 3)) == set(words)
    assert shown("anything", [*words, "Benjamin"] * 3) == ()


def test_what_the_catalog_declares_is_shown_unless_it_is_personal_or_long() -> None:
    values = ["zorb", "quux", "12345", "a@example.com"]
    masked = mask_samples("anything", "thing", values[:3] * 3, type_name="text", is_key=False, declared=values)
    assert set(masked.values) == {"zorb", "quux"}
    assert mask_samples("first_name", "thing", values * 3, type_name="text", is_key=False, declared=values).values == ()


def test_values_that_do_not_repeat_are_hidden_behind_their_pattern() -> None:
    masked = mask_samples("ref", "thing", [f"AB-{n:04}" for n in range(30)], type_name="text", is_key=False)
    assert masked.values == ()
    assert masked.patterns == ("AA-9999",)
    assert masked.masked


def test_keys_are_hidden() -> None:
    assert mask_samples("code", "thing", ["A", "B"] * 5, type_name="text", is_key=True).values == ()


def test_a_secret_has_not_even_a_pattern() -> None:
    masked = mask_samples("api_key", "thing", ["k-1", "k-2"], type_name="text", is_key=False)
    assert (masked.values, masked.patterns) == ((), ())
    assert masked.kind is not None
    assert masked.kind.is_secret


def test_without_any_value_nothing_is_masked() -> None:
    masked = mask_samples("status", "thing", [None, "", "  "], type_name="text", is_key=False)
    assert (masked.values, masked.patterns, masked.masked) == ((), (), False)


def test_the_most_frequent_value_comes_first() -> None:
    assert shown("status", ["b", "b", "a", "a", "a", "c", "c"]) == ("a", "b", "c")


@given(
    st.lists(st.one_of(st.none(), st.text(max_size=40)), max_size=60), st.sampled_from(["status", "x", "note", "id"])
)
def test_nothing_that_a_detector_knows_is_ever_shown(values: list[str | None], column: str) -> None:
    masked = mask_samples(column, "thing", values, type_name="text", is_key=False)
    assert [value for value in masked.values if detect(value) is not None] == []
    assert len(masked.patterns) <= 5
    assert set(masked.values) <= {value.strip() for value in values if value}


def test_people_who_are_named_by_their_e_mail_addresses_are_said_to_be() -> None:
    masked = mask_samples("changed_by", "thing", ["ann@example.com", "job"] * 3, type_name="text", is_key=False)
    assert (masked.values, masked.kind) == ((), SensitiveKind.EMAIL)


@given(st.lists(st.sampled_from(["maria@example.com", "+49 170 1234567", "DE89370400440532013000", "ok"]), min_size=1))
def test_one_recognised_value_hides_its_whole_column(values: list[str]) -> None:
    masked = mask_samples("status", "thing", values * 3, type_name="text", is_key=False)
    if set(values) != {"ok"}:
        assert masked.values == ()
        assert masked.kind in set(SensitiveKind)


def test_a_value_is_shown_as_it_is_stored_unless_its_type_pads_it() -> None:
    values = ["default "] * 3 + ["other"] * 3
    assert shown("access_kind", values) == ("default ", "other")
    assert shown("access_kind", values, type_name="character(8)") == ("default", "other")
