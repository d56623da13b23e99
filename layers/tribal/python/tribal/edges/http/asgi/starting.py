"""Builds the application of a server process from a picklable blueprint."""

from __future__ import annotations

import secrets
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from tribal.capabilities import capabilities
from tribal.capabilities.proposals.rights import WRITE_ANNOTATIONS
from tribal.edges.http.asgi.application import METRICS_RIGHT, asgi_application, prepare_answers
from tribal.edges.http.asgi.metrics import Metrics
from tribal.edges.http.asgi.observing import write_line
from tribal.edges.http.asgi.serving import Serving, is_loopback
from tribal.edges.http.asgi.tuning import be_responsive, lower_priority, release_free_memory, share_one_arena
from tribal.edges.http.identity import IdentityClaims, SigningKeys, TokenRules, download_keys
from tribal.edges.http.identity.callers import Callers, OwnTokens
from tribal.edges.local_caller import local_caller
from tribal.errors import ConfigurationError
from tribal.ports.remembering.identity import WRITE_RIGHTS
from tribal.store.access_tokens import read_tokens
from tribal.store.documented_names import unmatched_scope
from tribal.tools.registry import Registry, offered

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from tribal.ports.application import Application
    from tribal.settings import Settings
    from tribal_contracts import ServeSettings


@dataclass(frozen=True, slots=True)
class ServerBlueprint:
    """What a server process needs to build its application."""

    settings: Settings
    host: str
    """The address to bind."""
    require_token: bool = False
    tools: tuple[str, ...] = ()
    """Offered tools and capabilities; empty for all."""
    write: bool = False
    """Whether callers without a token may correct descriptions, write memories, sync, and upload files."""
    signing_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    metrics_folder: str | None = None
    """Where the processes of the server share their metrics, if there are several."""


def server_application(blueprint: ServerBlueprint) -> Starlette:
    """Build the application of one process."""
    from tribal.app.job_processes.launching import with_job_workers
    from tribal.app.local import local_application

    share_one_arena()
    be_responsive()
    tools = _tools_of(blueprint)
    app = local_application(blueprint.settings, prepare=lambda: _prepare_next(app, tools))
    app, workers = with_job_workers(app, blueprint.settings)
    metrics = Metrics(blueprint.metrics_folder)
    return asgi_application(app, tools, serving_of(blueprint, app, tools), metrics, write_line, workers)


def _prepare_next(app: Application, tools: Registry) -> None:
    """Prepare a newly published index in the background."""
    lower_priority()
    try:
        prepare_answers(app, tools)
    finally:
        release_free_memory()


def _tools_of(blueprint: ServerBlueprint) -> Registry:
    settings = blueprint.settings
    return offered(settings.sections, has_model=settings.asks_models).narrowed(blueprint.tools)


def check_server(blueprint: ServerBlueprint) -> list[str]:
    """Refuse to start a server that could answer no one, or would answer everyone; returns what is wrong with tokens.

    Raises:
        ConfigurationError: with what to do.
    """
    from tribal.app.local import local_application

    with closing(local_application(blueprint.settings)) as app:
        callers = serving_of(blueprint, app, _tools_of(blueprint)).callers
        if callers.without_token is None and callers.issuer is None and not callers.own.any_is_valid():
            raise ConfigurationError(
                f"{_why_token(blueprint)}, and no valid token exists: create one with "
                "`tribal token create NAME --scope DATABASE`, or set `issuer` and `audience` of your issuer "
                "under `serve` in databases.yaml"
            )
        return [
            f"token {each.name}: {problem}"
            for each in read_tokens(app.store()).tokens
            for problem in unmatched_scope(each.scope, app.store())
        ]


def serving_of(blueprint: ServerBlueprint, app: Application, tools: Registry) -> Serving:
    """The settings of a server."""
    settings, serve = blueprint.settings, blueprint.settings.serve
    writing = (
        {
            WRITE_ANNOTATIONS,
            *WRITE_RIGHTS,
            *tools.spending_rights,
            *(right for each in capabilities() for right in each.write_rights),
        }
        if blueprint.write
        else set()
    )
    asking = {right for each in capabilities() for right in each.asking_rights}
    rights = tools.read_rights | tools.asking_rights | {METRICS_RIGHT} | asking | writing
    local = replace(local_caller(settings), rights=rights)
    callers = Callers(
        OwnTokens(app.store, app.clock.real, time.monotonic),
        tools.read_rights,
        None if serve.issuer is None else _issuer(serve),
        without_token=None if _why_token(blueprint) else local,
        company=settings.identity.company,
    )
    return Serving(
        callers=callers,
        public_url=serve.public_url,
        hosts=frozenset(host.lower() for host in serve.hosts),
        origins=frozenset(origin.lower() for origin in serve.origins),
        write_rights=frozenset(writing) - tools.asking_rights,
        signing_key=blueprint.signing_key,
        issuer=serve.issuer,
        rights=tuple(serve.rights) or tuple(tools.read_rights),
        one_process=blueprint.metrics_folder is None,
        requests_per_minute=serve.requests_per_minute,
    )


def _why_token(blueprint: ServerBlueprint) -> str:
    """Why a token is required; empty if it is not."""
    serve = blueprint.settings.serve
    if not is_loopback(blueprint.host):
        return f"{blueprint.host} is reachable from other machines, so a token is required"
    if serve.issuer is not None or serve.public_url is not None or serve.hosts:
        return (
            "databases.yaml makes the server reachable for others (issuer, public_url or hosts), so a token is required"
        )
    if blueprint.require_token or serve.require_token:
        return "a token is required"
    return ""


def _issuer(serve: ServeSettings) -> tuple[TokenRules, SigningKeys]:
    assert serve.issuer is not None
    rules = TokenRules(
        issuer=serve.issuer,
        audience=frozenset(serve.audience),
        scope_claim=serve.scope_claim,
        audience_claim=serve.audience_claim,
        authorized_parties=frozenset(serve.authorized_parties),
        rights={name: frozenset(rights) for name, rights in serve.rights.items()},
        leeway_seconds=serve.clock_skew_seconds,
        identity_claims=IdentityClaims(serve.org_claim, serve.teams_claim, serve.projects_claim),
    )
    return rules, SigningKeys(partial(download_keys, serve.issuer))
