"""What is packaged is what functions need, no more, and within what Lambda takes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from infra import packaging
from infra.bytecode import compile_folder, interpreter_for
from infra.function_packages import DEFAULT_PYTHON, FUNCTIONS, LAYERS, OUR_LAYER, Packages, PackagingError, package_of
from infra.layer_contents import LEFT_OUT
from infra.locking import lambda_environment, pinned, read_lock
from infra.packaging import check_against_runtime
from tests.cases import each_case

pytestmark = pytest.mark.xdist_group("packages")

LOCK = packaging.LOCK
DEPENDENCIES = [layer for layer in LAYERS if layer != OUR_LAYER]


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """All packages, for the interpreter at hand."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    packages = Packages(tmp_path_factory.mktemp("built"), python)
    packaging.build(packages, installed=True)
    return packages


# The end-to-end tests run every function from its layers.
@pytest.mark.verify
def test_every_function_finds_all_that_it_works_with_in_its_layers(here: Packages) -> None:
    assert sorted({*map(package_of, FUNCTIONS)}) == sorted(
        path.parent.name for path in (packaging.ROOT / "functions").glob("*/handler.py")
    )
    program = f"python{here.python}"
    assert check_against_runtime(here, installed=True).startswith(
        f"imported every handler by {program} from its layers"
    )


def test_no_function_carries_the_code_of_another(here: Packages) -> None:
    for function in FUNCTIONS:
        folder = here.function(function) / "functions"
        assert {path.name for path in folder.iterdir() if path.is_dir()} == {package_of(function)}
        assert (folder / "__init__.py").is_file()


def test_what_the_runtime_brings_is_in_no_layer(here: Packages) -> None:
    packed = {path.name for layer in DEPENDENCIES for path in (here.layer(layer) / "python").iterdir()}
    assert packed & {"boto3", "botocore", "jmespath", "s3transfer"} == set()


def test_every_function_is_within_what_lambda_takes(here: Packages) -> None:
    sizes = packaging.check_budgets(here)
    assert set(sizes) == set(FUNCTIONS)
    assert max(sizes.values()) < packaging.UNZIPPED_BYTES


def test_a_function_over_its_budget_is_refused(here: Packages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaging, "RETRIEVER_LAYER_BYTES", 1_000_000)
    with pytest.raises(PackagingError, match=r"layers of the retriever: .* over the limit of 1 MB"):
        packaging.check_budgets(here)


def test_a_layer_whose_inputs_have_not_changed_is_left_alone(here: Packages) -> None:
    mark = here.layer("deps-core") / "python" / "mark"
    mark.touch()
    packaging.build(here, installed=True)
    assert mark.exists()
    mark.unlink()


def test_building_twice_gives_the_same_bytes(here: Packages, tmp_path: Path) -> None:
    again = Packages(tmp_path / "again", here.python)
    packaging.build(again, installed=True)
    for layer in LAYERS:
        assert contents(again.layer(layer)) == contents(here.layer(layer))


def test_bytecode_is_the_same_each_time_and_names_the_places_in_lambda(here: Packages, tmp_path: Path) -> None:
    made = []
    for number in (1, 2):
        folder = tmp_path / str(number) / "layer"
        shutil.copytree(here.layer(OUR_LAYER), folder)
        compile_folder(folder, sys.executable, packaging.IN_LAMBDA)
        made.append(contents(folder))
    assert made[0] == made[1]
    compiled = [Path(name) for name in made[0] if name.endswith(".pyc")]
    assert len(compiled) == sum(name.endswith(".py") for name in made[0])
    (tribal,) = [data for name, data in made[0].items() if Path(name).parts[1:3] == ("tribal", "__pycache__")][:1]
    assert int.from_bytes(tribal[4:8], "little") == 1, "read without a look at the source"
    assert b"/opt/python/tribal/" in tribal
    # What has bytecode is imported from it alone.
    for source in (folder / "python").rglob("*.py"):
        source.write_text("raise AssertionError")
    probe = f"import sys; sys.path.insert(0, {str(folder / 'python')!r}); import tribal"
    assert subprocess.run([sys.executable, "-I", "-S", "-c", probe], check=False).returncode == 0


def test_bytecode_is_made_by_a_python_of_the_runtime_or_not_at_all() -> None:
    assert interpreter_for(f"{sys.version_info.major}.{sys.version_info.minor}") == sys.executable
    assert interpreter_for("3.99") is None


SAYING = "#!/bin/sh\necho '{}'\n"


@pytest.mark.parametrize(
    ("said", "fits"),
    [
        ("cpython 3 99 final", True),
        ("cpython 3 98 final", False),
        ("cpython 3 99 candidate", False),
        ("cpython 3 99 final t", False),
        ("pypy 3 99 final", False),
    ],
)
def test_a_python_of_pyenv_does_where_the_one_on_the_path_is_a_shim_for_none(
    said: str, fits: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shim, program = tmp_path / "shims" / "python3.99", tmp_path / "versions" / "3.99.1" / "bin" / "python3.99"
    for path, text in ((shim, "#!/bin/sh\nexit 127\n"), (program, SAYING.format(said))):
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o755)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    monkeypatch.setenv("PATH", f"{shim.parent}:/usr/bin:/bin")
    assert interpreter_for("3.99") == (str(program) if fits else None)


@each_case("layer", DEPENDENCIES)
def test_every_requirement_of_a_layer_is_pinned_for_the_runtime(layer: str) -> None:
    pins = {pin.name for pin in read_lock(LOCK) if pin.holds_for(lambda_environment(DEFAULT_PYTHON))}
    wanted = {each.name for each in packaging._requirements(layer)}
    assert wanted <= pins
    assert set(LEFT_OUT[layer]) & wanted == set()


def test_pins_are_those_of_the_runtime_and_not_of_the_interpreter_at_hand(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.write_text(
        "numpy==2.4.6 ; python_full_version < '3.12' \\\n    --hash=sha256:aa\n"
        "numpy==2.5.5 ; python_full_version >= '3.12' \\\n    --hash=sha256:bb \\\n    --hash=sha256:cc\n"
    )
    assert pinned(["numpy"], lock, "3.13") == "numpy==2.5.5 \\\n    --hash=sha256:bb \\\n    --hash=sha256:cc\n"
    assert pinned(["numpy"], lock, "3.11") == "numpy==2.4.6 \\\n    --hash=sha256:aa\n"


def test_what_the_lock_file_lacks_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("numpy==2.4.6 \\\n    --hash=sha256:aa\n")
    with pytest.raises(KeyError, match="scipy"):
        pinned(["scipy"], tmp_path / "lock", "3.13")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_authorities_of_databases_are_deployed_next_to_our_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own").mkdir()
    for name in ("rds.pem", "rds.key"):
        (tmp_path / "own" / name).write_text(name)
    monkeypatch.setattr(packaging, "CERTIFICATES", tmp_path / "own")
    packages = Packages(tmp_path / "packages")
    packaging.copy_own_code(packages)
    assert [path.name for path in (packages.layer(OUR_LAYER) / "certificates").iterdir()] == ["rds.pem"]
