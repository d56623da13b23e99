"""Words are put into annotations files, and everything else there stays as it is."""

from __future__ import annotations

import difflib
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.plugins.verify import examples
from tribal.documenting.corrections import Subject, edited, texts_in
from tribal.errors import ConfigurationError, RequestRefused
from tribal.store.annotations import parse_annotations

pytestmark = pytest.mark.slow

KEY = "annotations/shop.yaml"
ORDERS = Subject(("public", "orders"))
NET = Subject(("public", "orders"), column="net")

FILE = b"""\
# What people know about the shop.
schema_version: "1.0"
description: The shop.   # in one sentence

tables:
    # Sales writes this one.
    public.orders:
        description: 'Orders, one a basket.'
        columns:
            net: Without tax.  # in cents
            # agreed with finance
            state: |
                open: not paid
                done: paid
    "public.Order Lines":
        columns: {qty: How many.}
"""


def changes(before: bytes | None, after: bytes) -> list[str]:
    """The lines that were taken away and added."""
    found = difflib.unified_diff((before or b"").decode().splitlines(), after.decode().splitlines(), n=0, lineterm="")
    return [line for line in found if line[0] in "+-" and not line.startswith(("+++", "---"))]


def test_a_word_is_exchanged_and_nothing_else() -> None:
    after = edited(FILE, KEY, NET, "Net of tax, in cents.")
    assert changes(FILE, after) == [
        "-            net: Without tax.  # in cents",
        "+            net: Net of tax, in cents. # in cents",
    ]


@each_case("offset", [0, 2, 4])
def test_lists_keep_their_indent(offset: int) -> None:
    more = " " * offset
    before = (
        f"terms:\n{more}- name: basket\n{more}  definition: What a customer buys at once.\n{more}  synonyms:\n"
        f"{more}  {more}- cart\ntables:\n  public.orders:\n    description: Orders.\n"
    ).encode()
    assert changes(before, edited(before, KEY, NET, "Net.")) == ["+    columns:", "+      net: Net."]


def test_a_description_of_another_column_is_added_to_its_table_however_that_is_spelled() -> None:
    after = edited(FILE, KEY, Subject(("public", "Order Lines"), column="price"), "Each, in cents.")
    assert changes(FILE, after) == [
        "-        columns: {qty: How many.}",
        "+        columns: {qty: How many., price: 'Each, in cents.'}",
    ]


def test_a_table_that_no_one_wrote_about_comes_last() -> None:
    after = edited(FILE, KEY, Subject(("public", "customers")), "Who buys.")
    assert changes(FILE, after) == ["+    public.customers:", "+        description: Who buys."]


def test_the_first_words_make_the_file() -> None:
    assert edited(None, KEY, ORDERS, "One a basket.") == b"tables:\n  public.orders:\n    description: One a basket.\n"
    assert edited(b"# mine\n", KEY, Subject(), "A shop.") == b"# mine\ndescription: A shop.\n"


def test_a_domain_gets_title_and_description() -> None:
    named = edited(None, KEY, Subject(domain="sales", said="title"), "Sales")
    both = edited(named, KEY, Subject(domain="sales"), "What is sold.")
    assert both == b"domains:\n  sales:\n    title: Sales\n    description: What is sold.\n"


def test_without_words_they_are_taken_back_and_so_is_what_that_leaves_empty() -> None:
    one = edited(None, KEY, NET, "Without tax.")
    assert edited(one, KEY, NET, "") == b""
    two = edited(one, KEY, Subject(), "A shop.")
    assert edited(two, KEY, NET, "") == b"description: A shop.\n"


def test_a_comment_is_never_lost() -> None:
    # The comment above the next column hangs on the one that is taken back.
    with pytest.raises(ConfigurationError, match=r"annotations/shop\.yaml .* by hand"):
        edited(FILE, KEY, NET, "")


@each_case(
    "words",
    ["yes", "null", "1.0", "a: b # c", "- x", "two\nlines", "'quoted'", " spaced ", "é€😀", "{x}", "2024-01-01"],
)
def test_words_are_read_back_as_they_were_typed(words: str) -> None:
    for before in (None, FILE):
        after = edited(before, KEY, ORDERS, words)
        assert texts_in(after, KEY)(ORDERS) == words


def test_line_ends_of_other_systems_stay() -> None:
    before = b"description: The shop.\r\ntables:\r\n  public.orders:\r\n    description: Orders.\r\n"
    assert edited(before, KEY, ORDERS, "One a basket.") == before.replace(b"Orders.", b"One a basket.")


def test_a_file_that_cannot_be_used_is_left_to_its_writer() -> None:
    with pytest.raises(ConfigurationError, match="line 2"):
        edited(b"tables: [\n", KEY, ORDERS, "x")
    with pytest.raises(ConfigurationError, match="by hand"):
        edited(b"description: 2024-99-99\n", KEY, ORDERS, "x")


TEXT = st.text(st.characters(min_codepoint=0x20, exclude_categories=["Cs", "Cn", "Cc", "Co"]), min_size=1, max_size=60)


@given(words=TEXT, column=TEXT)
@settings(max_examples=examples(50, 150))
@example(words="x", column="<<")
def test_whatever_is_written_is_what_the_next_run_reads(words: str, column: str) -> None:
    subject = Subject(("public", "orders"), column=column)
    after = edited(FILE, KEY, subject, words)
    tables = parse_annotations(after, KEY)
    assert tables["public", "orders"].columns[column] == words
    others = {name: text for name, text in tables["public", "orders"].columns.items() if name != column}
    assert others == {
        name: text for name, text in parse_annotations(FILE, KEY)["public", "orders"].columns.items() if name != column
    }


ODD = [
    *(
        "\n",
        "\r",
        "\r\n",
        "\x85",
        "\u2028",
        "\u2029",
        "\t",
        "\x0b",
        "\x0c",
        "\x00",
        "\x07",
        "\x1b",
        "\x1c",
        "\x7f",
        "\x80",
    ),
    *(
        "\ufeff",
        "\ufffe",
        "\ud800",
        "\u200b",
        "\u202e",
        "\U0001f600",
        "\\",
        '"',
        "'",
        "#",
        ": ",
        "- ",
        "%",
        "&a",
        "*a",
        "|",
        "---",
    ),
    *("...", "  ", "word", "two words"),
]


def test_every_kind_of_line_break_and_control_character_is_read_back_or_refused() -> None:
    chance, file, refused = random.Random(47), FILE, 0
    number_of_texts = examples(300, 2_000)
    for number in range(number_of_texts):
        words = "".join(chance.choices(ODD, k=chance.randint(1, 5)))
        subject = Subject(("public", "orders"), column=chance.choice(["net", "gross", "tax"]))
        try:
            after = edited(file, KEY, subject, words)
        except RequestRefused:
            refused += 1
            continue
        assert texts_in(after, KEY)(subject) == words
        # Every later correction still finds a file that it can edit.
        file = after if number % 20 else FILE
    assert 0 < refused < 0.95 * number_of_texts


@each_case("control", ["\x07", "\x00", "\ufffe", "\ud800"])
def test_a_control_character_is_refused_by_its_number(control: str) -> None:
    with pytest.raises(RequestRefused, match=f"U\\+{ord(control):04X}; delete it"):
        edited(FILE, KEY, NET, f"Net{control}.")
