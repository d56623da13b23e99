"""Secrets made by a seed, and the sentences, files and commands in which people write them down."""

from __future__ import annotations

import base64
import string
from collections.abc import Callable
from random import Random

Make = Callable[[Random], str]
BASE64 = string.ascii_letters + string.digits + "+/"
_WORDS = ("lamp", "river", "maple", "tiger", "silver", "garden", "horse", "copper", "sunny", "quiet")
_VOWELS = "aeiou"
_CONSONANTS = "bcdfghjklmnprstvwxz"


def letters(random: Random, count: int, alphabet: str) -> str:
    """A run of that many characters."""
    return "".join(random.choices(alphabet, k=count))


def word(random: Random, syllables: int = 3) -> str:
    """A word that can be spoken and is, as a rule, in no list."""
    made = "".join(random.choice(_CONSONANTS) + random.choice(_VOWELS) for _ in range(syllables))
    return made + random.choice(_CONSONANTS)


def _mixed(random: Random) -> str:
    """Any characters that a generator of passwords uses, at least one digit and one letter among them."""
    body = [*letters(random, random.randint(6, 14), string.ascii_letters + string.digits + "!@#$%^&*-_+=?.")]
    for at_least in (string.ascii_letters, string.digits):
        body.insert(random.randrange(1, len(body)), random.choice(at_least))
    return random.choice(string.ascii_letters) + "".join(body) + random.choice(string.ascii_letters + string.digits)


def _memorable(random: Random) -> str:
    """A word, a sign or none, and digits: `Mokatuz-77`."""
    return f"{word(random).capitalize()}{random.choice(['', '-', '.', '!', '#', '@'])}{random.randint(10, 9999)}"


def _scrambled(random: Random) -> str:
    tail = letters(random, 2, string.ascii_lowercase) + str(random.randint(10, 99))
    return f"{word(random).capitalize()}-{tail.capitalize()}"


def _plain(random: Random) -> str:
    return random.choice([word(random), word(random, 2).capitalize()])


def password(random: Random) -> str:
    """A password of any sort that has a digit or a sign."""
    return random.choice([_mixed, _memorable, _scrambled])(random)


def any_password(random: Random) -> str:
    """The same, or, one in four, a mere word."""
    return random.choice([_mixed, _memorable, _scrambled, _plain])(random)


def _spaced(random: Random) -> str:
    """Words with blanks, the last of which has digits: `lamp river mok17`."""
    return f"{random.choice(_WORDS)} {random.choice(_WORDS)} {word(random, 1)}{random.randint(1, 99)}"


def _hyphenated(random: Random) -> str:
    """Two or three plain words: `lamp-river`."""
    return "-".join(random.sample(_WORDS, random.choice([2, 3])))


def _pin(random: Random) -> str:
    return letters(random, random.choice([4, 6]), string.digits)


SENTENCES: dict[str, tuple[str, ...]] = {
    "English": (
        "password is {}",
        "The password is {}.",
        "Initial password was {}; change it.",
        "password for the import job is {}",
        "Reset all passwords to {} on test systems.",
        "pass: {}",
        "Password: {}",
        "pwd is {} since March",
        "passphrase = {}",
        "Default password: '{}'",
        'The password has been set to "{}".',
    ),
    "German": (
        "Passwort: {}",
        "Das Passwort ist {}.",
        "Passwort lautet {}",
        "Kennwort ist jetzt {}",
        "Das Kennwort für den Importlauf lautet {}.",
        "Passwort = {}",
        "Initialpasswort: {}",
    ),
    "French": (
        "mot de passe : {}",
        "Le mot de passe est {}.",
        "Mot de passe du compte de service : {}",
        "mdp: {}",
        "mdp = {}",
        "Le mot de passe est toujours {}",
    ),
    "Spanish": (
        "contraseña: {}",
        "La contraseña es {}.",
        "contraseña del usuario de carga: {}",
        "Contrasena = {}",
        "La contraseña ahora es «{}»",
    ),
    "Italian": (
        "password: {}",
        "La password è {}",
        "parola: {}",
        "password attuale: {}",
        "La password del servizio è {}.",
    ),
    "Portuguese": ("senha: {}", "A senha é {}.", "palavra-passe: {}", "senha = {}", "Senha do robô: {}"),
    "Dutch and Nordic": (
        "wachtwoord: {}",
        "Het wachtwoord is {}.",
        "lösenord: {}",
        "Adgangskode: {}",
        "passord = {}",
        "Salasana on {}",
        "Lösenordet är {}.",
    ),
    "Slavic": ("hasło: {}", "Hasło to {}.", "heslo je {}", "Heslo: {}", "lozinka: {}", "пароль: {}", "Пароль — {}"),
    "other scripts": (
        "密码\uff1a{}",
        "密码是 {}",
        "パスワード\uff1a{}",
        "パスワードは {}",
        "비밀번호: {}",
        "סיסמה: {}",
        "şifre: {}",
    ),
}
"""By language; every one of them tells a password."""

WITHOUT_VERB = (
    "user batch password {}",
    "log in with the password {} and change it",
    "Use {} as password.",
    "{} is the password of the batch user",
    "(pw {})",
    "mit Passwort {} anmelden",
    "avec le mot de passe {}",
    "con la contraseña {}",
    "password -> {}",
    "Password (test only): {}",
)

KEYS_AND_VALUES = (
    "password={}",
    "pw={}",
    "pwd={};",
    "pass: {}",
    "DB_PASSWORD={}",
    "DB_PASS: {}",
    "db.password = {}",
    "spring.datasource.password={}",
    '{{"user": "etl", "password": "{}"}}',
    "{{'passwd': '{}'}}",
    "<password>{}</password>",
    "password: '{}'",
    "export PGPASSWORD={}",
    "secret: {}",
    "admin_password => {}",
    "user=etl, pw={}, host=h1",
    "Passwort={}",
    "passwd:{}",
)

SPACED = (
    "Server=h1;Uid=etl;Pwd={};",
    "PGPASSWORD={} psql -h db1 -U etl",
    "db.password={}",
    "Default password: {}",
    "the password is {}",
    "Das Passwort lautet {}.",
    "mot de passe : {}",
    "contraseña: {}",
)

IN_PASSING = (
    "default password {} (change it)",
    "use {} as the password",
    "utiliser {} comme mot de passe",
    "usa {} como contraseña",
    "temp password {} expires soon",
    "log in with admin / {}",
)

PINS = ("PIN is {}", "pin: {}", "PIN: {}", "the PIN code is {}", "PIN={}", "passcode: {}", "Geheimzahl: {}")

COMMANDS = (
    "curl -u admin:{} https://api.example.com/v1",
    "curl --user etl:{} https://api.example.com/v1",
    "mysql -uroot -p{} shop",
    "mysql -h db1 -u root -p{}",
    "mysqldump --user=root --password={} shop",
    "PGPASSWORD={} psql -h db1 -U etl shop",
    "sshpass -p {} ssh etl@h1",
    "sqlplus scott/{}@orcl",
    "sqlcmd -S h1 -U sa -P {}",
    "redis-cli -h h1 -a {}",
    "ldapsearch -D cn=admin -w {}",
    "docker login -u etl -p {}",
    "tool --user etl --password {}",
    "tool --api-key {}",
    "openssl rsa -passin pass:{}",
    "mongosh -u etl -p {}",
)

PGPASS = (
    "{host}:5432:shop:etl:{secret}",
    "*:*:*:etl:{secret}",
    "{host}.example.com:6432:*:{user}:{secret}",
    "# old line: {host}:5432:shop:{user}:{secret}",
    "10.1.2.3:5432:shop:{user}:{secret}",
)

CONNECTIONS = (
    "postgresql://etl:{}@db1.example.com:5432/shop",
    "mysql+pymysql://root:{}@10.0.0.4/shop",
    "mongodb+srv://etl:{}@cluster0.example.net/?retryWrites=true",
    "redis://:{}@cache:6379/0",
    "amqp://guest:{}@mq:5672/vh",
    "Server=sql1;Database=shop;User Id=sa;Password={};Encrypt=yes",
    "Driver={{PostgreSQL}};Server=h1;Uid=etl;Pwd={};",
    "host=db1 dbname=shop user=etl password={}",
    "jdbc:postgresql://db1/shop?user=etl&password={}&ssl=true",
    "jdbc:oracle:thin:scott/{}@//h1:1521/orcl",
    "scott/{}@orcl",
    "etl:{}@db1.example.com:5432/shop",
    "https://etl:{}@git.example.com/a.git",
    "sftp://etl:{}@files.example.com/in",
)

LOGINS = (
    "login admin / {}",
    "login: admin / {}",
    "Login etl/{}",
    "user: etl / {}",
    "credentials: etl:{}",
    "user admin pass {}",
    "admin/{}",
    "root:{}",
    "Zugang: etl / {}",
    "Log in as admin with {} as password",
    "identifiants etl / {}",
    "usuario: etl, contraseña: {}",
)

KEYS = (
    "api_key {}",
    "api key: {}",
    "apikey={}",
    "X-Api-Key: {}",
    "the API key is {}",
    "access key {} (read only)",
    "client_secret={}",
    "token: {}",
    "Authorization: Bearer {}",
    "auth_token => {}",
    "uses the key {}",
)
AROUND = ("{}", "Old value was {}.", "see {} for the export", "key {} (unused)", "({})", "value={};", "'{}'")
SESSIONS = ("sid={}", "JSESSIONID={}", "PHPSESSID: {}", "session id {}", "connect.sid={}")


def aws_secret(random: Random) -> str:
    """Forty characters of Base64, at least one `+` or `/` among them."""
    made = letters(random, 40, BASE64)
    place = random.randrange(40)
    return made[:place] + random.choice("+/") + made[place + 1 :]


def base64_text(random: Random) -> str:
    """Twelve to forty-eight random bytes."""
    return base64.b64encode(random.randbytes(random.randint(12, 48))).decode()


def base64_url(random: Random) -> str:
    """The same in the alphabet of addresses, without padding."""
    return base64.urlsafe_b64encode(random.randbytes(random.randint(12, 48))).decode().rstrip("=")


def hexadecimal(random: Random) -> str:
    """Eight to thirty-two random bytes, in small or capital letters."""
    made = random.randbytes(random.choice([8, 12, 16, 20, 32])).hex()
    return random.choice([made, made.upper(), f"0x{made}"])


def key16(random: Random) -> str:
    """Sixteen letters and digits."""
    alphabets = (string.ascii_letters + string.digits, string.ascii_uppercase + string.digits)
    return letters(random, 16, random.choice([*alphabets, string.ascii_lowercase + string.digits]))


def twilio_sid(random: Random) -> str:
    """Two letters and sixteen bytes."""
    return random.choice(["AC", "SK", "SM", "PN"]) + random.randbytes(16).hex()


def windows_sid(random: Random) -> str:
    """The identifier of an account in a Windows domain."""
    parts = [str(random.randint(10**8, 4 * 10**9)) for _ in range(3)]
    return f"S-1-5-21-{'-'.join(parts)}-{random.randint(500, 99999)}"


def licence_key(random: Random) -> str:
    """Four or five groups of capital letters and digits."""
    size = random.choice([4, 5])
    alphabet = string.ascii_uppercase + string.digits
    return "-".join(letters(random, size, alphabet) for _ in range(random.choice([4, 5])))


def service_token(random: Random) -> str:
    """A token in the published form of a service."""
    base62 = string.ascii_letters + string.digits
    return random.choice(
        [
            "ghp_" + letters(random, 36, base62),
            "glpat-" + letters(random, 20, base62 + "-_"),
            f"xoxb-{letters(random, 12, string.digits)}-{letters(random, 24, base62)}",
            "sk_live_" + letters(random, 24, base62),
            "AIza" + letters(random, 35, base62 + "-_"),
            "AKIA" + letters(random, 16, string.ascii_uppercase + "234567"),
            f"SG.{letters(random, 22, base62)}.{letters(random, 43, base62)}",
            "npm_" + letters(random, 36, base62),
        ]
    )


def json_web_token(random: Random) -> str:
    """Three parts of Base64, the first two JSON."""
    parts = ('{"alg":"HS256"}', f'{{"sub":"{random.randrange(10**9)}"}}', random.randbytes(32).hex())
    return ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts)


def password_hash(random: Random) -> str:
    """A hash as databases and operating systems keep it."""
    alphabet = "./" + string.ascii_letters + string.digits
    return random.choice(
        [
            "$2b$12$" + letters(random, 53, alphabet),
            f"$6${letters(random, 16, alphabet)}${letters(random, 86, alphabet)}",
            "md5" + random.randbytes(16).hex(),
            f"SCRAM-SHA-256$4096:{base64.b64encode(random.randbytes(16)).decode()}${letters(random, 43, BASE64)}=",
            f"$argon2id$v=19$m=65536,t=3,p=4${letters(random, 22, BASE64)}${letters(random, 43, BASE64)}",
        ]
    )


def private_key(random: Random) -> str:
    """The armour of a key with a line or two of Base64 in it."""
    body = "\n".join(letters(random, 64, BASE64) for _ in range(random.randint(1, 3)))
    kind = random.choice(["", "RSA ", "EC ", "OPENSSH "])
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


def told(template: str, random: Random, secret: str) -> str:
    """A template with the secret in it, at times amid other sentences."""
    if "{secret}" in template:
        filled = template.format(secret=secret, host=word(random, 2), user=word(random, 2))
    else:
        filled = template.format(secret)
    before, after = random.choice([("", ""), ("", ""), ("Loaded every night. ", ""), ("", "\nSee the wiki.")])
    return f"{before}{filled}{after}"


PASSWORD_CLASSES: dict[str, tuple[tuple[str, ...], Make]] = {
    **{f"password sentences, {language}": (texts, any_password) for language, texts in SENTENCES.items()},
    "passwords told without a verb": (WITHOUT_VERB, password),
    "keys and values": (KEYS_AND_VALUES, any_password),
    "passwords with blanks": (SPACED, _spaced),
    "passwords of plain words, in passing": (IN_PASSING, _hyphenated),
    "PINs told": (PINS, _pin),
    "commands": (COMMANDS, password),
    "lines of .pgpass": (PGPASS, any_password),
    "connection strings": (CONNECTIONS, any_password),
    "logins": (LOGINS, password),
    "announced keys of 16 characters": (KEYS, key16),
    "keys of 16 characters": (AROUND, key16),
    "AWS secret keys": (AROUND, aws_secret),
    "Base64": (AROUND, base64_text),
    "Base64 of addresses": (AROUND, base64_url),
    "hexadecimal": (AROUND, hexadecimal),
    "SIDs of Twilio and Windows": (AROUND, lambda random: random.choice([twilio_sid, windows_sid])(random)),
    "session ids": (SESSIONS, lambda random: letters(random, 20, string.ascii_lowercase + string.digits)),
    "licence keys": (AROUND, licence_key),
    "tokens of services": (AROUND, service_token),
    "JSON web tokens": (AROUND, json_web_token),
    "password hashes": (AROUND, password_hash),
    "private keys": (AROUND, private_key),
}
"""Texts with a secret, by class."""
