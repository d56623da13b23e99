"""Describes columns by the kind of their content: names, addresses, documents, free text."""

from __future__ import annotations

from tribal.describing.rules.column_facts import ColumnFacts
from tribal.describing.rules.phrases import CONVENTION, LIKELY, DerivedText
from tribal.masking import SensitiveKind

# What a column holds, by the kind that masking detects; {noun} is what a row is called.
_KINDS: dict[SensitiveKind, str] = {
    SensitiveKind.EMAIL: "E-mail address of the {noun}",
    SensitiveKind.PHONE: "Telephone number of the {noun}",
    SensitiveKind.IBAN: "International bank account number (IBAN)",
    SensitiveKind.BANK_ACCOUNT: "Bank account",
    SensitiveKind.CARD: "Payment card",
    SensitiveKind.BIRTH_DATE: "Date of birth",
    SensitiveKind.NATIONAL_ID: "Number by which the state knows a person",
    SensitiveKind.TAX_ID: "Number by which the tax office knows the {noun}",
    SensitiveKind.IDENTITY_DOCUMENT: "Identity document of a person",
    SensitiveKind.ADDRESS: "Part of a postal address",
    SensitiveKind.COORDINATES: "Place on the earth",
    SensitiveKind.IP_ADDRESS: "IP address",
    SensitiveKind.MAC_ADDRESS: "Hardware (MAC) address",
    SensitiveKind.USERNAME: "Name by which a user logs in",
    SensitiveKind.INCOME: "Pay of a person",
}
_PERSON_NAMES = {
    "first name": "Given name of a person",
    "given name": "Given name of a person",
    "middle name": "Middle name of a person",
    "middle initial": "First letter of a person's middle name",
    "last name": "Family name of a person",
    "family name": "Family name of a person",
    "surname": "Family name of a person",
    "full name": "Whole name of a person",
}
# A row that is itself an address or a number does not have another one.
_CONTACT = frozenset("address email phone number contact".split())
_FREE_TEXT = frozenset(
    "comment comments note notes remark remarks description body memo summary text message content".split()
)
_TYPES = {
    "json": "A JSON document whose structure is not declared",
    "list": "A list of values",
    "binary": "Binary data",
}


def describe_content(facts: ColumnFacts) -> DerivedText | None:
    """Describe what the column holds, if its kind is known."""
    return _by_type(facts) or _sensitive(facts) or _name(facts) or _free_text(facts)


def _sensitive(facts: ColumnFacts) -> DerivedText | None:
    kind = facts.sensitive
    if kind is None:
        return None
    if kind.is_secret:
        return f"A secret, of which nothing is shown{facts.suggestion}.", LIKELY
    phrase = _KINDS.get(kind)
    if phrase is None:
        return None
    if kind is SensitiveKind.BIRTH_DATE and facts.words[1:] == ["of", "birth"]:
        return f"{facts.name.capitalize()}.", CONVENTION
    if not _CONTACT.isdisjoint(facts.noun.lower().split()):
        phrase = phrase.removesuffix(" of the {noun}")
    suggestion = "" if len(facts.words) == 1 else facts.suggestion
    return f"{phrase.format(noun=facts.noun)}{suggestion}.", CONVENTION if not suggestion else LIKELY


def _name(facts: ColumnFacts) -> DerivedText | None:
    if facts.family not in ("text", "other"):
        return None
    personal = _PERSON_NAMES.get(facts.name)
    if personal is not None:
        return f"{personal}.", CONVENTION
    if facts.name in ("name", "title", "label"):
        return f"{facts.name.capitalize()} of the {facts.noun}.", CONVENTION
    return None


def _free_text(facts: ColumnFacts) -> DerivedText | None:
    if facts.family != "text" or facts.values or _FREE_TEXT.isdisjoint(facts.words[-1:]):
        return None
    return f"Free text about the {facts.noun}{facts.suggestion}.", LIKELY


def _by_type(facts: ColumnFacts) -> DerivedText | None:
    phrase = _TYPES.get(facts.family)
    return (f"{phrase}{facts.suggestion}.", LIKELY) if phrase else None
