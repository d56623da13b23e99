"""What is known of tables that vanish, and what a role learns about its own rights."""

from __future__ import annotations

import pytest

from tests.adapters.snowflake.readers import DATABASE, new_account, reading, see_all
from tests.cases import each_case
from tests.fakes.snowflake import Column, FakeSnowflake
from tests.fakes.snowflake.connecting import ROLE, USER, WAREHOUSE
from tribal.adapters.snowflake.names import split_name
from tribal.ports import AccessReport, Presence, SchemaAndTable
from tribal_contracts import DatabaseLimits

_ONE, _TWO = ("SALES", "ONE"), ("SALES", "TWO")
_VIEWER = f"GRANT DATABASE ROLE SNOWFLAKE.OBJECT_VIEWER TO ROLE {ROLE}"


def _seed(fake: FakeSnowflake, *, viewer: bool = True, owner: str = "SYSADMIN") -> None:
    sales = new_account(fake)("SALES", owner=owner)
    for name in ("ONE", "TWO"):
        sales.table(name, ["ID NUMBER"])
    see_all(fake)
    if viewer:
        fake.administer(_VIEWER)


def _presence(fake: FakeSnowflake, *tables: SchemaAndTable, warehouse: bool = True) -> list[Presence]:
    with reading(fake, warehouse=WAREHOUSE if warehouse else None) as reader:
        return list(reader.presence(tables).values())


def _access(fake: FakeSnowflake, **more: object) -> AccessReport:
    with reading(fake, **more) as reader:  # type: ignore[arg-type]  # parts of a target
        return reader.access()


def test_a_dropped_table_is_gone_where_account_usage_may_be_read(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.administer(f"DROP TABLE {DATABASE}.SALES.ONE")
    assert _presence(snowflake, _ONE, _TWO) == ["gone", "present"]


@pytest.mark.parametrize(("viewer", "warehouse"), [(False, True), (True, False), (False, False)])
def test_a_dropped_table_may_be_a_hidden_one_to_a_role_that_cannot_know(
    snowflake: FakeSnowflake, viewer: bool, warehouse: bool
) -> None:
    _seed(snowflake, viewer=viewer)
    snowflake.administer(f"DROP TABLE {DATABASE}.SALES.ONE")
    assert _presence(snowflake, _ONE, _TWO, warehouse=warehouse) == ["unreadable", "present"]


def test_the_owner_of_a_schema_knows_without_a_warehouse(snowflake: FakeSnowflake) -> None:
    _seed(snowflake, viewer=False, owner=ROLE)
    snowflake.administer(f"DROP TABLE {DATABASE}.SALES.ONE")
    assert _presence(snowflake, _ONE, _TWO, warehouse=False) == ["gone", "present"]
    assert snowflake.warehouse_statements == []


@pytest.mark.parametrize("scope", ["TABLE", "SCHEMA", "DATABASE"])
@pytest.mark.parametrize("viewer", [True, False])
def test_a_table_whose_grant_was_taken_away_is_never_gone(snowflake: FakeSnowflake, scope: str, viewer: bool) -> None:
    _seed(snowflake, viewer=viewer)
    if scope == "TABLE":
        snowflake.account.revoke(ROLE, "REFERENCES", "TABLE", DATABASE, *_ONE)
    else:
        snowflake.account.revoke(ROLE, "USAGE", scope, DATABASE, *([] if scope == "DATABASE" else ["SALES"]))
    assert _presence(snowflake, _ONE) == ["unreadable"]


def test_a_table_that_was_made_again_and_is_hidden_is_not_gone(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.administer(f"DROP TABLE {DATABASE}.SALES.ONE")
    snowflake.account.database(DATABASE).schema("SALES").table("ONE", ["ID NUMBER"])
    assert _presence(snowflake, _ONE) == ["unreadable"]


def test_a_drop_that_account_usage_does_not_know_yet_is_not_reported(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.account.usage_lags = True
    snowflake.administer(f"DROP TABLE {DATABASE}.SALES.ONE")
    assert _presence(snowflake, _ONE) == ["unreadable"]


def test_all_tables_of_a_dropped_schema_are_gone(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.administer(f"DROP SCHEMA {DATABASE}.SALES")
    assert _presence(snowflake, _ONE, _TWO) == ["gone", "gone"]


def test_many_vanished_tables_are_asked_for_in_parts(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    vanished = [("SALES", f"IT'S {number}") for number in range(1500)]
    assert set(_presence(snowflake, *vanished)) == {"unreadable"}
    assert len(snowflake.warehouse_statements) == 2


def test_a_role_that_can_only_read_is_not_warned_of(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.account.users[USER].access_tokens = {"token"}
    from pydantic import SecretStr

    report = _access(snowflake, login="programmatic_token", secret=SecretStr("token"), warehouse=WAREHOUSE)
    assert report.warnings == ()
    assert (report.role, report.product, report.user) == (ROLE, "Snowflake", USER)


@pytest.mark.parametrize(
    ("grant", "warning"),
    [
        (f"GRANT INSERT ON TABLE {DATABASE}.SALES.ONE TO ROLE {ROLE}", f"INSERT on {DATABASE}.SALES.ONE"),
        (f"GRANT CREATE TABLE ON SCHEMA {DATABASE}.SALES TO ROLE {ROLE}", f"CREATE TABLE on {DATABASE}.SALES"),
        (f"GRANT MODIFY ON DATABASE {DATABASE} TO ROLE {ROLE}", f"MODIFY on {DATABASE}"),
        (f"GRANT ROLE SYSADMIN TO ROLE {ROLE}", "has the rights of SYSADMIN"),
    ],
)
def test_a_role_that_can_write_is_warned_of(snowflake: FakeSnowflake, grant: str, warning: str) -> None:
    _seed(snowflake)
    assert not any(warning in each for each in _access(snowflake).warnings)
    snowflake.administer(grant)
    assert any(warning in each for each in _access(snowflake).warnings)


def test_a_role_that_owns_what_it_reads_is_warned_of(snowflake: FakeSnowflake) -> None:
    _seed(snowflake, owner=ROLE)
    assert any(f"owns what it reads (OWNERSHIP on {DATABASE}.SALES)" in each for each in _access(snowflake).warnings)


def test_what_is_missing_to_know_of_drops_is_warned_of(snowflake: FakeSnowflake) -> None:
    _seed(snowflake, viewer=False)
    assert any("OBJECT_VIEWER" in each for each in _access(snowflake).warnings)
    snowflake.administer(_VIEWER)
    assert not any("OBJECT_VIEWER" in each for each in _access(snowflake).warnings)
    assert any("names no warehouse" in each for each in _access(snowflake).warnings)
    assert not any("warehouse" in each for each in _access(snowflake, warehouse=WAREHOUSE).warnings)


def test_grants_that_are_not_reported_whole_are_warned_of_and_nothing_is_concluded(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    sales = snowflake.account.database(DATABASE).schema("SALES")
    for number in range(40):
        sales.table(f"T{number}", ["ID NUMBER"])
    see_all(snowflake)
    snowflake.limits.show_rows = 45
    report = _access(snowflake, may_sample=True)
    assert any("did not list all grants" in each for each in report.warnings)
    assert not any("OBJECT_VIEWER" in each for each in report.warnings)
    assert report.missing == ()


def test_a_password_and_a_warehouse_that_is_not_there_are_warned_of(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.account.revoke(ROLE, "USAGE", "WAREHOUSE", WAREHOUSE)
    warnings = _access(snowflake, warehouse="NOWHERE").warnings
    assert any("closing down logins by password" in each for each in warnings)


def test_the_script_makes_a_role_that_reads_all_and_can_do_nothing_else(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    sales = snowflake.account.database(DATABASE).schema("SALES")
    sales.view("SEEN", "create view SEEN as select ID from ONE", ["ID NUMBER"])
    snowflake.account.roles[ROLE].grants.clear()
    snowflake.account.roles[ROLE].database_roles.clear()
    with reading(snowflake, warehouse=WAREHOUSE, may_sample=True) as reader:
        snowflake.account.grant(ROLE, "USAGE", "DATABASE", DATABASE)
        script = reader.access().script
        assert script is not None
        snowflake.administer(script)
        snowflake.administer(f"CREATE TABLE {DATABASE}.SALES.LATER (ID NUMBER)")
        report = reader.access()
        assert {table.table_name for table in reader.read().tables} == {"ONE", "TWO", "SEEN", "LATER"}
    assert (report.tables_total, report.tables_selectable) == (4, 3)
    assert report.missing == ()
    assert not any("write" in each or "_VIEWER" in each for each in report.warnings)


@pytest.mark.parametrize("may_sample", [True, False])
def test_the_script_lets_the_role_read_tags_only_where_rows_are_sampled(
    snowflake: FakeSnowflake, may_sample: bool
) -> None:
    _seed(snowflake)
    script = _access(snowflake, warehouse=WAREHOUSE, may_sample=may_sample).script or ""
    assert (f"GRANT DATABASE ROLE SNOWFLAKE.GOVERNANCE_VIEWER TO ROLE {ROLE};" in script) == may_sample


def test_credits_are_estimated_with_the_arithmetic(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    see_all(snowflake, privilege="SELECT")
    snowflake.account.warehouses[WAREHOUSE].size = "Medium"
    limits = DatabaseLimits(sample_timeout_seconds=100)
    costs = "\n".join(_access(snowflake, warehouse=WAREHOUSE, may_sample=True, limits=limits).costs)
    assert "at least 0.067 credits: Medium is 4 credits an hour x 60 s / 3600 s." in costs
    assert "at most 0.222 credits: 2 tables x 100 s (limits.sample_timeout_seconds) x 4 credits an hour / 3600" in costs
    assert _access(snowflake).costs[1] == "The entry names no warehouse: nothing else is read."


def test_hidden_schemas_tags_and_policies_are_read_where_samples_are_on(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.administer(f"GRANT DATABASE ROLE SNOWFLAKE.GOVERNANCE_VIEWER TO ROLE {ROLE}")
    snowflake.account.database(DATABASE).schema("VAULT")
    one = snowflake.account.database(DATABASE).schema("SALES").relations["ONE"]
    one.columns = [
        Column("EMAIL", "VARCHAR", tags={"GOV.TAGS.PII": "yes"}, masking_policy="GOV.POLICIES.HIDE"),
        Column("ID"),
    ]
    for may_sample, hidden, mark in ((True, ("VAULT",), "masking policy HIDE, tag PII"), (False, (), None)):
        with reading(snowflake, warehouse=WAREHOUSE, may_sample=may_sample) as reader:
            contents = reader.read()
        assert contents.unreadable_schemas == hidden
        assert [column.sensitive for column in contents.tables[0].columns] == [mark, None]


@each_case(
    ("written", "parts"),
    [
        ("A.B.C", ["A", "B", "C"]),
        ('A."b.c"."d""e"', ["A", "b.c", 'd"e']),
        ('""', [""]),
        ("SNOWFLAKE.OBJECT_VIEWER", ["SNOWFLAKE", "OBJECT_VIEWER"]),
    ],
)
def test_qualified_names_are_split_as_snowflake_writes_them(written: str, parts: list[str]) -> None:
    assert split_name(written) == parts


@pytest.mark.parametrize("why", ["not granted", "quota spent"])
def test_structure_is_read_where_the_warehouse_cannot_be_used_and_what_it_would_tell_is_named(
    snowflake: FakeSnowflake, why: str
) -> None:
    _seed(snowflake)
    if why == "not granted":
        snowflake.account.revoke(ROLE, "USAGE", "WAREHOUSE", WAREHOUSE)
    else:
        snowflake.account.warehouses[WAREHOUSE].suspended = snowflake.account.warehouses[WAREHOUSE].quota_spent = True
    snowflake.administer(f"DROP TABLE {DATABASE}.SALES.TWO")
    with reading(snowflake, warehouse=WAREHOUSE, may_sample=True) as reader:
        contents = reader.read()
        assert reader.presence([_TWO]) == {_TWO: "unreadable"}
        assert any(WAREHOUSE in each for each in reader.access().warnings)
    assert [table.table_name for table in contents.tables] == ["ONE"]
    (part,) = contents.unread
    assert part.what == "hidden schemas, tags and masking policies"
    assert WAREHOUSE in part.reason


def test_columns_are_asked_about_singly_where_the_warehouse_cannot_be_used(snowflake: FakeSnowflake) -> None:
    _seed(snowflake)
    snowflake.account.revoke(ROLE, "USAGE", "WAREHOUSE", WAREHOUSE)
    wide = snowflake.account.database(DATABASE).schema("SALES")
    for number in range(9):
        wide.table(f"T{number}", ["A NUMBER", "B NUMBER", "C NUMBER", "D NUMBER", "E NUMBER"])
    see_all(snowflake)
    snowflake.limits.show_rows = 20
    with reading(snowflake, warehouse=WAREHOUSE) as reader:
        assert len(reader.read().tables) == 11


def test_the_tables_of_a_view_that_cannot_be_parsed_are_those_that_are_recorded(snowflake: FakeSnowflake) -> None:
    _seed(snowflake, viewer=False)
    snowflake.administer(f"GRANT DATABASE ROLE SNOWFLAKE.GOVERNANCE_VIEWER TO ROLE {ROLE}")
    schema = snowflake.account.database(DATABASE).schema("SALES")
    for name, text in (("V_ODD", "CREATE VIEW v_odd AS SELECT ("), ("V_ONE", "CREATE VIEW v_one AS SELECT * FROM one")):
        schema.table(name, ["N NUMBER"], kind="view", text=text, reads=[f"{DATABASE}.SALES.ONE"])
    see_all(snowflake)
    for granted, expected in ((False, {}), (True, {"V_ODD": ["SALES.ONE"]})):
        if granted:
            snowflake.administer(_VIEWER)
        with reading(snowflake, warehouse=WAREHOUSE, may_sample=True) as reader:
            tables = reader.read().tables
        assert {table.table_name: table.depends_on for table in tables if table.depends_on} == expected
