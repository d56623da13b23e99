"""Find secrets in values and texts: passwords in sentences and commands, keys of known forms, random runs."""

from __future__ import annotations

from tribal.masking.secrets.commands import COMMAND_RULES
from tribal.masking.secrets.fields import FIELD_RULES
from tribal.masking.secrets.known_forms import FORM_RULES
from tribal.masking.secrets.random_runs import RANDOM_RULES, looks_random
from tribal.masking.secrets.sentences import SENTENCE_RULES
from tribal.masking.secrets.spoken import SPOKEN_RULES

SECRET_RULES = (*FORM_RULES, *FIELD_RULES, *COMMAND_RULES, *SENTENCE_RULES, *SPOKEN_RULES)

__all__ = ["RANDOM_RULES", "SECRET_RULES", "looks_random"]
