"""The company of the scenario: its migrations, decisions, questions and manuals."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import PurePosixPath

from tribal_demo import COMPANY_SQL
from tribal_demo import QUERIES as DEMO_QUERIES

_COMMENT = re.compile(r"COMMENT ON COLUMN billing\.invoice\.status IS\n    '([^']*)';\n")
_WHOLE = COMPANY_SQL.read_text(encoding="utf-8")
STATUS = "company.billing.invoice.status"
MEANING = _COMMENT.findall(_WHOLE)[0]
"""What nothing says about the column when the scenario begins."""
_MOVED = """\
DROP SCHEMA people, audit CASCADE;
DROP MATERIALIZED VIEW billing.mv_revenue_month;
DROP VIEW billing.v_open_item;
DROP TABLE crm.country, crm.consent, crm.interaction, sales.price_list, sales.shipment, sales.return_reason,
  sales.return_request, billing.dunning_run, billing.dunning_letter, billing.credit_note, billing.bank_acct CASCADE;
"""
MIGRATIONS: Mapping[str, bytes] = {
    "db/migration/V1__company.sql": _COMMENT.sub("", _WHOLE).encode(),
    "db/migration/V2__drop_what_moved.sql": _MOVED.encode(),
}
WIDER = "ALTER TABLE billing.invoice ALTER COLUMN status TYPE varchar(20);\n"
"""A migration that nothing but the type of the column changes by."""
QUERIES: Mapping[str, bytes] = {"queries/unpaid.sql": (DEMO_QUERIES / "unpaid.sql").read_bytes()}
DECISIONS: Mapping[str, bytes] = {
    "projects/company/adrs/0001-void-invoices-stay.md": b"""\
# Void invoices stay

Status: accepted

## Decision

No row of `billing.invoice` is deleted: its status becomes void.
""",
    "projects/company/policies/no-migration-leftovers.md": b"""\
---
title: Do not read what the migration of 2019 left behind
constraints:
  - operator: must_not_use
    target: table
    pattern: public\\.tmp_mig_2019_bak
    severity: block
    message: An uncorrected copy of 2019; read crm.customer instead.
---
It is kept for the auditors until 2029.
""",
    "projects/company/policies/invoice-status.md": b"""\
---
title: billing.invoice.status is set by the ledger alone
constraints:
  - {operator: must_not_match, target: code, pattern: 'UPDATE billing\\.invoice', severity: warn}
---
Everything else reads it.
""",
}
REMEMBERED = "Finance counts an invoice with status part in `billing.invoice` as unpaid."
EXAM = (
    "which customers have not paid their invoices?",
    "what does the status writeoff of an invoice mean?",
    "how much stock is left in each warehouse?",
    "how are payments joined to customers?",
    "how many open tickets are there?",
)
"""One of them cannot be answered before the column is described."""
FACT = "Refunds are paid within fourteen days of the return."
LEFTOVERS = "SELECT * FROM public.tmp_mig_2019_bak"


def migrations_in_order(files: Mapping[str, bytes]) -> list[str]:
    """The SQL of versioned migrations in the order in which Flyway runs them."""

    def version(path: str) -> tuple[int, ...]:
        found = re.match(r"V([\d._]+?)__", PurePosixPath(path).name)
        return tuple(int(part) for part in re.split(r"[._]", found[1])) if found else ()

    return [files[path].decode() for path in sorted(files, key=version) if version(path)]


def manuals(first: int = 1, files: int = 40) -> bytes:
    """An archive of so many manuals, one of which says how soon refunds are paid; shelves are numbered from `first`."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("refunds.md", f"# Refunds\n\n{FACT} The desk of shelf {first} decides.\n")
        for number in range(first, first + files - 1):
            places = (
                f"Parcel {number * each} lies in bay {number * each % 97} since week {each % 52}."
                for each in range(200)
            )
            archive.writestr(f"shelves/{number:02}.md", f"# Shelf {number}\n\n{' '.join(places)}\n")
    return packed.getvalue()
