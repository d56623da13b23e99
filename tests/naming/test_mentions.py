"""Which names a text mentions."""

from __future__ import annotations

from tests.cases import each_case
from tribal.naming.mentions import MAX_READ_CHARS, UNREAD, Names, OwnNames, mentioned_words, words_of_names

KNOWN = Names(frozenset({"shop", "pub"}), frozenset({"order_line", "customer"}))


def mentions(text: str, *wanted: str, spaces: tuple[str, ...] = (), own: tuple[str, ...] = ()) -> bool:
    words = words_of_names(Names(frozenset(spaces), frozenset(wanted)), KNOWN)
    return not words.isdisjoint(mentioned_words(text, OwnNames.of(own)))


@each_case(
    ("text", "name"),
    [
        ("Copied from 'payroll' every night.", "payroll"),
        ("Run `select * from payroll` first.", "payroll"),
        ("Copied from zorvik every night.", "zorvik"),
        ("see `Leave Request`", "Leave Request"),
        ('see "leave request"', "Leave Request"),
        ("rows of zorvik's", "zorvik"),
        ("(ZORVIKENTRY)", "ZorvikEntry"),
        ("the zorvik entries", "ZorvikEntry"),
        ("ZorvikEntry", "zorvikentry"),
        ("keeps zorviks", "zorvik"),
        ("one zorvik", "zorviks"),
        ("salary_bands_archive holds more", "salary_bands"),
        ("SalaryBands", "salary_bands"),
        ("a1b2c3 has it", "a1b2c3"),
        ("see '§§'", "§§"),
    ],
)
def test_a_text_mentions_a_name_however_people_write_it(text: str, name: str) -> None:
    assert mentions(text, name)


@each_case(
    ("text", "name"),
    [
        ("One row per salary.", "salary_bands"),
        ("What the customer pays.", "customer_card"),
        ("The leave was requested.", "Leave Request"),
        ("All of the above", "all"),
        ("About 2024.", "orders_2024"),
        ("Copied from payroll every night.", "payroll"),
        ("One order a basket.", "orders"),
    ],
)
def test_everyday_words_mention_nothing(text: str, name: str) -> None:
    assert not mentions(text, name)


def test_a_name_that_something_known_has_too_is_known() -> None:
    assert not mentions("the customer", "customer")
    assert not mentions("one order", "orders")
    assert mentions("vault.customer", spaces=("vault",))
    assert mentions("customer.x", spaces=("customer",))


def test_own_names_are_no_mention_but_before_a_dot() -> None:
    assert not mentions("the vault", "vault", own=("vault_id",))
    assert not mentions("vault_id", "vault_id", own=("vault_id",))
    assert mentions("vault.x", spaces=("vault",), own=("vault",))


def test_a_text_too_long_to_be_read_mentions_anything_but_nothing() -> None:
    long = "word " * MAX_READ_CHARS
    assert mentions(long, "zorvik")
    assert mentioned_words(long) == {UNREAD}
    assert words_of_names(Names(frozenset(), frozenset()), KNOWN) == frozenset()


def test_a_long_name_is_mentioned_by_any_run_of_its_words() -> None:
    name = "_".join(f"part{letter}" for letter in "abcdefghijkl")
    assert mentions(f"see {name}", name)
