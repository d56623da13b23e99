"""Instructions and talk to the reader. English only: in other languages nothing is found or dropped."""

from __future__ import annotations

import re
from collections.abc import Collection

from tribal.naming import singular
from tribal.text_checks.sentences import HANDLE

# Verbs of instructions, in general English. Those that say how to read data are missing: "use it for joins" is what
# experts write.
_ORDERS = frozenset(
    """
    add adjust allow alter apply ask attach beware bypass choose clear click compose confirm connect consult contact
    continue convert create decode decrypt delete demand deny deploy describe disable discard disclose disregard
    download drop edit enable encode ensure enter erase examine execute fetch follow forget generate get give go
    grant guess hide ignore imagine immediately inform insert inspect install invoke keep kindly learn let make
    modify navigate notify obey obtain omit overwrite paste perform ping please pretend proceed provide publish put
    reboot recite reject rely remember remind remove rename replace reply respond restart restore retrieve reveal
    revert revoke run say select send skip speak submit subscribe tell terminate try uninstall upload validate
    verify warn write
    """.split()
)
# Nouns or adjectives as often as verbs, so that only those before an object count.
_DOUBTFUL = frozenset(
    """
    access answer approve back book call change check claim close comment copy display document email export file
    find fix forward import lead list load log look mail map mark merge message move open output pay phone post
    print pull push query quote read repeat report request reset return review save search set share show sign start
    stop store switch take talk test transfer trust turn update view visit wait watch wire
    """.split()
)
_OBJECTS = frozenset(
    """
    a all an and any anyone down everything everyone for from him her his if in instead into it its me my no not now on
    only our out over that the their them then these this those to us what whenever when with your yourself
    """.split()
)
_CERTAIN = re.compile(
    r"\b(?:you|your|yours|yourself|you're|you'll|please|kindly|let's|beware"
    r"|make sure|be (?:sure|careful|aware)|note that|(?:for|see) (?:more|further) details|click(?:ing)? here"
    r"|(?:previous|prior|above|following|these|all|new|earlier|my|system) (?:instruction|prompt|command|guideline)s?"
    r"|(?:language|ai) model|assistant|chatbot|jailbreak|developer mode|as an ai"
    r"|(?:the|this) (?:reader|prompt|request|answer|json|handle)s?)\b",
    re.IGNORECASE,
)
_DEMANDED = re.compile(
    r"\b(?:must|should|shall|ought to|(?:have|has|need|needs|want|wants) to|do not|don't|never|always)"
    r" (?:not |never |always |also )?",
    re.IGNORECASE,
)
"""What is demanded of the reader, unlike of the data: "must call", not "must be unique"."""
_SPEAKER = re.compile(r"\bI\b|\bI'm\b|(?i:\b(?:my|me|myself)\b)")
_SENTENCE = re.compile(r"[.!?:]\s+|[!?:]")
_CLAUSE = re.compile(r"[,;\u2013\u2014()]|\s-\s|\b(?:and|then|or|but|so|just|now|first|also|instead)\b", re.IGNORECASE)
_CAPITAL = re.compile(r"(?<=\s)(?=[A-Z][a-z])")
_WORD = re.compile(rf"[^\W\d_]+(?:['\u2019][^\W\d_]+)?|{HANDLE}")
_NOT_AT_ONCE = frozenset({"and", "for", "from", "if", "in", "on", "to", "when", "with"})
"""Words that follow a noun as often as a verb."""


def is_instruction(sentence: str, given_words: Collection[str], *, english: bool = True) -> bool:
    """Whether a sentence addresses its reader: an instruction, advice, or talk about this request.

    Args:
        sentence: with handles replaced.
        given_words: words of the shown names, in the singular; they are usually nouns.
        english: whether the answer is to be in English.
    """
    text = sentence.replace("\u2019", "'")
    if _CERTAIN.search(text) or (english and _SPEAKER.search(text)):
        return True
    if any(_begins_instruction(text[found.end() :], ()) for found in _DEMANDED.finditer(text)):
        return True
    # A capital inside an English sentence may start an injected sentence.
    starts = [part for each in _SENTENCE.split(text) for part in (_CAPITAL.split(each) if english else [each])]
    if any(_begins_instruction(start, given_words) for start in starts):
        return True
    return any(_instructs(_WORD.findall(clause.lower())) for clause in _CLAUSE.split(text)[1:])


def _begins_instruction(text: str, given_words: Collection[str]) -> bool:
    words = _WORD.findall(text.lower())
    # A shown name may begin with such a word: "contact name".
    return _instructs(words) or (words[:1] != [] and words[0] in _ORDERS and singular(words[0]) not in given_words)


def _instructs(words: list[str]) -> bool:
    """Whether a verb is followed by its object, unlike in a list of nouns."""
    if len(words) < 2 or (words[0] not in _ORDERS and words[0] not in _DOUBTFUL):
        return False
    return words[1] == HANDLE or words[1] in _OBJECTS - _NOT_AT_ONCE
