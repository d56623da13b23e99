"""Profiles: what a name leads to, without asking AWS."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import each_case
from tribal.errors import ConfigurationError
from tribal.settings import BucketPlace
from tribal.settings.profiles import Profile, load_profile


def load(name: str, folder: Path, text: str = "", **environment: str) -> Profile:
    """The profile that a file of this text gives."""
    file = folder / "tribal" / "profiles.yaml"
    if text:
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return load_profile(name, {"XDG_CONFIG_HOME": str(folder), **environment})


def test_without_a_file_a_name_is_the_stack_of_that_environment(tmp_path: Path) -> None:
    profile = load("dev", tmp_path)
    assert profile.stack == "tribal-knowledge-dev"
    assert (profile.region, profile.aws_profile, profile.api, profile.token) == (None, None, None, None)


def test_a_file_says_where_and_as_whom_and_other_names_stay_stacks(tmp_path: Path) -> None:
    text = """
profiles:
  work:
    stack: tribal-knowledge-prod
    region: eu-west-1
    aws_profile: office
    api: https://x.execute-api.eu-west-1.amazonaws.com/prod/
    store: s3://bucket/main
    state_machine: arn:aws:states:eu-west-1:123456789012:stateMachine:tribal-prod-run
    token: ${WORK_TOKEN}
"""
    profile = load("work", tmp_path, text, WORK_TOKEN="abc.def")
    assert (profile.stack, profile.region, profile.aws_profile) == ("tribal-knowledge-prod", "eu-west-1", "office")
    assert profile.api == "https://x.execute-api.eu-west-1.amazonaws.com/prod"
    assert profile.store == BucketPlace("bucket", "main")
    assert profile.token is not None
    assert "abc.def" not in repr(profile)
    assert load("dev", tmp_path, text).stack == "tribal-knowledge-dev"


def test_the_file_may_lie_elsewhere_and_the_environment_gives_region_and_token(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("profiles:\n  dev: {stack: other}\n")
    profile = load("dev", tmp_path, TRIBAL_PROFILES=str(file), AWS_REGION="eu-north-1", TRIBAL_TOKEN="t.o-k\n")
    assert (profile.stack, profile.region) == ("other", "eu-north-1")
    assert profile.token is not None
    assert profile.token.get_secret_value() == "t.o-k"
    with pytest.raises(ConfigurationError, match="TRIBAL_PROFILES names"):
        load("dev", tmp_path, TRIBAL_PROFILES=str(tmp_path / "nowhere.yaml"))


@each_case(
    ("text", "said"),
    [
        ("profiles:\n  dev:\n    regoin: x\n", "line 3: unknown key 'regoin'; did you mean 'region'"),
        ("profiles:\n  dev: eu-west-1\n", "line 2: the profile 'dev' must have keys"),
        ("dev:\n  region: x\n", "line 1: the file must have one key, `profiles:`"),
        ("- dev\n", "must start with `profiles:`"),
        ("profiles:\n  dev:\n    token: ${NOT_SET}\n", "line 3: the environment variable NOT_SET is not set"),
        ("profiles:\n  dev:\n    store: bucket\n", "is not a valid bucket address"),
        ("profiles:\n  dev:\n    api: http://example.com/dev\n", "https://"),
        ("profiles: [\n", "line"),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_hint(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        load("dev", tmp_path, text)
    assert said in raised.value.message


def test_what_another_profile_needs_need_not_be_there(tmp_path: Path) -> None:
    text = "profiles:\n  prod:\n    token: ${NOT_SET}\n  dev:\n    region: eu-west-1\n"
    assert load("dev", tmp_path, text).region == "eu-west-1"


def test_what_is_no_token_is_refused_and_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as raised:
        load("dev", tmp_path, TRIBAL_TOKEN="hunter2 and\nmore")
    assert "TRIBAL_TOKEN" in raised.value.message
    assert "hunter2" not in raised.value.message


def test_questions_go_to_this_machine_in_clear_and_to_no_other(tmp_path: Path) -> None:
    text = "profiles:\n  here: {api: 'http://127.0.0.1:8000/dev'}\n  there: {api: 'http://10.0.0.1/dev'}\n"
    assert load("here", tmp_path, text).api == "http://127.0.0.1:8000/dev"
    with pytest.raises(ConfigurationError):
        load("there", tmp_path, text)
