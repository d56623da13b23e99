"""The questions of `tribal init` on a terminal: at most four, none of which a DSN answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeVar

import typer

from tribal.edges.cli.project.answers import (
    ADDRESS_VARIABLE,
    PASSWORD_VARIABLE,
    Answers,
    NewDatabase,
    NewModel,
    database_at,
)
from tribal.errors import ConfigurationError

# Small letters are refused: most passwords would be names, too.
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
_MODEL_NAME = re.compile(r"[A-Za-z0-9._:/@-]{1,200}")
_RULES = "rules"
MODELS = {
    "ollama": "qwen3:14b",
    "anthropic": "claude-haiku-5-5",
    "openai": "gpt-6-luna",
    "gemini": "gemini-3.8-flash",
    "groq": "openai/gpt-oss-20b",
}
"""The providers to choose from, each with its default model."""

Answer = TypeVar("Answer")


def ask_questions(address: str | None, environment: Mapping[str, str]) -> Answers:
    """Ask what the address leaves open; ask for it, too, if none is given.

    Raises:
        ConfigurationError: when the given address cannot be used.
        typer.Abort: when the user presses Ctrl-C or Ctrl-D.
    """
    typer.echo("Enter takes the answer in brackets. Ctrl-C stops, and nothing is written.")
    address = _ask_address(environment) if address is None else _usable(address, environment)
    database = database_at(address, environment)
    return Answers(
        database,
        _ask_password(address, database, environment),
        # In Snowflake sampling costs credits; it is off by default.
        _ask_sample_rows() if database.type == "postgres" else None,
        _ask_model(),
    )


def _ask(explanation: str, label: str, default: str, parse: Callable[[str], Answer]) -> Answer:
    """Ask until the answer can be used."""
    typer.echo(f"\n{explanation}")
    while True:
        try:
            return parse(str(typer.prompt(label, default=default, show_default=bool(default))).strip())
        except ConfigurationError as error:
            typer.echo(f"error: {error.message}")
        except UnicodeDecodeError:
            typer.echo("error: the answer is not UTF-8")


def _ask_address(environment: Mapping[str, str]) -> str:
    return _ask(
        "Where is the database? Write its address, such as\n"
        "postgresql://user@host:5432/database, or ${NAME} for an environment variable\n"
        "that has the address.",
        "Address",
        _default_address(environment),
        lambda answer: _usable(answer, environment),
    )


def _default_address(environment: Mapping[str, str]) -> str:
    """The database that psql would connect to, if its variables say so; else a variable to be set."""
    from tribal.settings.entries import portable_dsn

    variable = f"${{{ADDRESS_VARIABLE}}}"
    if ADDRESS_VARIABLE in environment or not {"PGHOST", "PGDATABASE"} & environment.keys():
        return variable
    try:
        return portable_dsn("postgresql://", environment)
    except ConfigurationError:
        return variable


def _usable(address: str, environment: Mapping[str, str]) -> str:
    """The address, unless it cannot be connected to."""
    from tribal.settings.entries import entry_from_dsn, entry_target

    if database_at(address, environment).variable is None:
        entry_target(entry_from_dsn(address, environment), environment)
    return address


def _ask_password(address: str, database: NewDatabase, environment: Mapping[str, str]) -> str | None:
    from tribal.settings.entries import entry_from_dsn, entry_target
    from tribal.settings.postgres_target import PostgresTarget

    if database.variable is not None:
        return None
    if database.had_password:
        return _ask(
            "The password is not written. Which environment variable will have it?",
            "Variable",
            PASSWORD_VARIABLE,
            _variable,
        )
    target = entry_target(entry_from_dsn(address, environment), environment)
    if not isinstance(target, PostgresTarget) or target.password is not None:
        return None
    return _ask(
        "Which environment variable will have the password? It is not written.\n"
        "Press Enter if none is needed, or if PGPASSWORD or ~/.pgpass has it.",
        "Variable",
        "",
        lambda answer: _variable(answer) if answer else None,
    )


def _variable(answer: str) -> str:
    if not _VARIABLE.fullmatch(answer):
        # The answer is not repeated: it may be the password.
        raise ConfigurationError(
            f"write the name of a variable, such as {PASSWORD_VARIABLE}: capitals, digits and underscores"
        )
    return answer


def _ask_sample_rows() -> int | None:
    return _ask(
        "May up to 50 rows of each table be read to describe its columns?\nValues are masked.",
        "yes or no",
        "yes",
        _sample_rows,
    )


def _sample_rows(answer: str) -> int | None:
    if answer.lower() in ("yes", "y"):
        return None
    if answer.lower() in ("no", "n"):
        return 0
    raise ConfigurationError("answer yes or no")


def _ask_model() -> NewModel | None:
    return _ask(
        f"Who describes tables that have no comment?\nOne of {_RULES}, {', '.join(MODELS)}.\n"
        f"With {_RULES} or ollama nothing leaves this machine. A vendor is sent names,\n"
        "comments and masked values, for at most $5 a run.",
        "Describer",
        _RULES,
        model_of,
    )


def model_of(answer: str) -> NewModel | None:
    """The model that an answer names, as `provider` or `provider/name`; `None` for rules.

    Raises:
        ConfigurationError: when it names none.
    """
    provider, _, name = answer.partition("/")
    if answer == _RULES:
        return None
    if provider not in MODELS:
        raise ConfigurationError(
            f"answer {_RULES}, {', '.join(MODELS)}, or one of them with a model, such as ollama/{MODELS['ollama']}"
        )
    if name and not _MODEL_NAME.fullmatch(name):
        raise ConfigurationError("the name of the model has a character that such names do not have")
    key = None if provider == "ollama" else f"{provider.upper()}_API_KEY"
    return NewModel(provider, name or MODELS[provider], key)
