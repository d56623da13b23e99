"""Words around a secret in a text: its label, words that join the label to the value, and words that describe it.

All in lower case. Only the usual words of each language are listed.
"""

from __future__ import annotations


def _phrases(text: str) -> tuple[str, ...]:
    """Split phrases at commas, longest first, so that an alternation prefers long ones."""
    return tuple(
        sorted({" ".join(part.split()) for part in text.split(",")} - {""}, key=lambda part: (-len(part), part))
    )


def _mistyped(word: str) -> str:
    """Return typos of a word: a letter left out, or two letters swapped."""
    spots = range(1, len(word))
    dropped = [word[:at] + word[at + 1 :] for at in spots]
    swapped = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in spots[:-1]]
    return ", ".join({*dropped, *swapped} - {word})


PASSWORD_WORDS = _phrases(
    f"""
    snmp-server community, community string, geheimcode, sicherheitscode, freischaltcode, password,
    {_mistyped("password")}, passwd, passphrase, pass phrase, pass-phrase, pass word, passcode, pass code, passwort,
    kennwort, mot de passe, mot-de-passe, motdepasse, contraseña, contrasena, contrasenya, palavra-passe, palavra
    passe, wachtwoord, lösenord, losenord, adgangskode, passord, salasana, jelszó, jelszo, hasło, haslo, heslo,
    lozinka, şifre, sifre, geslo, slaptažodis, lykilorð, parool, fjalëkalim, pasahitz, pasvorto, wagwoord, nenosiri,
    пароль, пароля, паролю, паролем, парола, лозинка, κωδικός πρόσβασης, κωδικός, συνθηματικό, סיסמה, סיסמא, كلمة
    المرور, كلمة السر, گذرواژه, hasł, hasla, haslem, hasla, hesla, heslem, toegangscode, código de acceso, codigo de
    acceso, clave de acceso, codice di accesso, codice d'accesso, código de acesso, kod dostępu,
    {_mistyped("passwort")}, 密码, 密碼, 口令, パスワード, パスコード, 合言葉, パスフレーズ, 暗証番号, 비밀번호, 암호,
    mật khẩu, kata sandi, katasandi,
    รหัสผ่าน, पासवर्ड, geheimzahl, code secret, código secreto, codigo secreto, code d'accès, parola d'ordine,
    zugangscode, recovery phrase, secret phrase, seed phrase, security answer
    """
)
"""Words for a password, also inside a longer word, as in `DB_PASSWORD` or `Adminpasswort`."""

PASSWORD_ABBREVIATIONS = _phrases(
    """
    pw, pwd, psw, pswd, psswd, paswd, passw, pword, p/w, p.w., psk, pre-shared key, passkey, masterauth, pin code,
    pin-code, mdp, senha, parola, parolă, pwort, ww, pass key, parole, codewort, losung, palabra clave, palabra de
    acceso, parola chiave, codeword
    """
)
"""Abbreviations that count only as whole words, since each is part of many unrelated words."""

AMBIGUOUS_WORDS = _phrases("pass, pin, secret, clave, パス")
"""Words for a password that also have other meanings."""

PIN_WORDS = _phrases(
    """
    pin, pin code, pin-code, pincode, pins, passcode, door code, alarm code, gate code, safe code, lock code, entry
    code, access code, unlock code, door-code, doorcode, puk, keypad, padlock, disarm code, code for the door, code
    for the safe, combination, code of the safe, code of the door, voicemail code, keypad code, security code,
    one-time code, otp, tan, geheimzahl, türcode, zugangscode, code pin, code d'accès, código pin, codice pin,
    pincode, kod pin, 暗証番号, 비밀번호
    """
)
"""Words for a secret of a few digits."""

PROSE_WORDS = frozenset(
    """
    is are was were be been being has have had do does did must should shall can could may might will would to in of
    for by at from with on into per see ask stored kept set not and or if when which that as it its this used needed
    required changed here there none only given
    """.split()
)
"""Words that occur in sentences but not in phrases of random words."""

KEY_WORDS = _phrases(
    """
    api key, api-key, api_key, apikey, access key, access-key, access_key, accesskey, account key, account_key,
    accountkey, private key, private_key, private-key, secret key, secret-key, secret_key, secretkey, signing key,
    signing_key, encryption key, encryption_key, license key, license_key, licence key, product key, shared key,
    client secret, client_secret, clientsecret, auth key, auth_key, authkey, master key, master_key, token, signature,
    session id, session_id, sessionid, sessid, session key, account sid, accountsid, account_sid, clé api,
    clave api, chiave api, chave api, api-schlüssel, zugriffsschlüssel,
    api-sleutel, api sleutel, klucz api, klucza api, tajny klucz, chave da api, chave de api, chiave segreta, chiave
    dell'api, clé d'api, clé secrète, clave de api, clave secreta, geheimer schlüssel, toegangssleutel, jeton, 令牌,
    密钥, 密鑰, 秘钥, トークン, 秘密鍵, アクセスキー, apiキー, 토큰,
    hmac key, ssh key, aes key, fernet key, pgp key, cookie
    """
)
"""Words for other secrets, also inside a longer word."""

KEY_ABBREVIATIONS = _phrases(
    "sid, hmac, bearer, salt, nonce, key, schlüssel, sleutel, clé, llave, chiave, chave, klucz, 鍵, キー"
)
"""Abbreviations that count only as whole words."""

LOGIN_WORDS = _phrases(
    """
    u/p, login, log in, log-in, logon, log on, logs in, sign in, signs in, credentials, credential, creds, user,
    username, user name, account, zugang, zugangsdaten, anmeldung, anmeldedaten, benutzer, identifiant,
    identifiants, connexion, utilisateur, compte, usuario, acceso, credenciales, utente, accesso, credenziali,
    acesso, usuário, inlog, gebruiker, inloggning, konto, логин, usr, uid
    """
)
"""Words before a user name and its password."""

ACCESS_WORDS = _phrases(
    """
    login, log in, log-in, logon, log on, logs in, sign in, signs in, credentials, credential, creds, access, ssh,
    u/p, lets you in, gets you in, zugang, zugangsdaten, anmeldung, anmeldedaten, anmelden, einloggen, identifiants,
    connexion, connecter, acceso, credenciales, accesso, si entra, credenziali, acesso, entrar, credenciais, inlog,
    inloggen, inloggegevens, inloggning, logowania, zaloguj, dostęp, логин, isql, htpasswd, net user, ftp, lftp,
    auth, vpn, rdp, smtp, imap, zugriff, kennung, authenticate, authenticates, connect as, connects as, connect
    with, connects with, runs as, service account, svc account, wifi, wi-fi, wlan, useradd, usermod, ssh-keygen,
    expect, jdbc, iniciar sesión, acceder, accede, accedere, accedi, entrare, entra con, ログイン情報,
    anmeldung, anmelden
    mit, toegang, aanmelden, log je in, 登录, 登入, 账号, 帳號, ログイン
    """
)
"""Words of sentences about a login, which may contain a password without a label."""

ACCOUNTS = _phrases(
    "admin, administrator, root, sa, postgres, system, sysadmin, scott, guest, superuser,"
    " oracle, mysql, dba, demo, test"
)
"""Accounts so common that `root/…` is a login."""

VERBS = _phrases(
    """
    is, was, are, be, been, has been, have been, had been, remains, stays, became, becomes, equals, reads, set to,
    to, ist, war, lautet, lautete, heißt, heisst, bleibt, sei, wäre, auf, est, c'est, était, sera, vaut, reste, es,
    era, será, sigue siendo, queda, è, e', sarà, rimane, é, foi, fica, luidt, blijft, är, er, on, oli, to, jest,
    brzmi, było, je, bylo, zní, este, e, var, είναι, это, был, равен, —
    """
    ", \u2013"
)
"""Words that join a label to its value, besides a colon or an equals sign."""

LINKS_BACK = frozenset(
    """
    (the (that's that's thats (is as is was will = <- -> == - als ist war comme est como es era come è jako to is
    het met är er som é foi
    """.split()
)
"""Words that join a secret to the label after it: `… is the password`, `use … as password`."""

FILLERS = _phrases(
    """
    set, changed, reset, now, currently, still, always, just, simply, only, also, to, as, literally, probably,
    actually, usually, again, jetzt, nun, noch, immer, immer noch, aktuell, momentan, derzeit, weiterhin, gesetzt,
    auf, wie, einfach, maintenant, toujours, actuellement, encore, désormais, simplement, ahora, actualmente,
    siempre, todavía, aún, adesso, ora, sempre, ancora, attualmente, agora, atualmente, ainda, nu, nog, steeds,
    altijd, teraz, nadal, nyní, сейчас, теперь, так
    """
)
"""Words that may occur between such a verb and the value."""

PREPOSITIONS = _phrases(
    """
    for, of, to, on, in, at, from, by, für, fuer, von, vom, zu, zum, zur, im, am, auf, der, des, bei, du, de, d',
    pour, sur, par, para, del, della, dello, per, di, da, do, dos, voor, van, op, til, till, för, dla, pro, na, для,
    от, к, στο, του
    """
)
"""Words that start a phrase about the owner of a secret: `password for the nightly job is`."""

DESCRIPTIVE = frozenset(
    """
    account algorithm bcrypt argon2 argon2id change changed column credential default digest encrypted encryption
    expired expires expiry false field flag from hash hashed hidden last login masked maximum md5 minimum must
    needed never none null only optional plain plaintext redacted required reset salt salted secret secrets sha1
    sha256 sha512 should stored string text that this token true type unused used user users uuid value varchar when
    which will with your

    a an the it its not no and or for in on at to of by as is are was were be been being if but so too very more
    less also always currently just now still then than there here where what who whose how why all any both each
    every some such other same own out up down off over under again once only empty blank missing absent unknown
    unset set sent kept held given known shown made done gone lost left wrong correct incorrect right valid invalid
    weak strong safe unsafe secure insecure long short old new same different public private important mandatory
    necessary available unavailable confidential sensitive public case plain clear required see ask tbd todo n/a na
    yes no on off enabled disabled active inactive compulsory mine yours ours theirs one two three four five six
    eight ten asterisks stars letters characters digits bytes bits base64 hex scram ldap kerberos vault rotated per
    via using because since until unless before after while during between within without about against his her
    their our my we they you he she us them me i do does did done has have had can could may might shall would need
    needs

    der die das den dem des ein eine einen einem einer und oder nicht kein keine leer nötig notwendig erforderlich
    pflicht optional geheim gleich immer nie für mit ohne von zu im am als wie verschlüsselt gehasht gespeichert
    lang kurz sicher unsicher gültig ungültig unbekannt vorgeschrieben falsch richtig hier dort siehe muss wird
    wurde

    le la les un une des du de et ou non pas vide requis requise obligatoire facultatif facultative chiffré haché
    secret stocké inconnu inconnue valide invalide incorrect nécessaire pour avec sans dans par sur que qui ne

    el los las una uno unos y o no vacía vacio obligatoria obligatorio requerida requerido opcional cifrada cifrado
    secreta secreto válida inválida incorrecta desconocida necesaria para con sin en por que se su

    il lo gli e non vuota obbligatoria obbligatorio richiesta facoltativa cifrata segreta valida errata necessaria
    con senza nel nella che si

    o os as um uma ou não nao vazia obrigatória obrigatória necessária opcional cifrada secreta válida inválida com
    sem

    het een en of niet geen leeg verplicht vereist nodig geheim versleuteld onbekend met zonder dat

    jest nie wymagane puste det den en ett inte ikke ei и не или обязателен нет
    """.split()
)
"""Words after a label that describe the secret or start a longer sentence."""

COMMON_PASSWORDS = frozenset(
    "letmein iloveyou qwerty qwertz azerty asdfgh asdf zxcvbn changeme changeit passw0rd p@ssw0rd opensesame".split()
)
"""Common passwords that are not words."""

CUES = frozenset(
    """
    now to as with try use und and e et y con com mit avec i met / + : | -> auf jetzt nun ora agora ahora maintenant
    it's using nu teraz be a à para naar til na por
    """.split()
)
"""Words right before a password in a sentence that contains one."""

SEE_WORDS = frozenset(
    """
    see ask look contact find use get request siehe frag frage fragen steht liegt voir demander demandez contacter
    passer vedi vedere chiedi chiedere contattare ver veja vea véase consulte consultar pedir pida contactar zie vraag
    vragen staat zobacz zapytaj spytaj patrz viz se spør fråga kysy смотри спросить
    """.split()
)
"""Words that refer the reader to another place instead of giving the password."""

NAME_WORDS = frozenset(
    """
    password passwords passwd pwd pass passphrase pin token tokens secret secrets key keys hash hashed digest salt
    credential credentials login logins auth id ids code codes name names column columns table tables schema field
    fields value values vault config conf env settings setting file files path line lines item items order orders
    customer customers account accounts user users admin role roles date time timestamp type types status state count
    number index session sessions request response client server service services host port data dim fact stg staging
    raw view views row rows record records event events log logs audit email mail address phone self this context
    claims header headers params param args row select insert update delete created updated default public private
    product products invoice invoices payment payments version level step page section stage table policy group
    entity object attribute detail details history attempt attempts
    """.split()
)
"""Words that occur in names of a schema, a program or a configuration."""

MEASURED = frozenset(
    """
    age budget count counts expiry format length lengths lifetime limit limits number policy scope size sizes ttl type
    version window timeout attempts retries rotation strength min max minimum maximum days hours seconds policy
    """.split()
)
"""Words for measures of a secret: its length, its lifetime."""

DESCRIPTIVE_ENDINGS = (
    *("ed", "ing", "ably", "able", "ible", "ally", "ory", "ness", "tion", "lich", "isch", "bar", "iert"),
    *("é", "ée", "és", "ées", "ado", "ada", "ido", "ida", "ato", "ata", "ito", "ita", "mente", "ment"),
)
"""Endings of participles, adjectives and adverbs."""

TERMS = _phrases(
    """
    sha, md, aes, utf, iso, rfc, base, bcrypt, scram, argon, pbkdf, blake, rc, des, ed, x, v, tls, ssl, oauth,
    openid, http, ipv, pkcs, ntlmv, latin, win, cp, int, float, varchar, char, numeric, rsa, dsa, p, secp, hmac,
    totp, fido, python, java, php, pg, sql, ascii, windows, level, version, type, line, step, section, chapter,
    field, column, key, table, page, log, web, ec, curve, crypt, crc, uuid
    """
)
"""Terms that are followed by a number and are not passwords: `SHA256`, `RFC2898`, `step2`."""
