"""The CDK app: `cdk -c environment=dev synth`, or without an environment for all of them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aws_cdk import App, Validations
from aws_cdk import Environment as Account
from cdk_nag import AwsSolutionsChecks

from infra.environment import Environment, environment_names, load_environment
from infra.function_packages import DEFAULT_PYTHON, Packages
from infra.stacks.acknowledgements import acknowledge
from infra.stacks.environment_stack import EnvironmentStack

ROOT = Path(__file__).parent.parent
FLAGS = {
    "@aws-cdk/aws-apigateway:disableCloudWatchRole": True,
    "@aws-cdk/aws-iam:minimizePolicies": False,
    "@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy": True,
    "@aws-cdk/core:checkSecretUsage": True,
    "@aws-cdk/core:target-partitions": ["aws", "aws-cn", "aws-us-gov"],
}
"""CDK feature flags that new projects get by default and that this one relies on."""


def stack_name(environment: Environment) -> str:
    """The name of an environment's stack."""
    return f"tribal-knowledge-{environment.name}"


def build_app(
    environments: list[Environment],
    packages: Packages,
    *,
    context: Mapping[str, Any] | None = None,
    output: Path | None = None,
) -> App:
    """The app with a stack for each environment, and the checks that run on every synth.

    Raises:
        FileNotFoundError: when a package has not been built.
    """
    missing = packages.missing()
    if missing:
        raise FileNotFoundError(f"{missing[0]} is missing: build the packages first with `make packages`")
    app = App(context={**FLAGS, **(context or {})}, outdir=str(output) if output else None)
    for environment in environments:
        stack = EnvironmentStack(
            app,
            stack_name(environment),
            environment=environment,
            packages=packages,
            description=f"Tribal Knowledge, environment {environment.name}",
            env=Account(account=environment.account, region=environment.region),
            termination_protection=environment.removal == "retain",
        )
        acknowledge(stack)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    return app


def main() -> None:
    """Synthesise the environments selected on the CDK's command line."""
    probe = App()
    name = probe.node.try_get_context("environment")
    python = probe.node.try_get_context("python") or DEFAULT_PYTHON
    folder = probe.node.try_get_context("packages") or ROOT / "build" / "packages" / python
    environments = [load_environment(each) for each in ([name] if name else environment_names())]
    obstacles = [f"{each.name}: {obstacle}" for each in environments for obstacle in each.obstacles]
    if obstacles and probe.node.try_get_context("deploying"):
        sys.exit("\n".join(["Not ready to deploy (infra/environments):", *obstacles]))
    for obstacle in obstacles:
        print(f"To do before deployment: {obstacle}", file=sys.stderr)
    build_app(environments, Packages(Path(folder), python)).synth()


if __name__ == "__main__":
    main()
