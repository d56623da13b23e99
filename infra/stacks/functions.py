"""Lambda functions, each with its own role, its own log group and only the layers that it needs."""

from __future__ import annotations

from aws_cdk import Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from infra.environment import Environment
from infra.function_packages import FUNCTIONS, LAYERS, Packages, handler_of, layers_of, model_layer, package_of
from infra.function_sizes import FUNCTION_SPECS, FunctionSize
from infra.networks import Network
from infra.stacks.logging import log_group, log_group_arn
from infra.stacks.permissions import run_in_lambda, trusting

_STORAGE_MB = 512
"""The temporary folder that every function has."""


class Layers(Construct):
    """The layers, each deployed once."""

    def __init__(self, scope: Construct, name: str, environment: Environment, packages: Packages) -> None:
        super().__init__(scope, name)
        self.packages = packages
        self._environment = environment
        self._model = model_layer(environment.active_model)
        self._versions: dict[str, lambda_.CfnLayerVersion] = {}
        absent = {spec.name for spec in FUNCTION_SPECS if spec.name not in environment.function_specs}
        needed = {layer for function in FUNCTIONS if function not in absent for layer in self._names(function)}
        for layer in LAYERS:
            if layer not in needed:
                continue
            asset = assets.Asset(self, f"{layer}-files", path=str(packages.layer(layer)))
            self._versions[layer] = lambda_.CfnLayerVersion(
                self,
                layer,
                layer_name=f"{environment.prefix}-{layer}",
                compatible_runtimes=[packages.runtime],
                compatible_architectures=["x86_64"],
                content=lambda_.CfnLayerVersion.ContentProperty(
                    s3_bucket=asset.s3_bucket_name, s3_key=asset.s3_object_key
                ),
            )

    def of(self, function: str) -> list[str]:
        """The layers of a function."""
        return [self._versions[layer].ref for layer in self._names(function)]

    def _names(self, function: str) -> tuple[str, ...]:
        return layers_of(function, self._model, shared=self._environment.asks_models(function))


class NetworkPlace(Construct):
    """The subnets and security groups in which the functions of a network group run."""

    def __init__(self, scope: Construct, name: str, network: Network) -> None:
        super().__init__(scope, name)
        self.network = network
        self.security_group_ids = list(network.security_group_ids)
        if network.vpc_id is not None and not self.security_group_ids:
            group = ec2.CfnSecurityGroup(
                self,
                "SecurityGroup",
                vpc_id=network.vpc_id,
                group_description="Functions of Tribal Knowledge: nothing comes in",
            )
            self.security_group_ids = [group.attr_group_id]
        self._make_endpoints()

    def _make_endpoints(self) -> None:
        """Endpoints that let the functions reach AWS services from subnets without a way to the internet."""
        interfaces = [service for service in self.network.endpoints if service != "s3"]
        region, vpc_id = Stack.of(self).region, self.network.vpc_id or ""
        if "s3" in self.network.endpoints:
            ec2.CfnVPCEndpoint(
                self,
                "Endpoint-s3",
                vpc_id=vpc_id,
                service_name=f"com.amazonaws.{region}.s3",
                vpc_endpoint_type="Gateway",
                route_table_ids=self.network.route_table_ids,
            )
        if not interfaces:
            return
        admitted = ec2.CfnSecurityGroup(
            self,
            "EndpointSecurityGroup",
            vpc_id=vpc_id,
            group_description="Endpoints of AWS services: HTTPS from the functions of Tribal Knowledge alone",
            security_group_ingress=https_from(self.security_group_ids, "functions"),
        )
        for service in interfaces:
            ec2.CfnVPCEndpoint(
                self,
                f"Endpoint-{service}",
                vpc_id=vpc_id,
                service_name=f"com.amazonaws.{region}.{service}",
                vpc_endpoint_type="Interface",
                private_dns_enabled=True,
                subnet_ids=self.network.subnet_ids,
                security_group_ids=[admitted.attr_group_id],
            )

    @property
    def vpc_config(self) -> lambda_.CfnFunction.VpcConfigProperty | None:
        """The property in Lambda's format; `None` outside a VPC."""
        if self.network.vpc_id is None:
            return None
        return lambda_.CfnFunction.VpcConfigProperty(
            security_group_ids=self.security_group_ids, subnet_ids=self.network.subnet_ids
        )


def https_from(security_group_ids: list[str], description: str) -> list[ec2.CfnSecurityGroup.IngressProperty]:
    """Ingress rules that admit HTTPS from security groups."""
    return [
        ec2.CfnSecurityGroup.IngressProperty(
            ip_protocol="tcp", from_port=443, to_port=443, source_security_group_id=source, description=description
        )
        for source in security_group_ids
    ]


class Function(Construct):
    """One deployed function."""

    def __init__(
        self,
        scope: Construct,
        construct: str,
        *,
        name: str,
        environment: Environment,
        layers: Layers,
        statements: list[iam.PolicyStatement],
        variables: dict[str, str],
        suffix: str = "",
        place: NetworkPlace | None = None,
        reserved: int | None = None,
    ) -> None:
        super().__init__(scope, construct)
        self.package = name
        self.name = "-".join(filter(None, (environment.prefix, name, suffix)))
        vpc_config = place.vpc_config if place else None
        self.role = self._role(environment, statements, in_vpc=vpc_config is not None)
        asset = assets.Asset(self, "Code", path=str(layers.packages.function(name)))
        size: FunctionSize = getattr(environment.functions, name)
        streams = environment.streams(name)
        starting = {"AWS_LAMBDA_EXEC_WRAPPER": f"/var/task/functions/{package_of(name)}/start"} if streams else {}
        self.timeout_seconds = environment.timeout_of(name)
        self.resource = lambda_.CfnFunction(
            self,
            "Function",
            function_name=self.name,
            code=lambda_.CfnFunction.CodeProperty(s3_bucket=asset.s3_bucket_name, s3_key=asset.s3_object_key),
            handler=handler_of(name),
            runtime=layers.packages.runtime,
            architectures=["x86_64"],
            layers=layers.of(name),
            role=self.role.role_arn,
            memory_size=size.memory_mb,
            timeout=self.timeout_seconds,
            ephemeral_storage=lambda_.CfnFunction.EphemeralStorageProperty(size=size.storage_mb)
            if size.storage_mb != _STORAGE_MB
            else None,
            environment=lambda_.CfnFunction.EnvironmentProperty(
                variables=variables | starting | _powertools(environment, name)
            ),
            tracing_config=lambda_.CfnFunction.TracingConfigProperty(mode="Active"),
            logging_config=lambda_.CfnFunction.LoggingConfigProperty(log_group=self.log_group.ref),
            vpc_config=vpc_config,
            reserved_concurrent_executions=reserved,
        )

    @property
    def arn(self) -> str:
        """ARN of the function."""
        return self.resource.attr_arn

    def set_variable(self, variable: str, value: str) -> None:
        """Add an environment variable whose value is known only after the role exists."""
        self.resource.add_property_override(f"Environment.Variables.{variable}", value)

    def _role(self, environment: Environment, statements: list[iam.PolicyStatement], *, in_vpc: bool) -> iam.Role:
        self.log_group = log_group(self, "Logs", f"/aws/lambda/{self.name}", environment)
        own = run_in_lambda(log_group_arn(self, f"/aws/lambda/{self.name}"), in_vpc=in_vpc)
        return iam.Role(
            self,
            "Role",
            assumed_by=trusting("lambda"),
            inline_policies={"does": iam.PolicyDocument(statements=[*own, *statements])},
        )


def _powertools(environment: Environment, package: str) -> dict[str, str]:
    return {
        "POWERTOOLS_SERVICE_NAME": package,
        "POWERTOOLS_METRICS_NAMESPACE": metrics_namespace(environment),
        "POWERTOOLS_LOG_LEVEL": environment.log_level,
    }


def metrics_namespace(environment: Environment) -> str:
    """The CloudWatch namespace of an environment's metrics."""
    return f"TribalKnowledge/{environment.name}"
