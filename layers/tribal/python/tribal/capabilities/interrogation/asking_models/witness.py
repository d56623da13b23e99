"""A witness that is a language model and knows only the query context that it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tribal.capabilities.interrogation.asking_models.prose import ANSWERS, ProseCheck, Resolve
from tribal.capabilities.interrogation.asking_models.replies import ask
from tribal.capabilities.interrogation.asking_models.requests import ANSWER_SCHEMA, answer_data, texts_of
from tribal.capabilities.interrogation.errors import PartyFailed, WitnessUnreachable
from tribal.capabilities.interrogation.parties import WitnessAnswer
from tribal.ports import FailureKind
from tribal.ports.models.chains import ModelChain, ModelPrompt, NoReply, Reading
from tribal.prompt_templates import Prompts
from tribal.rendering.words import bounded
from tribal_contracts.answering.answers import AnswerSource
from tribal_contracts.interrogation.sessions import MAX_ANSWER_CHARS, InterrogationSession

ANSWER_TOKENS = 1_500
"""Maximum tokens of an answer. By judgement: three times the words that the prompt allows."""
Context = Callable[[str], tuple[str, Sequence[AnswerSource]]]
"""Returns what the documentation says about a question, and its sources."""
_NOT_EXISTING = "it names a table or column that the documentation does not name"
_REPAIRED: frozenset[FailureKind] = frozenset({"malformed", "refused", "truncated", "rejected"})


class ModelWitness:
    """Answers a question from its query context. One retry with the same model is allowed.

    Args:
        name: name of the model in answers.
        chain: a chain that contains only this model.
        prompts: the prompt templates of interrogations.
        context: returns the query context, within the scope of the session.
        resolve: finds tables and columns within the same scope.
    """

    def __init__(self, name: str, chain: ModelChain, prompts: Prompts, context: Context, resolve: Resolve) -> None:
        self._name = name
        self._chain = chain
        self._context = context
        self._resolve = resolve
        self._prompt = ModelPrompt(
            instructions=prompts.texts["witness.md"],
            schema=ANSWER_SCHEMA,
            answer_tokens=ANSWER_TOKENS,
            repaired=_REPAIRED,
        )

    def answer(self, session: InterrogationSession, question: str) -> WitnessAnswer:
        """Answer a question. If nothing is documented about it, the answer is empty and no model is asked."""
        del session  # An answer depends on the question alone.
        documentation, sources = self._context(question)
        if not documentation.strip():
            return WitnessAnswer("", self._name)
        data = answer_data(question, documentation, sources)
        shown = sources[: len(data["sources"])]
        check = ProseCheck(self._resolve, tuple(texts_of(data)))
        reply = ask(self._chain, self._prompt, data, lambda value: _read(value, check, shown), _unreachable)
        text, used = reply.value
        return WitnessAnswer(text, self._name, used if text else (), reply.cost)


def _read(
    value: Mapping[str, Any], check: ProseCheck, shown: Sequence[AnswerSource]
) -> Reading[tuple[str, tuple[AnswerSource, ...]]]:
    text, listed = value.get("answer"), value.get("sources")
    if not isinstance(text, str) or not isinstance(listed, list):
        return Reading(None)
    checked = check.check(text, ANSWERS)
    numbers = {number for number in listed if type(number) is int}
    cited = tuple(source for number, source in enumerate(shown, 1) if number in numbers)
    answer = bounded("\n".join(checked.sentences), MAX_ANSWER_CHARS)
    faults = (_NOT_EXISTING,) if checked.invented else ()
    return Reading((answer, cited or tuple(shown)), faults, checked.invented)


def _unreachable(reply: NoReply) -> PartyFailed:
    return WitnessUnreachable(f"the witness could not be reached: {reply.message}", reply.cost.notes)
