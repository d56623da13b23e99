"""Hostile `databases.yaml`, profiles and annotations, made by the seed: each is read, or refused with its line."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.attack.hostile_yaml import SHAPES, word
from tests.attack.invoked import invoke
from tests.attack.outcome import Attack, Outcome
from tribal.errors import ConfigurationError
from tribal.settings.profiles import load_profile
from tribal.store.annotations import parse_annotations

FILES = 260
"""Of all shapes together, in a whole attack."""
MOST_SECONDS = 5.0
"""Of this process alone, so that a busy machine changes nothing."""
_REFUSED = re.compile(r"error: \S+\.yaml(, line [0-9]+: | is larger than )")
_USAGE, _UNREACHABLE, _NO_STORE = 2, 3, 5

_VALUES = (
    *("*{s}", "&{s}", "!{s}", "!{s} x", "@{s}", "%{s}", "`{s}", "'{s}", '"{s}', '"\\{s}"', "[{s}", "{{{s}", "{s}: {s}"),
    *("[{s}]", "{{{s}: {s}}}", "{{x: {s}, x: y}}", "|{s}", ">{s}", "? {s}", "- {s}", "{s}", "x #\t{s}: [", "\t{s}"),
    *("postgresql://u:{s}/{s}@h/d", "postgresql://{s}:{s}@[{s}]/d", "{s}://{s}", "https://{s}@h", "s3://{s}@B"),
)


def attack(attack: Attack) -> Iterator[Outcome]:
    """Each shape of file as `databases.yaml`, as the annotations of a database, and as the file of profiles."""
    for title, shape in SHAPES:
        random = attack.random(f"configuration {title}")
        failed: list[str] = []
        tries = attack.times(FILES // len(SHAPES))
        for number in range(tries):
            folder = attack.scratch / f"{title}-{number}".replace(" ", "-")
            folder.mkdir()
            made = shape(random)
            data = made.encode(errors="surrogatepass") if isinstance(made, str) else made
            failed.extend(f"{problem}: {data[:120]!r}" for problem in _problems(folder, data))
        yield Outcome(f"YAML with {title}", tries, len(failed), example=failed[0] if failed else "")
    yield _quoted(attack)


def _problems(folder: Path, data: bytes) -> Iterator[str]:
    (folder / "databases.yaml").write_bytes(data)
    ended = invoke(["status"], cwd=folder)
    if ended.exit_code == _NO_STORE and b"s3://" in data:
        return
    if ended.exit_code not in (0, _USAGE):
        yield f"exit code {ended.exit_code}: {ended.traceback or ended.output[:200]}"
    elif ended.exit_code == _USAGE and not _REFUSED.search(ended.output):
        yield f"no line in {ended.output[:200]!r}"
    elif ended.exit_code == 0 and b"host" not in data:
        # It was read; now each entry is looked at, and nothing listens at its address.
        planned = invoke(["plan"], cwd=folder)
        if planned.exit_code not in (0, _USAGE, _UNREACHABLE, _NO_STORE):
            yield f"exit code {planned.exit_code}: {planned.traceback or planned.output[:200]}"
    if ended.seconds > MOST_SECONDS:
        yield f"databases.yaml took {ended.seconds:.0f} s"
    began = time.process_time()
    yield from _refusal("annotations", lambda: parse_annotations(data, "annotations/shop.yaml"))
    variables = {"TRIBAL_PROFILES": str(folder / "databases.yaml"), "HOME": str(folder)}
    yield from _refusal("profiles", lambda: load_profile("dev", variables))
    if time.process_time() - began > 2 * MOST_SECONDS:
        yield f"annotations and profiles took {time.process_time() - began:.0f} s"


def _refusal(what: str, read: Callable[[], object]) -> Iterator[str]:
    try:
        read()
    except ConfigurationError as error:
        if not _REFUSED.search(f"error: {error.message}"):
            yield f"{what}: no line in {error.message!r}"
    except Exception as error:  # noqa: BLE001 - any other is what is looked for
        yield f"{what}: {type(error).__name__}"


def _quoted(attack: Attack) -> Outcome:
    """Values that break the YAML or the shape: no message repeats them."""
    random, failed = attack.random("configuration values"), []
    tries = attack.times(200, least=20)
    for number in range(tries):
        folder = attack.scratch / f"value-{number}"
        folder.mkdir()
        secret = "Q" + word(random, 10) + "7"
        key = random.choice(("dsn", "password", "user", "port", "limits", "include", "domains", "auth", "name"))
        value = random.choice(_VALUES).format(s=secret)
        (folder / "databases.yaml").write_text(f"databases:\n  - name: shop\n    {key}: {value}\n")
        for command in (["check"], ["status"]):
            ended = invoke(command, cwd=folder)
            shown = secret in ended.output and key not in ("name", "user")
            if ended.traceback or shown:
                failed.append(f"{key}: {value}: {ended.traceback or ended.output}")
    return Outcome(
        "a value of databases.yaml repeated in a message", tries, len(failed), example=failed[0] if failed else ""
    )
