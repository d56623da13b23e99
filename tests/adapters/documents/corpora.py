"""PDFs that people collected to test readers of PDFs, from the source archives of two packages, and a long manual."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

from filelock import FileLock

from tests import ROOT

CACHE = ROOT / ".cache" / "pdf-corpora"
PACKAGES = ("pikepdf==10.18.0", "pypdf==7.1.1")
_MANUAL = "r-doc-pdf"
_TIMEOUT_SECONDS = 600
_COMPLETE = "complete"


class CorpusUnavailable(RuntimeError):
    """Files cannot be downloaded; the message says why."""


def collected_pdfs() -> list[Path]:
    """All PDFs in the source archives of pypdf and pikepdf, downloaded once by pip with its own settings.

    Raises:
        CorpusUnavailable: when they cannot be downloaded.
    """
    return sorted(_provided("-".join(PACKAGES), _download_sources).rglob("*.pdf"))


def long_manual() -> Path:
    """The reference manual of R, of about 2,400 pages, downloaded once by apt.

    Raises:
        CorpusUnavailable: when it cannot be downloaded, as on other systems than Debian.
    """
    return next(_provided(_MANUAL, _download_manual).rglob("refman.pdf"))


def _provided(name: str, download: Callable[[Path], None]) -> Path:
    folder = CACHE / name
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(CACHE / "lock"):
        if not (folder / _COMPLETE).exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            download(folder)
            (folder / _COMPLETE).touch()
    return folder


def _download_sources(folder: Path) -> None:
    _run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", *PACKAGES], folder)
    for archive in folder.glob("*.tar.gz"):
        with tarfile.open(archive) as sources:
            sources.extractall(folder, filter="data")
        archive.unlink()


def _download_manual(folder: Path) -> None:
    if shutil.which("apt-get") is None:
        raise CorpusUnavailable("the manual is a package of Debian, and there is no apt-get")
    _run(["apt-get", "download", "--quiet", _MANUAL], folder)
    _run(["dpkg", "-x", *(each.name for each in folder.glob("*.deb")), "."], folder)


def _run(command: Sequence[str], folder: Path) -> None:
    try:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        raise CorpusUnavailable(f"{command[0]} took longer than {_TIMEOUT_SECONDS} s") from None
    if ran.returncode:
        raise CorpusUnavailable(f"{' '.join(command[:4])} failed: {(ran.stderr or ran.stdout).strip()[-600:]}")
