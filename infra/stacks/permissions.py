"""IAM statements of all roles, written out so that no library grants anything implicitly."""

from __future__ import annotations

from collections.abc import Iterable

from aws_cdk import ArnFormat, Stack
from aws_cdk import aws_iam as iam

from infra.model import profiled_model
from infra.networks import Network
from tribal_contracts import ModelEntry

ANNOTATIONS = "annotations/*"
QUERIES = "queries/*"
CONFIGURATION = ("config/*", ANNOTATIONS)
CATALOG = "catalog/*"
PROGRESS = "progress/*"
INDEXER_PROGRESS = "progress/indexer-progress.json"
INDEXER_LEASE = "progress/leases/indexing.json"
DOCUMENTS = "docs/*"
INDEX_FILES = "data/*"
PROSE = "prose/*"

_INVOKE = ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"]
_COLON = ArnFormat.COLON_RESOURCE_NAME


def allow(sid: str, actions: list[str], *resources: str) -> iam.PolicyStatement:
    """One statement."""
    return iam.PolicyStatement(sid=sid, actions=actions, resources=list(resources))


def read_objects(bucket_arn: str, *patterns: str) -> list[iam.PolicyStatement]:
    """Read objects and learn that one is missing.

    Without `s3:ListBucket` on the whole bucket, S3 answers 403 for a missing key, even if the permission has a
    condition on the prefix, since requests for an object carry no prefix.
    """
    return [
        allow("ReadObjects", ["s3:GetObject"], *(f"{bucket_arn}/{pattern}" for pattern in patterns)),
        allow("TellAbsentFromForbidden", ["s3:ListBucket"], bucket_arn),
    ]


def write_objects(bucket_arn: str, *patterns: str) -> iam.PolicyStatement:
    """Put objects."""
    return allow("WriteObjects", ["s3:PutObject"], *(f"{bucket_arn}/{pattern}" for pattern in patterns))


def delete_objects(bucket_arn: str, *patterns: str) -> iam.PolicyStatement:
    """Delete objects; a versioned bucket keeps the old versions."""
    return allow("DeleteObjects", ["s3:DeleteObject"], *(f"{bucket_arn}/{pattern}" for pattern in patterns))


def delete_versions(bucket_arn: str, *patterns: str) -> list[iam.PolicyStatement]:
    """Delete objects with all their versions, which are found by the beginnings of their keys."""
    objects = [f"{bucket_arn}/{pattern}" for pattern in patterns]
    listing = allow("ListVersions", ["s3:ListBucketVersions"], bucket_arn)
    listing.add_conditions({"StringLike": {"s3:prefix": list(patterns)}})
    return [allow("DeleteVersions", ["s3:DeleteObjectVersion"], *objects), listing]


def run_in_lambda(log_group_arn: str, *, in_vpc: bool) -> list[iam.PolicyStatement]:
    """Permissions that every function needs: its own log group, traces, and network interfaces in a VPC."""
    statements = [
        allow("WriteLogs", ["logs:CreateLogStream", "logs:PutLogEvents"], f"{log_group_arn}:*"),
        allow("SendTraces", ["xray:PutTelemetryRecords", "xray:PutTraceSegments"], "*"),
    ]
    if in_vpc:
        actions = [
            "ec2:AssignPrivateIpAddresses",
            "ec2:CreateNetworkInterface",
            "ec2:DeleteNetworkInterface",
            "ec2:DescribeNetworkInterfaces",
            "ec2:DescribeSubnets",
            "ec2:UnassignPrivateIpAddresses",
        ]
        statements.append(allow("JoinTheVpc", actions, "*"))
    return statements


def reach_databases(stack: Stack, network: Network) -> list[iam.PolicyStatement]:
    """Read the secrets of a network's databases and log in with IAM, or assume the role that may."""
    statements = []
    if network.secrets:
        names = [_secret_arn(stack, pattern) for pattern in network.secrets]
        statements.append(allow("ReadSecrets", ["secretsmanager:GetSecretValue"], *names))
    if network.secret_keys:
        statements.append(allow("DecryptSecrets", ["kms:Decrypt"], *network.secret_keys))
    if network.rds_users:
        users = [
            stack.format_arn(service="rds-db", resource="dbuser", resource_name=user, arn_format=_COLON)
            for user in network.rds_users
        ]
        statements.append(allow("LogInWithIam", ["rds-db:connect"], *users))
    if network.role_arn:
        statements.append(allow("BecomeTheRoleOfTheNetwork", ["sts:AssumeRole"], network.role_arn))
    return statements


def read_secrets(stack: Stack, sid: str, names: Iterable[str]) -> list[iam.PolicyStatement]:
    """Read secrets of the stack's account and region, by their names, which `#` and a key of it may follow."""
    secrets = list(dict.fromkeys(name.partition("#")[0] for name in names))
    arns = [each if each.startswith("arn:") else _secret_arn(stack, each) for each in secrets]
    return [allow(sid, ["secretsmanager:GetSecretValue"], *arns)] if arns else []


def ask_model(stack: Stack, model: ModelEntry, number: str = "") -> list[iam.PolicyStatement]:
    """Ask one model alone: read the key of its provider's API, or call the model on Bedrock.

    Args:
        stack: where the account and the region are taken from.
        model: which one.
        number: of one of several models of a role, which tells its statements apart.
    """
    ask, behind_profile_sid = f"AskModel{number}", f"AskBehindProfile{number}"
    if model.provider != "bedrock":
        # A server of the company may take no key.
        return read_secrets(stack, f"ReadModelKey{number}", filter(None, [model.api_key_secret]))
    region = model.region or stack.region
    if model.endpoint == "messages":
        # Calls that name no project belong to the default one; the model is a condition.
        # Source: https://docs.aws.amazon.com/service-authorization/latest/reference/list_bedrock-mantle.html
        project = stack.format_arn(service="bedrock-mantle", region=region, resource="project", resource_name="default")
        only = {"StringEquals": {"bedrock-mantle:Model": model.name}}
        return [_when(only, allow(ask, ["bedrock-mantle:CreateInference"], project))]
    behind_profile = profiled_model(model.name)
    if behind_profile is None:
        return [allow(ask, _INVOKE, _foundation_model(stack, region, model.name))]
    # A profile leads to regions of its own choice; in each of them the model has to be allowed as well.
    # Source: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
    profile = stack.format_arn(service="bedrock", region=region, resource="inference-profile", resource_name=model.name)
    through = {"StringEquals": {"bedrock:InferenceProfileArn": profile}}
    behind = _foundation_model(stack, "*", behind_profile)
    return [
        allow(ask, _INVOKE, profile),
        _when(through, allow(behind_profile_sid, _INVOKE, behind)),
    ]


def trusting(service: str) -> iam.ServicePrincipal:
    """The principal of a service that assumes a role."""
    return iam.ServicePrincipal(f"{service}.amazonaws.com")


def _when(conditions: dict[str, dict[str, str]], statement: iam.PolicyStatement) -> iam.PolicyStatement:
    statement.add_conditions(conditions)
    return statement


def _foundation_model(stack: Stack, region: str, name: str) -> str:
    return stack.format_arn(
        service="bedrock", region=region, account="", resource="foundation-model", resource_name=name
    )


def _secret_arn(stack: Stack, pattern: str) -> str:
    # Secrets Manager appends a hyphen and six characters to the name.
    name = pattern if pattern.endswith("*") else f"{pattern}-??????"
    return stack.format_arn(service="secretsmanager", resource="secret", resource_name=name, arn_format=_COLON)
