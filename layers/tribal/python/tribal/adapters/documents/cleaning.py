"""What all extracted text goes through."""

from __future__ import annotations

import re
import unicodedata

from tribal.sql.visibility import remove_unseen

_LINE_END = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n{3,}")


def cleaned(text: str) -> str:
    """Normalized text of which every character is drawn, with plain spaces and line breaks.

    PDFs have a control character where a word is hyphenated at the end of a line, so removing it joins the word.
    """
    text = remove_unseen(_LINE_END.sub("\n", text), keep="\n\t")
    text = text.translate({ord(char): " " for char in set(text) if unicodedata.category(char) == "Zs"})
    text = unicodedata.normalize("NFC", text)
    return _BLANK_LINES.sub("\n\n", "\n".join(line.rstrip() for line in text.split("\n"))).strip("\n")
