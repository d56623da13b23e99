"""What is pinned is installed by uv from wherever the user's pip would have it, with the same hashes."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from infra.installing import (
    LOCK,
    UvSettings,
    install_with_uv,
    pip_settings,
    requirement_of,
    settings_for_uv,
)
from infra.locking import read_lock
from tests.serving import serve_aside

UV = [sys.executable, "-m", "uv"]
WHEEL = "tribal_sample-1.0-py3-none-any.whl"


@pytest.fixture
def index(tmp_path: Path) -> Iterator[str]:
    """The address of a package index with one package, which no other index has."""
    folder = tmp_path / "index" / "simple" / "tribal-sample"
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        wheel.writestr("tribal_sample.py", "NAME = 'sample'\n")
        about = "tribal_sample-1.0.dist-info"
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tribal-sample\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(
            f"{about}/RECORD", f"tribal_sample.py,,\n{about}/METADATA,,\n{about}/WHEEL,,\n{about}/RECORD,,\n"
        )
    (folder / "index.html").write_text(f'<a href="{WHEEL}">{WHEEL}</a>')

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "index")))
    serve_aside(server)
    yield f"http://127.0.0.1:{server.server_port}/simple/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The interpreter of an empty environment; caches and settings are those of no one."""
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    subprocess.run([*UV, "venv", "--quiet", "--python", sys.executable, str(tmp_path / "venv")], check=True)
    return str(tmp_path / "venv" / "bin" / "python")


def lock_of(tmp_path: Path, digest: str = "") -> Path:
    wheel = tmp_path / "index" / "simple" / "tribal-sample" / WHEEL
    digest = digest or hashlib.sha256(wheel.read_bytes()).hexdigest()
    (tmp_path / "lock").write_text(f"tribal-sample==1.0 \\\n    --hash=sha256:{digest}\n")
    return tmp_path / "lock"


def settings_of_pip(monkeypatch: pytest.MonkeyPatch, file: Path, **variables: str) -> UvSettings | str:
    """What pip itself says of its settings, taken over."""
    monkeypatch.setenv("PIP_CONFIG_FILE", str(file))
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    return settings_for_uv(pip_settings(listed.stdout))


@pytest.mark.parametrize("where", ["the file", "the environment", "a folder"])
def test_settings_of_pip_reach_uv(
    where: str, index: str, python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "pip.conf"
    file.write_text(f"[global]\nindex-url = {index}\n" if where == "the file" else "")
    variables = {"the file": {}, "the environment": {"PIP_INDEX_URL": index}}.get(where)
    if variables is None:
        folder = tmp_path / "index" / "simple" / "tribal-sample"
        variables = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder)}
    told = settings_of_pip(monkeypatch, file, **variables)
    assert isinstance(told, UvSettings), told
    assert install_with_uv(UV, python, lock_of(tmp_path), told) is None
    probe = subprocess.run([python, "-c", "import tribal_sample"], check=False)
    assert probe.returncode == 0


def test_another_file_than_the_pinned_one_is_refused(
    index: str, python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = settings_of_pip(monkeypatch, tmp_path / "none", PIP_INDEX_URL=index)
    assert isinstance(told, UvSettings)
    wrong = install_with_uv(UV, python, lock_of(tmp_path, "0" * 64), told)
    assert wrong is not None
    assert "Hash mismatch" in wrong


def test_later_settings_win_and_those_of_other_commands_do_not_count() -> None:
    listed = (
        "download.proxy='http://other'\n:env:.index-url='https://env/simple'\n"
        "global.index-url='https://global/simple'\ninstall.extra-index-url='https://a/simple\\nhttps://b/simple'\n"
    )
    told = settings_for_uv(pip_settings(listed))
    assert isinstance(told, UvSettings)
    assert told.arguments == [
        *("--default-index", "https://env/simple"),
        *("--index", "https://a/simple", "--index", "https://b/simple"),
    ]


def test_certificates_proxy_and_patience_are_handed_on() -> None:
    told = settings_for_uv({"cert": "/ca.pem", "proxy": "http://p:1", "timeout": "90", "quiet": "1"})
    assert isinstance(told, UvSettings)
    assert told.environment == {
        "SSL_CERT_FILE": "/ca.pem",
        "HTTP_PROXY": "http://p:1",
        "HTTPS_PROXY": "http://p:1",
        "UV_HTTP_TIMEOUT": "90",
    }


def test_a_setting_that_uv_does_not_know_is_named() -> None:
    assert settings_for_uv({"quiet": "1", "client-cert": "/me.pem"}) == "client-cert"


def test_uv_is_pinned_with_its_hashes() -> None:
    (pin,) = [pin for pin in read_lock(LOCK) if pin.name == "uv"]
    entry = requirement_of("uv", LOCK)
    assert entry.startswith(f"uv=={pin.version} ")
    assert all(each in entry for each in pin.hashes)
    assert entry.count("==") == 1
