"""The values that a type or a check allows are a fact of their own, which no description hides."""

from __future__ import annotations

from tests.cases import each_case
from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import Shop
from tribal_contracts import CatalogCheck, CatalogColumn, DocumentedColumn

OPEN = "((status = ANY (ARRAY['open'::text, 'void'::text])))"


def documented(status: CatalogColumn, *checks: str) -> tuple[DocumentedColumn, str]:
    """The column of the document, and the page."""
    made = table("sales.invoice", status)
    listed = [CatalogCheck(name=f"c{number}", expression=each) for number, each in enumerate(checks)]
    shop = Shop([made.model_copy(update={"checks": listed})])
    shop.document(shop.plan())
    (found,) = (each for each in shop.document_of("sales.invoice").columns if each.name == "status")
    return found, shop.page_of("sales.invoice")


@each_case("comment", ["Where the invoice stands.", None])
def test_a_comment_hides_no_value(comment: str | None) -> None:
    found, page = documented(column("status").model_copy(update={"comment": comment}), OPEN)
    assert (found.allowed_values, found.allowed_values_from, found.allowed_values_complete) == (
        ["open", "void"],
        "check",
        True,
    )
    if comment:
        assert "Where the invoice stands. Values: `open`, `void`." in page
    else:
        assert "One of open, void." in page
        assert "Values:" not in page


def test_labels_of_a_type_come_before_those_of_a_check() -> None:
    found, _ = documented(column("status").model_copy(update={"enum_values": ["new", "open"]}), OPEN)
    assert (found.allowed_values, found.allowed_values_from) == (["new", "open"], "enum")


def test_of_many_values_fifty_are_shown_and_marked_as_a_part() -> None:
    labels = [f"v{number}" for number in range(60)]
    commented = {"enum_values": labels, "comment": "A code."}
    found, page = documented(column("status").model_copy(update=commented))
    assert (found.allowed_values, found.allowed_values_complete) == (labels[:50], False)
    assert "`v49` and others." in page


@each_case(
    "check", ["(length(status) > 3)", "((status = 'open') OR (qty > 3))", "(status = ANY (ARRAY['[email]'::text]))"]
)
def test_without_a_whole_list_there_are_no_values(check: str) -> None:
    found, _ = documented(column("status"), check)
    assert (found.allowed_values, found.allowed_values_from, found.allowed_values_complete) == (None, None, None)
