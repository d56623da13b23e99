"""What must not be published."""

from __future__ import annotations

from tests.cases import each_case
from tribal.capabilities.contribution.gate.screening import new_addresses, problem_of


@each_case(
    "text, expected",
    [
        ("Ask ann.lee@example.org about it.", "email"),
        ("The key is AKIAIOSFODNN7EXAMPLE.", "secret data"),
        ("password: hunter2-Blue!9", "secret data"),
        ("reads \u202eleft", "U+202E"),
        ("zero\u200bwidth", "U+200B"),
        ("red \x1b[31m", "U+001B"),
        ("tag \U000e0041", "U+E0041"),
    ],
)
def test_secrets_personal_data_and_unseen_characters_are_refused(text: str, expected: str) -> None:
    problem = problem_of(text)
    assert problem is not None
    assert expected in problem


@each_case(
    "text",
    [
        "Gross yearly salary at full time, in euro cents.",
        'It\'s 100% of the net price: \\ and $1, in "euro"\nsecond line 🎉',
        "'; DROP TABLE x; --",
        "{{ doc('x') }} !!python/object",
        "family 👨‍👩‍👧 and ❤️",
        "नमस्ते क्‍ष",
        "Hash of the customer's password.",
    ],
)
def test_ordinary_texts_pass(text: str) -> None:
    assert problem_of(text) is None


def test_addresses_of_unknown_hosts_are_new() -> None:
    text = "See https://wiki.example.com/a and (https://evil.example.net/x)."
    assert new_addresses(text, ["https://wiki.example.com/"]) == ["https://evil.example.net/x"]
