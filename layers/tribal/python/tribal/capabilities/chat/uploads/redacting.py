"""Removes secrets and personal data from what is stored of a file."""

from __future__ import annotations

from tribal.masking import redact_shared


def redacted(text: str) -> tuple[str, int]:
    """A page with everything that looks like a secret or personal data replaced, and how many parts were.

    Names of persons stay, as in memories of shared layers. Give it whole pages: a key may be longer than a passage.
    """
    return redact_shared(text)
