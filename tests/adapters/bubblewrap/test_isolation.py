"""A command in the sandbox reaches nothing of this machine."""

from __future__ import annotations

import os
import platform
import socket
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.adapters.bubblewrap.attacks import ATTACKS, NEEDS_PTRACE, attempt, can_trace
from tests.adapters.bubblewrap.host import SMALL, as_user, run
from tests.cases import each_case
from tribal.adapters.bubblewrap.sandbox import open_sandbox
from tribal.ports.sandbox import SandboxResult


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_that_succeeds_outside_fails_inside(user: int, name: str) -> None:
    outside, inside = as_user(user, attempt, name)
    if name not in NEEDS_PTRACE or can_trace():
        assert outside == "REACHED\n"
    assert inside.startswith("failed: ")


@each_case(
    ("attack", "failure"),
    {
        "socket.create_connection(('169.254.169.254', 80), 5)": "Network is unreachable",
        "socket.create_connection(('1.1.1.1', 443), 5)": "Network is unreachable",
        "socket.create_connection(('2606:4700:4700::1111', 443), 5)": "unreachable",
        "socket.getaddrinfo('example.com', 443)": "name resolution",
        "socket.socket(socket.AF_VSOCK)": "Address family not supported",
        "os.memfd_create('file')": "not implemented",
        "os.mkdir('/home')": "Read-only",
        "os.mkdir('/usr/local/tool')": "Read-only",
        "os.mkdir('/dev/folder')": "Read-only",
        "open('/etc/shadow')": "No such file",
        "os.setuid(0)": "Invalid argument",
        "os.mknod('device', 0o60600, os.makedev(8, 0))": "not permitted",
        "open('/proc/sys/kernel/hostname', 'w')": "denied",
    }.items(),
)
def test_a_command_may_not(user: int, attack: str, failure: str) -> None:
    result = as_user(user, run, f'python3 -c "import os, socket; {attack}"')
    assert result.exit_code == 1
    assert failure in result.output.splitlines()[-1]


def test_the_kernel_gives_out_no_keys(user: int) -> None:
    script = "import ctypes; libc = ctypes.CDLL(None); print(libc.syscall({number}, 0, -3, 0))"
    numbers = {"x86_64": 250, "aarch64": 219}
    command = f"python3 -c '{script.format(number=numbers[platform.machine()])}'"
    assert as_user(user, run, command).output == "-1\n"


def test_only_programs_and_named_files_of_the_machine_are_there(user: int) -> None:
    listed = as_user(user, run, "ls -A /; echo =; ls -A /tmp /dev/shm /environment; echo =; ls -A /etc").output
    folders, own, configuration = (part.split() for part in listed.split("=\n"))
    assert set(folders) - set("bin sbin lib lib32 lib64 libx32".split()) == set(
        "dev environment etc files proc tmp usr".split()
    )
    assert own == ["/dev/shm:", "/environment:", "/tmp:"]
    assert set(configuration) >= {"passwd", "group", "hosts", "nsswitch.conf"}
    assert not {"shadow", "resolv.conf", "machine-id", "hostname", "environment"} & set(configuration)


def test_the_environment_has_only_what_the_sandbox_sets(user: int) -> None:
    own, first = as_user(user, run, "env | sort; echo =; cat /proc/1/environ").output.split("=\n")
    assert {line.partition("=")[0] for line in own.splitlines()} == set(
        "HOME LANG NO_COLOR OLDPWD PATH PWD TERM USER".split()
    )
    assert first == ""


def test_only_its_own_processes_are_visible_and_none_has_a_right_over_the_system(user: int) -> None:
    rights = "grep -h -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/*/status"
    output = as_user(user, run, f"ls -d /proc/[0-9]* | wc -l; {rights}; unshare --user true").output
    count, *lines, refused = output.splitlines()
    assert int(count) < 10
    assert set(lines) == {"CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"}
    assert "unshare failed" in refused


def test_output_written_to_the_names_of_the_streams_is_kept_and_shows_control_characters(user: int) -> None:
    result = as_user(user, run, r"printf 'one\n' >/dev/stdout; printf '\033[31mtwo\033[0m\a\r\n' >/dev/stderr")
    assert result.output == "one\ntwo\\u0007\n"


def _change_hooks() -> tuple[int, dict[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        hooks = Path(folder, ".git", "hooks")
        hooks.mkdir(parents=True)
        (hooks / "pre-commit").write_text("before")
        command = "echo after >.git/hooks/pre-commit && touch .git/hooks/pre-push new && rm -r .git/hooks/pre-commit"
        result = open_sandbox(SMALL).run(Path(folder), command)
        return result.exit_code, {
            str(path.relative_to(folder)): path.read_text() for path in Path(folder).rglob("*") if path.is_file()
        }


def test_a_command_changes_its_own_copy_only(user: int) -> None:
    assert as_user(user, _change_hooks) == (0, {".git/hooks/pre-commit": "before"})


def _copy_special_files() -> SandboxResult:
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{folder}/socket")
        os.mkfifo(f"{folder}/pipe")
        Path(folder, "script").write_text("#!/bin/sh\necho ran\n")
        Path(folder, "script").chmod(0o700)
        Path(folder, "link").symlink_to("script")
        Path(folder, "empty").mkdir()
        return open_sandbox(SMALL).run(Path(folder), "ls -F | sort; ./link")


def test_files_folders_and_links_are_copied_but_no_devices_pipes_or_sockets(user: int) -> None:
    assert as_user(user, _copy_special_files).output == "empty/\nlink@\nscript*\nran\n"


def _run_at_once() -> list[str]:
    with ThreadPoolExecutor(4) as pool:
        commands = [f"touch /tmp/{number}; sleep 0.2; ls /tmp" for number in range(4)]
        return [result.output for result in pool.map(run, commands)]


def test_sandboxes_run_at_the_same_time_without_sharing_files(user: int) -> None:
    assert as_user(user, _run_at_once) == ["0\n", "1\n", "2\n", "3\n"]


def test_a_folder_that_does_not_exist_is_an_error(bubblewrap: str, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_sandbox(SMALL).run(tmp_path / "missing", "true")
