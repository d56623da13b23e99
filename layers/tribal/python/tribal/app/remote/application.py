"""The application of a command with `--profile`, for a deployed environment."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar
from urllib.parse import urlsplit

from tribal.app.interrogation import visible_gaps
from tribal.app.parts import aws_missing, spending, store_in_bucket, system_clock
from tribal.errors import ConfigurationError
from tribal.ports import Application, ObjectStore, Provider
from tribal.ports.application import RunParts
from tribal.settings import BucketPlace
from tribal.settings.profiles import TOKEN_VARIABLE, checked_address

if TYPE_CHECKING:
    from tribal.adapters.aws.environment_api import EnvironmentApi
    from tribal.adapters.aws.request_signing import Sign
    from tribal.adapters.aws.s3 import S3ObjectStore
    from tribal.adapters.aws.state_machine import StateMachine
    from tribal.settings.profiles import Profile

Built = TypeVar("Built")
_REGION = re.compile(r"\.execute-api\.(?P<region>[a-z]{2}(?:-[a-z]+)+-\d)\.")


def remote_application(profile: Profile) -> Application:
    """Build the application of a command with `--profile`: the environment's store, runs and API."""
    environment = RemoteEnvironment(profile)

    def elsewhere(*_: object, **__: object) -> NoReturn:
        raise ConfigurationError(
            f"this works only on the machine with the databases and the index, not with the profile {profile.name!r}"
        )

    clock, store = system_clock(), Provider[ObjectStore](environment.store)
    return Application(
        clock=clock,
        options=Provider(elsewhere),
        store=store,
        secrets=Provider(elsewhere),
        embedder=Provider(elsewhere),
        index=Provider(elsewhere),
        locks=lambda _: None,
        run=RunParts(
            open_reader=elsewhere,
            describers=elsewhere,
            spending=partial(spending, store, clock),
            index_writer=elsewhere,
            queue=Provider(elsewhere),
        ),
        gaps=visible_gaps,
        environment=environment,
    )


class RemoteEnvironment:
    """One deployed environment. Values missing in the profile are read once from the stack's outputs."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    @cached_property
    def store_place(self) -> BucketPlace:
        """The bucket that holds the documents.

        Raises:
            ConfigurationError: when neither profile nor stack names it, or the AWS packages are missing.
            DeploymentError: when the stack's outputs cannot be read.
        """
        return self._profile.store or BucketPlace.parse(self._output("Store"))

    def store(self) -> S3ObjectStore:
        """The store, read with the profile's AWS identity."""
        profile, place = self._profile, self.store_place
        return _with_aws(lambda: store_in_bucket(place, profile.region, profile=profile.aws_profile))

    def runs(self) -> StateMachine:
        """The state machine that performs runs."""
        arn = self._profile.state_machine or self._output("StateMachine")

        def build() -> StateMachine:
            from tribal.adapters.aws.state_machine import StateMachine

            return StateMachine(self._client("stepfunctions"), arn)

        return _with_aws(build)

    def api(self) -> EnvironmentApi:
        """The API, called with a token if there is one, else with signed requests."""
        from tribal.adapters.aws.environment_api import EnvironmentApi

        address = self._profile.api or checked_address(self._output("ApiAddress"))
        return EnvironmentApi(address, self._sign(address))

    def _sign(self, address: str) -> Sign:
        from tribal.adapters.aws.environment_api import token_bearer

        profile = self._profile
        # A profile with an explicit address must work without an AWS account.
        takes_tokens = bool(profile.token) if profile.api else self._outputs.get("ApiAuth", "iam") == "jwt"
        if not takes_tokens:
            return _with_aws(lambda: self._signer(address))
        if profile.token is None:
            raise ConfigurationError(
                f"the environment of profile {profile.name!r} requires a token of its issuer; set {TOKEN_VARIABLE}, or "
                "write `token: ${VARIABLE}` into the profile"
            )
        return token_bearer(profile.token.get_secret_value())

    def _signer(self, address: str) -> Sign:
        from tribal.adapters.aws.request_signing import request_signer

        named = _REGION.search(urlsplit(address).netloc)
        region = named["region"] if named else self._profile.region or self._client("cloudformation").meta.region_name
        return request_signer(region, self._profile.aws_profile)

    def _output(self, name: str) -> str:
        value = self._outputs.get(name)
        if value is None:
            raise ConfigurationError(
                f"the stack {self._profile.stack!r} has no output {name}; is it a Tribal Knowledge stack? Deploy again"
            )
        return value

    @cached_property
    def _outputs(self) -> dict[str, str]:
        profile = self._profile
        hint = (
            f"deploy it, or set stack and region of the profile {profile.name!r} in {profile.file} "
            "(AWS_PROFILE and AWS_REGION also select account and region)"
        )

        def look() -> dict[str, str]:
            from tribal.adapters.aws.clients import stack_outputs

            return stack_outputs(self._client("cloudformation"), profile.stack, hint)

        return _with_aws(look)

    def _client(self, service: str) -> Any:
        from tribal.adapters.aws.clients import aws_client

        return aws_client(service, region=self._profile.region, profile=self._profile.aws_profile)


def _with_aws(build: Callable[[], Built]) -> Built:
    """Build something that needs the AWS packages.

    Raises:
        ConfigurationError: when they are not installed.
    """
    try:
        return build()
    except ModuleNotFoundError as error:
        raise aws_missing(error, "access to a deployed environment") from error
