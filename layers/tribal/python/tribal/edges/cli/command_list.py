"""Every command of `tribal` that is not derived from a tool."""

from __future__ import annotations

from tribal.capabilities import capabilities
from tribal.ports.capability import USE_STORE, CommandSpec

_COMMANDS = "tribal.edges.cli.commands"
_DSN = "postgresql://user@host/database"

_OWN = (
    CommandSpec(
        name="demo",
        target="tribal_demo.command:demo",
        heading="Document",
        example="tribal demo",
        here_only="it documents a sample company on this machine",
    ),
    CommandSpec(
        name="init",
        target=f"{_COMMANDS}.project:init",
        heading="Document",
        example=f"tribal init {_DSN}",
        here_only="it writes a databases.yaml on this machine; write it here, and copy it to config/databases.yaml of "
        "the environment's bucket",
    ),
    CommandSpec(
        name="check",
        target=f"{_COMMANDS}.project:check",
        heading="Document",
        example=f"tribal check {_DSN}",
        here_only="it connects to the databases from this machine; leave out --profile where databases.yaml is, and to "
        "see what the environment could not read: `tribal --profile NAME status`",
    ),
    CommandSpec(name="run", target=f"{_COMMANDS}.pipeline:run", heading="Document", example=f"tribal run {_DSN}"),
    CommandSpec(
        name="plan",
        target=f"{_COMMANDS}.pipeline:plan",
        heading="Document",
        example=f"tribal plan {_DSN}",
        here_only="the environment plans when it runs: `tribal --profile NAME run`. Where a Lambda cannot reach a "
        f"database, {USE_STORE}",
    ),
    CommandSpec(
        name="document",
        target=f"{_COMMANDS}.pipeline:document",
        heading="Document",
        example="tribal document --domain billing",
        here_only="the environment documents when it runs: `tribal --profile NAME run`. Where a Lambda cannot reach a "
        f"database, {USE_STORE}",
    ),
    CommandSpec(
        name="index",
        target=f"{_COMMANDS}.pipeline:index",
        heading="Document",
        example="tribal index",
        here_only="the environment indexes new documents by itself; `tribal --profile NAME status` shows whether its "
        "index is up to date",
    ),
    CommandSpec(
        name="status", target=f"{_COMMANDS}.status:status", heading="Document", example="tribal status --watch"
    ),
    CommandSpec(name="tail", target=f"{_COMMANDS}.tail:tail", heading="Document", example="tribal tail"),
    CommandSpec(name="todo", target=f"{_COMMANDS}.review:todo", heading="Document", example="tribal todo --limit 10"),
    CommandSpec(name="diff", target=f"{_COMMANDS}.review:diff", heading="Check", example="tribal diff --impact"),
    CommandSpec(
        name="lint",
        target=f"{_COMMANDS}.review:lint",
        heading="Check",
        example="tribal lint --strict",
        here_only=f"its rules, metrics and terms are in a databases.yaml on this machine; {USE_STORE}",
    ),
    CommandSpec(
        name="queries",
        target=f"{_COMMANDS}.queries:queries",
        heading="Check",
        example="tribal queries\ntribal queries verify queries/unpaid.sql",
        help="List verified queries and their status, or verify one.",
    ),
    CommandSpec(
        name="site",
        target=f"{_COMMANDS}.site:site",
        heading="Serve",
        example="tribal site public",
        here_only=f"it writes a site from an index on this machine; {USE_STORE}, and run `tribal index` there first",
    ),
    CommandSpec(
        name="mcp",
        target=f"{_COMMANDS}.mcp:mcp",
        heading="Serve",
        example="tribal mcp --client claude",
        here_only="it serves agents on standard input; they reach the environment's own server with the settings that "
        "`tribal mcp --client NAME --url ADDRESS/mcp` prints, where ADDRESS is the stack's output ApiAddress",
    ),
    CommandSpec(
        name="serve",
        target=f"{_COMMANDS}.serve:serve",
        heading="Serve",
        example="tribal serve --port 8080",
        here_only="the environment serves the same routes at the stack's output ApiAddress; `tribal serve` serves a "
        "folder",
    ),
    CommandSpec(
        name="completion",
        target="tribal.edges.cli.completion.command:completion",
        heading="Administer",
        example="tribal completion bash",
    ),
    CommandSpec(
        name="token",
        target=f"{_COMMANDS}.token:token",
        heading="Administer",
        example="tribal token create ada-laptop --scope shop",
        help="Create, list and revoke tokens for tribal serve.",
        here_only="its tokens are for `tribal serve`; who may call the environment is set by `api` in the "
        "environment's file: AWS identities, or tokens of an issuer",
    ),
)

COMMANDS = {spec.name: spec for spec in (*_OWN, *(spec for each in capabilities() for spec in each.commands))}
"""By name. A command of a capability may show the answer of a tool in its own way."""
