"""Validate hypotheses, limits, and the texts of marks."""

from __future__ import annotations

from tribal.capabilities.interrogation.errors import HypothesisInvalid
from tribal.masking import find_sensitive
from tribal_contracts.interrogation.sessions import LEAST_ITERATIONS, MAX_HYPOTHESIS_CHARS, MOST_ITERATIONS


def require_hypothesis(text: str) -> str:
    """Return the hypothesis without surrounding white space. Raises the same errors as `require_text`."""
    hint = "write the question that the documentation should answer"
    return require_text(text, "the hypothesis", MAX_HYPOTHESIS_CHARS, hint)


def require_text(text: str, name: str, most: int, hint: str) -> str:
    """Return the text without surrounding white space.

    Args:
        text: the text as given.
        name: name of the text in messages.
        most: maximum number of characters.
        hint: what to write if the text is blank.

    Raises:
        HypothesisInvalid: when it is blank, too long, not valid Unicode, or contains a secret.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise HypothesisInvalid(f"{name} is not valid Unicode") from error
    stripped = text.strip()
    if not stripped:
        raise HypothesisInvalid(f"{name} is blank; {hint}")
    if len(stripped) > most:
        raise HypothesisInvalid(f"{name} has {len(stripped)} characters; at most {most} are allowed")
    if any(span.kind.is_secret for span in find_sensitive(stripped)):
        raise HypothesisInvalid(f"{name} contains what looks like a secret; leave the secret out")
    return stripped


def require_limit(iterations: int) -> int:
    """Return the limit of questions. An invalid limit is refused, not clamped.

    Raises:
        HypothesisInvalid: when it is out of range.
    """
    if not LEAST_ITERATIONS <= iterations <= MOST_ITERATIONS:
        raise HypothesisInvalid(
            f"the iteration limit is {iterations}; it must be from {LEAST_ITERATIONS} to {MOST_ITERATIONS}"
        )
    return iterations
