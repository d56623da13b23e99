"""Sends generated requests to `tribal serve`, by what its own OpenAPI document says, and counts how they are answered.

`python -m bench.fuzz` sends at least 20,000. Each answer must be one that the document has for that request: its
status, type, headers and schema; none may be a fault of the server.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

REQUESTS = 20_000
_CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_headers_conformance", "response_schema_conformance", "unsupported_method"),
)
_BIN = Path(sys.executable).parent
_COUNTED = re.compile(r"^tribal_requests_total\{.*status=\"(\d+)\".*\} ([0-9.e+]+)$", re.MULTILINE)


def main() -> int:
    """Send the requests and print what they were answered with; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench.fuzz")
    parser.add_argument("--requests", type=int, default=REQUESTS)
    parser.add_argument("--seed", type=int, default=17)
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="tribal-fuzz-") as scratch:
        return fuzz(Path(scratch), arguments.requests, arguments.seed)


def fuzz(folder: Path, wanted: int, seed: int) -> int:
    """Send at least so many requests to a server over the sample shop; returns the exit code."""
    import httpx2

    from tests.edges.http.served import Served
    from tests.edges.mcp.asked import index_project

    index_project(folder)
    failed, sent = 0, 0
    with Served(folder) as server:
        operations = sum(
            len(methods) for methods in httpx2.get(f"{server.address}/openapi.json").json()["paths"].values()
        )
        while sent < wanted and not failed:
            failed = _run(folder, server.address, max(10, (wanted - sent) // operations), seed)
            counts: dict[str, int] = {}
            for status, number in _COUNTED.findall(server.client.get("/metrics").text):
                counts[status] = counts.get(status, 0) + int(float(number))
            sent, seed = sum(counts.values()), seed + 1
            print(f"bench.fuzz: {sent:,} requests: {dict(sorted(counts.items()))}", flush=True)
    return failed


def _run(folder: Path, address: str, examples: int, seed: int) -> int:
    command: list[str | Path] = [
        *(_BIN / "st", "run", f"{address}/openapi.json", "--checks", ",".join(_CHECKS)),
        *("--phases", "examples,coverage,fuzzing", "--max-examples", str(examples), "--seed", str(seed)),
        *("--suppress-health-check", "all", "--warnings", "off", "--generation-database", "none", "--no-color"),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if ran.returncode:
        print(ran.stdout[-8_000:], ran.stderr[-2_000:], sep="\n")
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
