"""Of a server's text, what helps to understand an error is repeated; keys and parts of the request are not."""

from __future__ import annotations

from tests.cases import each_case
from tribal.adapters.language_models.refusals import repeatable
from tribal.ports import ModelRequest

REQUEST = ModelRequest(
    "Describe tables in plain English.", '{"table": "shop.patient_note", "comment": "Ask Maria"}', None, 100, 10.0
)

REPEATED = [
    "max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens",
    "Unrecognized request argument supplied: thinking",
    "Your credit balance is too low to access the API.",
    "model: claude-none",
]


@each_case("text", REPEATED)
def test_what_a_person_needs_is_repeated(text: str) -> None:
    assert repeatable(text, REQUEST) == text


HIDDEN = [
    ("Incorrect API key provided: sk-proj-abc123. Check it.", "Incorrect API key provided: ... Check it."),
    ("Incorrect API key provided: AbC1****9xyz.", "Incorrect API key provided: ..."),
    ("invalid token eyJhbGciOiJIUzI1NiJ9abcdef0123", "invalid token ..."),
    ("cannot parse 'shop.patient_note' here", "cannot parse ... here"),
    ("prompt was: Describe tables in plain English.", "prompt was: ..."),
    ('the value "Maria" is odd', "the value ... is odd"),
]


@each_case("text, kept", HIDDEN)
def test_keys_and_words_of_the_request_are_hidden(text: str, kept: str) -> None:
    assert repeatable(text, REQUEST) == kept


def test_a_text_is_one_short_line_without_invisible_characters() -> None:
    kept = repeatable("a\n\x1b[31mb\u202e " + "word " * 400, REQUEST)
    assert kept.isprintable()
    assert kept.startswith("a [31mb word")
    assert len(kept) <= 210
