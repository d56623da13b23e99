"""An installation has the network, and later commands have what it installed."""

from __future__ import annotations

import encodings.idna  # noqa: F401 - servers import it late, when another user cannot read this Python any longer
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.adapters.bubblewrap.host import SMALL, as_user, install
from tribal.adapters.bubblewrap.sandbox import open_sandbox
from tribal.ports.sandbox import PackageIndex, SandboxResult

_TOOL = b"#!/bin/sh\necho tool $1\n"
_DOWNLOAD = """
import os, pathlib, urllib.request
tool = pathlib.Path("/environment/bin/tool")
tool.parent.mkdir()
tool.write_bytes(urllib.request.urlopen(os.environ["PIP_INDEX_URL"] + "tool").read())
tool.chmod(0o755)
"""


class _Index(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(_TOOL)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def _index() -> Iterator[PackageIndex]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Index) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield PackageIndex(url=f"http://127.0.0.1:{server.server_port}/simple/")
        server.shutdown()


def _install_from_index(then: str) -> tuple[SandboxResult, SandboxResult]:
    with _index() as index:
        return install(f"python3 -c '{_DOWNLOAD}'; echo left >left; echo left >/tmp/left", then, index)


def test_a_tool_from_the_index_runs_afterwards_without_network(user: int) -> None:
    installed, then = as_user(user, _install_from_index, "tool runs; ls /files /tmp; cat /proc/net/dev | wc -l")
    assert installed == SandboxResult(0, "", None)
    assert then == SandboxResult(0, "tool runs\n/files:\n\n/tmp:\n3\n", None)


def _install_in_virtual_environment() -> tuple[SandboxResult, SandboxResult]:
    module = "cd /environment/lib/python3*/site-packages && echo 'print(6 * 7)' >answer.py"
    return install(f"python3 -m venv --without-pip /environment && {module}", "python3 -m answer; command -v python3")


def test_a_virtual_environment_is_used_by_later_commands(user: int) -> None:
    installed, then = as_user(user, _install_in_virtual_environment)
    assert installed.exit_code == 0, installed.output
    assert then.output == "42\n/environment/bin/python3\n"


def _change_environment() -> list[str]:
    sandbox = open_sandbox(SMALL)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as environment:
        files, installed = Path(folder), Path(environment)
        results = [
            sandbox.run(files, "ls /environment", installed),
            sandbox.install(files, "echo kept >/environment/file", installed, PackageIndex()),
            sandbox.run(files, "echo changed >/environment/file && touch /environment/other", installed),
            sandbox.run(files, "ls /environment && cat /environment/file", installed),
            sandbox.run(files, "ls /environment"),
        ]
        assert [result.exit_code for result in results] == [0] * 5
        return [result.output for result in results]


def test_commands_cannot_change_what_was_installed_for_later_ones(user: int) -> None:
    assert as_user(user, _change_environment) == ["", "", "", "file\nkept\n", ""]


def _fail() -> tuple[SandboxResult, SandboxResult]:
    return install("touch /environment/file; exit 3", "ls /environment")


def test_what_a_failed_installation_wrote_is_not_kept(user: int) -> None:
    assert as_user(user, _fail) == (SandboxResult(3, "", None), SandboxResult(0, "", None))


def _write_outside(then: str) -> tuple[list[SandboxResult], list[str]]:
    sandbox = open_sandbox(SMALL)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as outside:
        environment = Path(folder, "environment")
        environment.mkdir()
        command = (
            f"ln -s {outside} /environment/folder; ln -s {outside}/file /environment/file; ln -s / /environment/root"
        )
        results = [
            sandbox.install(Path(outside), command, environment, PackageIndex()),
            sandbox.run(Path(outside), then.format(outside=outside), environment),
        ]
        return results, sorted(path.name for place in (folder, outside) for path in Path(place).rglob("*"))


def test_links_that_an_installation_makes_lead_nowhere_outside(user: int) -> None:
    (installed, then), files = as_user(
        user, _write_outside, "echo x >/environment/file; touch /environment/folder/new; ls /environment/root{outside}"
    )
    assert installed.exit_code == 0
    assert then.exit_code != 0
    assert files == ["environment", "environment.tar"]


def _list_variables() -> tuple[SandboxResult, SandboxResult]:
    with tempfile.NamedTemporaryFile() as certificates:
        certificates.write(b"certificates\n" * 10_000)
        certificates.flush()
        return install(
            "env; cat $SSL_CERT_FILE | wc -l",
            "env",
            PackageIndex(url="https://packages.example/simple", ca_file=Path(certificates.name)),
        )


def test_pip_and_uv_get_the_index_and_its_certificates_while_installing_only(user: int) -> None:
    installed, then = as_user(user, _list_variables)
    *lines, count = installed.output.splitlines()
    variables = dict(line.split("=", 1) for line in lines)
    assert count == "10000"
    assert {name for name, value in variables.items() if value == "https://packages.example/simple"} == {
        "PIP_INDEX_URL",
        "UV_DEFAULT_INDEX",
        "UV_INDEX_URL",
    }
    certificates = {name for name, value in variables.items() if value == variables["SSL_CERT_FILE"]}
    assert certificates >= {"PIP_CERT", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"}
    assert not {"PIP_INDEX_URL", "SSL_CERT_FILE"} & {line.partition("=")[0] for line in then.output.splitlines()}


def _ask_socket() -> tuple[SandboxResult, SandboxResult]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0tribal-installing")
        server.listen()
        return install("""python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("\\0tribal-installing")'""")


def test_an_installation_does_not_reach_abstract_sockets_of_the_machine(user: int) -> None:
    installed, _ = as_user(user, _ask_socket)
    assert installed.exit_code == 1
    assert "Address family not supported" in installed.output
