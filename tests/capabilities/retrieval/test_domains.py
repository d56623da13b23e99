"""Tools `get_domain_overview` and `list_domains` over the shop."""

from __future__ import annotations

from tests.sample_shop.retrieval import call, code, codes, shop_fixture  # noqa: F401
from tribal.capabilities.retrieval.toolbox import Toolbox


def test_domains_are_listed_once_over_all_databases(shop: Toolbox) -> None:
    answer = call(shop, "list_domains")
    listed = {domain.name: (domain.table_count, domain.databases) for domain in answer.domains}
    assert listed == {
        "customers": (4, ["shop", "web"]),
        "marketing": (1, ["web"]),
        "people": (2, ["shop"]),
        "sales": (3, ["shop"]),
        "stock": (3, ["shop"]),
    }
    assert answer.domains[0].description == "shop: All about customers in shop. web: All about customers in web."
    assert [domain.name for domain in call(shop, "list_domains", database="web").domains] == ["customers", "marketing"]


def test_a_domain_is_shown_with_tables_diagram_and_joins(shop: Toolbox) -> None:
    answer = call(shop, "get_domain_overview", domain="Sales")
    assert (answer.domain, answer.description, answer.databases) == ("sales", "All about sales in shop.", ["shop"])
    assert [table.name for table in answer.tables] == [
        "shop.sales.order_header",
        "shop.sales.order_line",
        "shop.sales.shipment",
    ]
    assert answer.er_diagram.startswith("erDiagram")
    assert answer.common_joins == ["SELECT 1 /* sales */"]
    assert (answer.total, answer.returned, answer.truncated, answer.warnings) == (3, 3, False, None)


def test_a_domain_of_two_databases_says_why_it_has_no_diagram(shop: Toolbox) -> None:
    both = call(shop, "get_domain_overview", domain="customers")
    assert (len(both.tables), both.er_diagram, both.databases) == (4, None, ["shop", "web"])
    assert codes(both) == ["RET_ANSWER_PARTIAL"]
    one = call(shop, "get_domain_overview", domain="customers", database="web")
    assert ([table.name for table in one.tables], one.warnings) == (["web.public.customer"], None)
    assert one.er_diagram is not None


def test_an_unknown_domain_is_an_error_with_the_input_echoed(shop: Toolbox) -> None:
    answer = call(shop, "get_domain_overview", domain="saels")
    assert code(answer) == "RET_DOMAIN_NOT_FOUND"
    assert (answer.domain, answer.tables, answer.description) == ("saels", [], "")
    assert "sales" in answer.error.context["suggestions"]
