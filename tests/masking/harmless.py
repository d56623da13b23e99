"""Comments and columns that hold nothing to hide, but look a little like what does."""

from __future__ import annotations

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
