"""Answers without a model: statements of the documentation and quotes from passages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tribal.capabilities.chat.answers.finding import Found
from tribal.capabilities.chat.answers.grounding import is_addressed_to_a_model
from tribal.capabilities.chat.answers.passages import RankedPassage
from tribal.capabilities.chat.answers.sentences import Sentence, is_repeated, read_sentences
from tribal.capabilities.chat.answers.sources import Source, documented_sources, passage_source
from tribal.naming import index_terms
from tribal.rendering.quotations import quote
from tribal.rendering.words import shorten

LEAST_EVIDENCE = 0.05
"""Minimum evidence for quoting a passage. By judgement."""
_QUOTED_PASSAGES = 3
_QUOTED_SENTENCES = 2
_QUOTE_CHARS = 400
_SHARE_OF_BEST = 0.5
"""Minimum score for quoting a passage or a sentence, as a share of the best score. By judgement."""
_SHARE_OF_HEADING = 0.5
"""Weight of a matching word in a heading, relative to a word in the sentence. By judgement."""
_STATEMENTS_AFTER_QUOTES = 4
_HARMFUL = re.compile(r"<(?=[A-Za-z/!?])")
_LINK = re.compile(r"(?<=\])\(|!(?=\[)")

Cited = tuple[str, Sequence[Source]]
"""A text and its sources."""


def plain_text(text: str) -> str:
    """Escape a text so that Markdown renders no HTML, links or images from it."""
    return _LINK.sub(lambda found: f" {found.group()}" if found.group() == "(" else "", _HARMFUL.sub("\u2039", text))


def extractive_statements(question: str, found: Found, course: str) -> Iterator[Cited]:
    """Yield the statements that answer a question, most important first, each with its sources."""
    least = max(LEAST_EVIDENCE, _SHARE_OF_BEST * found.relevance.passage)
    quotes = [each for each in found.passages if each.evidence >= least]
    if found.passages_lead:
        yield from _quotes(question, quotes)
    if found.documented is not None and (answers(found) or not quotes):
        sources = documented_sources(found.documented, course)
        most = _STATEMENTS_AFTER_QUOTES if found.passages_lead else None
        for statement in found.documented.answer.statements[:most]:
            yield statement.text, [sources[each] for each in statement.sources]
    if not found.passages_lead:
        yield from _quotes(question, quotes)


def answers(found: Found) -> bool:
    """Return whether the documentation answers the question, at least in part."""
    return found.documented is not None and found.documented.answer.verdict != "not_documented"


def unexplained_words(found: Found) -> tuple[str, ...]:
    """Return the words of the question that neither the documentation nor a passage explains."""
    if found.documented is None or found.passages_lead:
        return ()
    if not answers(found):
        return tuple(found.documented.answer.unexplained)
    held = {term for each in found.passages for term in each.matched}
    return tuple(word for word in found.documented.answer.unexplained if held.isdisjoint(index_terms(word)))


def _quotes(question: str, passages: Sequence[RankedPassage]) -> Iterator[Cited]:
    said = list[str]()
    for each in passages[:_QUOTED_PASSAGES]:
        if quoted := _best_sentences(question, each, said):
            said += quoted
            yield quote(shorten(" ".join(quoted), _QUOTE_CHARS)), [passage_source(each)]


def _best_sentences(question: str, found: RankedPassage, said: Sequence[str]) -> list[str]:
    """Return the sentences of a passage that match the question best, in order and without repetitions."""
    terms = frozenset(index_terms(question))
    sentences = [
        each
        for each in read_sentences(found.match.passage.text)
        if not (each.is_heading or is_addressed_to_a_model(each.text))
    ]
    # The overlap with the passage before may begin in the middle of a sentence.
    scored = sorted(((_words(terms, each), -number) for number, each in enumerate(sentences)), reverse=True)
    if not scored:
        return []
    least = max(1.0, _SHARE_OF_BEST * scored[0][0])
    if scored[0][0] < least:
        # It was found by its meaning.
        least = scored[0][0]
        scored = scored[:1]
    chosen: list[int] = []
    for score, number in scored:
        earlier = [*said, *(sentences[each].text for each in chosen)]
        if score >= least and len(chosen) < _QUOTED_SENTENCES and not is_repeated(sentences[-number].text, earlier):
            chosen.append(-number)
    return [sentences[number].text for number in sorted(chosen)]


def _words(terms: frozenset[str], sentence: Sentence) -> float:
    """Count the question's words in a sentence; words in its heading count less."""
    own = terms & frozenset(index_terms(sentence.text))
    return len(own) + _SHARE_OF_HEADING * len(terms & frozenset(index_terms(sentence.heading)) - own)
