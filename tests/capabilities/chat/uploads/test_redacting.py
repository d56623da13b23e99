"""Secrets and personal data do not get into passages; names of persons do."""

from __future__ import annotations

from tests.capabilities.memory.test_content import SECRETS
from tests.cases import each_case
from tribal.capabilities.chat.uploads.redacting import redacted

KEY = "-----BEGIN PRIVATE KEY-----\n" + "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCsdf7s6df87s6df8sdfxyz"] * 40)


@each_case("text", SECRETS)
def test_a_secret_is_replaced(text: str) -> None:
    shown, parts = redacted(text)
    assert shown != text
    assert parts >= 1
    assert redacted(shown) == (shown, 0)


def test_personal_data_is_replaced_and_names_of_persons_stay() -> None:
    text = "Ask Grace Hopper, grace.hopper@example.com or +1 202 555 0143, IBAN GB29 NWBK 6016 1331 9268 19."
    assert redacted(text) == ("Ask Grace Hopper, [email] or [phone], IBAN [iban].", 3)


def test_a_key_that_is_longer_than_a_passage_is_replaced_as_a_whole() -> None:
    shown, parts = redacted(f"Use this key:\n{KEY}\n-----END PRIVATE KEY-----\nand no other.")
    assert "MII" not in shown
    assert shown.startswith("Use this key:")
    assert shown.endswith("and no other.")
    assert parts == 1


def test_text_without_either_is_unchanged() -> None:
    text = "Refunds within 14 days need the receipt. See page 3."
    assert redacted(text) == (text, 0)
