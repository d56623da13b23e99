"""The section `api` of an environment: how callers are authenticated, and limits."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from infra.model import Part
from tribal.capabilities import capabilities


class IamAuth(Part):
    """Callers sign their requests (SigV4) and need `execute-api:Invoke`."""

    mode: Literal["iam"] = "iam"
    rights: list[str] = Field(default_factory=list)
    """The rights that every such caller has besides those of all: to spend money on models, and others that have to be
    named."""

    @field_validator("rights")
    @classmethod
    def _are_rights_to_spend(cls, value: list[str]) -> list[str]:
        tools = [spec for each in capabilities() for group in each.groups for spec in group.tools]
        named = {right for each in capabilities() for right in each.named_rights}
        known = sorted({spec.spends for spec in tools if spec.spends is not None} | named)
        for each in value:
            if each not in known:
                raise ValueError(f"{each!r} is not a right that can be given to all callers: use {', '.join(known)}")
        return value


TokenName = Annotated[str, Field(pattern=r"^[^\s]+$")]


class JwtAuth(Part):
    """Callers send a bearer token of an issuer, checked by a Lambda authorizer."""

    mode: Literal["jwt"]
    issuer: str = Field(pattern=r"^https://[^\s?#]+$")
    """Exactly as its tokens and its discovery document name it, with or without a slash at the end."""
    audience: TokenName | list[TokenName] = Field(min_length=1)
    """The audience of tokens; one of several is enough."""
    org_claim: TokenName | None = None
    teams_claim: TokenName | None = None
    projects_claim: TokenName | None = None
    """The claims with a caller's organization, teams and projects, for memory."""
    audience_claim: Literal["aud", "client_id"] = "aud"
    """The claim that holds the audience: `client_id` for access tokens without `aud`, such as Amazon Cognito's."""
    authorized_parties: list[TokenName] = Field(default_factory=list)
    """Accepted clients, by `azp` or Okta's `cid`; empty for any client."""
    scope_claim: str = Field(min_length=1)
    """The claim that lists the databases (`shop`) and schemas (`shop.sales`) that the caller may see; a token without
    it admits and shows nothing."""

    rights: dict[TokenName, list[TokenName]] = Field(default_factory=dict)
    """The rights that each value of `scope` or `scp` grants; if empty, every token may read everything in its scope."""
    clock_skew_seconds: float = Field(default=30, ge=0, le=300)
    """Accepted clock skew between the issuer and us."""

    @model_validator(mode="after")
    def _parties_are_of_tokens_with_an_audience(self) -> Self:
        if self.audience_claim == "client_id" and self.authorized_parties:
            raise ValueError("authorized_parties: with audience_claim: client_id the audience is the client already")
        return self


class Api(Part):
    """How the tools are served."""

    auth: IamAuth | JwtAuth = Field(default=IamAuth(), discriminator="mode")
    rate_per_second: float = Field(default=20, gt=0, le=10_000)
    burst: int = Field(default=40, ge=1, le=5_000)
    answer_tokens: int = Field(default=3_000, ge=500, le=100_000)
    """Maximum tokens of a tool's default answer; corresponds to `limits.answer_tokens` in `databases.yaml`."""
    account_log_role: bool = True
    """Whether this stack gives API Gateway its role for writing logs; only one per account and region is needed."""
