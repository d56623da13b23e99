"""The node of OpenSearch that tests run against ends with the process that started it, and consists of pinned files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

from servers import java_packages
from servers.java_packages import NEWEST_JAVA, OLDEST_JAVA, PackagesUnavailable, find_java, provide_packages
from tests.plugins.skips import skip_or_fail

pytestmark = [
    pytest.mark.xdist_group("opensearch"),
    pytest.mark.skipif(os.name == "nt", reason="signals of POSIX"),
]


def _require_java() -> None:
    try:
        find_java()
    except PackagesUnavailable as unavailable:
        skip_or_fail(str(unavailable))


@pytest.mark.server
def test_a_node_ends_when_the_process_that_started_it_is_killed() -> None:
    _require_java()
    environment = {name: value for name, value in os.environ.items() if name != "OPENSEARCH_URL"}
    with subprocess.Popen(
        [sys.executable, "-m", "servers.opensearch"], stdout=subprocess.PIPE, text=True, env=environment
    ) as owner:
        assert owner.stdout is not None
        address = owner.stdout.readline().strip()
        assert b"cluster_name" in urllib.request.urlopen(address, timeout=30).read()
        (node,) = [child for child in psutil.Process(owner.pid).children() if child.name() == "java"]
        os.kill(owner.pid, signal.SIGKILL)
    node.wait(timeout=30)
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=5)


def test_an_address_that_is_given_is_used_as_it_is() -> None:
    given = {**os.environ, "OPENSEARCH_URL": "https://search.example.com"}
    ran = subprocess.run(
        [sys.executable, "-m", "servers.opensearch"], capture_output=True, text=True, env=given, check=True
    )
    assert ran.stdout == "https://search.example.com\n"


@pytest.mark.representative
def test_a_package_that_is_not_what_was_pinned_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "mirror" / "org" / "thing-1.jar"
    source.parent.mkdir(parents=True)
    source.write_bytes(b"something else")
    pins = tmp_path / "pins"
    pins.write_text(f"{'0' * 64}  org/thing-1.jar\n")
    monkeypatch.setattr(java_packages, "PINS", pins)
    monkeypatch.setattr(java_packages, "CENTRAL", (tmp_path / "mirror").as_uri())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PackagesUnavailable, match="not what was pinned"):
        provide_packages(tmp_path / "cache")
    assert not list((tmp_path / "cache").rglob("*.jar"))


def test_java_that_is_too_old_or_too_new_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for version, usable in (("1.8.0_402", False), ("17.0.15", True), ("21.0.2", True), ("25", False)):
        program = tmp_path / "bin" / "java"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-01-01' >&2\n")
        program.chmod(0o755)
        assert (OLDEST_JAVA <= java_packages._java_version(program) <= NEWEST_JAVA) is usable
