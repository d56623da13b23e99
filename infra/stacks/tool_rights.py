"""What the functions behind the API may do, beside what every function may."""

from __future__ import annotations

from dataclasses import dataclass

from aws_cdk import Stack
from aws_cdk import aws_iam as iam

from infra.environment import Environment
from infra.stacks import permissions, search


@dataclass(frozen=True, slots=True)
class ToolRights:
    """Statements by function."""

    reading: list[iam.PolicyStatement]
    """Of the retriever, which changes nothing."""
    remembering: list[iam.PolicyStatement]
    """Of the function `memory`, which changes memories and nothing else."""
    checking: list[iam.PolicyStatement]
    """Of the checker, which changes nothing either."""
    syncing: list[iam.PolicyStatement]
    """Of the syncer: what it publishes, the memories that point there, and the token of the repository."""


def rights_of(stack: Stack, environment: Environment, bucket_arn: str) -> ToolRights:
    """What they may do in an environment with this bucket."""
    rights = _Rights(environment, bucket_arn, search.domain_arn(stack, environment))
    memory = (permissions.MEMORY,) if environment.memory else ()
    shelf = permissions.SHELF if environment.knowledge else ()
    items = (permissions.ITEMS,) if environment.knowledge else ()
    record = (permissions.SYNC_RECORD,) if environment.knowledge else ()
    # One search of the domain may ask for tables and for memories; where there is none these are files.
    in_files = memory if environment.opensearch is None else ()
    return ToolRights(
        reading=rights.asking(*in_files, *shelf),
        remembering=[*rights.asking(permissions.MEMORY, *shelf, *items, *record), *rights.keeping_memories()],
        checking=rights.asking(*shelf, *items),
        syncing=[*rights.syncing(), *_token(stack, environment)],
    )


@dataclass(frozen=True, slots=True)
class _Rights:
    environment: Environment
    bucket_arn: str
    domain_arn: str

    def asking(self, *files: str) -> list[iam.PolicyStatement]:
        """To ask the index of tables, and to read some files of the store."""
        if self.environment.opensearch is None:
            return permissions.read_objects(self.bucket_arn, permissions.INDEX_FILES, *files)
        reading = permissions.read_objects(self.bucket_arn, *files) if files else []
        return [*reading, *search.read_statements(self.domain_arn)]

    def keeping_memories(self, *written: str, removed: tuple[str, ...] = ()) -> list[iam.PolicyStatement]:
        """To write memories and their index, and to write and remove some other files."""
        own = [
            permissions.write_objects(self.bucket_arn, permissions.MEMORY, *written),
            permissions.delete_objects(self.bucket_arn, permissions.MEMORY, *removed),
        ]
        kept = search.memory_statements(self.domain_arn) if self.environment.opensearch else []
        return [*own, *kept]

    def syncing(self) -> list[iam.PolicyStatement]:
        """To publish decisions, and to have memories point to them."""
        own = (permissions.KNOWLEDGE, permissions.SYNC_RECORD, permissions.SYNC_LEASE)
        searching = search.read_statements(self.domain_arn) if self.environment.opensearch else []
        return [
            *permissions.read_objects(self.bucket_arn, permissions.MEMORY, *own),
            *searching,
            *self.keeping_memories(*own, removed=(permissions.KNOWLEDGE,)),
        ]


def _token(stack: Stack, environment: Environment) -> list[iam.PolicyStatement]:
    secret = environment.knowledge.token_secret if environment.knowledge else None
    return [] if secret is None else [permissions.read_secret(stack, "ReadToken", secret)]
