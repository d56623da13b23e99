"""What a Snowflake URL or entry says of the database, the login and the place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases import each_case
from tribal.errors import ConfigurationError
from tribal.settings.entries import (
    dsn_has_password,
    dsn_without_password,
    entry_from_dsn,
    entry_target,
    portable_dsn,
)
from tribal.settings.snowflake.dsn import parse_snowflake_dsn
from tribal.settings.snowflake.target import SnowflakeTarget
from tribal_contracts import DatabaseEntry

KEY = "private_key_secret=KEY"
PLAIN = SnowflakeTarget(account="org-one", database="SHOP", login="key_pair", user="ann", secret_name="KEY")


def test_a_url_names_account_database_and_how_to_log_in() -> None:
    target = parse_snowflake_dsn(f"snowflake://ann@org-one/shop?role=reader&warehouse=small&{KEY}")
    assert target == replace(PLAIN, role="READER", warehouse="SMALL")
    assert (target.server, target.place) == ("org-one.snowflakecomputing.com",) * 2


def test_names_are_folded_as_in_sql_unless_they_are_quoted() -> None:
    target = parse_snowflake_dsn(f"snowflake://ann@org-one/%22my%20shop%22?role=%22r%22&{KEY}")
    assert (target.database, target.role) == ("my shop", "r")


@each_case(
    ("parameters", "login"),
    [
        ("private_key_file=/keys/a.p8", "key_pair"),
        ("workload_provider=aws", "workload_identity"),
        ("workload_provider=oidc&token_secret=T", "workload_identity"),
        ("token_secret=T&auth=oauth", "oauth"),
        ("token_secret=T&auth=programmatic_token", "programmatic_token"),
        ("password=hush", "password"),
    ],
)
def test_what_is_there_tells_how_to_log_in(parameters: str, login: str) -> None:
    target = parse_snowflake_dsn(f"snowflake://ann@org-one/shop?{parameters}")
    assert target.login == login
    assert bool(target.warnings) == (login == "password")
    assert "hush" not in repr(target)


def test_a_user_is_needed_unless_the_workload_says_who_it_is() -> None:
    assert parse_snowflake_dsn("snowflake://org-one/shop?workload_provider=aws").user is None
    with pytest.raises(ConfigurationError, match="no user"):
        parse_snowflake_dsn(f"snowflake://org-one/shop?{KEY}")


@each_case(
    ("dsn", "message"),
    [
        ("snowflake://ann@org-one/shop", "no login method for Snowflake"),
        ("snowflake://ann@org-one/shop?token_secret=T", "add auth"),
        ("snowflake://ann@org-one/shop?auth=oauth", "auth: oauth needs"),
        ("snowflake://ann@org-one/shop?workload_provider=oidc", "needs token_secret"),
        ("snowflake://ann@org-one/shop?workload_provider=gcp", "aws or oidc"),
        ("snowflake://ann@org-one/shop?auth=rds_iam", "auth must be one of"),
        (f"snowflake://ann@org-one?{KEY}", "no database"),
        (f"snowflake://ann@/shop?{KEY}", "account is missing"),
        (f"snowflake://ann@-org/shop?{KEY}", "account is missing"),
        (f"snowflake://ann@org-one/shop/sales?{KEY}", "names a schema"),
        (f"snowflake://ann@org-one:443/shop?{KEY}", "port after the account"),
        (f"snowflake://ann@org-one/shop?warehous=W&{KEY}", "Did you mean warehouse"),
        (f"snowflake://ann@org-one/shop?port=0&{KEY}", "port is not a number"),
        (f"snowflake://ann@org-one/shop?protocol=http&{KEY}", "unencrypted"),
        (f"snowflake://ann@org-one/shop?protocol=ftp&{KEY}", "protocol must be https"),
        (f"snowflake://ann@org-one/shop?host=a/b&{KEY}", "not a host name"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_to_write(dsn: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        parse_snowflake_dsn(dsn)


def test_no_message_shows_a_password() -> None:
    for dsn in ("snowflake://ann:p#ss-word@org-one/shop", "snowflake://ann:hush@org-one/shop?p&ss-word=1"):
        with pytest.raises(ConfigurationError) as error:
            parse_snowflake_dsn(dsn)
        assert "hush" not in error.value.message
        assert "ss-word" not in error.value.message


def test_a_url_creates_an_entry_named_after_the_database() -> None:
    dsn = f"snowflake://ann:hush@org-one/shop?role=r&{KEY}&auth=key_pair"
    entry = entry_from_dsn(dsn, {})
    assert (entry.name, entry.type, entry.sample_rows) == ("SHOP", "snowflake", 0)
    assert dsn_has_password(dsn)
    assert dsn_without_password(dsn, "x") == dsn.replace("hush", "x")
    assert portable_dsn(dsn, {}) == f"snowflake://ann@org-one/shop?role=r&{KEY}&auth=key_pair"


def test_an_entry_says_the_same_with_fields() -> None:
    entry = DatabaseEntry.model_validate(
        {
            "name": "shop",
            "type": "snowflake",
            "account": "org-one.snowflakecomputing.com",
            "database": "shop",
            "user": "ann",
            "role": "reader",
            "private_key_file": "/keys/a.p8",
            "passphrase_secret": "PHRASE",
        }
    )
    assert entry_target(entry, {}) == replace(
        PLAIN, role="READER", secret_name=None, key_file=Path("/keys/a.p8"), passphrase_name="PHRASE"
    )
    assert entry.sample_rows == 0
