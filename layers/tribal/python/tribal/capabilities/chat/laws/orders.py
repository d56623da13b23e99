"""Detect orders to change data, and requests for SQL that changes data, in a normalised text."""

from __future__ import annotations

import re

_CERTAIN = (
    r"(?:delete|remove|erase|wipe|truncate|overwrite|insert|terminate|deactivate|disable|enable|activate|reactivate"
    r"|modify|alter|revoke|assign|reassign|unassign|approve|disapprove|acknowledge|unsubscribe"
    r"|suspend|unlock|anonymi[sz]e"
    r"|purge|deduct|decrement|increment|rename|reopen|resolve|dismiss|upgrade|downgrade|reschedule|undo|restore|replace"
    r"|correct|enrol|enroll|upsert|edit|rewrite|reinstate|uncancel|blacklist|promote|demote|expire)"
)
"""Verbs that cannot be nouns; followed by any object, they form an order."""
_OTHER = (
    r"(?:set|close|mark|archive|reset|grant|book|refund|update|drop|merge|cancel|change|create"
    r"|add(?! up| together)|register|open|lock"
    r"|block|unblock|ban|fire|hire|pay|charge|credit|debit|transfer|move|post|submit|confirm|reject"
    r"|accept|decline|complete"
    r"|finish|flag|tag|label|schedule|reserve|release|ship|void|write off|switch|turn|put|make|clear|fix|void|sign up"
    r"|swap|link|unlink|attach|detach|upload|save|store|record|enter|fill in|adjust|increase|decrease|raise"
    r"|lower|reduce|double|extend|renew|stop|pause|resume|empty|destroy|kill|zero|bump|apply|issue|redeem"
    r"|check in|check out|send|publish|unpublish|deliver|dispatch|close out|shut|shut down)"
)
_DETERMINER = (
    r"(?:all|every|each|the|this|that|these|those|my|our|his|her|its|their|a|an|any|both|it|them|him"
    r"|everything|everyone)"
)
_NO_OBJECT = (
    r"(?:flags?|dates?|times?|timestamps?|reasons?|rules?|policy|policies|rates?|counts?|history"
    r"|events?|is|are|of|by|per|in)"
)
_NO_REQUEST = (
    r"(?!(?:create|make|record|enter|save|send|put|add|issue|apply|change|open) (?:me |us )?(?:a|an|the|all)"
    r" (?:\w+ ){0,3}(?:list|entry|report|query|queries|chart|summary|comparison|overview|view of"
    r"|select|sql|join|diagram|number"
    r"|count|total|average|names?|ids?|values?|columns?)\b)"
)
"""Excludes requests for an answer, such as "create a list"."""
_POLITE = (
    r"(?:(?:please|kindly|pls|plz|hey|hi|hello|ok|okay|now|just|also|then|and|so|simply|immediately|quickly|first|next"
    r"|finally|(?:can|could|would|will|may i ask) you(?: please| kindly)?|you (?:must|should|have to"
    r"|need to|can|will|shall)"
    r"|(?:i|we) (?:want|need|order|ask|tell|command|would like|'d like|d like|expect|instruct|require)(?: for)? you to"
    r"|i['\u2019 ]?d like you to|go ahead and|go and|let['\u2019]?s|let us|make sure (?:to|you|that you)"
    r"|be so kind (?:as )?(?:to|and)|try to|your task is to|it is time to|do|proceed to|help me(?: to)?|i beg you to"
    r"|you are to|we have to|we must|i need to|i must|for me|as an? \w+),? ){0,8}"
)
_PLACE = (
    r"(?:(?:in|on|for|from|at|within|inside|into|using|with|regarding|about) (?:the |our |my )?"
    r"(?:(?!(?:who|that|which|what|how|whose|where|when)\b)[\w.\"`#]+ ){1,5}?"
    r"|(?!(?:who|what|which|when|where|why|how|is|are|do|does|did|was|were|has|have|had|can|could"
    r"|should|shall|may|might"
    r"|will|would|must|show|list|count|find|give|get|tell|explain|describe|display|calculate|compute|return|name|to"
    r"|customers|users|people|they|we|i|you|employees)\b)"
    r"(?:the )?[\w.\"`]+(?: table| database| schema| column)? )?"
)
"""Names a table or a row before the order, without punctuation in between."""
_JOINED_DETERMINER = r"(?:all|every|each|the|this|these|those|my|our)"
_OBJECT = rf"(?: {_DETERMINER}\b(?! of\b)|{_JOINED_DETERMINER}(?=\w{{3}}))"
_TO_A_VALUE = r" (?!to\b|as\b)[^.?!,;]{1,80}? (?:to|as|=|off|equal to) ?[\w'\"]"
_OF_A_ROW = (
    r" (?:[\w.]+ ){1,3}?(?<!in )(?<!since )(?<!for )(?<!from )(?<!of )(?<!by )(?<!than )(?:number "
    r"|no\.? |id |nr\.? )?#?\d"
)
_JOINED_ROW = r"(?!ed|d|s|ing|r|t)[a-z]{3,20}\d"
_ONE = (
    r"(?:account|subscription|order|ticket|user|customer|invoice|booking|reservation|flight|record|row|issue|task"
    r"|membership|password|payment|contract|table|database)s?"
)
_ORDER = re.compile(
    rf"^{_POLITE}{_PLACE}{_POLITE}{_NO_REQUEST}"
    rf"(?:{_CERTAIN}(?:{_OBJECT}| (?!{_NO_OBJECT}\b)[\w\"'#]|{_JOINED_ROW})"
    rf"|{_OTHER}(?:{_OBJECT}|{_TO_A_VALUE}|{_OF_A_ROW}|{_JOINED_ROW})"
    rf"|(?:grant|pay) \w+ {_DETERMINER}\b|(?:cancel|close|reset|archive|lock|block|ban|drop|refund|reopen) {_ONE}\W*$)"
)
_JOINED_ORDER = re.compile(
    r"^(?!who|what|which|when|where|why|how|isthe|arethe|does|dothe|didthe)"
    r"\w{0,40}?"
    rf"(?:(?:{_CERTAIN}|{_OTHER})(?:{_JOINED_DETERMINER}\w{{3}}|(?!ed|ing)\w{{2,24}}?\d)"
    rf"|(?:set|mark|change|update|move|make|grant)\w{{4,60}}?(?:to|as|set)\w{{3}}|{_CERTAIN}(?!ed|d|ing|s)\w{{5}}"
    rf"|(?:cancel|close|reset|archive|lock|block|ban|drop|refund|reopen){_ONE}$|(?:want"
    rf"|need)\w{{3,40}}tobe\w{{2,12}}ed)"
)
"""An order in a text without anything between its words."""
_PLEASE = re.compile(rf"\b(?:please|go ahead and) (?:{_CERTAIN}|{_OTHER}){_OBJECT}")
_WANTED = re.compile(
    rf"^{_POLITE}(?:(?:i|we) (?:want|need|would like|'d like)|i'd like|have|get"
    rf"|see to it that) [^.?!]{{1,80}}? (?:to be|is|be|are)"
    r" (?:deleted|removed|erased|wiped|cancel?led|terminated|closed|marked|set|updated|changed"
    r"|archived|approved|reset|renamed"
    r"|assigned|granted|booked|refunded|acknowledged|deactivated|disabled|enabled|suspended|inserted|added)\b"
)
_SQL = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:write|give|create|generate|compose|make|show|need|run|execute|craft|prepare)\b[^.?!]{0,40}"
        r"\b(?:insert|update|delete|drop|truncate|alter|merge|grant|revoke|upsert)\b[^.?!]{0,20}"
        r"\b(?:statement|query|quer(?:y|ies)|sql|command|script|migration)s?\b",
        r"\b(?:sql|statement|query|command|script) (?:that |which |to )(?:will |would |can |should )?"
        r"(?:insert|update|delete|drop|truncate|alter|remove|wipe|overwrite|modif(?:y|ies)|change|anonymi[sz]e)s?\b",
        r"\b(?:delete from|insert into|drop (?:the )?(?:table|database|schema|column|index)|alter table"
        r"|truncate (?:the )?(?:table )?\w+)\b",
        r"\bupdate [\w.\"]+ set [\w.\"]+ ?=",
        r"(?:deletefrom|insertinto|droptable|altertable|truncatetable)\w",
    )
)
_SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+|[;:!?]|\s[-\u2013\u2014]+\s|\s?[\u2013\u2014>|]+\s?")
_CLAUSE_END = re.compile(r",\s?|\s(?=(?:and|then)\s)")
_ASKS = re.compile(
    r"^(?:and |so |ok |also )*(?:who|whom|whose|what|which|when|where|why|how|whether|is|are|was"
    r"|were|do|does|did|has|have|had"
    r"|can (?!you\b)|could (?!you\b)|should|shall|may|might|must|will (?!you\b)|would (?!you\b))\b"
)
_HOW = re.compile(r"\b(?:how|what (?:it )?(?:means|happens)|steps|the way) ")


_CLAUSE_CHARS = 300
"""Characters of a clause that are examined, so that the time stays linear in the length of the text."""
_CLAUSES = 30
"""Number of clauses that are examined from the start and from the end of a sentence."""
_LEAST_JOINED = 12
"""Shorter texts without white space are taken for names."""


def orders_a_change(text: str) -> bool:
    """Return whether a normalised text is an order to change data, or asks for SQL that changes data."""
    if _PLEASE.search(text) or any(pattern.search(text) for pattern in _SQL):
        return True
    if " " not in text and len(text) >= _LEAST_JOINED:
        return _JOINED_ORDER.match(text) is not None
    return any(map(_is_order, _SENTENCE_END.split(text.strip())))


def _is_order(sentence: str) -> bool:
    """Return whether a clause of the sentence is an order. The clauses of a question never are."""
    sentence = sentence.strip(" \"'`([{*>#-_/@")
    if _ASKS.match(sentence):
        return False
    how = _HOW.search(sentence)
    last = len(sentence) if how is None else how.end() - 1
    starts = [0, *(found.end() for found in _CLAUSE_END.finditer(sentence, 0, last))]
    looked_at = {*starts[:_CLAUSES], *starts[-_CLAUSES:]}
    clauses = (sentence[at : at + _CLAUSE_CHARS].strip(" -_.*") for at in looked_at)
    return any((_ORDER.match(clause) or _WANTED.match(clause)) is not None for clause in clauses)
