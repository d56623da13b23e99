"""What three documentation runs left in the bucket, step by step, and a queue that delivers as SQS may.

First a run of everything; then a table has a column more; then a domain and a table are gone, their documents too.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws
from moto.sqs.models import sqs_backends

from tests.functions.calls import Context, sqs_record
from tests.functions.test_documentation_run import REGION, configured
from tests.plugins.postgres import administer
from tribal.app.deployed import deployed_application
from tribal.identity.locations import DOCS, MANIFEST_FILE
from tribal.ports import ObjectStore
from tribal.settings.deployment import load_deployment

SQL = """
CREATE SCHEMA sales; CREATE SCHEMA billing; CREATE SCHEMA audit;
CREATE TABLE sales.customer (id bigint PRIMARY KEY, email text, since date);
CREATE TABLE sales.product (id bigint PRIMARY KEY, title text, net_cents bigint);
CREATE TABLE sales.orders (id bigint PRIMARY KEY, customer_id bigint NOT NULL REFERENCES sales.customer,
  product_id bigint REFERENCES sales.product, placed_at timestamptz);
CREATE TABLE billing.invoice (id bigint PRIMARY KEY, order_id bigint REFERENCES sales.orders, due date);
CREATE TABLE billing.payment (id bigint PRIMARY KEY, invoice_id bigint REFERENCES billing.invoice, cents bigint);
CREATE TABLE audit.change_log (id bigint PRIMARY KEY, at timestamptz, what text);
CREATE TABLE audit.login (id bigint PRIMARY KEY, customer_id bigint REFERENCES sales.customer, ok boolean);
"""
CHANGES = (
    "ALTER TABLE sales.orders ADD COLUMN delivered_at timestamptz",
    "DROP SCHEMA audit CASCADE; DROP TABLE billing.payment",
)
DOMAINS = """    domains:
      sales: ["sales.*"]
      billing: ["billing.*"]
      audit: ["audit.*"]
"""
MANIFEST_EVENT = json.dumps(
    {"detail-type": "Object Created", "detail": {"object": {"key": "main/docs/documentation-manifest.json"}}}
)
MANIFEST = '{"kind":"manifest"}'
REBUILD = '{"kind":"rebuild"}'
MOST_ATTEMPTS = 5
"""After so many the message would be a dead letter."""
_MOST_DELIVERIES = 300

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Step:
    """What lies under `docs/` after a part of a run, and whether the manifest has just been written."""

    files: Files
    announced: bool


def record_runs(dsn: str) -> list[Step]:
    """Document a database three times; each run writes documents, then the manifest, then removes what is left over."""
    steps: list[Step] = []
    files: Files = {}
    with pytest.MonkeyPatch.context() as patch, mock_aws():
        environment = configured(patch, dsn, DOMAINS, TRIBAL_INDEX="sqlite")
        for change in ("", *CHANGES):
            if change:
                administer(dsn, change)
            environment.run()
            store = deployed_application(load_deployment()).store()
            # Pages for people are nothing to the indexer.
            after = {key: store.get(key).data for key in store.keys(DOCS) if key.endswith(".json")}
            written = {**files, **{key: data for key, data in after.items() if key != MANIFEST_FILE}}
            published = {**written, MANIFEST_FILE: after[MANIFEST_FILE]}
            steps += [Step(written, False), Step(published, True), Step(after, False)]
            files = after
    return steps


class Choices:
    """Numbers that Hypothesis has drawn, one after the other; 0 when there are no more."""

    def __init__(self, numbers: Sequence[int] = ()) -> None:
        self._left = iter(numbers)

    def among(self, count: int) -> int:
        """A number below `count`."""
        return next(self._left, 0) % count


class LookingContext(Context):
    """A call in the middle of which something else happens: when it looks at the clock."""

    meanwhile: Callable[[], None] | None = None

    def get_remaining_time_in_millis(self) -> int:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().get_remaining_time_in_millis()


def short_of_time() -> LookingContext:
    """A call that stops after the second batch of files."""
    return LookingContext(37_500, 1_000)


@dataclass
class Replay:
    """The bucket and the queue, with the real indexer between them."""

    store: ObjectStore
    queue: Any
    queue_url: str
    disks: Path
    files: Files = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    delivered: list[str] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)

    def become(self, files: Files) -> None:
        """Bring `docs/` to a state: new files, then the manifest, then what goes."""
        for key in sorted(files, key=lambda key: (key == MANIFEST_FILE, key)):
            if self.files.get(key) != files[key]:
                self.store.put(key, files[key])
        for key in self.files.keys() - files.keys():
            self.store.delete(key)
        self.files = files

    def clear(self) -> None:
        """Forget what was indexed and queued, and on which disks; the documents stay."""
        for key in [key for prefix in ("data/", "progress/") for key in self.store.keys(prefix)]:
            self.store.delete(key)
        shutil.rmtree(self.disks, ignore_errors=True)
        for machine in ("0", "1"):
            (self.disks / machine).mkdir(parents=True)
        self.pending, self.delivered, self.failures = [], [], Counter()

    def deliver(self, body: str, context: Context | None = None) -> bool:
        """Hand one message to the indexer, and take up what it queues itself; whether it was dealt with."""
        from functions.indexer import handler

        assert len(self.delivered) < _MOST_DELIVERIES, "the indexer keeps itself busy"
        answer = handler.handle({"Records": [sqs_record("m", body)]}, context or Context())
        self.delivered.append(body)
        self.take_up()
        return not answer["batchItemFailures"]

    def deliver_one(self, choices: Choices, *, held_up: bool) -> None:
        """Deliver one of the pending messages, or deliver it and keep it, in a call that may be short of time."""
        body = self.pending.pop(choices.among(len(self.pending)))
        tempfile.tempdir = str(self.disks / str(choices.among(2)))
        context = short_of_time() if choices.among(4) == 3 else LookingContext()
        if held_up and choices.among(4) == 3 and self.pending:
            context.meanwhile = lambda: self.deliver_one(choices, held_up=False)
        if choices.among(5) == 4:
            self.pending.append(body)
        if not self.deliver(body, context):
            self.failures[body] += 1
            self.pending.append(body)

    def drain(self, choices: Choices, *, held_up: bool = False) -> None:
        """Deliver until nothing is left."""
        while self.pending:
            self.deliver_one(choices, held_up=held_up)

    def take_up(self) -> None:
        """Take what the indexer has queued, as if the time had passed for which it is delayed."""
        account = self.queue_url.split("/")[-2]
        for message in sqs_backends[account][REGION].queues["indexer"]._messages:
            message.delayed_until = 0.0
        while found := self.queue.receive_message(QueueUrl=self.queue_url, MaxNumberOfMessages=10).get("Messages"):
            for message in found:
                self.pending.append(message["Body"])
                self.queue.delete_message(QueueUrl=self.queue_url, ReceiptHandle=message["ReceiptHandle"])


@contextmanager
def replaying(disks: Path, **variables: str) -> Iterator[Replay]:
    """An environment without documents, whose indexer takes few files at once; inside `mock_aws`."""
    from tribal.indexing import run

    with pytest.MonkeyPatch.context() as patch, mock_aws():
        configured(patch, "postgresql://nowhere.invalid/x")
        queue = boto3.client("sqs", region_name=REGION)
        url = queue.create_queue(QueueName="indexer")["QueueUrl"]
        for name, value in {"TRIBAL_QUEUE_URL": url, **variables}.items():
            patch.setenv(name, value)
        patch.setattr(run, "FILES_AT_ONCE", 4)
        patch.setattr(tempfile, "tempdir", None)
        yield Replay(deployed_application(load_deployment()).store(), queue, url, disks)
