"""Names of tables as people mistype and reorder them."""

from __future__ import annotations

from collections.abc import Callable

from tests.cases import each_case
from tribal.ranking.named import MISSPELT, SAME_WORDS, NamedTables

TABLES = ("film", "film_list", "terms", "terms_all", "moira_list_detail", "moira_list", "billable_metrics", "customers")


def named(question: str, is_known: Callable[[str], bool]) -> dict[str, float]:
    names = NamedTables([("db", "shop", table) for table in TABLES])
    return {TABLES[number]: certainty for number, certainty in names.named(question, is_known).items()}


def nothing_known(_: str) -> bool:
    return False


def all_known(_: str) -> bool:
    return True


@each_case(("question", "table"), [("list film", "film_list"), ("all terms", "terms_all")])
def test_a_word_of_every_sentence_is_one_of_the_name_where_a_table_has_it(question: str, table: str) -> None:
    assert named(question, all_known) == {table: SAME_WORDS}


def test_a_word_of_every_sentence_is_left_out_where_no_table_has_it() -> None:
    assert named("list all customers", all_known) == {"customers": SAME_WORDS}
    assert named("list all custmoers", nothing_known) == {"customers": MISSPELT}


@each_case(("question", "table"), [("flim_list", "film_list"), ("trems_all", "terms_all")])
def test_a_misspelt_name_keeps_its_words_of_every_sentence(question: str, table: str) -> None:
    assert named(question, nothing_known) == {table: MISSPELT}


def test_a_misspelt_word_cut_into_parts_is_misspelt_although_one_part_is_known() -> None:
    assert named("billcable_metrics", {"bill", "metrics", "billcable"}.__contains__) == {"billable_metrics": MISSPELT}


def test_an_identifier_with_one_wrong_letter_is_a_name_although_all_its_words_are_known() -> None:
    assert named("moira_lst", all_known) == {"moira_list": MISSPELT}
    assert named("moira lst", all_known) == {}
    assert named("miora_lsit", all_known) == {}
