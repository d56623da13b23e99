"""An issuer of tokens with keys made at run time, whose published key set can change, fail or be odd."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from tribal.edges.http.identity import KeysUnavailable, SigningKeys, TokenRules

ISSUER = "https://login.example.com"
AUDIENCE = "tribal"
CLAIM = "databases"
RULES = TokenRules(ISSUER, frozenset({AUDIENCE}), CLAIM)

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


def rsa_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    """A new RSA key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def jwk(key: PrivateKey, key_id: str, **members: Any) -> dict[str, Any]:
    """The public key as a JWK; a member that is `None` is left out."""
    algorithm: Any = jwt.algorithms.RSAAlgorithm
    if isinstance(key, ec.EllipticCurvePrivateKey):
        algorithm = jwt.algorithms.ECAlgorithm
    elif isinstance(key, ed25519.Ed25519PrivateKey):
        algorithm = jwt.algorithms.OKPAlgorithm
    made = {**json.loads(algorithm.to_jwk(key.public_key())), "kid": key_id, "use": "sig", **members}
    return {name: value for name, value in made.items() if value is not None}


@dataclass
class Issuer:
    """Its clock stands still unless it is moved."""

    rsa: PrivateKey = field(default_factory=rsa_key)
    ec: PrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    ed: PrivateKey = field(default_factory=ed25519.Ed25519PrivateKey.generate)
    published: list[Any] | bytes | None = None
    """The key set, or what is in its place; `None` is an outage."""
    downloads: int = 0
    now: float = 1000.0

    def __post_init__(self) -> None:
        self.published = [jwk(self.rsa, "rsa"), jwk(self.ec, "ec"), jwk(self.ed, "ed")]
        self.keys = SigningKeys(self.download, lambda: self.now)

    def download(self) -> bytes:
        """What the address of the keys answers."""
        self.downloads += 1
        if self.published is None:
            raise KeysUnavailable("no keys")
        return self.published if isinstance(self.published, bytes) else json.dumps({"keys": self.published}).encode()

    def claims(self, **changes: Any) -> dict[str, Any]:
        """Good claims with changes; one that is `None` is left out."""
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": "ada",
            "exp": int(time.time()) + 600,
            CLAIM: ["shop"],
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, *, key: Any = None, algorithm: str = "RS256", key_id: Any = "rsa", **changes: Any) -> str:
        """A signed token."""
        headers = {} if key_id is None else {"kid": key_id}
        return jwt.encode(self.claims(**changes), key or self.rsa, algorithm=algorithm, headers=headers)
