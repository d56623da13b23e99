"""How names and questions are read: tokens, stems and abbreviations, without any I/O."""

from __future__ import annotations

from tribal.naming.abbreviations import expand, is_acronym, likely_words
from tribal.naming.domain_titles import domain_title
from tribal.naming.inflection import plural, singular
from tribal.naming.languages.compounds import may_be_compound, may_be_part, with_part
from tribal.naming.languages.spaceless import is_spaceless, said_in, terms_to_find
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
    content_words,
    index_terms,
    query_terms,
    split_identifier,
    split_runs,
    terms_of,
    tokenize_text,
)

__all__ = [
    "MAX_TEXT_CHARS",
    "MAX_TOKENS",
    "MAX_TOKEN_CHARS",
    "STOP_WORDS",
    "broader",
    "content_words",
    "domain_title",
    "expand",
    "glued",
    "glued_prefixes",
    "index_terms",
    "is_acronym",
    "is_noun",
    "is_spaceless",
    "is_word",
    "likely_words",
    "may_be_compound",
    "may_be_part",
    "plural",
    "porter",
    "query_terms",
    "read_name",
    "reads_like_a_word",
    "said_in",
    "segment",
    "segment_all",
    "singular",
    "split_identifier",
    "split_runs",
    "stem",
    "synonyms",
    "terms_of",
    "terms_to_find",
    "tokenize_text",
    "with_part",
]
