"""Checks the files of packages against a Lambda runtime whose Python is not here to import them: wheels by their tags,
sources by their syntax and by the modules that they import."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from packaging.tags import Tag, compatible_tags, cpython_tags, parse_tag

from infra.function_packages import FUNCTIONS, LAYERS, Packages, PackagingError

NEWEST_GLIBC = 34
"""Amazon Linux 2023, the base of the runtimes since Python 3.12, has glibc 2.34.
Source: https://docs.aws.amazon.com/linux/al2023/ug/compare-with-al2.html"""
GONE = {
    # https://peps.python.org/pep-0594/
    **dict.fromkeys(
        "aifc audioop cgi cgitb chunk crypt imghdr mailcap msilib nis nntplib ossaudiodev pipes sndhdr spwd sunau "
        "telnetlib uu xdrlib".split(),
        "3.13",
    ),
    # https://docs.python.org/3/whatsnew/3.13.html#removed-modules-and-apis
    "lib2to3": "3.13",
    # https://docs.python.org/3/whatsnew/3.12.html#removed
    **dict.fromkeys("asynchat asyncore distutils imp smtpd".split(), "3.12"),
    # https://docs.python.org/3/whatsnew/3.11.html#removed
    "binhex": "3.11",
}
"""Modules of the standard library by the version of Python that no longer has them."""
NEVER_IMPORTED = {
    "cffi/_imp_emulation.py": "takes its own copy where there is no `imp`",
    "cffi/_shimmed_dist_utils.py": "compiles extensions, by setuptools where there is no `distutils`",
    "cffi/verifier.py": "imports `imp` under Python 2 alone",
}
"""Files of distributions that name such a module all the same, each with the reason."""
_SHOWN = 5


def check_files(packages: Packages) -> None:
    """Check every file of every layer and function.

    Raises:
        PackagingError: when one is not for the runtime; the message names it.
    """
    layers = [packages.layer(layer) for layer in LAYERS]
    folders = [*layers, *map(packages.function, FUNCTIONS)]
    found = [
        *(each for layer in layers for each in _wrong_wheels(layer, packages.python)),
        *_wrong_sources(packages, folders),
    ]
    if found:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise PackagingError(f"not for Python {packages.python} in Lambda: {'; '.join(found[:_SHOWN])}{more}")


def runtime_tags(python: str) -> frozenset[Tag]:
    """The tags of wheels that a runtime can load."""
    version = [int(part) for part in python.split(".")]
    platforms = [f"manylinux_2_{minor}_x86_64" for minor in range(NEWEST_GLIBC, 4, -1)]
    platforms += [f"manylinux{year}_x86_64" for year in (2014, 2010, 1)]
    own = cpython_tags(version, platforms=platforms)
    return frozenset((*own, *compatible_tags(version, f"cp{version[0]}{version[1]}", platforms)))


def _wrong_wheels(layer: Path, python: str) -> list[str]:
    """Distributions, and compiled modules, that the runtime cannot load."""
    wrong = []
    fitting = runtime_tags(python)
    for about in sorted(layer.glob("python/*.dist-info")):
        wheel = about / "WHEEL"
        lines = wheel.read_text(encoding="utf-8").splitlines() if wheel.is_file() else []
        tags = [line.partition(":")[2].strip() for line in lines if line.startswith("Tag:")]
        if not any(parse_tag(tag) & fitting for tag in tags):
            wrong.append(f"{about.stem} is a wheel for {', '.join(tags) or 'nothing'}")
    endings = (f".cpython-{python.replace('.', '')}-x86_64-linux-gnu.so", ".abi3.so")
    # Files in `NAME.libs`, and `libNAME.so`, are libraries that modules load by path.
    found = [each for each in sorted(layer.rglob("*.so")) if not each.name.startswith("lib")]
    modules = [each for each in found if not each.parent.name.endswith(".libs")]
    strange = [each.relative_to(layer / "python") for each in modules if not each.name.endswith(endings)]
    return [*wrong, *(f"{module} is compiled for another Python" for module in strange)]


def _wrong_sources(packages: Packages, folders: list[Path]) -> list[str]:
    """Files that the runtime's Python cannot parse, or that import what its standard library no longer has."""
    version = [int(part) for part in packages.python.split(".")]
    gone = {name: since for name, since in GONE.items() if [int(part) for part in since.split(".")] <= version}
    banned = ", ".join(f'"{name}" = {{msg = "gone since Python {since}"}}' for name, since in gone.items())
    # ruff parses the grammar of any version, where `ast` knows that of the running Python alone.
    command = [
        *(sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--ignore-noqa", "--quiet"),
        *("--target-version", f"py{version[0]}{version[1]}", "--select", "TID251", "--output-format", "json"),
        *("--config", f"lint.flake8-tidy-imports.banned-api = {{{banned}}}", *map(str, folders)),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1):
        raise PackagingError(f"ruff could not read the packages: {ran.stderr.strip()[-500:]}")
    wrong = []
    for each in json.loads(ran.stdout):
        if not each["filename"].endswith(tuple(f"/{name}" for name in NEVER_IMPORTED)):
            place = Path(each["filename"]).relative_to(packages.folder.resolve())
            wrong.append(f"{place}:{each['location']['row']}: {each['message']}")
    return wrong
