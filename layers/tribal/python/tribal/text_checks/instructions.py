"""Instructions and talk to the reader. English only: in other languages nothing is found or dropped."""

from __future__ import annotations

import re
from collections.abc import Collection

from tribal.naming import singular
from tribal.text_checks.sentences import HANDLE

# Verbs of instructions, in general English.
_ORDERS = frozenset(
    """
    access add adjust allow alter answer apply approve ask assume attach avoid beware bypass change choose claim clear
    click close compare compose compute concatenate confirm connect consider consult continue convert create decode
    decrypt delete demand deny deploy describe disable discard disclose disregard display divide do don't download drop
    edit email enable encode ensure enter erase examine exclude execute export fetch filter find fix follow forget
    forward generate get give go grant guess hide ignore imagine immediately import include inform insert inspect
    install invoke join kindly keep learn leave let list load log look make merge modify move multiply navigate never
    notify obey obtain omit open output overwrite paste perform phone ping please pretend print proceed provide publish
    pull push put query quote read reboot recite reject rely remember remind remove rename repeat replace reply request
    reset respond restart restore retrieve return reveal revert review revoke run save say search see select send set
    share show sign skip speak specify start state stop store submit subscribe sum switch take talk tell terminate treat
    trust try turn type uninstall update upload use validate verify view visit wait warn watch wire write
    """.split()
)
# Nouns or adjectives as often as verbs; without nouns that a clause may follow ("date the order was paid").
_DOUBTFUL = frozenset(
    """
    access answer approve back book call change check claim close comment contact copy count display document email
    export file filter find fix follow forward import join list load log look lead mail map mark match merge message
    move note open output pay phone ping post print pull push query quote read refer repeat reply report request reset
    return review run save search set share show sign sort start stop store submit sum switch take talk test transfer
    trust turn update upload use view visit wait watch wire
    """.split()
)
_OBJECTS = frozenset(
    """
    a all an and any anyone down everything everyone for from him her his if in instead into it its me my no not now on
    only our out over that the their them then these this those to us what whenever when with your yourself
    """.split()
)
_CERTAIN = re.compile(
    r"\b(?:you|your|yours|yourself|you're|you'll|please|kindly|should|ought|shall|let's|never|don't|beware"
    r"|must (?:not |never |always )?(?!be (?:unique|positive|present)\b)\w+"
    r"|(?:have|has|need|needs|had better|want|wants) to|do(?:es)? not \w+ (?:this|that|any|the)"
    r"|always (?:use|join|filter|check|run|call|contact|see|ask)|make sure|be (?:sure|careful|aware)|note that"
    r"|(?:for|see) (?:more|further|details)|recommended|advis(?:e|ed|able)|caution|warning|click(?:ing)? here"
    r"|(?:previous|prior|above|following|these|all|new|earlier|my|system)"
    r" (?:instruction|order|rule|prompt|message|command|direction|guideline)s?"
    r"|(?:language|ai) model|assistant|chatbot|jailbreak|developer mode|as an ai"
    r"|(?:the|this) (?:reader|prompt|request|answer|json|handle)s?)\b",
    re.IGNORECASE,
)
_SPEAKER = re.compile(r"\bI\b|\bI'm\b|(?i:\b(?:we|our|us|my|me|myself)\b)")
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
    # A capital inside an English sentence may start an injected sentence.
    starts = [part for each in _SENTENCE.split(text) for part in (_CAPITAL.split(each) if english else [each])]
    if any(_begins_instruction(start, given_words) for start in starts):
        return True
    return any(_instructs(_WORD.findall(clause.lower())) for clause in _CLAUSE.split(text)[1:])


def _begins_instruction(text: str, given_words: Collection[str]) -> bool:
    words = _WORD.findall(text.lower())
    if not words or (words[0] not in _ORDERS and words[0] not in _DOUBTFUL):
        return False
    # A shown name may begin with such a word: "contact name".
    return singular(words[0]) not in given_words or _instructs(words)


def _instructs(words: list[str]) -> bool:
    """Whether a verb is followed by its object, unlike in a list of nouns."""
    if len(words) < 2 or (words[0] not in _ORDERS and words[0] not in _DOUBTFUL):
        return False
    return words[1] == HANDLE or words[1] in _OBJECTS - _NOT_AT_ONCE
