"""Clients of AWS."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.loaders import JSONFileLoader

from tribal.adapters.aws.clients import aws_client


@pytest.mark.usefixtures("aws_account")
def test_a_process_reads_the_model_of_a_service_once(monkeypatch: pytest.MonkeyPatch) -> None:
    aws_client("s3", region="eu-central-1")
    read, load = list[str](), JSONFileLoader.load_file

    def noted(loader: JSONFileLoader, file: str) -> Any:
        read.append(file)
        return load(loader, file)

    monkeypatch.setattr(JSONFileLoader, "load_file", noted)
    assert aws_client("s3", region="us-east-1").meta.region_name == "us-east-1"
    assert read == []
    aws_client("kinesis", region="us-east-1")
    assert read != []
