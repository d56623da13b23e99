"""Builds the options of a run from settings and parameters."""

from __future__ import annotations

from datetime import timedelta

from tribal.identity.expansion import expanded
from tribal.ports import DocumentingOptions, Options, PlanOptions, RunParameters
from tribal.settings import Settings
from tribal_contracts import ModelSettings


def options_of(settings: Settings, parameters: RunParameters, *, record_pid: bool = True) -> Options:
    """Combine settings and parameters; set `record_pid` to false where process ids mean nothing, as in Lambda."""
    return Options(
        databases=expanded(settings.entries, settings.found),
        configured=settings.entries,
        planning=PlanOptions(
            settings.config_hash, settings.tables_per_unit, settings.units_at_once, replan=parameters.replan
        ),
        documenting=DocumentingOptions(
            take_samples=settings.take_samples,
            tables_at_once=settings.tables_at_once,
            force=parameters.force,
            retry_failed=parameters.retry_failed,
            max_age=settings.statistics_max_age,
            record_pid=record_pid,
        ),
        selection=parameters.selection,
        # A forced run counts rows and compares values of keys again.
        statistics_max_age=timedelta(0) if parameters.force else settings.statistics_max_age,
        runs_kept=settings.runs_kept,
        worker_processes=settings.worker_processes,
        model=_of_the_run(settings.model, parameters),
        new_prose=parameters.new_prose,
        metrics=settings.metrics,
        terms=settings.terms,
    )


def _of_the_run(model: ModelSettings | None, parameters: RunParameters) -> ModelSettings | None:
    """The settings of the model, as the run's parameters change them."""
    if model is None:
        return None
    changes: dict[str, float | bool] = {}
    if parameters.budget_usd is not None and parameters.budget_usd < model.per_run_usd:
        changes["per_run_usd"] = parameters.budget_usd
    if parameters.anyway:
        changes["accept_unfit"] = True
    return model.model_copy(update=changes) if changes else model
