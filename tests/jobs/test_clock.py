"""Clocks and deadlines."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from pydantic import TypeAdapter

from tribal.jobs.clock import SystemClock, iso_timestamp
from tribal_contracts import ISOTimestamp


def test_with_an_epoch_the_published_time_stands_still_and_the_real_one_does_not() -> None:
    clock = SystemClock(1_700_000_000)
    assert clock.is_fixed
    assert clock.published() == "2023-11-14T22:13:20Z"
    assert clock.elapsed_ms(datetime(2020, 1, 1, tzinfo=UTC)) == 0
    assert abs(clock.real() - datetime.now(UTC)) < timedelta(minutes=1)


def test_the_epoch_zero_is_an_epoch() -> None:
    assert SystemClock(0).published() == "1970-01-01T00:00:00Z"


def test_without_an_epoch_the_published_time_is_the_present_in_milliseconds() -> None:
    clock = SystemClock()
    assert not clock.is_fixed
    published = TypeAdapter(ISOTimestamp).validate_python(clock.published())
    assert published[-5] == "."
    assert abs(datetime.fromisoformat(published) - clock.real()) < timedelta(minutes=1)


def test_elapsed_time_is_never_negative() -> None:
    clock = SystemClock()
    assert clock.elapsed_ms(clock.real() - timedelta(seconds=2)) >= 2000
    assert clock.elapsed_ms(clock.real() + timedelta(hours=1)) == 0


def test_a_timestamp_is_in_utc_whatever_the_zone_of_the_moment() -> None:
    moment = datetime(2026, 11, 21, 1, 30, 0, 5000, tzinfo=timezone(timedelta(hours=-5)))
    assert iso_timestamp(moment) == "2026-11-21T06:30:00.005Z"
    assert iso_timestamp(moment, "seconds") == "2026-11-21T06:30:00Z"
