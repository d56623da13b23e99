from __future__ import annotations

from dataclasses import dataclass

from tribal_contracts import TableDocument


@dataclass(frozen=True)
class CatalogContradiction:
    target: str
    kind: str
    description: str


def catalog_contradictions(table: TableDocument) -> list[CatalogContradiction]:
    return []
