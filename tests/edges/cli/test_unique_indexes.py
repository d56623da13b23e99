"""Unique indexes are shown with what limits them, and a key that is declared twice is shown once."""

from __future__ import annotations

import json
from pathlib import Path

from tests.edges.cli.tribal_command import tribal
from tests.plugins.postgres import FreshDatabase

SHOP = """
CREATE TABLE member (id int PRIMARY KEY, email text);
CREATE UNIQUE INDEX member_email ON member (lower(email)) INCLUDE (id);
CREATE TABLE card (id int PRIMARY KEY UNIQUE, member_id int NOT NULL REFERENCES member, lost boolean, pin text UNIQUE,
  CONSTRAINT again FOREIGN KEY (member_id) REFERENCES member ON DELETE CASCADE,
  CONSTRAINT pin_lost UNIQUE NULLS NOT DISTINCT (pin, lost) DEFERRABLE);
CREATE UNIQUE INDEX one_card ON card (member_id) WHERE NOT lost;
CREATE UNIQUE INDEX pin_again ON card (pin);
CREATE TABLE locker (id int PRIMARY KEY, member_id int NOT NULL UNIQUE REFERENCES member);
"""


def test_a_unique_index_is_shown_with_what_it_leaves_out_and_keys_that_repeat_are_listed_once(
    tmp_path: Path, fresh_database: FreshDatabase
) -> None:
    assert tribal("run", fresh_database(SHOP), cwd=tmp_path).returncode == 0
    schema = json.loads(tribal("table", "card", "--json", cwd=tmp_path).stdout)["schema"]
    indexes = {index.pop("name"): index for index in schema["indexes"]}
    assert indexes["one_card"] == {"columns": ["member_id"], "unique": True, "predicate": "(NOT lost)"}
    assert indexes["pin_lost"] == {
        "columns": ["pin", "lost"],
        "unique": True,
        "nulls_not_distinct": True,
        "deferrable": True,
    }
    assert set(indexes) == {"card_pkey", "card_pin_key", "one_card", "pin_lost"}
    assert [key["name"] for key in schema["foreign_keys"]] == ["again"], "the one that deletes"
    shown = tribal("table", "card", cwd=tmp_path).stdout
    assert "(member_id), unique where (NOT lost)\n" in shown
    assert "(pin, lost), unique nulls not distinct deferrable\n" in shown
    assert "(lower(email)), unique including id\n" in tribal("table", "member", cwd=tmp_path).stdout
    context = tribal("context", "cards and emails of a member", cwd=tmp_path).stdout
    assert "CREATE UNIQUE INDEX ON public.card (member_id) WHERE (NOT lost);" in context
    assert "CREATE UNIQUE INDEX ON public.card (pin, lost) NULLS NOT DISTINCT;" in context
    assert "CREATE UNIQUE INDEX ON public.member (lower(email));" in context
    page = next(tmp_path.glob("docs/*/*/public.card.md")).read_text()
    assert "| `one_card` | `member_id` | yes | `(NOT lost)` |" in page
    assert "| `pin_lost` | `pin`, `lost` | yes, NULL only once, deferrable |  |" in page
    fans_out = {
        table: json.loads(tribal("join", "member", table, "--json", cwd=tmp_path).stdout)["path"][0].get("fans_out")
        for table in ("card", "locker")
    }
    assert fans_out == {"card": True, "locker": False}
