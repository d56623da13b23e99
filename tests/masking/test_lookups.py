"""Look-up lists are shown where they hold codes and what those mean, and never where they hold people."""

from __future__ import annotations

from random import Random

from tests.attack import made_people
from tests.attack.made_secrets import password
from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tribal.masking import mask_lookup
from tribal_contracts import CatalogTable

NUMBERS = [str(number) for number in range(1, 9)]


def lookup(name: str, *columns: str) -> CatalogTable:
    return table(name, *(column(each, "text") for each in columns))


def numbered(texts: list[str], made: CatalogTable, meaning: str = "name") -> tuple[list[str], dict[str, str] | None]:
    shown = mask_lookup(made, made.columns[0], NUMBERS[: len(texts)], meaning, texts)
    return list(shown.codes), dict(shown.meanings) if shown.meanings else None


def test_numbers_are_shown_with_what_they_mean_and_never_alone() -> None:
    made = lookup("s.action_status", "name")
    assert numbered(["Queued", "Picked Up", "Completed", "Failed"], made) == (
        ["1", "2", "3", "4"],
        {"1": "Queued", "2": "Picked Up", "3": "Completed", "4": "Failed"},
    )
    assert mask_lookup(made, made.columns[0], NUMBERS).codes == ()
    assert mask_lookup(made, made.columns[0], ["1000", "1001"], "name", ["Queued", "Failed"]).codes == ["1000", "1001"]
    assert mask_lookup(made, made.columns[0], ["10000", "10001"], "name", ["Queued", "Failed"]).codes == ()


def test_codes_of_a_public_list_may_mean_words_of_no_dictionary() -> None:
    made = lookup("s.country", "country_cd", "name")
    codes, names = ["AT", "CZ", "DE", "VN"], ["Austria", "Czechia", "Germany", "Vietnam"]
    shown = mask_lookup(made, made.columns[1], codes, "name", names)
    assert (shown.codes, shown.meanings) == (codes, dict(zip(codes, names, strict=True)))


@each_case(
    ("made", "texts"),
    [
        (lookup("s.customer", "name"), ["Tents", "Ropes"]),
        (lookup("s.thing", "name", "email"), ["Tents", "Ropes"]),
        (lookup("s.thing", "name", "api_key"), ["Tents", "Ropes"]),
        (lookup("s.thing", "name"), ["Tents", "ann@example.com"]),
        (lookup("s.thing", "name"), ["Tents of Anna", "Ropes"]),
        (lookup("s.thing", "name"), ["Tents 2024-17", "Ropes"]),
    ],
)
def test_a_list_with_anything_personal_is_left_out_whole(made: CatalogTable, texts: list[str]) -> None:
    assert numbered(texts, made) == ([], None)


def test_a_column_that_the_database_marks_hides_the_table() -> None:
    made = lookup("s.thing", "name", "other")
    made.columns[-1] = made.columns[-1].model_copy(update={"sensitive": "policy"})
    assert numbered(["Tents", "Ropes"], made) == ([], None)


def test_who_changed_a_row_does_not_make_it_a_person() -> None:
    assert numbered(["Tents", "Ropes"], lookup("s.thing", "name", "created_by"))[0] == ["1", "2"]


@each_case("name", [*made_people.NAMES, *made_people.WITH_A_FORM, "passwords"])
def test_lists_of_people_their_numbers_and_passwords_are_left_out(name: str) -> None:
    make = {**made_people.NAMES, **made_people.WITH_A_FORM, "passwords": password}[name]
    for seed in range(20):
        random = Random(f"{name} {seed}")
        texts = sorted({make(random) for _ in range(8)})
        assert numbered(texts, lookup("s.thing", "label"), "label") == ([], None), texts
