"""What the deployed roles may do and never did while the scenarios were played, each with its reason."""

from __future__ import annotations

from tests.e2e.permissions import Grant

REASONS: dict[str, str] = {
    "logs:CreateLogStream": "Lambda itself writes what a function prints",
    "logs:PutLogEvents": "Lambda itself writes what a function prints",
    "xray:PutTelemetryRecords": "the daemon of X-Ray sends the traces; there is none here",
    "xray:PutTraceSegments": "the daemon of X-Ray sends the traces; there is none here",
    "sqs:ChangeMessageVisibility": "Lambda's poller asks for it; here time passes by hand",
    "sqs:GetQueueAttributes": "Lambda's poller asks for it",
}
"""By action."""


def reason_for(grant: Grant) -> str | None:
    """Why a grant is there all the same."""
    return REASONS.get(grant.action)
