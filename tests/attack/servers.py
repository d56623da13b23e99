"""PostgreSQL servers that drip, flood, lie and send garbage: each reading ends in time, within bounds, in an error."""

from __future__ import annotations

import itertools
import struct
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

from servers.fake_postgres import (
    BOOL,
    DONE,
    INT8,
    JSON,
    LOGIN,
    READY,
    TEXT,
    FakeClient,
    FakePostgres,
    Script,
    columns,
    error,
    message,
    notice,
    parameter,
    row,
)
from tests.attack.outcome import Attack, Outcome
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.errors import DatabaseError
from tribal.settings.postgres_target import PostgresTarget
from tribal_contracts import CatalogColumn, CatalogTable, DatabaseLimits

LIMITS = DatabaseLimits(connections=1, connect_timeout_seconds=1, statement_timeout_seconds=1, sample_timeout_seconds=1)
MARGIN_SECONDS = 5.0
"""What a statement is given beyond the server's own limit."""
PATIENCE_SECONDS = 60.0
"""Longer than all limits of one reading with its retries, on a busy machine."""
TABLE = CatalogTable(
    schema_name="s",
    table_name="t",
    kind="table",
    comment=None,
    columns=[CatalogColumn(name="c", type="text", nullable=True, default_value=None, comment=None)],
    primary_key=None,
    unique_keys=[],
    foreign_keys=[],
    indexes=[],
    checks=[],
    selectable=True,
)
DRIP_SECONDS = 0.05


def attack(attack: Attack) -> Iterator[Outcome]:
    """All classes at once: most of the time is spent waiting for the limits."""
    random = attack.random("servers")
    times = attack.times(8, least=1)
    tries = [(name, make(random)) for name, make in CLASSES.items() for _ in range(times)]
    with ThreadPoolExecutor(16) as pool:
        endings = list(pool.map(lambda tried: _ending(tried[1]), tries))
    for name in CLASSES:
        own = [ending for (other, _), ending in zip(tries, endings, strict=True) if other == name]
        failed = [ending for ending in own if ending]
        yield Outcome(name, len(own), len(failed), example=failed[0] if failed else "")


def _ending(script: Script) -> str:
    """What is wrong with how a reading and a sample from such a server end; empty when nothing is."""
    with FakePostgres(script) as server:
        target = PostgresTarget(host="127.0.0.1", port=server.port, database="d", user="u")
        catalog = PostgresCatalog(target, LIMITS, pause=lambda _: None)
        try:
            for work in (catalog.read, lambda: catalog.sample(TABLE, 5)):
                began = time.monotonic()
                wrong = _wrong(work)
                took = time.monotonic() - began
                if took > PATIENCE_SECONDS:
                    return f"took {took:.0f} s"
                if wrong:
                    return wrong
        finally:
            catalog.close()
    return ""


def _wrong(work: Callable[[], Any]) -> str:
    try:
        work()
    except DatabaseError as refusal:
        return "" if len(refusal.message) < 1000 else "a long message"
    except Exception as other:  # noqa: BLE001 - any other error is what the attack looks for
        return f"{type(other).__name__}: {other}"
    return "an answer was taken"


def _at_login(reply: Callable[[FakeClient], None]) -> Script:
    """Play when the client has asked for TLS in vain and says who it is."""

    def script(client: FakeClient) -> None:
        client.hear()
        client.send(b"N")
        client.hear()
        reply(client)

    return script


def _after_login(reply: Callable[[FakeClient], None]) -> Script:
    """Log the client in, say yes to its BEGIN, and then play."""

    def after(client: FakeClient) -> None:
        client.send(LOGIN)
        client.hear()
        client.send(message(b"C", b"BEGIN\0"), READY)
        while client.hear():
            reply(client)

    return _at_login(after)


def _somewhere(random: Random, reply: Callable[[FakeClient], None]) -> Script:
    return random.choice([_after_login, _at_login])(reply)


def _endless(start: bytes, part: Callable[[], bytes]) -> Callable[[FakeClient], None]:
    def reply(client: FakeClient) -> None:
        client.send(start)
        while not client.stopped.is_set():
            client.send(part())

    return reply


def _dripping(start: bytes, parts: Callable[[], Iterator[bytes]]) -> Callable[[FakeClient], None]:
    def reply(client: FakeClient) -> None:
        client.send(start)
        client.drip(parts(), DRIP_SECONDS)

    return reply


def _drip_bytes(random: Random) -> Script:
    start = message(random.choice([b"N", b"S", b"D", b"E", b"T"]), length=random.randrange(5_000, 5_000_000))
    byte = random.randbytes(1)
    drip = _dripping(start, lambda: itertools.repeat(byte))
    return _somewhere(random, drip)


def _drip_messages(random: Random) -> Script:
    part = random.choice([notice(random.randbytes(20)), parameter("x", "y"), message(b"2"), message(b"n")])
    drip = _dripping(b"", lambda: itertools.repeat(part))
    return _somewhere(random, drip)


def _drip_rows(random: Random) -> Script:
    value = random.randbytes(8).hex().encode()
    return _after_login(_dripping(columns(TEXT), lambda: itertools.repeat(row(value))))


def _drip_answer_to_tls(random: Random) -> Script:
    def script(client: FakeClient) -> None:
        client.hear()
        client.send(b"S")
        record = b"\x16\x03\x03" + struct.pack("!H", random.randrange(1000, 16_000))
        client.drip(itertools.chain([record], itertools.repeat(random.randbytes(1))), DRIP_SECONDS)

    return script


def _flood_of_notices(random: Random) -> Script:
    text = notice(random.randbytes(random.randrange(100_000)).replace(b"\0", b""))
    flood = _endless(b"", lambda: text)
    return _somewhere(random, flood)


def _flood_of_rows(random: Random) -> Script:
    many = row(random.randbytes(random.randrange(200)).hex().encode()) * 500
    return _after_login(_endless(columns(TEXT), lambda: many))


def _flood_of_settings(random: Random) -> Script:
    settings = b"".join(parameter(random.randbytes(8).hex(), "x" * 1000) for _ in range(50))
    flood = _endless(b"", lambda: settings)
    return _somewhere(random, flood)


def _lying_lengths(random: Random) -> Script:
    length = random.choice([-1, 0, 1, 3, 2**31 - 1, -(2**31), random.randrange(2**27, 2**31)])
    code = random.choice([b"D", b"T", b"N", b"S", b"C", b"E", b"R", b"Z", b"K"])
    flood = _endless(message(code, length=length), lambda: b"\0" * 65_536)
    return _somewhere(random, flood)


def _lying_values(random: Random) -> Script:
    """A row whose values lead back and forth in it: each would be copied again."""
    wide = columns(*[TEXT] * 1600)
    size = random.randrange(10**5, 10**6)
    lies = [struct.pack("!i", random.choice([size, -size, 2**31 - 1, -2])) for _ in range(1600)]
    lying = message(b"D", struct.pack("!h", 1600) + b"".join(lies) + b"x" * size)
    return _after_login(lambda client: client.send(wide, lying * 3, DONE, READY))


def _wide(random: Random) -> Script:
    wide = columns(*[TEXT] * random.randrange(1665, 32_000))
    return _after_login(lambda client: client.send(wide, DONE, READY))


def _odd_types(random: Random) -> Script:
    kinds = [random.choice([TEXT, INT8, BOOL, JSON, 700, 1082, 1114, 1186, 1700, 2950, 1007, 3904]) for _ in range(11)]
    texts = [
        b"",
        b"9" * 5000,
        b"[" * 100_000,
        b"{",
        b"NaN",
        b"t",
        b"1e999999999",
        b"\xff\xfe",
        b"infinity",
        b"[1",
        b"(,)",
    ]
    values = [random.choice([None, *texts]) for _ in kinds]
    return _after_login(lambda client: client.send(columns(*kinds), row(*values), DONE, READY))


def _odd_encodings(random: Random) -> Script:
    name = random.choice(["LATIN1", "punycode", "zlib", "idna", "unicode_escape", "utf-7", "", "x" * 1000, "UTF8\n"])
    said = parameter("client_encoding", name)
    text = random.randbytes(1000)
    reply = columns(TEXT) + row(text)
    early = message(b"R", struct.pack("!i", 0)) + said + READY
    return random.choice(
        [
            _after_login(lambda client: client.send(said, reply, DONE, READY)),
            _at_login(lambda client: client.send(early)),
        ]
    )


def _garbage(random: Random) -> Script:
    noise = random.randbytes(random.randrange(1, 5000))
    codes = [message(bytes([random.randrange(256)]), random.randbytes(random.randrange(50))) for _ in range(20)]
    said = random.choice([noise, b"".join(codes), b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0" * 4000])
    return random.choice([_after_login(lambda client: client.send(said)), _at_login(lambda client: client.send(said))])


def _odd_logins(random: Random) -> Script:
    kind = random.choice([2, 3, 5, 6, 7, 9, 10, 11, 12, 99, -1])
    asked = message(b"R", struct.pack("!i", kind) + random.randbytes(random.randrange(40)))
    return _at_login(lambda client: client.send(asked * random.randrange(1, 5)))


def _errors(random: Random) -> Script:
    state = random.choice(["57014", "XX000", "22021", "40001", "", "\u00e9", "x" * 500])
    said = error(state, random.randbytes(random.randrange(100_000)).replace(b"\0", b""))
    return random.choice(
        [_after_login(lambda client: client.send(said, READY)), _at_login(lambda client: client.send(said))]
    )


CLASSES: dict[str, Callable[[Random], Script]] = {
    "bytes that drip": _drip_bytes,
    "messages that drip": _drip_messages,
    "rows that drip": _drip_rows,
    "TLS that drips": _drip_answer_to_tls,
    "floods of notices": _flood_of_notices,
    "floods of rows": _flood_of_rows,
    "floods of settings": _flood_of_settings,
    "lengths of messages that lie": _lying_lengths,
    "lengths of values that lie": _lying_values,
    "more columns than there can be": _wide,
    "types that do not fit": _odd_types,
    "encodings": _odd_encodings,
    "garbage": _garbage,
    "logins": _odd_logins,
    "errors": _errors,
}
"""Makes a script of each class."""
