"""Who may ask a server of this project: its own tokens, and what it takes from an issuer. Extension contracts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from tribal_contracts.core.shape import ClosedContract, ContentHash, Contract, ISOTimestamp, Unset, optional

TokenName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
_Text = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class AccessToken(Contract):
    """One bearer token of our own; the token itself is nowhere."""

    name: TokenName
    token_hash: ContentHash
    """SHA-256 of the token, which has 256 random bits."""
    scope: list[str]
    """Databases and schemas that its bearer may see, as `database` or `database.schema`."""
    rights: list[str]
    created_at: ISOTimestamp
    expires_at: ISOTimestamp
    owner: str | Unset = optional("Extension: the person who created it, as `user:name@host`.")


class AccessTokens(Contract):
    """The tokens that `tribal serve` takes. File: `access/tokens.json`, changed only by conditional put."""

    schema_version: Literal["1.0"]
    tokens: list[AccessToken]


class ServeSettings(ClosedContract):
    """The part `serve` of `databases.yaml`: whom `tribal serve` answers."""

    issuer: str | Unset = optional(
        "Issuer of OpenID Connect whose tokens are taken, exactly as its discovery document names itself.",
        pattern=r"^https://[^\s?#]+$",
    )
    audience: list[_Text] = Field(default_factory=list, description="Whom tokens must be for; one of these.")
    audience_claim: Literal["aud", "client_id"] = Field(
        default="aud", description="client_id for access tokens without an audience, as Amazon Cognito issues."
    )
    scope_claim: str = Field(
        default="databases", min_length=1, description="The claim that names databases and schemas to see."
    )
    org_claim: _Text | Unset = optional("The claim that names the bearer's organization, for memory.")
    teams_claim: _Text | Unset = optional("The claim that names the bearer's teams.")
    projects_claim: _Text | Unset = optional("The claim that names the bearer's projects.")
    authorized_parties: list[_Text] = Field(
        default_factory=list, description="The clients to which tokens may have been issued; unset, all."
    )
    rights: dict[str, list[_Text]] = Field(
        default_factory=dict,
        description="The rights of each value of the token's scope or scp; unset, every token may read everything.",
    )
    clock_skew_seconds: float = Field(
        default=30, ge=0, le=300, description="How far the issuer's clock and this one may be apart."
    )
    require_token: bool = Field(default=False, description="Whether a token is demanded on this machine too.")
    public_url: str | Unset = optional(
        "Where people reach the server through a proxy, such as https://catalog.example.com.",
        pattern=r"^https?://[^\s?#/]+(/[^\s?#]*[^\s?#/])?$",
    )
    hosts: list[_Text] = Field(default_factory=list, description="Names by which the server may be addressed.")
    origins: list[_Text] = Field(
        default_factory=list,
        description="Other sites whose pages may call the server from a browser, such as https://portal.example.com.",
    )
    requests_per_minute: int = Field(
        default=1_200, ge=1, le=1_000_000, description="How many requests a bearer of a token may send."
    )
