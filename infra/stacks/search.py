"""The OpenSearch domain: IAM authorises each request before it reaches the domain."""

from __future__ import annotations

from collections.abc import Sequence

from aws_cdk import CfnTag, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_opensearchservice as opensearch
from constructs import Construct

from infra.environment import Environment
from infra.networks import OpenSearchSize
from infra.stacks.functions import NetworkPlace, https_from
from infra.stacks.logging import log_group, log_group_arn
from infra.stacks.permissions import allow, trusting
from infra.stacks.storage import removal_of

ENGINE = "OpenSearch_2.19"
MEMORIES = "tribal-memories"
"""The alias of the index of memories, as the package names it; a test compares the two."""
_ASKING = ["es:ESHttpPost"]
_KEEPING = ["es:ESHttpDelete", "es:ESHttpGet", "es:ESHttpPost", "es:ESHttpPut"]
_MAKING = ["es:ESHttpPut"]
_LOGS = ("SEARCH_SLOW_LOGS", "INDEX_SLOW_LOGS", "ES_APPLICATION_LOGS")


def read_statements(domain_arn: str) -> list[iam.PolicyStatement]:
    """Permissions of readers, which send each question as one `_msearch`."""
    return [allow("AskTheIndex", _ASKING, f"{domain_arn}/_msearch")]


def write_statements(domain_arn: str) -> list[iam.PolicyStatement]:
    """Permissions for the indexer, which reads, creates, fills, switches and removes generations of the index."""
    return [allow("KeepTheIndex", _KEEPING, f"{domain_arn}/*")]


def memory_statements(domain_arn: str) -> list[iam.PolicyStatement]:
    """Permissions for memory and syncer, which fill and ask the one index of memories, and make it."""
    return [
        allow("KeepTheMemories", _ASKING, f"{domain_arn}/{MEMORIES}/*"),
        allow("MakeTheIndex", _MAKING, f"{domain_arn}/{MEMORIES}-*"),
    ]


def domain_arn(scope: Construct, environment: Environment) -> str:
    """The ARN of the domain, built from its name, since role and domain refer to each other."""
    return Stack.of(scope).format_arn(service="es", resource="domain", resource_name=environment.prefix)


class Search(Construct):
    """A managed domain: encrypted at rest and between nodes, TLS only, slow queries logged."""

    def __init__(
        self,
        scope: Construct,
        name: str,
        *,
        environment: Environment,
        size: OpenSearchSize,
        place: NetworkPlace | None,
        writer: iam.Role,
        readers: Sequence[iam.Role],
        keepers: Sequence[iam.Role],
    ) -> None:
        super().__init__(scope, name)
        arn = domain_arn(self, environment)
        access = iam.PolicyDocument(
            statements=[
                _for_role(readers[0], _ASKING, f"{arn}/_msearch"),
                _for_role(writer, _KEEPING, f"{arn}/*"),
                *(_for_role(role, _ASKING, f"{arn}/_msearch") for role in readers[1:]),
                *(statement for role in keepers for statement in _keeping_memories(role, arn)),
            ]
        )
        domain = opensearch.CfnDomain(
            self,
            "Domain",
            domain_name=environment.prefix,
            engine_version=ENGINE,
            cluster_config=_cluster(size),
            ebs_options=opensearch.CfnDomain.EBSOptionsProperty(
                ebs_enabled=True, volume_type="gp3", volume_size=size.volume_gb
            ),
            encryption_at_rest_options=opensearch.CfnDomain.EncryptionAtRestOptionsProperty(enabled=True),
            node_to_node_encryption_options=opensearch.CfnDomain.NodeToNodeEncryptionOptionsProperty(enabled=True),
            domain_endpoint_options=opensearch.CfnDomain.DomainEndpointOptionsProperty(
                enforce_https=True, tls_security_policy="Policy-Min-TLS-1-2-PFS-2023-10"
            ),
            software_update_options=opensearch.CfnDomain.SoftwareUpdateOptionsProperty(
                auto_software_update_enabled=True
            ),
            access_policies=access,
            log_publishing_options=self._log_options(environment),
            vpc_options=self._vpc_options(size, place),
            tags=[CfnTag(key="environment", value=environment.name)],
        )
        domain.apply_removal_policy(removal_of(environment))
        domain.node.add_dependency(self.log_access)
        self.domain = domain

    @property
    def address(self) -> str:
        """The endpoint of the domain."""
        return f"https://{self.domain.attr_domain_endpoint}"

    def _log_options(self, environment: Environment) -> dict[str, opensearch.CfnDomain.LogPublishingOptionProperty]:
        name = f"/aws/opensearch/{environment.prefix}"
        group = log_group(self, "Logs", name, environment)
        arn = log_group_arn(self, name)
        document = iam.PolicyDocument(
            statements=[
                iam.PolicyStatement(
                    principals=[trusting("es")],
                    actions=["logs:CreateLogStream", "logs:PutLogEvents"],
                    resources=[f"{arn}:*"],
                    conditions={"StringEquals": {"aws:SourceAccount": Stack.of(self).account}},
                )
            ]
        )
        self.log_access = logs.CfnResourcePolicy(
            self,
            "LogAccess",
            policy_name=f"{environment.prefix}-opensearch",
            policy_document=Stack.of(self).to_json_string(document.to_json()),
        )
        self.log_access.node.add_dependency(group)
        option = opensearch.CfnDomain.LogPublishingOptionProperty(
            cloud_watch_logs_log_group_arn=group.attr_arn, enabled=True
        )
        return dict.fromkeys(_LOGS, option)

    def _vpc_options(
        self, size: OpenSearchSize, place: NetworkPlace | None
    ) -> opensearch.CfnDomain.VPCOptionsProperty | None:
        if place is None:
            return None
        group = ec2.CfnSecurityGroup(
            self,
            "SecurityGroup",
            vpc_id=place.network.vpc_id or "",
            group_description="The search index of Tribal Knowledge: HTTPS from its functions alone",
            security_group_ingress=https_from(place.security_group_ids, "indexer, retriever and memory"),
        )
        return opensearch.CfnDomain.VPCOptionsProperty(
            subnet_ids=place.network.subnet_ids[: size.zones], security_group_ids=[group.attr_group_id]
        )


def _cluster(size: OpenSearchSize) -> opensearch.CfnDomain.ClusterConfigProperty:
    zones = opensearch.CfnDomain.ZoneAwarenessConfigProperty(availability_zone_count=size.zones)
    return opensearch.CfnDomain.ClusterConfigProperty(
        instance_type=size.instance_type,
        instance_count=size.nodes,
        zone_awareness_enabled=size.zones > 1,
        zone_awareness_config=zones if size.zones > 1 else None,
        dedicated_master_enabled=size.dedicated_masters > 0,
        dedicated_master_count=size.dedicated_masters or None,
        dedicated_master_type=size.master_instance_type,
        multi_az_with_standby_enabled=False,
    )


def _keeping_memories(role: iam.Role, arn: str) -> list[iam.PolicyStatement]:
    return [
        _for_role(role, _ASKING, f"{arn}/_msearch"),
        _for_role(role, _ASKING, f"{arn}/{MEMORIES}/*"),
        _for_role(role, _MAKING, f"{arn}/{MEMORIES}-*"),
    ]


def _for_role(role: iam.Role, actions: list[str], *resources: str) -> iam.PolicyStatement:
    principal = iam.ArnPrincipal(role.role_arn)
    return iam.PolicyStatement(principals=[principal], actions=actions, resources=list(resources))
