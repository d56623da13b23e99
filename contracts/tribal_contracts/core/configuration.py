"""Profiles of deployed environments. Extension contract; unknown keys are refused."""

from __future__ import annotations

from pydantic import SecretStr

from tribal_contracts.core.shape import ClosedContract, Unset, optional


class ProfileEntry(ClosedContract):
    """How the command line reaches one deployed environment; an entry of the file of profiles."""

    stack: str | Unset = optional(
        "The CloudFormation stack, whose outputs say the rest; tribal-knowledge-NAME when unset.", min_length=1
    )
    region: str | Unset = optional("Of the stack; else what the AWS configuration says.", min_length=1)
    aws_profile: str | Unset = optional("Profile of the AWS configuration to take credentials from.", min_length=1)
    api: str | Unset = optional("Address of the tools, instead of the one that the stack says.")
    store: str | Unset = optional("s3://bucket/prefix, instead of the one that the stack says.")
    state_machine: str | Unset = optional("ARN of what runs, instead of the one that the stack says.", min_length=1)
    token: SecretStr | Unset = optional(
        "Token that the tools' callers bear, where the environment asks for one; better written as ${VARIABLE}."
    )
