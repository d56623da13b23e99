"""Secrets in forms and sentences that the detector knows by a general rule, and what is next to them."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from tribal.capabilities.memory.content import masked_content
from tribal.capabilities.memory.errors import MemoryContentRefused
from tribal.masking import redact_text

SECRETS = [
    ("PGPASSWORD=Xk9mm2pL psql -h db1", "PGPASSWORD=[secret] psql -h db1"),
    ("jdbc:h2:tcp://h/d;USER=sa;PASSWORD=$umm3r", "jdbc:h2:tcp://h/d;USER=sa;PASSWORD=[secret]"),
    ("DSN=dwh;uid=etl;pwd={Xk9mm2pL}", "DSN=dwh;uid=etl;pwd={[secret]}"),
    ("Authorization: Splunk Xk9mm2pL-77", "Authorization: Splunk [secret]"),
    ('- name: DB_PASSWORD\n  value: "Xk9mm2"', '- name: DB_PASSWORD\n  value: "[secret]"'),
    ("set('adminPass', 'sunny-red-lake')", "set('adminPass', '[secret]')"),
    ("'Xk9mm2pL' is the password of etl", "'[secret]' is the password of etl"),
    ("the passwrod is Xk9mm2", "the passwrod is [secret]"),
    ("Password for the box below:\n\nXk9mm2pL", "Password for the box below:\n\n[secret]"),
    ("passphrase: sunny lake walks home", "passphrase: [secret]"),
    ("use 4711 as the PIN", "use [secret] as the PIN"),
    ("log in as etl with Xk9!mm2pL", "log in as etl with [secret]"),
    ("Pwd=our door 7k31;", "Pwd=[secret];"),
    ("PGPASSWORD=our door 7k31 psql -h h1", "PGPASSWORD=[secret] psql -h h1"),
    ("mot de passe : tigre bleu 4471!", "mot de passe : [secret]"),
    ("default password lamp-river-x (change it)", "default password [secret] (change it)"),
    ("use lamp-river as the password", "use [secret] as the password"),
    ("benutze lamp-river als Passwort", "benutze [secret] als Passwort"),
    ("usa lamp-river como contraseña", "usa [secret] como contraseña"),
    ("log in with admin / lamp-river", "log in with admin / [secret]"),
    ("loader -p Lamp923 --host h", "loader -p [secret] --host h"),
    ("kinit etl <<< 'Xk9mm2'", "kinit etl <<< '[secret]'"),
]
HARMLESS = [
    "password must be at least 12 characters",
    "key = customer_id + order_id",
    "token lifetime: 86400 seconds",
    'password = os.environ["DB_PASSWORD"]',
    "--password-file /run/secrets/db",
    "docker run -p 5432:5432 postgres",
    "password: vedi il portale",
    "commit 90b3743a57ac56e0a08d05a76bc5aeef05defbcd",
    "md5 of the file: 51bdba7ab37d2ed013b008ebb53db741",
    "PO 9021416892 from procurement",
    "The PIN has 6 digits since 2021",
    "password is a bcrypt hash with cost 12",
    "password reset expires after 900 seconds",
    "password, case-sensitive",
    "use role-based access as the password replacement",
    "mkdir -p data-2024/raw",
    "backup.sh -u etl -p 5432",
]


@each_case(("text", "redacted"), SECRETS)
def test_a_secret_is_hidden_in_a_comment_and_refused_as_a_memory(text: str, redacted: str) -> None:
    assert redact_text(text) == redacted
    with pytest.raises(MemoryContentRefused):
        masked_content(text, "project")


@each_case("text", HARMLESS)
def test_a_text_about_secrets_stays_in_a_comment_and_is_kept_as_a_memory(text: str) -> None:
    assert redact_text(text) == text
    assert masked_content(text, "project") == (text, False)


@each_case(
    ("text", "redacted"),
    [
        ("Aadhaar 234123412346", "Aadhaar [national_id]"),
        ("BSN 111222333", "BSN [national_id]"),
        ("Sarah Lewis: 591105131", "[person_name]: [national_id]"),
        ("batch 591105131 failed", "batch 591105131 failed"),
        ("loaded at 202401311200", "loaded at 202401311200"),
    ],
)
def test_a_national_number_is_known_by_its_check_digit_its_label_or_its_owner(text: str, redacted: str) -> None:
    assert redact_text(text) == redacted
