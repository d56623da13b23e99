"""One project over the schemas under `real/` and `ddl/`, each as a database of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.descriptions import loadable
from bench.evaluation import ensure_databases
from tribal.app.local import local_application
from tribal.ports import Application
from tribal.settings import load_settings

_SAME_AS_ANOTHER = "adventureworks_flat"
"""The tables of AdventureWorks again, in one schema."""


@contextmanager
def asked_real(data: Path, tribal: Path) -> Iterator[Application]:
    """Yield the application over all of them.

    Raises:
        CommandFailedError: when `tribal run` fails.
    """
    files = [*data.glob("ddl/*/schema_nocomments.sql"), *data.glob("real/*/schema.sql")]
    with TemporaryDirectory(prefix="tribal-bench-") as scratch:
        scripts = {}
        for file in sorted(files):
            name = file.parent.name
            if name != _SAME_AS_ANOTHER:
                scripts[name] = Path(scratch) / f"{name}.sql"
                scripts[name].write_text(loadable(file), encoding="utf-8")
        project = ensure_databases("real", scripts, tribal)
    with closing(local_application(load_settings(project=project))) as app:
        yield app
