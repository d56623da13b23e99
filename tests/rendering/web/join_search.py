"""The page's own search for joins, run by Node.js on the data of a site."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from tests import ROOT
from tests.plugins.skips import skip_or_fail

SOURCES = ROOT / "page"
ESBUILD = SOURCES / "node_modules" / ".bin" / "esbuild"
_LOOP = """
const {joinAnswer} = require("./answer.cjs");
require("readline").createInterface({input: process.stdin}).on("line", line => {
  const {keys, names, pairs} = JSON.parse(line);
  console.log(JSON.stringify(pairs.map(([from, to]) => joinAnswer(keys, names, from, to))));
});
"""
_COMPARED = ("path_found", "hop_count", "path", "sql_snippet", "alternatives")

Answer = dict[str, Any]


class JoinSearch:
    """`joinAnswer` of `page/src/joins/answer.ts` in a process of Node.js, which ends with the block."""

    def __init__(self, folder: Path) -> None:
        node = shutil.which("node")
        if node is None or not ESBUILD.exists():
            skip_or_fail("Node.js or the packages of page/ are not installed; with them the page's joins are tried")
        entry = SOURCES / "src" / "joins" / "answer.ts"
        bundled = [str(ESBUILD), str(entry), "--bundle", "--format=cjs", f"--outfile={folder / 'answer.cjs'}"]
        subprocess.run(bundled, cwd=SOURCES, check=True, capture_output=True, timeout=60)
        (folder / "loop.cjs").write_text(_LOOP)
        self._process = subprocess.Popen(
            [node, folder / "loop.cjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def __enter__(self) -> JoinSearch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=20)

    def answers(self, keys: object, names: Sequence[str], pairs: Iterable[tuple[str, str]]) -> list[Answer]:
        """How each pair of tables is joined; `names` are the full names of all tables in the order of the catalog."""
        places = {name: place for place, name in enumerate(names)}
        asked = {"keys": keys, "names": names, "pairs": [[places[one], places[other]] for one, other in pairs]}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        found: list[Answer] = json.loads(self._process.stdout.readline())
        return found


def compared(answer: Mapping[str, Any]) -> Answer:
    """Return the fields of a `get_join_path` answer that the page shows."""
    found = {name: answer[name] for name in _COMPARED if name in answer}
    warnings = [{name: each[name] for name in ("code", "message")} for each in answer.get("warnings", ())]
    return {**found, "warnings": warnings} if warnings else found


def site_part(index: Path, name: str) -> Any:
    """A part of a written site, which is a call with its name and value."""
    (script,) = index.parent.glob(f"*/{name}.js")
    return json.loads(script.read_text(encoding="utf-8").partition(",")[2].rstrip().rstrip(";").removesuffix(")"))


def table_names(catalog: Mapping[str, Any]) -> list[str]:
    """The full names of all tables, in the order of the catalog."""
    return [
        f"{database['q']}.{line[0]}"
        for database in catalog["databases"]
        for domain in database["domains"]
        for line in domain["tables"]
    ]
