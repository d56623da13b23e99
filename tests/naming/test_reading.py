"""The words and forms by which a name is found."""

from tests.cases import each_case
from tribal.naming import glued, read_name


@each_case(
    ("name", "words", "forms"),
    [
        ("work_space", "work space", "work space workspace"),
        ("heartrate", "heartrate", "heartrate heart rate"),
        ("payload", "payload", "payload"),
        ("cust_no", "customer number", "cust no customer number custno"),
        ("line_2_text", "line 2 text", "line 2 text"),
        ("dt", "date", "dt date"),
    ],
)
def test_a_name_is_read_as_words_and_found_by_more(name: str, words: str, forms: str) -> None:
    assert read_name(name) == (tuple(words.split()), tuple(forms.split()))


def test_the_context_decides_what_abbreviations_are_found_by() -> None:
    assert "inventory" in read_name("inv", {"warehouse"})[1]


def test_each_two_neighbours_make_one_word_and_numbers_none() -> None:
    assert glued(["sales", "order", "line", "2"]) == ["salesorder", "orderline"]
