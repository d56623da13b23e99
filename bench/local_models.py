"""How much of what a small model on this machine writes is published, and what does a table take?

`python -m bench.local_models [TABLES [CONTEXT...]]`: a real llama.cpp server with SmolLM2 (135M) describes tables of
the sample company without their comments, with each context length. The model fails its test and is used nevertheless.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.harness import TRIBAL, Bench, Row, Table, measure, run
from servers.llama_cpp import MODEL, LlamaCppServer
from tribal.identity.locations import MODEL_TESTS_FILE
from tribal_contracts import KeptProse, ModelTests
from tribal_demo import COMPANY_SQL

TABLES = ("crm.customer", "sales.orders", "sales.order_line", "billing.invoice", "billing.payment", "crm.contact")
CONTEXTS = (8_192, 2_048)


def tables(bench: Bench) -> Iterator[Table]:
    """Measure a run with each context length."""
    chosen = TABLES[: int(bench.arguments[0])] if bench.arguments else TABLES
    contexts = [int(each) for each in bench.arguments[1:]] or CONTEXTS
    database = "company"
    bench.server.ensure_database(database, _without_comments(COMPANY_SQL.read_text(), bench.folder))
    rows, rules, published = list[Row](), list[Row](), list[Row]()
    for context in contexts:
        project = bench.new_folder(f"context-{context}")
        with LlamaCppServer.start(context_tokens=context) as server:
            model = {"provider": "openai", "name": MODEL, "base_url": server.address, "accept_unfit": True}
            entry = {"name": "company", "dsn": bench.server.dsn(database), "include": {"tables": list(chosen)}}
            (project / "databases.yaml").write_text(json.dumps({"databases": [entry], "model": model}))
            began = time.perf_counter()
            # It exits with 1, because the model is not fit.
            subprocess.run([TRIBAL, "check", "--ask"], cwd=project, check=False, capture_output=True)
            test_seconds = time.perf_counter() - began
            ran = measure([TRIBAL, "run"], folder=project)
        rows.append(_row(project, context, test_seconds, ran.seconds))
        dropped = Counter(each.rule for prose in _prose(project) for each in prose.dropped)
        published += [
            {"context": context, "subject": prose.subject, "column": column, "text": text}
            for prose in _prose(project)
            for column, text in {"": prose.text, **prose.columns}.items()
            if text
        ]
        rules += [{"context": context, "rule": rule, "sentences": count} for rule, count in dropped.most_common()]
    yield Table(f"{len(chosen)} tables described by {MODEL}", rows)
    yield Table("sentences that were dropped", rules)
    yield Table("texts that were published", published)


def _row(project: Path, context: int, test_seconds: float, run_seconds: float) -> Row:
    (model,) = ModelTests.from_json((project / MODEL_TESTS_FILE).read_bytes()).models
    prose = _prose(project)
    usages = [each.usage for each in prose]
    about_tables = max(sum(each.subject.count(".") == 2 for each in prose), 1)
    return {
        "context": context,
        "right of 5": model.test.right if model.test else None,
        "seconds of the test": test_seconds,
        "calls": sum(usage.calls for usage in usages),
        "tokens a table": sum(usage.tokens for usage in usages) / about_tables,
        "seconds a table": run_seconds / about_tables,
        "texts published": sum(bool(each.text) + len(each.columns) for each in prose),
        "sentences dropped": sum(len(each.dropped) for each in prose),
    }


def _prose(project: Path) -> list[KeptProse]:
    return [KeptProse.from_json(file.read_bytes()) for file in sorted(project.glob("prose/**/*.json"))]


def _without_comments(sql: str, folder: Path) -> Path:
    file = folder / "company.sql"
    statements = sql.split(";\n")
    file.write_text(";\n".join(each for each in statements if "COMMENT ON" not in each.upper()))
    return file


if __name__ == "__main__":
    sys.exit(run("local_models", tables))
