"""The law of integrity: phrases that are refused, whatever else the question asks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tribal.capabilities.chat.laws.normalising import WHITE_SPACE, normalised, readings
from tribal.capabilities.chat.laws.orders import orders_a_change
from tribal.capabilities.chat.laws.verdicts import APPROVED, LawVerdict
from tribal.errors import missing_package
from tribal_contracts.chat.settings import Profile

TURNS = 4
"""Number of the user's last turns that are searched for split phrases, in addition to the question alone."""
_PHRASES = ("write code for", "solve assignment")
"""Source: chat specification, 2."""
_TUTOR_REASON = (
    "This asks for a complete solution to graded work, which is not provided. Ask about the material instead."
)
_CATALOG_REASON = (
    "This asks for masked or secret values, for rows about people, or for SQL that writes. The chat knows documents,"
    " not rows: ask which tables and columns contain something, what they mean, or how to query them."
)
CHANGE_REASON = (
    "This asks for data to be changed, but nothing can be changed here. Ask what is documented about it instead."
)
_OWN_REASON = "This collection does not answer questions of this kind."


def _words(text: str) -> str:
    """Return a pattern for these words with any white space, or none, between them."""
    return f"{WHITE_SPACE}*".join(map(re.escape, text.split()))


_TUTOR = tuple(re.compile(_words(phrase)) for phrase in _PHRASES)

_PEOPLE = (
    r"(?:customer|client|patient|employee|user|people|person|student|member|subscriber|colleague|staff|applicant"
    r"|contact|visitor|citizen|donor|guest|passenger|tenant|voter)s?"
)
_HIDDEN = (
    r"(?:password|passphrase|passwd|pin code|api key|access key|private key|secret key|secret|credential|access token"
    r"|auth token|card number|credit card|cvv|iban|social security number|ssn|tax id|passport number)s?"
)
_SHOW = (
    r"(?:show|give|list|print|tell|send|reveal|return|display|output|dump|export|expose|leak|extract|fetch|get|provide"
    r"|recite|read out|unmask|decrypt|what is|what are|what's|whats)"
)
_VALUES = tuple(
    re.compile(pattern)
    for pattern in (
        # Masked or secret values.
        rf"\b{_SHOW}\b(?: me| us| out)?(?: all| every| each)?(?: of)?(?: the| our| their| his| her)?(?: \w+){{0,3}}?"
        rf" {_HIDDEN}(?: value| hashe?)?s?(?: of| for| from| belonging)\b(?! columns?| tables?| fields?)",
        rf"\b{_SHOW}\b(?: me| us)?(?: all)? (?:the |our |their )?(?:actual |real |plain(?:text)? |clear ?text |raw )"
        rf"{_HIDDEN}\b",
        r"\b(?:unmask|unredact|de-?anonymi[sz]e|decrypt|deobfuscate)\w*\b",
        r"\b(?:the|all|any|every|real|actual|original) (?:masked|redacted|hidden|unmasked|secret|censored)"
        r"(?: \w+)? (?:value|content|data|entrie|entry|sample)s?\b",
        # Rows about people.
        rf"\b(?:rows?|records?|entries|personal (?:data|details|information)|private (?:data|details|information)"
        rf"|contact (?:data|details|information)|data set|raw data) (?:of|about|on|for|from) (?:all |every |each |the"
        rf" |our |any )*(?:\w+ )?{_PEOPLE}\b",
        rf"\b(?:dump|export|download|leak) (?:all |every |the |our |me )*(?:\w+ )?{_PEOPLE}\b",
        rf"\b{_SHOW}\b(?: me| us) (?:all |every |the |our )*(?:\w+ )?{_PEOPLE}'?s?'? (?:row|record|personal data)s?\b",
    )
)
"""Requests for masked or secret values, and for rows about people."""
_JOINED_VALUES = re.compile(
    rf"(?:(?:dump|export|download|leak)(?:all|every|the|our|me)+\w{{0,20}}?{_PEOPLE}"
    rf"|{_SHOW.replace(' ', '')}(?:me|us)?(?:all|every|the|our"
    rf"|their)+(?:{_HIDDEN.replace(' ', '')}(?:of|for|from|belonging)"
    rf"|(?:actual|real|plain|plaintext|raw){_HIDDEN.replace(' ', '')}"
    rf"|(?:masked|redacted|hidden|secret|censored)\w{{0,20}}?(?:value|content|data|entrie|sample)"
    rf"|(?:row|record|entrie|personaldata|contactdata)s?(?:of|about|on|for|from)(?:all|every|the"
    rf"|our)*\w{{0,20}}?{_PEOPLE}))"
)
"""The same requests without white space between the words."""
_STRUCTURE_PREFIX = re.compile(
    r"^(?:(?:in|from|for|on|within|using)\b[^,:;]{0,60}\b(?:table|schema|column)s?|the [\w.]+ table"
    r"|[\w.]+ table)\b\s?[,:;-]?\s?"
)
"""Names a place, such as a table, without asking about it."""
_ABOUT_STRUCTURE = re.compile(
    r"\b(?:column|table|field|attribute|schema|stored|documented|data type|datatype|mean|meaning|defined|definition"
    r"|masked\?|which|where|why|how is|how are|how do we (?:mask|store|protect)|policy|policies)s?\b"
)
"""Questions about secret columns, which are answered."""


class PatternsUnusable(Exception):
    """A pattern of a collection cannot be used."""


def integrity(
    question: str, earlier: Sequence[str], profile: Profile, own: Iterable[str] = (), meant: str | None = None
) -> LawVerdict:
    """Check whether a question contains a refused phrase: as typed, as completed, or joined with the turns before it.

    Args:
        question: the user's current turn, as typed.
        earlier: the user's turns before it, oldest first.
        profile: the profile whose phrases apply.
        own: the collection's own patterns, in RE2 syntax.
        meant: the question as completed; as typed if unset.

    Raises:
        PatternsUnusable: when a pattern of the collection cannot be compiled.
    """
    alone = (question, meant or question)
    last = (*earlier[-(TURNS - 1) :], question)
    # A phrase may be cut between words or within one.
    asked = dict.fromkeys((*alone, " ".join(last), "".join(last)))
    texts = dict.fromkeys(map(normalised, asked))
    if profile == "tutor" and any(pattern.search(text) for pattern in _TUTOR for text in texts):
        return LawVerdict(False, _TUTOR_REASON)
    if profile == "catalog" and any(map(_is_refused_by_catalog, asked)):
        return LawVerdict(False, _CATALOG_REASON)
    if any(pattern.search(text) for pattern in compiled(own) for text in (*texts, *alone)):
        return LawVerdict(False, _OWN_REASON)
    return APPROVED


def order_to_change(question: str) -> LawVerdict:
    """Check whether a question that was asked without a collection is an order to change data."""
    return LawVerdict(False, CHANGE_REASON) if any(map(orders_a_change, readings(question))) else APPROVED


def _is_refused_by_catalog(text: str) -> bool:
    if any(map(orders_a_change, readings(text))):
        return True
    return any(
        not _ABOUT_STRUCTURE.search(_STRUCTURE_PREFIX.sub("", each))
        and (any(pattern.search(each) for pattern in _VALUES) or _JOINED_VALUES.search(each))
        for each in readings(text)
    )


def compiled(patterns: Iterable[str]) -> list[re.Pattern[str]]:
    """Compile RE2 patterns, ignoring case.

    Raises:
        PatternsUnusable: when a pattern cannot be compiled, or RE2 is not installed.
    """
    listed = list(patterns)
    if not listed:
        return []
    try:
        import re2
    except ModuleNotFoundError as error:
        raise PatternsUnusable(missing_package("google-re2", "a collection with patterns", "chat")) from error
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        return [re2.compile(each, options) for each in listed]
    except re2.error as error:
        raise PatternsUnusable(f"a pattern of the collection is not valid RE2 syntax: {error}") from error
