"""Odd DSNs, with passwords made by the seed: no output and no file of any command may hold a piece of one."""

from __future__ import annotations

import socket
import string
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from urllib.parse import quote

from tests.attack.fake_server import Behaviour, FakeServer
from tests.attack.invoked import invoke
from tests.attack.outcome import Attack, Outcome

DSNS = 735
_COMMANDS = ("check", "plan", "run", "diff", "init", "status", "lint", "search", "tail", "")
_SPECIAL = "/@#?[]%:&=;, \\'\"<>{}|^`$!*()+~é漢\uff0f\uff20\u2100"


@dataclass(frozen=True, slots=True)
class Secret:
    """A password: pieces that nothing else holds, with odd characters between them."""

    pieces: tuple[str, ...]
    between: tuple[str, ...]

    @classmethod
    def made(cls, random: Random) -> Secret:
        count = random.randint(1, 4)
        pieces = tuple("".join(random.choices(string.ascii_letters + string.digits, k=9)) for _ in range(count))
        return cls(pieces, tuple(random.choice(_SPECIAL) for _ in range(count - 1)))

    @property
    def text(self) -> str:
        return "".join(piece + mark for piece, mark in zip(self.pieces, (*self.between, ""), strict=True))

    def within(self, text: str) -> bool:
        """Whether a piece is in the text."""
        return any(piece.casefold() in text.casefold() for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the DSN leads: user, host with port, database."""

    user: str
    where: str
    database: str


Shape = Callable[[Random, str, Place], str]


def attack(attack: Attack) -> Iterator[Outcome]:
    """Each shape of DSN with made passwords, given to commands; and servers that ask for a password in clear text."""
    random = attack.random("dsns")
    with FakeServer("refuses") as refusing, socket.socket() as closed:
        # Bound, so that no one else gets it.
        closed.bind(("127.0.0.1", 0))
        nowhere = closed.getsockname()[1]
        tries: list[tuple[str, Shape, int]] = []
        for number in range(attack.times(DSNS, least=len(SHAPES))):
            title, shape = SHAPES[number % len(SHAPES)]
            tries.append((title, shape, random.choice((nowhere, refusing.port))))
        failed: dict[str, list[str]] = {}
        tried: dict[str, int] = {}
        for number, (title, shape, port) in enumerate(tries):
            place = Place(_name(random), f"127.0.0.1:{port}", _name(random))
            secret = Secret.made(random)
            dsn = shape(random, secret.text, place)
            folder = attack.scratch / str(number)
            commands = random.sample(_COMMANDS, 5 if attack.effort >= 0.5 else 2)
            tried[title] = tried.get(title, 0) + len(commands)
            failed.setdefault(title, []).extend(_leaks(folder, dsn, secret, commands))
    for title, leaks in failed.items():
        yield Outcome(f"password in {title}", tried[title], len(leaks), example=leaks[0] if leaks else "")
    yield from _clear_text(attack)


def _leaks(folder: Path, dsn: str, secret: Secret, commands: Sequence[str]) -> Iterator[str]:
    for command in commands:
        project = folder / (command or "none")
        project.mkdir(parents=True)
        as_json = ["--json"] if command not in ("", "tail") and len(dsn) % 2 else []
        ended = invoke([command, dsn, *as_json] if command else [dsn], cwd=project)
        written = "".join(path.read_text("utf-8", "replace") for path in project.rglob("*") if path.is_file())
        if ended.traceback or secret.within(ended.output) or secret.within(written):
            yield f"{command} {dsn!r}: {ended.traceback or ended.output[:300]!r}"


def _clear_text(attack: Attack) -> Iterator[Outcome]:
    """What servers hear that ask for a password in clear text, at whatever moment of the login."""
    random = attack.random("clear text")
    modes = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
    behaviours: tuple[Behaviour, ...] = ("clear text", "clear text after SCRAM", "clear text in a query")
    tries = list(product(behaviours, modes))
    heard, example = 0, ""
    for number in range(attack.times(100, least=len(tries))):
        behaviour, mode = tries[number % len(tries)]
        secret = Secret.made(random)
        folder = attack.scratch / f"clear-{number}"
        folder.mkdir()
        with FakeServer(behaviour) as server:
            dsn = f"postgresql://u:{quote(secret.text, safe='')}@127.0.0.1:{server.port}/d?sslmode={mode}"
            ended = invoke(["check", dsn], cwd=folder)
        if ended.traceback or any(piece.encode() in server.heard for piece in secret.pieces):
            heard += 1
            example = f"{behaviour}, {mode}: {ended.traceback}"
    yield Outcome(
        "password told to a server that asks in clear text", attack.times(100, least=len(tries)), heard, example=example
    )


def _name(random: Random) -> str:
    return random.choice(string.ascii_lowercase) + "".join(random.choices(string.ascii_lowercase + "_", k=6))


def _some_encoded(random: Random, text: str) -> str:
    return "".join(quote(char, safe="") if random.random() < 0.5 else char for char in text)


def _broken_percent(random: Random, text: str) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(("%", "%2", "%zz", "%%", "%c3", "%00", "%u0041")) + text[at:]


def _plain(login: str, p: Place) -> str:
    return f"postgresql://{login}@{p.where}/{p.database}"


def _asked(p: Place, query: str) -> str:
    return f"postgresql://{p.where}/{p.database}{query}"


def _form(random: Random, forms: tuple[str, ...], **values: str) -> str:
    return random.choice(forms).format(**values)


def _odd_marks(r: Random, s: str, p: Place) -> str:
    return _asked(p, f"{r.choice('&;,?| ')}user={p.user}{r.choice('&;,?|')}password={s}")


def _odd_mark(r: Random, s: str, p: Place) -> str:
    mark = r.choice((";", ",", "?", "&amp;", "|", " ", "%26"))
    return _asked(p, f"?user={p.user}{mark}password={s}")


def _other_name(r: Random, s: str, p: Place) -> str:
    name = r.choice(("pass", "pwd", "PASSWORD", "passwd", "sslpassword", "p"))
    return _asked(p, f"?user={p.user}&{name}={s}")


def _brackets(r: Random, s: str, p: Place) -> str:
    forms = (
        "postgresql://[{u}:{s}]/{d}",
        "postgresql://[{u}:{s}@{w}]/{d}",
        "postgresql://{u}:[{s}]@{w}/{d}",
        "postgresql://[{s}]/{d}",
        "postgresql://{u}:{s}@[::1]:1/{d}",
        "postgresql://{u}:{s}@[::1/{d}",
        "postgresql://{u}:{s}@::1/{d}",
    )
    return _form(r, forms, u=p.user, s=s, w=p.where, d=p.database)


def _no_url(r: Random, s: str, p: Place) -> str:
    schemes = ("", "//", "postgresql:", "postgresql:/", "://", "jdbc:postgresql://", "postgresql+psycopg2://")
    return f"{r.choice(schemes)}{p.user}:{s}@{p.where}/{p.database}"


def _keys_and_values(r: Random, s: str, p: Place) -> str:
    return f"host=127.0.0.1 user={p.user} " + _form(r, ("password={s}", "password='{s}'", "password = {s}"), s=s)


def _wrong_place(r: Random, s: str, p: Place) -> str:
    forms = (
        "postgresql://{u}@{w}{s}/{d}",
        "postgresql://{w}/{d}/{u}/{s}",
        "postgresql://{w}/{d}:{s}",
        "postgresql://{w}/{u}:{s}@{d}",
        "postgresql://{u}@{w}/{d}?port={s}",
        "postgresql://{u}@{w}/{d}?sslmode={s}",
        "postgresql://{u}@{w}/{d}?connect_timeout={s}",
        "postgresql://{u}@{w}/{d}?require_auth={s}",
    )
    return _form(r, forms, u=p.user, s=s, w=p.where, d=p.database)


def _wrapped(r: Random, s: str, p: Place) -> str:
    right = _plain(f"{p.user}:{quote(s, safe='')}", p)
    return _form(r, (" {dsn}", "{dsn}\n", "\t{dsn}", "'{dsn}'", '"{dsn}"', "<{dsn}>", "{dsn}\udce9"), dsn=right)


def _placeholder(r: Random, s: str, p: Place) -> str:
    return _plain(f"{p.user}:{_form(r, ('${{{s}}}', '<{s}>', '{{{s}}}', '$({s})'), s=s)}", p)


SHAPES: tuple[tuple[str, Shape], ...] = (
    ("a login as it is", lambda _, s, p: _plain(f"{p.user}:{s}", p)),
    ("a login in which some is encoded", lambda r, s, p: _plain(f"{p.user}:{_some_encoded(r, s)}", p)),
    ("a login that is encoded", lambda _, s, p: _plain(f"{p.user}:{quote(s, safe='')}", p)),
    ("a broken encoding", lambda r, s, p: _plain(f"{p.user}:{_broken_percent(r, s)}", p)),
    ("a login that is encoded whole", lambda _, s, p: _plain(quote(f"{p.user}:{s}", safe=""), p)),
    ("an address that is encoded whole", lambda _, s, p: "postgresql://" + quote(f"{p.user}:{s}@{p.where}", safe="")),
    ("a login that begins like a port", lambda r, s, p: _plain(f"{p.user}:{r.randint(1, 9999)}/{s}", p)),
    ("a parameter", lambda _, s, p: _asked(p, f"?user={p.user}&password={s}")),
    ("a parameter that is encoded", lambda _, s, p: _asked(p, f"?user={p.user}&password={quote(s, safe='')}")),
    ("a parameter without a database", lambda _, s, p: f"postgresql://{p.where}?user={p.user}&password={s}"),
    ("parameters with odd marks between", _odd_marks),
    ("parameters with an odd mark after the first", _odd_mark),
    ("a parameter of another name", _other_name),
    ("a parameter of its own name", lambda _, s, p: _asked(p, f"?{s}=1&x{s}")),
    ("brackets", _brackets),
    ("what is no URL", _no_url),
    ("a scheme", lambda r, s, p: f"{s}{r.choice(('://', ':', '//'))}{p.where}/{p.database}"),
    ("another scheme", lambda r, s, p: f"{r.choice(('mysql', 'http', 's3', 'redis'))}://{p.user}:{s}@{p.where}"),
    ("keys and values", _keys_and_values),
    ("a DSN with several hosts", lambda _, s, p: f"postgresql://{p.user}:{s}@{p.where},{p.where}/{p.database}"),
    ("a login that stands twice", lambda _, s, p: _plain(f"{p.user}:{s}@{p.user}:{s}", p)),
    ("a DSN that breaks off", lambda r, s, p: f"postgresql://{p.user}:{s}{r.choice(('@', '@/', '@?', '@:', '@:/'))}"),
    ("a login without a user", lambda _, s, p: _plain(f":{s}", p)),
    ("the place of something else", _wrong_place),
    ("white space and quotes", _wrapped),
    ("a fragment", lambda _, s, p: f"{_plain(p.user, p)}#{s}"),
    ("a placeholder", _placeholder),
)
