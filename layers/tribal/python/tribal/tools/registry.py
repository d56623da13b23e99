"""The tools by name: what a caller needs to know of each, and the one way to call them.

The command line, HTTP and MCP all go through `call_tool`, so that a tool answers the same everywhere.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue, ValidationError

from tribal.errors import ToolInputInvalid, TribalError
from tribal.retrieval.toolbox import Toolbox
from tribal.tools.commands import TOOL_COMMANDS
from tribal.tools.failures import failure_output
from tribal_contracts import (
    AgentError,
    GetDomainOverviewInput,
    GetDomainOverviewOutput,
    GetJoinPathInput,
    GetJoinPathOutput,
    GetTableSchemaInput,
    GetTableSchemaOutput,
    ListDomainsInput,
    ListDomainsOutput,
    SearchTablesInput,
    SearchTablesOutput,
    ToolOutput,
    agent_error,
)

BYTES_A_TOKEN = 4
_NAMED_PROBLEMS = 10
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a tool may do, for callers that decide whether to ask a person first."""

    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True
    open_world: bool = False


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool."""

    name: str
    command: str
    title: str
    description: str
    """Tells a model when to use which tool."""
    input_model: type[Any]
    output_model: type[ToolOutput]
    function: Callable[[Any, Toolbox], ToolOutput]
    annotations: Annotations = Annotations()


def _search_tables(request: SearchTablesInput, toolbox: Toolbox) -> ToolOutput:
    from tribal.retrieval.search_tables import search_tables

    return search_tables(request, toolbox)


def _get_table_schema(request: GetTableSchemaInput, toolbox: Toolbox) -> ToolOutput:
    from tribal.retrieval.table_schema import get_table_schema

    return get_table_schema(request, toolbox)


def _get_join_path(request: GetJoinPathInput, toolbox: Toolbox) -> ToolOutput:
    from tribal.retrieval.join_path import get_join_path

    return get_join_path(request, toolbox)


def _get_domain_overview(request: GetDomainOverviewInput, toolbox: Toolbox) -> ToolOutput:
    from tribal.retrieval.domain_overview import get_domain_overview

    return get_domain_overview(request, toolbox)


def _list_domains(request: ListDomainsInput, toolbox: Toolbox) -> ToolOutput:
    from tribal.retrieval.domains import list_domains

    return list_domains(request, toolbox)


_COMMANDS = {command.tool: command.command for command in TOOL_COMMANDS}

_SPECS = (
    ToolSpec(
        "search_tables",
        _COMMANDS["search_tables"],
        "Search tables",
        "Find the tables that hold what a question is about. Start here when you do not know the names of the tables:"
        " ask in plain words, then look at the best ones with get_table_schema. Narrow with database or domain. Scores"
        " are comparable between questions; a low best score means that the data is probably not documented here.",
        SearchTablesInput,
        SearchTablesOutput,
        _search_tables,
    ),
    ToolSpec(
        "get_table_schema",
        _COMMANDS["get_table_schema"],
        "Show a table",
        "Columns with types and meanings, keys, indexes and related tables of one table. Use it before you write SQL"
        " on a table. The name is database.schema.table; shorter names work where they are unique.",
        GetTableSchemaInput,
        GetTableSchemaOutput,
        _get_table_schema,
    ),
    ToolSpec(
        "get_join_path",
        _COMMANDS["get_join_path"],
        "Find a join path",
        "The shortest way to join two tables along their foreign keys, with SQL that runs. Use it instead of guessing"
        " join conditions. path_found is false when no keys connect them within max_hops.",
        GetJoinPathInput,
        GetJoinPathOutput,
        _get_join_path,
    ),
    ToolSpec(
        "get_domain_overview",
        _COMMANDS["get_domain_overview"],
        "Show a domain",
        "What a business domain is about: its tables, an entity-relationship diagram and common joins. Use it to learn"
        " an area before asking about single tables.",
        GetDomainOverviewInput,
        GetDomainOverviewOutput,
        _get_domain_overview,
    ),
    ToolSpec(
        "list_domains",
        _COMMANDS["list_domains"],
        "List domains",
        "Every business domain with its number of tables. Use it to see what there is, or to get the exact name of a"
        " domain for the other tools.",
        ListDomainsInput,
        ListDomainsOutput,
        _list_domains,
    ),
)

TOOLS: dict[str, ToolSpec] = {spec.name: spec for spec in _SPECS}


def call_tool(name: str, arguments: Mapping[str, Any], toolbox: Toolbox) -> ToolOutput:
    """Answer a call; whatever goes wrong inside becomes an answer with `error` set.

    Raises:
        KeyError: when there is no tool of that name.
    """
    spec = TOOLS[name]
    now = toolbox.clock.published()
    try:
        _require_text(arguments)
        request = spec.input_model.model_validate(dict(arguments))
        # An answer is of one state of the index, even when a newer one is published meanwhile.
        with toolbox.index.reading():
            answer = spec.function(request, toolbox)
    except ValidationError as exc:
        answer = failure_output(spec.output_model, arguments, _invalid_input(exc, now))
    except TribalError as exc:
        answer = failure_output(spec.output_model, arguments, exc.to_agent_error(now, "retrieving"))
    except Exception as exc:  # noqa: BLE001 - the outermost edge of a tool: a caller gets an answer, never a traceback
        _LOG.debug("%s failed", name, exc_info=True)
        message = f"{name} failed unexpectedly ({type(exc).__name__}); try again, and report it if that does not help"
        answer = failure_output(spec.output_model, arguments, agent_error("RET_INTERNAL", message, timestamp=now))
    return with_tokens_used(answer)


def with_tokens_used(answer: ToolOutput) -> ToolOutput:
    """The answer with its own size: UTF-8 bytes of its compact JSON with `tokens_used` 0, by four, rounded up."""
    size = len(answer.model_copy(update={"tokens_used": 0}).to_compact_json())
    return answer.model_copy(update={"tokens_used": -(-size // BYTES_A_TOKEN)})


def _require_text(arguments: Mapping[str, Any]) -> None:
    """Refuse what no answer could echo: JSON may spell half a character, which is no text."""
    for value in arguments.values():
        if isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ToolInputInvalid(
                    "the input holds half a character (a lone surrogate), which is no text"
                ) from None


def _invalid_input(exc: ValidationError, now: str) -> AgentError:
    problems: list[JsonValue] = []
    for error in exc.errors(include_url=False, include_context=False, include_input=False)[:_NAMED_PROBLEMS]:
        where = ".".join(str(part) for part in error["loc"])[:100].encode("utf-8", "replace").decode()
        problems.append(f"{where}: {error['msg']}" if where else error["msg"])
    return agent_error(
        "RET_QUERY_INVALID",
        f"the input is not valid: {'; '.join(map(str, problems))}",
        timestamp=now,
        context={"problems": problems},
    )
