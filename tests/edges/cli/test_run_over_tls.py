"""A whole run over TLS, checked as `sslmode=verify-full` says."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from servers.tls import tls_context
from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import FreshDatabase
from tests.plugins.relay import MakeRelay


def test_a_run_over_tls_reads_the_database_whose_certificate_is_right_and_no_other(
    tmp_path: Path, fresh_database: FreshDatabase, certificate: Path, relay_to: MakeRelay
) -> None:
    dsn = fresh_database("CREATE TABLE thing (id int PRIMARY KEY); INSERT INTO thing SELECT generate_series(1, 9)")
    relay = relay_to(dsn, tls_context(certificate))
    target = relay.target(dsn)
    assert target.password is not None
    way = f"postgresql://{target.user}:{target.password.get_secret_value()}@localhost:{relay.port}/{target.database}"
    refused = tribal("run", f"{way}?sslmode=verify-full", cwd=tmp_path)
    assert refused.returncode == 3
    assert "could not be verified" in refused.stderr
    assert not (tmp_path / "docs").exists()
    ran = tribal("run", f"{way}?sslmode=verify-full&sslrootcert={quote(str(certificate))}", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert list(tmp_path.glob("docs/**/public.thing.md"))
