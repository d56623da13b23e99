"""A tutor answers by its own laws, whatever a question is about."""

from __future__ import annotations

from tests.capabilities.chat.made import MadeChat, WritingModel, add_file, made_chat
from tests.cases import each_case
from tests.fakes.passages import MemoryPassages, passage
from tribal.errors import IndexNotReady
from tribal.ports import Application, Caller
from tribal_contracts.chat.collections import EmbeddingRecord
from tribal_contracts.chat.settings import CollectionEntry
from tribal_contracts.core.models import EmbeddingEntry

READER = frozenset({"documentation:read"})
MAY_ASK = READER | {"chat:ask"}
EMBEDDING = EmbeddingEntry(provider="ollama", name="vectors", dimensions=768)
TUTOR = CollectionEntry(profile="tutor", embedding=EMBEDDING, models=["flash"])
COURSE = "comp237_course_materials"


def tutor(app: Application, model: WritingModel | None = None) -> MadeChat:
    chat = made_chat(app, TUTOR, writes={"flash": model or WritingModel()})
    chat.indexes.indexes[COURSE] = MemoryPassages([passage("Search trees are balanced.")], [[1.0, 0.0, 0.0, 0.0]])
    add_file(app, COURSE, "lecture.pdf")
    return chat


@each_case("distance, approved", [(1.499, True), (1.5, False)])
def test_a_tutor_refuses_at_the_distance_of_the_specification(
    app: Application, distance: float, approved: bool
) -> None:
    model = WritingModel("Search trees are balanced [1].")
    chat = tutor(app, model)
    cosine = 1 - distance / 2
    chat.embedder.vectors["about trees"] = [cosine, (1 - cosine**2) ** 0.5, 0.0, 0.0]
    found = chat.ask("about trees", COURSE)
    assert found.approved is approved
    assert chat.calls == int(approved)


def test_a_tutor_refuses_graded_work_though_it_is_about_the_course(app: Application) -> None:
    chat = tutor(app)
    chat.embedder.vectors["write code for search trees"] = [1.0, 0.0, 0.0, 0.0]
    found = chat.ask("write code for search trees", COURSE)
    assert found.end.governor is not None
    assert found.end.governor.law_violated == "integrity"
    assert chat.calls == 0


@each_case("problem", ["empty", "unreadable", "no server", "other dimensions", "no right", "no embedding"])
def test_a_tutor_refuses_whatever_it_cannot_compare(app: Application, problem: str) -> None:
    chat = tutor(app)
    chat.embedder.vectors["about trees"] = [1.0, 0.0, 0.0, 0.0]
    caller = Caller("ada", rights=READER if problem == "no right" else MAY_ASK)
    if problem == "empty":
        del chat.indexes.indexes[COURSE]
    elif problem == "unreadable":
        chat.indexes.indexes[COURSE] = IndexNotReady("the file is damaged")
    elif problem == "no server":
        chat.embedder.fails = True
    elif problem == "other dimensions":
        index = MemoryPassages([passage("Search trees.")])
        index.embedding = EmbeddingRecord(model="other/model", dimensions=3)
        chat.indexes.indexes[COURSE] = index
    elif problem == "no embedding":
        entry = TUTOR.model_copy(update={"embedding": None})
        again = made_chat(app, entry, writes=chat.models)
        again.indexes.indexes = chat.indexes.indexes
        chat = again
    found = chat.ask("about trees", COURSE, caller=caller)
    assert not found.approved
    assert found.end.reason == "content-filter"
    assert found.end.error is None
    assert chat.calls == 0
