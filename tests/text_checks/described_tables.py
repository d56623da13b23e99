"""Small tables with comments as engineers leave them: some contradict the catalog, others only seem to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tribal_contracts import (
    Description,
    DocumentedColumn,
    DocumentedForeignKey,
    DocumentedIndex,
    DocumentedKey,
    TableDocument,
)
from tribal_contracts.documentation.catalog import TableKind

DATABASE = "works"
NO_HASH = "0" * 64
Kind = Literal["unique", "nullable", "values", "reference", "type", "count"]


@dataclass(frozen=True)
class Column:
    """A column, its comment, and what the catalog declares of it."""

    name: str
    type: str
    text: str = ""
    null: bool = False
    values: tuple[str, ...] = ()
    enum: bool = False
    complete: bool = True
    references: str = ""
    """`schema.table.column`."""


def table(
    name: str,
    *columns: Column,
    text: str = "",
    primary: str = "id",
    unique: tuple[str, ...] = (),
    index: DocumentedIndex | None = None,
    kind: TableKind = "table",
) -> TableDocument:
    """Document `schema.table`, with keys given by their columns as words; its `id` is added where it is the key."""
    schema, _, bare = name.partition(".")
    listed = [Column("id", "bigint"), *columns] if primary == "id" else [*columns]
    in_key = primary.split()
    return TableDocument(
        schema_version="1.0",
        name=f"{DATABASE}.{name}",
        database=DATABASE,
        database_type="postgres",
        schema_=schema,
        table=bare,
        domain="works",
        kind=kind,
        description=_comment(text),
        row_count=-1,
        columns=[_documented(column, in_key) for column in listed],
        primary_key=DocumentedKey(name=f"{bare}_pkey", columns=in_key) if in_key else None,
        unique_keys=[
            DocumentedKey(name=f"{bare}_{number}_key", columns=key.split()) for number, key in enumerate(unique)
        ],
        foreign_keys=[_foreign_key(column) for column in listed if column.references],
        indexes=[index] if index else [],
        checks=[],
        relations=[],
        samples_taken=False,
        documented_at="2026-11-28T14:00:00Z",
        input_hash=NO_HASH,
        metadata_hash=NO_HASH,
    )


def _documented(column: Column, in_key: list[str]) -> DocumentedColumn:
    allowed = {
        "allowed_values": list(column.values),
        "allowed_values_from": "enum" if column.enum else "check",
        "allowed_values_complete": column.complete,
    }
    return DocumentedColumn.model_validate(
        {
            "name": column.name,
            "type": column.type,
            "nullable": column.null,
            "default_value": None,
            "description": _comment(column.text),
            "is_primary_key": column.name in in_key,
            "is_foreign_key": bool(column.references),
            **(allowed if column.values else {}),
        }
    )


def _comment(text: str) -> Description:
    return Description(text=text, source="comment" if text else "derived", confidence=1.0 if text else 0.0)


def _foreign_key(column: Column) -> DocumentedForeignKey:
    parent, _, key = column.references.rpartition(".")
    return DocumentedForeignKey(
        name=f"{column.name}_fkey",
        columns=[column.name],
        references_table=f"{DATABASE}.{parent}",
        references_columns=[key],
        nullable=column.null,
    )


@dataclass(frozen=True)
class Planted:
    """A table with one text that contradicts its catalog."""

    kind: Kind
    table: TableDocument
    column: str = ""
    """Empty where it is the table's own text."""


PLANTED = [
    # Says unique, or one row per something, without a key.
    Planted(
        "unique",
        table(
            "logistics.parcel",
            Column("tracking_code", "text", "Carrier tracking code as printed on the label, unique."),
            Column("weight_grams", "integer", "weight at the counter", null=True),
            index=DocumentedIndex(name="parcel_code", columns=["tracking_code"], unique=False),
        ),
        "tracking_code",
    ),
    Planted(
        "unique",
        table(
            "hr.badge",
            Column(
                "chip_serial", "character varying(16)", "Serial of the RFID chip. No two badges have the same serial."
            ),
            Column("employee_id", "bigint", "who wears it", references="hr.employee.id"),
        ),
        "chip_serial",
    ),
    Planted(
        "unique",
        table(
            "metering.reading",
            Column("meter_id", "bigint", references="metering.meter.id"),
            Column("reading_date", "date"),
            Column("value", "numeric(12,3)", "kWh"),
            text="Readings sent by the field app. One row per meter and reading date.",
        ),
    ),
    Planted(
        "unique",
        table(
            "crm.subscriber",
            Column("email", "text", "uniquely identifies a subscriber, also used as the login"),
            Column("unsubscribed_at", "timestamp with time zone", null=True),
            index=DocumentedIndex(
                name="subscriber_email", columns=["email"], unique=True, predicate="(unsubscribed_at IS NULL)"
            ),
        ),
        "email",
    ),
    # Says optional where NOT NULL, or mandatory where nullable.
    Planted(
        "nullable",
        table(
            "claims.claim",
            Column("opened_on", "date", "day it came in"),
            Column("settled_on", "date", "Optional. Day on which the claim was settled."),
        ),
        "settled_on",
    ),
    Planted(
        "nullable",
        table(
            "fleet.trip",
            Column("driver_id", "bigint", "driver of the vehicle; mandatory", null=True, references="fleet.driver.id"),
            Column("km", "numeric(8,1)", "distance by the odometer"),
        ),
        "driver_id",
    ),
    Planted(
        "nullable",
        table(
            "lab.sample",
            Column("rejected_reason", "text", "why the lab rejected the sample, NULL if it was accepted"),
            Column("taken_at", "timestamp with time zone"),
        ),
        "rejected_reason",
    ),
    Planted(
        "nullable",
        table(
            "shop.basket_item",
            Column("unit_price", "numeric(10,2)", "Price when it was put into the basket. Is never null.", null=True),
            Column("quantity", "integer"),
        ),
        "unit_price",
    ),
    # Lists a value that the check or the enum does not allow.
    Planted(
        "values",
        table(
            "claims.case_file",
            Column(
                "state",
                "text",
                "State of the case: open, review, paid, denied or withdrawn.",
                values=("open", "review", "paid", "denied"),
            ),
        ),
        "state",
    ),
    Planted(
        "values",
        table(
            "print.job",
            Column(
                "priority", "print.job_priority", "low / normal / urgent", values=("low", "normal", "high"), enum=True
            ),
            Column("pages", "integer", "number of pages, both sides count"),
        ),
        "priority",
    ),
    Planted(
        "values",
        table(
            "crm.lead",
            Column(
                "channel",
                "smallint",
                "How the lead reached us. 1 = walk-in, 2 = phone, 3 = web form, 4 = partner",
                values=("1", "2", "3"),
            ),
        ),
        "channel",
    ),
    Planted(
        "values",
        table(
            "metering.meter",
            Column("remote", "character(1)", "'Y' if the meter can be read remotely, otherwise 'N'", values=("T", "F")),
        ),
        "remote",
    ),
    # Names another table or column than the declared key.
    Planted(
        "reference",
        table(
            "fleet.repair",
            Column("vehicle_id", "bigint", "FK to driver.id", references="fleet.vehicle.id"),
            Column("cost", "numeric(10,2)", "cost without VAT", null=True),
        ),
        "vehicle_id",
    ),
    Planted(
        "reference",
        table(
            "billing.invoice",
            Column("payer_id", "bigint", "Who pays. References the customer table.", references="billing.account.id"),
        ),
        "payer_id",
    ),
    Planted(
        "reference",
        table(
            "logistics.shipment",
            Column(
                "origin_id",
                "integer",
                "Where it left from. Foreign key to Depot.DepotID.",
                references="site.site.site_id",
            ),
        ),
        "origin_id",
    ),
    Planted(
        "reference",
        table(
            "treasury.rate",
            Column(
                "currency",
                "integer",
                "currency of the rate (references currency.iso_code)",
                references="treasury.currency.id",
            ),
            Column("rate", "numeric(18,8)"),
        ),
        "currency",
    ),
    # States a type or a unit that the column cannot hold.
    Planted(
        "type",
        table("app.account", Column("deleted", "boolean", "Date when the account was deleted")),
        "deleted",
    ),
    Planted(
        "type",
        table(
            "calls.call",
            Column("duration", "character varying(20)", "how long the call took, in seconds"),
            Column("caller", "text", "phone number as dialled"),
        ),
        "duration",
    ),
    Planted(
        "type",
        table("web.visit", Column("session", "integer", "UUID of the tracking session, from the cookie")),
        "session",
    ),
    Planted(
        "type",
        table(
            "logistics.delivery",
            Column("returned", "timestamp with time zone", "true if the parcel came back to us", null=True),
        ),
        "returned",
    ),
]

NEAR_MISSES = [
    # Words of uniqueness that claim nothing, or that a key fulfils.
    table(
        "logistics.label", Column("code", "text", "Code of the carrier. Not unique: carriers reuse codes after a year.")
    ),
    table("web.daily_traffic", Column("visitors", "integer", "Number of unique visitors of the day.")),
    table(
        "shop.order_line",
        Column("order_id", "bigint", references="shop.order.id"),
        Column("line_no", "smallint", "Position of the line, unique within its order"),
        text="Lines of an order. One row per order and line number.",
        primary="order_id line_no",
    ),
    table(
        "hr.applicant",
        Column("email", "text", "Address for replies. Was unique until the merger; it should be unique again by 2027."),
    ),
    # Optional and required, of other things, under conditions, or of a view.
    table("shop.extra", Column("label", "text", "Optional extras that a customer can add to a room, by name.")),
    table("hr.contract", Column("tax_id", "text", "Mandatory for employees in Italy, otherwise left out.", null=True)),
    table("lab.result", Column("remark", "text", "Free text for the physician; may be empty.")),
    table("claims.open_claim", Column("amount", "numeric", "Never null.", null=True), primary="", kind="view"),
    # Lists of examples, of all values, of labels, and values that another thing has.
    table(
        "print.tray",
        Column("paper", "text", "Format of the paper, such as A4, A5 or Letter.", values=("A3", "A4", "A5")),
    ),
    table(
        "crm.contact",
        Column("status", "text", "Status: New, Active or Lost.", values=("new", "active", "lost")),
        Column("rank", "smallint", "1 = best customers, 2 = all others", values=("1", "2", "3"), null=True),
    ),
    table(
        "claims.payment",
        Column(
            "method",
            "text",
            "Set from 'CHQ' or 'TRF' in the old system: see the import.",
            values=("cheque", "transfer"),
        ),
    ),
    table("crm.campaign", Column("kind", "text", "mail, phone or fair", values=("mail", "phone"), complete=False)),
    # References in other words, of earlier times, to other things, or of no key.
    table("hr.leave", Column("approver_id", "bigint", "The manager who approved it.", references="hr.employee.id")),
    table(
        "fleet.fine",
        Column("trip_id", "bigint", "Foreign key to Trips.ID", references="fleet.trip.id"),
        Column("driver_id", "bigint", "Used to reference person.id until 2021.", references="fleet.driver.id"),
    ),
    table(
        "billing.note",
        Column("invoice_id", "bigint", "references the document it corrects", references="billing.invoice.id"),
    ),
    table(
        "treasury.deal", Column("currency", "character(3)", "ISO code, see currency.iso_code"), text="FK to nothing yet"
    ),
    # Words of types in other roles.
    table("app.profile", Column("verified", "boolean", "Whether the date of birth was checked against a document")),
    table("calls.recording", Column("length", "interval", "Length of the recording in seconds, shown as hh:mm:ss")),
    table(
        "web.event", Column("payload", "text", "JSON as the browser sent it, with the timestamp and the session's UUID")
    ),
    table(
        "logistics.stop",
        Column("arrived", "timestamp with time zone", "Set when the driver confirms it; true local time"),
    ),
]
"""Tables without a contradiction."""
