"""What a file says of itself, and what is refused with its line."""

from __future__ import annotations

import textwrap

import pytest

from tests.cases import each_case
from tribal.capabilities.knowledge.items.item_file import ReadItem, read_item
from tribal.capabilities.knowledge.items.places import Layout, Place
from tribal.errors import ItemUnusable

ADR = Place("org", "acme", "adr")
POLICY = Place("team", "billing", "policy")

NYGARD = """\
    # 12. Use PostgreSQL for new services

    Date: 2024-02-30 or rather 2024-03-01

    ## Status

    Accepted

    Supersedes [3. Use MySQL](0003-use-mysql.md)

    ## Context

    We have two. It is accepted to differ.

    ## Decision

    We will use PostgreSQL. New services alone.

    ## Consequences

    None.
    """
MADR = """\
    ---
    status: superseded by ADR-0123
    date: 2023-05-04
    deciders: {list of people}
    ---
    # Use Plain JUnit5 for advanced test assertions

    ## Decision Outcome

    Chosen option: "Plain JUnit5", because it is there.
    """
POLICY_TEXT = """\
    ---
    id: no-old-invoices
    type: policy
    title: The old invoices are not read
    status: accepted
    severity: block
    tags: [billing, migration]
    supersedes: old-invoices
    metadata: {tables: [shop.billing.invoice_old], reviewed: true}
    owner: ada
    constraints:
      - operator: must_not_use
        target: table
        pattern: billing\\.invoice_old
        message: Read billing.invoice instead.
    ---
    The table is frozen since 2022.
    """


def read(text: str, place: Place = ADR, path: str = "adrs/0012-use-postgresql.md") -> ReadItem | None:
    return read_item(path, textwrap.dedent(text).encode(), place)


def refused(text: str, place: Place = ADR) -> ItemUnusable:
    with pytest.raises(ItemUnusable) as error:
        read(text, place)
    return error.value


def test_a_record_of_nygards_form_is_read_as_it_lies() -> None:
    item = read(NYGARD)
    assert item is not None
    assert (item.id, item.type, item.title) == ("0012-use-postgresql", "adr", "Use PostgreSQL for new services")
    assert (item.status, item.severity, item.summary) == ("accepted", "info", "We will use PostgreSQL.")
    assert (item.created, item.tags, item.metadata, item.constraints) == ("2024-03-01", [], {}, [])
    assert item.content.startswith("# 12. Use PostgreSQL")
    assert item.warnings == ()


def test_a_record_of_madrs_form_is_read_as_it_lies() -> None:
    item = read(MADR)
    assert item is not None
    assert (item.status, item.created) == ("superseded", "2023-05-04")
    assert item.summary == 'Chosen option: "Plain JUnit5", because it is there.'
    assert item.metadata == {"deciders": {"list of people": None}}


def test_a_policy_says_all_in_front_matter() -> None:
    item = read(POLICY_TEXT, POLICY)
    assert item is not None
    assert (item.id, item.severity, item.tags, item.supersedes) == (
        "no-old-invoices",
        "block",
        ["billing", "migration"],
        "old-invoices",
    )
    assert item.tables == ["shop.billing.invoice_old"]
    assert item.metadata == {"tables": ["shop.billing.invoice_old"], "reviewed": True, "owner": "ada"}
    (constraint,) = item.constraints
    assert (constraint.operator, constraint.target, constraint.pattern) == (
        "must_not_use",
        "table",
        r"billing\.invoice_old",
    )


def test_constraints_may_be_in_one_fenced_block_too() -> None:
    constraint = "{operator: must_exist, target: file, pattern: LICENSE}"
    text = f"# A\n\nStatus: accepted\n\n```yaml\nconstraints:\n  - {constraint}\n```\n"
    item = read(text)
    assert item is not None
    assert [each.pattern for each in item.constraints] == ["LICENSE"]


@each_case(
    ("said", "status"),
    [
        ("## Status\n\nApproved", "accepted"),
        ("Status: Adopted", "accepted"),
        ("* Status: decided", "accepted"),
        ("**Status:** implemented", "accepted"),
        ("| Status | Pending |\n| --- | --- |\n", "proposed"),
        ("## Status: In Review", "proposed"),
        ("## Status\n\nOn hold", "draft"),
        ("## Status\n\nAccepted, superseded in part", "accepted"),
        ("## Status\n\nSuperseded by [9. Accepted things](0009.md)", "superseded"),
        ("## Status\n\nDeprecated", "deprecated"),
        ("<!-- Status: draft -->\n\nStatus: accepted", "accepted"),
    ],
)
def test_a_status_is_read_in_the_words_that_people_use(said: str, status: str) -> None:
    item = read(f"# A\n\n{said}\n")
    assert item is not None
    assert (item.status, item.warnings) == (status, ())


def test_without_a_status_it_is_taken_as_accepted_and_says_so() -> None:
    item = read("# A\n\nText.\n")
    assert item is not None
    assert (item.status, item.warnings) == ("accepted", ("it has no status: treated as accepted",))


def test_what_supersedes_it_is_found_by_its_link() -> None:
    item = read("# A\n\n## Status\n\nSuperseded by [B](0002-b.md)\n")
    assert item is not None
    assert item.superseded_by == ("0002-b.md",)


@each_case(
    ("text", "title", "status"),
    [
        (
            "14. Setext heading\n===\n\nStatus\n---\n\nAccepted\n\nDecision\n---\n\nWe do.\n",
            "Setext heading",
            "accepted",
        ),
        ("# 17. Strike\n\n## Status\n\n~~Proposed~~ Accepted\n", "Strike", "accepted"),
        ("---\nstatus: ~~proposed~~ accepted\n---\n# A\n", "A", "accepted"),
        ("# A\n\n## Status\n\nAccepted\n\nSuperseded by [ADR 5](0005.md)\n", "A", "superseded"),
        ("# A\n\n## Status\n\nAccepted, superseded by ADR 5\n", "A", "superseded"),
        ("# A\n\nStatus: Reverted by ADR 9\n", "A", "superseded"),
        ("# A\n\nStatus: experimental\n", "A", "proposed"),
        ("# A\n\n## Status\n\nAccepted\n\nIt was proposed in May and supersedes ADR 3.\n", "A", "accepted"),
        ("---\nstatus: { accepted }\n---\n# A\n", "A", "accepted"),
        ("---\nstatus: accepted\n# A decision\n---\n\nWe do.\n", "A decision", "accepted"),
    ],
)
def test_records_are_read_as_people_write_them(text: str, title: str, status: str) -> None:
    item = read(text)
    assert item is not None
    assert (item.title, item.status) == (title, status)


def test_templates_and_the_readme_of_a_folder_are_skipped() -> None:
    assert read("# {short title}\n\nStatus: proposed\n") is None
    for layout in (Layout(flat=ADR), Layout()):
        folder = "" if layout.flat else "projects/shop/adrs/"
        names = ("0000-template.md", "adr-template.md", "TEMPLATE.md", "_draft.md", "README.md", "index.md")
        assert [name for name in names if layout.place_of(f"{folder}{name}")] == []
        assert layout.place_of(f"{folder}0001-templates.md") is not None


@each_case("text", ["# A\n\nStatus: Rejected\n", "---\nstatus: rejected\n---\n# A\n"])
def test_what_was_rejected_is_no_item(text: str) -> None:
    assert read(text) is None


@each_case("title", ["3. Title", "ADR-003: Title", "ADR 3 - Title", "003 \u2013 Title", "Title"])
def test_a_title_is_shown_without_its_number(title: str) -> None:
    item = read(f"# {title}\n\nStatus: accepted\n")
    assert item is not None
    assert item.title == "Title"


@each_case(
    ("text", "line", "reason"),
    [
        ("Text alone.\n", 1, "it has no title"),
        ("# A\n\n## Status\n\nGathering information\n", 5, "the status must be one of"),
        ("# A\n\nStatus: [proposed | accepted]\n", 3, "the status must be one of"),
        ("---\ntitle: A\nstatus: maybe\n---\n", 3, "status: must be one of"),
        ("---\ntitle: A\ntype: policy\n---\n", 3, "the folder is for the type 'adr'"),
        ("---\ntitle: A\nseverity: fatal\n---\n", 3, "severity: must be one of"),
        ("---\ntitle: A\nid: ../x\n---\n", 3, "id: may only have letters"),
        ("---\ntitle: A\ntags: {a: b}\n---\n", 3, "tags: must be a list"),
        ("---\ntitle: [A]\n---\n", 2, "title: must be text"),
        ("---\ntitle: A\nx: &a [1]\ny: *a\n---\n", 3, "anchor"),
        ("---\ntitle: A\n b: : c\n---\n", 3, "cannot be read"),
        ("---\n- a\n---\n# A\n", 2, "front matter must be keys and values"),
        (
            "---\ntitle: A\nconstraints:\n  - {operator: must_use, target: file, pattern: x}\n---\n",
            4,
            "cannot be asked of",
        ),
        ("---\ntitle: A\nconstraints:\n  - operator: must_use\n    target: code\n---\n", 4, "pattern is missing"),
        (
            "---\ntitle: A\nconstraints:\n  - operator: must_use\n    target: code\n    pattern: '('\n---\n",
            6,
            "cannot parse",
        ),
        ("---\ntitle: A\nconstraints: 3\n---\n", 3, "constraints: must be a list"),
        ("---\ntitle: A\nconstraints: []\n---\n```yaml\nconstraints: []\n```\n", 6, "given twice"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    error = refused(text)
    assert reason in error.message
    assert error.line == line


def test_bytes_that_are_no_text_and_files_that_are_too_large_are_refused() -> None:
    with pytest.raises(ItemUnusable, match="UTF-8") as error:
        read_item("a.md", b"# A\n\xff\n", ADR)
    assert error.value.line == 2
    with pytest.raises(ItemUnusable, match="larger than"):
        read_item("a.md", b"# A\n" + b"x" * (1 << 20), ADR)


def test_the_place_of_a_file_says_whose_it_is() -> None:
    layout = Layout("docs", company="acme")
    assert layout.place_of("docs/company/adrs/1.md") == Place("company", "acme", "adr")
    assert layout.place_of("docs/teams/billing/policies/deep/x.md") == Place("team", "billing", "policy")
    assert layout.place_of("docs/projects/shop/specs/x.markdown") == Place("project", "shop", "spec")
    for other in ("teams/billing/policies/x.md", "docs/teams/policies/x.md", "docs/x.md", "docs/company/adrs/x.txt"):
        assert layout.place_of(other) is None
    assert Layout("docs").place_of("docs/company/adrs/1.md") is None
    flat = Layout("doc/adr", flat=Place("project", "shop", "adr"))
    assert flat.place_of("doc/adr/0001-x.md") == Place("project", "shop", "adr")
    assert [flat.place_of(f"doc/adr/{name}") for name in ("README.md", "template.md", "_x.md", "x.png")] == [None] * 4
