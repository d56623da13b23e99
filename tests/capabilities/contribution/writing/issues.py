"""A small Python package on GitHub, its issues, and a model that answers by a script."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.capabilities.contribution.shop_on_github import ShopOnGitHub
from tests.capabilities.contribution.shop_with_clone import no_sandbox
from tests.fakes.github.server import FakeGitHub
from tests.fakes.scripted_model import ScriptedModel
from tests.plugins.skips import skip_or_fail
from tribal.adapters.bubblewrap.sandbox import open_sandbox
from tribal.capabilities.contribution.writing.model_session import WritingModels
from tribal.capabilities.contribution.writing.schemas import ANALYST, EDITOR, REVIEW, SCOUT
from tribal.errors import SandboxMissing
from tribal.models.chain import Chain, Link, OpenModel
from tribal.ports import ModelAnswer, ModelFacts, ModelOutcome, ModelRequest, Provider, StopToken
from tribal.ports.models.calls import ModelPrices
from tribal.ports.models.chains import ChainedModel, ModelAccount
from tribal.ports.sandbox import Sandbox
from tribal.prompt_templates import CONTRIBUTING, load_prompts
from tribal_contracts import ModelEntry, ModelUsage
from tribal_contracts.contribution.cycles import CycleRecord
from tribal_contracts.contribution.settings import ContributionSettings
from tribal_contracts.contribution.tools import PrepareContributionInput

CODE = '''"""Prices."""


def net(gross_cents: int) -> int:
    """The price without VAT."""
    return gross_cents * 100 // 119
'''
TESTS = """import unittest

from pricing.prices import net


class Net(unittest.TestCase):
    def test_of_a_price(self) -> None:
        self.assertEqual(net(119), 100)
"""
PACKAGE: Mapping[str, bytes] = {
    "Makefile": b"lint:\n\tpython3 -m compileall -q pricing\n\n"
    b"test:\n\tpython3 -m unittest discover -q -s tests -t .\n",
    "README.md": b"# Pricing\n\nPrices of the shop. See [prices](docs/prices.md).\n",
    "docs/prices.md": b"# Prices\n\n## Net\n\nA net price has no VAT.\n",
    "pricing/__init__.py": b"",
    "pricing/prices.py": CODE.encode(),
    "tests/__init__.py": b"",
    "tests/test_prices.py": TESTS.encode(),
}
TITLE = "net() fails silently for a negative price"
BODY = "A negative price should raise `ValueError` with the text `a price is not negative`, and the docs should say so."
Answer = Mapping[str, Any] | Callable[[Mapping[str, Any]], Mapping[str, Any]]
SUITABLE: Mapping[str, Any] = {
    "suitable": True,
    "problem": "",
    "difficulty": "trivial",
    "type": "bug-fix",
    "read": ["pricing/prices.py", "tests/test_prices.py", "docs/prices.md"],
}
PLANNED: Mapping[str, Any] = {
    "clear": True,
    "problem": "",
    "title": "Refuse negative prices",
    "summary": "net() raises ValueError for a negative price.",
    "complexity": "trivial",
    "risk": "low",
    "breaking": False,
    "requirements": ["net() raises ValueError for a negative price."],
    "files": [
        {"path": "pricing/prices.py", "change": "edit", "why": "raise the error"},
        {"path": "tests/test_negative.py", "change": "create", "why": "test the error"},
        {"path": "docs/prices.md", "change": "edit", "why": "say so"},
    ],
    "lines": 20,
    "steps": ["Check the price first."],
}
GUARD = '''    """The price without VAT."""
    if gross_cents < 0:
        raise ValueError("a price is not negative")
'''
EDITS: Mapping[str, Mapping[str, Any]] = {
    "code": {
        "edits": [{"path": "pricing/prices.py", "search": '    """The price without VAT."""\n', "replace": GUARD}],
        "notes": [{"path": "pricing/prices.py", "name": "", "text": "Refuse negative prices."}],
    },
    "tests": {
        "edits": [
            {
                "path": "tests/test_negative.py",
                "search": "",
                "replace": TESTS.replace("test_of_a_price", "test_of_a_negative_price").replace(
                    "self.assertEqual(net(119), 100)",
                    'with self.assertRaisesRegex(ValueError, "not negative"):\n            net(-1)',
                ),
            }
        ],
        "notes": [{"path": "tests/test_negative.py", "name": "test_of_a_negative_price", "text": "A negative price."}],
    },
    "documents": {
        "edits": [
            {
                "path": "docs/prices.md",
                "search": "A net price has no VAT.\n",
                "replace": "A net price has no VAT. A negative price is an error.\n",
            }
        ],
        "notes": [{"path": "docs/prices.md", "name": "Net", "text": "Negative prices are an error."}],
    },
}


@dataclass
class Mind:
    """What a model answers, by what it is asked for; the last answer of a list is repeated."""

    scout: Sequence[Answer] = (SUITABLE,)
    analyst: Sequence[Answer] = (PLANNED,)
    code: Sequence[Answer] = (EDITS["code"],)
    tests: Sequence[Answer] = (EDITS["tests"],)
    documents: Sequence[Answer] = (EDITS["documents"],)
    review: Sequence[Answer] = ()
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """What was asked for, and the data that was sent."""

    def data(self, kind: str) -> list[dict[str, Any]]:
        """The data of every request of a kind."""
        return [data for each, data in self.asked if each == kind]

    def answer(self, request: ModelRequest, _: int) -> ModelOutcome:
        """Answer a request."""
        data: dict[str, Any] = json.loads(request.part)
        kinds = {id(SCOUT): "scout", id(ANALYST): "analyst", id(REVIEW): "review"}
        kind = data["role"] if request.schema is EDITOR else kinds[id(request.schema)]
        self.asked.append((kind, data))
        answers: Sequence[Answer] = getattr(self, kind)
        given = answers[min(len(self.data(kind)), len(answers)) - 1]
        value = given(data) if callable(given) else given
        return ModelAnswer(value, ModelUsage(calls=1, input_tokens=1_000, output_tokens=100, nanodollars=1_000_000))


@dataclass
class ScriptedSource:
    """One model, which answers by a script."""

    mind: Mind
    kept: frozenset[str] = frozenset()
    """Databases that are kept from models."""
    accounts: list[ModelAccount] = field(default_factory=list)

    @property
    def entries(self) -> Mapping[str, ModelEntry]:
        return {}

    def require(self, name: str) -> ModelFacts:
        price = Decimal(1)
        return ModelFacts(name, ModelPrices(price, price, price, price), "the test")

    def chain(self, models: Sequence[ChainedModel], account: ModelAccount, stop: StopToken) -> Chain:
        self.accounts.append(account)
        model = ScriptedModel(self.mind.answer)
        opened = Provider.of(OpenModel(name=models[0].name, model=model, timeout_seconds=60.0))
        return Chain([Link(models[0].name, opened)], stop)

    def may_send(self) -> Callable[[str], bool] | None:
        return lambda name: name not in self.kept


@dataclass
class Package(ShopOnGitHub):
    """A package on GitHub whose issues a model does."""

    github: FakeGitHub = field(default_factory=lambda: FakeGitHub(dict(PACKAGE)))
    mind: Mind = field(default_factory=Mind)
    open_sandbox: Callable[[], Sandbox] = no_sandbox

    def __post_init__(self) -> None:
        super().__post_init__()
        self.source = ScriptedSource(self.mind)

    def use(self, **entry: object) -> None:
        super().use(**entry)
        [found] = self.parts.settings.repositories
        settings = ContributionSettings(repositories=[found], model="writer")
        models = WritingModels(settings, self.source, lambda: load_prompts(templates=CONTRIBUTING))
        self.parts = replace(self.parts, settings=settings, models=models, open_sandbox=self.open_sandbox)

    def run_checks(self) -> None:
        """Run the checks of the repository, in a sandbox."""
        try:
            open_sandbox()
        except SandboxMissing as missing:
            skip_or_fail(missing.message)
        self.open_sandbox = open_sandbox
        self.use()

    def do_issue(self, title: str = TITLE, body: str = BODY) -> CycleRecord:
        """Prepare what an issue asks for; an earlier contribution for it is given up."""
        for earlier in self.contributions().records():
            if earlier.state != "ended":
                self.contributions().abort(earlier.cycle)
        record = self.contributions().prepare(PrepareContributionInput(issue=self.ask(title, body)))
        self.require_specified()
        assert record is not None
        return record


def package_in(folder: Path, **changes: Any) -> Package:
    """A package whose issues can be done."""
    made = Package(folder, **changes)
    made.use()
    return made
