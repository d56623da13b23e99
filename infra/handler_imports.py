"""Imports every handler as Lambda does: with a Python of the runtime's version, from the function's packages only."""

from __future__ import annotations

import json
import subprocess
import tempfile
from itertools import product
from pathlib import Path

from infra.function_packages import (
    ASKING,
    ASKING_SHARED,
    FUNCTIONS,
    MODEL_LAYERS,
    Packages,
    PackagingError,
    handler_of,
    layers_of,
)
from tribal.capabilities import capabilities, uses_of

_PROBE = """
import sys, time
folders, module, function, work = sys.argv[1].split("|"), *sys.argv[2:]
sys.path[:0] = folders
import importlib, json
began = time.process_time()
assert callable(getattr(importlib.import_module(module), function))
took = time.process_time() - began
exec(work)
files = sorted(filter(None, (getattr(each, "__file__", None) for each in list(sys.modules.values()))))
print(json.dumps({"seconds": took, "files": files, "standard": json.__file__}))
"""
_S3 = """
from tribal.adapters.aws.clients import aws_client
from tribal.adapters.aws.s3 import S3ObjectStore
S3ObjectStore(aws_client("s3"), "bucket")
"""
_SECRETS = """
from tribal.adapters.aws.secrets_manager import SecretsManagerSecrets
SecretsManagerSecrets(aws_client("secretsmanager"))
"""
_POSTGRES = """
assert "sqlglot" not in sys.modules, "the parser is loaded before there is a view"
from tribal.adapters.postgres.catalog import PostgresCatalog
from tribal.sql.lineage import view_lineage
from tribal.settings.dsn import parse_dsn
from tribal.adapters.aws.rds_tokens import token_source
PostgresCatalog(parse_dsn("postgresql://user@localhost/x", {})).close()
"""
_SNOWFLAKE = """
assert "snowflake" not in sys.modules, "the connector is loaded before a database is read"
from tribal.adapters.snowflake.catalog import SnowflakeCatalog
from tribal.settings.snowflake.dsn import parse_snowflake_dsn
import snowflake.connector
target = parse_snowflake_dsn("snowflake://user@account/X?private_key_secret=KEY")
SnowflakeCatalog(target, may_sample=False).close()
"""
_VECTORS = """
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
assert WordLlamaEmbedder().embed(["invoice"]).any()
"""
_SEARCH = """
from pathlib import Path
from tribal.adapters.opensearch.index import OpenSearchIndex
from tribal.adapters.opensearch.client import opensearch_client
from tribal.adapters.sqlite.published import PublishedSqliteIndex
OpenSearchIndex(opensearch_client("https://localhost", region="eu-central-1")).close()
PublishedSqliteIndex(S3ObjectStore(aws_client("s3"), "bucket"), Path("disk")).close()
"""
_PAGE = """
from tribal.rendering.web.page import page_version
assert page_version()
"""
_DEFINITIONS = """
from tribal.sql.checking.check import check
"""
_TOKENS = """
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from tribal.edges.http.identity import SigningKeys
key = ec.generate_private_key(ec.SECP256R1())
jwt.decode(jwt.encode({}, key, "ES256"), key.public_key(), ["ES256"])
"""
_MCP = """
from tribal.app.remote.function_tools import tools_of_functions
tools_of_functions("arn:aws:lambda:eu-central-1:111122223333:function:retriever", "eu-central-1")
"""
_ASK_CLAUDE = """
assert "anthropic" not in sys.modules, "the SDK is loaded before a model is asked"
import anthropic
import boto3
anthropic.AsyncAnthropic(api_key="testing", http_client=anthropic.DefaultAsyncHttpxClient()).messages
at = {"aws_region": "eu-central-1", "aws_access_key": "testing", "aws_secret_key": "testing"}
anthropic.AsyncAnthropicBedrock(**at).messages
anthropic.AsyncAnthropicBedrockMantle(**at).messages
"""
_ASK_OTHERS = """
assert "openai" not in sys.modules, "the SDK is loaded before a model is asked"
import openai
import httpx2
openai.AsyncOpenAI(api_key="testing", http_client=httpx2.AsyncClient()).chat.completions
"""
ASKING_WORK = dict(zip(MODEL_LAYERS, (_ASK_CLAUDE, _ASK_OTHERS), strict=True))
"""Imports that a function defers until it calls the model, by the layer of its SDK."""
WORK = {
    "planner": _S3 + _SECRETS + _POSTGRES + _SNOWFLAKE,
    "documenter": _S3 + _SECRETS + _POSTGRES + _SNOWFLAKE,
    "finisher": _S3 + _PAGE + _DEFINITIONS,
    "indexer": _S3 + _SECRETS + _VECTORS + _SEARCH,
    "authorizer": _TOKENS,
    "mcp": _MCP,
    **{
        spec.name: _S3
        + _SECRETS
        + (_VECTORS if "deps-vectors" in FUNCTIONS[spec.name] else "")
        + (_SEARCH if "deps-search" in FUNCTIONS[spec.name] else "")
        + "".join(use.loads for use in uses_of(spec.name, capabilities()))
        for each in capabilities()
        for spec in each.functions
    },
}
"""Imports that each function defers until it has work."""
_TIMEOUT_SECONDS = 120
_ENVIRONMENT = {
    "AWS_REGION": "eu-central-1",
    "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "POWERTOOLS_TRACE_DISABLED": "1",
}


def import_handlers(packages: Packages, interpreter: str, runtime: Path) -> dict[str, float]:
    """Import every handler and its deferred imports, each in its own process.

    Args:
        packages: packages for the interpreter's version.
        interpreter: a Python of the runtime's version.
        runtime: a folder with the modules of the runtime.

    Returns:
        The CPU seconds of the import, by function.

    Raises:
        PackagingError: when a handler cannot be imported, or loads a module from elsewhere; the message says why.
    """
    with tempfile.TemporaryDirectory() as folder:
        took = {}
        for function in FUNCTIONS:
            path = _path_of(function, packages, runtime)
            took[function] = _import_handler(function, path, interpreter, Path(folder), WORK[function])
        for function, model in product(ASKING, MODEL_LAYERS):
            path = _path_of(function, packages, runtime, model)
            _import_handler(function, path, interpreter, Path(folder), WORK[function] + ASKING_WORK[model])
        for function in ASKING_SHARED:
            path = _path_of(function, packages, runtime, shared=True)
            _import_handler(function, path, interpreter, Path(folder), WORK[function] + "".join(ASKING_WORK.values()))
        return took


def _path_of(
    function: str, packages: Packages, runtime: Path, model: str | None = None, *, shared: bool = False
) -> list[str]:
    """Where a function finds what it imports."""
    layers = [packages.layer(layer) / "python" for layer in layers_of(function, model, shared=shared)]
    return [str(folder.resolve()) for folder in (packages.function(function), *layers, runtime)]


def _import_handler(function: str, path: list[str], interpreter: str, folder: Path, work: str) -> float:
    module, _, name = handler_of(function).rpartition(".")
    # Neither the environment nor the site-packages of this machine, and nothing is written next to the modules.
    command = [interpreter, "-I", "-S", "-B", "-c", _PROBE, "|".join(path), module, name, work]
    ran = subprocess.run(
        command, capture_output=True, text=True, check=False, env=_ENVIRONMENT, cwd=folder, timeout=_TIMEOUT_SECONDS
    )
    if ran.returncode:
        raise PackagingError(f"the {function} cannot be loaded by {interpreter}: {ran.stderr.strip()[-1500:]}")
    said = json.loads(ran.stdout.splitlines()[-1])
    allowed = (*(f"{place}/" for place in path), f"{Path(said['standard']).parent.parent}/")
    elsewhere = [file for file in said["files"] if not file.startswith(allowed) or "/site-packages/" in file]
    if elsewhere:
        raise PackagingError(f"the {function} loads modules from outside of its packages: {', '.join(elsewhere[:5])}")
    return float(said["seconds"])
