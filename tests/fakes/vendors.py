"""Issuers as five vendors document them: where they publish, and what is in a token. Facts of 2026, read by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.issuer import Issuer, jwk
from tribal.edges.http.identity import KeysUnavailable, SigningKeys, TokenRules, download_keys

TENANT = "11111111-2222-3333-4444-555555555555"
APPLICATION = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
CLIENT = "57cbishk4j24pabc1234567890"


@dataclass(frozen=True)
class Vendor:
    """An issuer with a token of it."""

    name: str
    issuer: str
    discovery: str
    keys: str
    claims: dict[str, Any]
    """Of a token that is meant for us, next to `iss` and the times."""
    rules: dict[str, Any]
    """What an environment says of it, next to the issuer and the claim of the scope."""
    others: tuple[dict[str, Any], ...] = ()
    """Changes of the claims that make it a token for someone else; `None` leaves a claim out."""

    def token_rules(self, claim: str = "databases") -> TokenRules:
        """The rules that an environment for this vendor makes."""
        return TokenRules(issuer=self.issuer, scope_claim=claim, **self.rules)


KEYCLOAK = Vendor(
    # An access token does not name its own client as audience, but those whose roles it carries, such as `account`;
    # `azp` is the client: https://www.keycloak.org/docs/latest/server_admin/index.html#audience-support
    # Addresses of a realm: https://www.keycloak.org/securing-apps/oidc-layers
    name="Keycloak",
    issuer="https://sso.example.com/realms/company",
    discovery="https://sso.example.com/realms/company/.well-known/openid-configuration",
    keys="https://sso.example.com/realms/company/protocol/openid-connect/certs",
    claims={"aud": "account", "azp": "tribal-web", "typ": "Bearer", "sub": "f1c4f64e"},
    rules={"audience": frozenset({"account"}), "authorized_parties": frozenset({"tribal-web"})},
    others=({"azp": "other-web"}, {"azp": None}, {"aud": None}, {"aud": ["realm-management"]}, {"azp": ["tribal-web"]}),
)
KEYCLOAK_MAPPED = Vendor(
    # With an audience mapper, as the same page advises.
    name="Keycloak with an audience mapper",
    issuer=KEYCLOAK.issuer,
    discovery=KEYCLOAK.discovery,
    keys=KEYCLOAK.keys,
    claims={"aud": ["tribal", "account"], "azp": "any-web", "sub": "f1c4f64e"},
    rules={"audience": frozenset({"tribal"})},
    others=({"aud": "account"}, {"aud": None}),
)
OKTA = Vendor(
    # A custom authorization server has its own issuer and audience; `cid` is the client, `sub` the login:
    # https://developer.okta.com/docs/guides/validate-access-tokens/
    # https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/
    name="Okta",
    issuer="https://company.okta.com/oauth2/default",
    discovery="https://company.okta.com/oauth2/default/.well-known/openid-configuration",
    keys="https://company.okta.com/oauth2/default/v1/keys",
    claims={"aud": "api://default", "cid": "0oa1tribal", "uid": "00u1ada", "sub": "ada@example.com", "scp": ["openid"]},
    rules={"audience": frozenset({"api://default"}), "authorized_parties": frozenset({"0oa1tribal"})},
    others=({"cid": "0oa2other"}, {"cid": None}, {"aud": "api://other"}, {"azp": "0oa2other"}),
)
ENTRA = Vendor(
    # Of version 2.0: `iss` ends in /v2.0, `aud` is the application id of the API, `azp` the client:
    # https://learn.microsoft.com/en-us/entra/identity-platform/access-token-claims-reference
    name="Entra, version 2.0",
    issuer=f"https://login.microsoftonline.com/{TENANT}/v2.0",
    discovery=f"https://login.microsoftonline.com/{TENANT}/v2.0/.well-known/openid-configuration",
    keys=f"https://login.microsoftonline.com/{TENANT}/discovery/v2.0/keys",
    claims={"aud": APPLICATION, "azp": "client", "tid": TENANT, "ver": "2.0", "sub": "pairwise"},
    rules={"audience": frozenset({APPLICATION, f"api://{APPLICATION}"})},
    others=(
        {"aud": "00000003-0000-0000-c000-000000000000"},
        {"iss": f"https://login.microsoftonline.com/{APPLICATION}/v2.0"},
    ),
)
ENTRA_V1 = Vendor(
    # Of version 1.0 (the same page): `aud` may be the URI of the API, and `iss` ends in a slash.
    name="Entra, version 1.0",
    issuer=f"https://sts.windows.net/{TENANT}/",
    discovery=f"https://sts.windows.net/{TENANT}/.well-known/openid-configuration",
    keys="https://login.microsoftonline.com/common/discovery/keys",
    claims={"aud": f"api://{APPLICATION}", "appid": "client", "tid": TENANT, "ver": "1.0", "sub": "pairwise"},
    rules=ENTRA.rules,
    others=({"aud": "https://graph.microsoft.com"}, {"iss": f"https://sts.windows.net/{TENANT}"}),
)
GOOGLE = Vendor(
    # An ID token, whose `iss` has two spellings, `aud` is a client id and `azp` who presents it; keys are on another
    # host: https://developers.google.com/identity/openid-connect/reference
    name="Google",
    issuer="https://accounts.google.com",
    discovery="https://accounts.google.com/.well-known/openid-configuration",
    keys="https://www.googleapis.com/oauth2/v3/certs",
    claims={"aud": "web.apps.googleusercontent.com", "azp": "phone.apps.googleusercontent.com", "sub": "1076915035"},
    rules={
        "audience": frozenset({"web.apps.googleusercontent.com"}),
        "authorized_parties": frozenset({"phone.apps.googleusercontent.com"}),
    },
    others=({"azp": "other.apps.googleusercontent.com"}, {"aud": "other.apps.googleusercontent.com"}),
)
COGNITO = Vendor(
    # An access token: `client_id`, `token_use` access, and no `aud`:
    # https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
    name="Cognito, access token",
    issuer="https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_example",
    discovery="https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_example/.well-known/openid-configuration",
    keys="https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_example/.well-known/jwks.json",
    claims={"client_id": CLIENT, "token_use": "access", "username": "ada", "sub": APPLICATION, "scope": "openid"},
    rules={"audience": frozenset({CLIENT}), "audience_claim": "client_id"},
    others=(
        {"client_id": "other"},
        {"client_id": None},
        {"client_id": [CLIENT]},
        {"token_use": "id"},
        {"token_use": None},
        {"aud": CLIENT},
        {"aud": "https://another.example.com"},
        {"aud": ""},
        {"aud": CLIENT, "client_id": None, "token_use": "id"},
    ),
)
COGNITO_ID = Vendor(
    # An ID token: `aud` is the client, and `token_use` id:
    # https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html
    name="Cognito, ID token",
    issuer=COGNITO.issuer,
    discovery=COGNITO.discovery,
    keys=COGNITO.keys,
    claims={"aud": CLIENT, "token_use": "id", "cognito:username": "ada", "sub": APPLICATION},
    rules={"audience": frozenset({CLIENT})},
    others=({"aud": "other"}, {"aud": None, "client_id": CLIENT, "token_use": "access"}),
)
VENDORS = (KEYCLOAK, KEYCLOAK_MAPPED, OKTA, ENTRA, ENTRA_V1, GOOGLE, COGNITO, COGNITO_ID)


@dataclass
class Web:
    """The addresses at which a vendor publishes, and nothing else."""

    vendor: Vendor
    made: Issuer
    asked: list[str] = field(default_factory=list)
    now: float = 1000.0

    def __post_init__(self) -> None:
        self.pages: dict[str, bytes | None] = {
            self.vendor.discovery: None,
            self.vendor.keys: json.dumps({"keys": [jwk(self.made.rsa, "rsa")]}).encode(),
        }
        self.keys = SigningKeys(lambda: download_keys(self.vendor.issuer, self.fetch), lambda: self.now)
        self.publish()

    def publish(self, **changes: Any) -> None:
        """Publish the discovery document with changes."""
        document = {"issuer": self.vendor.issuer, "jwks_uri": self.vendor.keys, **changes}
        self.pages[self.vendor.discovery] = json.dumps(document).encode()

    def fetch(self, url: str, timeout_seconds: float) -> bytes:
        """What is at an address; anything else is an outage."""
        assert 0 <= timeout_seconds <= 5
        self.asked.append(url)
        if (page := self.pages.get(url)) is None:
            raise KeysUnavailable(f"nothing from {url!r}")
        return page

    def token(self, **changes: Any) -> str:
        """A token of the vendor, signed, with changes of its claims."""
        claims = {"iss": self.vendor.issuer, "aud": None, **self.vendor.claims, **changes}
        return self.made.token(**claims)
