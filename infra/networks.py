"""Networks of an environment, in which its functions and its search domain are."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from infra.model import Part

Arn = Annotated[str, Field(pattern=r"^arn:[a-z-]+:[^\s*]+$")]
SecretPattern = Annotated[str, Field(pattern=r"^[A-Za-z0-9/_+=.@!*-]+$")]
GroupName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,30}$")]
"""The same pattern as `network` of an entry in `databases.yaml`."""


class Network(Part):
    """A group of databases that share a network; without a VPC, its functions run outside of one."""

    vpc_id: Annotated[str, Field(pattern=r"^vpc-[0-9a-f]+$")] | None = None
    subnet_ids: list[Annotated[str, Field(pattern=r"^subnet-[0-9a-f]+$")]] = Field(default_factory=list)
    security_group_ids: list[Annotated[str, Field(pattern=r"^sg-[0-9a-f]+$")]] = Field(default_factory=list)
    """If empty, the stack creates a group that allows all outbound and no inbound traffic."""
    route_table_ids: list[Annotated[str, Field(pattern=r"^rtb-[0-9a-f]+$")]] = Field(default_factory=list)
    """Route tables of the subnets, for the endpoint of S3."""
    endpoints: list[Literal["s3", "secretsmanager", "sqs", "states", "sts", "bedrock-mantle", "bedrock-runtime"]] = (
        Field(default_factory=list)
    )
    """Services for which the stack creates an endpoint in the VPC; of the groups of a VPC, one may name a service."""
    role_arn: Arn | None = None
    """A role that the group's functions assume to reach the databases, such as one of another account."""
    secrets: list[SecretPattern] = Field(default_factory=list)
    """Names of the secrets that the entries of its databases refer to; `*` matches any characters."""
    secret_keys: list[Arn] = Field(default_factory=list)
    """KMS keys of those secrets, if they have their own."""
    rds_users: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9*-]+/[A-Za-z0-9_*.-]+$")]] = Field(default_factory=list)
    """`resource id/user` of databases with IAM login, such as `db-ABCDEFGHIJKL/tribal`."""

    @model_validator(mode="after")
    def _a_vpc_has_subnets(self) -> Self:
        if (self.vpc_id is None) != (not self.subnet_ids):
            raise ValueError("vpc_id and subnet_ids belong together")
        if self.vpc_id is None and self.security_group_ids:
            raise ValueError("security_group_ids need a vpc_id")
        if self.vpc_id is None and self.endpoints:
            raise ValueError("endpoints need a vpc_id")
        if ("s3" in self.endpoints) != bool(self.route_table_ids):
            raise ValueError("route_table_ids and the endpoint s3 belong together")
        return self


class OpenSearchSize(Part):
    """A managed OpenSearch domain."""

    instance_type: str = Field(pattern=r"^[a-z0-9]+\.[a-z0-9]+\.search$")
    nodes: int = Field(ge=1, le=80)
    zones: Literal[1, 2, 3] = 1
    volume_gb: int = Field(ge=10, le=3072)
    dedicated_masters: Literal[0, 3] = 0
    master_instance_type: str | None = Field(default=None, pattern=r"^[a-z0-9]+\.[a-z0-9]+\.search$")
    network: GroupName | None = None
    """The network group in whose VPC the domain is; without one, it has a public endpoint for signed requests only."""

    @model_validator(mode="after")
    def _nodes_fill_the_zones(self) -> Self:
        if self.nodes % self.zones:
            raise ValueError(f"{self.nodes} nodes cannot be spread evenly over {self.zones} zones")
        if (self.dedicated_masters == 0) != (self.master_instance_type is None):
            raise ValueError("dedicated_masters and master_instance_type belong together")
        return self
