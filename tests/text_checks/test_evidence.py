"""Texts that share nothing with what they describe."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.text_checks import KnownNames
from tribal.text_checks.evidence import EvidenceCheck, Subject
from tribal.text_checks.evidence.roots import roots
from tribal_contracts import CatalogNames

COLUMNS = ("bkg_id", "cost_ctr", "is_void", "shipped_dt", "seat_cnt", "chnl", "filename", "note")
CHECK = EvidenceCheck(
    names=("booking", *COLUMNS),
    surroundings=("travel", "booking", "travel", "passenger"),
    texts=("CHECK (chnl = 'WEB')", "Members of the loyalty scheme"),
    handles=("t1", "t2", "c1", "v1"),
)
TYPES = {"is_void": "boolean", "shipped_dt": "date", "seat_cnt": "integer"}


def column(name: str) -> Subject:
    """A column of the bookings."""
    values = ("WEB", "DESK", "P") if name == "chnl" else ()
    return Subject((name,), ("booking",), values, type=TYPES.get(name, "text"))


TABLE = Subject(("booking",))

NONSENSE = [
    ("cost_ctr", "The benefits of a diverse workforce"),
    ("cost_ctr", "Tips for better sleep in summer."),
    ("note", "A recipe with fresh tomatoes and basil."),
    ("is_void", "A famous museum in northern Italy."),
    ("shipped_dt", "The history of jazz music in Chicago."),
    ("seat_cnt", "Healthy habits of successful people."),
    ("cost_ctr", "The record of a diverse workforce, with its type and status."),
]


@each_case(("name", "text"), NONSENSE)
def test_a_text_about_something_else_is_unsupported(name: str, text: str) -> None:
    assert CHECK.is_unsupported(text, column(name))


@each_case("text", ["The benefits of a diverse workforce", "A guide for growing roses at home."])
def test_a_text_about_something_else_is_unsupported_for_a_table_too(text: str) -> None:
    assert CHECK.is_unsupported(text, TABLE)


SUPPORTED = [
    ("cost_ctr", "Costs are booked against this part of the firm."),
    ("cost_ctr", "Where finance charges the expense for the office."),
    ("cost_ctr", "Department that passengers travel for."),
    ("cost_ctr", "What members of the scheme agreed with head office."),
    ("shipped_dt", "Shipment left our dock."),
    ("shipped_dt", "When papers left the agency."),
    ("is_void", "Whether clerks cancelled afterwards."),
    ("seat_cnt", "How many people go along."),
    ("chnl", "P phone, or through partners."),
    ("chnl", "DESK for walk-in guests, else online."),
    ("chnl", "Sales channel, such as an agency."),
    ("filename", "Scanned ticket, by its file name."),
    ("note", "As noted by clerks at the counter."),
    ("note", "Remarks of [t2] to our agency staff."),
    ("note", "A remark made by agency staff."),
]


@each_case(("name", "text"), SUPPORTED)
def test_a_text_with_any_evidence_is_supported(name: str, text: str) -> None:
    assert not CHECK.is_unsupported(text, column(name))


@each_case("text", ["Failure description.", "How urgent it is.", "Goods on their way", "-", ""])
def test_a_text_of_a_few_words_is_not_judged(text: str) -> None:
    assert not CHECK.is_unsupported(text, column("cost_ctr"))


def test_words_of_any_database_claim_nothing_that_could_be_unsupported() -> None:
    assert not CHECK.is_unsupported("The default value of the record in the source system.", column("cost_ctr"))


def test_a_weak_word_supports_a_short_text_only() -> None:
    long = (
        "Since diverse workforces bring benefits, companies hire talented graduates, train managers and reward teams."
    )
    assert CHECK.is_unsupported(long, column("shipped_dt"))
    assert not CHECK.is_unsupported("Since companies hire graduates.", column("shipped_dt"))


def test_a_table_elsewhere_in_the_catalog_is_weak_evidence() -> None:
    names = CatalogNames(schema_version="1.0", database="shop", tables=["workforce"], columns=[])
    check = EvidenceCheck(CHECK.names, known=KnownNames.of(names))
    assert not check.is_unsupported("The benefits of a diverse workforce", column("cost_ctr"))


@each_case("language", ["German", "French", "Japanese"])
def test_texts_in_other_languages_are_not_judged(language: str) -> None:
    check = EvidenceCheck(CHECK.names, language=language)
    assert not check.is_unsupported("Die Vorteile einer vielfältigen Belegschaft", column("cost_ctr"))


@each_case(
    "names",
    [
        ("bestellung", "bestell_nr", "kunde_id", "lieferdatum", "rechnungsbetrag", "strasse", "vorname"),
        ("pedidos", "fecha_pedido", "cliente", "importe", "direccion", "apellido"),
        ("zkv", "bukrs", "kunnr", "matnr", "vbeln", "werks"),
    ],
)
def test_tables_whose_names_are_not_english_are_not_judged(names: tuple[str, ...]) -> None:
    check = EvidenceCheck(names)
    assert not check.is_unsupported("A purchase that somebody made in the shop.", Subject(names[:1]))


@each_case(
    ("one", "other"),
    [
        ("ship", "shipment"),
        ("shipped", "shipping"),
        ("costs", "cost"),
        ("deliver", "delivery"),
        ("paid", "payment"),
        ("payer", "pays"),
        ("sold", "sales"),
        ("employees", "employment"),
        ("approved", "approval"),
        ("résumé", "resume"),
        ("weight", "weighs"),
        ("categories", "category"),
    ],
)
def test_words_of_one_family_share_a_root(one: str, other: str) -> None:
    assert roots(one) & roots(other)


@each_case(("one", "other"), [("cost", "coast"), ("order", "ordinary"), ("benefit", "benign"), ("number", "member")])
def test_words_that_only_look_alike_share_none(one: str, other: str) -> None:
    assert not roots(one) & roots(other)


@given(st.text(max_size=60), st.text(max_size=30))
def test_any_text_can_be_judged(text: str, name: str) -> None:
    check = EvidenceCheck((name, *CHECK.names))
    assert isinstance(check.is_unsupported(text, Subject((name,), values=(name,), texts=(text,), type=name)), bool)


@given(st.sampled_from([text for _, text in NONSENSE]), st.sampled_from(COLUMNS))
def test_the_name_of_a_column_in_its_text_is_always_evidence(text: str, name: str) -> None:
    words = "file name" if name == "filename" else name.replace("_", " ")
    assert not CHECK.is_unsupported(f"{words}: {text[:30]}", column(name))
