"""Clients of AWS."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.loaders import JSONFileLoader
from moto import mock_aws

from tribal.adapters.aws.clients import aws_client


def files_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is read of the models of services from now on."""
    read, load = list[str](), JSONFileLoader.load_file

    def noted(loader: JSONFileLoader, file: str) -> Any:
        read.append(file)
        return load(loader, file)

    monkeypatch.setattr(JSONFileLoader, "load_file", noted)
    return read


@pytest.mark.usefixtures("aws_account")
def test_a_process_reads_the_model_of_a_service_once(monkeypatch: pytest.MonkeyPatch) -> None:
    aws_client("s3", region="eu-central-1")
    read = files_read(monkeypatch)
    assert aws_client("s3", region="us-east-1").meta.region_name == "us-east-1"
    assert read == []
    aws_client("kinesis", region="us-east-1")
    assert read != []


@pytest.mark.usefixtures("aws_account")
def test_nor_does_it_for_a_role(monkeypatch: pytest.MonkeyPatch) -> None:
    role = "arn:aws:iam::123456789012:role/tribal-network"
    with mock_aws():
        aws_client("s3", region="eu-central-1", role=role)
        read = files_read(monkeypatch)
        aws_client("s3", region="eu-central-1", role=role)
        assert read == []
