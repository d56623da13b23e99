"""What holds of every `Secrets`.

A module that is held to it supplies the fixture `secrets`, which knows `KNOWN` with the value `VALUE`, and the fixture
`rotate`, which gives `KNOWN` another value behind its back.
"""

from __future__ import annotations

from collections.abc import Callable

from tribal.ports import Secrets

KNOWN = "TRIBAL_TEST_SECRET"
VALUE = "first-value"


def test_a_known_secret_is_read_and_never_shown_by_accident(secrets: Secrets) -> None:
    secret = secrets.get(KNOWN)
    assert secret is not None
    assert secret.get_secret_value() == VALUE
    assert VALUE not in f"{secret} {secret!r} {secrets!r}"


def test_an_unknown_secret_is_none(secrets: Secrets) -> None:
    assert secrets.get("NO_SUCH_SECRET") is None
    assert secrets.refresh("NO_SUCH_SECRET") is None


def test_a_name_that_is_none_is_no_secret(secrets: Secrets) -> None:
    for name in ("", "..", "../" + KNOWN, "/" + KNOWN, "a b", KNOWN + "\n"):
        assert secrets.get(name) is None


def test_a_rotated_secret_is_seen_after_a_refresh(secrets: Secrets, rotate: Callable[[str], None]) -> None:
    assert secrets.get(KNOWN) is not None
    rotate("second-value")
    renewed = secrets.refresh(KNOWN)
    assert renewed is not None
    assert renewed.get_secret_value() == "second-value"
    again = secrets.get(KNOWN)
    assert again is not None
    assert again.get_secret_value() == "second-value"
