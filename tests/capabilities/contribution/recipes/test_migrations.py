"""A new migration describes tables under the next version, and tools and servers read every text as data."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.capabilities.contribution.mapped_files import MappedFiles
from tests.capabilities.contribution.recipes.sql_texts import (
    CONTEXT,
    HOSTILE,
    PLAIN,
    SCHEMA_SQL,
    TEXTS,
    assert_checked,
    expected_comments,
    files_of,
    offered,
    stored_comments,
    table,
)
from tests.cases import each_case
from tests.plugins.postgres import FreshDatabase, administer
from tribal.capabilities.contribution.recipes.migrations import MigrationsRecipe
from tribal.capabilities.contribution.recipes.recipe import (
    Edits,
    OfferedText,
    RecipeBlocked,
    RecipeOptions,
    TargetName,
)
from tribal_contracts.contribution.cycles import RecipeName

OPTIONS = RecipeOptions(dialect="postgres")
SNOWFLAKE = RecipeOptions(dialect="snowflake")
CREATE = "CREATE TABLE t (id int);\n"
T = table("t")


def opened(
    content: Mapping[str, str],
    name: RecipeName = "numbered",
    folder: str = "db",
    options: RecipeOptions = OPTIONS,
) -> MigrationsRecipe:
    return MigrationsRecipe.open(files_of(content), name, folder, options)


def describe_t(
    recipe: MigrationsRecipe, text: str = "Things.", comment: str | None = None, taken: frozenset[str] = frozenset()
) -> Edits:
    return recipe.edits([OfferedText(T, None, text, comment)], dataclasses.replace(CONTEXT, taken=taken))


def new_paths(
    content: Mapping[str, str], name: RecipeName, folder: str = "db", taken: frozenset[str] = frozenset()
) -> list[str]:
    return [edit.path for edit in describe_t(opened(content, name, folder), taken=taken).edits]


def named(*names: str, folder: str = "db") -> dict[str, str]:
    return {f"{folder}/{name}": CREATE for name in names}


@each_case(
    "names, expected",
    [
        (["V1__init.sql", "V2__more_tables.sql"], "V3__describe_billing_tables.sql"),
        (["V9__a.sql", "V10__b.sql"], "V11__describe_billing_tables.sql"),
        (["V1.9__a.sql", "V1.2__b.sql"], "V1.10__describe_billing_tables.sql"),
        (["V1_2_3__a.sql"], "V1_2_4__describe_billing_tables.sql"),
        (["V007__a.sql"], "V008__describe_billing_tables.sql"),
        (["V1__Add-Table.sql"], "V2__Describe-billing-tables.sql"),
        (["V20250101120000__a.sql"], "V20260203040506__describe_billing_tables.sql"),
        (["V202501011200__a.sql"], "V202602030405__describe_billing_tables.sql"),
        (["V2025.01.01.12.00.00__a.sql"], "V2026.02.03.04.05.06__describe_billing_tables.sql"),
        (["V20270101120000__future.sql"], "V20270101120001__describe_billing_tables.sql"),
        (["V20250101_1__a.sql"], "V20260203_1__describe_billing_tables.sql"),
        (["V20260203_01__a.sql"], "V20260203_02__describe_billing_tables.sql"),
        (["V1__a.sql", "R__views.sql", "U9__undo.sql", "V5__Code.java"], "V6__describe_billing_tables.sql"),
        (["V1__a.sql", "B7__baseline.sql"], "V8__describe_billing_tables.sql"),
    ],
)
def test_flyway_gets_the_version_after_the_highest(names: list[str], expected: str) -> None:
    assert new_paths(named(*names), "flyway") == [f"db/{expected}"]


@each_case(
    "path, text",
    [
        (
            "flyway.conf",
            "flyway.sqlMigrationPrefix=M\nflyway.sqlMigrationSeparator = ---\nflyway.sqlMigrationSuffixes=.ddl",
        ),
        (
            "flyway.toml",
            '[flyway]\nsqlMigrationPrefix = "M"\nsqlMigrationSeparator = "---"\nsqlMigrationSuffixes = [".ddl"]',
        ),
        (
            "src/main/resources/application.yml",
            "spring:\n  flyway:\n    sql-migration-prefix: M  # ours\n    sql-migration-separator: '---'\n"
            "    sql-migration-suffixes:\n      - .ddl\n",
        ),
        (
            "src/main/resources/application.properties",
            "spring.flyway.sql-migration-prefix=M\nspring.flyway.sqlMigrationSeparator=---\n"
            "spring.flyway.sql-migration-suffixes=.ddl",
        ),
    ],
)
def test_flyway_files_are_named_as_its_configuration_says(path: str, text: str) -> None:
    folder = "src/main/resources/db/migration"
    content = {path: text, **named("M3---tables.ddl", "V9__not_ours.sql", folder=folder)}
    assert new_paths(content, "flyway", folder) == [f"{folder}/M4---describe_billing_tables.ddl"]


@each_case(
    "name, names, expected",
    [
        ("numbered", ["0001_init.sql", "0002_more.sql"], ["0003_describe_billing_tables.sql"]),
        ("numbered", ["1-init.sql", "9-more.sql"], ["10-describe-billing-tables.sql"]),
        ("numbered", ["0001_init.sql", "0002_code.go"], ["0003_describe_billing_tables.sql"]),
        (
            "numbered",
            ["001_a.up.sql", "001_a.down.sql"],
            ["002_describe_billing_tables.up.sql", "002_describe_billing_tables.down.sql"],
        ),
        ("timestamped", ["20250101120000_a.sql"], ["20260203040506_describe_billing_tables.sql"]),
        (
            "timestamped",
            ["00000000000000_a.sql", "20250101120000_a.sql"],
            ["20260203040506_describe_billing_tables.sql"],
        ),
        ("timestamped", ["20250101_02_a.sql"], ["20260203_01_describe_billing_tables.sql"]),
        ("timestamped", ["20250101_a.sql"], ["20260203_describe_billing_tables.sql"]),
        ("timestamped", ["1735689600_a.sql"], ["1770091506_describe_billing_tables.sql"]),
        ("timestamped", ["1735689600123_a.sql"], ["1770091506000_describe_billing_tables.sql"]),
    ],
)
def test_numbered_and_timestamped_files_get_the_next_number(
    name: RecipeName, names: list[str], expected: list[str]
) -> None:
    assert new_paths(named(*names), name) == [f"db/{each}" for each in expected]


def test_numbers_of_our_own_open_contributions_are_skipped() -> None:
    taken = frozenset({"db/0005_describe_crm.sql", "elsewhere/0009_other.sql"})
    assert new_paths(named("0004_a.sql"), "numbered", taken=taken) == ["db/0006_describe_billing_tables.sql"]
    taken = frozenset({"db/V3__describe_crm.sql"})
    assert new_paths(named("V2__a.sql"), "flyway", taken=taken) == ["db/V4__describe_billing_tables.sql"]
    taken = frozenset({"db/20260203040506_describe_crm.sql"})
    assert new_paths(named("20250101120000_a.sql"), "timestamped", taken=taken) == [
        "db/20260203040507_describe_billing_tables.sql"
    ]


@each_case(
    "name, names, reason",
    [
        ("flyway", ["R__views.sql"], "no versioned SQL file"),
        ("flyway", ["V1__a.sql", "x/V1.0__b.sql"], "have the same version"),
        ("numbered", ["0001_a.sql", "20250101120000_b.sql"], "two styles"),
        ("timestamped", ["20250101120000_a.sql", "202501011200_b.sql"], "two styles"),
        ("numbered", ["20250101120000_a.sql"], "are not numbered"),
        ("timestamped", ["0001_a.sql"], "are not timestamped"),
        ("numbered", ["001_a.up.sql", "001_a.down.sql", "002_b.sql"], "only some files"),
        ("numbered", ["0001_a.sql", "0002.do.sql"], "not named like"),
        ("numbered", ["readme.sql"], "no versioned SQL file"),
    ],
)
def test_an_undecidable_form_is_refused(name: RecipeName, names: list[str], reason: str) -> None:
    with pytest.raises(RecipeBlocked, match=reason):
        opened(named(*names), name)


def test_markers_of_two_tools_are_refused() -> None:
    with pytest.raises(RecipeBlocked, match="markers of dbmate and goose"):
        opened({"db/1_a.sql": "-- +goose Up\n", "db/2_b.sql": "-- migrate:up\n"})


def test_a_number_that_needs_another_digit_is_refused() -> None:
    with pytest.raises(RecipeBlocked, match="last one of its width"):
        new_paths(named("01_a.sql", "99_b.sql"), "numbered")


@each_case(
    "sibling, expected",
    [
        (CREATE, "COMMENT ON TABLE public.t IS 'Things.';\n"),
        (
            f"-- +goose Up\n{CREATE}",
            "-- +goose Up\nCOMMENT ON TABLE public.t IS 'Things.';\n",
        ),
        (
            f"-- +goose Up\n{CREATE}-- +goose Down\nDROP TABLE t;\n",
            "-- +goose Up\nCOMMENT ON TABLE public.t IS 'Things.';\n\n"
            "-- +goose Down\nCOMMENT ON TABLE public.t IS 'Old.';\n",
        ),
        (
            f"-- migrate:up\n{CREATE}\n-- migrate:down\n",
            "-- migrate:up\nCOMMENT ON TABLE public.t IS 'Things.';\n\n"
            "-- migrate:down\nCOMMENT ON TABLE public.t IS 'Old.';\n",
        ),
        (
            f"-- +migrate Up\r\n{CREATE}-- +migrate Down\r\nDROP TABLE t;",
            "-- +migrate Up\r\nCOMMENT ON TABLE public.t IS 'Things.';\r\n\r\n"
            "-- +migrate Down\r\nCOMMENT ON TABLE public.t IS 'Old.';",
        ),
    ],
)
def test_a_file_has_the_markers_line_ends_and_down_part_of_its_siblings(sibling: str, expected: str) -> None:
    (edit,) = describe_t(opened({"db/0001_a.sql": sibling}), comment="Old.").edits
    assert edit.after.decode() == expected
    assert edit.before is None
    assert edit.description == "describe 1 table or view"


def test_a_down_file_restores_the_previous_comments() -> None:
    recipe = opened({"db/1_a.up.sql": CREATE, "db/1_a.down.sql": "DROP TABLE t;\n"})
    texts = [OfferedText(T, None, "Things; new.", "Things; old."), OfferedText(T, "id", "Number.", None)]
    up, down = recipe.edits(texts, CONTEXT).edits
    assert up.after.decode() == (
        "COMMENT ON TABLE public.t IS E'Things\\x3B new.';\nCOMMENT ON COLUMN public.t.id IS 'Number.';\n"
    )
    assert down.after.decode() == (
        "COMMENT ON COLUMN public.t.id IS NULL;\nCOMMENT ON TABLE public.t IS E'Things\\x3B old.';\n"
    )


FORMS: Mapping[str, tuple[RecipeName, Mapping[str, str]]] = {
    "flyway": ("flyway", {"V1__init.sql": SCHEMA_SQL}),
    "plain": ("numbered", {"0001_init.sql": SCHEMA_SQL}),
    "pair": ("numbered", {"0001_init.up.sql": SCHEMA_SQL, "0001_init.down.sql": "DROP TABLE plain;"}),
    "goose": ("numbered", {"0001_init.sql": f"-- +goose Up\n{SCHEMA_SQL}\n-- +goose Down\nDROP TABLE plain;"}),
    "sql-migrate": ("numbered", {"0001_init.sql": f"-- +migrate Up\n{SCHEMA_SQL}\n-- +migrate Down\n"}),
    "dbmate": ("timestamped", {"20250101120000_init.sql": f"-- migrate:up\n{SCHEMA_SQL}\n-- migrate:down\n"}),
}


def form(name: str) -> MigrationsRecipe:
    recipe, content = FORMS[name]
    return opened({f"db/{path}": text for path, text in content.items()}, recipe)


@each_case("name", FORMS)
def test_hostile_texts_reach_a_real_database_byte_for_byte_and_are_removed_again(
    name: str, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(SCHEMA_SQL)
    recipe = form(name)
    for start in range(0, len(HOSTILE), 8):
        texts = offered(HOSTILE[start : start + 8])
        assert [recipe.refusal(each.relation, each.column, each.text) for each in texts] == [None] * len(texts)
        edits = recipe.edits(texts, CONTEXT)
        assert_checked(edits)
        script = edits.edits[0].after.decode()
        up, _, down = script.partition("\n\n-- ")
        if len(edits.edits) == 2:
            down = edits.edits[1].after.decode()
        administer(dsn, f"BEGIN;{up}\n;COMMIT")
        assert stored_comments(dsn) == expected_comments(texts)
        if down:
            administer(dsn, down.partition("own\n")[2] if len(edits.edits) == 1 else down)
            assert stored_comments(dsn) == {}


def ends_statement(line: str) -> bool:
    """Tell, as goose and sql-migrate do, whether a line ends with a semicolon before a comment."""
    words = [*itertools.takewhile(lambda word: not word.startswith("--"), line.split())]
    return words[-1].endswith(";")


@given(TEXTS, TEXTS, st.sampled_from(["goose", "sql-migrate"]))
def test_tools_that_split_at_line_ends_find_every_statement(text: str, comment: str, name: str) -> None:
    texts = [OfferedText(PLAIN, None, text, comment), OfferedText(PLAIN, "id", comment, text)]
    lines = form(name).edits(texts, CONTEXT).edits[0].after.decode().splitlines()
    assert [ends_statement(line) for line in lines if line and not line.startswith("--")] == [True] * 4


@given(TEXTS, TEXTS, st.sampled_from(sorted(FORMS)))
def test_no_text_holds_what_a_tool_acts_on(text: str, comment: str, name: str) -> None:
    recipe = form(name)
    edits = recipe.edits([OfferedText(PLAIN, None, text, comment), OfferedText(PLAIN, "id", comment, text)], CONTEXT)
    assert_checked(edits)
    for edit in edits.edits:
        for line in edit.after.decode().splitlines():
            assert re.fullmatch(r"|-- .{8,15}|COMMENT ON (TABLE|COLUMN) public\.plain(\.id)? IS E?'.*';", line)
            sql = line if line.startswith("COMMENT") else ""
            assert "${" not in sql
            assert "--" not in sql or name not in ("goose", "sql-migrate")
            assert sql.count(";") <= 1 or name != "pair"


def test_the_configured_start_of_placeholders_of_flyway_is_escaped() -> None:
    recipe = opened(
        {"flyway.conf": "flyway.placeholderPrefix=@[", **named("V1__a.sql")},
        "flyway",
    )
    assert b"E'a \\x40[x] \\x24{y}'" in describe_t(recipe, "a @[x] ${y}").edits[0].after


def test_the_repository_says_the_last_comment_in_order_of_version() -> None:
    recipe = opened(
        {
            "db/V10__c.sql": "\n\nCOMMENT ON TABLE t IS 'last';",
            "db/V9__b.sql": "COMMENT ON TABLE t IS '9'; COMMENT ON COLUMN t.id IS 'gone';\nCOMMENT ON VIEW v IS 'no';",
            "db/V1__a.sql": f"{CREATE} CREATE VIEW v AS SELECT 1;",
            "db/R__views.sql": "CREATE OR REPLACE VIEW v AS SELECT 2; COMMENT ON VIEW v IS 'repeated';",
            "db/U10__c.sql": "COMMENT ON TABLE t IS 'undone'",
            "db/V11__d.sql": "COMMENT ON COLUMN t.id IS NULL;",
        },
        "flyway",
    )
    said = recipe.said(TargetName("public", "t"))
    assert said is not None
    assert (said.text, said.path, said.line) == ("last", "db/V10__c.sql", 3)
    assert recipe.said(TargetName("public", "t", "id")) is None
    view = recipe.said(TargetName("public", "v"))
    assert view is not None
    assert (view.text, view.path) == ("repeated", "db/R__views.sql")


def test_down_parts_and_down_files_say_nothing() -> None:
    goose = opened({"db/1_a.sql": f"-- +goose Up\n{CREATE}-- +goose Down\nCOMMENT ON TABLE t IS 'x'; DROP TABLE t;"})
    assert goose.said(TargetName("public", "t")) is None
    assert goose.refusal(T, None, "x") is None
    pair = opened({"db/1_a.up.sql": CREATE, "db/1_a.down.sql": "COMMENT ON TABLE t IS 'x'; DROP TABLE t;"})
    assert pair.said(TargetName("public", "t")) is None
    assert pair.refusal(T, None, "x") is None


def test_renames_and_drops_are_followed() -> None:
    recipe = opened(
        {
            "db/1_a.sql": "CREATE TABLE s.a (x int); COMMENT ON TABLE s.a IS 'a'; COMMENT ON COLUMN s.a.x IS 'x';"
            "CREATE TABLE s.gone (x int); COMMENT ON TABLE s.gone IS 'gone';",
            "db/2_b.sql": "ALTER TABLE s.a RENAME TO b; ALTER TABLE s.b SET SCHEMA r; ALTER TABLE r.b RENAME x TO y;"
            "DROP TABLE s.gone;",
        }
    )
    assert recipe.refusal(table("b", "r"), None, "x") is None
    assert recipe.refusal(table("a", "s"), None, "x") == "not created here"
    assert recipe.refusal(table("gone", "s"), None, "x") == "not created here"
    assert [recipe.said(TargetName("r", "b", column)) is not None for column in (None, "y", "x")] == [True, True, False]
    assert recipe.said(TargetName("s", "gone")) is None
    assert recipe.said(TargetName("s", "a")) is None


def test_unqualified_names_are_in_public_or_the_configured_schema_or_that_of_a_named_table() -> None:
    content = {"db/V1__a.sql": f"{CREATE} COMMENT ON TABLE t IS 'said';"}
    app = table("t", "app")
    assert opened(content, "flyway").refusal(app, None, "x") == "not created here"
    configured = opened({**content, "flyway.conf": "flyway.defaultSchema=app"}, "flyway")
    assert configured.refusal(app, None, "x") is None
    named_table = opened(content, "flyway", options=RecipeOptions(dialect="postgres", tables=("app.*",)))
    assert named_table.refusal(app, None, "x") is None
    for recipe in (configured, named_table):
        said = recipe.said(TargetName("app", "t"))
        assert said is not None
        assert said.text == "said"


def test_what_cannot_be_written_is_refused_with_the_reason() -> None:
    recipe = opened({"db/1_a.up.sql": 'CREATE TABLE t (); CREATE FOREIGN TABLE f () SERVER s; CREATE TABLE "a;b" ();'})
    refused = recipe.refusal(table("f", kind="foreign_table"), None, "x")
    assert refused == "no documented statement comments on a foreign table"
    assert recipe.refusal(T, None, "NUL \x00") == "the text contains a NUL character"
    pair = opened({"db/1_a.up.sql": 'CREATE TABLE "a;b" ();', "db/1_a.down.sql": ""})
    assert "';'" in str(pair.refusal(table("a;b"), None, "x"))


def test_snowflake_offers_no_columns_of_views_and_doubles_backslashes() -> None:
    recipe = opened(
        {"db/V1.1.1__a.sql": "create table s.t (id int); create view s.v as select 1;\n"}, "flyway", options=SNOWFLAKE
    )
    view = table("V", "S", "view")
    assert recipe.refusal(view, None, "x") is None
    assert recipe.refusal(view, "ID", "x") == "no documented statement comments on columns of a view"
    assert recipe.refusal(table("D", "S", "dynamic_table"), None, "x") is not None
    edits = recipe.edits([OfferedText(table("T", "S"), "ID", "C:\\ {{ x }}", None)], CONTEXT)
    assert_checked(edits)
    assert edits.edits[0].path == "db/V1.1.2__describe_billing_tables.sql"
    assert edits.edits[0].after.decode() == "COMMENT ON COLUMN S.T.ID IS 'C:\\\\ \\x7B{ x }}';\n"


def test_files_in_another_encoding_are_read() -> None:
    files = MappedFiles({"db/1_a.sql": b"\xef\xbb\xbfCREATE TABLE t (); COMMENT ON TABLE t IS 'caf\xe9';"})
    said = MigrationsRecipe.open(files, "numbered", "db", OPTIONS).said(TargetName("public", "t"))
    assert said is not None
    assert said.text == "caf\ufffd"
