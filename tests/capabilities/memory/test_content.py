"""What may be remembered. The sentences were written before the rule was looked at."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from tribal.capabilities.memory.content import masked_content
from tribal.capabilities.memory.errors import MemoryContentRefused

_KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
SECRETS = [
    "the password is hunter2",
    "The database password is 'Tr0ub4dor&3'",
    "pwd: S3cr3t!",
    "password=letmein99",
    "Password for the admin account is Summer2026!",
    "root password: x7Gh-22-kq",
    "my PIN is 4711",
    "The PIN of the card is 90210",
    "PIN: 1234",
    "the passphrase is 'correct horse battery staple'",
    "api key = sk-proj-4f9a8b7c6d5e4f3a2b1c",
    "API key is 9f86d081884c7d659a2feaa0c55ad015",
    "the api-key for the weather service: wx_9Kd82hsLq01",
    "use token ghp_16C7e42F292c6912E7710c838347Ae178B4a to push",
    "the access token is ya29.a0AfH6SMBx7-3kd9",
    "token: 8f14e45fceea167a5a36dedd4bea2543",
    "secret: 7kJ2!mQ9",
    "client secret is Zx81-Qw77-Lp40",
    "aws_access_key_id AKIAIOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    f"-----BEGIN PRIVATE KEY-----\n{_KEY}\n-----END PRIVATE KEY-----",
    "connect with postgres://app:s3cretPw@db.internal:5432/shop",
    "mysql://root:toor99@10.0.0.5/app is the staging server",
    "amqp://svc:Gu35t!x@mq:5672/ is the queue",
    "the customer's card is 4111 1111 1111 1111",
    "charge 5500005555555559 for the test",
    "refund to DE89370400440532013000",
    "their IBAN is GB82 WEST 1234 5698 7654 32",
    "Das Passwort ist Geheim123!",
    "Passwort: Sommer2026",
    "das Kennwort lautet 'apfelbaum'",
    "le mot de passe est Bonjour42",
    "mot de passe : Soleil!75",
    "la contraseña es Madrid2024",
    "contraseña: perro88",
    "a senha é Lisboa77",
    "credentials are admin / Passw0rd!",
    "SLACK_TOKEN=xoxb-1234567890-abcdefghijkl",
]
NO_SECRETS = [
    "The password column is users.pwd_hash_v2",
    "The signature is sweet! Have you been reading anything?",
    "What's your favorite cookie to make?",
    "The token expires after 3600 seconds",
    "PIN codes have 4 digits",
    "the secret is stored in AWS Secrets Manager under prod/db1",
    "The password is read from the environment variable DB_PASSWORD_2",
    "The password is DB_PASSWORD_2 in the environment",
    "Passwords are hashed with bcrypt, cost 12",
    "The password policy is at least 12 characters",
    "password length is 64 at most",
    "The token limit is 4096",
    "the token count is 20000 a day",
    "token lifetime: 86400 seconds",
    "The API key is rotated every 90 days",
    "api keys are kept in vault at kv/prod/api_keys_v3",
    "the access key is in the table auth.access_key_2024",
    "The secret is mounted at /run/secrets/db1",
    "The secret is that orders before 2019 have no tax rows",
    "The password table is auth.credentials_v2",
    "password_reset_token is a column of app_user",
    "credentials are issued by team platform-2",
    "The pin column is orders.pin_code1",
    "The PIN field is char(6)",
    "tokens are counted with cl100k_base",
    "The token is a JWT signed with RS256",
    "secret: see the runbook, chapter 4",
    "password: ask the on-call engineer",
    "The password is required since version 2.4",
    "pwd is short for present working directory",
    "API key scope is read_only2",
    "The session cookie is set by auth.service.v2",
    "Sessions have a cookie that ends after 30 minutes",
    "The token budget is 2500 for tools/list",
    "Das Passwort steht in der Spalte benutzer.kennwort_hash2",
    "Die PIN hat 6 Stellen",
    "Le mot de passe est obligatoire depuis 2020",
    "la contraseña es obligatoria desde 2021",
    "Revenue leaves void invoices out of every report since 2023-01-01",
    "The order 4711 of customer 90210 was paid in 3 parts",
]


def test_there_are_as_many_as_was_promised() -> None:
    assert (len(SECRETS), len(NO_SECRETS)) == (40, 40)


@each_case("layer", ["user", "project"])
@each_case("sentence", SECRETS)
def test_a_secret_is_refused_in_every_layer(sentence: str, layer: str) -> None:
    with pytest.raises(MemoryContentRefused) as refused:
        masked_content(sentence, layer)
    assert "leave it out" in refused.value.message
    assert sentence not in refused.value.message


@each_case("sentence", NO_SECRETS)
def test_what_only_speaks_of_secrets_is_kept_as_it_is(sentence: str) -> None:
    assert masked_content(sentence, "project") == (sentence, False)
