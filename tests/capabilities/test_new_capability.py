"""A capability is added by its own files, and one line in each list that names capabilities.

Then it is on the command line, in HTTP, in MCP, in the synthesised template and in the table of permissions. Its
section is checked, and its job is resumed after a kill.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.plugins.skips import skip_or_fail

pytestmark = pytest.mark.slow

SOURCES = Path(__file__).parent / "new_capability"
PACKAGES = ("layers/tribal/python", "contracts", "functions", "infra")
LINES = {
    "layers/tribal/python/tribal/capabilities/__init__.py": ('    "knowledge",\n', '    "notebook",\n'),
    "contracts/tribal_contracts/project_file.py": (
        "    memory: MemorySettings | Unset",
        '    notebook: NotebookSettings | Unset = optional("Notes.")\n',
    ),
    "contracts/tribal_contracts/core/codes.py": (
        '    "HTTP_REQUEST_INVALID"',
        '    "NB_FULL": CodeDefaults("error", False, "There are too many notes."),\n',
    ),
    "infra/environment.py": ("    memory: Memory | None", '    notebook: section_of("notebook") | None = None\n'),
}
"""One line in each list, before or after the line that begins so."""
OWN = {
    "layers/tribal/python/tribal/capabilities/notebook": ("errors", "manifest", "tools", "parts", "binding"),
    "layers/tribal/python/tribal/app": ("builder",),
    "layers/tribal/python/tribal/edges/http": ("routes",),
    "contracts/tribal_contracts/notebook": ("contract",),
}
"""Its own files, by folder."""
NAMED = {"builder": "notebook", "routes": "notebook", "contract": "__init__"}
"""Those that are called otherwise where they belong."""
IMPORTS = {
    "contracts/tribal_contracts/project_file.py": "from tribal_contracts.notebook import NotebookSettings\n",
    "infra/environment.py": "from infra.sections import section_of\n",
}


@pytest.fixture(name="copy", scope="module")
def copy_fixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources to which the capability was added."""
    root = tmp_path_factory.mktemp("with_notebook")
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, root / package, ignore=shutil.ignore_patterns("__pycache__", "node_modules", "*.pyc")
        )
    for folder, names in OWN.items():
        (root / folder).mkdir(exist_ok=True)
        for name in names:
            shutil.copyfile(SOURCES / f"{name}.py.txt", root / folder / f"{NAMED.get(name, name)}.py")
    (root / "layers/tribal/python/tribal/capabilities/notebook/__init__.py").write_text('"""Notes."""\n', "utf-8")
    for path, (before, line) in LINES.items():
        text = (root / path).read_text(encoding="utf-8")
        assert text.count(before) == 1, path
        text = text.replace(before, line + before)
        imported = IMPORTS.get(path)
        if imported is not None:
            text = text.replace(
                "from __future__ import annotations\n", f"from __future__ import annotations\n\n{imported}"
            )
        (root / path).write_text(text, encoding="utf-8")
    for name in ("surfaces", "synthesis", "killed"):
        shutil.copyfile(SOURCES / f"{name}.py.txt", root / f"{name}.py")
    return root


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the copy's sources."""
    paths = [str(copy), str(copy / "layers/tribal/python"), str(copy / "contracts")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment, cwd=copy
    )


def shown(copy: Path, *arguments: str) -> Any:
    """What a program of the copy prints."""
    ran = run(copy, *arguments)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


TRIBAL = ("-c", "from tribal.edges.cli.start import main; main()")


@pytest.fixture(name="project")
def project_fixture(tmp_path: Path) -> Path:
    (tmp_path / "databases.yaml").write_text(
        "databases: [{name: shop, dsn: postgresql://localhost/shop}]\nnotebook: {most_notes: 2}\n", encoding="utf-8"
    )
    return tmp_path


def test_it_is_on_the_command_line(copy: Path, project: Path) -> None:
    jotted = run(copy, *TRIBAL, "jot", "soup", "--project", str(project), "--json")
    assert (jotted.returncode, json.loads(jotted.stdout)["count"]) == (0, 1), jotted.stderr
    assert "jot" in run(copy, *TRIBAL, "--help").stdout
    run(copy, *TRIBAL, "jot", "bread", "--project", str(project))
    full = run(copy, *TRIBAL, "jot", "salt", "--project", str(project))
    assert full.returncode == 2
    assert "as many as notebook.most_notes allows" in full.stderr
    assert sorted(path.name for path in (project / "notebook/notes").iterdir()) == ["0.json", "1.json"]


def test_it_answers_over_http_and_mcp_with_its_setting_error_and_record(copy: Path, project: Path) -> None:
    told = shown(copy, "surfaces.py", str(project))
    assert [status for status, _ in told["http"]] == [200, 200, 409]
    assert told["http"][2][1]["error"]["code"] == "NB_FULL"
    assert {"notebook_jot", "notebook_notes", "search_tables"} <= {*told["mcp_tools"]}
    assert told["mcp_notes"]["notes"] == told["bound"] == ["one", "two"]
    assert told["streamed"] == 'data: "one"\n\ndata: "two"\n\n'


def test_its_job_is_resumed_by_a_worker_after_a_kill_at_any_write(copy: Path, project: Path) -> None:
    for text in ("soup", "bread"):
        run(copy, *TRIBAL, "jot", text, "--project", str(project))
    undisturbed, *killed = shown(copy, "killed.py", str(project))
    assert json.loads(undisturbed[1])["pages"] == ["soup", "bread"]
    assert [was_killed for was_killed, _ in killed].count(True) >= 4
    assert {record for _, record in killed} == {undisturbed[1]}


def test_its_section_is_checked_with_the_line_of_the_mistake(copy: Path, project: Path) -> None:
    with (project / "databases.yaml").open("a", encoding="utf-8") as file:
        file.write("  editor: claude\n")
    project_file = project / "databases.yaml"
    project_file.write_text(project_file.read_text("utf-8").replace("{most_notes: 2}", "\n  most_notes: 2"), "utf-8")
    refused = run(copy, *TRIBAL, "notes", "--project", str(project))
    assert refused.returncode == 2
    assert "line 4: notebook.editor: 'claude' is not" in refused.stderr


def test_it_is_not_offered_where_it_is_not_configured(copy: Path) -> None:
    code = "import json; from tribal.tools.registry import offered; print(json.dumps(list(offered(()).tools)))"
    assert "notebook_jot" not in shown(copy, "-c", code)


@pytest.mark.xdist_group("infra")
def test_it_has_a_function_paths_and_rights_in_the_template(copy: Path, tmp_path: Path) -> None:
    if shutil.which("node") is None:
        skip_or_fail("the AWS CDK runs on Node.js, and there is no program node")
    told = shown(copy, "synthesis.py", str(tmp_path))
    functions = [each["Properties"] for each in told["resources"].values() if each["Type"] == "AWS::Lambda::Function"]
    (function,) = [each for each in functions if each["FunctionName"] == "tribal-dev-notebook"]
    assert (function["Handler"], function["MemorySize"]) == ("functions.capability.handler.handle", 512)
    variables = function["Environment"]["Variables"]
    assert json.loads(variables["TRIBAL_NOTEBOOK"]) == {"most_notes": 7}
    paths = {
        each["Properties"]["PathPart"]
        for each in told["resources"].values()
        if each["Type"] == "AWS::ApiGateway::Resource"
    }
    assert {"notebook_jot", "notebook_notes", "notebook"} <= paths
    alarms = [each["Properties"] for each in told["resources"].values() if each["Type"] == "AWS::CloudWatch::Alarm"]
    (alarm,) = [each for each in alarms if each["AlarmName"] == "tribal-dev-notebook-faults"]
    assert alarm["MetricName"] == "NotebookFaults"
    page = told["roles"]
    rights = page[page.index("## tribal-dev-notebook") :].partition("\n## ")[0]
    assert "s3:PutObject" in rights
    assert "/notebook/*" in rights
