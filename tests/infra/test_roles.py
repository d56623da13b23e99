"""Every role may do what it needs, and the documentation says what that is."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from infra.role_table import EXAMPLE, PAGE, role_page
from infra.stacks.search import MEMORIES
from infra.stacks.tool_rights import tools_of as own_tools
from tests.infra.synthesis import Assembly, Template
from tribal.adapters.opensearch import memories

pytestmark = pytest.mark.xdist_group("infra")

OWN = ("memory", "checker", "syncer", "interrogator", "chat", "contributor", "proposer")
"""The functions with tools of their own."""

# Actions that know no resources, or whose resources do not exist when the policy is written.
EVERYWHERE = re.compile(r"(xray|ec2|logs):\w+")


def statements(template: Template) -> list[tuple[str, dict[str, Any]]]:
    """Every statement of every role, with the role's logical id."""
    return [
        (name, statement)
        for name, role in template.of_type("AWS::IAM::Role").items()
        for policy in role.get("Policies", ())
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def tools_of(template: Template) -> dict[str, set[str]]:
    """The tools of each function that has some of its own."""
    deployed = [function for function in OWN if function in template.environment.function_specs]
    found = {function: {*own_tools(template.environment, function)} for function in deployed}
    return {function: tools for function, tools in found.items() if tools}


def objects_of(template: Template, function: str, action: str) -> set[str]:
    """The objects that a function behind the API may read, write or delete."""
    return {
        resource.partition("/")[2]
        for name, statement in statements(template)
        if name.startswith(f"Api{function}Role") and action in listed(statement["Action"])
        for resource in flat_resources(template, statement)
    }


def flat_resources(template: Template, statement: dict[str, Any]) -> list[str]:
    return [template.flat(each) for each in listed(statement["Resource"])]


def test_the_table_of_the_documentation_is_what_is_deployed(assembly: Assembly) -> None:
    template = json.loads(assembly.templates[EXAMPLE].path.read_text(encoding="utf-8"))
    assert PAGE.read_text(encoding="utf-8") == role_page(template), "run `make roles`"


def test_no_role_may_do_all_of_a_service(template: Template) -> None:
    wide = [
        (name, action)
        for name, statement in statements(template)
        for action in listed(statement["Action"])
        if action.endswith("*")
    ]
    assert wide == []


def test_a_domain_admits_the_roles_that_ask_it_to_what_these_may_do_themselves(template: Template) -> None:
    for domain in template.of_type("AWS::OpenSearchService::Domain").values():
        admitted = sorted(
            (template.flat(each["Principal"]["AWS"]), listed(each["Action"]), flat_resources(template, each))
            for each in domain["AccessPolicies"]["Statement"]
        )
        own = sorted(
            (f"<{name}.Arn>", listed(statement["Action"]), flat_resources(template, statement))
            for name, statement in statements(template)
            if statement["Sid"] in {"AskTheIndex", "KeepTheIndex", "KeepTheMemories", "MakeTheIndex"}
        )
        assert admitted == own


def test_functions_may_be_called_by_the_methods_and_the_authorizer_of_their_own_api_alone(template: Template) -> None:
    (api,) = template.of_type("AWS::ApiGateway::RestApi")
    (stage,) = template.of_type("AWS::ApiGateway::Stage")
    places: dict[str, set[str]] = {}
    for permission in template.of_type("AWS::Lambda::Permission").values():
        assert (permission["Action"], permission["Principal"]) == ("lambda:InvokeFunction", "apigateway.amazonaws.com")
        _, _, place = template.flat(permission["SourceArn"]).partition(f":<{api}>/")
        function = permission["FunctionName"]["Fn::GetAtt"][0]
        places.setdefault(re.sub(r"Function.*", "", function.removeprefix("Api")), set()).add(
            place.removeprefix(f"<{stage}>/")
        )
    methods = {"GET/health", "GET/v1/tools", "POST/v1/tools/*"}
    mcp = {"POST/mcp", "GET/mcp", "DELETE/mcp"}
    (authorizer,) = template.of_type("AWS::ApiGateway::Authorizer") or (None,)
    decides = {"Authorizer": {f"authorizers/<{authorizer}>"}} if authorizer else {}
    tells = {"GET/.well-known/oauth-protected-resource"} if authorizer else set()
    own: dict[str, set[str]] = {}
    for function, tools in tools_of(template).items():
        own[function.capitalize()] = {f"POST/v1/tools/{tool}" for tool in tools}
    own["Proposer"] |= {"GET/v1/proposals", "DELETE/v1/proposals/*"}
    if template.environment.contribution:
        own["Publisher"] = {"POST/v1/contributions/*/approval"}
    if template.has_chat:
        own["Chat"].add("POST/api/chat/stream")
        own["Uploads"] = {
            "POST/api/admin/upload",
            "GET/api/admin/etl/jobs",
            "GET/api/admin/etl/status/*",
            "GET/api/admin/collections",
            "GET/api/admin/collections/*",
            "DELETE/api/admin/collections/*/sources/*",
        }
    assert places == {"Retriever": methods, "Mcp": mcp | tells, **own, **decides}


def test_the_function_for_mcp_may_ask_those_with_tools_and_nothing_else_and_no_one_else_may(template: Template) -> None:
    functions = template.of_type("AWS::Lambda::Function")
    with_tools = ("ApiRetriever", *(f"Api{function.capitalize()}" for function in tools_of(template)))
    asked = [next(name for name in functions if name.startswith(start)) for start in with_tools]
    own, invoking = [], set()
    for name, statement in statements(template):
        resources = [template.flat(each) for each in listed(statement["Resource"])]
        if name.startswith("ApiMcpRole") and statement["Sid"] not in {"WriteLogs", "SendTraces"}:
            own.append((listed(statement["Action"]), resources))
        if {"lambda:InvokeFunction", "lambda:*", "*"} & {*listed(statement["Action"])}:
            invoking |= {name[:10] for each in resources if each == "*" or any(name in each for name in asked)}
    ((actions, called_by_mcp),) = own
    assert (actions, sorted(called_by_mcp)) == (["lambda:InvokeFunction"], sorted(f"<{name}.Arn>" for name in asked))
    callers = {
        "SyncRole": "ApiSyncer",
        "InterrogatorMachineRole": "ApiInterrogator",
        "ContributeRole": "ApiContributor",
        "ContributorMachineRole": "ApiContributor",
    }
    others = {
        name[:10]: (function, flat_resources(template, statement))
        for name, statement in statements(template)
        for start, function in callers.items()
        if name.startswith(start) and statement["Sid"] in ("Deliver", "CallFunction")
    }
    assert invoking == {"ApiMcpRole", *others}
    for function, (called,) in others.values():
        assert called.startswith(f"<{function}Function")


def test_only_actions_without_resources_are_allowed_on_everything(template: Template) -> None:
    everywhere = {
        action
        for _, statement in statements(template)
        if "*" in listed(statement["Resource"])
        for action in listed(statement["Action"])
    }
    assert [action for action in everywhere if not EVERYWHERE.fullmatch(action)] == []


def test_no_one_is_given_a_policy_that_others_maintain_but_api_gateway(template: Template) -> None:
    managed = {name for name, role in template.of_type("AWS::IAM::Role").items() if role.get("ManagedPolicyArns")}
    assert {name.startswith("ApiRestCloudWatchRole") for name in managed} <= {True}
    assert template.of_type("AWS::IAM::Policy") == {}
    assert template.of_type("AWS::IAM::ManagedPolicy") == {}


def test_each_function_writes_its_own_log_group_alone(template: Template) -> None:
    for function in template.of_type("AWS::Lambda::Function").values():
        role = function["Role"]["Fn::GetAtt"][0]
        (written,) = [
            template.flat(statement["Resource"])
            for name, statement in statements(template)
            if name == role and statement["Sid"] == "WriteLogs"
        ]
        assert written.endswith(f":log-group:/aws/lambda/{function['FunctionName']}:*")


def test_only_planners_and_documenters_reach_databases_and_the_syncer_alone_reads_its_token(assembly: Assembly) -> None:
    template = assembly.templates["small"]
    reaching = {"secretsmanager:GetSecretValue", "kms:Decrypt", "rds-db:connect", "sts:AssumeRole"}
    found: dict[str, set[str]] = {}
    for name, statement in statements(template):
        if actions := reaching & set(listed(statement["Action"])):
            found.setdefault(re.sub(r"Role[0-9A-F]{8}$", "", name), set()).update(actions)
    assert found == {
        "PipelinePlannershop": {"secretsmanager:GetSecretValue"},
        "PipelineDocumentershop": {"secretsmanager:GetSecretValue"},
        "PipelinePlannerplant": {"kms:Decrypt", "rds-db:connect", "sts:AssumeRole"},
        "PipelineDocumenterplant": {"kms:Decrypt", "rds-db:connect", "sts:AssumeRole"},
        "ApiSyncer": {"secretsmanager:GetSecretValue"},
    }
    (token,) = [flat_resources(template, each) for _, each in statements(template) if each["Sid"] == "ReadTokens"]
    assert [each.partition(":secret:")[2] for each in token] == ["tribal/small/git-??????"]


def test_the_retriever_asks_the_index_and_changes_nothing(template: Template) -> None:
    own = [
        (listed(statement["Action"]), [template.flat(each) for each in listed(statement["Resource"])])
        for name, statement in statements(template)
        if name.startswith("ApiRetrieverRole") and statement["Sid"] not in {"WriteLogs", "SendTraces", "JoinTheVpc"}
    ]
    asking = [
        (actions, [each.split(":domain/")[1] for each in resources])
        for actions, resources in own
        if "es:" in actions[0]
    ]
    in_domain = template.environment.index == "opensearch"
    assert asking == ([(["es:ESHttpPost"], [f"{template.environment.prefix}/_msearch"])] if in_domain else [])
    files = [actions for actions, _ in own if "es:" not in actions[0]]
    assert files == [["s3:GetObject"], ["s3:ListBucket"]]
    published = {"knowledge/manifest.json", "knowledge/projections/*", "knowledge/items/*"}
    shelf = published if template.environment.knowledge else set()
    memory = {"memory/*"} if template.environment.memory else set()
    shelf |= {"docs/definitions.json"}
    assert objects_of(template, "Retriever", "s3:GetObject") == shelf | (set() if in_domain else {"data/*"} | memory)


def test_the_checker_reads_decisions_and_the_index_and_changes_nothing(template: Template) -> None:
    in_files = template.environment.index == "sqlite"
    items = {"knowledge/manifest.json", "knowledge/projections/*", "knowledge/items/*"}
    own = {
        action
        for name, statement in statements(template)
        if name.startswith("ApiCheckerRole") and statement["Sid"] not in {"WriteLogs", "SendTraces", "JoinTheVpc"}
        for action in listed(statement["Action"])
    }
    if template.environment.knowledge is None:
        assert own == set()
        return
    assert own == {"s3:GetObject", "s3:ListBucket", *([] if in_files else ["es:ESHttpPost"])}
    assert objects_of(template, "Checker", "s3:GetObject") == items | ({"data/*"} if in_files else set())


def test_the_syncer_alone_publishes_decisions_and_writes_what_points_to_them(template: Template) -> None:
    has_knowledge = template.environment.knowledge is not None
    writing = {
        re.sub(r"Role[0-9A-F]{8}$", "", name)
        for name, statement in statements(template)
        if {"s3:PutObject", "s3:DeleteObject"} & {*listed(statement["Action"])}
        for resource in flat_resources(template, statement)
        if resource.partition("/")[2].startswith(("knowledge/", "progress/sync"))
    }
    assert writing == ({"ApiSyncer"} if has_knowledge else set())
    own = {"knowledge/*", "memory/*", "progress/sync.json", "progress/sync-lease.json"} if has_knowledge else set()
    assert objects_of(template, "Syncer", "s3:GetObject") == own
    assert objects_of(template, "Syncer", "s3:PutObject") == own
    assert objects_of(template, "Syncer", "s3:DeleteObject") == {each for each in own if each.endswith("/*")}


def test_memory_and_syncer_alone_write_memories_and_memory_writes_nothing_else(template: Template) -> None:
    writing: dict[str, set[str]] = {}
    reading: dict[str, set[str]] = {}
    for name, statement in statements(template):
        role = re.sub(r"Role[0-9A-F]{8}$", "", name)
        for resource in flat_resources(template, statement):
            if {"s3:PutObject", "s3:DeleteObject"} & {*listed(statement["Action"])}:
                writing.setdefault(role, set()).add(resource.partition("/")[2])
            if "s3:GetObject" in listed(statement["Action"]):
                reading.setdefault(role, set()).add(resource.partition("/")[2])
    memory = template.environment.memory is not None
    syncer = {"ApiSyncer"} if template.environment.knowledge else set()
    writers = {role for role, keys in writing.items() if "memory/*" in keys}
    assert writers == ({"ApiMemory"} if memory else set()) | syncer
    assert writing.get("ApiMemory", set()) == ({"memory/*"} if memory else set())
    readers = {role for role, keys in reading.items() if "memory/*" in keys}
    in_files = ["ApiRetriever", "ApiInterrogator"] if template.environment.index == "sqlite" else []
    in_files += ["ApiChat"] if in_files and template.has_chat else []
    assert readers == ({"ApiMemory", *in_files} if memory else set()) | syncer


@pytest.mark.parametrize("function", ["Memory", "Syncer"])
def test_who_keeps_memories_touches_their_index_of_the_domain_alone(template: Template, function: str) -> None:
    kept = [
        resource.partition(":domain/")[2]
        for name, statement in statements(template)
        if name.startswith(f"Api{function}Role") and statement["Sid"] in ("KeepTheMemories", "MakeTheIndex")
        for resource in flat_resources(template, statement)
    ]
    prefix = template.environment.prefix
    has_index = function.lower() in tools_of(template) and template.environment.index == "opensearch"
    assert kept == ([f"{prefix}/{MEMORIES}/*", f"{prefix}/{MEMORIES}-*"] if has_index else [])


def test_a_role_that_may_learn_that_an_object_is_absent_is_not_bound_to_a_prefix(template: Template) -> None:
    listing = [statement for _, statement in statements(template) if "s3:ListBucket" in listed(statement["Action"])]
    assert listing
    assert [statement for statement in listing if "Condition" in statement] == []


def test_the_index_of_memories_is_called_as_the_package_calls_it() -> None:
    assert MEMORIES == memories.MEMORIES


def test_proposals_are_read_and_written_by_their_own_function_alone_and_never_deleted(template: Template) -> None:
    read, written = (objects_of(template, "Proposer", f"s3:{action}Object") for action in ("Get", "Put"))
    assert written == {"proposals/*"}
    assert "proposals/*" in read
    assert not any(each.startswith(("annotations", "docs", "memory", "sessions")) for each in read)
    assert objects_of(template, "Proposer", "s3:DeleteObject") == set()
    for function in ("Retriever", "Interrogator", "Mcp", "Memory"):
        assert not {each for each in objects_of(template, function, "s3:PutObject") if each.startswith("proposals")}
