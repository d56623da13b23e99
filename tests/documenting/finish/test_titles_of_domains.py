"""The titles that domains bear on their pages."""

from __future__ import annotations

from tests.fakes.catalogs import column, table
from tests.sample_shop.documented import Shop
from tribal.identity import locations
from tribal_contracts import DomainDocument, RunOutline


def titles(shop: Shop) -> set[str]:
    keys = [key for key in shop.memory.keys(locations.DOCS) if key.endswith("/domain.json")]
    return {DomainDocument.from_json(shop.memory.get(key).data).title for key in keys}


def without_titles(outline: RunOutline) -> RunOutline:
    """The outline as it is where a database did not answer."""
    analyses = [analysis.model_copy(update={"domain_titles": None}) for analysis in outline.databases]
    return outline.model_copy(update={"databases": analyses})


def test_a_domain_keeps_its_title_where_the_plan_has_none() -> None:
    shop = Shop([table("hr.leave", column("days")), table("usr_amt.entry", column("x"))])
    shop.run()
    assert titles(shop) == {"HR", "Usr amt"}
    shop.finish(without_titles(shop.plan()))
    assert titles(shop) == {"HR", "Usr amt"}
