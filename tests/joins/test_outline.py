"""The outline of a table is the same, whether it is made from the catalog or read from the table's document."""

from __future__ import annotations

from pathlib import Path

from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import FreshDatabase, OpenCatalog
from tribal.joins.outline import TableOutline, outline_of

_SHOP = """
CREATE TABLE car (id int PRIMARY KEY, vin text UNIQUE, maker int NOT NULL);
CREATE UNIQUE INDEX ON car (maker) WHERE vin IS NULL;
CREATE TABLE sale (id int PRIMARY KEY, car_id int REFERENCES car (id));
CREATE VIEW sold AS SELECT car.vin FROM car JOIN sale ON sale.car_id = car.id;
"""


def test_catalog_and_documents_give_the_same_outlines(
    fresh_database: FreshDatabase, open_catalog: OpenCatalog, tmp_path: Path
) -> None:
    dsn = fresh_database(_SHOP)
    (tmp_path / "databases.yaml").write_text(f"databases:\n  - {{name: shop, dsn: '{dsn}'}}\n")
    assert tribal("run", cwd=tmp_path).returncode == 0
    files = [
        file for file in (tmp_path / "docs").rglob("*.json") if file.stem.split(".")[-1] in ("car", "sale", "sold")
    ]
    from_documents = [TableOutline.from_json(file.read_bytes()) for file in files]
    from_catalog = [outline_of(table, "shop") for table in open_catalog(dsn).read().tables]
    assert len(from_catalog) == 3
    assert sorted(from_documents, key=lambda one: one.table) == sorted(from_catalog, key=lambda one: one.table)
