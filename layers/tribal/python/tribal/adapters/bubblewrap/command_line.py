"""The command line of bubblewrap: everything that a sandbox contains."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

from tribal.ports.sandbox import PackageIndex, SandboxLimits

FILES, ENVIRONMENT = "/files", "/environment"
WRITABLE = (FILES, ENVIRONMENT, "/tmp", "/dev/shm")  # noqa: S108 - folders of the sandbox, not of this machine
"""The only folders that can be written to; each is a file system in memory."""
_PROGRAMS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_CONFIGURATION = (
    *("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types"),
    *("ssl/certs", "ssl/cert.pem", "ssl/openssl.cnf", "ca-certificates/extracted"),
    *("pki/ca-trust/extracted", "pki/tls/certs", "pki/tls/cert.pem", "pki/tls/openssl.cnf"),
)
"""Files of /etc that programs and HTTPS need. None has a secret: keys are in ssl/private and pki/tls/private."""
_NETWORK = ("hosts", "resolv.conf")
_CERTIFICATES = "/etc/index-certificates.pem"

SCRIPT = """
exec 4>&1 >&2
printf . >&4
umask 022
tar --extract --ignore-zeros --directory / || exit
cd /files
prlimit --nproc="$2" --core=0 -- sh -c "$1" </dev/null 4>&-
code=$?
if [ "$3" = keep ] && [ $code = 0 ]; then tar --create --directory / environment >&4; fi
exit $code
"""
"""The sandbox's first program. Writes one byte once it has started, unpacks its input, runs the command and, after an
installation, writes an archive of /environment. What the command writes goes to standard error."""


def made_up_files(index: PackageIndex | None) -> Mapping[str, bytes]:
    """The files of the sandbox that are not this machine's, by path.

    Args:
        index: of an installation; `None` without network.
    """
    files = {
        "/etc/passwd": b"sandbox:x:1000:1000::/tmp:/bin/sh\n",
        "/etc/group": b"sandbox:x:1000:\n",
        "/etc/nsswitch.conf": b"passwd: files\ngroup: files\nhosts: files dns\n",
    }
    if index is None:
        files["/etc/hosts"] = b"127.0.0.1 localhost sandbox\n::1 localhost sandbox\n"
    elif index.ca_file is not None:
        files[_CERTIFICATES] = index.ca_file.read_bytes()
    return files


def arguments(
    command: str, limits: SandboxLimits, index: PackageIndex | None, files: Mapping[str, int], filter_file: int
) -> list[str]:
    """Arguments for bubblewrap.

    Args:
        command: for the shell.
        index: of an installation, which has the network; `None` without.
        files: open files by their path in the sandbox.
        filter_file: the open filter of system calls.
    """
    return [
        *("--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"),
        *(() if index is None else ("--share-net",)),
        *("--die-with-parent", "--new-session", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox"),
        *("--ro-bind", "/usr", "/usr"),
        *_bound_programs(),
        *_bound_configuration(_CONFIGURATION if index is None else (*_CONFIGURATION, *_NETWORK)),
        *(each for path, number in files.items() for each in ("--perms", "0444", "--file", str(number), path)),
        *("--proc", "/proc", "--dev", "/dev"),
        *(each for path in WRITABLE for each in ("--size", str(limits.disk_bytes), "--tmpfs", path)),
        *("--remount-ro", "/dev", "--remount-ro", "/"),
        *(each for name, value in _variables(index).items() for each in ("--setenv", name, value)),
        *("--seccomp", str(filter_file)),
        *("--", "/bin/sh", "-c", SCRIPT, "sh", command, str(limits.processes), "" if index is None else "keep"),
    ]


def _bound_programs() -> Iterator[str]:
    """Folders of programs and libraries next to /usr: links as links."""
    for name in _PROGRAMS:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from ("--ro-bind", str(path), str(path))


def _bound_configuration(names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        path = Path("/etc", name)
        if path.exists() and stat.S_IFMT(path.stat().st_mode) in (stat.S_IFREG, stat.S_IFDIR):
            yield from ("--ro-bind", str(path), str(path))


def _variables(index: PackageIndex | None) -> Mapping[str, str]:
    """The environment of the command."""
    variables = {
        "PATH": f"{ENVIRONMENT}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
        "HOME": "/tmp",  # noqa: S108 - of the sandbox
        "USER": "sandbox",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "NO_COLOR": "1",
    }
    if index is not None:
        variables |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_CACHE_DIR": "1", "UV_NO_CACHE": "1"}
        if index.url is not None:
            variables |= dict.fromkeys(("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"), index.url)
        if index.ca_file is not None:
            names = ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
            variables |= dict.fromkeys(names, _CERTIFICATES)
    return variables
