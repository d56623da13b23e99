"""What the runtime could not load is not packaged: seen by importing it or, without its Python, by its files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from infra import handler_imports, packaging
from infra.function_packages import FUNCTIONS, LAYERS, MODEL_LAYERS, OUR_LAYER, Packages, PackagingError, handler_of
from infra.handler_imports import import_handlers
from infra.runtime_files import check_files
from tests.cases import each_case

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
WHEEL = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packages:
    """Packages whose handlers do nothing, for the runtime."""
    packages = Packages(tmp_path / "packages", "3.13")
    for layer in LAYERS:
        write(packages.layer(layer) / "python" / f"of_{layer.replace('-', '_')}.py", "")
    for function in FUNCTIONS:
        module, _, _ = handler_of(function).rpartition(".")
        path = packages.function(function) / module.replace(".", "/")
        write(path.with_suffix(".py"), "def handle(event, context): ...\n")
    monkeypatch.setattr(handler_imports, "WORK", dict.fromkeys(FUNCTIONS, ""))
    monkeypatch.setattr(handler_imports, "ASKING_WORK", dict.fromkeys(MODEL_LAYERS, ""))
    return packages


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def distribution(packages: Packages, *tags: str) -> None:
    """Put a distribution of these tags into a layer."""
    lines = "".join(f"Tag: {tag}\n" for tag in tags)
    write(packages.layer("deps-core") / "python" / "sample-1.0.dist-info" / "WHEEL", WHEEL + lines)


def test_files_for_the_runtime_are_as_they_should_be(made: Packages) -> None:
    check_files(made)
    inside = made.layer("deps-core") / "python"
    # Newer than some Pythons that package; guarded by what does not matter in Lambda; libraries and no modules.
    write(inside / "newer.py", "type Number = int\ndef first[T](of: list[T]) -> T: return of[0]\n")
    write(inside / "cffi" / "verifier.py", "import imp\n")
    write(inside / "sample.libs" / "sample-1.so", "")
    write(inside / "sample" / "libsample.so", "")
    write(inside / "sample.cpython-313-x86_64-linux-gnu.so", "")
    write(inside / "other.abi3.so", "")
    distribution(made, "cp310-abi3-manylinux_2_17_x86_64", "cp310-abi3-manylinux2014_x86_64")
    check_files(made)


@each_case(
    ("source", "told"),
    [
        ("import telnetlib", "telnetlib` is banned: gone since Python 3.13"),
        ("from distutils.version import LooseVersion", "distutils` is banned: gone since Python 3.12"),
        ("def later():\n    import imp  # noqa: TID251", "imp` is banned: gone since Python 3.12"),
        ("print 'hello'", "sample.py:1: "),
        ("async = 1", "sample.py:1: "),
        ("x = 1\ntry: pass\nexcept ValueError, TypeError: pass", "sample.py:3: "),
    ],
)
@each_case("place", ["layer", "function"])
def test_a_source_that_the_runtime_cannot_run_is_reported_with_its_place(
    made: Packages, source: str, told: str, place: str
) -> None:
    folder = made.layer(OUR_LAYER) / "python" if place == "layer" else made.function("planner") / "functions"
    write(folder / "sample.py", f"{source}\n")
    with pytest.raises(PackagingError, match=r"not for Python 3\.13 in Lambda") as refused:
        check_files(made)
    assert told in str(refused.value)


def test_a_module_is_gone_from_the_version_on_that_lacks_it(made: Packages) -> None:
    write(made.layer(OUR_LAYER) / "python" / "sample.py", "import telnetlib\n")
    check_files(Packages(made.folder, "3.12"))


@each_case(
    ("tag", "fits"),
    [
        ("py3-none-any", True),
        ("py2.py3-none-any", True),
        ("cp313-cp313-manylinux_2_28_x86_64", True),
        ("cp313-cp313-manylinux_2_34_x86_64", True),
        ("cp39-abi3-manylinux2014_x86_64", True),
        ("cp313-cp313-manylinux_2_35_x86_64", False),
        ("cp313-cp313-manylinux_2_28_aarch64", False),
        ("cp313-cp313-musllinux_1_2_x86_64", False),
        ("cp313-cp313t-manylinux_2_28_x86_64", False),
        ("cp312-cp312-manylinux_2_28_x86_64", False),
        ("cp314-abi3-manylinux2014_x86_64", False),
        ("cp313-cp313-macosx_11_0_arm64", False),
        ("py2-none-any", False),
    ],
)
def test_a_wheel_is_for_the_runtime_if_one_of_its_tags_is(made: Packages, tag: str, fits: bool) -> None:
    distribution(made, tag)
    if fits:
        check_files(made)
        return
    with pytest.raises(PackagingError, match=f"sample-1.0 is a wheel for {tag}"):
        check_files(made)
    distribution(made, tag, "py3-none-any")
    check_files(made)


@pytest.mark.parametrize("name", ["sample.cpython-312-x86_64-linux-gnu.so", "sample.so", "sample.pyd.so"])
def test_an_extension_for_another_python_is_reported(made: Packages, name: str) -> None:
    write(made.layer("deps-core") / "python" / "sample" / name, "")
    with pytest.raises(PackagingError, match=f"sample/{name} is compiled for another Python"):
        check_files(made)


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("import absent", "the finisher cannot be loaded by .*No module named 'absent'"),
        ("import yaml", "the finisher cannot be loaded by .*No module named 'yaml'"),
        ("def other(): ...", "the finisher cannot be loaded by .*handle"),
        (
            "import sys; sys.path.append({outside!r}); import outside\ndef handle(): ...",
            "from outside of its packages: .*outside",
        ),
    ],
)
def test_a_handler_that_its_packages_do_not_carry_is_reported(
    made: Packages, tmp_path: Path, source: str, told: str
) -> None:
    write(tmp_path / "outside" / "outside.py", "")
    assert set(import_handlers(made, sys.executable, tmp_path / "runtime")) == set(FUNCTIONS)
    handler = made.function("finisher") / "functions" / "finisher" / "handler.py"
    rest = "" if "other" in source else "\ndef handle(event, context): ...\n"
    write(handler, source.format(outside=str(tmp_path / "outside")) + rest)
    with pytest.raises(PackagingError, match=told.replace(".*", "(?s:.*)")):
        import_handlers(made, sys.executable, tmp_path / "runtime")


def test_one_line_says_which_of_the_two_was_done(
    made: Packages, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    absent = "3.13" if HERE != "3.13" else "3.12"
    said = packaging.check_against_runtime(Packages(made.folder, absent), installed=True)
    assert said.startswith(f"skipped, which is fine in CI too: importing every handler with python{absent}")
    assert "wheel tags, removed modules, syntax" in said
    assert "\n" not in said
    here = Packages(made.folder, HERE)
    assert packaging.check_against_runtime(here, installed=True).startswith(f"imported every handler by python{HERE}")
