"""Find secrets in commands, configuration files and logins: `mysql -p…`, a line of `.pgpass`, `admin / …`."""

from __future__ import annotations

import re

from tribal.masking.kinds import SensitiveKind
from tribal.masking.rules import START, Rule
from tribal.masking.secrets.values import (
    has_sign_or_digit,
    is_description,
    is_phrase,
    is_reference,
    is_uuid,
    is_word_and_digits,
    looks_chosen,
    looks_strong,
)
from tribal.masking.secrets.words import ACCOUNTS, LOGIN_WORDS
from tribal.naming import is_word

_VALUE = r"(?:\"(?P<quoted>[^\"\n]{1,256})\"|'(?P<single>[^'\n]{1,256})'|(?P<hidden>[^\s'\"]{2,256}))"
_OPTION = r"(?<![^\s'\"`(\[])"
_LOGINS = "|".join(map(re.escape, LOGIN_WORDS))
_ACCOUNTS = "|".join(map(re.escape, ACCOUNTS))


_PORTS = re.compile(r"[\s=](?:[\d.]+:)?\d{2,5}:\d{2,5}(?:/\w{3})?\Z")


def _is_not_a_variable(found: str) -> bool:
    value = re.split(r"[\s=:]", found.rstrip("'\""))[-1].strip("'\"")
    return not is_reference(value) and not value.startswith(("<", "$(")) and not _PORTS.search(found)


def _has_names(found: str) -> bool:
    """Whether the text before the last colon is more than numbers, unlike a time."""
    return any(char.isalpha() or char == "*" for char in found.rpartition(":")[0])


def _is_login(found: str) -> bool:
    """Whether the text after the slash or bar is a password, and not the second of two ordinary words."""
    value = re.split(r"[/|:]\s*", found)[-1].strip(".,;)\"'")
    if value.startswith("[") or is_description(value):
        return False
    if len(value) < 3 or has_sign_or_digit(value) or is_phrase(value):
        return len(value) > 2
    ordinary = all(len(part) < 3 or is_word(part) for part in re.split(r"[-_.]", value))
    return not value.isupper() and not (value.islower() and ordinary)


def _is_literal(found: str) -> bool:
    value = found.split()[-1]
    described = is_description(value.rstrip(".,;)"), prose=True)
    return _is_not_a_variable(found) and not value.startswith(("[", "'[")) and not described


def _is_passed(found: str) -> bool:
    return not any(is_reference(part) for part in re.split(r"[\s'\":|<]+", found) if part.startswith(("$", "{")))


def _is_next_to_account(found: str) -> bool:
    value = re.split(r"\s[/|]\s+", found)[-1].rstrip(".,;)")
    return (
        is_uuid(value) or is_phrase(value) or looks_strong(value) or (looks_chosen(value) and has_sign_or_digit(value))
    )


def _is_option_value(found: str) -> bool:
    value = re.split(r"[\s=/]|(?<=\s-[pP])", found.rstrip("'\""))[-1].strip("'\"")
    return looks_chosen(value) or is_phrase(value) or is_uuid(value) or is_word_and_digits(value)


def _is_last_a_value(found: str) -> bool:
    return not is_reference(re.split(r"[\s/]", found)[-1])


def _is_call_with_password(found: str) -> bool:
    """Whether the last argument is a password. The third one always is; the second one has to look like one."""
    value = re.split(r"[,(=]\s*", found)[-1].strip("\"' ")
    return not is_reference(value) and (found.count(",") > 1 or _is_option_value(f"-p {value}"))


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
        # `curl -u user:…`, `smbclient -U user%…`, `curl -u …:`
        re.compile(
            rf"{_OPTION}(?:-[uU]|--(?:proxy-)?user|--userpwd)[ =]?['\"]?[^\s:%'\"]{{1,64}}[:%]"
            r"(?P<hidden>[^\s'\"]{1,256})"
            rf"|{_OPTION}(?:-u|--user)[ =]?['\"]?(?P<instead>[^\s:%'\"$]{{16,256}}):(?=['\"\s]|\Z)"
        ),
        confirm=_is_not_a_variable,
        required=("-u", "--user", "--proxy-user"),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            rf"{_OPTION}--?(?:[a-z]{{1,20}}-)?(?:password|passwd|passphrase|passw?|pwd?|secret|token|api-?key|auth|key)"
            rf"(?:-[a-z]{{1,12}})?(?<!-file)(?:=| {{1,2}}(?!-)){_VALUE}",
            re.IGNORECASE,
        ),
        confirm=_is_not_a_variable,
        required=("-pass", "-pw", "-secret", "-token", "-api", "-auth", "-key"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `mysql -p…` takes the password without a space, most others with one.
        re.compile(
            rf"{START}(?:mysql\w{{0,12}}|mariadb\w{{0,12}}|mycli)(?:\.exe)?\b[^\n]{{0,120}}?[\s\"']-p{_VALUE}",
            re.IGNORECASE,
        ),
        confirm=_is_not_a_variable,
        required=("mysql", "mariadb", "mycli"),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            rf"{START}(?:sshpass|sqlcmd|osql|isql|tsql|bcp|redis-cli|ldapsearch|ldapmodify|ldapadd|mongo\w{{0,8}}|docker|helm"
            rf"|podman|clickhouse-client|impdp|expdp|htpasswd|snowsql|az|rabbitmqctl|vault|openssl|zip|7z|unzip|gpg|plink|pscp"
            rf"|freerdp|xfreerdp|winexe|wget|http|ftp|lftp|cqlsh|influx|neo4j|cypher-shell|rclone)\b[^\n]{{0,120}}?"
            rf"\s(?:-[awWk][ =:]{{1,2}}|(?:-[pP]|/p:|-passin|-passout)[ =:]{{0,2}})(?:pass:)?{_VALUE}"
        ),
        confirm=_is_not_a_variable,
        required=(" -p", " -a", " -w", " -k", "/p:", " -pass"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `.netrc`, and the SQL of several servers.
        re.compile(
            rf"\b(?:login {{1,3}}[^\s]{{1,64}} {{1,3}}password {{1,3}}|identified {{1,2}}"
            rf"(?:with \S{{1,40}} )?by {{1,2}}(?:values? )?"
            rf"|with {{1,2}}(?:encrypted {{1,2}})?password {{1,2}}"
            rf"|(?:create|alter) {{1,2}}(?:user|role|login) [^\n;'\"]{{1,120}} password {{1,2}}(?=['\"])"
            rf"|using {{1,2}}password {{1,2}}){_VALUE}",
            re.IGNORECASE,
        ),
        confirm=_is_literal,
        required=("password", "identified"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `login admin / …`, `user: bob | …`, `credentials bob:…`
        re.compile(
            rf"{START}(?i:{_LOGINS})(?:\sfor\s[^\n:=]{{1,40}})?(?:\s{{1,3}}[:=]?|[:=\uff1a])\s{{0,3}}(?:(?i:is|as|with|via|mit|als|avec|comme|con|como|user)\s{{1,2}})?"
            r"['\"`]?[\w.@\\-]{1,64}['\"`]?(?:\s{0,3}[/|]\s{0,3}|\s{1,3}[:+]\s{1,3}|:)(?P<hidden>[^\s/|,;:'\"<>()][^\s'\"]{2,128})",
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
    Rule(
        SensitiveKind.SECRET,
        # Input that a shell passes to a command: `… <<< '…'`, `echo user:… | chpasswd`, `net use Z: … /user:bob …`
        re.compile(
            rf"<<< {{0,2}}{_VALUE}|/user:\S{{1,64}} {{1,2}}(?P<after_user>[^\s/'\"]\S{{2,255}})"
            r"|\b(?:echo|printf) {1,2}(?:-[ne] )?['\"]?(?:[\w.-]{1,64}:)?(?P<piped>[^\s'\"|:]{3,256})['\"]?"
            r"(?:\\n['\"]?)? {0,2}\|"
            r" {0,2}(?:sudo|su|chpasswd|passwd|kinit|gpg2?|cryptsetup|openssl|docker|podman|helm|htpasswd|security)\b"
        ),
        confirm=_is_passed,
        required=("<<<", "/user:", "echo", "printf"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `getConnection("jdbc:…", "user", "…")`, `login 'bob', '…'`
        re.compile(
            r"(?:connect\w{0,16}|login|auth\w{0,12})[ (=]{1,3}(?:\s{0,8}(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'"
            r"|[\w.$]{1,64})\s{0,4},){1,2}\s{0,8}"
            r"(?:\"(?P<quoted>[^\"\n]{1,256})\"|'(?P<single>[^'\n]{1,256})')",
            re.IGNORECASE,
        ),
        confirm=_is_call_with_password,
        required=("connect", "login", "auth"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # An ACL of Redis, a list of users of PgBouncer or Kafka, `basic_auth: bob:…`
        re.compile(
            r"\buser\s[^\s\"']{1,64}\s(?:on|off)\s[^\n>]{0,80}>(?P<hidden>[^\s'\"]{3,256})"
            r"|(?:(?<=\n)|(?<![^\n]))\"[^\"\n]{1,64}\" {1,4}\"(?P<listed>[^\"\n]{3,256})\"(?=\s|\Z)"
            r"|LoginModule\b[^\n]{0,200}?\buser_\w{1,64}\s?=\s?[\"'](?P<kafka>[^\"'\n]{3,256})"
            r"|\b(?:basic[ _-]?auth|auth|userinfo|userpwd|login)[\"']?\s{0,3}[:=]\s{0,3}[\"']?[\w.@-]{1,64}:"
            r"(?P<pair>[^\s/'\"][^\s'\"]{2,256})",
            re.IGNORECASE,
        ),
        confirm=_is_not_a_variable,
        required=("user ", "user\n", '" "', "loginmodule", "auth", "userinfo", "userpwd", "login"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `u: bob p: …`
        re.compile(
            r"\bu(?:n|sr|ser|sername)?\s?[:=]\s?[^\s,;:=]{1,64}[\s,;/|]{1,3}p(?:w|wd|ass)?\s?[:=]\s?(?P<hidden>[^\s'\"]{3,128})",
            re.IGNORECASE,
        ),
        confirm=_is_option_value,
        required=("u:", "u=", "u :", "n:", "r:", "e:", "r=", "e="),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `… -u bob … -p …` of any command.
        re.compile(rf"\s-[uUn][ =]\S{{1,64}}(?:\s\S{{1,64}}){{0,3}}?\s-[pP][ =]?{_VALUE}"),
        confirm=_is_option_value,
        required=(" -u", " -n"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `expdp system/…`, `htpasswd -b FILE bob …`: this position always holds a password.
        re.compile(
            rf"{START}(?:(?:expdp|impdp|sqlldr|sqlplus)\b[^\n/]{{0,60}}?(?<![\w/.-])[\w.$#]{{1,30}}/(?P<hidden>[^\s'\"/]{{3,128}})"
            rf"|htpasswd\s(?:-\w{{1,8}}\s){{1,3}}(?:[^\s-]\S{{0,128}}\s){{1,2}}(?P<last>[^\s'\"]{{3,128}})(?=\s|\Z))"
        ),
        confirm=_is_last_a_value,
        required=("expdp", "impdp", "sqlldr", "sqlplus", "htpasswd"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `impdp system/…`, `sqlldr userid=bob/…`
        re.compile(
            rf"{START}(?:sqlldr|exp|imp|expdp|impdp|rman|sqlcl)\b[^\n/]{{0,60}}?(?<![\w/.-])[\w$#]{{1,30}}/(?P<hidden>[^\s'\"@/]{{3,128}})"
        ),
        confirm=_is_option_value,
        required=("sqlldr", "exp", "imp", "rman", "sqlcl"),
    ),
    Rule(
        SensitiveKind.SECRET,
        # `bob@host / …`
        re.compile(r"(?<![\w.@/-])[\w.-]{1,64}@[\w.-]{1,253}\s{1,2}[/|]\s{1,2}(?P<hidden>[^\s'\"]{5,128})"),
        confirm=_is_next_to_account,
        required=("@",),
    ),
)
