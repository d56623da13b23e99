"""What the text of `databases.yaml` says of databases that are kept from models, without its variables."""

from __future__ import annotations

from tests.cases import each_case
from tribal.app.project_text import ProjectText

TEXT = ProjectText(
    "databases.yaml",
    b"""databases:
  - {name: hr, describer: rules, dsn: "${HR_DSN}"}
  - {name: shop}
  - {name: "${PLACE}-lab", describer: rules}
  - {name: ward, database: [a, b], describer: "rules"}
  - {name: "all-{database}", database: "x*", describer: rules}
  - {name: perhaps, describer: "${DESCRIBER:-model}"}
  - {name: modelled, describer: model}
interrogation:
  detectives: [one, two]
""",
)


@each_case(
    ("database", "kept"),
    [
        ("hr", True),
        ("hrx", False),
        ("shop", False),
        ("berlin-lab", True),
        ("lab", False),
        ("ward_a", True),
        ("wards", False),
        ("all-x1", True),
        ("perhaps", True),
        ("modelled", False),
    ],
)
def test_databases_described_by_rules_are_kept_from_models(database: str, kept: bool) -> None:
    assert TEXT.keeps_from_models(database) == kept


def test_without_such_a_database_nothing_is_kept() -> None:
    assert TEXT.keeps_any
    assert not ProjectText("x", b"databases: [{name: shop}]").keeps_any
    assert not ProjectText("x", b"").keeps_any


def test_lines_are_those_of_the_file() -> None:
    assert TEXT.line(("interrogation", "detectives", 0)) == 10
    assert TEXT.line(("interrogation", "witness")) == 9
