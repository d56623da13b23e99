"""A token whose scope matches nothing says so when it is created, listed and served."""

from __future__ import annotations

import json
from pathlib import Path

from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import FreshDatabase
from tribal.edges.http.asgi.starting import ServerBlueprint, check_server
from tribal.settings import load_settings


def test_a_scope_that_matches_nothing_documented_is_reported_with_the_nearest_name(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    settings = {"databases": [{"name": "shop", "dsn": fresh_database("CREATE TABLE t (id int)")}]}
    (tmp_path / "databases.yaml").write_text(json.dumps(settings))
    early = tribal("token", "create", "early", "--scope", "anything", cwd=tmp_path)
    assert "warning" not in early.stderr, "nothing is documented yet"
    assert tribal("run", cwd=tmp_path).returncode == 0
    wrong = "the scope 'shop.publc' matches nothing that is documented; did you mean 'shop.public'?"
    made = tribal("token", "create", "ada", "--scope", "shop", "--scope", "shop.publc", "--json", cwd=tmp_path)
    assert json.loads(made.stdout)["warnings"] == [wrong]
    listed = tribal("token", "list", cwd=tmp_path)
    assert listed.stderr.count("matches nothing") == 2
    assert tribal("token", "revoke", "early", cwd=tmp_path).returncode == 0
    assert check_server(ServerBlueprint(load_settings(project=tmp_path), "127.0.0.1")) == [f"token ada: {wrong}"]
