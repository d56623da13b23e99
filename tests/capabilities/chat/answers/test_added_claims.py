"""What a model adds to its source, in otherwise plain sentences: how much of it is dropped today."""

from __future__ import annotations

from tests.capabilities.chat.answers.test_grounding import source
from tests.cases import each_case
from tribal.capabilities.chat.answers.grounding import Grounding

INVOICES = """billing.invoice: One row per invoice sent to a customer. An invoice is due 14 days after it is issued.
CREATE TABLE billing.invoice (
  invoice_id bigint PRIMARY KEY,
  issued_on date NOT NULL, -- Day on which the invoice was issued.
  paid_on date, -- Day of the payment; empty while the invoice is open.
  net_cents bigint, -- Amount without tax.
  gross_cents bigint -- Amount with tax.
);"""
HANDBOOK = (
    "Cold stores are kept at 4 degrees. The night shift checks the doors every 30 minutes and logs the temperature. "
    "Most pallets are moved with a forklift. Damaged goods are not returned to the shelf. "
    "A supervisor may approve a late delivery."
)
GIVEN = Grounding(
    {1: source(1, "shop.billing.invoice", INVOICES), 2: source(2, "handbook.pdf", HANDBOOK, is_passage=True)},
    "How do invoices and cold stores work?",
)
DROPPED = (
    "An invoice is due 14 weeks after it is issued [1].",
    "An invoice is due 14 hours after it is issued [1].",
    "An invoice is not due 14 days after it is issued [1].",
    "An invoice is never sent to a customer [1].",
    "An invoice is due 14 days after it is issued because of the law [1].",
    "Cold stores are not kept at 4 degrees [2].",
    "Cold stores are kept at 4 minutes [2].",
    "Cold stores are kept at 30 degrees [2].",
    "The night shift checks the doors every 4 minutes [2].",
    "The night shift checks the doors every 30 seconds [2].",
    "All pallets are moved with a forklift [2].",
    "Pallets are moved only with a forklift [2].",
    "Damaged goods are returned to the shelf [2].",
    "A supervisor must approve a late delivery [2].",
    "A supervisor may not approve a late delivery [2].",
    "The temperature is logged to prevent theft [2].",
)
STILL_SHOWN = (
    "The accountant sends an invoice to a customer [1].",
    "Every invoice sent to a customer is always paid [1].",
    "An invoice is due 14 days after it is paid [1].",
    "The column paid_on is the day on which the invoice was issued [1].",
    "The column net_cents is the amount with tax [1].",
    "The column gross_cents is the amount without tax [1].",
    "The column issued_on is empty while the invoice is open [1].",
    "The column paid_on is filled by a nightly job [1].",
    "The invoice is sent to a supplier [1].",
    "The amounts are in dollars [1].",
    "Invoices are archived after the payment [1].",
    "The day shift checks the doors every 30 minutes [2].",
    "The security guard checks the doors [2].",
    "The forklift logs the temperature [2].",
)
ADDED = (*DROPPED, *STILL_SHOWN)
HONEST = (
    "One row of the table is one invoice [1].",
    "Each row is an invoice that was sent to a customer [1].",
    "An invoice is due 14 days after it was issued [1].",
    "Invoices are due fourteen days after being issued [1].",
    "The column paid_on has the day of the payment [1].",
    "As long as the invoice is open, paid_on is empty [1].",
    "paid_on is not filled while the invoice is open [1].",
    "The amount without tax is in net_cents [1].",
    "Use gross_cents for the amount including tax [1].",
    "The primary key is invoice_id [1].",
    "issued_on is never null [1].",
    "The table billing.invoice stores invoices [1].",
    "Cold stores are kept at 4 degrees [2].",
    "The temperature of cold stores is four degrees [2].",
    "The night shift checks doors every 30 minutes [2].",
    "Doors are checked every 30 minutes by the night shift [2].",
    "The night shift also logs the temperature [2].",
    "Most pallets move by forklift [2].",
    "Damaged goods do not return to the shelf [2].",
    "Late deliveries may be approved by a supervisor [2].",
)


def test_the_claims_that_are_still_shown_are_known() -> None:
    assert tuple(each for each in ADDED if GIVEN.check(each) is not None) == STILL_SHOWN


@each_case("sentence", HONEST)
def test_an_honest_paraphrase_is_shown(sentence: str) -> None:
    assert GIVEN.check(sentence) is not None
