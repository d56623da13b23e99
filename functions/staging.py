"""The documentation run that several Lambda functions share."""

from __future__ import annotations

from functions.contexts import LambdaContext, stop_token
from tribal.app.deployed import deployed_application
from tribal.ports import RunParameters
from tribal.runs.sinks import SilentSink
from tribal.runs.staged import StagedRun
from tribal.runs.workers.pool import ThreadWorkerPool
from tribal.settings.deployment import load_deployment
from tribal_contracts import RunRequest


def staged_run(run_id: str, context: LambdaContext, request: RunRequest | None = None) -> StagedRun:
    """The run for one invocation; the configuration is reloaded, since it may have changed."""
    parameters = RunParameters() if request is None else RunParameters.of(request)
    stop = stop_token(context)
    return StagedRun(
        run_id=run_id,
        holder=f"{context.invoked_function_arn}/{run_id}",
        app=deployed_application(load_deployment(), parameters),
        stop=stop,
        pool=ThreadWorkerPool(stop),
        sink=SilentSink(),
    )
