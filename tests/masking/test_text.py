"""Detectors, and what is left of a text after them."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.masking.harmless import HARMLESS_TEXTS
from tribal.masking import SensitiveKind, detect, detect_by_name, redact_text
from tribal.masking.rules import Rule

pytestmark = pytest.mark.slow

PLANTED: dict[str, list[str]] = {
    "email": ["maria.silva@example.com", "o'brien+news@mail.example.co.uk"],
    "phone": ["+49 170 1234567", "+1 (415) 555-2671", "+33 6 12 34 56 78"],
    "card": ["4111 1111 1111 1111", "5500005555555559", "3782-822463-10005"],
    "iban": ["DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "FR1420041010050500013M02606"],
    "ssn": ["078-05-1120"],
    "aws": ["AKIAIOSFODNN7EXAMPLE"],
    "github": ["ghp_abcdefghijklmnopqrstuvwxyz0123456789"],
    "jwt": ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"],
    "bcrypt": ["$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW"],
    "dsn": ["postgresql://admin:s3cr3tpw@db.example.com:5432/prod"],
    "ip": ["192.168.10.44", "2001:db8::8a2e:370:7334"],
    "mac": ["00:1a:2b:3c:4d:5e"],
}
VALUES = [value for values in PLANTED.values() for value in values]
PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n-----END PRIVATE KEY-----"


@each_case("value", [*VALUES, PEM])
def test_a_sensitive_value_is_recognised(value: str) -> None:
    assert detect(value) is not None


@each_case(
    "value", ["open", "2024-01-31", "EUR", "12345", "PO-2024-0001", "Net revenue by month", "v_open_item", "1.5", "N/A"]
)
def test_a_harmless_value_is_not(value: str) -> None:
    assert detect(value) is None


@each_case("value", ["4111 1111 1111 1112", "DE88 3704 0044 0532 0130 00"])
def test_a_wrong_checksum_is_no_card_and_no_iban(value: str) -> None:
    assert detect(value) not in (SensitiveKind("card"), SensitiveKind("iban"))


@each_case("value", [*VALUES, PEM])
@each_case("frame", ["{}", "Ask {} for help.", "key={};", "('{}')", "before\n{}\nafter"])
def test_a_planted_value_is_taken_out_of_a_text_and_the_rest_stays(value: str, frame: str) -> None:
    redacted = redact_text(frame.format(value))
    assert value not in redacted
    for part in frame.split("{}"):
        assert part.strip() in redacted


@given(st.text(st.characters(codec="ascii", categories=["Ll", "Lu", "Zs"]), max_size=60), st.sampled_from(VALUES))
def test_words_around_a_planted_value_do_not_hide_it(words: str, value: str) -> None:
    assert value not in redact_text(f"{words} {value} {words}")


@given(st.text(max_size=400))
def test_any_text_is_taken_and_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact_text(text)
    assert redact_text(once) == once


@each_case(
    "column",
    "email e_mail cust_phone mobile_no ssn passportNumber firstName LAST_NM iban card_no cvv password_hash api_key "
    "auth_token accesstoken client_secret storedby birth_dt salary street_line_1 ip_addr notes".split(),
)
def test_a_column_whose_name_tells_of_personal_or_secret_data_is_known(column: str) -> None:
    assert detect_by_name(column) is not None


@each_case("column", ["status", "order_id", "qty", "created_at", "currency_cd", "amount_cents", "sku"])
def test_a_column_of_business_data_is_not(column: str) -> None:
    assert detect_by_name(column) is None


@each_case(
    ("column", "kind"),
    [
        ("mail", SensitiveKind.EMAIL),
        ("user_mail", SensitiveKind.EMAIL),
        ("mail_code", None),
        ("MailCity", None),
        ("MailStreet", SensitiveKind.ADDRESS),
        ("dob", SensitiveKind.BIRTH_DATE),
        ("date_of_death", SensitiveKind.DEATH_DATE),
        ("dod", SensitiveKind.VALUE),
    ],
)
def test_a_name_tells_no_more_than_it_says(column: str, kind: SensitiveKind | None) -> None:
    assert detect_by_name(column) == kind


@each_case(
    ("text", "redacted"),
    [
        ("Ask Maria Silva before you change this.", "Ask [person_name] before you change this."),
        ("Mr. Kurz and Dr. Anna von Berg decide.", "Mr. [person_name] and Dr. [person_name] decide."),
        ("Herr Dr. Kurz pr\u00fcft.", "Herr Dr. [person_name] pr\u00fcft."),
        ("contact: Ngozi Okafor", "contact: [person_name]"),
        ("by P. Schneider, 2019", "by [person_name], 2019"),
    ],
)
def test_a_full_name_is_taken_out_of_a_text(text: str, redacted: str) -> None:
    assert redact_text(text) == redacted


@each_case("text", HARMLESS_TEXTS)
def test_words_in_capitals_that_are_no_names_stay(text: str) -> None:
    assert redact_text(text) == text


@each_case(
    ("text", "redacted"),
    [
        ("The password is Xk9!mm2.", "The password is [secret]."),
        ("Reset all passwords to sunflower on test.", "Reset all passwords to [secret] on test."),
        ("password for the nightly job is now Sunflower", "password for the nightly job is now [secret]"),
        ("Passwort: Sonnenblume, siehe Wiki", "Passwort: [secret], siehe Wiki"),
        ("Mot de passe du compte : tournesol", "Mot de passe du compte : [secret]"),
        ("La contrase\u00f1a ahora es \u00abgirasol\u00bb", "La contrase\u00f1a ahora es \u00ab[secret]\u00bb"),
        ("\u5bc6\u7801\u662fXk9mm2", "\u5bc6\u7801\u662f[secret]"),
        ("user batch, mit Passwort Xk9-mm2 anmelden", "user batch, mit Passwort [secret] anmelden"),
        ("Use Hunter22x as password.", "Use [secret] as password."),
        ("pw=abc; pass: Xk9mm", "pw=[secret]; pass: [secret]"),
        ("login admin / Xk9mm2", "login admin / [secret]"),
        ("sqlplus scott/tigerlily@orcl", "sqlplus scott/[credentials]"),
        ("curl -u admin:tigerlily http://h", "curl -u admin:[secret] http://h"),
        ("mysql -uroot -ptigerlily shop", "mysql -uroot -p[secret] shop"),
        ("db1:5432:shop:etl:tigerlily", "db1:5432:shop:etl:[secret]"),
        ("api_key 8f7d6s5a4d3f", "api_key [secret]"),
        ("redis://:pass/word@cache:6379", "redis://[credentials]@cache:6379"),
    ],
)
def test_a_secret_goes_and_the_words_around_it_stay(text: str, redacted: str) -> None:
    assert redact_text(text) == redacted


@each_case(
    "text",
    [
        "The password is required and is hashed with bcrypt.",
        "Password: at least 12 characters, see RFC2898 and SHA-256.",
        "password = crypt($1, password)",
        "(a.token = b.token)",
        "Passwort ist verschl\u00fcsselt gespeichert",
        "password must be changed after 90 days",
        "token: set by the trigger on update",
        "PGPASSWORD=$PGPASSWORD psql",
        "'********'::text AS passwd",
        "user name / e-mail",
        "src/main/java/com/example/billing/InvoiceRepository",
        "purchaseOrderHeaderLineItemNumber",
        "550e8400-e29b-41d4-a716-446655440000",
    ],
)
def test_what_merely_tells_of_a_secret_stays(text: str) -> None:
    assert redact_text(text) == text


# A row of each is what a regular expression that backtracks would read again from each of its places.
UNITS = [
    *("token:", "password is ", "token=a.b ", "secret_", "pass: ", "bearer ", "Aa Bb ", "a@", "PIN a ", "pw a b "),
    *("1 ", "4111", "a.b-", "-----BEGIN ", "http://a:", "ab12", "+49 ", "\n", "x"),
]


@each_case("unit", UNITS)
def test_a_text_of_four_times_the_length_takes_about_four_times_the_time(unit: str) -> None:
    def seconds(characters: int) -> float:
        text = unit * (characters // len(unit))
        began = time.thread_time()
        redact_text(text)
        return time.thread_time() - began

    seconds(1_000)
    # Sixteen times if it were quadratic.
    assert seconds(40_000) < 9 * (seconds(10_000) + 0.02)


@pytest.mark.verify
@each_case("unit", UNITS)
def test_five_megabytes_of_anything_are_read(unit: str) -> None:
    assert isinstance(redact_text(unit * (5_000_000 // len(unit))), str)


def test_a_rule_reads_a_text_only_a_few_times_however_its_matches_fail() -> None:
    read = 0

    def never(found: str) -> bool:
        nonlocal read
        read += len(found)
        return False

    rule = Rule(SensitiveKind.SECRET, re.compile("a{1,4096}"), confirm=never)
    hidden = list(rule.find("a" * 200_000))

    assert read < 20 * 200_000
    assert hidden != [], "what could not be judged is hidden"
