"""References that comments state."""

from __future__ import annotations

from tests.cases import each_case
from tests.key_inference.outlines import outline
from tribal.key_inference import Inference
from tribal_contracts import KeyEvidence

TABLES = [
    outline("member", "id name", key="id"),
    outline("branches", "id code", key="id", unique=["code"]),
    outline("loan", "loan_no", key="loan_no"),
    outline("fine", "id who", key="id"),
]
COLUMN = ("db.s.fine", "who")


def told(comment: str) -> list[str]:
    keys = Inference.of(TABLES, comments={COLUMN: comment}).likely_keys()
    assert all(key.evidence == [KeyEvidence(kind="told", of="db.s.fine.who")] for key in keys)
    return [f"{key.to_table}.{key.to_columns[0]}" for key in keys]


@each_case(
    ("comment", "target"),
    [
        ("FK to member.id", "member.id"),
        ("Foreign key to branches", "branches.id"),
        ("fk: branches(code)", "branches.code"),
        ("references the id of member", "member.id"),
        ("Who pays; refers to the s.member table.", "member.id"),
        ("reference to a branch", "branches.id"),
        ("see loan.loan_no", "loan.loan_no"),
        ("-> member.id", "member.id"),
        ('Never null, points to "member"."id"', "member.id"),
    ],
)
def test_a_comment_that_names_a_key_states_a_reference(comment: str, target: str) -> None:
    assert told(comment) == [f"db.s.{target}"]


@each_case(
    "comment",
    [
        "FK to members_old.id",
        "FK to member.number",
        "not an FK to member.id",
        "There is no foreign key; see member.id",
        "Formerly FK to member.id",
        "does not reference member.id",
        "FK to member.id or branches.id",
        "refers to member discounts",
        "see member",
        "the member's name",
    ],
)
def test_a_comment_that_denies_it_or_names_nothing_that_exists_states_none(comment: str) -> None:
    assert told(comment) == []
