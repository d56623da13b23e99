"""What the synthesised templates hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from functions.authorizer.configuration import load_rules
from infra.environment import environment_names, load_environment
from infra.function_packages import FUNCTIONS, handler_of, layers_of, model_layer
from tests import ROOT
from tests.infra.synthesis import BEHIND_THE_API, OF_CONTRIBUTION, OF_THE_CHAT, SEARCHING, Assembly, Template
from tribal.edges.http.identity import IdentityClaims, TokenRules
from tribal.jobs.lease import TERM_SECONDS
from tribal.settings.deployment import load_deployment
from tribal_contracts import MemorySettings

pytestmark = pytest.mark.xdist_group("infra")

LAMBDA, RULE = "AWS::Lambda::Function", "AWS::Events::Rule"
MOST_LAYERS = 5
READ_OUTPUTS = ("Store", "StateMachine", "ApiAddress", "ApiAuth")
"""By `tribal --profile`."""


def test_nothing_that_the_rules_of_aws_solutions_find_is_unacknowledged(assembly: Assembly) -> None:
    assert [finding["ruleName"] for finding in assembly.findings] == []


def test_every_acknowledgement_says_why(assembly: Assembly) -> None:
    assert assembly.acknowledged
    assert [each["ruleName"] for each in assembly.acknowledged if len(each["reason"]) < 40] == []


def test_no_bucket_can_be_read_in_clear_or_by_everyone(template: Template) -> None:
    buckets = template.of_type("AWS::S3::Bucket")
    assert len(buckets) == 2
    denied = {
        policy["Bucket"]["Ref"]
        for policy in template.of_type("AWS::S3::BucketPolicy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Deny" and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    }
    assert denied == set(buckets)
    for bucket in buckets.values():
        assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
        assert bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]


def test_the_store_keeps_old_versions_logs_access_and_tells_of_new_objects(template: Template) -> None:
    (store,) = [
        bucket for bucket in template.of_type("AWS::S3::Bucket").values() if "VersioningConfiguration" in bucket
    ]
    assert store["VersioningConfiguration"] == {"Status": "Enabled"}
    assert store["LoggingConfiguration"]["LogFilePrefix"] == "store/"
    assert store["NotificationConfiguration"] == {"EventBridgeConfiguration": {"EventBridgeEnabled": True}}
    rule = store["LifecycleConfiguration"]["Rules"][0]
    assert rule["NoncurrentVersionExpiration"]["NoncurrentDays"] == template.environment.old_version_days


def test_no_function_is_ours_that_we_did_not_write(template: Template) -> None:
    handlers = {properties["Handler"] for properties in template.of_type(LAMBDA).values()}
    written = set(FUNCTIONS) if template.environment.name == "small" else set(FUNCTIONS) - {"authorizer"}
    of_memory, of_knowledge = template.environment.memory, template.environment.knowledge
    absent = (set() if of_memory else {"memory"}) | (set() if of_knowledge else {"checker", "syncer"})
    absent |= set() if template.environment.contribution else OF_CONTRIBUTION
    written -= absent | (set() if template.has_chat else OF_THE_CHAT)
    assert handlers == {handler_of(function) for function in written}
    assert not [name for name, kind in template.resources.items() if kind["Type"].startswith("Custom::")]


def test_data_is_kept_or_goes_with_the_stack_as_the_environment_says(template: Template) -> None:
    deleted, replaced = {"retain": ("RetainExceptOnCreate", "Retain"), "destroy": ("Delete", "Delete")}[
        template.environment.removal
    ]
    kinds = {"AWS::S3::Bucket", "AWS::OpenSearchService::Domain"}
    data = [resource for resource in template.resources.values() if resource["Type"] in kinds]
    assert {(each["DeletionPolicy"], each["UpdateReplacePolicy"]) for each in data} == {(deleted, replaced)}


def test_a_planner_and_a_documenter_exist_for_every_network(template: Template) -> None:
    environment = template.environment
    names = {properties["FunctionName"] for properties in template.of_type(LAMBDA).values()}
    for group in environment.networks:
        assert {f"{environment.prefix}-planner-{group}", f"{environment.prefix}-documenter-{group}"} <= names


def test_functions_run_in_the_network_of_their_databases_and_nowhere_else(assembly: Assembly) -> None:
    functions = assembly.templates["small"].of_type(LAMBDA).values()
    inside = {each["FunctionName"]: each["VpcConfig"] for each in functions if "VpcConfig" in each}
    place = {"SecurityGroupIds": ["sg-0a1b2c3d"], "SubnetIds": ["subnet-0a1b2c3d"]}
    assert inside == {"tribal-small-planner-plant": place, "tribal-small-documenter-plant": place}


def test_what_asks_the_domain_joins_the_vpc_in_which_the_domain_lies(assembly: Assembly) -> None:
    template = assembly.templates["inside"]
    inside = {each["FunctionName"] for each in template.of_type(LAMBDA).values() if "VpcConfig" in each}
    asking = ("indexer", "uploads", *SEARCHING)
    assert {f"tribal-inside-{name}" for name in asking} <= inside
    (domain,) = template.of_type("AWS::OpenSearchService::Domain").values()
    assert domain["VPCOptions"]["SubnetIds"] == ["subnet-0a1b2c3d", "subnet-1a1b2c3d"]
    (group,) = domain["VPCOptions"]["SecurityGroupIds"]
    ingress = template.of_type("AWS::EC2::SecurityGroup")[group["Fn::GetAtt"][0]]["SecurityGroupIngress"]
    assert [(rule["FromPort"], rule["ToPort"], "CidrIp" in rule) for rule in ingress] == [(443, 443, False)]


def test_every_function_has_a_role_a_log_group_and_traces_of_its_own(template: Template) -> None:
    functions = template.of_type(LAMBDA).values()
    assert len({json.dumps(each["Role"]) for each in functions}) == len(functions)
    groups = template.of_type("AWS::Logs::LogGroup")
    for each in functions:
        group = groups[each["LoggingConfig"]["LogGroup"]["Ref"]]
        assert group["RetentionInDays"] == template.environment.log_days
        assert group["LogGroupName"] == f"/aws/lambda/{each['FunctionName']}"
        assert each["TracingConfig"] == {"Mode": "Active"}


def test_a_function_has_the_layers_that_it_needs_and_not_more_than_lambda_takes(template: Template) -> None:
    layers = template.of_type("AWS::Lambda::LayerVersion")
    for each in template.of_type(LAMBDA).values():
        names = {
            layers[layer["Ref"]]["LayerName"].removeprefix(f"{template.environment.prefix}-")
            for layer in each["Layers"]
        }
        model = model_layer(template.environment.active_model)
        name = each["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"]
        assert names == set(layers_of(name, model, shared=template.environment.asks_models(name)))
        assert len(names) <= MOST_LAYERS
        assert each["Runtime"] == "python3.13"


def test_functions_get_what_they_read_from_the_environment(template: Template) -> None:
    for each in template.of_type(LAMBDA).values():
        variables = each["Environment"]["Variables"]
        package = variables["POWERTOOLS_SERVICE_NAME"]
        if package == "authorizer":
            continue
        if package == "mcp":
            assert template.flat(variables["TRIBAL_RETRIEVER"]).startswith("<ApiRetrieverFunction")
            assert not {"TRIBAL_STORE", "TRIBAL_INDEX", "TRIBAL_SEARCH_ENDPOINT"} & variables.keys()
            named = [(name, f"TRIBAL_{name.upper()}_FUNCTION") for name in BEHIND_THE_API - {"retriever"}]
            called = {name: template.flat(variables[key]) for name, key in named if key in variables}
            assert all(arn.startswith(f"<Api{name.capitalize()}Function") for name, arn in called.items())
            of_memory, of_knowledge = template.environment.memory, template.environment.knowledge
            others = {*(["memory"] * bool(of_memory)), *(["checker", "syncer"] * bool(of_knowledge))}
            others |= {"contributor"} if template.environment.contribution else set()
            assert set(called) == {"interrogator", "proposer", *others, *(["chat"] * template.has_chat)}
            continue
        assert template.flat(variables["TRIBAL_STORE"]).startswith("s3://<StorageStore")
        assert variables["TRIBAL_INDEX"] == template.environment.index
        assert ("TRIBAL_QUEUE_URL" in variables) == (package in {"indexer", "ingester", "uploads"})
        asked = package in {"indexer", *SEARCHING} and template.environment.index == "opensearch"
        assert ("TRIBAL_SEARCH_ENDPOINT" in variables) == asked
        assert variables["POWERTOOLS_SERVICE_NAME"] == package
        limit = str(template.environment.api.answer_tokens) if package in BEHIND_THE_API else None
        assert variables.get("TRIBAL_ANSWER_TOKENS") == limit


def test_functions_behind_the_api_know_of_memory_where_the_environment_has_it(template: Template) -> None:
    memory = template.environment.memory
    for each in template.of_type(LAMBDA).values():
        variables, package = (
            each["Environment"]["Variables"],
            each["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"],
        )
        told = memory is not None and package in {*BEHIND_THE_API, "mcp"}
        assert ("TRIBAL_MEMORY" in variables) == told
        assert variables.get("TRIBAL_COMPANY") == (memory.company if memory is not None and told else None)
        if told:
            deployment = load_deployment(
                {"TRIBAL_STORE": "s3://bucket", "AWS_REGION": "x", "TRIBAL_MEMORY": variables["TRIBAL_MEMORY"]}
            )
            assert memory is not None
            assert deployment.sections["memory"] == MemorySettings(**memory.model_dump(exclude={"company"}))


def test_what_the_configuration_may_use_is_given_to_the_functions_that_read_it_alone(assembly: Assembly) -> None:
    for name, given in (("small", "COMPANY,PLANT_HOST"), ("dev", None)):
        for each in assembly.templates[name].of_type(LAMBDA).values():
            variables, package = (
                each["Environment"]["Variables"],
                each["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"],
            )
            expected = given if package in {"planner", "documenter", "finisher"} else None
            assert variables.get("TRIBAL_CONFIG_VARIABLES") == expected
            assert variables.get("PLANT_HOST") == ("10.0.0.5" if expected else None)


def test_the_authorizer_has_the_rules_that_the_environment_says(
    assembly: Assembly, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = assembly.templates["small"].of_type(LAMBDA).values()
    (variables,) = (each["Environment"]["Variables"] for each in functions if "authorizer" in each["Handler"])
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert load_rules() == TokenRules(
        "https://login.example.com/",
        audience=frozenset({"tribal", "api://tribal"}),
        scope_claim="databases",
        authorized_parties=frozenset({"web", "phone"}),
        rights={"tribal.read": frozenset({"documentation:read"})},
        leeway_seconds=5,
        identity_claims=IdentityClaims(teams="groups", projects="projects"),
    )
    monkeypatch.setenv("TRIBAL_TOKEN_AUDIENCE_CLAIM", "client_id")
    assert load_rules().audience_claim == "client_id"


def test_the_role_to_become_is_told_to_the_functions_of_its_network_alone(assembly: Assembly) -> None:
    functions = assembly.templates["small"].of_type(LAMBDA).values()
    told = {each["FunctionName"] for each in functions if "TRIBAL_NETWORK_ROLE" in each["Environment"]["Variables"]}
    assert told == {"tribal-small-planner-plant", "tribal-small-documenter-plant"}


def test_every_queue_is_encrypted_asks_for_tls_and_has_somewhere_for_dead_letters(template: Template) -> None:
    queues = template.of_type("AWS::SQS::Queue")
    dead = {
        queue["RedrivePolicy"]["deadLetterTargetArn"]["Fn::GetAtt"][0]
        for queue in queues.values()
        if "RedrivePolicy" in queue
    }
    names = {name: queue["QueueName"].removeprefix(f"{template.environment.prefix}-") for name, queue in queues.items()}
    takers = ("indexer", "ingester") if template.has_chat else ("indexer",)
    assert {names[name] for name in dead} == {f"{each}-dead" for each in takers}
    assert {*names.values()} == {*takers, *(names[name] for name in dead), "undelivered"}
    assert all(queue["SqsManagedSseEnabled"] for queue in queues.values())
    denied = {
        policy["Queues"][0]["Ref"]
        for policy in template.of_type("AWS::SQS::QueuePolicy").values()
        for statement in policy["PolicyDocument"]["Statement"]
        if statement["Effect"] == "Deny"
    }
    assert denied == set(queues)


def test_the_manifest_alone_starts_indexing(template: Template) -> None:
    (rule,) = [each for each in template.of_type(RULE).values() if each["Name"].endswith("-manifest-written")]
    assert rule["EventPattern"]["detail"]["object"] == {"key": ["docs/documentation-manifest.json"]}
    assert rule["EventPattern"]["detail-type"] == ["Object Created"]
    (target,) = rule["Targets"]
    assert target["Arn"]["Fn::GetAtt"][0].startswith("IndexingQueue")
    assert target["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0].startswith("IndexingUndelivered")


def test_messages_of_a_batch_fail_one_by_one(template: Template) -> None:
    for mapping in template.of_type("AWS::Lambda::EventSourceMapping").values():
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_a_message_whose_indexer_died_comes_back_when_the_lease_of_that_one_has_ended(template: Template) -> None:
    for queue in template.of_type("AWS::SQS::Queue").values():
        if "RedrivePolicy" in queue:
            function = queue["QueueName"].removeprefix(f"{template.environment.prefix}-")
            longest = getattr(template.environment.functions, function).timeout_seconds + TERM_SECONDS
            assert longest <= queue["VisibilityTimeout"] <= longest + 60


def test_each_call_of_the_indexer_has_all_of_its_time_for_one_message(template: Template) -> None:
    mappings = template.of_type("AWS::Lambda::EventSourceMapping")
    (mapping,) = [each for name, each in mappings.items() if name.startswith("Indexing")]
    assert (mapping["BatchSize"], mapping["ScalingConfig"]) == (1, {"MaximumConcurrency": 2})


def test_one_indexer_at_a_time_writes_the_sqlite_file(assembly: Assembly) -> None:
    functions = assembly.templates["small"].of_type(LAMBDA).values()
    (reserved,) = [each["ReservedConcurrentExecutions"] for each in functions if "ReservedConcurrentExecutions" in each]
    assert reserved == 1
    assert assembly.templates["small"].of_type("AWS::OpenSearchService::Domain") == {}


def test_the_domain_is_encrypted_everywhere_and_knows_the_roles_that_ask_it(template: Template) -> None:
    for domain in template.of_type("AWS::OpenSearchService::Domain").values():
        assert domain["EngineVersion"] == "OpenSearch_2.19"
        assert domain["EncryptionAtRestOptions"] == {"Enabled": True}
        assert domain["NodeToNodeEncryptionOptions"] == {"Enabled": True}
        assert domain["DomainEndpointOptions"]["EnforceHTTPS"] is True
        statements = domain["AccessPolicies"]["Statement"]
        roles = [template.flat(each["Principal"]["AWS"]) for each in statements]
        known = (
            "<ApiRetrieverRole",
            "<IndexingIndexerRole",
            *(["<ApiCheckerRole"] if template.environment.knowledge else []),
            *("<ApiInterrogatorRole", "<ApiProposerRole"),
            *(["<ApiMemoryRole"] * 3 if template.environment.memory else []),
            *(["<ApiSyncerRole"] * 3 if template.environment.knowledge else []),
            *(["<ApiChatRole"] if template.has_chat else []),
        )
        assert [role.partition("Role")[0] + "Role" for role in sorted(roles)] == sorted(known)


def test_no_log_group_is_made_that_keeps_its_lines_for_ever(template: Template) -> None:
    (stage,) = template.of_type("AWS::ApiGateway::Stage").values()
    assert [settings["LoggingLevel"] for settings in stage["MethodSettings"]] == ["OFF"]
    assert all("RetentionInDays" in group for group in template.of_type("AWS::Logs::LogGroup").values())


def test_no_shipped_schedule_is_at_a_time_that_a_change_of_clocks_skips() -> None:
    for name in environment_names():
        environment = load_environment(name)
        for schedule in (environment.schedule, environment.reconcile):
            minute, hour = schedule.expression.removeprefix("cron(").split()[:2]
            zone = ZoneInfo(environment.time_zone)
            times = (
                datetime(2026, 1, 1, int(hour), int(minute), tzinfo=zone) + timedelta(days=day) for day in range(730)
            )
            assert all(time.astimezone(UTC).astimezone(zone).time() == time.time() for time in times)


def test_alarms_reach_a_topic_that_they_may_publish_to(template: Template) -> None:
    alarms = template.of_type("AWS::CloudWatch::Alarm")
    targets = {json.dumps(alarm["AlarmActions"]) for alarm in alarms.values()}
    assert len(targets) == 1
    if template.environment.alarms.topic_arn is not None:
        assert template.environment.alarms.topic_arn in targets.pop()
        return
    (policy,) = template.of_type("AWS::SNS::TopicPolicy").values()
    allowed = [each for each in policy["PolicyDocument"]["Statement"] if each["Effect"] == "Allow"]
    assert [each["Principal"] for each in allowed] == [{"Service": "cloudwatch.amazonaws.com"}]


def test_failures_dead_letters_and_throttles_raise_alarms(template: Template) -> None:
    names = {alarm["AlarmName"] for alarm in template.of_type("AWS::CloudWatch::Alarm").values()}
    prefix = template.environment.prefix
    wanted = {"run-failed", "run-timed-out", "run-not-completed", "dead-letters-1", "dead-letters-2", "api-faults"}
    for function in template.of_type(LAMBDA).values():
        wanted.add(f"{function['FunctionName'].removeprefix(f'{prefix}-')}-throttles")
    assert {f"{prefix}-{name}" for name in wanted} <= names
    assert len(template.of_type("AWS::CloudWatch::Dashboard")) == 1


def test_an_error_that_is_retried_raises_no_alarm(template: Template) -> None:
    alarms = template.of_type("AWS::CloudWatch::Alarm").values()
    metrics = [
        each["MetricStat"]["Metric"] for alarm in alarms for each in alarm.get("Metrics", ()) if "MetricStat" in each
    ]
    watched = {(each["Namespace"], each["MetricName"]) for each in [*alarms, *metrics] if "MetricName" in each}
    assert ("AWS/Lambda", "Throttles") in watched
    assert ("AWS/Lambda", "Errors") not in watched


def test_a_private_environment_reaches_aws_through_endpoints_that_admit_its_functions_alone(assembly: Assembly) -> None:
    template = assembly.templates["private"]
    endpoints = template.of_type("AWS::EC2::VPCEndpoint").values()
    reached = {template.flat(each["ServiceName"]).rpartition(".")[2]: each for each in endpoints}
    assert set(reached) == {"s3", "secretsmanager", "sqs"}
    assert reached["s3"]["RouteTableIds"] == template.environment.networks["default"].route_table_ids
    groups = template.of_type("AWS::EC2::SecurityGroup")
    functions = {
        json.dumps(each["VpcConfig"]["SecurityGroupIds"])
        for each in template.of_type(LAMBDA).values()
        if "VpcConfig" in each
    }
    for service in ("secretsmanager", "sqs"):
        assert reached[service]["PrivateDnsEnabled"] is True
        (group,) = reached[service]["SecurityGroupIds"]
        ingress = groups[group["Fn::GetAtt"][0]]["SecurityGroupIngress"]
        assert {json.dumps([rule["SourceSecurityGroupId"]]) for rule in ingress} == functions
    outside = {each["FunctionName"] for each in template.of_type(LAMBDA).values() if "VpcConfig" not in each}
    assert outside == {"tribal-private-finisher", "tribal-private-mcp"}


def test_what_no_one_would_hear_of_is_not_deployed(assembly: Assembly) -> None:
    assert "prod" in assembly.templates
    context = json.dumps({"environment": "prod", "deploying": "yes", "packages": "nowhere"})
    ran = subprocess.run(
        [sys.executable, "-m", "infra.app"],
        env={**os.environ, "CDK_CONTEXT_JSON": context},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1
    nobody, placeholder = ran.stderr.splitlines()[-2:]
    assert nobody.startswith("prod: its alarms have no receiver: set alarms.email")
    assert placeholder.startswith("prod: knowledge: https://git.example.com/acme/decisions.git is a placeholder")


def test_schedules_keep_to_the_time_zone_and_lose_nothing(template: Template) -> None:
    schedules = template.of_type("AWS::Scheduler::Schedule").values()
    assert len(schedules) == 2 + bool(template.environment.knowledge) + 2 * bool(template.environment.contribution)
    for each in schedules:
        assert each["ScheduleExpressionTimezone"] == template.environment.time_zone
        assert each["Target"]["DeadLetterConfig"]["Arn"]["Fn::GetAtt"][0].startswith("IndexingUndelivered")


def test_the_outputs_that_the_command_line_reads_are_there(template: Template) -> None:
    outputs = json.loads(template.path.read_text(encoding="utf-8"))["Outputs"]
    told = {name: template.flat(output["Value"]) for name, output in outputs.items() if name in READ_OUTPUTS}
    assert set(told) == set(READ_OUTPUTS)
    assert told["Store"].startswith("s3://<StorageStore")
    assert told["StateMachine"].startswith("<PipelineRun")
    assert told["ApiAddress"].startswith("https://<ApiRest")
    assert told["ApiAuth"] == template.environment.api.auth.mode
