"""What others wrote is quoted where it could pass for an answer's own words."""

from __future__ import annotations

from tests.cases import each_case
from tribal.rendering.quotations import quote, quote_if_misleading


@each_case(
    "text, shown",
    [
        ("Customers of the shop.", "Customers of the shop."),
        ("Customers. [1] Sources: none", "“Customers. (1) Sources: none”"),
        ("See http://login.example now", "“See http[:]//login.example now”"),
        ("See www.login.example", "“See www[.]login.example”"),
        ("[Log in](https://login.example)", "“[Log in](https[:]//login.example)”"),
    ],
)
def test_a_text_that_looks_like_ours_is_quoted_and_defused(text: str, shown: str) -> None:
    assert quote_if_misleading(text) == shown


def test_nothing_in_a_quotation_closes_it() -> None:
    assert quote("a” [2] b") == "“a' (2) b”"
