"""What the functions of a documentation run share: the run as one of its processes sees it."""

from __future__ import annotations

from dataclasses import dataclass

from functions.contexts import LambdaContext, LambdaDeadline
from tribal.app.deployed import deployed_settings, deployed_store
from tribal.ports import DocumentingOptions, PlanOptions
from tribal.runs.clock import SystemClock
from tribal.runs.sinks import SilentSink
from tribal.runs.staged import StagedRun
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal.settings import Settings
from tribal.settings.deployment import Deployment, load_deployment
from tribal_contracts import RunRequest


@dataclass(frozen=True, slots=True)
class Stage:
    """One call of a function: the settings as they are now, and the run that it is about."""

    deployment: Deployment
    settings: Settings
    run: StagedRun

    @classmethod
    def of(cls, run_id: str, context: LambdaContext) -> Stage:
        """Read where we are, and the configuration, which may have changed since the last call."""
        deployment = load_deployment()
        store = deployed_store(deployment)
        run = StagedRun(
            run_id=run_id,
            holder=f"{context.invoked_function_arn}/{run_id}",
            store=store,
            clock=SystemClock(),
            deadline=LambdaDeadline(context),
            pool=ThreadWorkerPool(),
            sink=SilentSink(),
        )
        return cls(deployment, deployed_settings(deployment, store), run)

    def plan_options(self, request: RunRequest) -> PlanOptions:
        """How plans are made."""
        settings = self.settings
        return PlanOptions(settings.config_hash, settings.tables_per_unit, settings.units_at_once, request.replan)

    def documenting(self, request: RunRequest) -> DocumentingOptions:
        """How tables are documented; processes of Lambda have no ids that say anything."""
        return DocumentingOptions(
            tables_at_once=self.settings.tables_at_once,
            force=request.force,
            retry_failed=request.retry_failed,
            max_age=self.settings.statistics_max_age,
            record_pid=False,
        )
