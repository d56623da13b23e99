"""Decides, before anything secret is sent, whether the server may have the login that it asks for.

A server that only pretends to be the one that is meant may ask for the password in clear text, whatever the real one
would do. `require_auth` has libpq's meaning; without it, any server gets everything but a password in clear text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.errors import LoginRefused

if TYPE_CHECKING:
    from tribal.settings.postgres_target import LoginMethod, PostgresTarget

# The authentication requests of PostgreSQL's protocol.
_ACCEPTED = 0
_SASL_FINAL = 12
_METHODS: dict[int, LoginMethod] = {3: "password", 5: "md5", 7: "gss", 9: "sspi", 10: "scram-sha-256"}


class LoginGuard:
    """Watches one login.

    Attributes:
        refusal: why the login was broken off, if it was.
    """

    def __init__(self, target: PostgresTarget) -> None:
        self._target = target
        self._asked: LoginMethod = "none"
        self._proven = False
        self.refusal: LoginRefused | None = None

    def check(self, request: int) -> None:
        """Look at an authentication request of the server.

        Raises:
            LoginRefused: when it must not be answered; the same as `refusal`.
        """
        if request == _ACCEPTED:
            self._check_accepted()
        elif request == _SASL_FINAL:
            self._proven = True
        elif request in _METHODS:
            self._asked = _METHODS[request]
            self._check_method(self._asked)

    def _check_method(self, method: LoginMethod) -> None:
        target = self._target
        if target.login_methods is not None and method not in target.login_methods:
            self._refuse(
                f"{target.place} requests a login by {method!r}, which require_auth does not allow. Change one of the "
                "two, or check that this is the right server."
            )
        trusted = target.verifies_server or target.clear_text_allowed or target.unix_socket is not None
        if method == "password" and not trusted and target.password:
            self._refuse(
                f"{target.place} requests the password in clear text, but nothing proves that it is the right "
                "server. Write sslmode=verify-full, with sslrootcert naming the authority of its certificate; or "
                "let the server request scram-sha-256; or, on a trusted network, write require_auth=password."
            )

    def _check_accepted(self) -> None:
        target = self._target
        if self._asked == "none" and target.login_methods is not None and "none" not in target.login_methods:
            self._refuse(
                f"{target.place} requests no login at all, which require_auth does not allow. Check that this is "
                "the server that you mean."
            )
        if self._asked == "scram-sha-256" and not self._proven:
            self._refuse(
                f"{target.place} did not prove that it knows the password of {target.user!r}. Check that this is "
                "the server that you mean."
            )

    def _refuse(self, message: str) -> None:
        self.refusal = LoginRefused(message, context=self._target.as_context())
        raise self.refusal
