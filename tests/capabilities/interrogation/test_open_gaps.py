"""Open gaps: what sessions and exams add and remove, who sees them, and what becomes of a damaged file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.capabilities.interrogation.states import new_session
from tests.fakes.interrogation import gap
from tests.sample_shop.indexed import index_all, shop_tables, write_documentation
from tribal.adapters.local.folder import FolderStore
from tribal.adapters.sqlite.index import SqliteIndex
from tribal.capabilities.interrogation.errors import SessionInvalid
from tribal.capabilities.interrogation.listing import remove
from tribal.capabilities.interrogation.open_gaps.merging import QuestionResult, merged
from tribal.capabilities.interrogation.open_gaps.reading import load_gaps, visible_gaps
from tribal.capabilities.interrogation.open_gaps.recording import exam_results, forget, record, session_result
from tribal.capabilities.interrogation.parties import Analysis, Question, WitnessAnswer
from tribal.capabilities.interrogation.sessions import transitions
from tribal.capabilities.interrogation.sessions.repository import Sessions
from tribal.capabilities.interrogation.sessions.visibility import session_scope
from tribal.identity.locations import DEFINITIONS_FILE, OPEN_GAPS_FILE
from tribal.identity.scope import EVERYTHING, Scope
from tribal.identity.targets import current_gaps, target_hash
from tribal.ports import Caller, ObjectStore
from tribal.store import require_seal
from tribal_contracts import DefinedTerm, Definitions, Description, TableDocument
from tribal_contracts.answering.open_gaps import MAX_TEXTS, OpenGaps
from tribal_contracts.interrogation.exams import ExamResult
from tribal_contracts.interrogation.sessions import Gap, InterrogationSession

pytestmark = pytest.mark.slow

CUSTOMER, EMAIL, SALARY = "shop.crm.customer", "shop.crm.customer.email", "shop.hr.employee.salary"
ANN, BEN, ADMIN = Caller("ann"), Caller("ben", Scope(schemas=frozenset({("shop", "crm")}))), Caller("admin")
NOW = "2026-11-21T02:45:00Z"


class Shop:
    """The documented and indexed sample shop, with its sessions."""

    def __init__(self, folder: Path, store: ObjectStore) -> None:
        self.store = store
        self.sessions = Sessions(store)
        self.index = SqliteIndex(folder / "index.db")
        self.document(shop_tables())

    def document(self, tables: Sequence[TableDocument]) -> None:
        self.tables = {table.name: table for table in tables}
        write_documentation(self.store, tables)
        index_all(self.store, self.index)

    def describe(self, table: str, column: str, text: str) -> None:
        """A person's text, as the next run documents it."""
        document = self.tables[table]
        said = Description(text=text, source="human", confidence=1.0)
        columns = [
            each.model_copy(update={"description": said}) if each.name == column else each for each in document.columns
        ]
        self.document([*({**self.tables, table: document.model_copy(update={"columns": columns})}).values()])

    @property
    def manifest_hash(self) -> str:
        metadata = self.index.metadata()
        assert metadata is not None
        return metadata.manifest_hash

    def record(self, *results: QuestionResult) -> None:
        record(self.sessions, self.index, results)

    def blocked(self, caller: Caller = ANN) -> dict[str, int]:
        """How many questions each target blocks."""
        return {each.target: len(each.blocked) for each in visible_gaps(self.store, caller)}

    def current(self, table: str) -> list[str]:
        found = current_gaps(self.tables[table], visible_gaps(self.store, ANN))
        return [each.target for _, each in found]

    def ended_session(self, number: int, text: str, *gaps: Gap, owner: str = "ann") -> InterrogationSession:
        """A session in the store that ended with these gaps."""
        created = new_session(session_id=str(UUID(int=number, version=4)))
        hypothesis = created.hypothesis.model_copy(update={"text": text})
        update = {"hypothesis": hypothesis, "manifest_hash": self.manifest_hash, "owner": owner}
        running = created.model_copy(update=update)
        asked = transitions.add_pair(
            running, Question("What?"), WitnessAnswer("", "rules:1"), Analysis(gaps, False, "rules:1"), NOW
        )
        session = transitions.stop(asked, owner, NOW)
        self.sessions.create(session)
        return session


@pytest.fixture(name="shop")
def shop_fixture(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path, FolderStore(tmp_path / "store"))
    yield shop
    shop.index.close()


def question(text: str, *targets: str, severity: str = "medium", **values: object) -> QuestionResult:
    gaps = [gap(target).model_copy(update={"severity": severity}) for target in targets]
    return QuestionResult(text=text, gaps=gaps, **values)  # type: ignore[arg-type]


def exam(number: int, manifest_hash: str, questions: Mapping[str, Sequence[str]]) -> ExamResult:
    """An exam whose questions are blocked by targets."""
    blocking = {"category": "missing_information", "severity": "high"}
    return ExamResult.model_validate(
        {
            "id": str(UUID(int=number, version=4)),
            "createdAt": NOW,
            "manifestHash": manifest_hash,
            "total": len(questions),
            "answered": 0,
            "notAsked": 0,
            "share": 0.0,
            "questions": [
                {
                    "question": text,
                    "verdict": "blocked",
                    "completenessScore": 10,
                    "blockedBy": [{"target": target, **blocking} for target in targets],
                }
                for text, targets in questions.items()
            ],
            "gaps": [],
            "owner": "ann",
        }
    )


def test_gaps_are_a_sealed_file_that_puts_first_what_blocks_most_questions(shop: Shop) -> None:
    shop.record(question("who?", EMAIL), question("how?", EMAIL, CUSTOMER), question("why?", CUSTOMER, severity="low"))
    require_seal(OPEN_GAPS_FILE, shop.store.get(OPEN_GAPS_FILE).data)
    email, customer = visible_gaps(shop.store, ANN)
    assert (email.target, len(email.blocked)) == (EMAIL, 2)
    assert (customer.target, len(customer.blocked), len(customer.questions)) == (CUSTOMER, 1, 2)
    assert {each.text for each in email.questions} == {"who?", "how?"}
    assert email.target_hash == target_hash(shop.tables[CUSTOMER], "email")


def test_a_question_that_is_asked_again_loses_the_gaps_that_it_no_longer_has(shop: Shop) -> None:
    shop.record(question("who?", EMAIL, CUSTOMER), question("how?", EMAIL))
    shop.record(question(" who? ", CUSTOMER))
    assert shop.blocked() == {CUSTOMER: 1, EMAIL: 1}
    shop.record(question("who?"))
    assert shop.blocked() == {EMAIL: 1}


def test_the_same_text_within_another_scope_is_another_question(shop: Shop) -> None:
    narrow = session_scope(Scope(frozenset({"shop"})))
    shop.record(question("who?", EMAIL, scope=session_scope(EVERYTHING)))
    shop.record(question("who?", EMAIL, scope=narrow))
    assert shop.blocked() == {EMAIL: 2}
    shop.record(question("who?", scope=narrow))
    assert shop.blocked() == {EMAIL: 1}


def test_an_exam_of_many_questions_is_one_put(shop: Shop) -> None:
    put: list[str] = []

    class CountingStore(FolderStore):
        def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
            put.append(key)
            return super().put(key, data, if_match=if_match, if_absent=if_absent)

    assert isinstance(shop.store, FolderStore)
    sessions = Sessions(CountingStore(Path(shop.store.location)))
    asked = [question(f"{number}?", EMAIL, from_exam=True) for number in range(5_000)]
    record(sessions, shop.index, asked)
    record(sessions, shop.index, asked)
    assert put == [OPEN_GAPS_FILE]
    (email,) = visible_gaps(shop.store, ANN)
    assert (len(email.questions), len(email.blocked)) == (MAX_TEXTS, 5_000)
    record(sessions, shop.index, [question(f"{number}?") for number in range(4_999)])
    assert shop.blocked() == {EMAIL: 1}


def test_what_another_process_writes_at_the_same_time_is_kept(shop: Shop, tmp_path: Path) -> None:
    class RacingStore(FolderStore):
        """Another process records a gap just before each of the first two puts."""

        rivals: ClassVar[list[str]] = ["one?", "two?"]

        def put(self, key: str, data: bytes, *, if_match: str | None = None, if_absent: bool = False) -> str:
            if self.rivals:
                shop.record(question(self.rivals.pop(), EMAIL))
            return super().put(key, data, if_match=if_match, if_absent=if_absent)

    record(Sessions(RacingStore(tmp_path / "store")), shop.index, [question("three?", EMAIL)])
    assert shop.blocked() == {EMAIL: 3}


def test_a_gap_is_closed_when_its_column_says_something_else(shop: Shop) -> None:
    shop.record(question("who?", EMAIL, CUSTOMER, SALARY))
    shop.describe(CUSTOMER, "name", "The name on invoices.")
    assert shop.current(CUSTOMER) == [EMAIL]
    shop.describe(CUSTOMER, "email", "Where invoices are sent.")
    assert shop.current(CUSTOMER) == []
    assert set(shop.blocked()) == {CUSTOMER, EMAIL, SALARY}, "left out on reading, dropped at the next write"
    shop.record(question("how?", "shop.crm.region"))
    assert set(shop.blocked()) == {SALARY, "shop.crm.region"}


def test_counts_samples_and_times_of_a_document_close_no_gap(shop: Shop) -> None:
    document = shop.tables[CUSTOMER]
    columns = [each.model_copy(update={"samples": ["x"]}) for each in document.columns]
    derived = document.description.model_copy(update={"source": "derived"})
    later = document.model_copy(
        update={"row_count": 7, "documented_at": "2027-01-01T00:00:00Z", "columns": columns, "input_hash": "1" * 64}
    )
    assert target_hash(later) == target_hash(document)
    assert target_hash(later, "email") == target_hash(document, "email")
    assert target_hash(document.model_copy(update={"description": derived})) != target_hash(document)


def test_what_was_asked_of_earlier_documentation_is_ignored(shop: Shop) -> None:
    earlier = shop.manifest_hash
    shop.describe(CUSTOMER, "email", "Where invoices are sent.")
    shop.record(question("who?", EMAIL, manifest_hash=earlier), question("how?", SALARY))
    assert shop.blocked() == {SALARY: 1}


def test_targets_that_no_document_has_are_ignored(shop: Shop) -> None:
    shop.record(question("who?", "shop.crm.nothing", "shop.crm.customer.nothing", "customer", "a.b.c.d.e", '"'))
    assert shop.blocked() == {}


def test_hidden_questions_are_counted_and_tables_outside_the_scope_not_listed(shop: Shop) -> None:
    crm = session_scope(BEN.scope)
    shop.record(
        question("which secret plan?", EMAIL, SALARY, "word:secret", owner="ann"),
        question("how?", EMAIL, scope=crm, owner="eve"),
        question("when?", EMAIL, scope=crm, owner="ben", from_exam=True),
    )
    (email,) = visible_gaps(shop.store, BEN)
    assert {each.text for each in email.questions} == {"how?", "when?"}
    assert len(email.blocked) == 3
    assert "secret" not in email.to_json().decode()
    assert shop.blocked(ADMIN) == {EMAIL: 3, SALARY: 1, "word:secret": 1}
    (without_right,) = visible_gaps(shop.store, Caller("x", BEN.scope, rights=frozenset({"documentation:read"})))
    assert [each.text for each in without_right.questions] == ["when?"]
    site = {each.target: each for each in visible_gaps(shop.store, Caller("site"), exams_only=True)}
    assert set(site) == {EMAIL, SALARY}
    assert [each.text for each in site[EMAIL].questions] == ["when?"]
    assert site[SALARY].questions == []


def test_a_word_is_open_until_a_term_defines_it(shop: Shop) -> None:
    shop.record(question("what is churn?", "word:churn"), question("which arr?", "word:arr"))
    assert shop.blocked() == {"word:arr": 1, "word:churn": 1}
    term = DefinedTerm(
        file="annotations/shop.yaml", line=1, tables=[], name="Churn", definition="Who left.", status="current"
    )
    shop.store.put(DEFINITIONS_FILE, Definitions(schema_version="1.0", terms=[term]).to_json())
    assert shop.blocked() == {"word:arr": 1}


def test_a_session_that_is_removed_leaves_no_text(shop: Shop) -> None:
    mine = shop.ended_session(1, "which secret plan?", gap(EMAIL), gap(CUSTOMER))
    shop.record(session_result(mine), question("how?", EMAIL))
    taken = exam(2, shop.manifest_hash, {"who?": [EMAIL]})
    shop.sessions.put_exam(taken)
    shop.record(*exam_results(taken))
    assert shop.blocked() == {EMAIL: 3, CUSTOMER: 1}
    remove(shop.sessions, mine.id, ANN)
    assert b"secret" not in shop.store.get(OPEN_GAPS_FILE).data
    remove(shop.sessions, taken.id, ANN)
    assert shop.blocked() == {EMAIL: 1}


def test_a_removed_session_leaves_the_same_question_of_an_exam(shop: Shop) -> None:
    shop.record(question("who?", EMAIL, from_exam=True))
    shop.record(question("who?", EMAIL))
    forget(shop.store, [question("who?")])
    assert shop.blocked() == {EMAIL: 1}
    forget(shop.store, [question("who?")], exam=True)
    assert shop.blocked() == {}


def test_a_damaged_file_is_named_and_made_again_from_sessions_and_exams(shop: Shop) -> None:
    kept = [shop.ended_session(1, "who?", gap(EMAIL)), shop.ended_session(2, "how?", gap(SALARY), gap("x"))]
    taken = exam(3, shop.manifest_hash, {"who?": [CUSTOMER], "when?": ["word:when"]})
    shop.sessions.put_exam(taken)
    shop.record(*map(session_result, kept), *exam_results(taken))
    whole = shop.store.get(OPEN_GAPS_FILE).data
    assert json.loads(whole)["gaps"]
    for damaged in (whole.replace(b"how?", b"now?"), b"", b"{}", whole[:100]):
        shop.store.put(OPEN_GAPS_FILE, damaged)
        with pytest.raises(SessionInvalid, match=r"sessions/open-gaps.json.*damaged; delete it"):
            visible_gaps(shop.store, ANN)
        shop.record()
        assert shop.store.get(OPEN_GAPS_FILE).data == whole
    shop.store.delete(OPEN_GAPS_FILE)
    assert load_gaps(shop.store) is None
    assert visible_gaps(shop.store, ANN) == []
    shop.record()
    assert shop.store.get(OPEN_GAPS_FILE).data == whole


TARGETS = ("a.b.c", "a.b.c.d", "word:w")
HASHES = dict.fromkeys(TARGETS, "0" * 64) | {"word:w": None}
RESULTS = st.lists(
    st.builds(
        lambda text, gaps, from_exam: QuestionResult(text=text, gaps=gaps, from_exam=from_exam),
        st.sampled_from([f"{number}?" for number in range(30)]),
        st.lists(
            st.builds(
                lambda target, severity, category: Gap(
                    category=category, description="it is missing", severity=severity, target=target
                ),
                st.sampled_from(TARGETS),
                st.sampled_from(["high", "medium", "low"]),
                st.sampled_from(["ambiguity", "vagueness"]),
            ),
            max_size=4,
        ),
        st.booleans(),
    ),
    max_size=60,
)


@given(RESULTS, st.integers(1, 5))
def test_every_gap_counts_the_questions_that_had_it_when_they_were_asked_last(
    results: list[QuestionResult], batches: int
) -> None:
    found = OpenGaps(schema_version="1.0", gaps=[])
    for start in range(batches):
        size = -(-len(results) // batches)
        found = OpenGaps.from_json(merged(found, results[start * size : (start + 1) * size], HASHES).to_json())
    last = {result.text: result for result in results}
    expected: dict[tuple[str, str], set[str]] = {}
    for result in last.values():
        for each in result.gaps:
            expected.setdefault((str(each.target), each.category), set()).add(result.key)
    assert {(g.target, g.category): {*(q.key for q in g.questions), *g.others} for g in found.gaps} == expected
    assert all(len(each.questions) <= MAX_TEXTS for each in found.gaps)
    counts = [len(each.blocked) for each in found.gaps]
    assert counts == sorted(counts, reverse=True)
