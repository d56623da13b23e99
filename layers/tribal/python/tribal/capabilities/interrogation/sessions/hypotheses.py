"""Which hypotheses and limits a session accepts, and which texts a mark."""

from __future__ import annotations

from tribal.capabilities.interrogation.errors import HypothesisInvalid
from tribal.masking import find_sensitive
from tribal_contracts.interrogation.sessions import LEAST_ITERATIONS, MAX_HYPOTHESIS_CHARS, MOST_ITERATIONS


def require_hypothesis(text: str) -> str:
    """Return the hypothesis without white space around it; raises as `require_text` does."""
    hint = "write the question that the documentation should answer"
    return require_text(text, "the hypothesis", MAX_HYPOTHESIS_CHARS, hint)


def require_text(text: str, name: str, most: int, hint: str) -> str:
    """Return the text without white space around it.

    Args:
        text: as it was given.
        name: what to call it in messages.
        most: the most characters.
        hint: what to write instead of nothing.

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
        raise HypothesisInvalid(f"{name} has {len(stripped)} characters; at most {most} fit")
    if any(span.kind.is_secret for span in find_sensitive(stripped)):
        raise HypothesisInvalid(f"{name} contains what looks like a secret; leave it out")
    return stripped


def require_limit(iterations: int) -> int:
    """The limit of iterations, which is refused rather than clamped.

    Raises:
        HypothesisInvalid: when it is outside its range.
    """
    if not LEAST_ITERATIONS <= iterations <= MOST_ITERATIONS:
        raise HypothesisInvalid(
            f"the limit of iterations is {iterations}; it must be {LEAST_ITERATIONS} to {MOST_ITERATIONS}"
        )
    return iterations
