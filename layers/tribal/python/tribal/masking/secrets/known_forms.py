"""Find secrets by their form alone: addresses with passwords, keys of known services, hashes."""

from __future__ import annotations

import re

from tribal.masking.kinds import SensitiveKind
from tribal.masking.rules import Rule


def _has_digit(value: str) -> bool:
    return any(char.isdecimal() for char in value)


FORM_RULES = (
    Rule(
        SensitiveKind.CREDENTIALS,
        re.compile(r"://(?P<hidden>[^\s/:@'\"<>\[\]]{0,128}:[^\s/@'\"<>]{1,256})@"),
        required=("://",),
    ),
    Rule(
        SensitiveKind.CREDENTIALS,
        # A password may contain a slash or an at sign; a port is followed by a path.
        re.compile(r"://(?P<hidden>[^\s/:@'\"<>\[\]]{0,128}:(?!\d{1,5}[/?#])[^\s'\"<>]{1,256})@"),
        required=("://",),
    ),
    Rule(
        SensitiveKind.CREDENTIALS,
        # `scott/tiger@host` of Oracle, and `user:password@host` without a scheme.
        re.compile(
            r"(?:(?<![\w./@:-])|(?<=thin:)|(?<=oci:)|(?<=oci8:))[A-Za-z][\w.$#-]{0,62}"
            r"(?:/(?P<hidden>[^\s/'\"]{3,128})@(?!sha256:)(?=[\w/(\[])|:(?P<after_colon>[^\s/:@'\"]{3,128})@(?=\w))"
        ),
        required=("@",),
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
        re.compile(r"(?:https?://)?hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/_-]{10,255}"),
        required=("hooks.slack.com",),
    ),
    Rule(
        SensitiveKind.API_KEY,
        # A signature in a URL, and the token of a Telegram bot.
        re.compile(
            r"[?&](?:sig|signature|x-amz-signature|x-goog-signature)=(?P<hidden>[^\s&'\"<>]{16,512})"
            r"|(?<![\w-])(?P<bot>\d{8,10}:AA[\w-]{33})(?![\w-])",
            re.IGNORECASE,
        ),
        required=("sig=", "signature=", ":aa"),
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            r"\b(?:bearer(?: token)? {1,3}(?P<bearer>[A-Za-z0-9._~+/-]{8,4096}={0,2})"
            r"|basic {1,3}(?P<basic>[A-Za-z0-9._~+/-]{16,4096}={0,2}))",
            re.IGNORECASE,
        ),
        confirm=_has_digit,
        required=("bearer ", "basic "),
        min_digits=1,
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(
            r"\b(?:authorization|x-auth)(?: header)?[\"']?(?:\s{0,3}[:=]|\s(?:is|of))\s{0,3}[\"']?"
            r"(?:[A-Z][\w-]{1,20}\s{1,3})?"
            r"(?P<hidden>[^\s\"'<>{}$\[\]]{6,4096})",
            re.IGNORECASE,
        ),
        confirm=_has_digit,
        required=("authorization", "x-auth"),
        min_digits=1,
    ),
    Rule(
        SensitiveKind.SECRET,
        re.compile(r"(?<![A-Za-z0-9])(?:[A-Z]{2}[0-9a-f]{32}(?![A-Za-z0-9])|S-1-5-21(?:-\d{1,10}){3,4})"),
        min_digits=4,
    ),
)
