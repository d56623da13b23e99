"""Metrics and terms in `databases.yaml`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import each_case
from tribal.app.options import options_of
from tribal.errors import ConfigurationError
from tribal.ports import RunParameters
from tribal.settings import BucketPlace, load_settings, settings_in_bucket
from tribal.settings.settings import Settings
from tribal_contracts import ModelSettings

MODEL = "model: {provider: ollama, name: qwen, terms: {churned: Left us.}}\n"
TERMS = "terms:\n- {name: churned, definition: Left us.}\n"
METRICS = """\
metrics:
- name: billed
  description: What we billed.
  expression: sum(cents)
  tables: [shop.billing.invoice]
"""


def loaded(folder: Path, text: str) -> Settings:
    (folder / "databases.yaml").write_text(f"databases: [{{name: shop, dsn: 'postgresql://u@h/d'}}]\n{text}")
    return load_settings(project=folder, environment={})


def test_metrics_and_terms_reach_the_options_of_a_run_with_their_lines(tmp_path: Path) -> None:
    options = options_of(loaded(tmp_path, METRICS + TERMS), RunParameters())
    assert [(each.name, each.file, each.line) for each in options.metrics] == [("billed", "databases.yaml", 3)]
    assert [(each.name, each.file, each.line) for each in options.terms] == [("churned", "databases.yaml", 8)]


def test_models_get_terms_in_either_spelling_and_both_are_terms(tmp_path: Path) -> None:
    newer = loaded(tmp_path, f"model: {{provider: ollama, name: qwen}}\n{TERMS}")
    older = loaded(tmp_path, MODEL)
    assert newer.model == older.model
    assert [each.definition for each in newer.terms] == [each.definition for each in older.terms] == ["Left us."]
    assert older.terms[0].line == 2


def test_a_deployed_model_gets_the_terms_of_the_file_unless_it_has_its_own() -> None:
    data = f"databases: [{{name: shop, host: h}}]\n{TERMS}".encode()
    model = ModelSettings(provider="ollama", name="qwen")
    own = model.model_copy(update={"terms": {"won": "Signed."}})
    for given, told in ((model, {"churned": "Left us."}), (own, own.terms)):
        settings = settings_in_bucket(BucketPlace("bucket", ""), data, {}, model=given)
        assert settings.model is not None
        assert settings.model.terms == told


@each_case(
    "text, message",
    [
        (MODEL + TERMS, "line 2: model.terms is the older spelling of terms; keep the newer one"),
        (
            "metrics:\n- {name: a, description: b, expression: c, tables: []}\n",
            "line 3: metrics.0.tables: should have at",
        ),
        ("metrics:\n- {name: a, description: b, tables: [c]}\n", "line 3: the key 'expression' is missing; add it"),
        (
            "terms:\n- {name: a, definition: b, synonym: [c]}\n",
            "line 3: unknown key 'synonym'; did you mean 'synonyms'?",
        ),
    ],
)
def test_mistakes_are_refused_with_their_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, text)
    assert message in caught.value.message
