"""When a recurring task of an environment runs."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from infra.model import Part

ScheduleExpression = Annotated[str, Field(pattern=r"^(cron\([^()]+\)|rate\(\d+ (minute|hour|day)s?\))$")]


class Schedule(Part):
    """When a recurring task runs."""

    expression: ScheduleExpression
    enabled: bool = True
