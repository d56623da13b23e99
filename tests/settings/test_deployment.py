"""What a deployed function takes from its environment, and what the configuration in the bucket may take from it."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from tribal.app.deployed import _target, deployed_application
from tribal.errors import ConfigurationError
from tribal.settings import settings_in_bucket
from tribal.settings.deployment import ANSWER_TOKENS_VARIABLE, GIVEN_VARIABLES, Deployment, load_deployment
from tribal.settings.postgres_target import PostgresTarget
from tribal_contracts import DatabaseEntry

ENVIRONMENT = {
    "AWS_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "AKIAQ7Q7Q7Q7",
    "AWS_SESSION_TOKEN": "Zq9-session",
    "TRIBAL_STORE": "s3://bucket/main",
    "TRIBAL_INDEX": "sqlite",
    "PLANT_HOST": "10.0.0.5",
    "OTHER": "Zq9-other",
}


def entry(deployment: Deployment, dsn: str) -> DatabaseEntry:
    """The entry with this DSN, as the function reads it from the bucket."""
    data = f"databases:\n  - name: plant\n    dsn: {dsn}\n".encode()
    return settings_in_bucket(deployment.bucket, data, deployment.variables).entries[0]


def deployment(given: str = "") -> Deployment:
    return load_deployment(ENVIRONMENT | ({GIVEN_VARIABLES: given} if given else {}))


@each_case("name", ["AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID", "OTHER", "PLANT_HOST", "NO_SUCH"])
def test_the_configuration_in_the_bucket_gets_no_variable_that_was_not_given_to_it(name: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        entry(deployment(), f"postgresql://u@${{{name}}}/d")
    message = raised.value.message
    assert message.startswith("s3://bucket/main/config/databases.yaml, line 3: ")
    assert f"the variable {name} is not one that a deployed run may use" in message
    assert "password_secret" in message
    assert not any(value in message for key, value in ENVIRONMENT.items() if "AWS_" in key or key == "OTHER")


def test_a_variable_that_was_given_is_filled_in_and_the_others_get_a_default() -> None:
    dsn = entry(deployment(" PLANT_HOST, NO_SUCH"), "postgresql://u@${PLANT_HOST}/${OTHER:-d}").dsn
    assert dsn is not None
    assert dsn.get_secret_value() == "postgresql://u@10.0.0.5/d"


@each_case("name", ["AWS_SESSION_TOKEN", "LAMBDA_TASK_ROOT", "TRIBAL_STORE", "_HANDLER", "aws_x"])
def test_a_variable_of_the_runtime_can_not_be_given(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"lists {name}, which belongs to the runtime"):
        deployment(f"PLANT_HOST,{name}")


def test_the_variables_of_the_runtime_replace_no_part_of_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**ENVIRONMENT, "PGPASSWORD": "Zq9", "PGHOST": "elsewhere", "HOME": "/root"}.items():
        monkeypatch.setenv(name, value)
    target = _target(load_deployment(), DatabaseEntry(name="shop", user="u"))
    assert isinstance(target, PostgresTarget)
    assert (target.host, target.password) == ("localhost", None)


def test_how_long_an_answer_may_be_comes_from_the_environment() -> None:
    assert deployed_application(deployment()).answer_tokens == 3_000
    assert deployed_application(load_deployment({**ENVIRONMENT, ANSWER_TOKENS_VARIABLE: "900"})).answer_tokens == 900
    for wrong in ("many", "0", "", "1e9"):
        with pytest.raises(ConfigurationError, match="answer_tokens"):
            load_deployment({**ENVIRONMENT, ANSWER_TOKENS_VARIABLE: wrong})
