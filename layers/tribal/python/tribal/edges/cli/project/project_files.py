"""Writes the files of a new project: `databases.yaml`, and the schema by which editors complete and check it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from tribal.edges.cli.project.answers import PASSWORD_VARIABLE, Answers, NewModel
from tribal.errors import ConfigurationError
from tribal.settings import SCHEMA_FILE

SCHEMA_LINE = f"# yaml-language-server: $schema={SCHEMA_FILE}"
_TEMPLATE = """\
{schema_line}
# The databases to document. Run `tribal check`, then `tribal run`, in this folder.
databases:
  - name: {name}            # the name of this database in documents and answers
    type: {type}
    # Either a DSN ...
    dsn: {dsn}
    {password}
    # ... or separate fields. ${{NAME}} is read from the environment; ${{NAME:-x}} falls back to x.
    # host: db.example.com
    # port: 5432
    # database: company
    # user: tribal_reader
    # Several databases of the server: a list or a glob; each is documented as {name}_(its name).
    # database: ["shop_*", "!shop_test"]

    # Which tables to document; globs over schemas, over tables, or over schema.table.
    # include:
    #   schemas: ["sales", "billing_*"]
    # exclude:
    #   schemas: ["staging"]
    #   tables: ["*_bak", "public.tmp_*"]

    # Rows to look at in each table, to describe its columns; values are masked. 0 reads no rows.
    {sample_rows}

    # Tables assigned to a business domain regardless of their keys.
    # domains:
    #   billing: ["invoice*", "sales.credit_note"]

    # How much load a run may put on the database.
    # limits:
    #   connections: 4
    #   statement_timeout_seconds: 60
    #   lock_timeout_seconds: 2

# Where documents and index are stored; this folder by default.
# store: ./knowledge

# A model that describes undocumented tables; without one, rules do, and nothing leaves this machine. It needs
# optional packages, which `tribal check` names; describer: rules in an entry above excludes a database from it.
{model}
# A model on this machine, which needs no key and costs nothing:
# model: {{provider: ollama, name: "qwen3:14b"}}
# A model on Amazon Bedrock:
# model: {{provider: bedrock, name: eu.anthropic.claude-haiku-5-5, endpoint: runtime, region: eu-central-1}}

# Rules of `tribal lint`, and the per cent of tables and columns that have to be documented.
# lint:
#   orphaned: true
#   minimum_coverage: 80
"""
_NO_MODEL = """\
# model:
#   provider: anthropic                 # or openai, gemini, groq
#   name: claude-haiku-5-5
#   api_key_secret: ANTHROPIC_API_KEY   # the environment variable with the key
#   per_run_usd: 5"""


def project_text(answers: Answers) -> str:
    """The text of a `databases.yaml`."""
    database, secret = answers.database, answers.password_secret
    return _TEMPLATE.format(
        schema_line=SCHEMA_LINE,
        name=_quoted(database.name),
        type=database.type,
        dsn=_quoted(database.dsn),
        password="# " * (secret is None)
        + f"password_secret: {secret or PASSWORD_VARIABLE}   # the environment variable with the password",
        sample_rows="# sample_rows: 50" if answers.sample_rows is None else f"sample_rows: {answers.sample_rows}",
        model=_NO_MODEL if answers.model is None else _model(answers.model),
    )


def _model(model: NewModel) -> str:
    lines = ["model:", f"  provider: {model.provider}", f"  name: {_quoted(model.name)}"]
    if model.api_key_secret is not None:
        lines.append(f"  api_key_secret: {model.api_key_secret}   # the environment variable with the key")
        lines.append("  per_run_usd: 5   # dollars; beyond them rules describe the rest")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def shipped_schema() -> bytes:
    """The schema of `databases.yaml` for editors, as this version ships it."""
    return (files("tribal_contracts") / "schemas" / SCHEMA_FILE).read_bytes()


def write_file(file: Path, data: bytes) -> None:
    """Write a file of a new project, in a folder that need not exist.

    Raises:
        ConfigurationError: when it cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be written: {error.strerror}; name a folder with --project") from error
