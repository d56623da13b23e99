"""Table names as words, read by the names alone."""

from __future__ import annotations

from tests.cases import each_case
from tribal.planning.domains.table_names import read_names


def words(*names: str) -> list[tuple[str, ...]]:
    return [name.words for name in read_names(names).names]


def test_words_that_run_together_are_cut_where_another_name_ends() -> None:
    assert words("parcel", "parcelscan", "vendor") == [("parcel",), ("parcel", "scan"), ("vendor",)]


def test_words_that_run_together_are_cut_where_several_names_branch_off() -> None:
    names = ("gardentool", "gardenplot", "gardenseason", "vendor")
    assert [name[0] for name in words(*names)] == ["garden", "garden", "garden", "vendor"]
    assert words("gardentool", "gardenplot", "vendor") == [("gardentool",), ("gardenplot",), ("vendor",)]


def test_a_short_beginning_or_end_is_no_word() -> None:
    assert words("car", "cargo", "cartoon", "product", "production") == [
        ("car",),
        ("cargo",),
        ("cartoon",),
        ("product",),
        ("production",),
    ]


def test_names_with_separators_say_themselves_where_words_end() -> None:
    assert words("parcel", "parcelscan_type", "ParcelCustomsForm") == [
        ("parcel",),
        ("parcelscan", "type"),
        ("parcel", "customs", "form"),
    ]


def test_a_number_belongs_to_the_word_that_it_is_written_against() -> None:
    assert words("dhcp4_pool", "orders_2019") == [("dhcp4", "pool"), ("orders", "2019")]


def test_what_nearly_all_names_begin_with_is_left_out_and_told() -> None:
    names = read_names(["acme_host", "acme_hostgroup", "acme_service", "acme_event"])
    assert names.common == "acme"
    assert [name.words for name in names.names] == [("host",), ("host", "group"), ("service",), ("event",)]


def test_what_most_but_not_nearly_all_names_begin_with_stays() -> None:
    names = read_names(["crm_lead", "crm_call", "crm_note", "stock", "pallet"])
    assert names.common == ""
    assert names.names[0].family == "crm"


@each_case(
    ("name", "told"),
    [
        ("dim_customer", ("customer",)),
        ("v_stg_order_line", ("order", "line")),
        ("reference", ("reference",)),
        ("", ()),
    ],
)
def test_a_word_for_the_kind_of_table_at_the_front_of_a_name_is_left_out(name: str, told: tuple[str, ...]) -> None:
    assert words(name) == [told]


def test_a_list_of_words_can_be_taken_away() -> None:
    assert read_names(["dim_customer"], frozenset()).names[0].words == ("dim", "customer")
