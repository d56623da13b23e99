"""Plain progress lines."""

from __future__ import annotations

import io
import threading

import pytest

from tests.cases import each_case
from tests.fakes import FixedClock
from tribal.ports import ProgressSink
from tribal.runs.sinks import PlainSink, SilentSink, duration


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


def test_a_line_tells_what_is_done_how_long_it_took_and_how_long_it_will_take(
    clock: FixedClock, stream: io.StringIO
) -> None:
    sink = PlainSink(stream, clock)
    sink.begin("document", 40)
    for number in range(12):
        clock.advance(0.17)
        sink.advance("document", f"shop.public.t{number}", "unchanged" if number < 3 else "documented")
    assert stream.getvalue().splitlines() == [
        "document: 40 tables",
        "document: 6 of 40 tables, 3 unchanged, 1 s elapsed, about 6 s remaining",
        "document: 12 of 40 tables, 3 unchanged, 2 s elapsed, about 5 s remaining",
    ]


def test_many_quick_items_make_few_lines_and_the_last_is_always_written(clock: FixedClock, stream: io.StringIO) -> None:
    sink = PlainSink(stream, clock)
    sink.begin("document", 5000)
    for number in range(5000):
        clock.advance(0.001)
        sink.advance("document", str(number), "failed" if number == 17 else "documented")
    sink.end("document", "docs/")
    lines = stream.getvalue().splitlines()
    assert len(lines) <= 8
    assert lines[-2:] == ["document: 5000 of 5000 tables, 1 failed, 5 s elapsed", "document: docs/"]


def test_a_stage_that_ends_early_tells_how_far_it_came(clock: FixedClock, stream: io.StringIO) -> None:
    sink = PlainSink(stream, clock)
    sink.begin("index", 3)
    sink.advance("index", "a", "indexed")
    sink.end("index", "stopped")
    assert stream.getvalue().splitlines() == [
        "index: 3 files",
        "index: 1 of 3 files, 0 s elapsed, about 0 s remaining",
        "index: stopped",
    ]


def test_a_stage_without_items_says_so_and_ends(clock: FixedClock, stream: io.StringIO) -> None:
    sink = PlainSink(stream, clock)
    sink.begin("document", 0)
    sink.end("document", "nothing to do")
    assert stream.getvalue() == "document: 0 tables\ndocument: nothing to do\n"


def test_more_items_than_announced_are_counted_all_the_same(clock: FixedClock, stream: io.StringIO) -> None:
    sink = PlainSink(stream, clock)
    sink.advance("cook", "a", "documented")
    sink.end("cook", "done")
    assert stream.getvalue() == "cook: 1 of 1 item, 0 s elapsed\ncook: done\n"


def test_a_message_that_quotes_a_database_stays_one_harmless_line(clock: FixedClock, stream: io.StringIO) -> None:
    PlainSink(stream, clock).note("cannot read 'a\nb\x1b[2Jc\u202e'")
    assert stream.getvalue() == "cannot read 'a b [2Jc '\n"


def test_a_stream_that_cannot_show_a_character_gets_its_escape(clock: FixedClock) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    PlainSink(stream, clock).note("schéma")
    assert raw.getvalue() == b"sch\\xe9ma\n"


def test_a_reader_who_goes_away_does_not_end_the_run(clock: FixedClock) -> None:
    class BrokenPipe(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError(text)

    closed = io.StringIO()
    closed.close()
    for stream in (BrokenPipe(), closed):
        sink = PlainSink(stream, clock)
        sink.begin("document", 1)
        sink.advance("document", "a", "documented")
        sink.end("document", "done")


def test_many_threads_lose_no_count_and_mix_no_lines(clock: FixedClock, stream: io.StringIO) -> None:
    sink = PlainSink(stream, clock)
    sink.begin("document", 4000)

    def work() -> None:
        for _ in range(1000):
            sink.advance("document", "a", "documented")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stream.getvalue() == "document: 4000 tables\ndocument: 4000 of 4000 tables, 0 s elapsed\n"


def test_the_silent_sink_takes_everything(capsys: pytest.CaptureFixture[str]) -> None:
    sink: ProgressSink = SilentSink()
    sink.begin("document", 1)
    sink.advance("document", "a", "documented")
    sink.end("document", "done")
    sink.note("hello")
    assert capsys.readouterr() == ("", "")


@each_case(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (-3, "0 s"),
        (1.6, "2 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (185, "3 min 5 s"),
        (3600, "1 h"),
        (4200, "1 h 10 min"),
    ],
)
def test_a_time_span_reads_as_people_say_it(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_words_of_a_model_are_counted_and_written_while_no_table_is_done(
    clock: FixedClock, stream: io.StringIO
) -> None:
    sink = PlainSink(stream, clock)
    sink.begin("document", 2)
    for _ in range(40):
        clock.advance(1)
        sink.add_text("document", "An order of")
    sink.advance("document", "shop.public.orders", "documented")
    assert stream.getvalue().splitlines() == [
        "document: 2 tables",
        "document: 0 of 2 tables, 30 words written, 15 s elapsed",
        "document: 0 of 2 tables, 60 words written, 30 s elapsed",
        "document: 1 of 2 tables, 80 words written, 40 s elapsed, about 40 s remaining",
    ]
