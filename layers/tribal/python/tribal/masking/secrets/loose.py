"""Find passwords of several words or of joined plain words: `Pwd=my pass 0u88;`, `use lamp-river as the password`."""

from __future__ import annotations

import re

from tribal.masking.kinds import SensitiveKind
from tribal.masking.rules import END, START, Rule
from tribal.masking.secrets.values import has_sign_or_digit, is_description, is_reference, looks_chosen
from tribal.masking.secrets.words import ACCOUNTS, MEASURED, NAME_WORDS, PROSE_WORDS, SEE_WORDS

_LABEL = (
    r"(?i:password|passwd|passphrase|passwort|kennwort|mot de passe|contrase[ñn]a|senha|wachtwoord"
    r"|(?<![^\W_])(?:pwd|pw|mdp|(?:pass|clave)(?=\s?[:=])))"
)
_USE = r"(?i:use|using|enter|type|try|benutze|verwende|nutze|nimm|mit|utiliser|utilisez|utilise|usa|usar|use|con|with)"
_AS = r"(?i:as|als|comme|como|(?:when|if) asked for|(?:at|in|into|for))"
_ITS = r"(?:\s(?i:the|a|an|your|our|its|das|dein|ihr|le|votre|la|tu|su|default|initial))?"
_JOIN = (
    r"(?:\s{0,2}(?:[:=]|->|=>)\s{0,3}"
    r"|\s(?:is|was|are|to|lautet|ist|est|es|é)(?:\s(?:now|still|jetzt|toujours|ahora))?\s)"
)
_ACCOUNT = "|".join(map(re.escape, ACCOUNTS))
_WORDS = r"[^\s;,:=\"'`<>{}()\[\]|/$%-][^\s;,:=\"'`<>{}()\[\]|]{0,31}"
_PAIR = r"[A-Za-z]{3,16}(?:-[A-Za-z]{1,16}){1,6}\d{0,4}"
_STOPS = (
    r"(?=\s{0,2}(?:[;,.)(\n!]|\Z|[-\u2013\u2014]\s)"
    r"|\s(?i:expires|for|until|if|when|and|or|on|to|at|bis|fürs?|pour|para|verwenden|nutzen|benutzen|anmelden)\b)"
)
_JOINED = re.compile(r"(?:[-_.]|(?<=[a-z])(?=\d))")
_LABELLED = re.compile(rf"\A.{{0,80}}?{_LABEL}\w{{0,3}}{_JOIN}", re.DOTALL)
_YEAR = re.compile(r"(?:19|20)\d\d")
_SENTENCE_WORDS = PROSE_WORDS | SEE_WORDS
_LEAST_NUMBER = 3
_LEAST_PLAIN = 3
_REQUIRED = ("pass", "pwd", "pw", "kennwort", "contrase", "senha", "wachtwoord", "mdp", "clave")


def _is_several_words(found: str) -> bool:
    """Whether the words after the label are no sentence and end in one that has digits."""
    labelled = _LABELLED.match(found)
    words = found[labelled.end() :].split() if labelled else []
    last = words[-1].rstrip(".") if words else ""
    if len(words) < 2 or _YEAR.fullmatch(last) or any(map(is_reference, words)):
        return False
    if last.isdecimal():
        ends_well = len(last) >= _LEAST_NUMBER
    else:
        ends_well = any(map(str.isdecimal, last)) and any(char.isalpha() or char in "!?#*+$" for char in last)
    plain = [word.strip(".").lower() for word in words[:-1]]
    described = sum(word in MEASURED or is_description(word) for word in plain)
    return ends_well and 2 * described <= len(plain) and not any(word in _SENTENCE_WORDS for word in plain)


def _is_joined(found: str) -> bool:
    """Whether the last token is plain words joined by hyphens that do not name or describe anything."""
    value = found.rstrip().split()[-1].strip("(\"'`).,;")
    parts = [part.lower() for part in _JOINED.split(value) if part] or [""]
    described = sum(is_description(part) for part in parts if len(part) > 1)
    names = any(part in _SENTENCE_WORDS or part in NAME_WORDS for part in parts)
    ends_plainly = len(parts[-1]) == 1 or not is_description(parts[-1])
    is_description_of_it = names or is_reference(value) or not ends_plainly or 2 * described > len(parts)
    return looks_chosen(value) or (len(parts) > 1 and not is_description_of_it)


def _is_used(found: str) -> bool:
    """Whether what is used as a password is a literal, and not a thing such as an address."""
    value = found.split()[1].strip("\"'`")
    if "-" in value or "_" in value:
        return _is_joined(value)
    word = value.lower()
    known = word in NAME_WORDS or word in _SENTENCE_WORDS or is_description(word) or is_reference(value)
    return len(value) >= _LEAST_PLAIN and not known and (has_sign_or_digit(value) or found.lower().startswith("use "))


def _is_passed(found: str) -> bool:
    value = re.split(r"-p[ =]?", found, maxsplit=1)[-1].strip("\"' ")
    if " " in value:
        return has_sign_or_digit(value.rpartition(" ")[2]) and not is_reference(value.split()[0])
    return "~" not in value and looks_chosen(value)


LOOSE_RULES = (
    Rule(
        SensitiveKind.SECRET,
        # A connection string ends a value at the semicolon only.
        re.compile(
            rf"(?:(?<=;)|(?<=; )|(?<![^\s\"'(]))(?i:pwd|password|pass|passwd)="
            rf"(?P<hidden>{_WORDS}(?: {_WORDS}){{1,5}})(?=;)"
        ),
        confirm=None,
        required=("pwd=", "pass"),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            rf"{_LABEL}\w{{0,3}}(?:\s(?:for|of|to|für|von|du|de|del)(?:\s[^\s:=]{{1,30}}){{1,4}})?{_JOIN}"
            rf"(?P<hidden>{_WORDS}(?: {_WORDS}){{0,3}} [^\s;,:=\"'`<>{{}}()\[\]|/-]*\d[^\s;\"'`<>(){{}}]*)"
        ),
        confirm=_is_several_words,
        required=_REQUIRED,
        min_digits=1,
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            rf"{START}{_USE}\s(?P<hidden>[^\s,;:<>$({{\[]{{3,64}})\s{_AS}{_ITS}\s{_LABEL}(?!\w|\s(?i:hash|salt|column|field|policy|key|reset|recovery|check|rule))"
        ),
        confirm=_is_used,
        required=_REQUIRED,
    ),
    Rule(
        SensitiveKind.SECRET,
        # `default password lamp-river (change it)`
        re.compile(
            rf"{_LABEL}(?:\s(?i:par défaut|por defecto|de base))?,?\s\(?(?:(?i:currently|now|is|for now)\s)?"
            rf"(?P<hidden>{_PAIR}){_STOPS}"
        ),
        confirm=_is_joined,
        required=_REQUIRED,
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            rf"(?<![\w.-])(?P<hidden>{_PAIR})\s(?i:is|was|ist|war|est|es)\s(?i:the|our|my|their|das|unser|le|notre|la|nuestra)\s(?:(?i:default|initial|old|new)\s)?{_LABEL}(?!\w)"
        ),
        confirm=lambda found: _is_joined(found.split()[0]),
        required=_REQUIRED,
    ),
    Rule(
        SensitiveKind.SECRET,
        # `log in with admin / lamp-river`, `log in as etl with lamp-river`
        re.compile(
            rf"{START}(?i:log ?in|logon|log on|sign in|connect|anmelden|einloggen"
            rf"|connecter|entrar|acceder|connexion|zugang|creds|credentials)"
            rf"(?:\s(?i:with|as|mit|als|avec|con|como)|:)?\s(?:(?i:{_ACCOUNT})\s?/\s?|\w{{1,32}}\s(?i:with|mit|avec|con)\s)(?P<hidden>{_PAIR}){END}(?!-)"
        ),
        confirm=_is_joined,
        required=("log", "sign in", "connect", "anmelden", "einloggen", "conne", "entrar", "acceder", "zugang", "cred"),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            r"(?<![^\s'\"`(])(?<!mkdir )(?<!cp )"
            r"-p(?:[ =]?(?:\"(?P<quoted>[^\"\n]{4,128})\"|'(?P<single>[^'\n]{4,128})')"
            r"| (?P<hidden>[^\s\"'`-][^\s\"'`]{4,128}))"
        ),
        confirm=_is_passed,
        required=("-p",),
    ),
)
