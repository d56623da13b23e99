"""Remove secrets and personal data from what is stored of a file."""

from __future__ import annotations

from tribal.masking import redact_shared


def redacted(text: str) -> tuple[str, int]:
    """Replace everything that looks like a secret or personal data; return the text and the number of replacements.

    Names of people are not replaced, as in memories of shared layers. Pass whole pages: a key may be longer than a
    passage.
    """
    return redact_shared(text)
