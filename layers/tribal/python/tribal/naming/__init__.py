"""How names and questions are read: tokens, stems and abbreviations, without any I/O."""

from __future__ import annotations

from tribal.naming.abbreviations import expand, is_acronym, likely_words
from tribal.naming.domain_titles import domain_title
from tribal.naming.inflection import plural, singular
from tribal.naming.letter_runs import reads_like_a_word
from tribal.naming.searched_names import glued, read_name
from tribal.naming.segmentation import glued_prefixes, is_word, segment, segment_all
from tribal.naming.stemming import porter, stem
from tribal.naming.thesaurus.lookup import broader, is_noun, synonyms
from tribal.naming.tokens import (
    MAX_TEXT_CHARS,
    MAX_TOKEN_CHARS,
    MAX_TOKENS,
    STOP_WORDS,
    index_terms,
    split_identifier,
    tokenize_text,
)

__all__ = [
    "MAX_TEXT_CHARS",
    "MAX_TOKENS",
    "MAX_TOKEN_CHARS",
    "STOP_WORDS",
    "broader",
    "domain_title",
    "expand",
    "glued",
    "glued_prefixes",
    "index_terms",
    "is_acronym",
    "is_noun",
    "is_word",
    "likely_words",
    "plural",
    "porter",
    "read_name",
    "reads_like_a_word",
    "segment",
    "segment_all",
    "singular",
    "split_identifier",
    "stem",
    "synonyms",
    "tokenize_text",
]
