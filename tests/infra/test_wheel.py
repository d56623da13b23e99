"""The wheel that is published holds all that the packages need at run time."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from tests import ROOT

SOURCES = {
    "tribal": ROOT / "layers" / "tribal" / "python" / "tribal",
    "tribal_contracts": ROOT / "contracts" / "tribal_contracts",
    "tribal_demo": ROOT / "demo" / "tribal_demo",
}


def test_every_file_of_our_packages_is_in_the_wheel(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        packed = set(opened.namelist())
    ours = {
        f"{package}/{path.relative_to(folder).as_posix()}"
        for package, folder in SOURCES.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert ours == {name for name in packed if ".dist-info/" not in name}
