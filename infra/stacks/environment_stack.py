"""One environment as a single stack, so that it is deployed, rolled back and deleted as a whole."""

from __future__ import annotations

from typing import Any

from aws_cdk import CfnOutput, Stack, Tags
from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.environment import Environment
from infra.function_packages import Packages
from infra.stacks import permissions, search
from infra.stacks.api import ToolRights, ToolsApi
from infra.stacks.functions import Layers, NetworkPlace
from infra.stacks.indexing import Indexing
from infra.stacks.observability import Observability
from infra.stacks.pipeline import Pipeline
from infra.stacks.search import Search
from infra.stacks.storage import Storage


class EnvironmentStack(Stack):
    """Storage, pipeline, index, API and alarms of one environment."""

    def __init__(
        self, scope: Construct, name: str, *, environment: Environment, packages: Packages, **options: Any
    ) -> None:
        super().__init__(scope, name, **options)
        self.environment_settings = environment
        self.storage = Storage(self, "Storage", environment)
        self.layers = Layers(self, "Layers", environment, packages)
        self.places = {
            group: NetworkPlace(self, f"Network-{group}", network) for group, network in environment.networks.items()
        }
        self._variables = {"TRIBAL_STORE": self.storage.address, "TRIBAL_INDEX": environment.index}
        self.indexing = self._indexing()
        self.pipeline = Pipeline(
            self,
            "Pipeline",
            environment=environment,
            storage=self.storage,
            layers=self.layers,
            places=self.places,
            variables=self._variables,
            undelivered=self.indexing.undelivered,
        )
        self.api = self._api()
        self.search = self._search()
        self._watch()
        self._tell()
        Tags.of(self).add("application", "tribal-knowledge")
        Tags.of(self).add("environment", environment.name)

    @property
    def _index_place(self) -> NetworkPlace | None:
        """The network in which indexer and retriever can reach the domain, if it is in a VPC."""
        size = self.environment_settings.opensearch
        return self.places[size.network] if size and size.network else None

    def _indexing(self) -> Indexing:
        arn = search.domain_arn(self, self.environment_settings)
        return Indexing(
            self,
            "Indexing",
            environment=self.environment_settings,
            storage=self.storage,
            layers=self.layers,
            place=self._index_place,
            statements=search.write_statements(arn) if self.environment_settings.opensearch else [],
            variables=self._variables,
        )

    def _api(self) -> ToolsApi:
        return ToolsApi(
            self,
            "Api",
            environment=self.environment_settings,
            layers=self.layers,
            place=self._index_place,
            rights=ToolRights(self._reading_statements(), self._remembering_statements()),
            variables=self._variables,
        )

    def _reading_statements(self) -> list[iam.PolicyStatement]:
        if self.environment_settings.opensearch:
            # One search may ask for tables and for memories.
            return search.read_statements(search.domain_arn(self, self.environment_settings))
        memory = [permissions.MEMORY] if self.environment_settings.memory else []
        return permissions.read_objects(self.storage.bucket.bucket_arn, permissions.INDEX_FILES, *memory)

    def _remembering_statements(self) -> list[iam.PolicyStatement]:
        """Permissions of the function `memory`: it alone writes memories, and writes nothing else."""
        bucket = self.storage.bucket.bucket_arn
        own = [
            permissions.write_objects(bucket, permissions.MEMORY),
            permissions.delete_objects(bucket, permissions.MEMORY),
        ]
        if self.environment_settings.opensearch is None:
            return [*permissions.read_objects(bucket, permissions.MEMORY, permissions.INDEX_FILES), *own]
        arn = search.domain_arn(self, self.environment_settings)
        reading = permissions.read_objects(bucket, permissions.MEMORY)
        return [*reading, *own, *search.read_statements(arn), *search.memory_statements(arn)]

    def _search(self) -> Search | None:
        size = self.environment_settings.opensearch
        if size is None:
            return None
        domain = Search(
            self,
            "Search",
            environment=self.environment_settings,
            size=size,
            place=self._index_place,
            reader=self.api.retriever.role,
            writer=self.indexing.function.role,
            memory=None if self.api.memory is None else self.api.memory.role,
        )
        for function in (self.indexing.function, *self.api.searching):
            function.set_variable("TRIBAL_SEARCH_ENDPOINT", domain.address)
        return domain

    def _watch(self) -> None:
        environment = self.environment_settings
        watching = Observability(self, "Observability", environment)
        watching.watch_functions([*self.pipeline.functions, self.indexing.function, *self.api.functions])
        watching.watch_runs(self.pipeline.run.attr_arn, self.pipeline.start.attr_arn)
        watching.watch_queues(self.indexing.queue, [self.indexing.dead, self.indexing.undelivered])
        watching.watch_api(environment.prefix, environment.name)
        if environment.memory is not None:
            watching.watch_memory()
        if environment.opensearch is not None:
            watching.watch_search(environment.prefix, self.account, environment.opensearch.volume_gb)

    def _tell(self) -> None:
        outputs = {
            "Store": self.storage.address,
            "StateMachine": self.pipeline.run.attr_arn,
            "ApiAddress": self.api.rest.url,
            "ApiAuth": self.environment_settings.api.auth.mode,
            "IndexerQueue": self.indexing.queue.queue_url,
            "IndexerDeadLetters": self.indexing.dead.queue_url,
        }
        for name, value in outputs.items():
            CfnOutput(self, name, value=value)
