"""Rules of the codebase that import-linter cannot express."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

from tests import ROOT
from tests.cases import each_case
from tests.plugins.postgres import FreshDatabase
from tribal.capabilities import NAMES

PACKAGE = ROOT / "layers" / "tribal" / "python" / "tribal"
CONTRACTS = ROOT / "contracts"
OURS = [
    PACKAGE,
    CONTRACTS,
    ROOT / "demo",
    ROOT / "servers",
    ROOT / "bench",
    ROOT / "infra",
    ROOT / "functions",
    ROOT / "tests",
]
LONGEST_MODULE = 400
MOST_MODULES = 15
MOST_PARAMETERS = 6
USE_CASES = (
    "capabilities",
    "describing",
    "documenting",
    "indexing",
    "models",
    "page_data",
    "planning",
    "runs",
    "tools",
)
"""Packages of use cases and their parts."""
GENERATED = {"build", "cdk.out", "node_modules"}
"""Folders that commands write and git ignores."""
SOURCES = sorted(
    path for folder in OURS for path in folder.rglob("*.py") if not GENERATED & set(path.relative_to(ROOT).parts)
)

PACKAGES = sorted({path.parent for path in SOURCES if path.is_relative_to(PACKAGE) or path.is_relative_to(CONTRACTS)})


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _top_level() -> set[str]:
    """Packages and modules directly inside `tribal`."""
    return {
        path.stem
        for path in PACKAGE.iterdir()
        if (path.suffix == ".py" and path.stem != "__init__") or (path / "__init__.py").exists()
    }


def test_every_package_is_named_in_the_import_rules() -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    placed = {name for rule in rules for key in ("source_modules", "modules", "layers") for name in rule.get(key, ())}
    there = {f"tribal.{each}" for each in _top_level()}
    assert there - placed == set()
    assert {".".join(name.split(".")[:2]) for name in placed if name.startswith("tribal.")} - there == set()


EXEMPT = {
    "Only the builders of the application import adapters": {"tribal.app", "tribal.adapters"},
    "Nothing outside the command line imports it": {"tribal.edges"},
}
"""Import rules that cover every package except these."""


@each_case("name", EXEMPT)
def test_a_rule_for_all_other_packages_lists_every_one_of_them(name: str) -> None:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    covered = {source for rule in rules if rule["name"] == name for source in rule["source_modules"]}
    packages = {"functions", *(f"tribal.{each}" for each in _top_level())}
    assert packages - EXEMPT[name] - covered == set()


def test_every_module_is_short() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES
    }
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_every_package_has_few_modules() -> None:
    modules = {
        folder.relative_to(ROOT).as_posix(): sorted(path.stem for path in folder.glob("*.py")) for folder in PACKAGES
    }
    assert {name: found for name, found in modules.items() if len(found) > MOST_MODULES} == {}


def test_every_adapter_is_in_the_folder_of_its_vendor() -> None:
    assert [path.name for path in (PACKAGE / "adapters").glob("*.py")] == ["__init__.py"]


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Names of the parameters, without `self` and `cls`."""
    given = function.args
    named = [
        each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg) if each
    ]
    return [name for name in named if name not in ("self", "cls")]


def test_functions_of_use_cases_take_few_parameters() -> None:
    too_many = [
        f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno} {node.name} takes {len(_parameters(node))}"
        for package in USE_CASES
        for path in sorted((PACKAGE / package).rglob("*.py"))
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and len(_parameters(node)) > MOST_PARAMETERS
    ]
    assert too_many == []


def _imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def test_no_module_uses_mocks() -> None:
    named = [path for path in SOURCES if "mock" in path.read_text(encoding="utf-8")]
    assert [path for path in named if any(name.startswith("unittest.mock") for name in _imports(path))] == []


def test_only_settings_read_the_environment() -> None:
    names = {"environ", "getenv", "environb"}
    readers = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if any(name in path.read_text(encoding="utf-8") for name in names)
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Attribute) and node.attr in names
    ]
    assert set(readers) == {"settings/settings.py"}


def loaded_after(statement: str) -> set[str]:
    """Modules that a fresh interpreter has loaded after a statement."""
    code = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


def test_importing_the_package_loads_nothing_else() -> None:
    ours = {name for name in loaded_after("import tribal") if name.startswith(("tribal", "pydantic", "numpy"))}
    assert ours == {"tribal"}


def test_the_retriever_loads_no_database_driver_and_no_model() -> None:
    loaded = loaded_after(
        "from pathlib import Path\n"
        "from tribal.settings import load_settings\n"
        "from tribal.app.local import local_application\n"
        "from tribal.edges.http.messages import Request\n"
        "from tribal.edges.http.routes import respond\n"
        "from tribal.ports import Caller\n"
        "app = local_application(load_settings(project=Path('.'), environment={}))\n"
        "respond(Request('POST', '/v1/tools/list_domains', Caller('test')), app)\n"
        "from tests.key_inference.outlines import outline\n"
        "from tribal.key_inference import infer_keys\n"
        "infer_keys([outline('v', 'x', kind='view', view='SELECT 1 FROM s.a JOIN s.b ON a.x = b.y')])\n"
    )
    forbidden = {
        "pg8000",
        "anthropic",
        "openai",
        "httpx2",
        "boto3",
        "snowflake",
        "wordllama",
        "yaml",
        "tribal.adapters.postgres.catalog",
    }
    assert "tribal.capabilities.retrieval" in loaded
    assert loaded & (forbidden | {"sqlglot"}) == set()


def test_masking_does_not_load_the_parser_of_sql() -> None:
    loaded = loaded_after(
        "from tribal.masking import redact_view\n"
        "shown = redact_view(\"SELECT 'a b' AS pin\", view='v', columns=['pin'], dialect='postgres')\n"
        "assert shown == \"SELECT '[password]' AS pin\"\n"
    )
    assert "tribal.sql.structure" in loaded
    assert "sqlglot" not in loaded


def test_the_retriever_function_loads_no_driver_model_or_pipeline_code() -> None:
    loaded = loaded_after("import functions.retriever.handler")
    vendors = {
        "pg8000",
        "anthropic",
        "openai",
        "httpx2",
        "boto3",
        "opensearchpy",
        "snowflake",
        "tokenizers",
        "yaml",
        "numpy",
        "typer",
    }
    pipeline = {f"tribal.{name}" for name in ("planning", "documenting", "describing", "indexing", "edges.cli", "runs")}
    assert "tribal.edges.http.routes" in loaded
    assert loaded & (vendors | pipeline) == set()


def test_a_rules_only_run_and_a_search_load_no_model_sdk_and_no_snowflake_connector(
    fresh_database: FreshDatabase, tmp_path: Path
) -> None:
    dsn = fresh_database("CREATE TABLE customer (id int PRIMARY KEY, name text)")
    loaded = loaded_after(
        "import contextlib, io, os\n"
        "import functions.retriever.handler, functions.documenter.handler, functions.finisher.handler\n"
        "from tribal.edges.cli.start import main\n"
        f"os.chdir({str(tmp_path)!r})\n"
        "import sys\n"
        f"for words in (['run', {dsn!r}], ['search', 'customer']):\n"
        "    sys.argv = ['tribal', *words]\n"
        "    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "        main()\n"
        "assert os.path.exists('docs/documentation-manifest.json')\n"
    )
    assert {"tribal.describing.rules.describer", "tribal.capabilities.retrieval.searching.search"} <= loaded
    assert not {"anthropic", "openai", "snowflake", "sqlglot"} & {name.partition(".")[0] for name in loaded}
    others = ("tribal.adapters.anthropic", "tribal.adapters.bedrock", "tribal.adapters.snowflake")
    assert not any(name.startswith(others) for name in loaded)


def test_the_help_of_the_command_line_loads_no_contracts() -> None:
    loaded = loaded_after("import tribal.edges.cli.app")
    assert not any(name.startswith(("tribal_contracts", "numpy", "pg8000", "rich.console")) for name in loaded)


def _users(*packages: str) -> set[tuple[str, ...]]:
    return {
        path.relative_to(PACKAGE).parts[:2]
        for path in PACKAGE.rglob("*.py")
        if any(package in path.read_text(encoding="utf-8") for package in packages)
        and any(name.partition(".")[0] in packages for name in _imports(path))
    }


def test_only_the_mcp_edge_loads_the_mcp_sdk_and_only_network_edges_load_a_server() -> None:
    assert _users("mcp", "mcp_types") == {("edges", "mcp")}
    assert _users("sqlglot") == {("sql", "parsing.py")}
    assert _users("starlette", "uvicorn") <= {("edges", "http"), ("edges", "mcp")}
    assert _users("anyio") == {("edges", "http"), ("edges", "mcp")}
    servers = {"mcp", "mcp_types", "anyio", "starlette", "uvicorn"}
    assert not servers & loaded_after("import tribal.edges.cli.app, tribal.edges.http.routes")


def test_the_contracts_import_nothing_of_tribal() -> None:
    loaded = loaded_after("import tribal_contracts")
    assert not any(name == "tribal" or name.startswith("tribal.") for name in loaded)


def test_no_file_names_the_folder_the_project_was_developed_in() -> None:
    paths = [each.encode() for each in ("/work" + "/", "shared" + "/spec", ".libr" + "ary")]
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    texts = [
        path
        for name in listed.stdout.split("\0")
        if (path := ROOT / name).is_file() and path.suffix not in {".db", ".gz", ".png"}
    ]
    assert texts
    assert [path for path in texts if any(each in path.read_bytes() for each in paths)] == []


OWN_NAME_ELSEWHERE = {
    # What a table is explained by: a source of a statement, or a kind of guidance.
    "memory": {
        "answering/statements.py",
        "answering/answers.py",
        "retrieval/context/context_items.py",
        "cli/tools/views.py",
        "mcp/resources.py",
        "retrieval/questions.py",
        "searching/reading.py",
        "remembering/guidance.py",
        # Its adapters.
        "sqlite/memories.py",
        "journal/space_journal.py",
        # Its function answers tools of knowledge.
        "knowledge/manifest.py",
        # A limit of the sandbox.
        "ports/sandbox/__init__.py",
        "bubblewrap/process_group.py",
        "contribution/writing/checks.py",
    },
    # The type of memories that point to decisions.
    "knowledge": {"memory/pointers.py"},
    # A folder that is kept out of git.
    "contribution": {"identity/locations.py"},
    "proposals": {"identity/locations.py"},
    # The optional dependencies are called so too.
    "chat": {"documents/parser.py"},
}
"""Where the name of a capability means something else, by the ends of paths."""
LISTS = {"capabilities/__init__.py", "infra/sections.py"}
"""What lists capabilities. `ProjectFile` and `Environment` name them as fields."""


def test_only_lists_and_its_own_modules_name_a_capability() -> None:
    # Retrieval is the base of the others.
    names = {*NAMES} - {"retrieval"}
    found = set()
    for path in SOURCES:
        place = path.relative_to(ROOT).as_posix()
        if place.startswith(("tests/", "bench/", "demo/")) or place.endswith(tuple(LISTS)):
            continue
        own = {part.removesuffix(".py") for part in path.parts}
        text = path.read_text(encoding="utf-8")
        # Parsing every module takes seconds.
        for node in ast.walk(_tree(path)) if any(f'"{name}"' in text for name in names - own) else ():
            if not isinstance(node, ast.Constant) or node.value not in names or node.value in own:
                continue
            if not place.endswith(tuple(OWN_NAME_ELSEWHERE.get(node.value, ()))):
                found.add(f"{place}:{node.lineno} says {node.value!r}")
    assert found == set()
