"""What may be uploaded where, by whom, and what a caller sees of it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from moto import mock_aws

from tests.capabilities.chat.uploads.made_uploads import ADA, HANDBOOK, MadeUploads, pages, zipped
from tests.cases import each_case
from tests.fakes import FixedClock
from tests.fakes.dying_store import DyingStore, Killed
from tribal.adapters.aws.clients import aws_client
from tribal.adapters.aws.s3 import S3ObjectStore
from tribal.capabilities.chat.errors import (
    ChatForbidden,
    CollectionNotFound,
    JobNotFound,
    UploadLimitExceeded,
    UploadRefused,
    UploadTooLarge,
    UploadUnreadable,
)
from tribal.errors import EmbeddingFailed
from tribal.ports import Caller
from tribal.ports.remembering.identity import Identity
from tribal_contracts.chat.requests import UploadRequest
from tribal_contracts.chat.settings import CollectionEntry, UploadLimits

GAMES = CollectionEntry(name="games", layer="team", owner="games")
PAY = CollectionEntry(name="pay", layer="team", owner="pay")
OF_GAMES = Caller("gus", identity=Identity("gus", teams=("games",)))
OF_PAY = Caller("pia", identity=Identity("pia", teams=("pay",)))


@pytest.fixture(name="made")
def made_fixture(tmp_path: Path) -> MadeUploads:
    return MadeUploads(tmp_path)


@pytest.fixture(name="teams")
def teams_fixture(tmp_path: Path) -> MadeUploads:
    return MadeUploads(tmp_path, [HANDBOOK, GAMES, PAY])


def test_an_upload_is_stored_and_waits_under_an_id_that_sorts_by_time(made: MadeUploads) -> None:
    first = made.accept("manual.txt", "one")
    made.clock.advance(0.001)
    second = made.accept("other.txt", "two")
    assert re.fullmatch(r"[0-9a-z-]{26,36}", first.job_id)
    assert first.job_id < second.job_id
    assert (first.status, first.arrived, first.collection, first.requested_by) == (
        "processing",
        True,
        "handbook",
        "ada",
    )
    assert made.store.get(made.files().upload_key(first.job_id)).data == b"one"
    assert made.uploads().job(first.job_id) == first
    listed = made.uploads().jobs()
    assert ([each.job_id for each in listed.jobs], listed.total, listed.truncated) == (
        [second.job_id, first.job_id],
        2,
        False,
    )
    limited = made.uploads().jobs(limit=1)
    assert ([each.job_id for each in limited.jobs], limited.total, limited.truncated) == ([second.job_id], 2, True)


def test_the_same_upload_again_is_the_job_that_waits(made: MadeUploads) -> None:
    job = made.accept("manual.txt", "Vacation")
    assert made.accept("manual.txt", "Vacation") == job
    assert made.accept("other.txt", "Vacation").job_id != job.job_id
    made.ingest(job)
    assert made.accept("manual.txt", "Vacation").status == "completed"
    assert made.uploads().jobs().total == 3


@each_case(
    ("filename", "data", "error"),
    [
        ("virus.exe", "MZ", UploadRefused),
        ("fake.pdf", "not a PDF", UploadRefused),
        ("noextension", "text", UploadRefused),
        ("fake.zip", "not an archive", UploadRefused),
        ("latin.txt", b"\xe4\xf6\xfc", UploadUnreadable),
        ("empty.txt", "", UploadUnreadable),
        ("large.txt", "x" * (1024 * 1024 + 1), UploadTooLarge),
    ],
)
def test_what_is_not_read_is_refused_at_once_and_leaves_nothing(
    tmp_path: Path, filename: str, data: str | bytes, error: type[UploadRefused]
) -> None:
    made = MadeUploads(tmp_path, settings={"uploads": UploadLimits(largest_mb=1)})
    with pytest.raises(error) as refused:
        made.accept(filename, data)
    assert type(refused.value) is error
    assert made.everything() == {}


def test_limits_are_named_with_their_settings(tmp_path: Path) -> None:
    made = MadeUploads(tmp_path, settings={"uploads": UploadLimits(largest_mb=1, passages=100)})
    with pytest.raises(UploadTooLarge, match=r"the 1 MB that `chat\.uploads\.largest_mb` allows"):
        made.accept("large.txt", "x" * (1024 * 1024 + 1))
    made.upload("full.txt", pages(100))
    with pytest.raises(
        UploadLimitExceeded, match=r"already has the 100 passages that `chat\.uploads\.passages` allows"
    ):
        made.accept("more.txt", "more")
    made.remove("full.txt")
    assert made.upload("more.txt", "more").status == "completed"


def test_an_upload_without_a_collection_goes_to_the_configured_or_the_only_one(tmp_path: Path) -> None:
    made = MadeUploads(tmp_path, [HANDBOOK, CollectionEntry(name="other")])
    with pytest.raises(UploadRefused, match="no collection was named; use one of handbook, other"):
        made.accept("a.txt", "a")
    chosen = replace(made, settings={"collection": "other"})
    assert chosen.accept("a.txt", "a").collection == "other"
    assert chosen.accept("a.txt", "a", "handbook").collection == "handbook"
    single = replace(made, entries=[HANDBOOK])
    assert single.accept("a.txt", "a").collection == "handbook"
    with pytest.raises(UploadRefused, match="no collection was named, and none is configured for uploads"):
        replace(made, entries=[]).accept("a.txt", "a")


def test_nothing_is_uploaded_to_the_documentation(made: MadeUploads) -> None:
    with pytest.raises(UploadRefused, match="nothing can be uploaded to 'catalog'; use one of handbook"):
        made.accept("a.txt", "a", "catalog")
    configured = replace(made, entries=[CollectionEntry(name="catalog"), HANDBOOK], settings={"collection": "catalog"})
    assert configured.accept("a.txt", "a").collection == "handbook"
    with pytest.raises(CollectionNotFound):
        made.uploads().remove("catalog", "a.txt")


def test_the_right_to_write_is_needed_for_everything_but_looking_at_collections(made: MadeUploads) -> None:
    job = made.upload("manual.txt", "Vacation")
    reader = made.uploads(Caller("rita", rights=frozenset(("documentation:read",))))
    (made.folder / "given").write_bytes(b"x")
    for call in (
        lambda: reader.accept(made.folder / "given", "a.txt"),
        lambda: reader.announce(UploadRequest(filename="a.txt", size_bytes=1, sha256="0" * 64)),
        lambda: reader.arrived("handbook", job.job_id),
        lambda: reader.job(job.job_id),
        lambda: reader.jobs(),
        lambda: reader.remove("handbook", "manual.txt"),
    ):
        with pytest.raises(ChatForbidden, match="collections:write"):
            call()
    assert [each.name for each in reader.collections().collections] == ["handbook"]


def test_two_teams_see_nothing_of_each_others_collections(teams: MadeUploads) -> None:
    job = teams.accept("secret plan.txt", "chess", "games", OF_GAMES)
    teams.ingest(job)
    theirs = teams.uploads(OF_PAY)
    with pytest.raises(JobNotFound) as hidden:
        theirs.job(job.job_id)
    with pytest.raises(JobNotFound) as missing:
        theirs.job("2" * 30)
    assert hidden.value.message.replace(job.job_id, "2" * 30) == missing.value.message
    assert theirs.jobs().jobs == []
    assert theirs.jobs().total == 0
    assert [each.name for each in theirs.collections().collections] == ["handbook", "pay"]
    for name in ("games", "nowhere"):
        for call in (
            lambda name=name: teams.accept("a.txt", "a", name, OF_PAY),
            lambda name=name: theirs.remove(name, "secret plan.txt"),
            lambda name=name: theirs.collection(name),
            lambda name=name: theirs.arrived(name, job.job_id),
        ):
            with pytest.raises(CollectionNotFound, match=f"no collection '{name}'; you may use catalog, handbook, pay"):
                call()
    with pytest.raises(UploadRefused, match=r"; use one of handbook, pay$"):
        teams.accept("a.txt", "a", None, OF_PAY)
    ours = teams.uploads(OF_GAMES)
    assert ours.jobs().total == 1
    assert ours.collection("games").sources[0].names == ["secret plan.txt"]


def test_an_announced_upload_is_checked_by_its_name_and_size(made: MadeUploads) -> None:
    for name in ("manual.pdf", "export.zip", "Notes.MD"):
        job = made.uploads().announce(UploadRequest(filename=name, size_bytes=5, sha256="0" * 64))
        assert (job.filename, job.arrived, job.status, job.content_hash) == (name, False, "processing", "0" * 64)
    for name, size, error in (("virus.exe", 5, UploadRefused), ("a.pdf", 10**10, UploadTooLarge)):
        with pytest.raises(error):
            made.uploads().announce(UploadRequest(filename=name, size_bytes=size, sha256="0" * 64))
    assert made.uploads().jobs().total == 3


@each_case("name", ["", "../../etc", "a/b", "x" * 30, "0" * 25, "0" * 37, "0123456789012345678901234/."])
def test_an_id_of_another_form_is_that_of_no_upload(made: MadeUploads, name: str) -> None:
    with pytest.raises(JobNotFound):
        made.uploads().job(name)


def test_a_removed_file_is_gone_from_answers_at_once_and_then_from_the_store(made: MadeUploads) -> None:
    made.upload("keep.txt", "Vacation rule")
    job = made.upload("remove.txt", "Vacation secret")
    source_id = str(job.files[0].source_id)
    assert made.found(["vacat"]) == [("keep.txt", 1), ("remove.txt", 1)]
    report = made.uploads().remove("handbook", "remove.txt")
    assert (report.source_id, report.names, report.gone_by) == (source_id, ["remove.txt"], "2026-11-22T02:45:00Z")
    assert made.found(["vacat"]) == [("keep.txt", 1)]
    ended = made.ingest(made.uploads().job(report.job_id))
    assert (ended.status, ended.removes, ended.files) == ("completed", source_id, [])
    manifest = made.files().manifest()
    assert [each.names for each in manifest.sources] == [["keep.txt"]]
    (removed,) = manifest.removed
    assert (removed.source_id, removed.removed_at, removed.gone_at is not None) == (source_id, ended.created_at, True)
    for key, data in made.everything().items():
        assert source_id not in key
        assert b"secret" not in data, key


def test_a_file_is_removed_by_its_id_or_by_any_of_its_names(made: MadeUploads) -> None:
    made.upload("one.txt", "same")
    job = made.upload("two.txt", "same")
    assert made.remove("two.txt").status == "completed"
    assert made.files().manifest().sources == []
    with pytest.raises(CollectionNotFound, match=r"has no file 'one\.txt'; it is empty"):
        made.remove("one.txt")
    made.upload("one.txt", "same")
    made.remove(str(job.files[0].source_id))
    assert made.files().manifest().sources == []


def test_of_two_files_of_one_name_an_id_is_asked_for(made: MadeUploads) -> None:
    ids = [str(made.upload("manual.txt", text).files[0].source_id) for text in ("first", "second")]
    with pytest.raises(CollectionNotFound, match=f"2 files named 'manual.txt'; specify an ID: {ids[0]}, {ids[1]}"):
        made.remove("manual.txt")
    with pytest.raises(CollectionNotFound, match=r"has no file 'other\.txt'; it has manual\.txt"):
        made.remove("other.txt")
    made.remove(ids[0])
    assert made.found(["second", "first"]) == [("manual.txt", 1)]


def test_a_removed_file_can_be_uploaded_again_also_before_it_is_deleted(made: MadeUploads) -> None:
    made.upload("manual.txt", "Vacation")
    report = made.uploads().remove("handbook", "manual.txt")
    made.clock.advance(1)
    made = replace(made, clock=type(made.clock)(made.clock.real(), is_fixed=True))
    assert made.upload("manual.txt", "Vacation").files[0].status == "indexed"
    assert made.ingest(made.uploads().job(report.job_id)).status == "completed"
    assert made.found(["vacat"]) == [("manual.txt", 1)]
    manifest = made.files().manifest()
    assert len(manifest.sources) == len(manifest.removed) == 1


def test_a_file_that_is_removed_while_an_archive_with_it_is_read_stays_removed(made: MadeUploads) -> None:
    made.upload("manual.txt", "Vacation")
    job = made.accept("a.zip", zipped({"manual again.txt": "Vacation", "new.txt": "New vacation"}))

    def remove(_: int) -> None:
        made.parser.before_page = lambda _: None  # type: ignore[attr-defined]
        made.uploads().remove("handbook", "manual.txt")

    made.parser.before_page = remove  # type: ignore[attr-defined]
    assert [each.status for each in made.ingest(job).files] == ["unchanged", "indexed"]
    assert made.found(["vacat"]) == [("new.txt", 1)]


def test_a_file_that_was_removed_after_an_upload_that_was_stopped_is_not_brought_back_by_it(tmp_path: Path) -> None:
    made = MadeUploads(tmp_path, clock=FixedClock())
    made.embedder.calls_left = 0
    stopped = made.accept("a.zip", zipped({"manual.txt": "Vacation", "new.txt": "New vacation"}))
    with pytest.raises(EmbeddingFailed):
        made.ingest(stopped)
    made.embedder.calls_left = None
    made.upload("manual.txt", "Vacation")
    made.clock.advance(1)
    made.remove("manual.txt")
    resumed = made.ingest(stopped)
    assert [each.status for each in resumed.files] == ["refused", "indexed"]
    assert made.found(["vacat"]) == [("new.txt", 1)]


def test_a_removal_that_is_killed_is_done_when_it_is_resumed(made: MadeUploads) -> None:
    made.upload("manual.txt", "Vacation")
    store = made.store
    dying = replace(made, store=DyingStore(store, 1))
    with pytest.raises(Killed):
        dying.uploads().remove("handbook", "manual.txt")
    (resumed,) = made.resume()
    assert (resumed.status, made.found(["vacat"])) == ("completed", [])
    assert list(store.keys("collections/handbook/sources/")) == []


def test_an_upload_that_is_killed_while_it_is_stored_fails_in_the_end(made: MadeUploads) -> None:
    store = made.store
    dying = replace(made, store=DyingStore(store, 1))
    with pytest.raises(Killed):
        dying.accept("manual.txt", "Vacation")
    assert made.resume() == []
    made.clock.advance(3_601)
    (ended,) = made.resume()
    assert ended.status == "failed"


def test_uploads_and_removals_are_launched_where_jobs_run_elsewhere(made: MadeUploads) -> None:
    launched: list[tuple[str, str]] = []
    made = replace(made, launch=lambda collection, job_id: launched.append((collection, job_id)))
    job = made.upload("manual.txt", "Vacation")
    report = made.uploads().remove("handbook", "manual.txt")
    assert launched == [("handbook", job.job_id), ("handbook", report.job_id)]


def test_what_a_collection_holds(made: MadeUploads) -> None:
    (empty,) = made.uploads(ADA).collections().collections
    assert (empty.embedding, empty.files, empty.passages) == (None, 0, 0)
    made.upload("manual.txt", pages(3))
    found = made.uploads().collection("handbook")
    assert found.embedding is not None
    assert (found.course_id, found.layer, found.files, found.passages) == ("handbook", "company", 1, 3)
    assert [each.names for each in found.sources] == [["manual.txt"]]
    no_reader = Caller("x", rights=frozenset())
    for call in (made.uploads(no_reader).collections, lambda: made.uploads(no_reader).collection("handbook")):
        with pytest.raises(ChatForbidden, match="documentation:read"):
            call()


def test_no_version_of_a_removed_file_is_left_in_a_bucket_that_keeps_versions(
    tmp_path: Path, aws_account: None
) -> None:
    with mock_aws():
        client = aws_client("s3", region="eu-central-1")
        client.create_bucket(Bucket="team", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        client.put_bucket_versioning(Bucket="team", VersioningConfiguration={"Status": "Enabled"})
        made = MadeUploads(tmp_path, store=S3ObjectStore(client, "team"))
        made.upload("keep.txt", "Vacation rule")
        source_id = str(made.upload("remove.txt", "Vacation secret").files[0].source_id)
        made.remove("remove.txt")
        listed = client.list_object_versions(Bucket="team")
        keys = [each["Key"] for each in (*listed["Versions"], *listed.get("DeleteMarkers", ()))]
        assert not [key for key in keys if source_id in key or "/uploads/" in key or "/progress/" in key]
        assert len([key for key in keys if key.endswith(".db")]) == 1
        assert made.found(["vacat"]) == [("keep.txt", 1)]
