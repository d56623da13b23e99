"""Secrets as commands, configuration files and logins have them: `mysql -p…`, a line of `.pgpass`, `admin / …`."""

from __future__ import annotations

import re

from tribal.masking.kinds import SensitiveKind
from tribal.masking.rules import START, Rule
from tribal.masking.secrets.values import has_sign_or_digit, is_description, looks_chosen
from tribal.masking.secrets.words import ACCOUNTS, LOGIN_WORDS
from tribal.naming import is_word

_VALUE = r"(?:\"(?P<quoted>[^\"\n]{1,256})\"|'(?P<single>[^'\n]{1,256})'|(?P<hidden>[^\s'\"]{2,256}))"
_OPTION = r"(?<![^\s'\"`(\[])"
_LOGINS = "|".join(map(re.escape, LOGIN_WORDS))
_ACCOUNTS = "|".join(map(re.escape, ACCOUNTS))


def _is_no_variable(found: str) -> bool:
    value = re.split(r"[\s=:]", found.rstrip("'\""))[-1].strip("'\"")
    return not re.match(r"\$[A-Za-z_{(]|%\w+%|<|\{\{", value)


def _has_names(found: str) -> bool:
    """Whether what stands before the last colon is more than numbers, such as a time."""
    return any(char.isalpha() or char == "*" for char in found.rpartition(":")[0])


def _is_login(found: str) -> bool:
    """Whether what follows the slash or bar is a password, and not the second of two ordinary words."""
    value = re.split(r"[/|:]\s*", found)[-1].strip(".,;)\"'")
    if value.startswith("[") or is_description(value):
        return False
    if len(value) < 3 or has_sign_or_digit(value):
        return len(value) > 2
    ordinary = all(len(part) < 3 or is_word(part) for part in re.split(r"[-_.]", value))
    return not value.isupper() and not (value.islower() and ordinary)


def _is_literal(found: str) -> bool:
    value = found.split()[-1]
    described = is_description(value.rstrip(".,;)"), prose=True)
    return _is_no_variable(found) and not value.startswith(("[", "'[")) and not described


def _is_account(found: str) -> bool:
    return looks_chosen(re.split(r"[/:]", found, maxsplit=1)[-1].strip())


COMMAND_RULES = (
    Rule(
        SensitiveKind.SECRET,
        # A line of `.pgpass`: host, port, database, user, password.
        re.compile(
            r"(?<![^\s'\"`(])(?:[A-Za-z0-9_.*/-]{1,253}|\[[0-9A-Fa-f:]{2,39}\]):(?:\d{2,5}|\*):[^\s:]{1,63}:[^\s:]{1,63}:"
            r"(?P<hidden>[^\s'\"]{1,256})"
        ),
        confirm=_has_names,
        required=(":",),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `curl -u user:…`, `smbclient -U user%…`
        re.compile(
            rf"{_OPTION}(?:-[uU]|--(?:proxy-)?user|--userpwd)[ =]?['\"]?[^\s:%'\"]{{1,64}}[:%]"
            r"(?P<hidden>[^\s'\"]{1,256})"
        ),
        confirm=_is_no_variable,
        required=("-u", "--user", "--proxy-user"),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            rf"{_OPTION}--?(?:[a-z]{{1,20}}-)?(?:password|passwd|passphrase|passw?|pwd?|secret|token|api-?key|auth|key)"
            rf"(?:-[a-z]{{1,12}})?(?:=| {{1,2}}(?!-)){_VALUE}",
            re.IGNORECASE,
        ),
        confirm=_is_no_variable,
        required=("-pass", "-pw", "-secret", "-token", "-api", "-auth", "-key"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `mysql -p…` takes the password without a space, most others with one.
        re.compile(
            rf"{START}(?:mysql\w{{0,12}}|mariadb\w{{0,12}}|mycli)(?:\.exe)?\b[^\n]{{0,120}}?\s-p(?P<hidden>[^\s'\"]{{2,256}})",
            re.IGNORECASE,
        ),
        confirm=_is_no_variable,
        required=("mysql", "mariadb", "mycli"),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            rf"{START}(?:sshpass|sqlcmd|osql|isql|tsql|bcp|redis-cli|ldapsearch|ldapmodify|ldapadd|mongo\w{{0,8}}|docker|helm"
            rf"|podman|clickhouse-client|impdp|expdp|htpasswd|snowsql|az|rabbitmqctl|vault|openssl|zip|7z|unzip|gpg|plink|pscp"
            rf"|freerdp|xfreerdp|winexe|wget|http|ftp|lftp|cqlsh|influx|neo4j|cypher-shell|rclone)\b[^\n]{{0,120}}?"
            rf"\s(?:-[pPawWk]|/p:|-passin|-passout)[ =:]{{0,2}}(?:pass:)?{_VALUE}"
        ),
        confirm=_is_no_variable,
        required=(" -p", " -a", " -w", " -k", "/p:", " -pass"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `.netrc`, and the SQL of several servers.
        re.compile(
            rf"\b(?:login {{1,3}}[^\s]{{1,64}} {{1,3}}password {{1,3}}|identified {{1,2}}by {{1,2}}(?:values? )?"
            rf"|with {{1,2}}(?:encrypted {{1,2}})?password {{1,2}}|using {{1,2}}password {{1,2}}){_VALUE}",
            re.IGNORECASE,
        ),
        confirm=_is_literal,
        required=("password", "identified"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `login admin / …`, `user: bob | …`, `credentials bob:…`
        re.compile(
            rf"{START}(?i:{_LOGINS})\s{{0,3}}[:=]?\s{{0,3}}(?:(?i:is|as|with|via|mit|als|avec|comme|con|como|user)\s{{1,2}})?"
            r"['\"`]?[\w.@\\-]{1,64}['\"`]?(?:\s{0,3}[/|]\s{0,3}|:)(?P<hidden>[^\s/|,;:'\"<>()][^\s'\"]{2,128})",
        ),
        confirm=_is_login,
        required=LOGIN_WORDS,
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(rf"{START}(?<![./\\-])(?i:{_ACCOUNTS})\s?[/:]\s?(?P<hidden>[^\s/:'\"]{{4,128}})"),
        confirm=_is_account,
        required=ACCOUNTS,
    ),
)
