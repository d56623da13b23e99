"""The indexer in front of a real node of OpenSearch: messages come twice, late and in any order, and do no harm."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws
from opensearchpy import OpenSearch

from tests.functions.calls import Context, sqs_record
from tests.functions.test_documentation_run import REGION, Environment, call, configured
from tests.postgres_fixtures import COMPANY_SQL, FreshDatabase

EVENT = {"detail-type": "Object Created", "detail": {"object": {"key": "main/docs/documentation-manifest.json"}}}


class Queue:
    """The indexer's queue in moto."""

    def __init__(self) -> None:
        self._client = boto3.client("sqs", region_name=REGION)
        self.url: str = self._client.create_queue(QueueName="indexer")["QueueUrl"]

    def drain(self) -> list[str]:
        """The bodies of all messages that are not delayed."""
        bodies: list[str] = []
        while found := self._client.receive_message(QueueUrl=self.url, MaxNumberOfMessages=10).get("Messages"):
            for message in found:
                bodies.append(message["Body"])
                self._client.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])
        return bodies

    def delayed(self) -> int:
        """How many messages are still to come."""
        name = "ApproximateNumberOfMessagesDelayed"
        return int(self._client.get_queue_attributes(QueueUrl=self.url, AttributeNames=[name])["Attributes"][name])


@pytest.fixture
def environment(
    monkeypatch: pytest.MonkeyPatch, fresh_database: FreshDatabase, opensearch: OpenSearch, opensearch_address: str
) -> Iterator[tuple[Environment, Queue]]:
    # The index has the name that it has in every environment, each of which has a cluster of its own.
    opensearch.indices.delete(index="tribal-knowledge-*", params={"allow_no_indices": "true"})
    with mock_aws():
        queue = Queue()
        extra = {
            "TRIBAL_INDEX": "opensearch",
            "TRIBAL_SEARCH_ENDPOINT": opensearch_address,
            "TRIBAL_QUEUE_URL": queue.url,
        }
        yield configured(monkeypatch, fresh_database(COMPANY_SQL), **extra), queue
    opensearch.indices.delete(index="tribal-knowledge-*", params={"allow_no_indices": "true"})


def index(*bodies: str) -> list[str]:
    """Hand messages to the indexer; returns those that failed."""
    from functions.indexer.handler import handle

    records = [sqs_record(str(number), body) for number, body in enumerate(bodies)]
    failed = handle({"Records": records}, Context())["batchItemFailures"]
    return [bodies[int(failure["itemIdentifier"])] for failure in failed]


def answers() -> Any:
    """What the tools say of the whole index."""
    found = call("POST", "/v1/tools/search_tables", {"query": "unpaid invoices of a customer", "limit": 20})["body"]
    return found["tables"], call("POST", "/v1/tools/list_domains", {})["body"]["domains"]


@pytest.mark.xdist_group("opensearch-functions")
def test_units_in_any_order_and_twice_make_the_same_index_and_what_is_late_changes_nothing(
    environment: tuple[Environment, Queue],
) -> None:
    documented, queue = environment
    documented.run()
    assert call("POST", "/v1/tools/search_tables", {"query": "invoices"})["statusCode"] == 503
    assert index(json.dumps(EVENT)) == []
    units = queue.drain()
    assert {json.loads(body)["kind"] for body in units} == {"unit"}
    assert queue.delayed() == 1
    reconcile = json.dumps({"kind": "reconcile"})
    shuffled = [*units, *units]
    random.Random(7).shuffle(shuffled)
    assert index(*shuffled, "poison", reconcile) == ["poison"]
    first = answers()
    assert "company.billing.invoice" in [table["name"] for table in first[0]]
    # Everything again, late and out of order; the manifest again finds nothing to fan out.
    assert index(*units, json.dumps(EVENT)) == []
    assert [json.loads(body)["kind"] for body in queue.drain()] == ["reconcile"]
    assert answers() == first
