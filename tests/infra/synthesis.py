"""The app, synthesised once for all tests: the environments that are deployed, and two that use what these do not."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from infra.environment import Environment, environment_names, load_environment
from infra.function_packages import LAYERS, OUR_LAYER, Packages
from infra.packaging import copy_own_code
from tests.plugins.skips import skip_or_fail

Resource = dict[str, Any]
BEHIND_THE_API = {
    *("retriever", "memory", "checker", "syncer", "interrogator", "chat", "uploads"),
    *("contributor", "publisher", "proposer"),
}
"""The functions that answer tools and routes."""
OF_CONTRIBUTION = {"contributor", "publisher"}
"""The functions that are deployed only where an environment has contributions."""
SEARCHING = BEHIND_THE_API - {"uploads", *OF_CONTRIBUTION}
"""Those that search an index."""
OF_THE_CHAT = {"chat", "uploads", "ingester"}
"""The functions that are deployed only where an environment has a chat or collections."""

SMALL = Environment.model_validate(
    {
        "name": "small",
        "removal": "destroy",
        "time_zone": "UTC",
        "schedule": {"expression": "rate(7 days)", "enabled": False},
        "reconcile": {"expression": "rate(1 day)"},
        "log_days": 30,
        "old_version_days": 30,
        "index": "sqlite",
        "api": {
            "auth": {
                "mode": "jwt",
                "issuer": "https://login.example.com/",
                "audience": ["tribal", "api://tribal"],
                "authorized_parties": ["web", "phone"],
                "scope_claim": "databases",
                "teams_claim": "groups",
                "projects_claim": "projects",
                "rights": {"tribal.read": ["documentation:read"]},
                "clock_skew_seconds": 5,
            },
            "account_log_role": False,
        },
        "memory": {"company": "Acme Corp", "writable_layers": ["user", "project"], "writes_per_minute": 10},
        "knowledge": {
            "repository": "https://code.acme.dev/decisions.git",
            "branch": "main",
            "folder": "docs/adr",
            "token_secret": "tribal/small/git#token",
            "layout": "flat",
            "layer": "team",
            "owner": "billing",
            "schedule": {"expression": "rate(15 minutes)", "enabled": False},
            "stale_hours": 2.5,
        },
        "chat": {"streaming": False, "audit": True, "audit_days": 30},
        "alarms": {"topic_arn": "arn:aws:sns:eu-central-1:111122223333:on-call"},
        "variables": {"PLANT_HOST": "10.0.0.5", "COMPANY": "Example"},
        "networks": {
            "shop": {"secrets": ["tribal/small/shop"]},
            "plant": {
                "vpc_id": "vpc-0a1b2c3d",
                "subnet_ids": ["subnet-0a1b2c3d"],
                "security_group_ids": ["sg-0a1b2c3d"],
                "role_arn": "arn:aws:iam::444455556666:role/read-the-plant",
                "rds_users": ["db-ABCDEFGHIJKL/tribal"],
                "secret_keys": ["arn:aws:kms:eu-central-1:111122223333:key/1234"],
            },
        },
    }
)
"""SQLite, tokens, a chat that does not stream, two networks of which one is a VPC with a role and a security group, a
topic that is there."""

INSIDE = Environment.model_validate(
    {
        "name": "inside",
        "region": "eu-central-1",
        "account": "111122223333",
        "removal": "retain",
        "time_zone": "Europe/Berlin",
        "schedule": {"expression": "cron(0 1 * * ? *)"},
        "reconcile": {"expression": "cron(0 5 * * ? *)"},
        "log_days": 90,
        "old_version_days": 90,
        "index": "opensearch",
        "opensearch": {
            "instance_type": "r7g.large.search",
            "nodes": 2,
            "zones": 2,
            "volume_gb": 20,
            "network": "office",
        },
        "memory": {},
        "knowledge": {"repository": "https://code.acme.dev/decisions.git", "stale_hours": 1000},
        "collections": [{"name": "handbook"}],
        "alarms": {"email": "data@example.com", "run_expected_every_hours": 26},
        "networks": {"office": {"vpc_id": "vpc-0a1b2c3d", "subnet_ids": ["subnet-0a1b2c3d", "subnet-1a1b2c3d"]}},
    }
)
"""Everything, OpenSearch included, within one VPC whose security group the stack makes."""


CLAUDE = Environment.model_validate(
    {
        "name": "claude",
        "removal": "destroy",
        "time_zone": "UTC",
        "schedule": {"expression": "rate(1 day)"},
        "reconcile": {"expression": "rate(1 day)"},
        "log_days": 30,
        "old_version_days": 30,
        "index": "sqlite",
        "model": {
            "provider": "anthropic",
            "name": "claude-haiku-5-5",
            "api_key_secret": "tribal/claude/key#api_key",
            "terms": {"SLA": "what we promised"},
        },
        "alarms": "none",
        "variables": {"COMPANY": "Example"},
        "networks": {"default": {"secrets": ["tribal/claude/databases/*"]}},
    }
)
"""A model of Anthropic's API describes the tables."""

BEDROCK = Environment.model_validate(
    {
        **CLAUDE.model_dump(mode="json", exclude_unset=True, exclude={"model", "variables"}),
        "name": "bedrock",
        "region": "eu-central-1",
        "account": "111122223333",
        "describer": "model",
        "model": {"provider": "bedrock", "name": "anthropic.claude-haiku-5-5", "region": "eu-west-1"},
        "networks": {
            "office": {
                "vpc_id": "vpc-0a1b2c3d",
                "subnet_ids": ["subnet-0a1b2c3d"],
                "endpoints": ["bedrock-mantle", "bedrock-runtime"],
            }
        },
    }
)
"""A model of another region, reached from a VPC."""

PROFILE = Environment.model_validate(
    {
        **BEDROCK.model_dump(mode="json", exclude_unset=True),
        "name": "profile",
        "model": {"provider": "bedrock", "name": "eu.anthropic.claude-haiku-4-5-v1:0", "endpoint": "runtime"},
    }
)
"""A model behind an inference profile of the runtime endpoint."""

OPENAI = Environment.model_validate(
    {
        **CLAUDE.model_dump(mode="json", exclude_unset=True, exclude={"model"}),
        "name": "openai",
        "model": {"use": "small", "per_run_usd": 3},
        "models": {
            "small": {"provider": "openai", "name": "gpt-6-luna", "api_key_secret": "tribal/openai/key"},
            "large": {"provider": "gemini", "name": "gemini-3.8-flash", "api_key_secret": "tribal/gemini/key"},
        },
        "spending": {"per_day_usd": 7},
    }
)
"""Two models by name, of which one describes the tables."""

DETECTIVES = Environment.model_validate(
    {
        **CLAUDE.model_dump(mode="json", exclude_unset=True, exclude={"model"}),
        "name": "detectives",
        "region": "eu-central-1",
        "account": "111122223333",
        "models": {
            "small": {"provider": "openai", "name": "gpt-6-luna", "api_key_secret": "tribal/openai/key"},
            "claude": {"provider": "bedrock", "name": "anthropic.claude-haiku-5-5"},
            "own": {"provider": "ollama", "name": "qwen3:14b", "base_url": "http://ollama.internal:11434"},
            "idle": {"provider": "gemini", "name": "gemini-3.8-flash", "api_key_secret": "tribal/gemini/key"},
        },
        "interrogation": {"detectives": ["small", "claude"], "witness": "own", "per_session_usd": 0.5},
        "spending": {"per_day_usd": 7},
        "api": {"auth": {"mode": "iam", "rights": ["interrogation:start"]}},
        "memory": {},
    }
)
"""Models question the documentation, and rules describe it. One of the models is not used."""


CHATTING = Environment.model_validate(
    {
        **DETECTIVES.model_dump(mode="json", exclude_unset=True, exclude={"interrogation"}),
        "name": "chatting",
        "api": {"auth": {"mode": "iam", "rights": ["chat:ask", "collections:write"]}},
        "chat": {"collection": "handbook"},
        "collections": [
            {"name": "handbook", "models": {"fast": ["small"], "coder": ["claude", "small"]}},
            {
                "name": "lessons",
                "layer": "team",
                "owner": "school",
                "embedding": {
                    "provider": "gemini",
                    "name": "gemini-embedding-001",
                    "api_key_secret": "tribal/gemini/key",
                },
            },
        ],
    }
)
"""Two models answer, and a third one embeds."""

CONTRIBUTING = Environment.model_validate(
    {
        **DETECTIVES.model_dump(mode="json", exclude_unset=True, exclude={"interrogation", "memory"}),
        "name": "contributing",
        "api": {"auth": {"mode": "iam", "rights": ["contribution:approve"]}},
        "contribution": {
            "model": "small",
            "schedule": {"expression": "rate(2 hours)"},
            "prepare_by_schedule": True,
            "repositories": [
                {
                    "name": "migrations",
                    "url": "https://github.com/acme/shop-migrations",
                    "databases": ["shop"],
                    "read_secret": "tribal/shop/read",
                    "write_secret": "tribal/shop/write",
                },
                {
                    "name": "models",
                    "url": "https://github.com/acme/shop-dbt",
                    "databases": ["shop"],
                    "read_secret": "tribal/shop/read",
                    "app": {"id": 4711, "installation": 815, "key_secret": "tribal/shop/app"},
                },
            ],
        },
    }
)
"""Contributions to two repositories, for one of which an App writes; a model does what issues ask for."""


@dataclass(frozen=True)
class Template:
    """The template of one environment."""

    environment: Environment
    path: Path

    @cached_property
    def resources(self) -> dict[str, Resource]:
        """By logical id."""
        content: dict[str, Any] = json.loads(self.path.read_text(encoding="utf-8"))
        return content["Resources"]  # type: ignore[no-any-return]

    @property
    def has_chat(self) -> bool:
        """Whether the functions of the chat are deployed."""
        return "chat" in self.environment.sections

    def of_type(self, kind: str) -> dict[str, Resource]:
        """The properties of all resources of a type, by logical id."""
        return {
            name: resource.get("Properties", {})
            for name, resource in self.resources.items()
            if resource["Type"] == kind
        }

    def flat(self, value: Any) -> str:
        """A value as text; what is only known when it is deployed stands as `<LogicalId.Attribute>`."""
        if isinstance(value, str):
            return value
        ((function, argument),) = value.items()
        if function == "Fn::Join":
            return str(argument[0]).join(self.flat(part) for part in argument[1])
        return f"<{'.'.join(argument) if isinstance(argument, list) else argument}>"


@dataclass(frozen=True)
class Assembly:
    """What `cdk synth` writes."""

    folder: Path
    templates: dict[str, Template]

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What cdk-nag found and no one acknowledged."""
        return self._report("violations")

    @property
    def acknowledged(self) -> list[dict[str, Any]]:
        """What it found and someone acknowledged, with the reason."""
        return self._report("suppressedViolations")

    def _report(self, part: str) -> list[dict[str, Any]]:
        report = json.loads((self.folder / "validation-report.json").read_text(encoding="utf-8"))
        return [violation for plugin in report["pluginReports"] for violation in plugin[part]]


def own_packages(folder: Path) -> Packages:
    """The real code of functions and shared layer; layers of dependencies hold a mark instead of wheels."""
    packages = Packages(folder)
    copy_own_code(packages)
    for layer in LAYERS:
        if layer != OUR_LAYER:
            inside = packages.layer(layer) / "python"
            inside.mkdir(parents=True)
            (inside / "placeholder.txt").write_text(layer, encoding="utf-8")
    return packages


def synthesise(folder: Path, packages: Path) -> Assembly:
    """Synthesise the app into a folder, with packages in another one."""
    if shutil.which("node") is None:
        skip_or_fail("the AWS CDK runs on Node.js, and there is no program node")
    # Importing the CDK starts Node.js.
    from infra.app import build_app, stack_name

    environments = [*map(load_environment, environment_names()), SMALL, INSIDE, CLAUDE, BEDROCK, PROFILE, OPENAI]
    environments += [DETECTIVES, CHATTING, CONTRIBUTING]
    build_app(environments, own_packages(packages), output=folder).synth()
    templates = {
        environment.name: Template(environment, folder / f"{stack_name(environment)}.template.json")
        for environment in environments
    }
    return Assembly(folder, templates)
