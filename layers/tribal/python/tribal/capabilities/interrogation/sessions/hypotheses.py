"""Which hypotheses and limits a session accepts."""

from __future__ import annotations

from tribal.capabilities.interrogation.errors import HypothesisInvalid
from tribal.masking import find_sensitive
from tribal_contracts.interrogation.sessions import LEAST_ITERATIONS, MAX_HYPOTHESIS_CHARS, MOST_ITERATIONS


def require_hypothesis(text: str) -> str:
    """The hypothesis without white space around it.

    Raises:
        HypothesisInvalid: when it is blank, too long, not valid Unicode, or contains a secret.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise HypothesisInvalid("the hypothesis is not valid Unicode") from error
    stripped = text.strip()
    if not stripped:
        raise HypothesisInvalid("the hypothesis is blank; write the question that the documentation should answer")
    if len(stripped) > MAX_HYPOTHESIS_CHARS:
        raise HypothesisInvalid(f"the hypothesis has {len(stripped)} characters; at most {MAX_HYPOTHESIS_CHARS} fit")
    if any(span.kind.is_secret for span in find_sensitive(stripped)):
        raise HypothesisInvalid("the hypothesis contains what looks like a secret; leave it out")
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
