"""Random secrets in the shapes that people and vendors give them."""

from __future__ import annotations

import base64
import hashlib
import json
import string
import uuid
from collections.abc import Callable
from random import Random
from urllib.parse import quote

Shape = Callable[[Random], str]
"""Makes one secret. The same state of the random number generator gives the same secret."""

_ALNUM = string.ascii_letters + string.digits
_UPPER = string.ascii_uppercase + string.digits
_SYMBOLS = "!@$%^*-_+.~?#"
_DER = b"0\x82"
_OPENSSH = b"openssh-key-v1\0"
_BCRYPT = "./" + _ALNUM

_WORDS = """
summer winter spring autumn monday friday october welcome london berlin madrid paris tiger dragon falcon coffee
orange purple silver golden river mountain forest rocket guitar pepper banana cherry window garden castle bridge
marble thunder copper velvet harbor meadow lantern pirate saturn jupiter neptune warehouse logistics finance
oracle postgres database backup reporting analytics company support manager
""".split()

_PHRASE_WORDS = """
correct horse battery staple blue green old seven lazy quick paper metal kitchen table ocean winter never always
dance under bright yellow tractor quiet engine apple cloud spoon ladder morning velvet garden stone river lamp
eleven wooden singing turtle empty glass bottle sunday train follows crooked hill my our the behind without every
""".split()

_WEAK = """
tiger hunter2 letmein welcome1 qwerty123 trustno1 abc123 iloveyou monkey12 dragon77 passw0rd p@ss123 admin123 secret1
sunshine master1 football superman 12345678 00000000 test1234 oracle10g postgres1 root123 manager1 startrek zaq12wsx
1q2w3e4r asdfgh12 pokemon5 batman99 shadow11 liverpool1 arsenal7 charlie8 princess4 whatever3 computer6 internet2
""".split()

_LEET = str.maketrans({"a": "@", "e": "3", "i": "1", "o": "0", "s": "$", "t": "7"})


def word_list(words: list[str], *, held_out: bool) -> list[str]:
    """The half of the words that belongs to one split; a word never changes sides."""
    return [word for word in words if is_held_out(word) == held_out]


def is_held_out(text: str) -> bool:
    """The split of a template or a word, from its hash: adding others never moves it."""
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


def _text(random: Random, alphabet: str, length: int) -> str:
    return "".join(random.choices(alphabet, k=length))


def _both_kinds(random: Random, alphabet: str, length: int) -> str:
    """Random characters with a letter and a digit among them."""
    while True:
        text = _text(random, alphabet, length)
        if any(c.isdigit() for c in text) and any(c.isalpha() for c in text):
            return text


def random_password(random: Random) -> str:
    """8 to 40 letters, digits and, half the time, symbols; starts with a letter or digit."""
    length = random.choice((8, 9, 10, 10, 12, 12, 14, 16, 16, 20, 24, 32, 40))
    text = list(_both_kinds(random, _ALNUM, length))
    if random.random() < 0.5:
        for place in random.sample(range(1, length - 1), max(1, length // 8)):
            text[place] = random.choice(_SYMBOLS)
    return "".join(text)


def base64_secret(random: Random) -> str:
    """12 to 48 random bytes in standard base64."""
    return base64.b64encode(random.randbytes(random.choice((12, 16, 20, 24, 32, 32, 36, 40, 48)))).decode()


def base64_url_secret(random: Random) -> str:
    """12 to 48 random bytes in URL-safe base64, without padding."""
    return _base64_url(random.randbytes(random.choice((12, 16, 24, 32, 32, 48))))


def _base64_url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def hex_secret(random: Random) -> str:
    return random.randbytes(random.choice((8, 12, 16, 16, 20, 32))).hex()


def uuid_secret(random: Random) -> str:
    return str(uuid.UUID(bytes=random.randbytes(16), version=4))


def jwt(random: Random) -> str:
    """A signed token of three parts, as an identity provider issues it."""
    issued = random.randint(1_650_000_000, 1_760_000_000)
    header = {"alg": random.choice(("HS256", "RS256")), "typ": "JWT"}
    claims = {"sub": str(random.randint(1000, 999_999)), "iat": issued, "exp": issued + 3600}
    parts = [_base64_url(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims)]
    return ".".join([*parts, _base64_url(random.randbytes(32))])


def pem_body(random: Random) -> str:
    """The base64 lines of a private key, 64 characters each."""
    start = random.choice((_DER, _DER, _OPENSSH))
    text = base64.b64encode(start + random.randbytes(random.randint(180, 420))).decode()
    return "\n".join(text[at : at + 64] for at in range(0, len(text), 64))


def pem_block(body: str, random: Random) -> str:
    """The body between the lines that begin and end it."""
    is_openssh = base64.b64decode(body).startswith(_OPENSSH)
    kind = "OPENSSH " if is_openssh else random.choice(("RSA ", "EC ", "ENCRYPTED ", ""))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


def basic(random: Random, password: Shape) -> str:
    """The credentials of HTTP basic authentication."""
    user = random.choice(("admin", "etl", "svc_report", "integration"))
    return base64.b64encode(f"{user}:{password(random)}".encode()).decode()


def bcrypt(random: Random) -> str:
    return f"$2{random.choice('aby')}${random.choice((10, 12))}${_text(random, _BCRYPT, 53)}"


def digest(random: Random) -> str:
    """An unsalted or old-style hash: MD5, SHA-1, SHA-256, PostgreSQL's or MySQL's own."""
    raw = random.randbytes(32)
    return random.choice(
        (raw[:16].hex(), raw[:20].hex(), raw.hex(), f"md5{raw[:16].hex()}", f"*{raw[:20].hex().upper()}")
    )


VENDORS: dict[str, tuple[Shape, ...]] = {
    "aws access key": (lambda r: "AKIA" + _text(r, string.ascii_uppercase + "234567", 16),),
    "aws secret": (lambda r: _both_kinds(r, _ALNUM + "+/", 40),),
    "github": (
        lambda r: "ghp_" + _text(r, _ALNUM, 36),
        lambda r: "gho_" + _text(r, _ALNUM, 36),
        lambda r: f"github_pat_{_text(r, _ALNUM, 22)}_{_text(r, _ALNUM, 59)}",
    ),
    "slack": (
        lambda r: f"xoxb-{_text(r, string.digits, 12)}-{_text(r, string.digits, 13)}-{_text(r, _ALNUM, 24)}",
        lambda r: f"xoxp-{_text(r, string.digits, 12)}-{_text(r, string.digits, 12)}-{r.randbytes(16).hex()}",
        lambda r: (
            f"https://hooks.slack.com/services/T{_text(r, _UPPER, 10)}/B{_text(r, _UPPER, 10)}/{_text(r, _ALNUM, 24)}"
        ),
    ),
    "stripe": (
        lambda r: "sk_live_" + _text(r, _ALNUM, 24),
        lambda r: "sk_test_51" + _text(r, _ALNUM, 97),
        lambda r: "rk_live_" + _text(r, _ALNUM, 24),
        lambda r: "whsec_" + _text(r, _ALNUM, 32),
    ),
    "google": (
        lambda r: "AIza" + _text(r, _ALNUM + "-_", 34) + r.choice(_ALNUM),
        lambda r: "GOCSPX-" + _text(r, _ALNUM, 28),
    ),
    "gitlab": (
        lambda r: "glpat-" + _text(r, _ALNUM, 20),
        lambda r: "gldt-" + _text(r, _ALNUM, 20),
    ),
    "npm": (lambda r: "npm_" + _text(r, _ALNUM, 36),),
    "pypi": (lambda r: "pypi-AgEIcHlwaS5vcmc" + _base64_url(r.randbytes(110)),),
    "sendgrid": (lambda r: f"SG.{_text(r, _ALNUM, 22)}.{_text(r, _ALNUM, 43)}",),
    "twilio": (lambda r: "SK" + r.randbytes(16).hex(),),
    "openai": (lambda r: "sk-proj-" + _text(r, _ALNUM, 48),),
    "anthropic": (lambda r: f"sk-ant-api03-{_text(r, _ALNUM + '-_', 92)}AA",),
    "databricks": (lambda r: "dapi" + r.randbytes(16).hex(),),
    "vault": (lambda r: "hvs." + _text(r, _ALNUM, 24),),
    "docker": (lambda r: "dckr_pat_" + _text(r, _ALNUM, 27),),
    "shopify": (lambda r: "shpat_" + r.randbytes(16).hex(),),
    "hugging face": (lambda r: "hf_" + _text(r, string.ascii_letters, 34),),
    "digitalocean": (lambda r: "dop_v1_" + r.randbytes(32).hex(),),
    "telegram": (lambda r: f"{r.randint(10**8, 10**10 - 1)}:AA{_text(r, _ALNUM, 33)}",),
}
"""Tokens with the prefix and length that each vendor documents."""


def _any_of(shapes: tuple[Shape, ...]) -> Shape:
    return lambda random: random.choice(shapes)(random)


def shapes(*, held_out: bool) -> dict[str, Shape]:
    """Every shape by name; passwords made of words use the words of one split."""
    words = word_list(_WORDS, held_out=held_out)
    phrase_words = word_list(_PHRASE_WORDS, held_out=held_out)
    weak = word_list(_WEAK, held_out=held_out)

    def word_and_digits(random: Random) -> str:
        digits = str(random.choice((random.randint(1990, 2026), random.randint(10, 999))))
        return random.choice(words).capitalize() + digits + random.choice(("", "!", "!!", "#", "$"))

    def leet(random: Random) -> str:
        text = random.choice([word for word in words if len(word) > 5]).translate(_LEET)
        return text[0].upper() + text[1:] + random.choice(("", str(random.randint(1, 99)), "!"))

    def hyphenated(random: Random) -> str:
        text = random.choice("-._").join(random.sample(words, random.randint(3, 4)))
        return text + random.choice(("", str(random.randint(2, 99))))

    def phrase(random: Random) -> str:
        return " ".join(random.sample(phrase_words, random.randint(3, 6)))

    def vendor(random: Random) -> str:
        return _any_of(VENDORS[random.choice(sorted(VENDORS))])(random)

    def password(random: Random) -> str:
        choices = (random_password, word_and_digits, leet, hyphenated, hex_secret, base64_secret, uuid_secret)
        return random.choices(choices, weights=(35, 25, 12, 12, 6, 6, 4))[0](random)

    def token(random: Random) -> str:
        choices = (lambda r: _both_kinds(r, _ALNUM, r.choice((20, 24, 32, 40))), hex_secret, base64_url_secret)
        return random.choices((*choices, uuid_secret, vendor), weights=(35, 20, 15, 10, 20))[0](random)

    vendors = {name: _any_of(made) for name, made in VENDORS.items()}
    return vendors | {
        "random": random_password,
        "word and digits": word_and_digits,
        "leet": leet,
        "hyphenated": hyphenated,
        "pass phrase": phrase,
        "weak": lambda random: random.choice(weak),
        "base64": base64_secret,
        "base64 url": base64_url_secret,
        "any base64": _any_of((base64_secret, base64_url_secret)),
        "hex": hex_secret,
        "uuid": uuid_secret,
        "jwt": jwt,
        "pem": pem_body,
        "bcrypt": bcrypt,
        "digest": digest,
        "basic": lambda random: basic(random, password),
        "aws_secret": vendors["aws secret"],
        "azure_key": lambda random: base64.b64encode(random.randbytes(64)).decode(),
        "signature": lambda random: quote(base64.b64encode(random.randbytes(32)).decode(), safe=""),
        "pin": lambda random: _text(random, string.digits, random.choice((4, 4, 4, 5, 6, 6, 8))),
        "password": password,
        "token": token,
        "url password": lambda random: quote(password(random), safe=""),
    }
