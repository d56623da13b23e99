"""Names are read only where no other reading is likely."""

from __future__ import annotations

from tests.cases import each_case
from tests.conformance.describer import column
from tests.describing.rules.made import make, say

TIME = "timestamp with time zone"


@each_case(
    ("name", "kind", "text"),
    [
        ("created_at", TIME, "When it was created."),
        ("CreatedDate", "date", "When it was created."),
        ("date_created", TIME, "When it was created."),
        ("creation_time", TIME, "When it was created."),
        ("last_updated", TIME, "When it was last updated."),
        ("last_update", TIME, "When it was last updated."),
        ("first_sent_on", TIME, "When it was first sent."),
        ("failed_at", TIME, "When it failed."),
        ("expiry_date", "date", "When it expires."),
        ("start_date", "date", "When it starts."),
        ("due", "date", "When it is due."),
        ("due_dt", "date", "When it is due."),
        ("valid_from", "date", "From when on it is valid."),
        ("effective_until", "date", "Until when it is effective."),
        ("date_of_birth", "date", "Date of birth."),
        ("birthday", "date", "Date of birth."),
        ("order_shipped_at", TIME, "When it was shipped."),
        ("is_visible", "boolean", "Whether it is visible."),
        ("deleted_flag", "boolean", "Whether it is deleted."),
        ("is_default", "boolean", "Whether it is the default."),
        ("expired", "boolean", "Whether it has expired."),
        ("reversible", "boolean", "Whether it is reversible."),
        ("size_bytes", "bigint", "In bytes."),
        ("weight_kg", "numeric", "In kilograms."),
    ],
)
def test_a_plain_name_is_put_into_words(name: str, kind: str, text: str) -> None:
    assert say(make("sales.orders", column(name, kind)), name).text == text


@each_case(
    ("name", "kind"),
    [
        ("issuing_date", "date"),
        ("delivery_date", "date"),
        ("transdate", "date"),
        ("dod", "date"),
        ("scheduled_at", TIME),
        ("requested_date", "date"),
        ("joined_at", TIME),
        ("speed_at", TIME),
        ("email_verified_at", TIME),
        ("first_expires_at", TIME),
        ("is_service", "boolean"),
        ("has_children", "boolean"),
        ("flag", "boolean"),
        ("timetable", "boolean"),
        ("disable", "boolean"),
        ("credits_balance", "numeric"),
        ("amount", "numeric"),
        ("unit_price", "numeric"),
        ("total_cents", "bigint"),
        ("doses_per_24_hrs", "numeric"),
        ("price_per_kg", "numeric"),
        ("area_square_metres", "numeric"),
        ("day_of_months", "integer"),
        ("days", "integer"),
        ("weight", "numeric"),
        ("discount_pct", "numeric"),
        ("latitude", "bigint"),
        ("quantity", "integer"),
        ("name", "text"),
        ("mail_code", "text"),
        ("MailCity", "text"),
        ("email", "text"),
        ("status", "text"),
        ("sort", "integer"),
        ("customer_id", "integer"),
        ("attrs", "jsonb"),
        ("tags", "text[]"),
        ("foo", "text"),
    ],
)
def test_a_name_that_leaves_a_doubt_or_says_it_all_is_left_alone(name: str, kind: str) -> None:
    others = [column("longitude", kind), column("currency")]
    assert say(make("clinic.infusion", column(name, kind), *others), name).text == ""


def test_another_table_s_name_at_the_start_is_not_the_table_itself() -> None:
    assert say(make("sales.order_payment", column("order_approved_at", TIME)), "order_approved_at").text == ""


def test_a_unit_of_a_house_is_no_measure() -> None:
    table = make("city.home", column("owner", "integer"), column("owner_unit"))
    assert say(table, "owner").text == ""


def test_cents_next_to_their_currency_are_not_said_to_be_hundredths() -> None:
    table = make("pay.t", column("amount_cents", "bigint"), column("amount_currency"))
    assert say(table, "amount_cents").text == "An amount of money; amount_currency names its currency."
