"""Log-ins by the real connector: what proves who one is, and what does not."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import jwt
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import load_der_private_key
from snowflake.connector.errors import DatabaseError

from tests.fakes.snowflake import FakeSnowflake
from tests.fakes.snowflake.connecting import PASSWORD, ROLE, USER, ask, connect, key_pair, shop
from tests.fakes.snowflake.errors import LoginError
from tests.fakes.snowflake.logins import Doors, fingerprint
from tests.fakes.snowflake.workloads import AUDIENCE, ForwardProxy

WHO = "SELECT CURRENT_USER(), CURRENT_ROLE()"
ARN = "arn:aws:iam::123456789012:role/documenter"
ISSUER = "https://issuer.example.com"


def refusal(fake: FakeSnowflake, **more: Any) -> int | None:
    """The number of the error that a log-in ends with."""
    with pytest.raises(DatabaseError) as caught:
        connect(fake, **more)
    return caught.value.errno


@pytest.fixture
def proxy(snowflake: FakeSnowflake) -> Iterator[ForwardProxy]:
    made = ForwardProxy(snowflake.handle)
    yield made
    made.stop()


def through(proxy: ForwardProxy) -> dict[str, Any]:
    """Arguments that ask for a host of Snowflake's, and come out at the stand-in."""
    return {
        "host": "fake.snowflakecomputing.com",
        "port": 80,
        "proxy_host": "127.0.0.1",
        "proxy_port": proxy.port,
        "authenticator": "WORKLOAD_IDENTITY",
        "user": None,
    }


@pytest.mark.representative
def test_a_key_pair_logs_in_and_another_does_not(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake) as connection:
        assert [*ask(connection, WHO)[0].values()] == [USER, ROLE]
    assert refusal(snowflake, private_key=key_pair(1).private) == 390144
    snowflake.account.users[USER].public_keys.append(key_pair(1).public)
    with connect(snowflake, private_key=key_pair(1).private):
        pass


def test_a_key_pair_is_for_one_user_of_one_account(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.account.user("OTHER", ROLE, public_keys=[key_pair(1).public])
    assert refusal(snowflake, user="OTHER") == 390144
    assert refusal(snowflake, account="another") == 390144


@pytest.mark.parametrize(
    "changes", [{"exp": 1}, {"exp": int(time.time()) + 90_000}, {"sub": "FAKE.OTHER"}, {"iss": "FAKE.TRIBAL"}]
)
def test_a_token_of_a_key_pair_is_checked_claim_by_claim(snowflake: FakeSnowflake, changes: dict[str, Any]) -> None:
    shop(snowflake)
    key = load_der_private_key(key_pair().private, None)
    assert isinstance(key, rsa.RSAPrivateKey)
    now = int(time.time())
    whole = {
        "iss": f"FAKE.{USER}.{fingerprint(key.public_key())}",
        "sub": f"FAKE.{USER}",
        "iat": now,
        "exp": now + 60,
    }
    doors = Doors(snowflake.account)

    def enter(claims: dict[str, Any]) -> str:
        token = jwt.encode(claims, key, "RS256")
        return doors.enter({"LOGIN_NAME": USER, "AUTHENTICATOR": "SNOWFLAKE_JWT", "TOKEN": token}).name

    assert enter(whole) == USER
    with pytest.raises(LoginError, match="390144"):
        enter({**whole, **changes})


def test_passwords_and_second_factors(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    with connect(snowflake, password=PASSWORD):
        pass
    assert refusal(snowflake, password="wrong") == 390100
    assert refusal(snowflake, password=PASSWORD, user="NOBODY") == 390100
    snowflake.account.users[USER].second_factor = True
    assert refusal(snowflake, password=PASSWORD) == 390197
    with connect(snowflake, password=PASSWORD, passcode="123456"):
        pass
    with connect(snowflake):
        pass


def test_oauth_and_programmatic_tokens(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    user = snowflake.account.users[USER]
    user.oauth_tokens.add("from the issuer")
    user.access_tokens.add("made by hand")
    with connect(snowflake, authenticator="OAUTH", token="from the issuer") as connection:
        assert ask(connection, WHO)[0]["CURRENT_USER()"] == USER
    with connect(snowflake, authenticator="PROGRAMMATIC_ACCESS_TOKEN", token="made by hand"):
        pass
    assert refusal(snowflake, authenticator="OAUTH", token="made by hand") == 390303
    assert refusal(snowflake, authenticator="PROGRAMMATIC_ACCESS_TOKEN", token="from the issuer") == 394400


def test_a_strange_role_a_disabled_user_and_one_kept_out_are_refused(snowflake: FakeSnowflake) -> None:
    shop(snowflake)
    snowflake.administer("CREATE ROLE OTHER")
    assert refusal(snowflake, role="OTHER") == 390189
    snowflake.account.users[USER].disabled = True
    assert refusal(snowflake) == 390101
    snowflake.account.users[USER].disabled = False
    snowflake.account.users[USER].kept_out = True
    assert refusal(snowflake) == 390422


def test_a_workload_of_aws_signs_in_by_its_role(
    snowflake: FakeSnowflake, proxy: ForwardProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop(snowflake)
    snowflake.account.users[USER].workloads.add(("AWS", ARN))
    snowflake.workloads.aws["AKIATEST"] = ("secret", "arn:aws:sts::123456789012:assumed-role/documenter/run")
    aws = {"workload_identity_provider": "AWS", **through(proxy)}
    for name, value in {"ACCESS_KEY_ID": "AKIATEST", "SECRET_ACCESS_KEY": "secret", "REGION": "eu-west-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    with connect(snowflake, **aws) as connection:
        assert ask(connection, WHO)[0]["CURRENT_USER()"] == USER
        assert len(ask(connection, "SHOW COLUMNS IN DATABASE SHOP")) == 896
    assert proxy.hosts == {"fake.snowflakecomputing.com"}
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    assert refusal(snowflake, **aws) == 390100
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    snowflake.account.users[USER].workloads.clear()
    assert refusal(snowflake, **aws) == 390100


@pytest.mark.parametrize("changes", [{"X-Amz-Date": "20200101T000000Z"}, {"X-Snowflake-Audience": "elsewhere"}, {}])
def test_a_signed_call_of_aws_is_fresh_and_meant_for_snowflake(
    snowflake: FakeSnowflake, changes: dict[str, str]
) -> None:
    snowflake.workloads.aws["AKIATEST"] = ("secret", ARN)
    snowflake.account.user(USER, ROLE, workloads={("AWS", ARN)})
    url = "https://sts.eu-west-1.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15"
    fresh = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    headers = {"Host": "sts.eu-west-1.amazonaws.com", "X-Snowflake-Audience": AUDIENCE, "X-Amz-Date": fresh, **changes}
    request: Any = AWSRequest("POST", url, headers=headers)
    request.context["timestamp"] = headers["X-Amz-Date"]
    auth: Any = SigV4Auth(Credentials("AKIATEST", "secret"), "sts", "eu-west-1")
    text = auth.string_to_sign(request, auth.canonical_request(request))
    auth._inject_signature_to_request(request, auth.signature(text, request))
    sent = {"url": url, "method": "POST", "headers": dict(request.headers.items())}
    data = {"PROVIDER": "AWS", "TOKEN": base64.b64encode(json.dumps(sent).encode()).decode()}
    if not changes:
        assert snowflake.workloads.enter(data).name == USER
        return
    with pytest.raises(LoginError, match="390100"):
        snowflake.workloads.enter(data)


def test_a_workload_of_an_issuer_signs_in_by_its_token(snowflake: FakeSnowflake, proxy: ForwardProxy) -> None:
    shop(snowflake)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    snowflake.workloads.issuers[ISSUER] = key.public_key()
    snowflake.account.users[USER].workloads.add(("OIDC", f"{ISSUER} documenter"))
    claims = {"iss": ISSUER, "sub": "documenter", "aud": "snowflakecomputing.com", "exp": int(time.time()) + 60}

    def told(change: Callable[[dict[str, Any]], dict[str, Any]] = dict) -> dict[str, Any]:
        token = jwt.encode(change(claims), key, "RS256")
        return {"workload_identity_provider": "OIDC", "token": token, **through(proxy)}

    with connect(snowflake, **told()) as connection:
        assert ask(connection, WHO)[0]["CURRENT_USER()"] == USER
    assert refusal(snowflake, **told(lambda whole: {**whole, "aud": "elsewhere"})) == 390100
    assert refusal(snowflake, **told(lambda whole: {**whole, "exp": 1})) == 390100
    assert refusal(snowflake, **told(lambda whole: {**whole, "sub": "another"})) == 390100


def test_the_connector_sends_no_workload_identity_to_other_hosts(snowflake: FakeSnowflake, proxy: ForwardProxy) -> None:
    shop(snowflake)
    token = jwt.encode({"iss": ISSUER, "sub": "s"}, rsa.generate_private_key(65537, 2048), "RS256")
    oidc = {**through(proxy), "workload_identity_provider": "OIDC", "token": token}
    assert refusal(snowflake, **{**oidc, "host": "snowflake.example.com"}) == 250001
    assert snowflake.requests == []
