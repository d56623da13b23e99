"""Alarms and the dashboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from aws_cdk import Duration, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.environment import Alarms, Environment
from infra.stacks.functions import Function, metrics_namespace
from infra.stacks.job_queue import JobQueue
from infra.stacks.permissions import trusting
from tribal.ports.capability import Measure

_FIVE_MINUTES = Duration.minutes(5)
_OLDEST_MESSAGE_SECONDS = 3600
_FREE_STORAGE_SHARE = 0.2


class Observability(Construct):
    """Alarms, all sent to one topic, and a dashboard."""

    def __init__(self, scope: Construct, name: str, environment: Environment) -> None:
        super().__init__(scope, name)
        self._environment = environment
        self.topic = self._topic(environment.alarms)
        self._dashboard = cloudwatch.Dashboard(self, "Dashboard", dashboard_name=environment.prefix)

    def watch_functions(self, functions: Sequence[Function]) -> None:
        """Show errors, throttles and durations; an alarm on throttles for each function.

        An error of a function is no alarm of its own: it is retried, and what fails for good ends in a failed run, a
        failed unit, a dead letter or a server error of the API, each of which has its alarm.
        """
        errors, throttles, durations = [], [], []
        for function in functions:
            short = function.name.removeprefix(f"{self._environment.prefix}-")
            errors.append(_lambda_metric("Errors", function))
            metric = _lambda_metric("Throttles", function)
            self._alarm(f"{short}-throttles", metric, 1, f"{function.name} was throttled: the account has no more room")
            throttles.append(metric)
            durations.append(_lambda_metric("Duration", function, "p95"))
        self._show("Errors of functions", errors)
        self._show("Throttles of functions", throttles)
        self._show("Duration of functions, p95", durations)

    def watch_runs(self, machine_arn: str, start_arn: str) -> None:
        """Alarms on runs that fail, end partially, or are overdue."""
        failing = {"ExecutionsFailed": "failed", "ExecutionsTimedOut": "timed out", "ExecutionsAborted": "was stopped"}
        for metric, what in failing.items():
            self._alarm(f"run-{what.replace(' ', '-')}", _states_metric(metric, machine_arn), 1, f"A run {what}")
        self._alarm("run-not-started", _states_metric("ExecutionsFailed", start_arn), 1, "A run could not be started")
        partial = self._own_metric("RunsNotCompleted", "planner")
        self._alarm("run-not-completed", partial, 1, "A run left out tables or databases; its record says which")
        hours = self._environment.alarms.run_expected_every_hours
        if hours is not None:
            self._expect_runs(machine_arn, hours)
        names = ("ExecutionsStarted", "ExecutionsSucceeded", "ExecutionsFailed")
        self._show("Runs", [_states_metric(name, machine_arn) for name in names])
        self._show("Units", [self._own_metric(name, "planner") for name in ("UnitsToDocument", "UnitsFailed")])

    def watch_queues(self, queue: sqs.Queue, dead: Sequence[sqs.Queue]) -> None:
        """Alarms on dead letters, and on messages that wait too long."""
        for number, letters in enumerate(dead, start=1):
            self._watch_dead(f"dead-letters-{number}", letters)
        age = queue.metric_approximate_age_of_oldest_message(period=_FIVE_MINUTES, statistic="Maximum")
        blocked = self._own_metric("IndexingBlocked", "indexer")
        self._alarm("indexing-blocked", blocked, 1, "Documents are not what the manifest says; see docs/operating.md")
        self._alarm("indexer-behind", age, _OLDEST_MESSAGE_SECONDS, "The indexer has been behind for an hour")
        depths = [each.metric_approximate_number_of_messages_visible(period=_FIVE_MINUTES) for each in (queue, *dead)]
        self._show("Messages waiting", depths)

    def watch_api(self, api_name: str, stage: str) -> None:
        """An alarm on server errors (5xx)."""
        faults = _api_metric("5XXError", api_name, stage)
        self._alarm("api-faults", faults, 1, "The API answered with a server error")
        self._show(
            "Requests", [_api_metric("Count", api_name, stage), _api_metric("4XXError", api_name, stage), faults]
        )
        self._show("Latency, p95", [_api_metric("Latency", api_name, stage, "p95")])

    def watch_capabilities(self, queues: Mapping[str, JobQueue], machines: Mapping[str, str]) -> None:
        """The alarms and charts that capabilities declare.

        Args:
            queues: of functions that have one, by name.
            machines: the ARNs of the state machines of functions that have one, by name.
        """
        for each in self._environment.capabilities:
            section: Any = self._environment.sections.get(each.name)
            for alarm in each.alarms:
                metrics = self._metrics(alarm.measures, queues, machines)
                if alarm.silent_hours is not None:
                    if section is not None and section.schedule.enabled:
                        hours = getattr(section, alarm.silent_hours)
                        (hourly,) = self._metrics(alarm.measures, queues, machines, Duration.hours(1))
                        self._expect(hourly, hours, alarm.name, alarm.says.format(hours=hours))
                elif metrics:
                    self._alarm(alarm.name, _sum(metrics), alarm.threshold, alarm.says)
            for chart in each.charts:
                metrics = self._metrics(chart.measures, queues, machines)
                if metrics:
                    self._show(chart.title, metrics)

    def _metrics(
        self,
        measures: Sequence[Measure],
        queues: Mapping[str, JobQueue],
        machines: Mapping[str, str],
        period: Duration = _FIVE_MINUTES,
    ) -> list[cloudwatch.Metric]:
        """The metrics of the measures whose functions are deployed."""
        environment = self._environment
        return [
            self._metric(each, queues, machines, period)
            for each in measures
            if each.function in environment.function_specs
            and (not each.with_models or environment.models_of(each.function))
        ]

    def _metric(
        self, measure: Measure, queues: Mapping[str, JobQueue], machines: Mapping[str, str], period: Duration
    ) -> cloudwatch.Metric:
        if measure.of == "function":
            return self._own_metric(measure.name, measure.function, period, measure.where, measure.statistic)
        if measure.of == "machine":
            return _states_metric(measure.name, machines[measure.function])
        queue = queues[measure.function]
        if measure.of == "oldest message":
            return queue.queue.metric_approximate_age_of_oldest_message(period=period, statistic="Maximum")
        letters = queue.dead if measure.of == "dead letters" else queue.queue
        return letters.metric_approximate_number_of_messages_visible(period=period, statistic="Maximum")

    def watch_search(self, domain_name: str, account: str, volume_gb: int) -> None:
        """Alarms on a domain that has lost data, refuses writes or runs out of space."""
        dimensions = {"DomainName": domain_name, "ClientId": account}

        def metric(name: str, statistic: str) -> cloudwatch.Metric:
            return cloudwatch.Metric(
                namespace="AWS/ES",
                metric_name=name,
                dimensions_map=dimensions,
                statistic=statistic,
                period=_FIVE_MINUTES,
            )

        self._alarm("search-red", metric("ClusterStatus.red", "Maximum"), 1, "The index has lost a shard")
        self._alarm("search-blocked", metric("ClusterIndexWritesBlocked", "Maximum"), 1, "The domain takes no writes")
        free = metric("FreeStorageSpace", "Minimum")
        self._alarm(
            "search-full",
            free,
            volume_gb * 1024 * _FREE_STORAGE_SHARE,
            "Less than a fifth of a node's disk is free",
            comparison=cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
        )
        self._show("Search: load", [metric("CPUUtilization", "Maximum"), metric("JVMMemoryPressure", "Maximum")])

    def _watch_dead(self, name: str, letters: sqs.Queue) -> None:
        depth = letters.metric_approximate_number_of_messages_visible(period=_FIVE_MINUTES, statistic="Maximum")
        self._alarm(name, depth, 1, "Messages could not be handled; see docs/operating.md")

    def _expect_runs(self, machine_arn: str, hours: int) -> None:
        succeeded = cloudwatch.Metric(
            namespace="AWS/States",
            metric_name="ExecutionsSucceeded",
            dimensions_map={"StateMachineArn": machine_arn},
            statistic="Sum",
            period=Duration.hours(1),
        )
        self._expect(succeeded, hours, "run-missing", f"No run succeeded for {hours} hours")

    def _expect(self, hourly: cloudwatch.Metric, hours: int, name: str, description: str) -> None:
        """An alarm on a metric that was 0 in each of the last hours, or had no data."""
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"{self._environment.prefix}-{name}",
            alarm_description=description,
            metric=hourly,
            threshold=1,
            comparison_operator=cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
            evaluation_periods=hours,
            datapoints_to_alarm=hours,
            treat_missing_data=cloudwatch.TreatMissingData.BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(self.topic))

    def _topic(self, alarms: Alarms) -> sns.ITopic:
        if alarms.topic_arn is not None:
            return sns.Topic.from_topic_arn(self, "Topic", alarms.topic_arn)
        topic = sns.Topic(self, "Topic", topic_name=f"{self._environment.prefix}-alarms", enforce_ssl=True)
        # The policy that requires TLS replaces the default one, which let the account's alarms publish.
        topic.add_to_resource_policy(
            iam.PolicyStatement(
                sid="AlarmsPublish",
                principals=[trusting("cloudwatch")],
                actions=["sns:Publish"],
                resources=[topic.topic_arn],
                conditions={"StringEquals": {"aws:SourceAccount": Stack.of(self).account}},
            )
        )
        if alarms.email is not None:
            topic.add_subscription(subscriptions.EmailSubscription(alarms.email))
        return topic

    def _alarm(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        threshold: float,
        description: str,
        comparison: cloudwatch.ComparisonOperator = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    ) -> None:
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"{self._environment.prefix}-{name}",
            alarm_description=description,
            metric=metric,
            threshold=threshold,
            comparison_operator=comparison,
            evaluation_periods=1,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(self.topic))

    def _own_metric(
        self,
        name: str,
        service: str,
        period: Duration = _FIVE_MINUTES,
        where: tuple[str, str] | None = None,
        statistic: str = "Sum",
    ) -> cloudwatch.Metric:
        return cloudwatch.Metric(
            namespace=metrics_namespace(self._environment),
            metric_name=name,
            dimensions_map={"service": service, **dict([where] if where else [])},
            statistic=statistic,
            period=period,
            label=f"{name} {where[1]}" if where else None,
        )

    def _show(self, title: str, metrics: Sequence[cloudwatch.IMetric]) -> None:
        self._dashboard.add_widgets(cloudwatch.GraphWidget(title=title, left=list(metrics), width=12))


def _sum(metrics: Sequence[cloudwatch.Metric]) -> cloudwatch.IMetric:
    if len(metrics) == 1:
        return metrics[0]
    named = {f"m{number}": metric for number, metric in enumerate(metrics)}
    return cloudwatch.MathExpression(expression=" + ".join(named), using_metrics=named, period=_FIVE_MINUTES)


def _lambda_metric(name: str, function: Function, statistic: str = "Sum") -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace="AWS/Lambda",
        metric_name=name,
        dimensions_map={"FunctionName": function.name},
        statistic=statistic,
        period=_FIVE_MINUTES,
        label=function.name,
    )


def _states_metric(name: str, machine_arn: str) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace="AWS/States",
        metric_name=name,
        dimensions_map={"StateMachineArn": machine_arn},
        statistic="Sum",
        period=_FIVE_MINUTES,
    )


def _api_metric(name: str, api_name: str, stage: str, statistic: str = "Sum") -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace="AWS/ApiGateway",
        metric_name=name,
        dimensions_map={"ApiName": api_name, "Stage": stage},
        statistic=statistic,
        period=_FIVE_MINUTES,
    )
