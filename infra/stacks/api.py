"""The tools over HTTPS and MCP: a regional REST API that requires authentication."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.api_settings import IamAuth, JwtAuth
from infra.environment import Environment
from infra.stacks.functions import Function, Layers, NetworkPlace
from infra.stacks.logging import log_group
from infra.stacks.permissions import allow
from infra.stacks.state_machines import state_machine_arn
from infra.stacks.tool_rights import model_variables, rights_of, searches, tools_of

RETRIEVER = "retriever"
_REFUSED = "tribal_refused"
"""Key in the authorizer's context with the reason for refusing a token."""
_REMEMBERED_SECONDS = 300
_METADATA = "oauth-protected-resource"
"""Path of the metadata about the token issuer, below `.well-known` (RFC 9728)."""
_ACCESS_LOG = json.dumps(
    {
        "requestId": "$context.requestId",
        "requestTime": "$context.requestTime",
        "caller": "$context.identity.caller",
        "user": "$context.identity.user",
        "principal": "$context.authorizer.principalId",
        "ip": "$context.identity.sourceIp",
        "method": "$context.httpMethod",
        "path": "$context.resourcePath",
        "protocol": "$context.protocol",
        "status": "$context.status",
        "responseLength": "$context.responseLength",
        "responseType": "$context.error.responseType",
        "authorizerError": "$context.authorizer.error",
        "integrationError": "$context.integration.error",
    }
)
"""One line a request. Its errors replace execution logs, which API Gateway writes to a group without retention."""


class ToolsApi(Construct):
    """`POST /v1/tools/{name}`, `GET /v1/tools`, `GET /health`, `/mcp`, the routes of functions, and metadata about the
    token issuer."""

    def __init__(
        self,
        scope: Construct,
        name: str,
        *,
        environment: Environment,
        layers: Layers,
        place: NetworkPlace | None,
        bucket_arn: str,
        variables: dict[str, str],
        queues: Mapping[str, sqs.Queue],
    ) -> None:
        """Make the functions and the API.

        Args:
            scope: the construct that it belongs to.
            name: of the construct.
            environment: which is deployed.
            layers: of the functions.
            place: where the index can be reached.
            bucket_arn: of the store.
            variables: of every function with tools.
            queues: the queues that functions send to, by the functions that take from them.
        """
        super().__init__(scope, name)
        self._environment = environment
        self._queues = queues
        answers = {"TRIBAL_ANSWER_TOKENS": str(environment.api.answer_tokens)}
        settings = variables | answers | environment.tool_variables | _iam_rights(environment)

        def with_tools(name: str) -> Function:
            machine = self._machine_of(name)
            starting = [] if machine is None else [allow("StartMachine", ["states:StartExecution"], machine)]
            started = {} if machine is None else {"TRIBAL_STATE_MACHINE": machine}
            queue = self._queue_of(name)
            starting += [] if queue is None else [allow("SendMessages", ["sqs:SendMessage"], queue.queue_arn)]
            sending = {} if queue is None else {"TRIBAL_QUEUE_URL": queue.queue_url}
            return Function(
                self,
                name.capitalize(),
                name=name,
                environment=environment,
                layers=layers,
                place=place,
                statements=[*rights_of(Stack.of(self), environment, bucket_arn, name), *starting],
                variables=settings | model_variables(environment, name) | started | sending,
            )

        self.retriever = with_tools(RETRIEVER)
        names = [name for name, spec in environment.function_specs.items() if spec.queue is None]
        self.others = {name: with_tools(name) for name in names if name != RETRIEVER}
        """The functions that answer some of the tools, or routes, by name; the retriever answers all other tools."""
        self.authorizer = self._authorizer(environment, layers)
        self.mcp = self._mcp(environment, layers)
        self.rest = self._rest_api(environment)
        self._methods(environment)
        if self.authorizer is not None:
            self._tell_who_issues_tokens(environment)

    @property
    def functions(self) -> list[Function]:
        """The functions behind the API."""
        return [self.retriever, *self.others.values(), self.mcp, *([self.authorizer] if self.authorizer else [])]

    @property
    def searching(self) -> list[Function]:
        """Those that search an index."""
        others = [function for name, function in self.others.items() if searches(self._environment, name)]
        return [self.retriever, *others]

    @property
    def with_own_tools(self) -> dict[str, Function]:
        """Those that answer tools, besides the retriever."""
        return {name: function for name, function in self.others.items() if tools_of(self._environment, name)}

    @property
    def writers_of_memories(self) -> list[Function]:
        """Those that write memories."""
        return [
            function
            for name, function in self.others.items()
            if any(use.writes_memories for use in self._environment.uses_of(name))
        ]

    def _machine_of(self, function: str) -> str | None:
        """The ARN of the state machine that a function starts."""
        machine = self._environment.machine_of(function)
        return None if machine is None else state_machine_arn(self, self._environment, machine.name)

    def _queue_of(self, function: str) -> sqs.Queue | None:
        """The queue that a function sends messages to."""
        taker = self._environment.function_specs[function].sends_to
        return None if taker is None else self._queues[taker]

    def _mcp(self, environment: Environment, layers: Layers) -> Function:
        """The MCP function, whose only right is to call the functions with the tools."""
        auth = environment.api.auth
        issuer = {"TRIBAL_TOKEN_ISSUER": auth.issuer} if isinstance(auth, JwtAuth) else {}
        shared = environment.tool_variables | _iam_rights(environment)
        others = {f"TRIBAL_{name.upper()}_FUNCTION": function.arn for name, function in self.with_own_tools.items()}
        asked = [self.retriever.arn, *(function.arn for function in self.with_own_tools.values())]
        return Function(
            self,
            "Mcp",
            name="mcp",
            environment=environment,
            layers=layers,
            statements=[allow("AskForTools", ["lambda:InvokeFunction"], *asked)],
            variables={"TRIBAL_RETRIEVER": self.retriever.arn} | issuer | others | shared,
        )

    def _authorizer(self, environment: Environment, layers: Layers) -> Function | None:
        auth = environment.api.auth
        if not isinstance(auth, JwtAuth):
            return None
        variables = {
            "TRIBAL_TOKEN_ISSUER": auth.issuer,
            "TRIBAL_TOKEN_AUDIENCE": " ".join([auth.audience] if isinstance(auth.audience, str) else auth.audience),
            "TRIBAL_TOKEN_AUDIENCE_CLAIM": auth.audience_claim,
            "TRIBAL_TOKEN_AUTHORIZED_PARTIES": " ".join(auth.authorized_parties),
            "TRIBAL_TOKEN_SCOPE_CLAIM": auth.scope_claim,
            **{
                f"TRIBAL_TOKEN_{kind}_CLAIM": claim
                for kind, claim in (
                    ("ORG", auth.org_claim),
                    ("TEAMS", auth.teams_claim),
                    ("PROJECTS", auth.projects_claim),
                )
                if claim is not None
            },
            "TRIBAL_TOKEN_RIGHTS": json.dumps(auth.rights),
            "TRIBAL_TOKEN_CLOCK_SKEW_SECONDS": f"{auth.clock_skew_seconds:g}",
        }
        return Function(
            self,
            "Authorizer",
            name="authorizer",
            environment=environment,
            layers=layers,
            statements=[],
            variables=variables,
        )

    def _rest_api(self, environment: Environment) -> apigateway.RestApi:
        group = log_group(self, "AccessLog", f"/aws/apigateway/{environment.prefix}", environment)
        # The ARN of a created group ends in `:*` already, which an import by ARN would add once more.
        imported = logs.LogGroup.from_log_group_name(self, "AccessLogGroup", group.ref)
        return apigateway.RestApi(
            self,
            "Rest",
            rest_api_name=environment.prefix,
            binary_media_types=[each for spec in environment.function_specs.values() for each in spec.takes] or None,
            description="The tools of Tribal Knowledge",
            endpoint_types=[apigateway.EndpointType.REGIONAL],
            cloud_watch_role=environment.api.account_log_role,
            cloud_watch_role_removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
            if environment.api.account_log_role
            else None,
            deploy_options=apigateway.StageOptions(
                stage_name=environment.name,
                throttling_rate_limit=environment.api.rate_per_second,
                throttling_burst_limit=environment.api.burst,
                logging_level=apigateway.MethodLoggingLevel.OFF,
                data_trace_enabled=False,
                metrics_enabled=True,
                tracing_enabled=True,
                access_log_destination=apigateway.LogGroupLogDestination(imported),
                access_log_format=apigateway.AccessLogFormat.custom(_ACCESS_LOG),
            ),
        )

    def _methods(self, environment: Environment) -> None:
        integration = self._integration("RetrieverOfApi", self.retriever)
        options = self._who_may()
        self.rest.root.add_resource("health").add_method("GET", integration, **options)
        tools = self.rest.root.add_resource("v1").add_resource("tools")
        tools.add_method("GET", integration, **options)
        tools.add_resource("{name}").add_method("POST", integration, **options)
        for name, function in self.with_own_tools.items():
            answers = self._integration(f"{name.capitalize()}OfApi", function)
            for tool in tools_of(environment, name):
                tools.add_resource(tool).add_method("POST", answers, **options)
        self._routes(options)
        self._asks_mcp = self._integration("McpOfApi", self.mcp)
        mcp = self.rest.root.add_resource("mcp")
        for method in ("POST", "GET", "DELETE"):
            mcp.add_method(method, self._asks_mcp, **options)

    def _routes(self, options: dict[str, Any]) -> None:
        """What functions answer besides tools."""
        for name, function in self.others.items():
            routes = self._environment.function_specs[name].routes
            integration = self._route_integration(name, function) if routes else None
            for method, _, path in (route.partition(" ") for route in routes):
                self.rest.root.resource_for_path(path).add_method(method, integration, **options)

    def _route_integration(self, name: str, function: Function) -> apigateway.LambdaIntegration:
        if not self._environment.streams(name):
            return self._integration(f"{name.capitalize()}Routes", function)
        return self._integration(
            f"{name.capitalize()}Stream",
            function,
            response_transfer_mode=apigateway.ResponseTransferMode.STREAM,
            timeout=Duration.seconds(function.timeout_seconds),
        )

    def _tell_who_issues_tokens(self, environment: Environment) -> None:
        """Tell callers without a valid token where to get one."""
        known = self.rest.root.add_resource(".well-known").add_resource(_METADATA)
        known.add_method("GET", self._asks_mcp, authorization_type=apigateway.AuthorizationType.NONE)
        stack = Stack.of(self)
        # The address of the stage, which is made after the responses.
        host = f"{self.rest.rest_api_id}.execute-api.{stack.region}.{stack.url_suffix}"
        where = f'resource_metadata="https://{host}/{environment.name}/.well-known/{_METADATA}"'
        # Headers are the same for every token; the body has what the authorizer says of this one.
        refused = f'error="invalid_token", error_description="the token has expired or is not accepted", {where}'
        why = {"application/json": json.dumps({"message": f"$context.authorizer.{_REFUSED}"})}
        for name, kind, challenge, templates in (
            ("Unauthorized", apigateway.ResponseType.UNAUTHORIZED, where, None),
            # The authorizer denies only requests with a bad token.
            ("Refused", apigateway.ResponseType.ACCESS_DENIED, refused, why),
        ):
            self.rest.add_gateway_response(
                name,
                type=kind,
                status_code="401",
                response_headers={"WWW-Authenticate": f"'Bearer {challenge}'"},
                templates=templates,
            )

    def _integration(self, name: str, function: Function, **options: Any) -> apigateway.LambdaIntegration:
        handle = self._handle(name, function)
        return apigateway.LambdaIntegration(handle, proxy=True, allow_test_invoke=False, **options)

    def _who_may(self) -> dict[str, Any]:
        if self.authorizer is None:
            return {"authorization_type": apigateway.AuthorizationType.IAM}
        authorizer = apigateway.TokenAuthorizer(
            self,
            "Tokens",
            handler=self._handle("AuthorizerOfApi", self.authorizer),
            identity_source=apigateway.IdentitySource.header("Authorization"),
            validation_regex=r"^Bearer [-0-9a-zA-Z._~+/]+=*$",
            results_cache_ttl=Duration.seconds(_REMEMBERED_SECONDS),
        )
        return {"authorization_type": apigateway.AuthorizationType.CUSTOM, "authorizer": authorizer}

    def _handle(self, name: str, function: Function) -> lambda_.IFunction:
        return lambda_.Function.from_function_attributes(
            self, name, function_arn=function.arn, same_environment=True, skip_permissions=False
        )


def _iam_rights(environment: Environment) -> dict[str, str]:
    """The rights of callers who sign with IAM, besides those that they always have."""
    auth = environment.api.auth
    return {"TRIBAL_IAM_RIGHTS": " ".join(auth.rights)} if isinstance(auth, IamAuth) and auth.rights else {}
