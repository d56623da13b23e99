"""Patterns of what grants access: passwords, keys, tokens, hashes, and runs of random characters."""

from __future__ import annotations

import re
from itertools import pairwise

from tribal.masking.kinds import SensitiveKind
from tribal.masking.rules import Rule

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_RANDOM_CHARS = 20
_LONG_PART = 16
# Shorter runs are words too often. By judgement, like the 512 characters that bound the work; not measured.
_SCAN_CHARS = 512

# Chosen by judgement. Measured in November 2026 with seeded random runs of 20 to 40 characters, 3,000 of each sort: of
# those of letters and digits .983 are found, of letters alone .787, of lower-case letters and digits .980; and none of
# 2,960 names of 20 characters or more in the evaluation schemas.
_CLASS_CHANGES = 0.12
"""Least share of neighbours that change between letter and digit, or to a capital.

Doubled, letters alone .464; halved, .790.
"""
_COMMON_PAIRS_WITH_DIGITS = 0.5
"""Greatest share of pairs of letters that may be common in English. Halved, letters and digits .618; at 1, .996."""
_COMMON_PAIRS_WITHOUT_DIGITS = 0.3
"""The same in a run without digits. Halved, letters alone .200; doubled, .996; still no name is taken for random."""
_COMMON_PAIRS = frozenset(
    """
    th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne
    ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa
    ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp
    fe bl ab gh ty op wo sa ay ex ke ui fr oo ag if sp ap ck up br da ue ds od cr um do cu bi ru dr nu lu ub ob fa ga lt
    """.split()
)

_PASSWORD_WORDS = ("password", "passwd", "passphrase", "pwd", "secret")
_KEY_WORDS = (
    *("api[_ -]?key", "access[_ -]?key", "account[_ -]?key", "private[_ -]?key", "token", "signature", "credential"),
)
_SECRET_WORDS = (*_PASSWORD_WORDS, "key", "token", "signature", "credential")
_NOT_A_SECRET = frozenset(
    """
    account algorithm bcrypt argon2 argon2id change changed column credential default digest encrypted encryption
    expired expires expiry false field flag from hash hashed hidden last login masked maximum md5 minimum must needed
    never none null only optional plain plaintext redacted required reset salt salted secret secrets sha1 sha256
    sha512 should stored string text that this token true type unused used user users uuid value varchar when which
    will with your
    """.split()
)


def looks_random(run: str) -> bool:
    """Whether letters, digits and `+/_-=`, or a long part of them, look random and not built from words.

    A UUID is an identifier and does not count. Of each part the first 512 characters are judged.
    """
    if _UUID.fullmatch(run):
        return False
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", run) if len(part) >= _LONG_PART]
    return any(_is_random(part) for part in parts if len(part) >= _RANDOM_CHARS) or (bool(parts) and _is_random(run))


def _is_random(run: str) -> bool:
    sample = run[:_SCAN_CHARS]
    pairs = [(before, now) for before, now in pairwise(sample) if before.isalnum() and now.isalnum()]
    changes = sum(_changes_class(before, now) for before, now in pairs) / len(pairs)
    if re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", sample):
        return changes > 0
    letters = [before + now for before, now in pairs if before.isalpha() and now.isalpha()]
    common = sum(pair.lower() in _COMMON_PAIRS for pair in letters) / max(len(letters), 1)
    has_digit = any(char.isdecimal() for char in sample)
    return changes >= _CLASS_CHANGES and common <= (
        _COMMON_PAIRS_WITH_DIGITS if has_digit else _COMMON_PAIRS_WITHOUT_DIGITS
    )


def _changes_class(before: str, now: str) -> bool:
    return before.isdecimal() != now.isdecimal() or (before.islower() and now.isupper())


def _is_assigned_secret(assignment: str) -> bool:
    """Whether a literal follows `password =` or `token:`, and not a column, a parameter, a call or a plain word.

    Quoted literals always count, `key=value` without spaces unless it refers to something, anything else if it looks
    chosen: it has a digit or a sign, or it follows `password:` and does not describe one.
    """
    found = _ASSIGNMENT.fullmatch(assignment)
    if found is None:
        return False
    value = found["hidden"]
    if value.startswith("[") or found["quote"]:
        return not value.startswith("[")
    last = value.lower().rstrip(".").rsplit(".", 1)[-1]
    refers = value.startswith(("$", "%", ":", "{", "<", "?", "*")) or "(" in value or last in _NOT_A_SECRET
    if refers or ("." in value and any(word in last for word in _SECRET_WORDS)):
        return False
    chosen = any(char.isdecimal() or char in "!@#$%^&*" for char in value)
    described = found["sign"] == ":" and found["password"] is not None
    return found["sign_and_spaces"] == "=" or (len(value) > 3 and (chosen or described))


def _has_digit(value: str) -> bool:
    return any(char.isdecimal() for char in value)


_ASSIGNMENT = re.compile(
    rf"(?:(?P<password>{'|'.join(_PASSWORD_WORDS)})|{'|'.join(_KEY_WORDS)})[0-9]?[\"'\u2019]?"
    r"(?P<sign_and_spaces> {0,4}(?P<sign>=>?|:(?![:=])) {0,4})"
    r"(?:[EN]?(?P<quote>['\"]))?"
    r"(?P<hidden>(?(quote)(?:\\[^\n]|(?P=quote){2}|(?!(?P=quote))[^\\\n]){4,4096}|[^\s'\"&;,)\]}<>=]{3,4096}))",
    re.IGNORECASE,
)

SECRET_RULES = (
    Rule(
        SensitiveKind.CREDENTIALS,
        re.compile(r"://(?P<hidden>[^\s/:@'\"<>\[\]]{0,128}:[^\s/@'\"<>]{1,256})@"),
        required=("://",),
    ),
    Rule(
        SensitiveKind.CREDENTIALS,
        re.compile(
            r"(?:postgres(?:ql)?|mysql|mariadb|mssql|oracle|snowflake|redshift|mongodb|redis|amqps?|clickhouse)"
            r"(?:\+\w{1,20})?://(?P<hidden>[^\s:@'\"<>\[\]]{0,128}:[^\s'\"<>]{1,256})@",
            re.IGNORECASE,
        ),
        required=("://",),
    ),
    Rule(
        SensitiveKind.PRIVATE_KEY,
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{1,40}-----(?:[A-Za-z0-9+/=\s\\:,]|-(?!-))*(?:-----END [A-Z0-9 ]{1,40}-----)?"
        ),
        required=("-----begin ",),
    ),
    Rule(
        SensitiveKind.PASSWORD_HASH,
        re.compile(
            r"\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|\$(?:argon2(?:id|i|d)|5|6|7|y|gy|scrypt)\$[^\s'\"]{10,400}"
            r"|\bpbkdf2[_:-]sha\d{1,3}\$[^\s'\"]{10,400}|\bmd5[0-9a-f]{32}\b"
            r"|SCRAM-SHA-256\$\d{1,9}:[^\s'\"]{10,400}|\{SSHA(?:256|512)?\}[^\s'\"]{10,400}",
            re.IGNORECASE,
        ),
        required=(
            "$2",
            "$argon2",
            "$5$",
            "$6$",
            "$7$",
            "$y$",
            "$gy$",
            "$scrypt$",
            "pbkdf2",
            "md5",
            "scram-sha-",
            "{ssha",
        ),
    ),
    Rule(
        SensitiveKind.JWT,
        re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
        required=("eyj",),
    ),
    Rule(
        SensitiveKind.API_KEY,
        re.compile(
            r"(?<![A-Za-z0-9])(?:(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"
            r"|gh[opusr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{22,255}|glpat-[\w-]{20,255}"
            r"|xox[abeoprs]-[A-Za-z0-9-]{10,255}|xapp-[A-Za-z0-9-]{10,255}"
            r"|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9+/=]{16,255}"
            r"|AIza[\w-]{35}|ya29\.[\w-]{20,255}|GOCSPX-[\w-]{20,255}|sk-(?=[\w-]{0,254}\d)[\w-]{20,255}"
            r"|npm_[A-Za-z0-9]{30,255}|pypi-[\w-]{30,255}|hf_[A-Za-z0-9]{20,255}|dop_v1_[a-f0-9]{40,255}"
            r"|SG\.[\w-]{16,64}\.[\w-]{16,64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|dapi[a-f0-9]{32})"
        ),
        required=(
            *("akia", "asia", "agpa", "aida", "aroa", "anpa", "abia", "acca", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
            *("github_pat_", "glpat-", "xox", "xapp-", "_live_", "_test_", "whsec_", "aiza", "ya29.", "gocspx-", "sk-"),
            *("npm_", "pypi-", "hf_", "dop_v1_", "sg.", "shpat_", "shpca_", "shppa_", "shpss_", "dapi"),
        ),
    ),
    Rule(
        SensitiveKind.API_KEY,
        re.compile(r"hooks\.slack\.com/(?:services|workflows)/(?P<hidden>[A-Za-z0-9/_-]{10,255})"),
        required=("hooks.slack.com",),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(r"\b(?:bearer|basic) {1,3}(?P<hidden>[A-Za-z0-9._~+/-]{16,4096}={0,2})", re.IGNORECASE),
        confirm=_has_digit,
        required=("bearer ", "basic "),
        min_digits=1,
    ),
    Rule(SensitiveKind.SECRET, _ASSIGNMENT, confirm=_is_assigned_secret, required=_SECRET_WORDS),
    Rule(
        SensitiveKind.SECRET,
        re.compile(r"\b(?:password|identified by) {1,4}[EN]?'(?!\[)(?P<hidden>[^'\n]{4,4096})", re.IGNORECASE),
        required=("password", "identified by"),
    ),
)

RANDOM_RULES = (
    Rule(
        SensitiveKind.SECRET,
        re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}"),
        confirm=looks_random,
    ),
)
