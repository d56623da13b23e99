"""An upload becomes passages, file by file; what cannot be read is named, and the other files are indexed."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.capabilities.chat.uploads.made_uploads import (
    HashEmbedder,
    MadeUploads,
    PageParser,
    pages,
    zipped,
)
from tribal.capabilities.chat.errors import ChatBusy, CollectionNotFound, JobNotFound
from tribal.capabilities.chat.uploads.ingesting import ingest
from tribal.errors import EmbeddingFailed, RunInterrupted
from tribal.identity.locations import collection_lease
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile
from tribal.ports import StopToken
from tribal_contracts.chat.jobs import UploadJob
from tribal_contracts.chat.requests import UploadRequest
from tribal_contracts.chat.settings import CollectionEntry, UploadLimits


@pytest.fixture(name="made")
def made_fixture(tmp_path: Path) -> MadeUploads:
    return MadeUploads(tmp_path)


def _statuses(job: UploadJob) -> list[tuple[str, str]]:
    return [(each.filename, each.status) for each in job.files]


def test_a_file_becomes_passages_that_say_where_they_are_from(made: MadeUploads) -> None:
    job = made.upload("C:\\docs\\Manual.pdf", "%PDF-1.7\n" + pages(3))
    assert (job.status, job.total_files, _statuses(job)) == ("completed", 1, [("Manual.pdf", "indexed")])
    (file,) = job.files
    assert (file.pages, file.passages) == (3, 3)
    stored = list(made.files().passages(str(file.source_id)))
    assert [(each.number, each.page_number, each.text) for each in stored] == [
        (number, number + 1, f"Vacation rule {number + 1}.") for number in range(3)
    ]
    assert {(each.source_filename, each.course_id) for each in stored} == {("Manual.pdf", "handbook")}
    vectors = np.frombuffer(base64.b64decode(stored[0].vector), "<f4")
    assert np.array_equal(vectors, made.embedder.embed(["Vacation rule 1."])[0])
    assert made.found(["rule"]) == [("Manual.pdf", 1), ("Manual.pdf", 2), ("Manual.pdf", 3)]


def test_what_the_store_has_of_a_collection(made: MadeUploads) -> None:
    data = "%PDF-1.7\n" + pages(2)
    job = made.upload("manual.pdf", data)
    digest = hashlib.sha256(data.encode()).hexdigest()
    found = [key.removeprefix("collections/handbook/") for key in made.store.keys("")]
    assert [name for name in found if not name.startswith("index/")] == [
        "collection.json",
        f"jobs/{job.job_id}.json",
        "lease.json",
        "manifest.json",
        f"sources/{digest}/original",
        f"sources/{digest}/passages.jsonl",
        f"sources/{digest}/source.json",
    ]
    assert made.store.get(made.files().original_key(digest)).data == data.encode()
    record, source = made.files().record(), made.files().source_file(digest).find()
    assert record is not None
    assert (record.name, record.embedding.model, record.embedding.dimensions) == ("handbook", "test/hashes", 8)
    assert source is not None
    assert (source.size_bytes, source.masked, source.source.added_at) == (len(data), 0, job.created_at)
    assert not (made.folder / "scratch" / "uploads" / job.job_id).exists()


def test_bad_files_are_named_and_the_others_are_indexed(made: MadeUploads) -> None:
    archive = zipped(
        {
            "a/good.txt": "Vacation is good.",
            "b/secret.pdf": "%PDF-1\n!encrypted",
            "b/broken.pdf": "%PDF-1\n!unreadable",
            "b/slow.pdf": "%PDF-1\nfine\f!too_slow",
            "b/scan.pdf": "%PDF-1\n \f ",
            "virus.exe": "MZ",
            "fake.pdf": "not a PDF",
            "inner.zip": zipped({"x.txt": "x"}),
            "c/also good.md": "# Vacation\n\nis also good",
        }
    )
    job = made.upload("export.zip", archive)
    assert job.status == "partial"
    assert _statuses(job) == [
        ("good.txt", "indexed"),
        ("secret.pdf", "encrypted"),
        ("broken.pdf", "unreadable"),
        ("slow.pdf", "refused"),
        ("scan.pdf", "no_text"),
        ("virus.exe", "unsupported"),
        ("fake.pdf", "unsupported"),
        ("inner.zip", "refused"),
        ("also good.md", "indexed"),
    ]
    reasons = {each.filename: each.reason for each in job.files}
    assert reasons["good.txt"] is None
    assert all(reasons[name] for name, status in _statuses(job) if status != "indexed")
    assert "scan" in str(reasons["scan.pdf"])
    assert made.found(["vacat"]) == [("also good.md", 1), ("good.txt", 1)]
    assert len(list(made.store.keys("collections/handbook/sources/"))) == 6
    assert list(made.store.keys("collections/handbook/progress/")) == []
    assert list(made.store.keys("collections/handbook/uploads/")) == []


def test_an_upload_of_nothing_that_can_be_read_fails(made: MadeUploads) -> None:
    job = made.upload("scan.pdf", "%PDF-1\n ")
    assert (job.status, job.error, _statuses(job)) == ("failed", None, [("scan.pdf", "no_text")])
    assert made.upload("archive.zip", zipped({"a.exe": "MZ"})).status == "failed"
    empty = made.upload("archive.zip", zipped({}))
    assert empty.error is not None
    assert empty.error.code == "UPL_FILE_UNREADABLE"
    assert made.files().manifest().sources == []


def test_the_same_file_again_is_unchanged_and_under_another_name_it_has_two(made: MadeUploads) -> None:
    made.upload("manual.txt", pages(2))
    sent = len(made.embedder.texts)
    again = made.upload("manual.txt", pages(2))
    assert (again.status, _statuses(again)) == ("completed", [("manual.txt", "unchanged")])
    renamed = made.upload("rules.txt", pages(2))
    assert (renamed.status, _statuses(renamed), renamed.files[0].passages) == (
        "completed",
        [("rules.txt", "unchanged")],
        2,
    )
    (source,) = made.files().manifest().sources
    assert source.names == ["manual.txt", "rules.txt"]
    record = made.files().source_file(source.source_id).find()
    assert record is not None
    assert record.source == source
    assert len(made.embedder.texts) == sent


def test_one_archive_with_a_file_twice_has_one_source_with_two_names(made: MadeUploads) -> None:
    job = made.upload("a.zip", zipped([("one.txt", "Vacation"), ("deep/one.txt", "Vacation"), ("two.txt", "Vacation")]))
    assert _statuses(job) == [("one.txt", "indexed"), ("one.txt", "unchanged"), ("two.txt", "unchanged")]
    (source,) = made.files().manifest().sources
    assert source.names == ["one.txt", "two.txt"]


def test_personal_data_and_secrets_are_replaced_before_anything_is_embedded(made: MadeUploads) -> None:
    job = made.upload("contacts.txt", "Ask ada.lovelace@example.com, card 4111 1111 1111 1111.")
    source_id = str(job.files[0].source_id)
    (passage,) = made.files().passages(source_id)
    record = made.files().source_file(source_id).find()
    assert "ada.lovelace" not in passage.text
    assert "4111" not in passage.text
    assert made.embedder.texts == [passage.text]
    assert record is not None
    assert record.masked == 2
    for key in made.store.keys("collections/handbook/"):
        if not key.endswith("/original"):
            assert b"lovelace" not in made.store.get(key).data, key


def test_an_upload_whose_embedding_would_cost_too_much_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    made = MadeUploads(tmp_path, embedder=HashEmbedder(usd_per_character=0.01), settings={"per_upload_usd": 0.5})
    job = made.upload("a.zip", zipped({"one.txt": "a" * 40, "scan.txt": " ", "two.txt": "b" * 20}))
    assert job.status == "failed"
    assert job.error is not None
    assert job.error.code == "UPL_LIMIT_EXCEEDED"
    assert "$0.6000, more than the $0.5" in job.error.message
    assert _statuses(job) == [("one.txt", "refused"), ("scan.txt", "no_text"), ("two.txt", "refused")]
    assert made.embedder.texts == []
    assert [key for key in made.everything() if "jobs" not in key] == ["collections/handbook/collection.json"]
    cheap = made.upload("one.txt", "a" * 40)
    assert (cheap.status, cheap.embedding_usd) == ("completed", 0.4)
    assert made.accounts == [(f"upload:{each.job_id}", 0.5) for each in (job, cheap)]


def test_a_collection_has_room_for_so_many_passages_and_smaller_files_still_fit(tmp_path: Path) -> None:
    limits = UploadLimits(passages=100)
    made = MadeUploads(tmp_path, settings={"uploads": limits})
    made.upload("first.txt", pages(60))
    job = made.upload("a.zip", zipped({"large.txt": pages(41, "large {}"), "small.txt": pages(40, "small {}")}))
    assert _statuses(job) == [("large.txt", "refused"), ("small.txt", "indexed")]
    assert "exceed the 100 passages" in str(job.files[0].reason)
    assert made.found(["larg"]) == []


def test_more_pages_than_allowed_are_refused_with_the_number(tmp_path: Path) -> None:
    made = MadeUploads(tmp_path, settings={"uploads": UploadLimits(pages=3)})
    assert made.upload("three.txt", pages(3)).status == "completed"
    job = made.upload("four.txt", pages(4, "more {}"))
    assert _statuses(job) == [("four.txt", "refused")]
    assert "3 pages" in str(job.files[0].reason)


def test_a_collection_keeps_the_model_of_its_first_upload(made: MadeUploads) -> None:
    made.upload("one.txt", "one")
    other = replace(made, embedder=HashEmbedder(model="other/model", dimensions=9))
    job = other.upload("two.txt", "two")
    assert job.status == "failed"
    assert job.error is not None
    assert job.error.code == "CHAT_COLLECTION_MISMATCH"
    assert "test/hashes (8 dimensions)" in job.error.message
    assert "other/model (9 dimensions)" in job.error.message
    assert list(made.store.keys("collections/handbook/uploads/")) == []


def test_a_tutor_lists_the_models_of_its_specification_and_their_successors(tmp_path: Path) -> None:
    entry = CollectionEntry(profile="tutor", successors={"gemini-2.0-flash": "gemini-3.8-flash"})
    made = MadeUploads(tmp_path, [entry])
    job = made.upload("syllabus.txt", "Search")
    files = made.files("comp237_course_materials")
    (passage,) = files.passages(str(job.files[0].source_id))
    assert passage.course_id == "COMP 237"
    assert files.manifest().allowed == ["gemini-2.0-flash", "gemini-1.5-pro-001", "gemini-3.8-flash"]


def test_a_server_that_does_not_answer_leaves_the_upload_resumable_and_nothing_is_paid_twice(
    made: MadeUploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tribal.capabilities.chat.uploads.reading.PART_PASSAGES", 4)
    made.embedder.calls_left = 2
    job = made.accept("manual.txt", pages(10))
    with pytest.raises(EmbeddingFailed):
        made.ingest(job)
    waiting = made.uploads().job(job.job_id)
    assert (waiting.status, waiting.total_files, waiting.files) == ("processing", 1, [])
    made.embedder.calls_left = None
    assert made.ingest(job).status == "completed"
    assert made.embedder.texts == [f"Vacation rule {number}." for number in range(1, 11)]


def test_a_long_file_continues_at_the_page_where_time_ran_out(
    made: MadeUploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tribal.capabilities.chat.uploads.reading.PART_PASSAGES", 4)
    parser, seconds = PageParser(), [1_000.0]

    def pass_time(_: int) -> None:
        seconds[0] -= 100

    parser.before_page = pass_time
    made = replace(made, parser=parser)
    job = made.accept("manual.txt", pages(30))
    stops = 0
    while (job := made.ingest(job, StopToken(lambda: seconds[0]))).status == "processing":
        stops += 1
        seconds[0] = 1_000.0
        assert made.embedder.texts == []
    assert job.status == "completed"
    assert stops == 3
    assert [first for _, first in parser.reads] == [1, 8, 16, 24]
    assert parser.closed == 4
    assert len(made.found(["rule"])) == 30


def test_a_page_that_is_cut_into_two_parts_continues_in_its_middle(
    made: MadeUploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tribal.capabilities.chat.uploads.reading.PART_PASSAGES", 2)
    text = " ".join(f"Sentence number {number} of a long page." for number in range(200)) + " ada@example.com"
    whole = made.upload("whole.txt", text + "\fnext")
    stopped = StopToken()
    written: list[str] = []

    class Stopping(type(made.store)):  # type: ignore[misc]
        def put_lines(self, key: str, lines: Iterator[bytes]) -> str:
            if "/progress/" in key and len(written) == 2:
                raise KeyboardInterrupt
            written.append(key)
            return super().put_lines(key, lines)  # type: ignore[no-any-return]

    other = replace(made, folder=made.folder, store=Stopping())
    job = other.accept("whole.txt", text + "\fnext")
    with pytest.raises(KeyboardInterrupt):
        other.ingest(job, stopped)
    written.clear()
    written += ["no more"] * 3
    assert other.ingest(job).files == whole.files
    source_id = str(whole.files[0].source_id)
    assert list(other.files().passages(source_id)) == list(made.files().passages(source_id))
    assert other.files().source_file(source_id).find() == made.files().source_file(source_id).find()


def test_a_requested_stop_ends_after_the_page_and_the_job_is_resumed(made: MadeUploads) -> None:
    stop, parser = StopToken(), PageParser()

    def stop_at_second(page: int) -> None:
        if page == 2:
            stop.request(RunInterrupted("stopped"))

    parser.before_page = stop_at_second
    made = replace(made, parser=parser)
    job = made.accept("manual.txt", pages(5))
    assert made.ingest(job, stop).status == "processing"
    (resumed,) = made.resume()
    assert resumed.status == "completed"
    assert made.resume() == []


def test_two_processes_never_work_on_one_collection(made: MadeUploads) -> None:
    job = made.accept("manual.txt", pages(1))
    lease = RunLease(LeaseFile(made.store, made.clock, collection_lease("handbook")), "other")
    in_use = made.folder / "scratch" / "uploads" / job.job_id / "upload"
    in_use.parent.mkdir(parents=True)
    in_use.touch()
    with lease, pytest.raises(ChatBusy, match="another process is working on collection 'handbook'"):
        made.ingest(job)
    assert in_use.exists()
    assert made.ingest(job).status == "completed"


def test_a_job_that_has_ended_is_not_run_again(made: MadeUploads) -> None:
    job = made.upload("manual.txt", pages(1))
    before = made.everything()
    assert made.ingest(job) == job
    assert made.everything() == before


def test_an_unknown_job_and_a_collection_that_is_no_longer_configured(made: MadeUploads) -> None:
    job = made.accept("manual.txt", pages(1))
    with pytest.raises(JobNotFound):
        ingest(made.app, "handbook", "0" * 30)
    other = replace(made, entries=[CollectionEntry(name="other")])
    with pytest.raises(CollectionNotFound, match="no longer configured"):
        other.ingest(job)
    assert made.ingest(job).status == "completed"


def test_progress_is_reported_after_each_file(made: MadeUploads) -> None:
    job = made.accept("a.zip", zipped({"one.txt": "one", "two.txt": "two"}))
    reported: list[tuple[str, int]] = []
    ingest(made.app, "handbook", job.job_id, report=lambda job: reported.append((job.status, len(job.files))))
    assert reported == [("processing", 0), ("processing", 1), ("processing", 2), ("completed", 2)]


def test_an_upload_that_never_arrives_fails_after_an_hour(made: MadeUploads) -> None:
    job = made.uploads().announce(UploadRequest(filename="a.pdf", size_bytes=5, sha256="0" * 64))
    assert made.ingest(job) == job
    assert made.resume() == []
    made.clock.advance(3_601)
    (ended,) = made.resume()
    assert ended.status == "failed"
    assert ended.error is not None
    assert ended.error.code == "UPL_FILE_UNREADABLE"
    assert list(made.store.keys("collections/handbook/")) == [
        f"collections/handbook/jobs/{job.job_id}.json",
        "collections/handbook/lease.json",
    ]


def test_what_arrives_must_be_what_was_announced(made: MadeUploads) -> None:
    data = b"Vacation"
    digest = hashlib.sha256(data).hexdigest()
    good = made.uploads().announce(UploadRequest(filename="a.txt", size_bytes=8, sha256=digest))
    made.store.put(made.files().upload_key(good.job_id), data)
    ended = made.ingest(good)
    assert (ended.status, ended.arrived) == ("completed", True)
    bad = made.uploads().announce(UploadRequest(filename="b.txt", size_bytes=8, sha256=digest))
    made.store.put(made.files().upload_key(bad.job_id), b"Vacatiom")
    failed = made.ingest(bad)
    assert failed.error is not None
    assert "not the one that was announced" in failed.error.message
    assert made.found(["vacat"]) == [("a.txt", 1)]
