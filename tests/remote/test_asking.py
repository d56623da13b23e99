"""`tribal --profile NAME` asks a deployed environment, and answers as it does from a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.edges.cli.tribal_command import tribal, tribal_process
from tests.remote.environments import Deployed, deployed, loaded_by, make_stack, without_aws
from tests.remote.signed_api import REGION, STAGE, TOKEN, serving

pytestmark = pytest.mark.xdist_group("remote")

QUESTIONS = [
    ["search", "which customers have not paid", "--limit", "3"],
    ["search", "überfällige Rechnungen", "--database", "company"],
    ["table", "billing.invoice", "--include-samples"],
    ["join", "crm.customer", "billing.payment", "--max-hops", "5"],
    ["domain", "billing"],
    ["domains"],
    ["table", "billing.invoicee"],
    ["search", "x", "--limit", "50"],
]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, company_dsn: str) -> Iterator[Deployed]:
    """The sample company, documented and indexed."""
    with pytest.MonkeyPatch.context() as patch, deployed(tmp_path_factory.mktemp("deployed"), patch) as made:
        made.configure(f"databases:\n  - name: company\n    dsn: '{company_dsn}'\n")
        ran = made.ask("run", "--follow")
        assert ran.returncode == 0, ran.stderr
        made.index()
        make_stack(made, "guarded", ApiAuth="jwt")
        make_stack(made, "not-ours", Store="", ApiAddress="", StateMachine="")
        yield made


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory, company_dsn: str) -> Path:
    """The same in a folder."""
    folder = tmp_path_factory.mktemp("here")
    ran = tribal("run", company_dsn, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    return folder


@pytest.fixture(autouse=True)
def untouched(request: pytest.FixtureRequest) -> Iterator[None]:
    """Nothing of one test is left to the next."""
    yield
    if "environment" in request.fixturenames:
        api = request.getfixturevalue("environment").api
        api.auth, api.instead, api.refused = "iam", [], []


@pytest.mark.parametrize("how", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_an_answer_is_the_one_of_a_folder(
    environment: Deployed, here: Path, question: list[str], how: list[str]
) -> None:
    there, local = environment.ask(*question, *how), tribal(*question, *how, cwd=here)
    assert environment.api.refused == []
    if how:
        answers = [json.loads(ran.stdout) for ran in (there, local)]
        for answer in answers:
            # When something went wrong is not what went wrong.
            for said in (answer.get("error") or {}, *(answer.get("warnings") or ())):
                said.pop("timestamp", None)
            # The two were documented one after the other.
            (answer.get("schema") or {}).pop("row_count_at", None)
        assert answers[0] == answers[1]
    else:
        assert (there.stdout, there.stderr) == (local.stdout, local.stderr)
    assert there.returncode == local.returncode


def test_who_may_not_ask_is_shown_what_is_missing(environment: Deployed) -> None:
    refused = environment.ask("search", "x", AWS_SECRET_ACCESS_KEY="another")
    assert (refused.returncode, refused.stdout) == (8, "")
    assert "execute-api:Invoke" in refused.stderr
    assert len(environment.api.refused) == 1


def test_an_error_is_json_where_json_was_asked_for(environment: Deployed) -> None:
    refused = environment.ask("domains", "--json", AWS_SECRET_ACCESS_KEY="another")
    assert json.loads(refused.stdout)["error"]["code"] == "ENV_ACCESS_DENIED"


def test_an_api_that_is_overloaded_or_broken_is_asked_again_and_then_named(environment: Deployed) -> None:
    environment.api.instead = [(429, '{"message": "Too Many Requests"}')] * 3
    tired = environment.ask("domains")
    assert (tired.returncode, "retry in a minute" in tired.stderr) == (8, True)
    environment.api.instead = [(504, '{"message": "Endpoint request timed out"}')]
    assert environment.ask("domains").returncode == 0


def test_an_answer_of_another_shape_is_no_answer(environment: Deployed) -> None:
    environment.api.instead = [(200, '{"tokens_used": 1, "tables": 5}')]
    ran = environment.ask("search", "x")
    assert (ran.returncode, "different versions" in ran.stderr) == (8, True)


def profiles(folder: Path, text: str) -> str:
    file = folder / "profiles.yaml"
    file.write_text(text)
    return str(file)


def test_an_environment_that_takes_tokens_is_asked_with_one(environment: Deployed, tmp_path: Path) -> None:
    environment.api.auth = "jwt"
    file = profiles(tmp_path, "profiles:\n  dev:\n    stack: guarded\n")
    missing = environment.ask("domains", TRIBAL_PROFILES=file)
    assert (missing.returncode, "TRIBAL_TOKEN" in missing.stderr) == (2, True)
    assert environment.ask("domains", TRIBAL_PROFILES=file, TRIBAL_TOKEN=TOKEN).returncode == 0
    wrong = environment.ask("domains", TRIBAL_PROFILES=file, TRIBAL_TOKEN="another")
    assert (wrong.returncode, "expired" in wrong.stderr) == (8, True)
    assert "another" not in wrong.stderr


def test_a_token_is_kept_from_an_environment_that_takes_signatures(environment: Deployed) -> None:
    assert environment.ask("domains", TRIBAL_TOKEN=TOKEN).returncode == 0
    assert environment.api.refused == []


def test_an_address_and_a_token_need_neither_an_account_nor_its_packages(environment: Deployed, tmp_path: Path) -> None:
    environment.api.auth = "jwt"
    text = f"profiles:\n  tools:\n    api: {environment.api.address}{STAGE}\n    token: ${{MINE}}\n"
    variables = {"TRIBAL_PROFILES": profiles(tmp_path, text), "MINE": TOKEN} | without_aws(tmp_path)
    ran = tribal_process("--profile", "tools", "search", "unpaid invoices", cwd=tmp_path, **variables)
    assert ran.returncode == 0, ran.stderr
    assert "company.billing.invoice" in ran.stdout


def test_without_the_packages_for_aws_the_install_command_is_named(environment: Deployed, tmp_path: Path) -> None:
    for arguments in (["status"], ["domains"], ["run"]):
        variables = environment.variables | without_aws(tmp_path)
        ran = tribal_process("--profile", "dev", *arguments, cwd=tmp_path, **variables)
        assert (ran.returncode, "pip install 'tribal-knowledge[aws]'" in ran.stderr) == (2, True), ran.stderr


def test_a_store_in_s3_needs_them_too(tmp_path: Path) -> None:
    (tmp_path / "databases.yaml").write_text("databases:\n  - {name: a, dsn: 'postgresql://u@h/d'}\nstore: s3://bkt\n")
    ran = tribal_process("status", cwd=tmp_path, **without_aws(tmp_path))
    assert (ran.returncode, "pip install 'tribal-knowledge[aws]'" in ran.stderr) == (2, True)


def test_a_profile_names_stack_and_region(environment: Deployed, tmp_path: Path) -> None:
    text = f"profiles:\n  mine:\n    stack: tribal-knowledge-dev\n    region: {REGION}\n"
    variables = {"TRIBAL_PROFILES": profiles(tmp_path, text), "AWS_DEFAULT_REGION": ""}
    assert environment.tribal("--profile", "mine", "domains", **variables).returncode == 0
    other = environment.tribal("--profile", "dev", "domains", AWS_DEFAULT_REGION="us-west-2")
    assert other.returncode == 2
    assert "no stack 'tribal-knowledge-dev' in us-west-2" in other.stderr
    assert "profiles.yaml" in other.stderr


def test_what_is_missing_to_find_an_environment_is_named(environment: Deployed, tmp_path: Path) -> None:
    nobody = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
    for command, variables, code, said in (
        ("domains", {"AWS_DEFAULT_REGION": ""}, 2, "AWS_REGION"),
        ("run", nobody, 8, "aws sso login"),
        ("status", {"AWS_PROFILE": "office"}, 2, "office"),
        ("domains", {"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, 8, "check the network"),
        ("run", {"TRIBAL_PROFILES": profiles(tmp_path, "profiles: {dev: {stack: not-ours}}")}, 2, "no output"),
    ):
        ran = environment.ask(command, **variables)
        assert (ran.returncode, said in ran.stderr, "Traceback" in ran.stderr) == (code, True, False), ran.stderr


def test_what_answers_in_the_place_of_aws_is_named(environment: Deployed) -> None:
    with serving() as portal:
        portal.instead = [(200, "<!doctype html><title>Log in to this network</title>")]
        ran = environment.ask("domains", AWS_ENDPOINT_URL=portal.address)
    assert (ran.returncode, "not from AWS" in ran.stderr, "Traceback" in ran.stderr) == (8, True, False), ran.stderr


def test_a_profile_of_the_aws_configuration_is_who_asks(environment: Deployed, tmp_path: Path) -> None:
    credentials = tmp_path / "credentials"
    credentials.write_text("[office]\naws_access_key_id = testing\naws_secret_access_key = testing\n")
    variables = {
        "TRIBAL_PROFILES": profiles(tmp_path, "profiles: {dev: {aws_profile: office}}"),
        "AWS_SHARED_CREDENTIALS_FILE": str(credentials),
        "AWS_ACCESS_KEY_ID": "",
        "AWS_SECRET_ACCESS_KEY": "",
    }
    for command in (["domains"], ["status"]):
        ran = environment.ask(*command, **variables)
        assert ran.returncode == 0, ran.stderr
    variables["TRIBAL_PROFILES"] = profiles(tmp_path, "profiles: {dev: {aws_profile: away}}")
    for command in (["domains"], ["status"]):
        ran = environment.ask(*command, **variables)
        assert (ran.returncode, "'away'" in ran.stderr or "(away)" in ran.stderr) == (2, True), ran.stderr


def test_status_tells_of_the_run_its_units_and_the_index(environment: Deployed) -> None:
    ran = environment.ask("status")
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[0].startswith("last run: ")
    assert "completed, 49 tables documented" in lines[0]
    assert "  company_billing: completed, 10 of 10" in lines
    assert lines[-1].startswith("index: up to date, built ")
    told = json.loads(environment.ask("status", "--json").stdout)
    assert told["index"]["manifest_hash"] == told["manifest_hash"] == told["indexer"]["manifest_hash"]


def test_status_without_the_api_tells_the_rest(environment: Deployed) -> None:
    environment.api.instead = [(403, '{"message": "Forbidden"}')]
    ran = environment.ask("status")
    assert ran.returncode == 0
    assert "documenting: completed" in ran.stdout
    assert "index: unknown: " in ran.stdout


def test_help_loads_nothing_of_aws(tmp_path: Path) -> None:
    for arguments in (["--help"], ["--profile", "dev", "run", "--help"], ["--profile", "dev", "search", "--help"]):
        loaded = loaded_by(*arguments, cwd=tmp_path)
        assert not {name for name in loaded if name.partition(".")[0] in {"boto3", "botocore"}}
    assert "tribal.edges.cli.app" in loaded
