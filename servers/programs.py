"""Programs of the machine that servers need and that no wheel carries."""

import os
import shutil
from pathlib import Path


class ProgramMissing(RuntimeError):
    """A program is not installed; the message says which package has it."""


def find_program(name: str, *, package: str) -> Path:
    """The program of that name, in the folders of administrators too.

    Raises:
        ProgramMissing: There is none; Debian has it in `package`.
    """
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if found is None:
        raise ProgramMissing(f"the program {name} is not installed (Debian: apt-get install {package})")
    return Path(found)
