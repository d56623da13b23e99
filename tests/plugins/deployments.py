"""The synthesised app, and an account with state machines: loaded only by the tests that use them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.cases import each_case

if TYPE_CHECKING:
    from tests.infra.state_machines import Account
    from tests.infra.synthesis import Assembly, Template


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    """An empty account with a bucket, in which state machines really run."""
    from tests.infra.state_machines import empty_account

    with empty_account(monkeypatch) as account:
        yield account


@pytest.fixture
def renamed_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters of Step Functions' own API as it takes them."""
    from tests.e2e.stand_ins import rename_parameters

    rename_parameters(monkeypatch)


@pytest.fixture(scope="session")
def assembly(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """The synthesised app."""
    from tests.infra.synthesis import synthesise

    return synthesise(tmp_path_factory.mktemp("assembly"), tmp_path_factory.mktemp("packages"))


@pytest.fixture
def template(assembly: Assembly) -> dict[str, Template]:
    """The template of every environment: a test with this fixture is called with each in turn, see below."""
    return assembly.templates


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Call a test of templates with each template, and report every one that fails."""
    arguments = pyfuncitem._fixtureinfo.argnames
    if "template" not in arguments:
        return None
    given: dict[str, Any] = {name: pyfuncitem.funcargs[name] for name in arguments}
    templates: dict[str, Template] = given.pop("template")
    each_case("template", templates.values(), ids=list(templates))(pyfuncitem.obj)(**given)
    return True
