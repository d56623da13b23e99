"""Find secrets in values and texts: passwords in sentences and commands, keys of known forms, random runs."""

from __future__ import annotations

from tribal.masking.secrets.commands import COMMAND_RULES
from tribal.masking.secrets.fields import FIELD_RULES
from tribal.masking.secrets.known_forms import FORM_RULES
from tribal.masking.secrets.loose import LOOSE_RULES
from tribal.masking.secrets.random_runs import RANDOM_RULES, looks_random
from tribal.masking.secrets.sentences import SENTENCE_RULES
from tribal.masking.secrets.spoken import SPOKEN_RULES

PROSE_RULES = (*SENTENCE_RULES, *SPOKEN_RULES, *LOOSE_RULES)
"""Rules by which a word such as "password" marks values near it."""
SECRET_RULES = (*FORM_RULES, *FIELD_RULES, *COMMAND_RULES, *PROSE_RULES)

__all__ = ["PROSE_RULES", "RANDOM_RULES", "SECRET_RULES", "looks_random"]
