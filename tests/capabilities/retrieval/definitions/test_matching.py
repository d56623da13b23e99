"""The metrics, terms and verified queries that a question is about."""

from __future__ import annotations

from tests.cases import each_case
from tribal.adapters.wordllama.embedder import WordLlamaEmbedder
from tribal.capabilities.retrieval.definitions.matching import MatchedDefinitions, cached_embedding, named, similar
from tribal.ports import DerivedValues
from tribal.ranking.named import DEFINED as CERTAINTY
from tribal_contracts import DefinedMetric, DefinedTerm, Definitions, VerifiedQuery

TABLE = "shop.billing.invoice"


def metric(name: str, *synonyms: str) -> DefinedMetric:
    return DefinedMetric(
        file="annotations/shop.yaml",
        line=1,
        tables=[TABLE],
        name=name,
        description="What we billed.",
        expression="sum(cents)",
        synonyms=list(synonyms),
        status="current",
    )


def term(name: str) -> DefinedTerm:
    return DefinedTerm(
        file="annotations/shop.yaml",
        line=9,
        tables=["shop.crm.customer"],
        name=name,
        definition="Left us.",
        status="current",
    )


def query(file: str, *questions: str, status: str = "current") -> VerifiedQuery:
    return VerifiedQuery.model_validate(
        {"file": file, "line": 1, "tables": [TABLE], "questions": questions, "sql": "SELECT 1", "status": status}
    )


NET = metric("net revenue", "turnover", "Umsatz")
RATE = metric("on-time delivery rate")
CHURNED = term("churned customers")
DEFINED = Definitions(schema_version="1.0", metrics=[NET, RATE], terms=[CHURNED])


@each_case(
    "question, names",
    [
        ("What was our net revenue last month?", ["net revenue"]),
        ("revenue, net of tax, by country", ["net revenue"]),
        ("Turnover by region", ["net revenue"]),
        ("UMSATZ je Land", ["net revenue"]),
        ("rate of deliveries on time", ["on-time delivery rate"]),
        ("Which customer churned, and what was net revenue?", ["net revenue", "churned customers"]),
        ("net weight of parcels, and later on the page some other words about revenue", []),
        ("revenue by country", []),
        ("time of delivery", []),
        ("", []),
    ],
)
def test_a_question_names_metrics_and_terms_in_any_order_and_number(question: str, names: list[str]) -> None:
    metrics, terms = named(question, DEFINED)
    assert [each.name for each in metrics] + [each.name for each in terms] == names


def test_tables_of_what_is_named_have_a_reason() -> None:
    assert MatchedDefinitions(*named("net revenue of churned customers", DEFINED)).tables() == {
        TABLE: ("the metric 'net revenue' uses it", CERTAINTY),
        "shop.crm.customer": ("the term 'churned customers' names it", CERTAINTY),
    }


def test_queries_are_found_by_their_questions_current_ones_first_and_at_most_three() -> None:
    queries = [
        query("queries/a.sql", "What do customers owe us?", status="broken"),
        query("queries/b.sql", "How many parcels were sent?", "Which customers owe us money?"),
        query("queries/c.sql", "How much do our customers owe?", status="changed"),
        query("queries/d.sql", "What is owed by customers?"),
        query("queries/e.sql", "Which machines broke down in May?"),
    ]
    embed = cached_embedding(WordLlamaEmbedder(), DerivedValues())
    found = similar("what do customers owe", queries, embed)
    assert [each.file for each, _ in found] == ["queries/d.sql", "queries/b.sql", "queries/c.sql"]
    assert similar("repaired engines", queries, embed) == []


def test_without_a_model_questions_are_compared_by_their_words() -> None:
    queries = [
        query("queries/a.sql", "What do customers owe us?"),
        query("queries/b.sql", "How many parcels were sent?"),
    ]
    assert [each.file for each, _ in similar("customers who owe us", queries)] == ["queries/a.sql"]
