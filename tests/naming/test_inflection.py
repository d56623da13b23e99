"""Singular and plural of the nouns that name tables and columns."""

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.cases import each_case
from tribal.naming import plural, singular
from tribal.naming.abbreviation_table import ACRONYMS
from tribal.naming.inflection import UNCOUNTED_ACRONYMS

_PAIRS = """
address addresses, status statuses, category categories, person people, child children, index indices, series series,
data data, metadata metadata, order orders, box boxes, tax taxes, batch batches, cache caches, dish dishes, city cities,
day days, key keys, company companies, movie movies, cookie cookies, tie ties, query queries, bus buses, bonus bonuses,
campus campuses, virus viruses, house houses, warehouse warehouses, cause causes, use uses, user users, course courses,
case cases, database databases, purchase purchases, license licenses, response responses, alias aliases, gas gases,
lens lenses, analysis analyses, diagnosis diagnoses, crisis crises, thesis theses, axis axes, matrix matrices,
vertex vertices, appendix appendices, criterion criteria, phenomenon phenomena, man men, woman women,
salesman salesmen, human humans, specimen specimens, foot feet, tooth teeth, mouse mice, knife knives, life lives,
shelf shelves, half halves, drive drives, valve valves, curve curves, hero heroes, potato potatoes, photo photos,
shoe shoes, video videos, quiz quizzes, size sizes, prize prizes, process processes, class classes, glass glasses,
business businesses, stomach stomachs, branch branches, species species, sheep sheep, equipment equipment, id ids,
url urls, tag tags, area areas, schema schemas, quota quotas, plus pluses, sale sales, expense expenses, lease leases,
employee employees, fee fees, view views, alumnus alumni, news news, staff staff, information information, basis bases,
wolf wolves, leaf leaves, monkey monkeys, survey surveys, supply supplies, entry entries, match matches, fax faxes
"""
PAIRS = [tuple(pair.split()) for pair in _PAIRS.replace("\n", " ").split(",")]


@each_case(("one", "many"), PAIRS)
def test_a_noun_has_its_usual_plural(one: str, many: str) -> None:
    assert plural(one) == many


@each_case(("one", "many"), [pair for pair in PAIRS if pair[1] != "bases"])
def test_a_plural_has_its_usual_singular(one: str, many: str) -> None:
    assert singular(many) == one


@each_case("word", [one for one, _ in PAIRS])
def test_a_singular_is_its_own_singular(word: str) -> None:
    assert singular(word) == word


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=10), st.sampled_from(["ss", "us", "is"]))
def test_a_word_in_ss_us_or_is_is_never_mangled(start: str, ending: str) -> None:
    assume((start + ending)[:-1] not in ACRONYMS)
    assert singular(start + ending) == start + ending


@given(st.sampled_from([many for _, many in PAIRS]))
def test_the_plural_of_a_plural_is_itself(word: str) -> None:
    assert plural(word) == word


@given(st.text(max_size=12))
def test_any_text_has_a_singular_that_is_no_longer_than_itself_but_for_irregular_ones(text: str) -> None:
    assert len(singular(text)) <= len(text) + 1
    # Words are not followed back and forth: "abzs" has the singular "abz", "abzes" has "abze".
    if singular(text).lower() != text.lower():
        assert plural(text) == text, "a plural is its own plural"


@each_case(("one", "many"), [("Customer", "Customers"), ("CATEGORY", "CATEGORIES"), ("Person", "People")])
def test_the_case_of_a_word_is_kept(one: str, many: str) -> None:
    assert plural(one) == many
    assert singular(many) == one


@each_case("word", ["gps", "sms", "dns", "https", "gas", "atlas", "texas", "was", "does", "yes"])
def test_a_word_that_ends_in_s_by_nature_is_no_plural(word: str) -> None:
    assert singular(word) == word


@each_case(
    ("one", "many"),
    [("API", "APIs"), ("ID", "IDs"), ("SKU", "SKUs"), ("kpi", "kpis"), ("api", "apis"), ("vin", "vins")],
)
def test_an_acronym_that_people_count_has_a_plural_in_its_own_letters(one: str, many: str) -> None:
    assert plural(one) == many
    assert plural(many) == many
    assert singular(many) == one


@each_case("word", ["CSAT", "csat", "SMS", "VAT", "XML", "https", "GPS"])
def test_an_acronym_that_no_one_counts_has_no_plural(word: str) -> None:
    assert plural(word) == word
    assert singular(word) == word


def test_a_plural_that_a_schema_uses_all_the_same_is_understood() -> None:
    assert singular("CSATs") == "CSAT"
    assert UNCOUNTED_ACRONYMS <= ACRONYMS
