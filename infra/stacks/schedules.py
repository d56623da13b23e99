"""Recurring tasks, triggered by EventBridge Scheduler."""

from __future__ import annotations

from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.environment import Environment
from infra.schedule import Schedule
from infra.stacks.permissions import allow, trusting

SLOT = "<aws.scheduler.scheduled-time>"
"""Placeholder that the scheduler replaces by the scheduled time, however late or often it delivers."""
_RETRY_SECONDS = 3600
_RETRIES = 10


def schedule(
    scope: Construct,
    name: str,
    *,
    when: Schedule,
    environment: Environment,
    target_arn: str,
    action: str,
    message: str,
    undelivered: sqs.Queue,
) -> scheduler.CfnSchedule:
    """Send a message to a target on a schedule; undeliverable messages go to a dead-letter queue."""
    role = iam.Role(
        scope,
        f"{name}Role",
        assumed_by=trusting("scheduler"),
        inline_policies={
            "does": iam.PolicyDocument(
                statements=[
                    allow("Deliver", [action], target_arn),
                    allow("KeepUndelivered", ["sqs:SendMessage"], undelivered.queue_arn),
                ]
            )
        },
    )
    return scheduler.CfnSchedule(
        scope,
        name,
        name=f"{environment.prefix}-{name.lower()}",
        schedule_expression=when.expression,
        schedule_expression_timezone=environment.time_zone,
        state="ENABLED" if when.enabled else "DISABLED",
        flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
        target=scheduler.CfnSchedule.TargetProperty(
            arn=target_arn,
            role_arn=role.role_arn,
            input=message,
            dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(arn=undelivered.queue_arn),
            retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                maximum_event_age_in_seconds=_RETRY_SECONDS, maximum_retry_attempts=_RETRIES
            ),
        ),
    )
