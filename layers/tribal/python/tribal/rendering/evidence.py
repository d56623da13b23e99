"""What a description rests on, in a few words."""

from __future__ import annotations

from tribal_contracts import Description


def basis(description: Description) -> str:
    """What the sentences of a description rest on, each once: "foreign key, name"; empty if nothing is recorded."""
    return ", ".join(dict.fromkeys(evidence.of for evidence in description.evidence or ()))
