"""The section `interrogation`: which models may question and answer, and what a mistake there says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import each_case
from tribal.errors import ConfigurationError
from tribal.settings import Settings, load_settings
from tribal_contracts.core.sections import find_section
from tribal_contracts.interrogation.settings import InterrogationSettings

FILE = """databases: [{name: shop}]
models:
  large: {provider: anthropic, name: claude-sonnet-5-5, api_key_secret: claude}
  cloud: {provider: bedrock, name: anthropic.claude-sonnet-5-5}
  local: {provider: ollama, name: 'qwen3:14b'}
"""


def load(folder: Path, section: str) -> Settings:
    (folder / "databases.yaml").write_text(FILE + section, encoding="utf-8")
    return load_settings(project=folder, environment={})


def section(folder: Path, text: str) -> InterrogationSettings:
    found = find_section(load(folder, text).sections, InterrogationSettings)
    assert found is not None
    return found


def test_without_a_key_it_has_the_documented_defaults_and_no_model(tmp_path: Path) -> None:
    found = section(tmp_path, "interrogation: {}\n")
    assert not found.has_models
    assert (found.iterations, found.cloud_timeout_seconds, found.local_timeout_seconds) == (10, 60, 120)
    assert (found.per_session_usd, found.per_exam_usd, found.answer_tokens, found.sessions_days) == (1, 5, 1_200, 365)
    assert find_section(load(tmp_path, "").sections, InterrogationSettings) is None


@each_case(
    ("fallback", "order"),
    [("", ["large", "cloud"]), ("[cloud, large]", ["large", "cloud"]), ("[large, cloud]", ["large", "cloud"])],
)
def test_a_call_tries_the_first_detective_and_then_each_other_once(
    tmp_path: Path, fallback: str, order: list[str]
) -> None:
    more = f"  fallback: {fallback}\n" if fallback else ""
    found = section(tmp_path, f"interrogation:\n  detectives: [large, cloud]\n  witness: local\n{more}")
    assert found.order == order
    assert found.has_models


@each_case(
    ("written", "line", "hint"),
    [
        ("  detectives:\n    - large\n    - larg\n", 9, "interrogation.detectives[1]: 'larg' is not under `models`"),
        ("  detectives: [local]\n", 7, "interrogation.detectives[0]: 'local' is of provider ollama, which cannot"),
        ("  detectives: [large, large]\n", 7, "interrogation.detectives[0]: 'large' is listed twice"),
        ("  witness: nobody\n", 7, "interrogation.witness: 'nobody' is not under `models`; the names there are large"),
        ("  detectives: [large]\n  fallback: [cloud]\n", 8, "interrogation.fallback: it must list each of detectives"),
        ("  iterations: 4\n", 7, "interrogation.iterations: should be at least 5"),
        ("  cloud_timeout_seconds: 121\n", 7, "interrogation.cloud_timeout_seconds: should be at most 120"),
        ("  detective: [large]\n", 7, "did you mean 'detectives'?"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_place(tmp_path: Path, written: str, line: int, hint: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, f"interrogation:\n{written}")
    assert f"databases.yaml, line {line}: " in caught.value.message
    assert hint in caught.value.message


def test_a_name_that_is_not_there_has_the_code_of_the_capability(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load(tmp_path, "interrogation: {witness: nobody}\n")
    assert caught.value.code == "INT_CONFIG_INVALID"
