"""What goes wrong for a new user: each has a clear message, the next step and a fitting exit code."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from tests.cases import each_case
from tests.edges.cli.tribal_command import start_tribal, tribal
from tests.plugins.postgres import FreshDatabase, administer, login, unique_name
from tests.waiting import wait_until
from tribal.adapters.local.folder import FolderStore
from tribal.identity.locations import LEASE_FILE, WORK_UNITS
from tribal.store import put_record
from tribal_contracts import LeaseRecord
from tribal_demo.server.postgres import EmbeddedServer


def test_without_anything_the_next_step_is_named(tmp_path: Path) -> None:
    ran = tribal("run", cwd=tmp_path)
    assert ran.returncode == 2
    assert "tribal run postgresql://" in ran.stderr
    assert "tribal init" in ran.stderr


def test_asking_before_anything_is_indexed_says_so(tmp_path: Path) -> None:
    commands = ("search x", "table x", "join a b", "domains", "domain x")
    ended = {command: tribal(*command.split(), cwd=tmp_path) for command in commands}
    assert {command: ran.returncode for command, ran in ended.items()} == dict.fromkeys(commands, 6)
    assert [command for command, ran in ended.items() if "index" not in ran.stderr] == []
    assert list(tmp_path.iterdir()) == []


@each_case(("command", "hint"), [("document", "tribal plan"), ("index", "tribal document")], ids=["document", "index"])
def test_a_stage_before_its_turn_names_the_one_before_it(
    tmp_path: Path, shop_dsn: str, command: str, hint: str
) -> None:
    ran = tribal(command, shop_dsn, cwd=tmp_path)
    assert ran.returncode == 6
    assert hint in ran.stderr


def test_status_before_anything_was_done_says_how_to_start(tmp_path: Path) -> None:
    ran = tribal("status", cwd=tmp_path)
    assert ran.returncode == 0
    assert "tribal run" in ran.stdout


def test_init_writes_a_file_that_loads_and_leaves_the_password_out(tmp_path: Path) -> None:
    ran = tribal("init", "postgresql://reader:hunter2@db.example.com/shop", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    text = (tmp_path / "databases.yaml").read_text()
    assert "hunter2" not in text
    missing = tribal("check", cwd=tmp_path)
    assert missing.returncode == 2
    assert "the secret 'TRIBAL_PASSWORD' of database 'shop' is missing" in missing.stdout
    again = tribal("init", cwd=tmp_path)
    assert again.returncode == 2
    assert "--force" in again.stderr


def test_the_file_that_init_writes_without_a_dsn_can_be_run(tmp_path: Path, shop_dsn: str) -> None:
    assert tribal("init", cwd=tmp_path).returncode == 0
    ran = tribal("run", cwd=tmp_path, DATABASE_URL=shop_dsn)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "docs" / "README.md").exists()


def test_an_unknown_key_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "databases.yaml").write_text("databases:\n  - name: a\n    dns: x\n")
    ran = tribal("run", cwd=tmp_path)
    assert ran.returncode == 2
    assert "line 3" in ran.stderr
    assert "did you mean 'dsn'" in ran.stderr


def test_a_wrong_password_is_distinguished_from_a_server_that_does_not_answer(
    tmp_path: Path, shop_dsn: str, closed_port: int
) -> None:
    wrong = tribal("run", login(shop_dsn, "postgres", "wrong-pw"), cwd=tmp_path)
    assert wrong.returncode == 3
    assert "password" in wrong.stderr
    assert "wrong-pw" not in wrong.stderr
    silent = tribal("run", f"postgresql://u@127.0.0.1:{closed_port}/db", cwd=tmp_path)
    assert silent.returncode == 3
    assert "127.0.0.1" in silent.stderr
    assert not (tmp_path / "docs").exists()


def test_a_host_that_does_not_exist_is_named(tmp_path: Path) -> None:
    ran = tribal("run", "postgresql://u@no-such-host.invalid/db", cwd=tmp_path)
    assert ran.returncode == 3
    assert "no-such-host.invalid" in ran.stderr


def test_a_database_that_does_not_exist_is_named(tmp_path: Path, shop_dsn: str) -> None:
    ran = tribal("run", shop_dsn.rpartition("/")[0] + "/not_there", cwd=tmp_path)
    assert ran.returncode == 3
    assert "not_there" in ran.stderr


def test_an_empty_database_gives_no_plan_and_says_why(tmp_path: Path, fresh_database: FreshDatabase) -> None:
    ran = tribal("run", fresh_database(), cwd=tmp_path)
    assert ran.returncode == 6
    assert "nothing to document" in ran.stderr
    assert not (tmp_path / "progress" / "documentation-plan.json").exists()


def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path, shop_dsn: str) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    if os.geteuid() == 0:
        # Nothing but the kernel refuses root.
        locked = Path("/sys/kernel")
    ran = tribal("run", shop_dsn, "--project", locked, cwd=tmp_path)
    assert ran.returncode == 5, ran.stderr
    assert str(locked) in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_file_in_the_way_of_a_folder_is_named(tmp_path: Path, shop_dsn: str) -> None:
    (tmp_path / "progress").write_text("in the way")
    ran = tribal("run", shop_dsn, cwd=tmp_path)
    assert ran.returncode == 5
    assert "progress" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_project_folder_that_does_not_exist_is_named(tmp_path: Path, shop_dsn: str) -> None:
    ran = tribal("run", shop_dsn, "--project", tmp_path / "nowhere", cwd=tmp_path)
    assert ran.returncode == 2
    assert "nowhere" in ran.stderr


def test_errors_are_json_where_json_was_asked_for(tmp_path: Path) -> None:
    ran = tribal("run", "--json", cwd=tmp_path)
    assert ran.returncode == 2
    failure = json.loads(ran.stdout)
    assert failure["success"] is False
    assert failure["error"]["code"] == "PLAN_CONFIG_NOT_FOUND"


def test_a_password_may_come_from_a_mounted_file_and_its_absence_is_named(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database("CREATE TABLE t (id int PRIMARY KEY)")
    open_dsn = login(dsn, "postgres", "").replace(":@", "@")
    (tmp_path / "databases.yaml").write_text(
        f"databases:\n  - {{name: a, dsn: '{open_dsn}', password_secret: DB_PW}}\n"
    )
    missing = tribal("run", cwd=tmp_path)
    assert missing.returncode == 2
    assert "DB_PW" in missing.stderr
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    (mounted / "DB_PW").write_text("tribal-demo\n")
    ran = tribal("run", cwd=tmp_path, TRIBAL_SECRETS=str(mounted))
    assert ran.returncode == 0, ran.stderr


COUNT = 200
SLOW = "".join(f"CREATE TABLE t{n:03} (id int PRIMARY KEY, v text);" for n in range(COUNT))


def pause_while_documenting(running: subprocess.Popen[str], folder: Path) -> None:
    """Stop a run in the middle: on a busy machine it would have ended before another program has started."""
    assert running.stderr is not None
    while "document" not in running.stderr.readline():
        assert running.poll() is None
    progress = (folder / WORK_UNITS).glob
    wait_until(lambda: any('"running"' in path.read_text() for path in progress("*/progress.json")))
    running.send_signal(signal.SIGSTOP)


def test_a_run_is_shown_to_who_starts_a_second_one_and_can_be_watched_and_followed_until_it_ends(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    before = tribal("tail", cwd=tmp_path)
    assert (before.returncode, "no run has written to" in before.stderr) == (6, True)
    dsn = fresh_database(SLOW)
    running = start_tribal("run", dsn, cwd=tmp_path)
    try:
        pause_while_documenting(running, tmp_path)
        second = tribal("run", dsn, cwd=tmp_path)
        watching = start_tribal("status", "--watch", "--interval", "0.1", cwd=tmp_path)
        assert watching.stdout is not None
        started = [watching.stdout.readline(), watching.stdout.readline()]
        following = start_tribal("tail", cwd=tmp_path)
        assert following.stderr is not None
        first = following.stderr.readline() + following.stderr.readline()
    finally:
        running.send_signal(signal.SIGCONT)
        _, errors = running.communicate(timeout=120)
    assert running.returncode == 0, errors
    assert second.returncode == 4
    assert str(running.pid) in second.stderr
    assert "tribal status" in second.stderr
    watched, refused = watching.communicate(timeout=120)
    assert watching.returncode == 0, refused
    assert started[0].startswith("running: run ")
    assert started[1].startswith("documenting: running")
    assert watched.splitlines()[-1].startswith("indexing: completed")
    followed, told = following.communicate(timeout=120)
    assert following.returncode == 0, first + told
    assert f"document: {COUNT} tables" in first
    assert followed.startswith(f"completed: {COUNT} tables documented")


def test_a_run_that_was_killed_is_not_followed_for_ever(tmp_path: Path, fresh_database: FreshDatabase) -> None:
    killed = start_tribal("run", fresh_database(SLOW), cwd=tmp_path)
    pause_while_documenting(killed, tmp_path)
    killed.kill()
    killed.communicate(timeout=60)
    store = FolderStore(tmp_path)
    left = LeaseRecord.from_json(store.get(LEASE_FILE).data)
    put_record(store, LEASE_FILE, left.model_copy(update={"expires_at": left.acquired_at}))
    ran = tribal("tail", cwd=tmp_path)
    assert (ran.returncode, "the next run resumes" in ran.stderr) == (130, True)
    assert "stopped without a recorded result" in tribal("status", cwd=tmp_path).stdout.splitlines()[0]


def test_status_says_when_the_index_is_of_older_documents(tmp_path: Path, fresh_database: FreshDatabase) -> None:
    dsn = fresh_database("CREATE TABLE t (id int PRIMARY KEY)")
    assert tribal("run", dsn, cwd=tmp_path).returncode == 0
    status = tribal("status", cwd=tmp_path).stdout.splitlines()
    assert status[0].startswith("last run: ")
    assert status[-1].startswith("indexing: completed")
    assert status[-1].endswith(" failed")
    administer(dsn, "CREATE TABLE u (id int PRIMARY KEY)")
    assert tribal("plan", dsn, cwd=tmp_path).returncode == 0
    assert tribal("document", dsn, cwd=tmp_path).returncode == 0
    assert tribal("status", cwd=tmp_path).stdout.splitlines()[-1].endswith("from older documents; run `tribal index`")
    assert tribal("index", dsn, cwd=tmp_path).returncode == 0
    assert tribal("tail", cwd=tmp_path).stdout == "completed.\n"
    assert "older" not in tribal("status", cwd=tmp_path).stdout


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stops_cleanly_and_the_next_run_resumes(
    tmp_path: Path, fresh_database: FreshDatabase, how: signal.Signals
) -> None:
    dsn = fresh_database(SLOW)
    stopped = start_tribal("run", dsn, cwd=tmp_path, SOURCE_DATE_EPOCH="1767225600")
    pause_while_documenting(stopped, tmp_path)
    stopped.send_signal(how)
    stopped.send_signal(signal.SIGCONT)
    _, errors = stopped.communicate(timeout=120)
    assert stopped.returncode == 130, errors
    assert "resumes it" in errors
    assert "Traceback" not in errors
    lease = json.loads((tmp_path / "progress" / "lease.json").read_bytes())
    assert lease["released"]
    done = len(list(tmp_path.glob("docs/**/*.t*.json")))
    assert done < COUNT
    status = tribal("status", cwd=tmp_path).stdout.splitlines()
    assert " (run) stopped, " in status[0]
    assert status[0].endswith("; `tribal run` resumes it")
    assert not any("running" in line for line in status)
    assert json.loads(tribal("status", "--json", cwd=tmp_path).stdout)["state"] == "stopped"
    followed = tribal("tail", cwd=tmp_path)
    assert (followed.returncode, followed.stdout[:8]) == (130, "stopped:")
    again = tribal("run", dsn, "--json", cwd=tmp_path, SOURCE_DATE_EPOCH="1767225600")
    assert again.returncode == 0, again.stderr
    record = json.loads(again.stdout)
    assert record["tables_documented"] + record["tables_unchanged"] == COUNT
    assert record["tables_unchanged"] >= done - 12


def test_check_names_the_grants_that_are_missing_and_they_mend_it(
    tmp_path: Path, fresh_database: FreshDatabase, postgres_server: EmbeddedServer
) -> None:
    role = unique_name("reader")
    dsn = fresh_database("CREATE SCHEMA secret; CREATE TABLE secret.t (id int); CREATE TABLE open (id int)")
    administer(dsn, f"CREATE ROLE {role} LOGIN PASSWORD 'pw'")
    reader = login(dsn, role, "pw")
    try:
        before = tribal("check", reader, "--json", cwd=tmp_path)
        assert before.returncode == 1
        grants = [missing["grant"] for missing in json.loads(before.stdout)["databases"][0]["missing"]]
        assert any("GRANT USAGE ON SCHEMA secret" in grant for grant in grants)
        for _ in range(2):
            report = json.loads(tribal("check", reader, "--json", cwd=tmp_path).stdout)
            for missing in report["databases"][0]["missing"]:
                administer(dsn, missing["grant"])
        after = tribal("check", reader, cwd=tmp_path)
        assert after.returncode == 0, after.stdout
        assert "all of which can be sampled" in after.stdout
    finally:
        administer(dsn, f"DROP OWNED BY {role}; DROP ROLE {role}")


def test_check_prints_its_statements_without_connecting_to_anything(tmp_path: Path) -> None:
    ran = tribal("check", "--sql", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "pg_catalog" in ran.stdout
    assert "BEGIN" in ran.stdout
    listed = json.loads(tribal("check", "--sql", "--json", cwd=tmp_path).stdout)["statements"]
    assert len(listed) > 5


def test_a_failed_database_leaves_the_other_documented_and_the_exit_code_says_in_part(
    tmp_path: Path, fresh_database: FreshDatabase, closed_port: int
) -> None:
    good = fresh_database("CREATE TABLE t (id int PRIMARY KEY)")
    (tmp_path / "databases.yaml").write_text(
        f"databases:\n  - {{name: good, dsn: '{good}'}}\n"
        f"  - {{name: bad, dsn: 'postgresql://u@127.0.0.1:{closed_port}/db'}}\n"
    )
    ran = tribal("run", cwd=tmp_path)
    assert ran.returncode == 1
    assert "bad" in ran.stderr
    assert list(tmp_path.glob("docs/good/**/public.t.md"))


def test_help_and_version_need_nothing(tmp_path: Path) -> None:
    assert [tribal(name, cwd=tmp_path).returncode for name in ("--version", "--help")] == [0, 0]
