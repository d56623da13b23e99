"""Lists and globs of databases: what they mean, and what each database is called."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from tribal.errors import ConfigurationError
from tribal.identity.expansion import asks_server, chosen, expanded, names_several
from tribal_contracts import DatabaseEntry

LISTED = ("postgres", "shop_eu", "shop_test", "shop_us", "Shop_old")


def entry(database: str | list[str] | None, name: str = "s") -> DatabaseEntry:
    return DatabaseEntry(name=name, database=database)


@each_case(
    ("database", "databases"),
    [
        ("shop_*", ["shop_eu", "shop_test", "shop_us"]),
        ("shop_?[su]", ["shop_eu", "shop_us"]),
        (["shop_*", "!shop_test"], ["shop_eu", "shop_us"]),
        (["!*_test", "*"], ["Shop_old", "postgres", "shop_eu", "shop_us"]),
        (["crm", "shop_eu"], ["crm", "shop_eu"]),
        (["crm", "!crm"], []),
        ("nothing_*", []),
    ],
)
def test_a_list_or_a_glob_includes_what_matches_and_what_it_names(
    database: str | list[str], databases: list[str]
) -> None:
    assert names_several(entry(database))
    assert chosen(entry(database), LISTED) == databases


def test_only_a_wildcard_asks_the_server() -> None:
    assert not asks_server(entry(["crm", "shop_eu", "!shop_*"]))
    assert asks_server(entry(["crm", "shop_*"]))
    assert not names_several(entry("shop"))
    assert not names_several(entry(None))


def test_each_database_has_an_entry_named_after_both_or_as_the_name_says() -> None:
    entries = (entry("*", "s"), entry("crm", "plain"), entry(["a"], "eu/{database}!"), entry("*", "not yet known"))
    found = {"s": ["x", "y"], "eu/{database}!": ["a"]}
    single = {each.name: each.database for each in expanded(entries, found)}
    assert single == {"s_x": "x", "s_y": "y", "plain": "crm", "eu/a!": "a"}


def test_names_that_would_be_the_same_are_refused_with_both_entries() -> None:
    with pytest.raises(ConfigurationError, match=r"'s' and 's_x' both have a database named 's_x'.*\{database\}"):
        expanded((entry("*", "s"), entry("crm", "s_x")), {"s": ["x"]})
    with pytest.raises(ConfigurationError, match="more than 128 characters"):
        expanded((entry("*", "s" * 100),), {"s" * 100: ["x" * 60]})
