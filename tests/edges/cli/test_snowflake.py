"""First steps with a Snowflake database, as a user takes them."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlencode

from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.fakes.snowflake import FakeSnowflake
from tests.fakes.snowflake.connecting import PASSWORD, ROLE, USER, WAREHOUSE, private_key_pem, see, shop


def dsn_of(fake: FakeSnowflake, login: str = USER, **more: str) -> str:
    where = {"host": "127.0.0.1", "port": str(fake.port), "protocol": "http"}
    return f"snowflake://{login}@{fake.account.name}/shop?{urlencode({'role': ROLE, **more, **where})}"


def test_a_database_is_checked_documented_asked_and_joined(snowflake: FakeSnowflake, tmp_path: Path) -> None:
    shop(snowflake)
    dsn = dsn_of(snowflake, warehouse=WAREHOUSE, private_key_secret="SNOWFLAKE_KEY")
    key = {"SNOWFLAKE_KEY": private_key_pem()}
    checked = tribal("check", dsn, cwd=tmp_path, **key)
    assert checked.returncode == 0, checked.stderr
    assert f"database SHOP, user {USER}, role {ROLE}" in checked.stdout
    assert "x 60 s / 3600 s" in checked.stdout
    assert "GRANT DATABASE ROLE SNOWFLAKE.OBJECT_VIEWER" in checked.stdout
    ran = tribal("run", dsn, cwd=tmp_path, **key)
    assert ran.returncode == 0, ran.stderr
    assert "3 tables documented" in ran.stdout
    assert "SHOP.PUBLIC.CUSTOMERS" in tribal("search", "who buys", cwd=tmp_path).stdout
    joined = tribal("join", "customers", "orders", cwd=tmp_path).stdout
    assert "FROM SHOP.PUBLIC.CUSTOMERS AS t0\nLEFT JOIN SHOP.PUBLIC.ORDERS AS t1" in joined
    again = tribal("run", cwd=tmp_path, **key)
    assert "0 tables documented, 3 unchanged" in again.stdout, again.stderr
    assert snowflake.warehouse_statements == []


def test_a_plan_says_what_samples_may_cost(snowflake: FakeSnowflake, tmp_path: Path) -> None:
    shop(snowflake)
    dsn = dsn_of(snowflake, warehouse=WAREHOUSE, private_key_secret="SNOWFLAKE_KEY")
    entry = {"name": "shop", "dsn": dsn, "sample_rows": 5}
    (tmp_path / "databases.yaml").write_text(json.dumps({"databases": [entry]}))
    planned = tribal("plan", cwd=tmp_path, SNOWFLAKE_KEY=private_key_pem())
    assert planned.returncode == 0, planned.stderr
    assert "cost of shop: Each start costs at least 0.017 credits: X-Small is 1 credit an hour" in planned.stdout


def test_samples_that_are_off_for_want_of_a_grant_are_one_warning_for_who_wants_samples(
    snowflake: FakeSnowflake, tmp_path: Path
) -> None:
    shop(snowflake)
    customers = snowflake.account.database("SHOP").schema("PUBLIC").relations["CUSTOMERS"]
    see(snowflake, customers, "SHOP", "PUBLIC", privilege="SELECT")
    dsn = dsn_of(snowflake, warehouse=WAREHOUSE, private_key_secret="SNOWFLAKE_KEY")
    entry = {"name": "shop", "dsn": dsn, "sample_rows": 5}
    (tmp_path / "databases.yaml").write_text(json.dumps({"databases": [entry]}))
    key = {"SNOWFLAKE_KEY": private_key_pem()}
    ran = tribal("run", cwd=tmp_path, **key)
    assert (ran.stdout + ran.stderr).count("GOVERNANCE_VIEWER") == 1
    (page,) = (path for path in (tmp_path / "docs").rglob("*.json") if "CUSTOMERS" in path.name.upper())
    document = json.loads(page.read_text())
    assert not document["samples_taken"]
    assert "GOVERNANCE_VIEWER" in tribal("check", cwd=tmp_path, **key).stdout
    without = tribal("run", "--no-samples", cwd=tmp_path, **key)
    assert without.returncode == 0, without.stderr
    assert "GOVERNANCE_VIEWER" not in without.stdout + without.stderr


def test_a_password_does_with_a_warning_and_a_wrong_one_is_distinguished_from_no_answer(
    snowflake: FakeSnowflake, tmp_path: Path
) -> None:
    shop(snowflake)
    right = tribal("check", dsn_of(snowflake, f"{USER}:{PASSWORD.replace(' ', '%20')}"), cwd=tmp_path)
    assert right.returncode == 0, right.stderr
    assert "is ending password-only logins" in right.stdout + right.stderr
    wrong = tribal("run", dsn_of(snowflake, f"{USER}:hunter2"), cwd=tmp_path)
    assert wrong.returncode not in (0, right.returncode)
    assert "was refused" in wrong.stderr
    assert "hunter2" not in wrong.stderr
    snowflake.stop()
    silent = tribal("run", dsn_of(snowflake, f"{USER}:hunter2"), cwd=tmp_path)
    assert "Nothing listens" in silent.stderr


@each_case("shown", ["SHOW TABLES", "SAMPLE SYSTEM", "ACCOUNT_USAGE"])
def test_every_statement_is_shown_to_anyone_who_asks(shown: str, tmp_path: Path) -> None:
    dsn = "snowflake://ann@org-one/shop?private_key_secret=NAME"
    assert shown in tribal("check", "--sql", dsn, cwd=tmp_path).stdout
    assert "PostgreSQL" not in tribal("check", "--sql", dsn, cwd=tmp_path).stdout


def test_the_file_that_init_writes_says_what_the_database_is(tmp_path: Path) -> None:
    assert tribal("init", "snowflake://ann@org-one/shop?private_key_secret=NAME", cwd=tmp_path).returncode == 0
    assert "type: snowflake" in (tmp_path / "databases.yaml").read_text()
