"""`tribal plan` and `tribal document` on any host, with the bucket of a deployed environment as their store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plugins.postgres import FreshDatabase, login
from tests.remote.environments import BUCKET, Deployed, deployed
from tests.remote.signed_api import REGION
from tests.remote.test_running import SHOP, open_elsewhere
from tribal.errors import RunLocked
from tribal.jobs.clock import SystemClock
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import LeaseFile

STORE = f"s3://{BUCKET}"
PLANT = "CREATE TABLE machine (id int PRIMARY KEY, model text); CREATE TABLE stop (id int REFERENCES machine)"
NOWHERE = "postgresql://u@127.0.0.1:1/nowhere"
CONFIGURATION = f"""
store: {STORE}
databases:
  - name: shop
    dsn: ${{SHOP_DSN}}
  - name: plant
    dsn: ${{PLANT_DSN}}
"""


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_database: FreshDatabase) -> Iterator[Deployed]:
    """An environment that reaches the shop's database and not the plant's; the same file lies on this host."""
    monkeypatch.setenv("SHOP_DSN", fresh_database(SHOP))
    monkeypatch.setenv("PLANT_DSN", NOWHERE)
    monkeypatch.setenv("TRIBAL_CONFIG_VARIABLES", "SHOP_DSN,PLANT_DSN")
    with deployed(tmp_path, monkeypatch) as made:
        made.configure(CONFIGURATION)
        (tmp_path / "databases.yaml").write_text(CONFIGURATION)
        yield made


def documented(environment: Deployed) -> set[str]:
    return {f"{file.database}.{file.table}" for file in environment.manifest().indexable_files if file.type == "table"}


def test_a_host_documents_what_no_function_reaches_and_both_keep_what_the_other_wrote(
    environment: Deployed, fresh_database: FreshDatabase
) -> None:
    assert environment.ask("run", "--follow").returncode == 1
    assert documented(environment) == {"shop.orders", "shop.line"}
    # The host reaches the plant alone.
    reach = {"SHOP_DSN": NOWHERE, "PLANT_DSN": fresh_database(PLANT)}
    planned = environment.tribal("plan", **reach)
    assert planned.returncode == 0, planned.stderr
    assert f"Plan: {STORE}/progress/documentation-plan.json" in planned.stdout
    assert f"aws s3 cp {STORE}/progress/documentation-plan.json" in planned.stdout
    wrote = environment.tribal("document", **reach)
    assert wrote.returncode == 0, wrote.stderr
    assert f"Documents: {STORE}/docs/README.md" in wrote.stdout
    assert f"View: aws s3 cp {STORE}/docs/index.html ." in wrote.stdout
    assert "automatically" in wrote.stdout
    assert str(environment.folder) not in planned.stdout + wrote.stdout
    everything = {"shop.orders", "shop.line", "plant.machine", "plant.stop"}
    assert documented(environment) == everything
    assert not (environment.folder / "docs").exists()
    environment.index()
    found = environment.ask("table", "plant.public.machine")
    assert found.returncode == 0, found.stderr
    assert environment.ask("status").stdout.splitlines()[-1].startswith("index: up to date")
    # And the next run of the environment keeps the plant's documents, and reads the shop's again.
    assert environment.ask("run", "--follow").returncode == 1
    assert documented(environment) == everything


def test_the_run_of_a_host_can_be_looked_at_and_followed_from_there(
    environment: Deployed, fresh_database: FreshDatabase
) -> None:
    reach = {"PLANT_DSN": fresh_database(PLANT)}
    assert environment.tribal("run", **reach).returncode == 0
    for command in (["status"], ["tail"]):
        here, there = environment.tribal(*command, **reach), environment.ask(*command)
        assert (here.returncode, there.returncode) == (0, 0), here.stderr + there.stderr
    assert "indexing: completed" in environment.tribal("status", **reach).stdout


def test_a_host_is_kept_out_while_the_environment_runs(environment: Deployed) -> None:
    run_id = open_elsewhere()
    for command in ("plan", "document", "run"):
        ran = environment.tribal(command)
        assert ran.returncode == 4, ran.stderr
        assert run_id in ran.stderr
        assert "the deployed environment (function tribal-dev-planner-home)" in ran.stderr
        assert "stop that execution in Step Functions" in ran.stderr


def test_the_environment_is_kept_out_while_a_host_runs(environment: Deployed) -> None:
    from tribal.adapters.aws.s3 import S3ObjectStore

    store = S3ObjectStore(environment.client("s3"), BUCKET)
    with RunLease(LeaseFile(store, SystemClock()), "of-a-host", holder="laptop/4711"):
        with pytest.raises(RunLocked, match="'of-a-host' on host 'laptop'"):
            open_elsewhere()
        refused = environment.ask("run")
        assert (refused.returncode, "host 'laptop' (process 4711)" in refused.stderr) == (4, True)
    open_elsewhere()


def test_a_secret_of_the_environment_is_found_on_a_host_and_its_absence_is_named(
    environment: Deployed, fresh_database: FreshDatabase
) -> None:
    dsn = fresh_database(PLANT)
    without = login(dsn, "postgres", "").replace(":@", "@")
    named = f"store: {STORE}\ndatabases:\n  - {{name: plant, dsn: '{without}', password_secret: tribal/dev/plant}}\n"
    (environment.folder / "databases.yaml").write_text(named)
    missing = environment.tribal("plan")
    assert (missing.returncode, "'tribal/dev/plant'" in missing.stderr) == (2, True), missing.stderr
    assert "Secrets Manager" in missing.stderr
    environment.client("secretsmanager").create_secret(
        Name="tribal/dev/plant", SecretString='{"password": "tribal-demo"}'
    )
    found = environment.tribal("plan", AWS_DEFAULT_REGION="", AWS_REGION=REGION)
    assert found.returncode == 0, found.stderr


def test_a_bucket_that_is_not_there_or_not_ours_is_named(environment: Deployed) -> None:
    (environment.folder / "databases.yaml").write_text(CONFIGURATION.replace(BUCKET, "no-such-bucket"))
    ran = environment.tribal("plan")
    assert (ran.returncode, "there is no bucket 'no-such-bucket'" in ran.stderr) == (5, True), ran.stderr
    lost = environment.tribal("plan", AWS_PROFILE="office")
    assert (lost.returncode, "office" in lost.stderr, "Traceback" in lost.stderr) == (2, True, False)
