"""Texts of the product use plain words: a closed list of phrases, each with a better one, without false alarms."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]

BETTER = {
    r"(?:is|are|was|were|be|been|being|not) told(?! (?:apart|to)\b)": "is reported, is shown, says",
    r"anew": "again; is rebuilt",
    r"nobody(?! \w+ = pwd)": "no one",
    r"(?:some|any|every)body": "someone, anyone, everyone",
    r"whoever": "the caller, anyone who",
    r"beside": "next to, besides, in addition to",
    r"stands? for": "means",
    r"stands? in(?!-)": "is in",
    r"as ever": "as before; usually leave it out",
    r"carr(?:y|ies|ied|ying) on": "resume, continue",
    r"g(?:o|oes|one|oing) on with": "resume, continue",
    r"under way": "in progress",
    r"of (?:ours|yours)": "our, your",
    r"there (?:is|are) none": "it does not exist; it is empty",
    r"g(?:ive|ives|ave|iving) way": "make room for, have lower priority",
    r"amiss": "wrong; a problem",
    r"any more": "no longer",
    r"slips? of the (?:finger|pen)": "typos",
    r"strangers?": "unauthenticated callers, unknown files",
    r"the likes of": "such as",
    r"(?:is|are) made of": "consists of",
    r"lets? go": "releases",
    r"by hand of": "by",
    r"one (?!or )\w+ more": "one more",
    r"in a while": "in 30 s",
    r"which is all that": "queries read only",
}
