"""Kinds of values that must not be shown."""

from __future__ import annotations

import re
from enum import StrEnum


class SensitiveKind(StrEnum):
    """Why a value is hidden; a member's text replaces the value, in square brackets."""

    EMAIL = "email"
    PHONE = "phone"
    PERSON_NAME = "person_name"
    USERNAME = "username"
    ADDRESS = "address"
    COORDINATES = "coordinates"
    BIRTH_DATE = "birth_date"
    DEATH_DATE = "death_date"
    NATIONAL_ID = "national_id"
    IDENTITY_DOCUMENT = "identity_document"
    TAX_ID = "tax_id"
    CARD = "card"
    IBAN = "iban"
    BANK_ACCOUNT = "bank_account"
    INCOME = "income"
    PERSONAL_TRAIT = "personal_trait"
    IP_ADDRESS = "ip_address"
    MAC_ADDRESS = "mac_address"
    CREDENTIALS = "credentials"
    PASSWORD = "password"  # noqa: S105 - the name of a kind
    PASSWORD_HASH = "password_hash"  # noqa: S105 - the name of a kind
    PRIVATE_KEY = "private_key"
    API_KEY = "api_key"
    JWT = "jwt"
    SECRET = "secret"  # noqa: S105 - the name of a kind
    FREE_TEXT = "free_text"
    VALUE = "value"

    @property
    def is_secret(self) -> bool:
        """Whether the value grants access, so that not even its pattern may be shown."""
        return self in _SECRETS


PLACEHOLDER = re.compile(rf"\[(?:{'|'.join(SensitiveKind)})\]")
"""The text that replaces a hidden part."""

_SECRETS = frozenset(
    {
        SensitiveKind.CREDENTIALS,
        SensitiveKind.PASSWORD,
        SensitiveKind.PASSWORD_HASH,
        SensitiveKind.PRIVATE_KEY,
        SensitiveKind.API_KEY,
        SensitiveKind.JWT,
        SensitiveKind.SECRET,
    }
)
