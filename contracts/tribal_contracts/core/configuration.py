"""Profiles of deployed environments. Extension contract; unknown keys are refused."""

from __future__ import annotations

from pydantic import SecretStr

from tribal_contracts.core.shape import ClosedContract, Text, Unset, optional


class ProfileEntry(ClosedContract):
    """How the command line reaches one deployed environment; an entry of the file of profiles."""

    stack: Text | Unset = optional(
        "The CloudFormation stack, whose outputs say the rest; tribal-knowledge-NAME when unset."
    )
    region: Text | Unset = optional("Of the stack; else what the AWS configuration says.")
    aws_profile: Text | Unset = optional("Profile of the AWS configuration to take credentials from.")
    api: str | Unset = optional("Address of the tools, instead of the one that the stack says.")
    store: str | Unset = optional("s3://bucket/prefix, instead of the one that the stack says.")
    state_machine: Text | Unset = optional("ARN of what runs, instead of the one that the stack says.")
    token: SecretStr | Unset = optional(
        "Token that the tools' callers bear, where the environment asks for one; better written as ${VARIABLE}."
    )
