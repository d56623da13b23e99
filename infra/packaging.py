"""Builds the deployed packages: our layer, dependency layers, and the code of each function. Needs no Docker.

`python -m infra.packaging` builds for the Lambda runtime, `--python 3.12` for another version, `--here` for the
running interpreter from its installed packages. It reports how it checked that the runtime can load the packages.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from packaging.requirements import Requirement

from infra.bytecode import compile_folder, interpreter_for
from infra.function_packages import (
    DEFAULT_PYTHON,
    FUNCTIONS,
    LAYERS,
    MODEL_LAYERS,
    OUR_LAYER,
    Packages,
    PackagingError,
    layers_of,
    package_of,
)
from infra.handler_imports import import_handlers
from infra.installed import closure, copy_distribution
from infra.installing import UvSettings, settings_here
from infra.layer_contents import LEFT_OUT, NEVER_LOADED, ONLY_BOTOCORE_NEEDS, RUNTIME_BRINGS
from infra.locking import pinned
from infra.runtime_files import check_files

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "requirements.lock"
CERTIFICATES = ROOT / "infra" / "certificates"
"""Authorities of databases, which functions find in `/opt/certificates`."""
PLATFORM = "x86_64-manylinux_2_28"
"""The platform of wheels; the Lambda runtimes have a newer C library."""
UNZIPPED_BYTES = 250 * 1000 * 1000
"""Lambda's limit for a function with its layers, unzipped."""
RETRIEVER_LAYER_BYTES = 145 * 1000 * 1000
"""The most that the retriever's layers may weigh with their bytecode, since callers wait for its cold start."""
IN_LAMBDA, FUNCTION_IN_LAMBDA, RUNTIME_IN_LAMBDA = "/opt", "/var/task", "/var/runtime"
"""The paths where Lambda has layers, a function's code and its own modules."""
_STAMP = "built-from"
_UNREACHABLE = ("error sending request", "dns error", "Connection refused", "tcp connect error", "timed out")


class NoRegistry(PackagingError):
    """No package registry can be reached."""


def build(packages: Packages, *, installed: bool = False, bytecode: bool = False) -> None:
    """Build every package and check the sizes; layers whose inputs have not changed are not rebuilt.

    Args:
        packages: the target folder and the version of Python.
        installed: copy distributions installed for the running interpreter instead of wheels from the registry.
        bytecode: add bytecode, if a Python of the runtime's version is available.

    Raises:
        PackagingError: when a dependency is unavailable, or a size is over budget.
    """
    compiler = interpreter_for(packages.python) if bytecode else None
    copy_own_code(packages)
    if compiler is not None:
        compile_folder(packages.layer(OUR_LAYER), compiler, IN_LAMBDA)
        for function in FUNCTIONS:
            compile_folder(packages.function(function), compiler, FUNCTION_IN_LAMBDA)
    for layer in LAYERS:
        if layer != OUR_LAYER:
            _build_dependencies(layer, packages, installed=installed, compiler=compiler)
    check_budgets(packages)


def check_against_runtime(packages: Packages, *, installed: bool) -> str:
    """Check that the runtime can load what was built; answers in one line how that was checked.

    Args:
        packages: what was built.
        installed: as for `build`.

    Raises:
        PackagingError: when the runtime cannot load it, or what it brings is unavailable.
    """
    program = f"python{packages.python}"
    interpreter = interpreter_for(packages.python)
    if interpreter is None:
        check_files(packages)
        return (
            f"skipped, which is fine in CI too: importing every handler with {program}, which is not on the path nor "
            "installed by pyenv. Checked the files of all layers instead: wheel tags, removed modules, "
            "syntax. They have no bytecode, so functions start more slowly"
        )
    runtime = _what_the_runtime_brings(packages, installed=installed)
    compile_folder(runtime, interpreter, RUNTIME_IN_LAMBDA)
    took = import_handlers(packages, interpreter, runtime)
    seconds = ", ".join(f"{function} {each:.2f} s" for function, each in took.items())
    return f"imported every handler by {program} from its layers alone, with their bytecode: {seconds}"


def copy_own_code(packages: Packages) -> None:
    """Copy our layer and the functions from the repository; needs no network."""
    ours = packages.layer(OUR_LAYER) / "python"
    sources = {
        ours / "tribal": ROOT / "layers" / "tribal" / "python" / "tribal",
        ours / "tribal_contracts": ROOT / "contracts" / "tribal_contracts",
    }
    shutil.rmtree(packages.layer(OUR_LAYER), ignore_errors=True)
    for target, source in sources.items():
        _copy(source, target)
    certificates = packages.layer(OUR_LAYER) / "certificates"
    for certificate in sorted(CERTIFICATES.glob("*.pem")):
        certificates.mkdir(exist_ok=True)
        shutil.copyfile(certificate, certificates / certificate.name)
    for function in FUNCTIONS:
        folder = packages.function(function)
        shutil.rmtree(folder, ignore_errors=True)
        package = package_of(function)
        _copy(ROOT / "functions" / package, folder / "functions" / package)
        for shared in sorted((ROOT / "functions").glob("*.py")):
            shutil.copyfile(shared, folder / "functions" / shared.name)


def check_budgets(packages: Packages) -> dict[str, int]:
    """Check the unzipped size of each function with all layers that it may have, and return it in bytes.

    Raises:
        PackagingError: when a function is over its budget.
    """
    layers = {layer: folder_bytes(packages.layer(layer)) for layer in LAYERS}
    totals = {}
    for function in FUNCTIONS:
        having = [layers_of(function, model, shared=shared) for model in MODEL_LAYERS for shared in (False, True)]
        of_layers = max(sum(layers[layer] for layer in each) for each in having)
        if function == "retriever" and of_layers > RETRIEVER_LAYER_BYTES:
            raise PackagingError(_over("the layers of the retriever", of_layers, RETRIEVER_LAYER_BYTES))
        totals[function] = of_layers + folder_bytes(packages.function(function))
        if totals[function] > UNZIPPED_BYTES:
            raise PackagingError(_over(f"the function {function!r}", totals[function], UNZIPPED_BYTES))
    return totals


def folder_bytes(folder: Path) -> int:
    """Total size of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def requirements_of(layer: str) -> Path:
    """The requirements file of a layer."""
    return ROOT / "layers" / layer / "requirements.txt"


def resolve(layer: str, python: str) -> list[str]:
    """Names of all distributions of a layer in the runtime, including those left out later.

    Raises:
        PackagingError: when one is unavailable, or one that should be left out is not among them.
    """
    arguments = ["compile", "--quiet", "--no-header", "--no-annotate", "--no-emit-index-url"]
    listed = _uv(["pip", *arguments, "-c", str(LOCK), *_for(python), str(requirements_of(layer))])
    names = [line.partition("==")[0].strip() for line in listed.splitlines() if "==" in line]
    unknown = set(LEFT_OUT[layer]) - set(names)
    if unknown:
        raise PackagingError(f"{layer} no longer contains {min(unknown)!r}: remove it from infra/layer_contents.py")
    return names


def _build_dependencies(layer: str, packages: Packages, *, installed: bool, compiler: str | None) -> None:
    folder = packages.layer(layer)
    inputs = _inputs(layer, packages.python, installed=installed, compiled=compiler is not None)
    stamp = packages.folder / f"{layer}.{_STAMP}"
    if folder.is_dir() and stamp.is_file() and stamp.read_text(encoding="utf-8") == inputs:
        return
    stamp.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    target = folder / "python"
    target.mkdir(parents=True)
    if installed:
        for name in _kept(layer, closure(_requirements(layer))):
            copy_distribution(name, target)
    else:
        _install(_kept(layer, resolve(layer, packages.python)), target, packages, packages.folder / f"{layer}.txt")
    _prune(target, packages.python)
    if compiler is not None:
        compile_folder(folder, compiler, IN_LAMBDA)
    stamp.write_text(inputs, encoding="utf-8")


def _what_the_runtime_brings(packages: Packages, *, installed: bool) -> Path:
    """A folder with the modules that are part of the runtime, and of no layer."""
    folder = packages.folder / "runtime"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    names = [*RUNTIME_BRINGS, *ONLY_BOTOCORE_NEEDS]
    if installed:
        for name in names:
            copy_distribution(name, folder)
    else:
        _install(names, folder, packages, packages.folder / "runtime.txt")
    return folder


def _install(names: list[str], target: Path, packages: Packages, pins: Path) -> None:
    pins.write_text(pinned(names, LOCK, packages.python), encoding="utf-8")
    how = ["install", "--quiet", "--no-deps", "--require-hashes", "--target", str(target), "-r", str(pins)]
    _uv(["pip", *how, *_for(packages.python)])


def _kept(layer: str, names: list[str]) -> list[str]:
    return [name for name in names if name not in (*RUNTIME_BRINGS, *LEFT_OUT[layer])]


def _requirements(layer: str) -> list[Requirement]:
    lines = requirements_of(layer).read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]


def _for(python: str) -> list[str]:
    return ["--python-version", python, "--python-platform", PLATFORM, "--only-binary", ":all:"]


def _uv(arguments: list[str]) -> str:
    # uv would download a Python of the runtime's version without needing it.
    settings = settings_here()
    # Settings of pip that uv does not know are ignored here: only uv resolves for another Python.
    indexes = UvSettings() if isinstance(settings, str) else settings
    command = [sys.executable, "-m", "uv", "--no-python-downloads", *arguments, *indexes.arguments]
    environment = {**os.environ, **indexes.environment}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode:
        if any(sign in ran.stderr for sign in _UNREACHABLE):
            raise NoRegistry(ran.stderr.strip()[-300:])
        raise PackagingError(f"uv {' '.join(arguments[:2])} failed: {ran.stderr.strip()[-2000:]}")
    return ran.stdout


def _prune(target: Path, python: str) -> None:
    tag = f".cpython-{python.replace('.', '')}-"
    # Some wheels carry what is compiled for several versions.
    for extension in sorted(target.rglob("*.cpython-*.so")):
        if tag not in extension.name and list(extension.parent.glob(f"{extension.name.partition('.')[0]}{tag}*.so")):
            extension.unlink()
    for pattern in NEVER_LOADED:
        for path in sorted(target.glob(pattern)):
            if path.is_dir():
                shutil.rmtree(path)
            elif path.exists():
                path.unlink()


def _inputs(layer: str, python: str, *, installed: bool, compiled: bool) -> str:
    """Hash of a layer's inputs."""
    parts: Iterable[object] = (
        requirements_of(layer).read_text(encoding="utf-8"),
        LOCK.read_text(encoding="utf-8"),
        LEFT_OUT[layer],
        NEVER_LOADED,
        inspect.getsource(_prune),
        RUNTIME_BRINGS,
        python,
        PLATFORM,
        installed,
        compiled,
    )
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))


def _over(what: str, size: int, budget: int) -> str:
    return f"{what}: {size / 1e6:.1f} MB unzipped, over the limit of {budget / 1e6:.0f} MB: leave more out"


def main(arguments: list[str] | None = None) -> int:
    """Build all packages and print the size of each function."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=DEFAULT_PYTHON, help="version of the Lambda runtime")
    parser.add_argument("--here", action="store_true", help="build for the running interpreter, without network access")
    parser.add_argument(
        "--check", action="store_true", help="only check the files, without bytecode; being offline is accepted"
    )
    parser.add_argument("--folder", type=Path, help="output folder")
    chosen = parser.parse_args(arguments)
    python = f"{sys.version_info.major}.{sys.version_info.minor}" if chosen.here else chosen.python
    folder = ROOT / "build" / ("checked" if chosen.check else "packages")
    packages = Packages(chosen.folder or folder / python, python)
    try:
        build(packages, installed=chosen.here, bytecode=not chosen.check)
        if chosen.check:
            check_files(packages)
        else:
            print(check_against_runtime(packages, installed=chosen.here))
    except NoRegistry as error:
        if chosen.check and os.environ.get("CI") != "true":
            print(f"skipped, because no package registry is reachable: {error}")
            return 0
        print(f"error: {error}", file=sys.stderr)
        return 1
    except PackagingError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for function, size in check_budgets(packages).items():
        print(f"{function:12} {size / 1e6:6.1f} MB unzipped, of {UNZIPPED_BYTES / 1e6:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
