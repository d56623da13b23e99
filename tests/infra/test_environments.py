"""What a file of an environment may say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from infra.environment import FOLDER, Environment, environment_names, load_environment
from tests.cases import each_case
from tests.infra.synthesis import SMALL


def content(**changes: Any) -> dict[str, Any]:
    """A right environment, changed."""
    plain = SMALL.model_dump(mode="json", exclude_unset=True)
    return plain | changes


def test_there_is_one_to_try_things_out_and_one_to_keep() -> None:
    assert {"dev", "prod"} <= set(environment_names())
    assert load_environment("dev").removal == "destroy"
    assert load_environment("prod").removal == "retain"


def test_opensearch_is_the_index_of_both() -> None:
    assert {load_environment(name).index for name in ("dev", "prod")} == {"opensearch"}


CLAUDE = {"provider": "anthropic", "name": "claude-haiku-5-5", "api_key_secret": "claude"}
BEDROCK = {"provider": "bedrock", "name": "anthropic.claude-haiku-5-5"}
OLLAMA = {"provider": "ollama", "name": "qwen3:14b"}
HTTPS = {"repository": "https://code.acme.dev/decisions.git"}
CLONE = {"name": "migrations", "path": "../migrations", "databases": ["shop"]}
REPOSITORY = {"name": "migrations", "url": "https://github.com/acme/migrations", "databases": ["shop"]}
JWT = {"mode": "jwt", "issuer": "https://example.com", "audience": "x", "scope_claim": "databases"}


@each_case(
    ("changes", "message"),
    [
        ({"databse": "x"}, "Extra inputs are not permitted"),
        ({"time_zone": "Mars/Olympus"}, "is not a time zone"),
        ({"log_days": 13}, "keeps logs for"),
        ({"embedder": {"onnx": "minilm"}}, "onnx does not fit"),
        ({"embedder": {"provider": "ollama", "name": "x"}}, "only on your own machines"),
        ({"schedule": {"expression": "every day"}}, "should match pattern"),
        ({"index": "opensearch"}, "belong together"),
        ({"networks": {}}, "at least 1 item"),
        ({"networks": {"plant": {"vpc_id": "vpc-0a1b2c3d"}}}, "belong together"),
        ({"networks": {"plant": {"security_group_ids": ["sg-0a1b2c3d"]}}}, "need a vpc_id"),
        ({"networks": {"Plant": {}}}, "should match pattern"),
        ({"alarms": {"email": "a@example.com", "topic_arn": "arn:aws:sns:eu-central-1:1:x"}}, "not both"),
        ({"api": {"auth": {"mode": "open"}}}, "does not match any of the expected tags"),
        ({"api": {"auth": {"mode": "jwt", "issuer": "http://insecure.example.com", "audience": "x"}}}, "pattern"),
        ({"variables": {"AWS_SESSION_TOKEN": "x"}}, "belongs to the runtime"),
        ({"variables": {"TRIBAL_STORE": "x"}}, "belongs to the runtime"),
        ({"variables": {"plant": "x"}}, "should match pattern"),
        ({"api": {"auth": {"mode": "jwt", "issuer": "https://example.com", "audience": "x"}}}, "scope_claim"),
        ({"api": {"auth": JWT | {"issuer": "https://example.com/?tenant=1"}}}, "pattern"),
        ({"api": {"auth": JWT | {"audience": []}}}, "at least 1 item"),
        ({"api": {"auth": JWT | {"audience": "two words"}}}, "pattern"),
        ({"api": {"auth": JWT | {"audience_claim": "azp"}}}, "'aud' or 'client_id'"),
        ({"api": {"auth": JWT | {"audience_claim": "client_id", "authorized_parties": ["x"]}}}, "the client already"),
        ({"describer": "model"}, "needs the section model"),
        ({"model": {"provider": "anthropic", "name": "x"}}, "needs api_key_secret"),
        ({"model": CLAUDE | {"terms": {"a": "x" * 400, **{f"{n}": "y" * 400 for n in range(8)}}}}, "shorten model.ter"),
        ({"knowledge": HTTPS, "memory": None}, "knowledge needs the section memory"),
        ({"knowledge": {"repository": "git@code.acme.dev:decisions.git"}}, "functions have no local folders"),
        ({"knowledge": {"repository": "ssh://git@code.acme.dev/decisions.git"}}, "not an https URL"),
        ({"knowledge": {"repository": "http://code.acme.dev/decisions.git"}}, "not an https URL"),
        ({"knowledge": {"repository": "../decisions"}}, "not an https URL"),
        ({"knowledge": {"repository": "https://code.acme.dev"}}, "not an https URL"),
        ({"knowledge": {"repository": "https://bot:hunter2@code.acme.dev/x.git"}}, "use token_secret for the token"),
        ({"knowledge": HTTPS | {"token_secret": "tribal/*"}}, "is not a secret name"),
        ({"knowledge": HTTPS | {"layout": "flat", "layer": "team"}}, "set layer and owner"),
        ({"knowledge": HTTPS | {"owner": "billing"}}, "are of `layout: flat`"),
        ({"knowledge": HTTPS | {"schedule": {"expression": "hourly"}}}, "should match pattern"),
        ({"interrogation": {"detectives": ["gpt"]}}, r"interrogation.detectives\[0\]: 'gpt' is not under `models`"),
        (
            {"api": {"auth": {"mode": "iam", "rights": ["memory:write"]}}},
            "use annotations:write, chat:ask, chat:audit, collections:write, contribution:approve, interrogation:start",
        ),
        ({"functions": {"checker": {"memory_mb": 512, "timeout_seconds": 60}}}, "waits 29 seconds"),
        ({"functions": {"retriever": {"memory_mb": 512, "timeout_seconds": 60}}}, "waits 29 seconds"),
        ({"functions": {"uploads": {"memory_mb": 512, "timeout_seconds": 60}}}, "waits 29 seconds"),
        ({"functions": {"chat": {"memory_mb": 512, "timeout_seconds": 60, "storage_mb": 100}}}, "equal to 512"),
        ({"collections": [{"name": "handbook", "models": ["gpt"]}]}, "'gpt' is not under `models`"),
        ({"collections": [{"name": "a"}, {"name": "a"}]}, "'a' is listed twice"),
        ({"chat": {"collections": [{"name": "a"}]}}, "belongs at the top level"),
        ({"chat": {"collection": "handbook"}}, "'handbook' is not one of collections"),
        ({"contribution": {"repositories": []}}, "at least 1 item"),
        ({"contribution": {"repositories": [REPOSITORY | {"path": "../x"}]}}, "give either `path`"),
        ({"contribution": {"repositories": [CLONE]}}, "migrations: functions have no local clones"),
        ({"contribution": {"repositories": [REPOSITORY | {"manifest": "m.json"}]}}, "functions have no `manifest`"),
        ({"contribution": {"repositories": [REPOSITORY, REPOSITORY]}}, "the name of two repositories"),
        ({"contribution": {"repositories": [REPOSITORY], "model": "gpt"}}, "'gpt' is not under `models`"),
        ({"collections": [{"name": f"c{n}", "owner": "x" * 100, "layer": "team"} for n in range(40)]}, "fewer collect"),
    ],
)
def test_a_wrong_environment_is_refused_and_told_why(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Environment.model_validate(content(**changes))


@each_case(
    ("changes", "message"),
    [
        ({"nodes": 3, "zones": 2}, "spread evenly"),
        ({"dedicated_masters": 3}, "belong together"),
        ({"network": "shop"}, "no network 'shop' with a VPC"),
        ({"network": "plant", "nodes": 2, "zones": 2}, "fewer subnets"),
    ],
)
def test_a_domain_that_cannot_be_is_refused(changes: dict[str, Any], message: str) -> None:
    size = {"instance_type": "r7g.large.search", "nodes": 1, "volume_gb": 20} | changes
    with pytest.raises(ValidationError, match=message):
        Environment.model_validate(content(index="opensearch", opensearch=size))


def test_an_unknown_environment_is_named_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match="unknown environment 'test'; the environments are dev, private, prod"):
        load_environment("test")


def test_a_name_never_leads_out_of_the_folder() -> None:
    with pytest.raises(ValueError, match="unknown environment"):
        load_environment("../environments/dev")


def test_every_key_is_in_the_documentation() -> None:
    text = (FOLDER.parent.parent / "docs" / "deploying.md").read_text(encoding="utf-8")
    assert [name for name in Environment.model_fields if name != "name" and f"`{name}" not in text] == []


@each_case("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_no_environment_names_itself_otherwise_than_its_file(path: Path) -> None:
    assert yaml.safe_load(path.read_text(encoding="utf-8")).get("name", path.stem) == path.stem


@each_case(
    ("changes", "obstacles"),
    [
        ({"alarms": {}}, ["its alarms have no receiver"]),
        ({"alarms": {"email": "on-call@example.com"}}, ["its alarms have no receiver"]),
        ({"alarms": {"email": "on-call@example.com.acme.dev"}}, []),
        ({"alarms": "none"}, []),
        ({"alarms": "none", "model": CLAUDE}, []),
        (
            {"alarms": "none", "knowledge": {"repository": "https://git.example.com/acme/decisions.git"}},
            ["knowledge: https://git.example.com/acme/decisions.git is a placeholder"],
        ),
        ({"alarms": "none", "model": BEDROCK}, []),
        ({"alarms": "none", "contribution": {"repositories": [REPOSITORY | {"write_secret": "w"}]}}, []),
        (
            {"alarms": "none", "contribution": {"repositories": [REPOSITORY]}},
            ["contribution: migrations has neither `write_secret` nor `app`"],
        ),
        (
            {"alarms": "none", "models": {"own": OLLAMA, "idle": OLLAMA}, "interrogation": {"witness": "own"}},
            ["models.own.base_url is on the function's own machine"],
        ),
        (
            {"alarms": "none", "collections": [{"name": "a", "embedding": {"provider": "ollama", "name": "x"}}]},
            ["collections: embedding.base_url is on the function's own machine"],
        ),
        (
            {"alarms": "none", "model": CLAUDE | {"api_key_secret": "tribal/*"}},
            ["model.api_key_secret is not a"],
        ),
        (
            {"alarms": "none", "model": BEDROCK | {"name": "arn:aws:bedrock:eu-central-1:1:inference-profile/x"}},
            ["model.name is not the id of a model"],
        ),
        ({"alarms": "none", "model": BEDROCK | {"name": "anthropic.*"}}, ["model.name is not the id of a model"]),
        ({"alarms": "none", "model": BEDROCK | {"name": "anthropic.*"}, "describer": "rules"}, []),
        (
            {"networks": {"plant": {"vpc_id": "vpc-00000000", "subnet_ids": ["subnet-00000001", "subnet-0a1b2c3d"]}}},
            ["networks.plant: vpc-00000000 is a placeholder", "networks.plant: subnet-00000001 is a placeholder"],
        ),
    ],
)
def test_what_is_to_be_done_before_a_deployment_is_reported(changes: dict[str, Any], obstacles: list[str]) -> None:
    found = Environment.model_validate(content(**changes)).obstacles
    assert [obstacle[: len(expected)] for obstacle, expected in zip(found, obstacles, strict=True)] == obstacles


def test_dev_can_be_deployed_as_it_is_and_the_others_cannot() -> None:
    assert [name for name in environment_names() if not load_environment(name).obstacles] == ["dev"]
