"""The evidence of a description, in a few words."""

from __future__ import annotations

from tribal_contracts import Description


def basis(description: Description) -> str:
    """The distinct evidence of a description: "foreign key, name"; empty if none is recorded.

    Of a model's, who wrote it and how sure that is comes first: "model (60 %) from names".
    """
    known_from = ", ".join(dict.fromkeys(evidence.of for evidence in description.evidence or ()))
    if description.source == "model":
        return " from ".join([f"model ({description.confidence:.0%})".replace("%", " %"), *filter(None, [known_from])])
    return known_from
