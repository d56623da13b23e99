"""Attempts to reach things of this machine: each prints REACHED, outside the sandbox, and must not inside.

A target is of the same user as the sandbox, so that only the sandbox protects it.
"""

from __future__ import annotations

import json
import secrets
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.adapters.bubblewrap.host import SMALL
from tribal.adapters.bubblewrap.sandbox import open_sandbox

_PATH = "/usr/local/bin:/usr/bin:/bin"
_START = """
import ctypes, glob, json, os, socket
target = json.load(open("target.json"))
word = target["word"].encode()
libc = ctypes.CDLL(None, use_errno=True)
def ask(*arguments):
    with socket.socket(*arguments[:2]) as client:
        client.settimeout(5)
        client.connect(arguments[2])
        client.send(b"ask")
        return client.recv(100)
def attack():
"""
_END = """
try:
    found = attack()
except (OSError, ValueError, OverflowError) as error:
    found = error
print("REACHED" if found is True or found == word else f"failed: {found}")
"""
ATTACKS: Mapping[str, str] = {
    "a file of the user": """return open(target["file"], "rb").read()""",
    "a file behind a link": """return open("link", "rb").read()""",
    "a file behind a link to a folder": """return open("folder-link/secret", "rb").read()""",
    "environments of processes": """
        for path in glob.glob("/proc/*/environ"):
            try:
                if word in open(path, "rb").read():
                    return True
            except OSError:
                pass""",
    "memory of a process": """
        for line in open(f"/proc/{target['process']}/maps"):
            if line.rstrip().endswith("[stack]"):
                begin, end = (int(each, 16) for each in line.split()[0].split("-"))
                with open(f"/proc/{target['process']}/mem", "rb", 0) as memory:
                    memory.seek(begin)
                    return word in memory.read(end - begin)""",
    "a process by ptrace": """return libc.ptrace(0x4206, target["process"], 0, 0) == 0""",
    "a process by a signal": """return os.kill(target["process"], 0) is None""",
    "TCP": """return ask(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", target["tcp"]))""",
    "UDP": """return ask(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", target["udp"]))""",
    "a unix socket by its path": """return ask(socket.AF_UNIX, socket.SOCK_STREAM, target["path"])""",
    "an abstract unix socket": """return ask(socket.AF_UNIX, socket.SOCK_STREAM, "\\0" + target["abstract"])""",
}
NEEDS_PTRACE = ("memory of a process", "a process by ptrace")
"""Not possible outside either where the kernel allows it for a parent alone."""


def attempt(name: str) -> tuple[str, str]:
    """Return what an attack prints outside the sandbox, and inside."""
    script = f"{_START}    {ATTACKS[name].strip()}\n{_END}"
    with tempfile.TemporaryDirectory() as folder, _targets(Path(folder)) as files:
        (files / "attack.py").write_text(script)
        outside = subprocess.run(
            ["python3", "attack.py"], cwd=files, env={"PATH": _PATH}, capture_output=True, text=True, check=False
        )
        return outside.stdout + outside.stderr, open_sandbox(SMALL).run(files, "python3 attack.py").output


def can_trace() -> bool:
    """Whether a process may trace one that it did not start."""
    setting = Path("/proc/sys/kernel/yama/ptrace_scope")
    return not setting.exists() or setting.read_text().strip() == "0"


@contextmanager
def _targets(folder: Path) -> Iterator[Path]:
    """Start what the attacks aim at, and return a folder of files with the addresses."""
    word = secrets.token_hex(8)
    secret, files = folder / "home" / "secret", folder / "files"
    secret.parent.mkdir()
    secret.write_text(word)
    files.mkdir()
    (files / "link").symlink_to(secret)
    (files / "folder-link").symlink_to(secret.parent)
    with ExitStack() as opened:
        tcp = _serve(opened, socket.SOCK_STREAM, ("127.0.0.1", 0), word)
        udp = _serve(opened, socket.SOCK_DGRAM, ("127.0.0.1", 0), word)
        path, abstract = str(folder / "socket"), f"tribal-{word}"
        _serve(opened, socket.SOCK_STREAM, path, word)
        _serve(opened, socket.SOCK_STREAM, f"\0{abstract}", word)
        process = subprocess.Popen(["/bin/sleep", "600"], env={"WORD": word})
        opened.callback(process.wait)
        opened.callback(process.kill)
        target = {"file": str(secret), "process": process.pid, "tcp": tcp[1], "udp": udp[1], "path": path}
        (files / "target.json").write_text(json.dumps({**target, "abstract": abstract, "word": word}))
        yield files


def _serve(opened: ExitStack, kind: socket.SocketKind, address: object, word: str) -> tuple[str, int]:
    """Answer every message at an address with the word, and return the address."""
    server = socket.socket(socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX, kind)
    server.bind(address)  # type: ignore[arg-type]
    answer = _answer_datagrams if kind is socket.SOCK_DGRAM else _answer_connections
    if kind is socket.SOCK_STREAM:
        server.listen()
    threading.Thread(target=answer, args=(server, word.encode()), daemon=True).start()
    opened.callback(server.close)
    bound: tuple[str, int] = server.getsockname()
    return bound


def _answer_datagrams(server: socket.socket, word: bytes) -> None:
    while True:
        _, client = server.recvfrom(100)
        server.sendto(word, client)


def _answer_connections(server: socket.socket, word: bytes) -> None:
    while True:
        client, _ = server.accept()
        with client:
            client.recv(100)
            client.send(word)
