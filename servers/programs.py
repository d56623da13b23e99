"""Programs that servers need and that must be installed on the machine, since no wheel contains them."""

import os
import shutil
from pathlib import Path


class ProgramMissing(RuntimeError):
    """A program is not installed; the message says which package contains it."""


def find_program(name: str, *, package: str) -> Path:
    """The path of a program; also searches the `sbin` folders.

    Raises:
        ProgramMissing: It is not installed; on Debian it is in `package`.
    """
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found is None:
        raise ProgramMissing(f"the program {name} is not installed (Debian: apt-get install {package})")
    return Path(found)
