"""Any text is read back unchanged from any place, and no other line changes."""

from __future__ import annotations

import copy
import string
from typing import Any

import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.dbt.styles import STYLES
from tribal.dbt.positions import CannotSplice
from tribal.dbt.scalars import block_scalar, flow_scalar
from tribal.dbt.splicing import Change, SplicedDocument

TEXTS = [
    "plain words",
    "It's 100 %",
    "key: value",
    "trailing:",
    "a #comment",
    '"quoted"',
    "'single'",
    "back\\slash \\n $dollar ${x} `tick`",
    "- item",
    "? key",
    "[a, b]",
    "{a: b}",
    "*alias",
    "&anchor",
    "!!python/object/apply:os.system [ls]",
    "---",
    "...",
    "a\n---\nb",
    "%YAML 1.2",
    "@at",
    "| pipe",
    "> folded",
    "'; DROP TABLE orders; --",
    " leading and trailing ",
    "\ttab\t",
    "\n",
    "\n\nafter blank lines",
    "before blank lines\n\n\n",
    "two\nlines",
    "two\nlines\n",
    "  indented\nline",
    "line\n  indented\n\n    more\nend",
    "line \nwith a blank behind",
    "line\n \nend",
    "carriage\rreturn\r\nboth",
    "next\x85line\u2028separator\u2029paragraph",
    "\u200bzero\u202ereversed\ufeffmark\xa0space",
    "emoji 🎉 👩‍👩‍👧 é",
    "\x00\x01\x1b[31mred\x7f\x9f\ufffe\uffff\U000e0001",
    "yes",
    "No",
    "null",
    "~",
    "y",
    "1",
    "1_000",
    "1e3",
    "0x1f",
    "12:30:45",
    "2020-01-01",
    ".inf",
    "=",
    "<<",
    "#",
    "long " * 400,
]
BLANK_STYLES = [
    "models:\n  - name: orders\n    columns:\n      - name: id\n",
    "models:\n  - name: orders\n    description:\n    columns:\n      - name: id\n        description: # here\n\n# end",
    "models: [{name: orders, columns: [{name: id, description: ''}]}]",
    "version: 2\r\nmodels:\r\n- name: orders\r\n  columns: []\r\n",
    "models:\n  - name: orders\n    description: >-\n\n    columns:\n      - name: id\n\n            # deep\n",
    "",
]
PLACES = [Change("models", "orders", "", None), Change("models", "orders", "", "id")]


def described(text: str) -> list[Change]:
    return [each._replace(text=text) for each in PLACES]


def read_back(data: bytes) -> list[str]:
    entry = yaml.safe_load(data)["models"][0]
    return [entry["description"], entry["columns"][0]["description"]]


@each_case("text", TEXTS)
def test_a_text_is_read_back_from_every_place(text: str) -> None:
    for before in BLANK_STYLES:
        assert read_back(SplicedDocument(before.encode()).splice(described(text)).data) == [text, text]


@given(st.text(), st.sampled_from(BLANK_STYLES))
def test_any_text_is_read_back_from_every_place(text: str, before: str) -> None:
    assert read_back(SplicedDocument(before.encode()).splice(described(text)).data) == [text, text]


@given(st.text(alphabet=st.sampled_from(" \t\n\r'\"\\#:-|>{}[]%!&*?,~ab1\u2028")))
def test_text_of_marks_is_read_back_from_scalars(text: str) -> None:
    block = block_scalar(text, 2, literal=True, breaks_after=True)
    assert yaml.safe_load(f"k: {block}\nl: {flow_scalar(text)}\nm: [{flow_scalar(text)}]\n") == {
        "k": text,
        "l": text,
        "m": [text],
    }


def test_readable_texts_are_written_readably() -> None:
    written = {
        "The key, it's 100 % unique.": "The key, it's 100 % unique.",
        "Orders: all": '"Orders: all"',
        "two\nlines": "|-\n  two\n  lines",
        "two\nlines\n": "|\n  two\n  lines",
        "long " * 100 + "text": "long " * 100 + "text",
    }
    assert {text: block_scalar(text, 2, literal=True, breaks_after=True) for text in written} == written


NAMES = st.sampled_from(["orders", "Orders", "id", "at", "yes", "a b", "2020", "a: b", "é"])
SCALARS = st.none() | st.booleans() | st.integers() | st.text(string.printable, max_size=12) | st.text(max_size=6)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=6
)


def entries(columns: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Entries with different names; a `description` is blank."""
    optional = {"description": st.sampled_from([None, "", " "]), "meta": VALUES, "columns": columns, "tests": VALUES}
    one = st.fixed_dictionaries({"name": NAMES}, optional=optional)
    return st.lists(one, max_size=3, unique_by=lambda each: each["name"])


COLUMNS = entries(st.none())
DOCUMENTS = st.fixed_dictionaries(
    {"models": entries(st.none() | COLUMNS)}, optional={"version": st.just(2), "seeds": VALUES, "x": VALUES}
)
CHANGES = st.lists(
    st.builds(Change, st.just("models"), NAMES, st.text(max_size=20), st.none() | NAMES, st.none(), st.just(False)),
    min_size=1,
    max_size=5,
    unique_by=lambda each: (each.name, each.column),
)


def expected(document: Any, changes: list[Change]) -> Any:
    """What the changes mean, worked out on plain data."""
    after = copy.deepcopy(document)
    for change in changes:
        listed = after["models"]
        place = _named(listed, change.name)
        if change.column is not None:
            place["columns"] = place.get("columns") or []
            place = _named(place["columns"], change.column)
        place["description"] = change.text
    return after


def _named(listed: list[Any], name: str) -> Any:
    if name not in [each["name"] for each in listed]:
        listed.append({"name": name})
    return next(each for each in listed if each["name"] == name)


@given(document=DOCUMENTS, changes=CHANGES, style=st.sampled_from([None, True, False]), data=st.data())
def test_in_any_document_only_the_descriptions_change(
    document: Any, changes: list[Change], style: bool | None, data: st.DataObject
) -> None:
    indent = data.draw(st.sampled_from([2, 3, 4, 7]), label="indent")
    text = yaml.safe_dump(document, default_flow_style=style, indent=indent, width=20, allow_unicode=True)
    ending = data.draw(st.sampled_from(["\n", "\r\n"]), label="line end")
    before = text.replace("\n", ending).rstrip("\r\n" if data.draw(st.booleans(), label="no final newline") else "")
    assume(yaml.safe_load(before) == document)
    try:
        after = SplicedDocument(before.encode()).splice(changes).data.decode()
    except CannotSplice as refused:
        # Nothing can follow a block of text that the file ends in.
        assert "end the file with a line break" in str(refused)  # noqa: PT017
        return
    assert yaml.safe_load(after) == expected(document, changes)
    kept = [line for line in before.splitlines() if line in after.splitlines()]
    assert len(before.splitlines()) - len(kept) <= 2 * len(changes)


@given(st.sampled_from(sorted(STYLES)), st.text(max_size=30))
def test_the_lines_around_any_text_stay_as_they_are(name: str, text: str) -> None:
    style = STYLES[name]
    after = SplicedDocument(style.before.encode()).splice([each._replace(text=text) for each in style.changes]).data
    following = iter(after.decode().split("\n"))
    assert [line for line in style.unchanged.split("\n")[:-1] if line not in following] == []
