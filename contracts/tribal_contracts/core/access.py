"""Who may ask a server of this project: its own tokens, and what it takes from an issuer. Extension contracts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from tribal_contracts.core.shape import ClosedContract, ContentHash, Contract, ISOTimestamp, Unset, optional

TokenName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
_PublicUrl = Annotated[str, StringConstraints(pattern=r"^https?://[^\s?#/]+(/[^\s?#]*[^\s?#/])?$")]
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
    """The section `serve` of `databases.yaml`: who may ask `tribal serve`."""

    issuer: Annotated[str, StringConstraints(pattern=r"^https://[^\s?#]+$")] | Unset = optional(
        "OpenID Connect issuer whose tokens are accepted, exactly as in its discovery document."
    )
    audience: list[_Text] = Field(
        default_factory=list, description="Accepted audiences of tokens; required with an issuer."
    )
    audience_claim: Literal["aud", "client_id"] = Field(
        default="aud", description="Claim with the audience; `client_id` for access tokens of Amazon Cognito."
    )
    scope_claim: str = Field(
        default="databases", min_length=1, description="Claim with the databases and schemas that a caller may see."
    )
    org_claim: _Text | Unset = optional("Claim with the caller's organization, for memory.")
    teams_claim: _Text | Unset = optional("Claim with the caller's teams, for memory.")
    projects_claim: _Text | Unset = optional("Claim with the caller's projects, for memory.")
    authorized_parties: list[_Text] = Field(
        default_factory=list, description="Clients to which tokens may be issued. By default all."
    )
    rights: dict[str, list[_Text]] = Field(
        default_factory=dict,
        description="Rights of each value of the token's `scope` or `scp`. By default every token may read.",
    )
    clock_skew_seconds: float = Field(
        default=30, ge=0, le=300, description="Allowed difference between the issuer's clock and ours."
    )
    require_token: bool = Field(default=False, description="Whether callers on this machine need a token too.")
    public_url: _PublicUrl | Unset = optional(
        "Address of the server through a proxy, such as https://catalog.example.com. Requires a token."
    )
    hosts: list[_Text] = Field(default_factory=list, description="More host names of the server. Requires a token.")
    origins: list[_Text] = Field(
        default_factory=list,
        description="Other sites whose pages may call the server from a browser, such as https://portal.example.com.",
    )
    requests_per_minute: int = Field(
        default=1_200, ge=1, le=1_000_000, description="Most requests per minute and token."
    )
