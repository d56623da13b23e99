"""A password in a DSN reaches the server and nothing else: no file, no output, no message."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from tests.attack.invoked import invoke
from tests.cases import each_case
from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import FreshDatabase, administer, unique_name

PIECES = ("Zq9harbour", "Wx7zebra", "Kp4meadow")
PASSWORD = PIECES[0] + "/" + PIECES[1] + "@[#?&=% ]:" + PIECES[2]


def nothing_told(folder: Path, *outputs: str) -> None:
    written = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for piece in PIECES:
        assert [str(path) for path, data in written.items() if piece.encode() in data] == []
        assert [output for output in outputs if piece in output] == []


def test_a_password_of_odd_characters_is_used_and_is_in_no_file_and_no_output(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn, user = fresh_database("CREATE TABLE thing (id int PRIMARY KEY)"), unique_name("odd")
    administer(dsn, f"CREATE ROLE {user} LOGIN PASSWORD '{PASSWORD}'; GRANT SELECT ON thing TO {user}")
    where, database = dsn.rpartition("@")[2].split("/")
    encoded = quote(PASSWORD, safe="")
    ways = (
        f"postgresql://{user}:{encoded}@{where}/{database}",
        f"postgresql://{where}/{database}?user={user}&password={encoded}",
    )
    outputs = []
    for number, way in enumerate(ways):
        folder = tmp_path / str(number)
        folder.mkdir()
        for command in ("check", "run", "plan", "diff", "init"):
            ran = tribal(command, way, cwd=folder)
            assert ran.returncode in (0, 1), ran.stderr
            outputs += [ran.stdout, ran.stderr]
        # What init wrote is the same database, with the password in a variable.
        again = tribal("diff", cwd=folder, TRIBAL_PASSWORD=PASSWORD)
        assert again.returncode == 0, again.stderr
        outputs += [again.stdout, again.stderr]
    nothing_told(tmp_path, *outputs)


@each_case(
    ("arguments", "said"),
    [
        (["run", f"postgresql://u:{PASSWORD}@localhost:1/d"], "special character that is not percent-encoded"),
        (["diff", f"postgresql://u:{PIECES[0]}/{PIECES[1]}@localhost/d"], "write @ as %40"),
        (["check", f"postgresql://[u:{PIECES[0]}]/d"], "is not an IPv6 address"),
        (["check", f"postgresql://localhost/d?user=u;password={PIECES[0]}"], "special character"),
        (["check", f"postgresql://localhost/d&user=u&password={PIECES[0]}"], "special character"),
        (["check", f"postgresql://u%3A{PIECES[0]}@localhost/d"], "a literal colon"),
        (["check", f"postgresql://{quote(f'u:{PIECES[0]}@localhost', safe='')}"], "The host is not a host name"),
        (["check", f"postgresql://u@localhost/d?user=u%26password%3D{PIECES[0]}"], "equals sign"),
        (
            ["check", f"postgresql://u:x&{PIECES[0].lower()}=1@localhost/d?{PIECES[0].lower()}=x"],
            "unknown parameter. Known",
        ),
        (["check", "postgresql://u:%ff@localhost/d"], "not UTF-8"),
        (["check", f"{PIECES[0]}://localhost/d"], "this is not a DSN"),
        (["check", f"host=localhost user=u password={PIECES[0]}"], "this is not a DSN"),
        (["check", "host=localhost", f"password={PIECES[0]}"], "Cannot read the command line"),
        (["run", "postgresql://u:a", f"{PIECES[0]}@localhost/d"], "Cannot read the command line"),
        ([f"postgresql://u:{PIECES[0]}@localhost/d"], "Cannot read the command line"),
        (["search", f"postgresql://u:{PIECES[0]}@localhost/d"], "takes no DSN"),
        (["tail", f"u:{PIECES[0]}@localhost/d"], "not a run id"),
        (["diff", "--since", f"postgresql://localhost/d?user=u&password={PIECES[0]}"], "not a run id"),
        (["check", "--project", f"postgresql://u:{PIECES[0]}@localhost/d"], "looks like a DSN"),
        (["--profile", f"postgresql://u:{PIECES[0]}@localhost/d", "status"], "not a valid profile name"),
        (["init", f"postgresql://u@localhost:1/d?port={PIECES[0]}"], "from 1 to 65535"),
    ],
)
def test_a_dsn_that_cannot_be_used_is_refused_with_what_to_write_and_without_any_of_it(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    ended = invoke(arguments, cwd=tmp_path)
    assert ended.exit_code == 2
    assert said in ended.output
    assert PIECES[0].lower() not in ended.output.lower()
    nothing_told(tmp_path, ended.output)


def test_a_message_names_no_login_of_any_url(tmp_path: Path) -> None:
    from tribal.edges.cli.usage import without_logins

    said = without_logins(f"cannot reach the proxy http://u:{PIECES[0]}@proxy:80; see https://example.com/a")
    assert said == "cannot reach the proxy http://…@proxy:80; see https://example.com/a"
    example = "write postgresql://user@host:5432/database"
    assert without_logins(example) == example
