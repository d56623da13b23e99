"""What the synthesised templates hold of the chat, where an environment has one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.infra.synthesis import OF_THE_CHAT, Assembly, Template
from tests.infra.test_interrogation_template import variables_of
from tests.infra.test_roles import flat_resources, listed, objects_of, statements
from tests.infra.test_templates import LAMBDA
from tribal.settings.deployment import load_deployment
from tribal_contracts.chat.settings import ChatSettings

pytestmark = pytest.mark.xdist_group("infra")

CHATTING = {"small", "inside", "chatting"}
"""The environments with a chat."""
WITH_MODELS = "chatting"
AUDITED = "small"
SNAPSHOT = {"knowledge/manifest.json", "knowledge/projections/*", "knowledge/items/*"}
BUDGET = "progress/budget.json"
MANIFEST = "collections/*/manifest.json"
ALL, JOBS, AUDIT = "collections/*", "collections/*/jobs/*", "audit/chat/*"
ROUTES = {
    "POST/api/chat/stream": "chat",
    "POST/api/admin/upload": "uploads",
    "GET/api/admin/etl/jobs": "uploads",
    "GET/api/admin/etl/status/*": "uploads",
    "GET/api/admin/collections": "uploads",
    "GET/api/admin/collections/*": "uploads",
    "DELETE/api/admin/collections/*/sources/*": "uploads",
}


def test_three_environments_have_a_chat(assembly: Assembly) -> None:
    assert {name for name, template in assembly.templates.items() if template.has_chat} == CHATTING


def actions_of(template: Template, start: str) -> dict[str, set[str]]:
    """What a role may do, besides what every function may: the resources by action."""
    found: dict[str, set[str]] = {}
    for name, statement in statements(template):
        if name.startswith(start) and statement["Sid"] not in ("WriteLogs", "SendTraces", "JoinTheVpc"):
            for action in listed(statement["Action"]):
                found.setdefault(action, set()).update(flat_resources(template, statement))
    return found


def keys(resources: set[str]) -> set[str]:
    return {resource.partition("/")[2] for resource in resources}


def test_its_functions_are_deployed_where_an_environment_has_a_chat_or_collections(template: Template) -> None:
    names = {each["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] for each in template.of_type(LAMBDA).values()}
    assert names & OF_THE_CHAT == (OF_THE_CHAT if template.has_chat else set())
    layers = {
        each["LayerName"].removeprefix(f"{template.environment.prefix}-")
        for each in template.of_type("AWS::Lambda::LayerVersion").values()
    }
    of_chat = {"deps-documents", "deps-uploads"} if template.has_chat else set()
    of_chat |= {"deps-chat"} if template.environment.name == WITH_MODELS else set()
    assert layers & {"deps-documents", "deps-uploads", "deps-chat"} == of_chat


def test_the_chat_reads_what_it_answers_from_and_writes_records_and_what_models_cost(template: Template) -> None:
    if not template.has_chat:
        return
    environment = template.environment
    read = {"docs/definitions.json", MANIFEST, "collections/*/index/*"}
    read |= SNAPSHOT if environment.knowledge else set()
    if environment.index == "sqlite":
        read |= {"data/*", *(["memory/*"] if environment.memory else [])}
    asks, audits = environment.name == WITH_MODELS, environment.name == AUDITED
    read |= {"config/*", BUDGET} if asks else set()
    own = {AUDIT} if audits else set()
    assert objects_of(template, "Chat", "s3:GetObject") == read | own
    assert objects_of(template, "Chat", "s3:PutObject") == ({BUDGET} if asks else set()) | own
    assert objects_of(template, "Chat", "s3:DeleteObjectVersion") == own
    asked = {"es:ESHttpPost"} if environment.opensearch else set()
    secrets = {"secretsmanager:GetSecretValue", "bedrock-mantle:CreateInference"} if asks else set()
    objects = {"s3:GetObject", "s3:ListBucket"} | ({"s3:PutObject"} if asks or audits else set())
    objects |= {"s3:DeleteObjectVersion", "s3:ListBucketVersions"} if audits else set()
    assert actions_of(template, "ApiChatRole").keys() == objects | asked | secrets


def test_uploads_reads_no_passage_and_deletes_nothing(template: Template) -> None:
    if not template.has_chat:
        return
    found = actions_of(template, "ApiUploadsRole")
    assert keys(found.pop("s3:GetObject")) == {"collections/*/collection.json", MANIFEST, JOBS}
    assert keys(found.pop("s3:PutObject")) == {MANIFEST, JOBS, "collections/*/uploads/*"}
    assert found.keys() == {"s3:ListBucket", "sqs:SendMessage"}
    (queue,) = found["sqs:SendMessage"]
    assert queue.startswith("<IngesterQueue")


def test_the_ingester_owns_collections_and_asks_no_model_but_the_embedding(template: Template) -> None:
    if not template.has_chat:
        return
    found = actions_of(template, "IngesterConsumerRole")
    embeds = template.environment.name == WITH_MODELS
    budget = {BUDGET} if embeds else set()
    assert keys(found.pop("s3:GetObject")) == {ALL} | budget
    assert keys(found.pop("s3:PutObject")) == {ALL} | budget
    assert keys(found.pop("s3:DeleteObjectVersion")) == {ALL}
    secrets = {each.rpartition(":")[2] for each in found.pop("secretsmanager:GetSecretValue", set())}
    assert secrets == ({"tribal/gemini/key-??????"} if embeds else set())
    of_queue = {"ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes", "ReceiveMessage", "SendMessage"}
    assert found.keys() == {"s3:ListBucket", "s3:ListBucketVersions", *(f"sqs:{each}" for each in of_queue)}
    own = [each for name, each in statements(template) if name.startswith("IngesterConsumerRole")]
    (listing,) = [each for each in own if each["Sid"] == "ListVersions"]
    assert listing["Condition"] == {"StringLike": {"s3:prefix": [ALL]}}


def test_nothing_else_may_touch_collections_and_audits(template: Template) -> None:
    touching = {
        name.partition("Role")[0]
        for name, statement in statements(template)
        for resource in flat_resources(template, statement)
        if "/collections/" in resource or "/audit/" in resource
    }
    of_chat = {"ApiChat", "ApiUploads", "IngesterConsumer"}
    assert touching == (of_chat if template.has_chat else set())


def test_each_function_is_given_the_keys_of_its_own_models_alone(assembly: Assembly) -> None:
    template = assembly.templates[WITH_MODELS]
    found = actions_of(template, "ApiChatRole")
    keys_read = {each.rpartition(":")[2] for each in found["secretsmanager:GetSecretValue"]}
    assert keys_read == {"tribal/openai/key-??????", "tribal/gemini/key-??????"}
    for function, models in (("chat", ["claude", "small"]), ("ingester", []), ("uploads", []), ("retriever", [])):
        variables = variables_of(template, function)
        assert len(json.dumps(variables)) < 4_096
        deployment = load_deployment({**variables, "AWS_REGION": "eu-central-1", "TRIBAL_STORE": "s3://bucket"})
        assert sorted(deployment.models) == models
        chat = deployment.sections["chat"]
        assert isinstance(chat, ChatSettings)
        assert [each.title for each in chat.collections] == ["handbook", "lessons"]
        assert chat.collections == template.environment.collections
        assert chat.default_collection == "handbook"
        if function in ("chat", "ingester"):
            assert deployment.per_day_usd == 7


def integrations_of(template: Template) -> dict[str, Any]:
    """The integration of each method of the routes, by method and path."""
    resources = template.of_type("AWS::ApiGateway::Resource")

    def path(reference: Any) -> str:
        name = reference.get("Ref")
        if name not in resources:
            return ""
        return f"{path(resources[name]['ParentId'])}/{resources[name]['PathPart']}"

    found = {
        f"{each['HttpMethod']}{path(each['ResourceId'])}": each
        for each in template.of_type("AWS::ApiGateway::Method").values()
    }
    return {name: each for name, each in found.items() if "/api/" in name}


def test_its_routes_ask_for_a_caller_and_only_that_of_questions_streams(template: Template) -> None:
    found = integrations_of(template)
    assert {name.replace("{job_id}", "*").replace("{name}", "*").replace("{source_id}", "*") for name in found} == (
        {*ROUTES} if template.has_chat else set()
    )
    for name, method in found.items():
        assert method["AuthorizationType"] in ("AWS_IAM", "CUSTOM")
        integration = method["Integration"]
        uri = template.flat(integration["Uri"])
        streams = name == "POST/api/chat/stream" and template.environment.name != "small"
        assert ("/response-streaming-invocations" in uri, integration.get("ResponseTransferMode") == "STREAM") == (
            streams,
            streams,
        )
        if streams:
            assert integration["TimeoutInMillis"] == 150_000


def test_a_chat_that_streams_starts_by_our_own_loop_and_one_that_does_not_waits_no_longer_than_its_api(
    assembly: Assembly,
) -> None:
    for name, streams in (("inside", True), ("chatting", True), ("small", False)):
        template = assembly.templates[name]
        assert ("AWS_LAMBDA_EXEC_WRAPPER" in variables_of(template, "chat")) == streams
        (chat,) = [each for each in template.of_type(LAMBDA).values() if each["FunctionName"].endswith("-chat")]
        assert chat["Timeout"] == (150 if streams else 28)
        assert chat["EphemeralStorage"]["Size"] == 2_048
        for other in template.of_type(LAMBDA).values():
            own = other["Environment"]["Variables"]
            assert own["POWERTOOLS_SERVICE_NAME"] == "chat" or "AWS_LAMBDA_EXEC_WRAPPER" not in own


def test_forms_are_sent_as_bytes(template: Template) -> None:
    (api,) = template.of_type("AWS::ApiGateway::RestApi").values()
    assert api.get("BinaryMediaTypes", []) == (["multipart/form-data"] if template.has_chat else [])


def test_an_upload_in_the_store_reaches_the_ingester_once_and_its_own_files_do_not(template: Template) -> None:
    rules = [each for each in template.of_type("AWS::Events::Rule").values() if each["Name"].endswith("-ingester")]
    assert len(rules) == template.has_chat
    if not rules:
        return
    pattern = rules[0]["EventPattern"]["detail"]["object"]["key"]
    assert pattern == [{"wildcard": "collections/*/uploads/*"}]
    queues = {each["QueueName"]: each for each in template.of_type("AWS::SQS::Queue").values()}
    queue = queues[f"{template.environment.prefix}-ingester"]
    assert queue["VisibilityTimeout"] == 960
    dead = template.flat(queue["RedrivePolicy"]["deadLetterTargetArn"])
    assert dead.startswith("<IngesterDeadLetters")


def test_failed_uploads_and_dead_letters_raise_alarms(template: Template) -> None:
    names = {
        alarm["AlarmName"].removeprefix(f"{template.environment.prefix}-")
        for alarm in template.of_type("AWS::CloudWatch::Alarm").values()
    }
    own = {"uploads-failed", "chat-faults", "upload-faults", "ingester-behind", "ingester-dead-letters"}
    assert names & own == (own if template.has_chat else set())


def test_stored_questions_are_removed_when_they_are_old(template: Template) -> None:
    rules = [
        rule
        for each in template.of_type("AWS::S3::Bucket").values()
        for rule in each["LifecycleConfiguration"]["Rules"]
        if rule.get("Prefix") == "audit/chat/"
    ]
    days = {"small": 30}.get(template.environment.name, 90)
    assert [(rule["ExpirationInDays"], rule["NoncurrentVersionExpiration"]["NoncurrentDays"]) for rule in rules] == (
        [(days, 1)] if template.has_chat else []
    )
