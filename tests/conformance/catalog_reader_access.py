"""What every `CatalogReader` says of rights, statements and logins; see `catalog_reader` for the fixtures."""

from __future__ import annotations

import pytest

from tests.conformance.catalog_reader import SEED, WRONG_PASSWORD, Expected, LentDatabase, find_table
from tribal.errors import DatabaseError, DatabaseUnreachable, LoginRefused
from tribal.ports import CatalogReader


def test_the_access_report_names_the_missing_grants_and_running_them_mends_it(
    lent: LentDatabase, expected: Expected
) -> None:
    report = lent.reader.access()
    assert report.user == expected.user
    assert report.server_database == expected.server_database
    hidden_known, vault = expected.lists_hidden_schemas, expected.fold("vault")
    assert report.unreadable_schemas == ((vault,) if hidden_known else ())
    assert {expected.fold("sales"), expected.fold("depot")} <= set(report.readable_schemas)
    counted = len(SEED) + 1 if expected.tells_gone_from_hidden else len(SEED)
    assert (report.tables_total, report.tables_selectable) == (counted, len(SEED) - 1)
    assert any(vault in each.what for each in report.missing) == hidden_known
    assert any(expected.fold("closed") in each.what for each in report.missing)
    for each in report.missing:
        lent.administer(each.grant)
    mended = lent.reader.access()
    assert mended.missing == ()
    assert mended.unreadable_schemas == ()
    assert mended.tables_selectable == mended.tables_total == len(SEED) + hidden_known
    contents = lent.reader.read()
    assert contents.unreadable_schemas == ()
    opened = [expected.name("vault", "secret")] if hidden_known else []
    for name in (*opened, expected.name("depot", "closed")):
        assert len(lent.reader.sample(find_table(contents, name), 5).rows) == 1


def test_the_statements_are_reported_with_their_purpose_and_without_names_or_data(
    reader: CatalogReader, expected: Expected
) -> None:
    statements = reader.statements()
    assert statements
    assert all(statement.purpose and statement.sql for statement in statements)
    text = "\n".join(statement.sql for statement in statements)
    for seed in SEED:
        assert f'"{seed.name}"' not in text
        assert f".{expected.fold(seed.name)} " not in text


def test_a_write_over_the_readers_own_connection_fails_or_the_right_to_it_is_warned_of(
    lent: LentDatabase, expected: Expected
) -> None:
    assert not any("INSERT" in warning for warning in lent.reader.access().warnings)
    lent.administer(f"GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE depot.no_key TO {expected.grantee}")
    if not expected.has_read_only_transactions:
        assert any("INSERT" in warning for warning in lent.reader.access().warnings)
        return
    table = find_table(lent.reader.read(), expected.name("depot", "no_key"))
    before = lent.reader.sample(table, 30)
    for sql in ("DELETE FROM depot.no_key", "INSERT INTO depot.no_key (n) VALUES (1)"):
        with pytest.raises(DatabaseError):
            lent.write_through(lent.reader, sql)
    assert lent.reader.sample(table, 30) == before


def test_a_wrong_password_is_a_refused_login_and_is_not_repeated_in_the_message(lent: LentDatabase) -> None:
    refused = lent.open_with_password(WRONG_PASSWORD)
    with pytest.raises(LoginRefused) as error:
        refused.read()
    refused.close()
    assert WRONG_PASSWORD not in repr(error.value) + error.value.message + str(error.value.context)


def test_an_unknown_host_is_unreachable_and_named(lent: LentDatabase) -> None:
    nowhere = lent.open_at_host("no-such-host.invalid")
    with pytest.raises(DatabaseUnreachable, match=r"no-such-host\.invalid"):
        nowhere.read()
    nowhere.close()


def test_a_closed_reader_says_so_and_may_be_closed_again(lent: LentDatabase) -> None:
    closed = lent.open()
    closed.read()
    closed.close()
    closed.close()
    for use in (closed.read, closed.access, lambda: closed.presence([("sales", "customer")])):
        with pytest.raises(DatabaseError, match="closed"):
            use()
