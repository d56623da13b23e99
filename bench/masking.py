"""How often masking misses or overreaches where no pattern decides, on deterministic made-up values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.edges.cli.planted_values import WITHOUT_PATTERN
from tribal.masking import mask_samples, redact_text

VALUES = 200

HARMLESS_TEXTS = (
    "One row a shipped parcel; returns are in sales.return_request.",
    "Net amount in cents. Maintained by the nightly job at 03:00.",
    "B business, P private person.",
    "ISO 3166-1 alpha-2, e.g. DE or FR.",
    "Moved from the old ERP in 2019-04; see ticket OPS-1234.",
    "Between 0 and 100, in per cent of the list price.",
    "Version 2.14.3 of the schema; keep in step with release 2024.10.",
    "References order_line (order_id, line_no).",
    "Rotterdam was closed in 2022 and is kept because old movements point to it.",
    "Sum of qty * unit_cents over all lines, without freight.",
    "Max Amount and Min Amount per order; see Confluence page Order Management.",
    "Stores in New York, San Francisco, Santa Fe and Salt Lake City only.",
    "Owned by the Data Platform team; ask Customer Service or Human Resources.",
    "Great Britain, Northern Ireland and the Czech Republic; Jan Total is the month.",
    "Shipped from Victoria Station Warehouse or Park Avenue; Roman Numeral of the chapter.",
    "Apache Kafka topic, Microsoft Dynamics number, Google Analytics client, Amazon Marketplace.",
    "Mean Time Between Failures. Net Promoter Score. Gross Merchandise Value. Total Cost of Ownership.",
    "Dr and Cr are debit and credit; St. Gallen, Los Angeles, Buenos Aires and Hong Kong are sites.",
    "Lake Washington, Puerto Rico, Saint Martin, Costa Rica and Sri Lanka.",
    "Primary Key of Table Sales Order Header; Foreign Key to Business Partner.",
)
HARMLESS_COLUMNS: dict[str, tuple[str, ...]] = {
    "status": ("open", "closed", "void"),
    "channel": ("web", "phone", "edi"),
    "currency_cd": ("EUR", "CHF", "GBP"),
    "size": ("S", "M", "L", "XL"),
    "priority": ("1", "2", "3"),
    "carrier_cd": ("DHL", "DPD", "UPS"),
    "is_active": ("true", "false"),
    "vat_rate": ("7.0", "19.0"),
    "period": ("2024-01", "2024-02"),
    "unit": ("kg", "pcs", "m"),
    "grade": ("A", "B", "C"),
    "tax_class": ("standard", "reduced"),
    "colour": ("red", "blue", "green"),
    "due_on": ("2024-01-31", "2024-02-29"),
}


@dataclass(frozen=True, slots=True)
class Rate:
    """A count out of a total; `better` says whether higher or lower is good."""

    name: str
    hits: int
    total: int
    better: str

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.hits / self.total


def masking_rates() -> list[Rate]:
    """Rates of redacted names and addresses in comments, and of harmless texts and columns masked by mistake."""
    return [
        *(_redacted(name, WITHOUT_PATTERN[name]) for name in ("person", "address")),
        Rate(
            "harmless comments changed",
            sum(redact_text(text) != text for text in HARMLESS_TEXTS),
            len(HARMLESS_TEXTS),
            "lower",
        ),
        Rate("harmless columns hidden", sum(map(_is_hidden, HARMLESS_COLUMNS)), len(HARMLESS_COLUMNS), "lower"),
    ]


def _redacted(name: str, make: Callable[[int], str]) -> Rate:
    values = [make(n) for n in range(VALUES)]
    hidden = sum(value not in redact_text(f"Ask {value} before you change this.") for value in values)
    return Rate(f"{name} in comments redacted", hidden, VALUES, "higher")


def _is_hidden(column: str) -> bool:
    values = HARMLESS_COLUMNS[column]
    return set(mask_samples(column, "thing", values * 4, type_name="text", is_key=False).values) != set(values)
