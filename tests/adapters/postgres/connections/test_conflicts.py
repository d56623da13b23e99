"""What `PostgresCatalog` does when a replica's replay, a deadlock or an administrator ends its statements."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from tests.plugins.postgres import NO_ENVIRONMENT, FreshDatabase, administer, login, unique_name
from tests.plugins.relay import MakeRelay, Relay
from tests.plugins.replica import Replication
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.adapters.postgres.connections.errors import RETRY_DELAYS_SECONDS, with_retries
from tribal.errors import ConnectionLost, StatementConflict, TableGone
from tribal.settings.dsn import parse_dsn
from tribal_contracts import DatabaseLimits

_TABLES = "CREATE TABLE t (id int PRIMARY KEY, kind text); INSERT INTO t SELECT i, 'k' FROM generate_series(1, 500) i"
_TERMINATE = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'tribal'"
Waiting = list[float]


@pytest.fixture
def replicated(replication: Replication) -> Iterator[str]:
    name = unique_name("replicated")
    replication.primary.create_database(name)
    replication.replay(name, *_TABLES.split("; "))
    yield name
    replication.replay("postgres", f"DROP DATABASE {name} WITH (FORCE)")


def _reader(relay: Relay, dsn: str) -> tuple[PostgresCatalog, Waiting]:
    waited: Waiting = []
    return PostgresCatalog(relay.target(dsn), DatabaseLimits(), pause=waited.append), waited


def _do_before(relay: Relay, words: bytes, action: Callable[[], object], times: int = 1) -> list[int]:
    """Have the relay do something before it passes on a message with certain words, the first `times` that it comes."""
    done: list[int] = []

    def watch(message: bytes) -> None:
        if words in message and len(done) < times:
            done.append(len(done))
            action()

    relay.before_passing = watch
    return done


def _vacuum(replication: Replication, database: str) -> Callable[[], None]:
    """Remove rows that a reader of the standby may still see."""
    statements = ("UPDATE t SET kind = kind || 'x'", "VACUUM t")
    return lambda: replication.replay(database, *statements)


def test_a_catalog_read_that_a_replica_cancels_is_read_again_from_its_beginning(
    replication: Replication, replicated: str, relay_to: MakeRelay
) -> None:
    dsn = replication.standby.dsn(replicated)
    relay = relay_to(dsn)
    catalog, waited = _reader(relay, dsn)
    cancelled = _do_before(relay, b"pg_get_viewdef", _vacuum(replication, replicated), times=2)
    assert {table.table_name for table in catalog.read().tables} == {"marks", "t"}
    assert len(cancelled) == 2
    assert waited == list(RETRY_DELAYS_SECONDS[:2])
    conflicts = "SELECT confl_snapshot FROM pg_stat_database_conflicts WHERE datname = current_database()"
    assert administer(dsn, conflicts) == [[2]]
    catalog.close()


def test_a_sample_that_a_replica_cancels_is_taken_again(
    replication: Replication, replicated: str, relay_to: MakeRelay
) -> None:
    dsn = replication.standby.dsn(replicated)
    relay = relay_to(dsn)
    catalog, waited = _reader(relay, dsn)
    table = next(table for table in catalog.read().tables if table.table_name == "t")
    change = "ALTER TABLE t ADD COLUMN more int"
    _do_before(relay, b"COMMIT", lambda: replication.replay(replicated, change))
    assert len(catalog.sample(table, 3).rows) == 3
    assert waited == [RETRY_DELAYS_SECONDS[0]]
    catalog.close()


def test_a_replica_that_never_lets_a_read_end_is_given_up_with_what_to_do(
    replication: Replication, replicated: str, relay_to: MakeRelay
) -> None:
    dsn = replication.standby.dsn(replicated)
    relay = relay_to(dsn)
    catalog, waited = _reader(relay, dsn)
    _do_before(relay, b"pg_get_viewdef", _vacuum(replication, replicated), times=100)
    with pytest.raises(StatementConflict, match=r"reading the catalog .* hot_standby_feedback"):
        catalog.read()
    assert waited == list(RETRY_DELAYS_SECONDS)
    catalog.close()


def test_a_statement_that_a_replica_cancels_while_it_runs_is_a_conflict_and_the_connection_stays(
    replication: Replication, replicated: str, relay_to: MakeRelay
) -> None:
    dsn = replication.standby.dsn(replicated)
    relay = relay_to(dsn)
    catalog, _ = _reader(relay, dsn)
    running = "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query = 'SELECT pg_sleep(60)'"

    def cancel() -> None:
        while not administer(dsn, running):
            pass
        _vacuum(replication, replicated)()

    canceller = threading.Thread(target=cancel)

    def doze() -> None:
        with catalog.transaction("dozing") as session:
            session.run("SELECT count(*) FROM public.t")
            canceller.start()
            session.run("SELECT pg_sleep(60)")

    with pytest.raises(StatementConflict, match="canceling statement"):
        doze()
    canceller.join()
    assert len(catalog.read().tables) == 2
    assert relay.accepted == 1
    catalog.close()


def test_a_session_that_an_administrator_ends_is_replaced_and_its_read_done_again(
    fresh_database: FreshDatabase, relay_to: MakeRelay
) -> None:
    dsn = fresh_database(_TABLES)
    relay = relay_to(dsn)
    catalog, waited = _reader(relay, dsn)
    _do_before(relay, b"pg_get_viewdef", lambda: administer(dsn, _TERMINATE))
    assert len(catalog.read().tables) == 1
    assert relay.accepted == 2
    assert waited == [RETRY_DELAYS_SECONDS[0]]
    _do_before(relay, b"pg_get_viewdef", lambda: administer(dsn, _TERMINATE), times=100)
    with pytest.raises(ConnectionLost, match="administrator"):
        catalog.read()
    catalog.close()


def test_a_line_that_breaks_is_dialled_again_and_one_that_falls_silent_is_not(
    fresh_database: FreshDatabase, relay_to: MakeRelay
) -> None:
    dsn = fresh_database(_TABLES)
    relay = relay_to(dsn)
    catalog, waited = _reader(relay, dsn)
    _do_before(relay, b"pg_get_viewdef", relay.cut)
    assert len(catalog.read().tables) == 1
    assert len(waited) == 1

    def count_sheep() -> None:
        with catalog.transaction("counting sheep", statement_seconds=-4.7) as session:
            relay.silence()
            session.run("SELECT 1")

    with pytest.raises(ConnectionLost, match="stopped answering"):
        with_retries(count_sheep, lambda _: pytest.fail("tried again"))
    catalog.close()


def test_a_full_server_is_asked_again_when_a_slot_may_be_free(fresh_database: FreshDatabase) -> None:
    user = unique_name("one")
    dsn = fresh_database(f"CREATE ROLE {user} LOGIN PASSWORD 'one' CONNECTION LIMIT 1; {_TABLES}")
    own = login(dsn, user, "one")
    other = PostgresCatalog(parse_dsn(own, NO_ENVIRONMENT))
    other.read()
    catalog = PostgresCatalog(parse_dsn(own, NO_ENVIRONMENT), pause=lambda _: other.close())
    assert catalog.access().user == user
    catalog.close()


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_a_conflict_is_recognised_by_its_sqlstate(fresh_database: FreshDatabase, code: str) -> None:
    catalog = PostgresCatalog(parse_dsn(fresh_database(), NO_ENVIRONMENT))
    with (
        pytest.raises(StatementConflict, match="cancelled it for other work"),
        catalog.transaction("raising") as session,
    ):
        session.run(f"DO $$ BEGIN RAISE 'later, ann' USING ERRCODE = '{code}'; END $$")
    catalog.close()


def test_what_will_not_pass_is_not_tried_again(fresh_database: FreshDatabase) -> None:
    dsn = fresh_database("CREATE TABLE t (id int)")
    catalog = PostgresCatalog(parse_dsn(dsn, NO_ENVIRONMENT), pause=lambda _: pytest.fail("tried again"))
    (table,) = catalog.read().tables
    administer(dsn, "DROP TABLE t")
    with pytest.raises(TableGone):
        catalog.sample(table, 3)
    catalog.close()
    with pytest.raises(ConnectionLost, match="closed"):
        catalog.read()
