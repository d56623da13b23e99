"""Tokens that must admit no one: forged, altered, for others, out of time, odd; and key servers that fail."""

from __future__ import annotations

import base64
import json
import string
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import jwt

from tests.attack.outcome import Attack, Outcome
from tests.fakes.issuer import RULES, Issuer, jwk, rsa_key
from tribal.edges.http.identity import KeysUnavailable, TokenRefused, identify

Make = Callable[[Random], object]
"""Makes the value of an `Authorization` header."""


def attack(attack: Attack) -> Iterator[Outcome]:
    """Every class of tokens, then the time that keys are trusted."""
    issuer = Issuer()
    random = attack.random("tokens")
    control = sum(_reply(issuer, f"Bearer {issuer.token(sub=_word(random))}") != "admitted" for _ in range(10))
    yield Outcome("good tokens that were refused", 10, control)
    for name, make in _classes(issuer).items():
        tried = attack.times(200, least=8)
        replies = [(header, _reply(issuer, header)) for header in (make(random) for _ in range(tried))]
        failed = [(header, reply) for header, reply in replies if reply != "refused"]
        example = f"{failed[0][1]}: {str(failed[0][0])[:80]}" if failed else ""
        yield Outcome(name, tried, len(failed), example=example)
    yield _outages(attack.times(50, least=5), random, issuer)
    yield _withdrawals(attack.times(20, least=3), random, issuer)


def _reply(issuer: Issuer, header: object) -> str:
    try:
        identify(header, RULES, issuer.keys)
    except TokenRefused:
        return "refused"
    except Exception as error:  # noqa: BLE001 - any other error is what the attack looks for
        return f"error {type(error).__name__}"
    return "admitted"


def _classes(issuer: Issuer) -> dict[str, Make]:
    own = [(issuer.rsa, "RS256", "rsa"), (issuer.rsa, "PS256", "rsa"), (issuer.ec, "ES256", "ec")]
    own.append((issuer.ed, "EdDSA", "ed"))
    theirs = rsa_key()

    def signed(random: Random, **changes: Any) -> str:
        key, algorithm, key_id = random.choice(own)
        return issuer.token(key=key, algorithm=algorithm, key_id=key_id, **changes)

    def altered(random: Random) -> str:
        token = signed(random)
        place = random.randrange(len(token))
        other = random.choice(string.ascii_letters + string.digits + "-_.=!\u00e9\x00")
        return f"Bearer {token[:place]}{other}{token[place + 1 :]}" if other != token[place] else "Bearer"

    def cut(random: Random) -> str:
        token = signed(random)
        return f"Bearer {token[: random.randrange(len(token) - 1)]}"

    def header(random: Random) -> str:
        head = {"alg": _odd(random), "kid": random.choice(["rsa", "ec", _odd(random)]), _word(random): _odd(random)}
        return f"Bearer {_joined(head, issuer.claims(), random.randbytes(256))}"

    def other_kind(random: Random) -> str:
        key, algorithm, key_id = random.choice(own)
        others = [name for _, _, name in own if name != key_id]
        return f"Bearer {issuer.token(key=key, algorithm=algorithm, key_id=random.choice(others))}"

    def claims(random: Random) -> str:
        name = random.choice(["exp", "iss", "aud", "sub", "nbf", "iat", "databases", "jti"])
        odd: Any = _odd(random)
        while _harmless(name, odd):
            odd = _odd(random)
        return f"Bearer {_signed_raw(issuer, {**issuer.claims(), name: odd})}"

    def late(random: Random) -> str:
        now, away = int(time.time()), random.randrange(60, 10**9)
        return (
            f"Bearer {signed(random, **random.choice([{'exp': now - away}, {'nbf': now + away}, {'iat': now + away}]))}"
        )

    return {
        "signed by another key": lambda random: f"Bearer {issuer.token(key=theirs, sub=_word(random))}",
        "unsigned, or by a shared secret": lambda random: f"Bearer {_joined(*_unsigned(random, issuer))}",
        "one character altered": altered,
        "cut": cut,
        "odd headers": header,
        "a key of another kind": other_kind,
        "unknown keys": lambda random: f"Bearer {issuer.token(key_id=_word(random))}",
        "odd claims": claims,
        "for others": lambda random: f"Bearer {signed(random, **{random.choice(['aud', 'iss']): _word(random)})}",
        "out of time": late,
        "random text": lambda random: f"Bearer {''.join(chr(random.randrange(0x110000)) for _ in range(40))}",
        "huge": lambda random: f"Bearer {issuer.token(extra='x' * random.randrange(20_000, 200_000))}",
        "no bearer tokens": lambda random: random.choice([None, 7, b"", [], {}, _word(random), signed(random)]),
    }


def _unsigned(random: Random, issuer: Issuer) -> tuple[Any, Any, bytes]:
    algorithm = random.choice(["none", "None", "NONE", "HS256", "HS384", "HS512", ""])
    return {"alg": algorithm, "kid": "rsa"}, issuer.claims(), random.choice([b"", random.randbytes(32)])


def _joined(header: Any, claims: Any, signature: bytes) -> str:
    parts = (json.dumps(header).encode(), json.dumps(claims).encode(), signature)
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def _signed_raw(issuer: Issuer, claims: Any) -> str:
    """Signed, though PyJWT would not encode such claims."""
    return jwt.api_jws.encode(json.dumps(claims).encode(), issuer.rsa, "RS256", {"kid": "rsa"})


def _odd(random: Random) -> Any:
    """A value of any JSON type."""
    number = random.randrange(-(10**6), 10**6)
    nested: Any = number
    for _ in range(random.randrange(1, 40)):
        nested = [nested]
    values: list[Any] = [None, True, False, number, number * 1e300 * 1e10, float("nan"), number / 7, _word(random)]
    values += ["", {}, [], nested, {_word(random): number}, [number], [None], [{}], "\ud800", "\x00" + _word(random)]
    return random.choice(values)


def _harmless(name: str, value: Any) -> bool:
    """Whether a token with this claim is a good one all the same."""
    if name in ("exp", "nbf", "iat"):
        real = isinstance(value, int | float) and not isinstance(value, bool)
        return real and (name != "exp") and abs(value) < 10**9
    texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
    if name == "databases":
        return (isinstance(value, str) and '"' not in value) or texts
    return (
        name in ("sub", "jti") and isinstance(value, str) and (name == "jti" or (value.isprintable() and value != ""))
    )


def _word(random: Random) -> str:
    return "".join(random.choices(string.ascii_lowercase, k=random.randrange(4, 20)))


def _outages(times: int, random: Random, made: Issuer) -> Outcome:
    """Whatever is in place of the keys, it is an outage and no judgement."""
    failed = []
    for _ in range(times):
        issuer = Issuer(made.rsa, made.ec, made.ed)
        odd = [b"", random.randbytes(50), json.dumps(_odd(random)).encode(), b"{" * random.randrange(10**5)]
        issuer.published = random.choice([None, *odd])
        try:
            identify(f"Bearer {issuer.token()}", RULES, issuer.keys)
            failed.append("admitted")
        except KeysUnavailable:
            continue
        except Exception as error:  # noqa: BLE001 - any other error is what the attack looks for
            failed.append(type(error).__name__)
    return Outcome(
        "outages of the key server that were taken for an answer", times, len(failed), example=str(failed[:1])
    )


def _withdrawals(times: int, random: Random, made: Issuer) -> Outcome:
    """A withdrawn key admits no one ten minutes later, whatever was asked in between."""
    failed = 0
    for _ in range(times):
        issuer = Issuer(made.rsa, made.ec, made.ed)
        token = f"Bearer {issuer.token()}"
        identify(token, RULES, issuer.keys)
        issuer.published = [jwk(made.ec, "ec")]
        for _ in range(10):
            issuer.now += random.randrange(60, 120)
            last = _reply(issuer, token)
        failed += last != "refused"
    return Outcome("withdrawn keys that were still trusted", times, failed)
