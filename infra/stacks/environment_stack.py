"""One environment as a single stack, so that it is deployed, rolled back and deleted as a whole."""

from __future__ import annotations

import json
from typing import Any

from aws_cdk import CfnOutput, Stack, Tags
from constructs import Construct

from infra.environment import Environment
from infra.function_packages import Packages
from infra.stacks import search
from infra.stacks.api import ToolsApi
from infra.stacks.functions import Layers, NetworkPlace
from infra.stacks.indexing import Indexing
from infra.stacks.job_machine import job_definition
from infra.stacks.job_queue import JobQueue
from infra.stacks.observability import Observability
from infra.stacks.permissions import allow
from infra.stacks.pipeline import Pipeline
from infra.stacks.schedules import SLOT, schedule
from infra.stacks.search import Search
from infra.stacks.state_machines import state_machine
from infra.stacks.storage import Storage

SCHEDULED = "scheduled_at"
"""The key by which functions know the event of a schedule; tests compare it with theirs."""


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
        self.queues = self._job_queues()
        self.api = self._api()
        self._call_by_schedule()
        self.machines = self._job_machines()
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

    def _job_queues(self) -> dict[str, JobQueue]:
        """The queues of functions, by their names."""
        return {
            name: JobQueue(
                self,
                name.capitalize(),
                spec=spec,
                environment=self.environment_settings,
                storage=self.storage,
                layers=self.layers,
                place=self._index_place,
                undelivered=self.indexing.undelivered,
                variables=self._variables,
            )
            for name, spec in self.environment_settings.function_specs.items()
            if spec.queue is not None
        }

    def _api(self) -> ToolsApi:
        return ToolsApi(
            self,
            "Api",
            environment=self.environment_settings,
            layers=self.layers,
            place=self._index_place,
            bucket_arn=self.storage.bucket.bucket_arn,
            variables=self._variables,
            queues={name: each.queue for name, each in self.queues.items()},
        )

    def _call_by_schedule(self) -> None:
        for name, spec in self.environment_settings.function_specs.items():
            if spec.schedule is not None:
                section = self.environment_settings.own_section(name)
                schedule(
                    self,
                    spec.schedule,
                    when=section.schedule,
                    environment=self.environment_settings,
                    target_arn=self.api.others[name].arn,
                    action="lambda:InvokeFunction",
                    message=json.dumps({SCHEDULED: SLOT, **section.scheduled}),
                    undelivered=self.indexing.undelivered,
                )

    def _job_machines(self) -> dict[str, str]:
        """The ARNs of the state machines that call functions, by the names of the functions."""
        environment, machines = self.environment_settings, dict[str, str]()
        for name in environment.function_specs:
            spec = environment.machine_of(name)
            if spec is not None:
                function = self.api.others[name]
                machine = state_machine(
                    self,
                    f"{name.capitalize()}Machine",
                    environment,
                    spec.name,
                    job_definition(spec, function.arn, function.timeout_seconds),
                    [allow("CallFunction", ["lambda:InvokeFunction"], function.arn)],
                )
                machines[name] = machine.attr_arn
        return machines

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
            writer=self.indexing.function.role,
            readers=[each.role for each in self.api.searching if each not in self.api.writers_of_memories],
            keepers=[each.role for each in self.api.writers_of_memories],
        )
        for function in (self.indexing.function, *self.api.searching):
            function.set_variable("TRIBAL_SEARCH_ENDPOINT", domain.address)
        return domain

    def _watch(self) -> None:
        environment = self.environment_settings
        watching = Observability(self, "Observability", environment)
        taking = [self.indexing.function, *(each.function for each in self.queues.values())]
        watching.watch_functions([*self.pipeline.functions, *taking, *self.api.functions])
        watching.watch_runs(self.pipeline.run.attr_arn, self.pipeline.start.attr_arn)
        watching.watch_queues(self.indexing.queue, [self.indexing.dead, self.indexing.undelivered])
        watching.watch_api(environment.prefix, environment.name)
        watching.watch_capabilities(self.queues, self.machines)
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
